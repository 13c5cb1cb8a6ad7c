package report

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fact"
)

// A FactSpec says where one number of an analysis stands and how it is shown.
type FactSpec struct {
	Name     string // by which texts cite it, before it has an F-number
	Pointer  string // RFC 6901, into the analysis' canonical JSON
	Unit     string
	Decimals int
	Kind     fact.Kind
	Subject  fact.Subject
}

// A Named is a fact and the name texts cite it by.
type Named struct {
	Name string `json:"name"`
	fact.Fact
}

// The units of an airshed's numbers. Counts have none.
const (
	micrograms = "µg/m3"
	milligrams = "mg/m3"
	megawatts  = "MW"
	kilometres = "km"
	speed      = "m/s"
	hours      = "h"
	days       = "d"
)

// unknownState stands in a fact's subject where no state is known.
const unknownState = "not known"

// mostListed bounds each list whose numbers become facts: no page shows more.
const mostListed = 60

// A specList gathers specs.
type specList struct {
	episode string
	seen    map[string]bool // what facts are about
	all     []FactSpec
}

// add enters one spec. ids are pairs that tell it apart from others of its measure.
func (l *specList) add(name, pointer, unit string, decimals int, ids ...string) {
	measure := pointer
	if len(ids) > 0 { // the place in a list says nothing; the ids do
		measure = pointer[strings.LastIndex(pointer, "/")+1:] + "_of_" + strings.Split(name, ".")[0]
	}
	about := map[string]string{"episode": l.episode, "measure": measure}
	for i := 0; i+1 < len(ids); i += 2 {
		about[ids[i]] = ids[i+1]
	}
	key := fmt.Sprint(about)
	if l.seen[key] { // two names of a hostile file that look alike: the place tells them apart
		l.add(name, pointer, unit, decimals, append(ids, "place", pointer)...)
		return
	}
	l.seen[key] = true
	l.all = append(l.all, FactSpec{Name: name, Pointer: pointer, Unit: unit, Decimals: decimals, Kind: fact.Observed,
		Subject: fact.Subject{Type: "airshed_episode", IDs: about}})
}

// Facts lists every number of an analysis that a report may print. Their order is
// fixed, so that offline and in a case they are numbered alike.
func Facts(a analysis.Analysis) []FactSpec {
	l := &specList{episode: string(a.Key), seen: map[string]bool{}}
	l.surge(a)
	l.attribution(a)
	l.whose(a.Whose)
	l.fires(a.Fires)
	l.stubble(a.Stubble)
	l.legacy(a.Legacy)
	l.add("score.confidence", "/score/confidence_score", "", 0)
	l.add("score.completeness", "/score/completeness_score", "", 0)
	l.beside(a.Beside)
	return l.all
}

func (l *specList) surge(a analysis.Analysis) {
	l.add("aqi", "/surge/aqi", "", 0, "pollutant", "aqi")
	for _, n := range []struct {
		name, at, pollutant string
		known               bool
	}{{"pm25", "pm25", "PM2.5", a.Surge.PM25 != nil}, {"pm10", "pm10", "PM10", a.Surge.PM10 != nil}, {"peak", "peak_hour_pm25", "PM2.5",
		a.Surge.Peak != nil}} {
		if n.known {
			l.add(n.name, "/surge/"+n.at, micrograms, 1, "pollutant", n.pollutant)
		}
	}
	unit, decimals := micrograms, 1
	if a.Control.Unit == "index" {
		unit = ""
	}
	// signed: words must say which way
	l.add("control.difference", "/control/difference", unit, decimals, fact.ChangeID, "interior stations")
	l.add("control.hours", "/control/hours", hours, 0)
	l.add("control.of", "/control/of_hours", hours, 0)
	l.add("window.hours", "/window/hours", hours, 0)
	l.add("window.of", "/window/of_hours", hours, 0)
	l.add("untested", "/episode/untested", hours, 0)
}

func (l *specList) attribution(all analysis.Analysis) {
	a := all.Attribution
	for i, s := range head(a.States) {
		l.share("share", "/attribution/shares", i, "state", known(s.State))
		l.add(name("share", i, "first"), at("/attribution/shares", i, "first"), "", 0, "state", known(s.State))
	}
	for i, s := range head(a.Districts) {
		l.share("district", "/attribution/districts", i, "state", known(s.State), "district", known(s.District))
	}
	for _, n := range []struct{ name, at, unit string }{
		{"members", "members", ""}, {"of_members", "of_members", ""}, {"agreed", "agreed", ""}, {"needed", "needed", ""},
		{"edge.tracks", "edge/tracks", ""}, {"edge.cut", "edge/cut", ""},
		{"null.rank", "null_test/rank", ""}, {"null.of", "null_test/of", ""}, {"null.needed", "null_test/needed", ""},
	} {
		if all.Method() == analysis.Demands || !strings.Contains(n.name, ".") {
			l.add(n.name, "/attribution/"+n.at, n.unit, 0)
		}
	}
	if all.Method() != analysis.Demands {
		return
	}
	l.add("edge.unseen", "/attribution/edge/unseen_percent", fact.Percent, 1)
	l.add("null.enrichment", "/attribution/null_test/enrichment", "", 2)
	if a.Calm.Known {
		l.add("calm.speed", "/attribution/calm/speed", speed, 2)
		l.add("calm.hours", "/attribution/calm/hours", hours, 0)
		l.add("calm.below", "/attribution/calm/stagnation_below", speed, 2)
	}
}

// share is a median with its range, at a place of a list.
func (l *specList) share(kind, list string, i int, ids ...string) {
	for _, part := range []string{"low", "median", "high"} {
		l.add(name(kind, i, part), at(list, i, part), fact.Percent, 1, ids...)
	}
}

func (l *specList) fires(f analysis.Fires) {
	for _, n := range []struct{ name, at string }{
		{"rows", "rows"}, {"elsewhere", "elsewhere"}, {"day_only", "day_only"}, {"kept", "kept"}, {"in_time", "in_time"},
		{"disagreed", "disagreed"}, {"row_placed", "row_placed"},
		{"near_line", "near_line"},
	} {
		l.add("fires."+n.name, "/fires/"+n.at, "", 0)
	}
	for i, s := range head(f.Satellites) {
		id := []string{"satellite", known(string(s.Satellite))}
		for _, part := range []string{"detections", "day", "night", "high_confidence", "standard_processing"} {
			l.add(name("satellite", i, part), at("/fires/satellites", i, part), "", 0, id...)
		}
		l.add(name("satellite", i, "power"), at("/fires/satellites", i, "power_mw"), megawatts, 1, id...)
	}
	for i, s := range head(f.States) {
		l.add(name("state", i, "detections"), at("/fires/states", i, "detections"), "", 0, "state", known(s.State))
		l.add(name("state", i, "power"), at("/fires/states", i, "power_mw"), megawatts, 1, "state", known(s.State))
	}
	for i, t := range head(f.Dropped) {
		l.add(name("dropped", i, "count"), at("/fires/dropped", i, "count"), "", 0, "reason", known(t.Name))
	}
	if f.Coverage != nil {
		for _, part := range []string{"passes_due", "passes_with_detections", "passes_without_detections", "passes_with_cloud_known"} {
			l.add("coverage."+part, "/fires/coverage/sums/"+part, "", 0)
		}
		l.add("coverage.mean_cloud", "/fires/coverage/sums/mean_cloud_fraction", "", 2)
	}
}

func (l *specList) stubble(s analysis.Stubble) {
	if !s.Available {
		return
	}
	l.add("stubble", "/stubble/percent", fact.Percent, 1)
	l.all[len(l.all)-1].Kind = fact.Quoted // another party's figure, repeated as theirs
	for i, n := range head(s.Indicative) {
		l.share("indicative", "/stubble/indicative", i, "state", known(n.State))
	}
}

func (l *specList) legacy(c analysis.Legacy) {
	l.add("legacy.fires", "/legacy/fire_count", "", 0)
	l.add("legacy.beyond", "/legacy/beyond_radius", "", 0)
	for i, s := range head(c.States) {
		l.add(name("legacy", i, "fires"), at("/legacy/states", i, "fire_count"), "", 0, "state", known(s.State))
		l.add(name("legacy", i, "distance"), at("/legacy/states", i, "avg_distance_km"), kilometres, 1, "state", known(s.State))
	}
}

func (l *specList) beside(all []analysis.Beside) {
	for i, b := range head(all) {
		id := []string{"pollutant", b.Pollutant.String()}
		unit, decimals := micrograms, 1
		if b.Pollutant == aqi.CO {
			unit, decimals = milligrams, 2
		}
		l.add(name("other", i, "mean"), at("/other_pollutants", i, "mean"), unit, decimals, id...)
		l.add(name("other", i, "hours"), at("/other_pollutants", i, "hours"), hours, 0, id...)
		if b.Interior != nil {
			l.add(name("other", i, "interior"), at("/other_pollutants", i, "interior"), unit, decimals, id...)
		}
		if b.Difference != nil {
			l.add(name("other", i, "difference"), at("/other_pollutants", i, "difference"), unit, decimals, id...)
		}
	}
}

func head[T any](list []T) []T { return list[:min(len(list), mostListed)] }

// known is an id that is not empty and not too long for a fact's subject.
func known(s string) string {
	if s = plain(s); s == "" {
		return unknownState
	}
	return s
}

func name(kind string, i int, part string) string { return kind + "." + strconv.Itoa(i) + "." + part }

func at(list string, i int, part string) string { return list + "/" + strconv.Itoa(i) + "/" + part }
