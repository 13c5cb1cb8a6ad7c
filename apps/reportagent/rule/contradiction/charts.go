package contradiction

import (
	"math/big"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/fact"
)

// Two charts speak of one quantity where they agree in three of four cells, of four at least. The cells where they do not contradict each
// other. Charts that agree less are about different things.
const (
	leastCells = 4
	agreeOf    = 4
	agreeAll   = 3
)

// A line is what a chart says of one thing in one scenario, over years: one of its series, or all of them together.
type line struct {
	chart    *catalogue.Chart
	whole    bool // the sum of all series
	scenario string
	label    string
	unit     string
	terms    int // cells that each value is made of
	values   map[int]*big.Rat
}

// between compares the charts of each category.
func between(cat *catalogue.Catalogue) (out []Item) {
	alike := map[string][]line{}
	var names []string
	for i := range cat.Charts {
		for _, l := range lines(&cat.Charts[i]) {
			key := l.chart.Category + "\x00" + l.scenario + "\x00" + l.unit + "\x00" + l.label
			if alike[key] == nil {
				names = append(names, key)
			}
			alike[key] = append(alike[key], l)
		}
	}
	pairs := map[[2]string][]pair{}
	var order [][2]string
	for _, key := range names {
		for i, a := range alike[key] {
			for _, b := range alike[key][i+1:] {
				if a.chart.Key == b.chart.Key || a.whole && b.whole && len(a.chart.Table.Series) == len(b.chart.Table.Series) &&
					sameLabels(a.chart, b.chart) {
					continue
				}
				of := [2]string{a.chart.Key, b.chart.Key}
				if pairs[of] == nil {
					order = append(order, of)
				}
				pairs[of] = append(pairs[of], pair{a, b})
			}
		}
	}
	for _, of := range order {
		out = append(out, disagree(pairs[of])...)
	}
	return out
}

// sameLabels reports whether two charts have the same series: then those are compared one by one, and not their sum.
func sameLabels(a, b *catalogue.Chart) bool {
	return slices.EqualFunc(a.Table.Series, b.Table.Series, func(x, y table.Series) bool { return x.Label() == y.Label() })
}

// A pair is two lines that may be about one thing.
type pair struct{ left, right line }

// disagree lists the cells in which two charts that agree nearly everywhere do not.
func disagree(all []pair) (out []Item) {
	cells, agreed := 0, 0
	for _, p := range all {
		for _, year := range years(p.left) {
			x, y := p.left.values[year], p.right.values[year]
			if y == nil {
				continue
			}
			cells++
			decimals := min(p.left.chart.Decimals(), p.right.chart.Decimals())
			if table.Agree(x, y, decimals, max(p.left.terms, p.right.terms)) {
				agreed++
				continue
			}
			out = append(out, Item{Charts, p.about(year), p.left.side(x), p.right.side(y)})
		}
	}
	if cells < leastCells || agreed*agreeOf < cells*agreeAll {
		return nil
	}
	return out
}

func years(l line) (out []int) {
	for y := range l.values {
		out = append(out, y)
	}
	slices.Sort(out)
	return out
}

func (p pair) about(year int) string {
	what := p.left.scenario + ", " + strconv.Itoa(year)
	if p.left.label != "" {
		what += ", " + p.left.label
	}
	return what
}

func (l line) side(v *big.Rat) Side {
	return Side{l.chart.Key, fact.RoundAt(v, l.chart.Decimals()).FloatString(l.chart.Decimals()) + " " + l.unit}
}

// lines are the series of a chart over years, and their sum where they have one unit that can be added.
func lines(ch *catalogue.Chart) (out []line) {
	if !ch.Citable() || len(ch.Table.Years) == 0 {
		return nil
	}
	of := map[string][]table.Series{}
	for _, s := range ch.Table.Series {
		of[s.Scenario] = append(of[s.Scenario], s)
	}
	for _, scenario := range ch.Table.Scenarios {
		all := of[scenario]
		for _, s := range all {
			if l := single(ch, s); len(all) > 1 {
				out = append(out, l)
			}
		}
		if sum, ok := whole(ch, all); ok {
			out = append(out, sum)
		}
	}
	return out
}

func single(ch *catalogue.Chart, s table.Series) line {
	l := line{chart: ch, scenario: s.Scenario, label: s.Label(), unit: s.Unit.String(), terms: 1, values: map[int]*big.Rat{}}
	for _, c := range s.Cells {
		if n, err := fact.ParseNumber(c.Text); err == nil && !c.Empty() {
			l.values[c.Year] = n
		}
	}
	return l
}

// whole is the sum of series; ok is false where it means nothing: several units, parts of a hundred, or a cell without a value.
func whole(ch *catalogue.Chart, all []table.Series) (line, bool) {
	if len(all) == 0 || len(ch.Units) != 1 || all[0].Unit.Share() || all[0].Unit.Mixed() {
		return line{}, false
	}
	sum := line{chart: ch, whole: true, scenario: all[0].Scenario, unit: all[0].Unit.String(), terms: len(all), values: map[int]*big.Rat{}}
	for _, y := range ch.Table.Years {
		total := new(big.Rat)
		for _, s := range all {
			n, err := fact.ParseNumber(s.At(y).Text)
			if err != nil {
				return line{}, false
			}
			total.Add(total, n)
		}
		sum.values[y] = total
	}
	return sum, true
}
