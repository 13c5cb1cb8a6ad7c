package draft

import (
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
)

// The rules of this package, besides the summary's K1 to K8. Like those they have no adjective.
const (
	wholeLine   = "L1" // how the whole moves in a scenario
	seriesLine  = "L2" // how the series moves that moves most, where there is no whole
	topLine     = "L3" // the largest reductions of a scenario, in a chart of changes
	commonStart = "K1"
	crossesZero = "K5"
)

// sentences are what a chart's facts carry: where all scenarios start, how the whole moves in each, what sets them apart,
// and the rest by its weight. What is said of nearly everything comes last.
func (ch *Chart) sentences() []Sentence {
	var out []Sentence
	add := func(s Sentence) {
		if s.Text != "" && !slices.ContainsFunc(out, func(o Sentence) bool { return o.Text == s.Text }) {
			out = append(out, s)
		}
	}
	insights := ch.Summary.Body.Insights
	for _, i := range insights {
		if i.Rule == commonStart {
			add(Sentence{i.Rule, i.Template, i.Facts})
		}
	}
	for _, name := range ch.Summary.Body.Scenarios {
		add(ch.whole(name, ch.Summary.Body.ByScenario[name]))
	}
	for _, rule := range []string{"K3", "K4", "K6", "K2", "K5", "K8", topLine, "K7"} {
		for _, i := range insights {
			if i.Rule == rule && (rule != crossesZero || len(ch.Table.Years) > 0) { // of a chart of changes L1 has said it
				add(Sentence{i.Rule, i.Template, i.Facts})
			}
		}
		for _, name := range ch.Summary.Body.Scenarios {
			if rule == topLine {
				add(ch.tops(name, ch.Summary.Body.ByScenario[name]))
			}
		}
	}
	return out
}

// whole is how everything together moves in a scenario.
func (ch *Chart) whole(name string, s *summary.Scenario) Sentence {
	switch {
	case s.TotalReduction != nil && s.Baseline != nil && s.NetEnd != nil:
		return ch.moves(wholeLine, name, "the total", s.TotalReduction, " from "+token(&s.Baseline.Number)+" to "+token(s.NetEnd),
			s.Baseline.Fact, s.NetEnd.Fact)
	case s.Total != nil && s.Total.Change != nil:
		return ch.trend(wholeLine, name, *s.Total)
	}
	i := ch.widest(s.Series)
	if i < 0 {
		return Sentence{}
	}
	return ch.trend(seriesLine, name, s.Series[i])
}

// trend is how one thing moves from the first year to the last.
func (ch *Chart) trend(rule, scenario string, t summary.Trend) Sentence {
	what := t.Name
	if what == summary.SumName {
		what = "the total"
	}
	return ch.moves(rule, scenario, what, t.Change, " between "+strconv.Itoa(t.Start.Year)+" and "+strconv.Itoa(t.End.Year)+", to "+
		token(&t.End.Number), t.Start.Fact, t.End.Fact)
}

// moves says that something rises or falls by a change, or stays.
func (ch *Chart) moves(rule, scenario, what string, change *summary.Number, rest string, facts ...fact.ID) Sentence {
	var verb string
	switch ch.value(change.Fact).Sign() {
	case 1:
		verb = " rises by "
	case -1:
		verb = " falls by "
	default:
		return Sentence{} // what stays is no news
	}
	return Sentence{rule, in(scenario) + what + verb + absolute(change) + rest + ".", append([]fact.ID{change.Fact}, facts...)}
}

// tops are the largest reductions of a scenario.
func (ch *Chart) tops(name string, s *summary.Scenario) Sentence {
	if len(s.TopReductions) < 2 {
		return Sentence{}
	}
	var parts []string
	var facts []fact.ID
	for _, n := range s.TopReductions {
		parts = append(parts, n.Name+" falls by "+absolute(&n.Number))
		facts = append(facts, n.Fact)
	}
	last := len(parts) - 1
	return Sentence{topLine, in(name) + strings.Join(parts[:last], ", ") + ", and " + parts[last] + ".", facts}
}

// widest is the series that changes most, -1 where none changes.
func (ch *Chart) widest(all []summary.Trend) int {
	best, most := -1, new(big.Rat)
	for i, t := range all {
		if t.Change == nil || t.Start == nil || t.End == nil {
			continue
		}
		if size := new(big.Rat).Abs(ch.value(t.Change.Fact)); best < 0 || size.Cmp(most) > 0 {
			best, most = i, size
		}
	}
	return best
}

func (ch *Chart) value(id fact.ID) *big.Rat {
	f, _ := ch.Book.Latest(id)
	n, err := f.Number()
	if err != nil {
		return new(big.Rat) // a book holds only facts whose value can be read
	}
	return n
}

// in begins a sentence about a scenario.
func in(scenario string) string { return "In " + scenario + ", " }

func token(n *summary.Number) string { return "{{" + string(n.Fact) + "}}" }

func absolute(n *summary.Number) string { return "{{" + string(n.Fact) + "|abs}}" }
