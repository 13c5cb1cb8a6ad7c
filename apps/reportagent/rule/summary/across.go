package summary

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
)

// Across is how scenarios compare.
type Across struct {
	Years      []Compared `json:"by_year,omitempty"` // of the whole chart
	Pairs      []Pair     `json:"pairs,omitempty"`   // differences at the end: the first less the second
	Spreads    []Named    `json:"spreads,omitempty"` // of each series at the end: how far the scenarios are apart
	Widest     *Named     `json:"widest,omitempty"`  // of which they are farthest apart
	WidestRank *Number    `json:"widest_rank,omitempty"`
}

// Compared is the scenarios in one year. Year 0 is a chart without years.
type Compared struct {
	Year   int     `json:"year,omitempty"`
	Max    Named   `json:"max"`
	Min    Named   `json:"min"`
	Spread Number  `json:"spread"`
	Order  []Named `json:"order"` // places, 1 for the greatest
}

// A Pair is the difference between two scenarios.
type Pair struct {
	Of   string `json:"of"`
	Less string `json:"less"`
	Number
}

// across compares scenarios: the whole chart in every year, each series in the last.
func (w *work) across(years []int) {
	if len(w.t.Scenarios) < 2 || w.err != nil {
		return
	}
	a := &Across{}
	last := years[len(years)-1]
	for _, y := range years {
		if bars := w.totalsAt(y); len(bars) > 1 {
			a.Years = append(a.Years, w.compare(y, bars))
		}
	}
	bars := w.totalsAt(last)
	for i := range bars {
		for k := i + 1; k < len(bars); k++ {
			a.Pairs = append(a.Pairs, Pair{bars[i].name, bars[k].name, number(w.derive(fact.Difference, bars[i].fact, bars[k].fact))})
		}
	}
	w.widest(a, last)
	if len(a.Years)+len(a.Spreads) > 0 {
		w.body.Across = a
	}
}

// totalsAt is what speaks for each scenario in a year. Totals that leave out different things are not compared.
func (w *work) totalsAt(year int) []bar {
	var out []bar
	var skipped []string
	for _, name := range w.t.Scenarios {
		l := w.totals[name]
		if l == nil {
			continue
		}
		f, ok := l.at[year]
		if !ok {
			continue
		}
		if len(out) > 0 && !slices.Equal(skipped, l.skipped[year]) {
			w.note("scenarios are not compared in every year: their totals leave out different values")
			return nil
		}
		skipped = l.skipped[year]
		out = append(out, bar{name, f})
	}
	if !oneUnit(out) {
		return nil
	}
	return out
}

// oneUnit reports whether values can be compared at all.
func oneUnit(bars []bar) bool {
	return !slices.ContainsFunc(bars, func(b bar) bool { return !fact.SameUnit(b.fact.Unit, bars[0].fact.Unit) })
}

func (w *work) compare(year int, bars []bar) Compared {
	least, most := extremes(facts(bars))
	c := Compared{Year: year, Max: named(bars[most].name, w.derive(fact.Max, facts(bars)...)),
		Min: named(bars[least].name, w.derive(fact.Min, facts(bars)...)), Spread: number(w.spread(bars))}
	c.Order = w.ranks(bars)
	return c
}

// spread is the greatest less the least.
func (w *work) spread(bars []bar) fact.Fact {
	least, most := extremes(facts(bars))
	return w.derive(fact.Difference, bars[most].fact, bars[least].fact)
}

// widest finds the series of which scenarios are farthest apart; of equals the first in the alphabet.
func (w *work) widest(a *Across, year int) {
	if w.many {
		return
	}
	by := map[string][]bar{}
	for _, name := range w.t.Scenarios {
		for _, l := range w.parts[name] {
			if f, ok := l.at[year]; ok {
				by[l.name] = append(by[l.name], bar{name, f})
			}
		}
	}
	var spreads []bar
	for _, name := range slices.Sorted(maps.Keys(by)) {
		if len(by[name]) > 1 {
			spreads = append(spreads, bar{name, w.spread(by[name])})
		}
	}
	for _, s := range spreads {
		a.Spreads = append(a.Spreads, named(s.name, s.fact))
	}
	if len(spreads) < 2 || w.err != nil {
		return
	}
	_, most := extremes(facts(spreads))
	top := named(spreads[most].name, spreads[most].fact)
	a.Widest = &top
	a.WidestRank = ptr(number(w.first(fact.Rank, most, facts(spreads))))
}

// A drawn target is one that a spec names, with its year.
type drawn struct {
	key, name, year, number string
}

// drawnTargets lists the points of the spec, in order of name and year.
func (w *work) drawnTargets() []drawn {
	if w.chart.Spec == nil || w.unit() == "" {
		return nil
	}
	var out []drawn
	for key, years := range w.chart.Spec.ExtraPoints {
		for y, n := range years {
			_, err := fact.ParseNumber(string(n))
			_, bad := strconv.Atoi(y)
			if name := strings.TrimSpace(key); err == nil && bad == nil && name != "" {
				out = append(out, drawn{key, name, y, string(n)})
			}
		}
	}
	slices.SortFunc(out, func(a, b drawn) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.year, b.year)) })
	return out
}

// targets are the points whose crossing is asked for.
func (w *work) targets() []point {
	var out []point
	for _, d := range w.drawnTargets() {
		n, _ := fact.ParseNumber(d.number) // it was read before
		out = append(out, point{d.name, n})
	}
	return out
}

// gaps says how far the total of each scenario is from each target, in the target's year.
func (w *work) gaps() {
	for _, d := range w.drawnTargets() {
		if w.err != nil {
			return
		}
		year, _ := strconv.Atoi(d.year) // it was read before
		f := w.target(w.chart.Spec, d.key, d.year, d.number)
		t := Target{Name: d.name, At: dated(year, f)}
		for _, name := range w.t.Scenarios {
			if l := w.totals[name]; l != nil && w.err == nil {
				if total, ok := l.at[year]; ok && len(l.skipped[year]) == 0 {
					t.Gaps = append(t.Gaps, named(name, w.derive(fact.Difference, total, f)))
				}
			}
		}
		w.body.Targets = append(w.body.Targets, t)
	}
}
