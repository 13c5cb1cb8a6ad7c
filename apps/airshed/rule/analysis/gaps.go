package analysis

import (
	"fmt"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// A gapList collects gaps.
type gapList []Gap

func (l *gapList) add(is bool, code GapCode, text, costs string) {
	if is {
		*l = append(*l, Gap{code, text, costs})
	}
}

// commonGaps are what is missing for every episode of the object.
func (d *Dataset) commonGaps() []Gap {
	var l gapList
	o := d.from
	l.add(o.Fires == nil, FiresMissing, "no data about fires", fmt.Sprintf("no attribution, and %d points of completeness",
		d.rules.Seed.NoFires))
	l.add(o.Stubble == nil, StubbleMissing, "no forecast of the share of stubble burning",
		fmt.Sprintf("nothing is said about its share of Delhi's PM2.5, and %d points of completeness", d.rules.Seed.NoStubble))
	l.add(d.grid == nil, WindMissing, "no wind", "no attribution: without wind nobody can say where the air came from")
	l.windGaps(d.grid)
	l.add(o.Fires != nil && o.Looked.IsZero(), FiresWindow, "the file does not say while when fires were looked for",
		"hours without fires and hours without data cannot be told apart: the attribution cannot be conclusive")
	l.add(d.fires.dayOnly > 0, FiresDayOnly, fmt.Sprintf("%d rows about fires have a day and no hour", d.fires.dayOnly),
		"they are in the legacy count only: no claim about transport rests on them")
	unusable := 0
	for _, n := range d.fires.unusable {
		unusable += n
	}
	l.add(unusable > 0, FiresUnusable, fmt.Sprintf("%d rows about fires lack a known satellite, a power or a confidence of its kind",
		unusable),
		"they are in the legacy count only")
	l.add(o.Fires != nil && len(o.Cloud) == 0, CloudUnknown, "cloud at the satellites' passes is not known",
		"how much was hidden cannot be said; counts are a lower bound")
	l.add(d.rules.Places == nil, PlacesUnknown, "no boundaries of states", "states are the rows' own word, or not known")
	l.add(d.rules.Places != nil && d.fires.rowPlaced > 0, RowPlaced,
		fmt.Sprintf("%d rows about fires lie where the boundaries know no state", d.fires.rowPlaced),
		"their state is the rows' own word")
	l.ageGaps(d.ages)
	return l
}

func (l *gapList) windGaps(g *wind.Grid) {
	if g == nil {
		return
	}
	var lacks []wind.Level
	for _, level := range wind.Levels() {
		if !g.Has(level) {
			lacks = append(lacks, level)
		}
	}
	l.add(len(lacks) > 0, WindLevels, fmt.Sprintf("wind is not known at %v", lacks),
		fmt.Sprintf("%d of %d members are missing", len(lacks)*plume.Members/len(wind.Levels()), plume.Members))
	l.add(!g.HasMixing(), MixingMissing, "the height of the mixed layer is not known",
		"weights do not take into account how deep smoke was mixed")
}

func (l *gapList) ageGaps(ages []lake.Age) {
	for _, a := range ages {
		if !a.Stale {
			continue
		}
		text := fmt.Sprintf("%s is of %s, %d h before the object was put together", a.Part, a.As.UTC().Format("2006-01-02 15:04 UTC"),
			a.Minutes/60)
		switch a.Part {
		case lake.AirPart:
			l.add(true, AirStale, text, "what is shown may be over")
		case lake.FiresPart:
			l.add(true, FiresStale, text, "fires since then are not known")
		}
	}
}

// gaps are what is missing for one episode.
func (d *Dataset) gaps(a Analysis) []Gap {
	var l gapList
	e := a.Episode
	l.add(e.Basis == surge.IndexOnly, HourlyUnknown, "hourly concentrations are not known",
		"the index alone opened the episode, and all hours of the day count alike")
	l.add(e.Untested > 0, RiseUntested, fmt.Sprintf("for %d of %d surge hours fewer than %d earlier days are known", e.Untested,
		len(e.Surging), d.rules.Surge.Least),
		"whether they were higher than usual was not asked")
	l.add(a.Control.Verdict == surge.Unjudged, ControlMissing, "no station inside the city could be compared with",
		"the attribution cannot be conclusive")
	l.add(d.from.Stubble != nil && !a.Stubble.Available, StubbleOtherDay,
		"the forecast of the share of stubble burning is for another day, or does not say for which",
		fmt.Sprintf("it is not used, at %d points of completeness", d.rules.Seed.NoStubble))
	l.add(a.Attribution.Edge.Cut > 0, WindEdge, fmt.Sprintf("%d of %d tracks came to the edge of the wind; the shortest has %g h",
		a.Attribution.Edge.Cut, a.Attribution.Edge.Tracks, a.Attribution.Edge.Shortest),
		"fires beyond it have no share")
	l.add(a.Attribution.Null.Method == plume.ByTurns, NullByTurns, "fires of the ten days before and after are not all known",
		"the null test turns the wind instead of shifting days, which says less")
	l.add(a.Fires.InTime > 0 && !d.fires.districts(a.Fires), DistrictsUnknown, "no district of a fire is known",
		"nothing is said about districts")
	l.add(a.Fires.Unsure > 0, NearLine, fmt.Sprintf("%d of %d fires lie so near to a line between states that it may be drawn wrongly",
		a.Fires.Unsure, a.Fires.InTime),
		"they count for the state the line gives them to, and may belong to the next")
	return l
}

// commonWarnings are what cannot be quite right in the object.
func (d *Dataset) commonWarnings() []Warning {
	var out []Warning
	for _, x := range d.from.Dropped {
		out = append(out, Warning{ValuesDropped, fmt.Sprintf("%d values of %s were left out: %s", x.Count, x.Part, x.Reason)})
	}
	if n := d.air.contradicted; n > 0 {
		out = append(out, Warning{Contradicted, fmt.Sprintf("%d readings were left out because others of the same hour disagree", n)})
	}
	if n := d.fires.disagreed; n > 0 {
		out = append(out, Warning{StatesDisagree,
			fmt.Sprintf("%d rows about fires name another state than the boundaries do; the boundaries were followed", n)})
	}
	for _, s := range d.from.Sources {
		if s.Stale {
			out = append(out, Warning{SourceStale, fmt.Sprintf("%s did not answer; an earlier answer stands in for it", s.Name)})
		}
	}
	return out
}

// warnings are what cannot be quite right about one episode.
func (d *Dataset) warnings(a Analysis) []Warning {
	out := d.stubbleWarnings(a.Stubble)
	if len(a.Fires.Mixed) > 0 || a.Fires.Stage == Both {
		out = append(out, Warning{StagesMixed,
			"preliminary and final rows about fires stand side by side: their counts are not of one kind"})
	}
	return slices.Concat(out, d.indexWarnings(a))
}
