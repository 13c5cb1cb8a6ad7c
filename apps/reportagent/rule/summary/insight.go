package summary

import (
	"cmp"
	"math/big"
	"slices"

	"github.com/gavelhq/gavel/platform/fact"
)

// An Insight is a sentence that a chart's numbers carry, with tokens in place of digits.
type Insight struct {
	Rule     string    `json:"rule_id"`
	Template string    `json:"text_template"`
	Facts    []fact.ID `json:"fact_ids"` // those it cites, then those it rests on

	effect *big.Rat
}

// MaxInsights is how many a chart may have.
const MaxInsights = 8

// The rules. Each is told only where it holds without a doubt; none has an adjective that a threshold does not carry.
const (
	commonStart   = "K1" // all scenarios start from the same value
	sameReducer   = "K2" // one series falls most in every scenario
	deepest       = "K3" // one scenario falls most
	increase      = "K4" // a series that rises in a chart of reductions
	crossesZero   = "K5" // a total that goes through zero
	endSpread     = "K6" // how far scenarios end apart
	nearlyAll     = "K7" // more than 90 per cent of something goes, or comes
	targetMissing = "K8" // how far a total is from a target
)

// say adds an insight. Its weight is the size of one fact, in the unit of the chart.
func (w *work) say(rule string, weight fact.Fact, template string, facts ...fact.Fact) {
	if w.err != nil {
		return
	}
	i := Insight{Rule: rule, Template: template, effect: new(big.Rat).Abs(value(weight))}
	for _, f := range facts {
		i.Facts = append(i.Facts, f.ID)
	}
	w.found = append(w.found, i)
}

func token(f fact.Fact) string { return "{{" + string(f.ID) + "}}" }

func plain(f fact.Fact) string { return "{{" + string(f.ID) + "|abs}}" }

// insights applies the rules and keeps the weightiest.
func (w *work) insights() {
	if len(w.t.Scenarios) > 1 {
		w.sayCommonStart()
		w.saySameReducer()
		w.sayDeepest()
		w.sayEndSpread()
	}
	for _, name := range w.t.Scenarios {
		w.sayIncreases(name)
		w.sayCrossing(name)
		w.sayNearlyAll(name)
	}
	w.sayTargets()
	slices.SortStableFunc(w.found, func(a, b Insight) int {
		return cmp.Or(b.effect.Cmp(a.effect), cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Template, b.Template))
	})
	w.body.Insights = w.found[:min(len(w.found), MaxInsights)]
}

// whole is what the total of a chart is called: its one series by its name, a sum by what it is.
func (w *work) whole() string {
	for _, name := range w.t.Scenarios {
		if l := w.totals[name]; l != nil && l.name != SumName {
			return l.name
		}
	}
	return "the total"
}

// of is the fact of a number.
func (w *work) of(n *Number) (fact.Fact, bool) {
	if n == nil {
		return fact.Fact{}, false
	}
	return w.book.Latest(n.Fact)
}

// every is one fact for each scenario, nil if one of them has none or they cannot be compared.
func (w *work) every(pick func(*Scenario) *Number) []bar {
	var out []bar
	for _, name := range w.t.Scenarios {
		f, ok := w.of(pick(w.body.ByScenario[name]))
		if !ok {
			return nil
		}
		out = append(out, bar{name, f})
	}
	if !oneUnit(out) {
		return nil
	}
	return out
}
