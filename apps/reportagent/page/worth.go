package page

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/rule/evaluation"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/platform/chart"
	"github.com/gavelhq/gavel/platform/web"
)

// A worthView is what people thought of the draftings of a report, and how two of them compare.
type worthView struct {
	casework.View
	casework.Worth

	now, with int // places of the records that are compared; with is -1 where there is nothing to compare
	compared  evaluation.Comparison
}

func (g *Pages) worth(w http.ResponseWriter, r *http.Request) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	v := worthView{}
	if v.View, err = g.overview(r, actor); err != nil {
		return err
	}
	if v.Worth, err = g.desk.Worth(r.Context(), actor, v.ID); err != nil {
		return err
	}
	v.choose(r)
	p := g.page(r)
	p.Title = p.T("rp.worth_of", "title", v.Title)
	return g.site.Render(w, r, http.StatusOK, p, worthScreen(p, v))
}

// choose reads which draftings an address compares: the newest with the one before it unless it says otherwise.
func (v *worthView) choose(r *http.Request) {
	find := func(name string, usual int) int {
		id := r.URL.Query().Get(name)
		if at := slices.IndexFunc(v.Records, func(one evaluation.Record) bool { return one.RunID == id }); at >= 0 {
			return at
		}
		return usual
	}
	v.now = find("run", len(v.Records)-1)
	v.with = find("with", v.now-1)
	if v.now >= 0 && v.with >= 0 && v.now != v.with {
		v.compared = evaluation.Compare(v.Records[v.now], v.Records[v.with])
	} else {
		v.with = -1
	}
}

// dimensions are what is scored, and all of it together.
func dimensions() []string { return append(outline.Dimensions(), evaluation.Overall) }

// trend draws the means of the draftings, one after the other. Drawn values are floats; nothing is computed from them.
func trend(p *web.Page, all []evaluation.Record) string {
	var places []int
	for i := range all {
		places = append(places, i+1)
	}
	var lines []chart.YearLine
	for _, dim := range []string{evaluation.Overall, "accuracy", "completeness"} {
		l := chart.YearLine{Name: p.T("rp.dim." + dim)}
		for _, one := range all {
			l.Values = append(l.Values, mean(one.Aggregate[dim]))
		}
		lines = append(lines, l)
	}
	both := ""
	for _, look := range []chart.Look{{ID: "trend", Width: chart.Wide, Class: "wide-only"},
		{ID: "trend-n", Width: chart.Phone, Class: "phone-only"}} {
		both += string(chart.Years(look, p.T("rp.trend_title", "n", strconv.Itoa(len(all))), "", p.T("rp.trend_unit"), places, lines))
	}
	return both
}

func mean(n json.Number) float64 {
	v, err := n.Float64()
	if err != nil {
		return math.NaN()
	}
	return v
}

// difference is a difference with its sign and a true minus; a dash where there is none.
func difference(n json.Number) string {
	switch text := n.String(); {
	case text == "":
		return "–"
	case strings.HasPrefix(text, "-"):
		return "−" + text[1:]
	case text == "0":
		return text
	default:
		return "+" + text
	}
}

// score is a mean; a dash where nothing was scored.
func score(n json.Number) string {
	if n == "" {
		return "–"
	}
	return n.String()
}

// faithful adds up the numbers of a drafting, and those of them that are facts.
func faithful(r evaluation.Record) (cited, numbers, dropped int) {
	for _, s := range r.Sections {
		if s.Faithful != nil {
			cited, numbers, dropped = cited+s.Faithful.Cited, numbers+s.Faithful.Numbers, dropped+s.Faithful.Blocked
		}
	}
	return cited, numbers, dropped
}
