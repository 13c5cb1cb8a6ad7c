package summary

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"

	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/fact"
)

// baselineForm is how a row is called that states a level among changes. What it says it measures is not asked: real
// tables call it relative like the rest. Nor is every name with Net in it one: "Net Imports" is a sector.
var baselineForm = regexp.MustCompile(`^(?:Net|Baseline|Total)\s+(\d{4})$`)

// baselineYear is the year of a row that states a level.
func baselineYear(s table.Series) (string, bool) {
	if len(s.Cells) != 1 || s.Cells[0].Year != 0 {
		return "", false
	}
	for _, l := range s.Labels {
		if m := baselineForm.FindStringSubmatch(l); m != nil {
			return m[1], true
		}
	}
	return "", false
}

// baseYear is what changes are measured from: the spec's, or the first that a row states.
func (w *work) baseYear() string {
	first := ""
	for _, s := range w.t.Series {
		if y, ok := baselineYear(s); ok && (first == "" || y < first) {
			first = y
		}
	}
	if first == "" && w.chart.Spec != nil && w.chart.Spec.BaseYear > 0 {
		return yearText(w.chart.Spec.BaseYear)
	}
	return first
}

// A bar is one change of a waterfall.
type bar struct {
	name string
	fact fact.Fact
}

// waterfalls sums up a chart of changes.
func (w *work) waterfalls() {
	w.totals, w.parts = map[string]*line{}, map[string][]*line{}
	relative := len(w.t.Series) > 0
	for _, s := range w.t.Series {
		relative = relative && s.Measure == "relative"
	}
	if relative && w.base != "" {
		w.body.MeasureType = "relative (change from " + w.base + ")"
	}
	for _, name := range w.t.Scenarios {
		s := &Scenario{}
		w.body.ByScenario[name] = s
		w.waterfall(name, s)
	}
	w.commonBaseline()
	w.across([]int{0})
}

// waterfall sums up one scenario.
func (w *work) waterfall(name string, s *Scenario) {
	base, end, bars := w.split(name)
	for _, b := range bars {
		w.parts[name] = append(w.parts[name], &line{name: b.name, at: map[int]fact.Fact{0: b.fact}})
	}
	if end != nil {
		s.StatedEnd = &Named{Name: end.name, Number: number(end.fact)}
	}
	if base != nil {
		s.Baseline = &Named{Name: base.name, Number: number(base.fact)}
	}
	w.tops(s, bars)
	if len(bars) == 0 || !w.t.Summable() {
		if len(bars) > 0 {
			w.note("nothing is added up: the values are shares, or in several units")
		}
		return
	}
	total := w.derive(fact.Sum, facts(bars)...)
	s.TotalReduction = ptr(number(total))
	if base == nil || w.err != nil {
		return
	}
	net := w.derive(fact.Sum, base.fact, total)
	s.NetEnd = ptr(number(net))
	if value(base.fact).Sign() != 0 {
		s.Pct = ptr(number(w.derive(fact.Percentage, total, base.fact)))
	}
	w.totals[name] = &line{name: SumName, at: map[int]fact.Fact{0: net}}
}

func facts(bars []bar) []fact.Fact {
	out := make([]fact.Fact, len(bars))
	for i, b := range bars {
		out[i] = b.fact
	}
	return out
}

// split parts the rows of a scenario: the first level that is stated is the baseline, a later one the end, the rest changes.
func (w *work) split(name string) (base, end *bar, bars []bar) {
	for i, s := range w.t.Series {
		if s.Scenario != name {
			continue
		}
		f, ok := w.cells[i][0]
		year, level := baselineYear(s)
		switch {
		case !ok:
			w.note(fmt.Sprintf("%s of %s has no value: it is left out of every sum", s.Label(), name))
		case level && year == w.base:
			base = &bar{s.Label(), f}
		case level:
			end = &bar{s.Label(), f}
		default:
			bars = append(bars, bar{s.Label(), f})
		}
	}
	return base, end, bars
}

// topMost is how many of the largest reductions are listed.
const topMost = 3

// tops lists the deepest reductions with their places, every increase, and what part of all reductions each is.
func (w *work) tops(s *Scenario, bars []bar) {
	sorted := slices.Clone(bars)
	slices.SortStableFunc(sorted, func(a, b bar) int {
		return cmp.Or(value(a.fact).Cmp(value(b.fact)), cmp.Compare(a.name, b.name))
	})
	var falls []bar
	for _, b := range sorted {
		switch value(b.fact).Sign() {
		case -1:
			falls = append(falls, b)
		case 1:
			s.Notable = append(s.Notable, named(b.name, b.fact))
		}
	}
	one := w.t.Summable()
	for i, b := range falls {
		if i < topMost {
			s.TopReductions = append(s.TopReductions, named(b.name, b.fact))
		}
		if i < topMost && one && len(sorted) > 1 {
			s.TopRanks = append(s.TopRanks, named(b.name, w.first(fact.RankLow, i, facts(sorted))))
		}
		if one && len(falls) > 1 {
			s.Shares = append(s.Shares, named(b.name, w.first(fact.Share, i, facts(falls))))
		}
	}
}

// commonBaseline is the baseline of all scenarios, if they have the same to half a unit of the second decimal.
func (w *work) commonBaseline() {
	var all []*Named
	for _, name := range w.t.Scenarios {
		if b := w.body.ByScenario[name].Baseline; b != nil {
			all = append(all, b)
		}
	}
	if len(all) == 0 || len(all) < len(w.t.Scenarios) {
		return
	}
	first, _ := w.book.Latest(all[0].Fact)
	for _, b := range all {
		f, _ := w.book.Latest(b.Fact)
		if !table.Agree(value(first), value(f), 2, 0) {
			return
		}
	}
	w.body.Baseline = all[0]
}
