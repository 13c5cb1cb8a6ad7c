package summary

import (
	"cmp"
	"fmt"
	"math/big"
	"slices"

	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/fact"
)

// SumName is what a line is called that is computed and stands in no table.
const SumName = "total"

// milestones are the years people ask about first.
var milestones = []int{2030, 2035, 2040, 2050}

// trends sums up a chart over years.
func (w *work) trends() {
	w.totals, w.parts = map[string]*line{}, map[string][]*line{}
	for _, name := range w.t.Scenarios {
		s := &Scenario{}
		w.body.ByScenario[name] = s
		w.lines(name)
		if total := w.totals[name]; total != nil {
			t := w.trend(total, w.targets())
			s.Total = &t
		}
		var changes []bar
		for _, l := range w.parts[name] {
			t := w.trend(l, nil)
			s.Series = append(s.Series, t)
			if t.Change != nil {
				f, _ := w.book.Latest(t.Change.Fact)
				changes = append(changes, bar{l.name, f})
			}
		}
		w.composition(name, s)
		w.biggest(s, changes)
	}
	w.across(w.t.Years)
	w.gaps()
}

// lines finds the series of a scenario and what speaks for all of them: the one that the spec calls the total, the only one,
// or their sum where they may be added.
func (w *work) lines(name string) {
	totalName := ""
	if w.chart.Spec != nil {
		totalName = w.chart.Spec.Total
	}
	var all []*line
	for i, s := range w.t.Series {
		if s.Scenario != name {
			continue
		}
		l := &line{name: s.Label(), at: w.cells[i], share: s.Unit.Share()}
		if totalName != "" && slices.Contains(s.Labels, totalName) {
			w.totals[name] = l
			continue
		}
		all = append(all, l)
	}
	w.parts[name] = all
	switch {
	case w.totals[name] != nil:
	case len(all) == 1:
		w.totals[name], w.parts[name] = all[0], nil
	case !w.t.Summable():
		w.note("nothing is added up: the values are shares, or in several units")
	default:
		w.totals[name] = w.sum(all)
	}
}

// sum adds lines year by year. What has no value is left out and listed.
func (w *work) sum(all []*line) *line {
	total := &line{name: SumName, at: map[int]fact.Fact{}, skipped: map[int][]string{}}
	for _, y := range w.t.Years {
		var there []fact.Fact
		for _, l := range all {
			if f, ok := l.at[y]; ok {
				there = append(there, f)
			} else {
				total.skipped[y] = append(total.skipped[y], l.name)
			}
		}
		if len(there) > 0 {
			total.at[y] = w.derive(fact.Sum, there...)
		}
	}
	return total
}

// comparable reports whether a line has values for both years, over the same things.
func (l *line) comparable(a, b int) bool {
	_, hasA := l.at[a]
	_, hasB := l.at[b]
	return hasA && hasB && slices.Equal(l.skipped[a], l.skipped[b])
}

// trend sums up one line.
func (w *work) trend(l *line, targets []point) Trend {
	t := Trend{Name: l.name}
	first, last := w.t.Years[0], w.t.Years[len(w.t.Years)-1]
	if f, ok := l.at[first]; ok {
		t.Start = ptrDated(first, f)
	}
	if f, ok := l.at[last]; ok {
		t.End = ptrDated(last, f)
	}
	if last > first && l.comparable(first, last) {
		w.change(&t, l, first, last)
	} else if last > first {
		w.note(fmt.Sprintf("%s: %d and %d are not compared, a value is missing", l.name, first, last))
	}
	var there []fact.Fact
	var years []int
	for _, y := range w.t.Years {
		f, ok := l.at[y]
		if !ok {
			continue
		}
		there, years = append(there, f), append(years, y)
		if slices.Contains(milestones, y) {
			t.Milestones = append(t.Milestones, dated(y, f))
		}
		if names := l.skipped[y]; len(names) > 0 {
			t.Skipped = append(t.Skipped, Skip{y, names})
		}
	}
	if len(there) > 1 {
		t.Min, t.Max = w.reach(fact.Min, there, years), w.reach(fact.Max, there, years)
	}
	t.Crossings = w.crossings(l, years, targets)
	return t
}

func ptrDated(y int, f fact.Fact) *Dated { d := dated(y, f); return &d }

// reach is the least or greatest value and the first year that has it.
func (w *work) reach(op fact.Op, there []fact.Fact, years []int) *Dated {
	f := w.derive(op, there...)
	for i, x := range there {
		if value(x).Cmp(value(f)) == 0 {
			return ptrDated(years[i], f)
		}
	}
	return nil
}

// change is how far it is from the first year to the last: in its unit, and where that says something, in per cent and by
// year. Of shares only the difference in points says something.
func (w *work) change(t *Trend, l *line, first, last int) {
	start, end := l.at[first], l.at[last]
	diff := w.derive(fact.Difference, end, start)
	t.Change = ptr(number(diff))
	if l.share {
		return
	}
	if tiny := table.Tolerance(w.decimals, 0); new(big.Rat).Abs(value(start)).Cmp(tiny) >= 0 {
		t.Pct = ptr(number(w.derive(fact.Percentage, diff, start)))
	}
	if value(start).Sign() > 0 && value(end).Sign() > 0 {
		t.CAGR = ptr(number(w.derive(fact.Growth, end, start)))
	}
}

// A point is a target with its value.
type point struct {
	name  string
	value *big.Rat
}

// crossings finds the first year on the other side of zero, and of each target.
func (w *work) crossings(l *line, years []int, targets []point) []Crossing {
	var out []Crossing
	for _, p := range append([]point{{"zero", new(big.Rat)}}, targets...) {
		for i := 1; i < len(years); i++ {
			before, at := l.at[years[i-1]], l.at[years[i]]
			from, to := value(before).Cmp(p.value), value(at).Cmp(p.value)
			if from != 0 && to != from && l.comparable(years[i-1], years[i]) {
				out = append(out, Crossing{Of: p.name, Before: dated(years[i-1], before), At: dated(years[i], at)})
				break
			}
		}
	}
	return out
}

// composition is what part each series is of all, at the start and at the end, and whose place changed between.
func (w *work) composition(name string, s *Scenario) {
	first, last := w.t.Years[0], w.t.Years[len(w.t.Years)-1]
	at := func(year int) (out []bar) {
		for _, l := range w.parts[name] {
			if f, ok := l.at[year]; ok {
				out = append(out, bar{l.name, f})
			}
		}
		return out
	}
	start, end := at(first), at(last)
	if w.t.Summable() {
		s.AtStart, s.AtEnd = w.shares(start), w.shares(end)
	}
	if last == first || len(start) < 2 || len(end) < 2 || w.many {
		return
	}
	s.RanksStart, s.RanksEnd = w.ranks(start), w.ranks(end)
	for _, from := range s.RanksStart {
		k := slices.IndexFunc(s.RanksEnd, func(to Named) bool { return to.Name == from.Name })
		if k >= 0 && s.RanksEnd[k].Value != from.Value {
			s.RankChanges = append(s.RankChanges, RankChange{from.Name, from.Number, s.RanksEnd[k].Number})
		}
	}
}

// ranks are the places of all, 1 for the greatest.
func (w *work) ranks(bars []bar) []Named {
	var out []Named
	for i, b := range bars {
		out = append(out, named(b.name, w.first(fact.Rank, i, facts(bars))))
	}
	return out
}

// shares are parts of a whole, where all have one sign and are not all zero.
func (w *work) shares(bars []bar) []Named {
	sign := 0
	for _, b := range bars {
		n := value(b.fact).Sign()
		if n*sign < 0 {
			return nil
		}
		sign = cmp.Or(n, sign)
	}
	if sign == 0 || len(bars) < 2 {
		return nil
	}
	var out []Named
	for i, b := range bars {
		out = append(out, named(b.name, w.first(fact.Share, i, facts(bars))))
	}
	return out
}

// biggest is who moved farthest, either way; of equals the first in the alphabet. Its place is among all changes: from the
// top if it rose, from the bottom if it fell.
func (w *work) biggest(s *Scenario, changes []bar) {
	if len(changes) < 2 || w.many || w.err != nil {
		return
	}
	slices.SortStableFunc(changes, func(a, b bar) int {
		x, y := new(big.Rat).Abs(value(a.fact)), new(big.Rat).Abs(value(b.fact))
		return cmp.Or(y.Cmp(x), cmp.Compare(a.name, b.name))
	})
	b := named(changes[0].name, changes[0].fact)
	s.Biggest = &b
	op := fact.Rank
	if value(changes[0].fact).Sign() < 0 {
		op = fact.RankLow
	}
	s.BiggestRank = ptr(number(w.first(op, 0, facts(changes))))
}
