package page

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/pattern"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// A patternsView is the patterns over all seasons that are kept.
type patternsView struct {
	pattern.Patterns
	whole bool // all episodes are counted
	words report.Speech
}

// patternTables are the tables of the page, by the names of their files.
var patternTables = []string{"stations", "hours", "months", "seasons", "states", "districts"}

// patterns is the page of patterns over seasons.
func (g *Pages) patterns(w http.ResponseWriter, r *http.Request) error {
	p := g.TitledPage(r, "air.patterns")
	v, err := g.readPatterns(r, p)
	if err != nil {
		return err
	}
	return g.Site.Render(w, r, http.StatusOK, p, patternsScreen(p, v))
}

func (g *Pages) readPatterns(r *http.Request, p *web.Page) (v patternsView, err error) {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return v, err
	}
	if v.words, err = frame.Speech(p); err != nil {
		return v, err
	}
	all, whole, err := g.Store.History(r.Context(), actor)
	v.Patterns, v.whole = pattern.Of(all, p.Now, p.Org.Zone), whole
	return v, err
}

// patternFile is one table as a file: the rows that the page shows.
func (g *Pages) patternFile(w http.ResponseWriter, r *http.Request) error {
	if _, err := g.WhoCarries(r); err != nil {
		return err
	}
	p := g.Page(r)
	v, err := g.readPatterns(r, p)
	if err != nil {
		return err
	}
	name := cmp.Or(r.URL.Query().Get("table"), patternTables[0])
	if !slices.Contains(patternTables, name) {
		return fault.New(fault.NotFound, "there is no table %.40q", name).WithNext("use one of: %s", strings.Join(patternTables, ", ")).
			Because("no_table", "value", name, "tables", strings.Join(patternTables, ", "))
	}
	rows := [][]string{{strings.TrimSuffix(name, "s"), "episodes", "conclusive", "inconclusive", "no_attribution"}}
	if name == "seasons" {
		rows[0] = append(rows[0], "satellites", "other_satellites_than_before")
	}
	for _, one := range v.rows(p, name) {
		cells := []string{one.name, strconv.Itoa(one.Episodes), strconv.Itoa(one.Conclusive), strconv.Itoa(one.Inconclusive),
			strconv.Itoa(one.Unattributed)}
		rows = append(rows, append(cells, one.more...))
	}
	web.SendCSV(w, "gavel-airshed-patterns-"+name+".csv", rows)
	return nil
}

// A patternRow is one line of a table as people read it.
type patternRow struct {
	pattern.Tally
	name  string
	more  []string
	other bool // other satellites than the season before it
}

// rows are the lines of a table.
func (v patternsView) rows(p *web.Page, name string) (out []patternRow) {
	if name == "seasons" {
		for _, s := range v.Seasons {
			out = append(out, patternRow{Tally: s.Tally, name: seasonWords(p, s), more: []string{satelliteWords(p, s),
				strconv.FormatBool(s.Other)}, other: s.Other})
		}
		return out
	}
	lines := map[string][]pattern.Line{"stations": v.Stations, "hours": v.Hours, "months": v.Months, "states": v.States,
		"districts": v.Districts}[name]
	for _, l := range lines {
		out = append(out, patternRow{Tally: l.Tally, name: v.called(p, name, l)})
	}
	return out
}

// called is what a line is about.
func (v patternsView) called(p *web.Page, table string, l pattern.Line) string {
	n, _ := strconv.Atoi(l.Key) // of hours and months only
	switch table {
	case "stations":
		return v.words.Station(l.Name)
	case "hours":
		return fmt.Sprintf("%02d:00–%02d:00", n, (n+1)%24)
	case "months":
		return p.T(fmt.Sprintf("month.%02d", n))
	case "states":
		return v.words.State(l.Key)
	}
	return l.Key
}

func seasonWords(p *web.Page, s pattern.Season) string {
	return p.T("air.season."+string(s.Kind), "year", strconv.Itoa(s.Year))
}

// satelliteWords are the satellites of a season.
func satelliteWords(p *web.Page, s pattern.Season) string {
	if len(s.Satellites) == 0 {
		return p.T("air.satellites_unnoted")
	}
	words := satelliteNames(s.Satellites)
	if s.Unnoted > 0 {
		words += "; " + p.T("air.satellites_some", "n", strconv.Itoa(s.Unnoted))
	}
	return words
}

func satelliteNames(all []fire.Satellite) string {
	var names []string
	for _, s := range all {
		names = append(names, string(s))
	}
	return strings.Join(names, ", ")
}

// most is the largest number of episodes in a line.
func most(rows []patternRow) int {
	n := 0
	for _, r := range rows {
		n = max(n, r.Episodes)
	}
	return n
}

// mixed reports whether seasons were watched by different satellites.
func (v patternsView) mixed() bool {
	return slices.ContainsFunc(v.Seasons, func(s pattern.Season) bool { return s.Other })
}
