package summary_test

import (
	"testing"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

// TestWhatIsSaidOfAChartPassesTheVerifier promises that every sentence the rules make of the made-up run stands up to the
// check that a model's sentences must pass.
func TestWhatIsSaidOfAChartPassesTheVerifier(t *testing.T) {
	rules := map[string]int{}
	for seed := range *seeds {
		c := discover(t, madeup.Make(seed+1).Files())
		for i := range c.Charts {
			ch := &c.Charts[i]
			book := fact.NewBook("case_x")
			s := summarise(t, book, ch)
			check(t, book, ch, s)
			for _, i := range s.Body.Insights {
				rules[i.Rule]++
			}
		}
	}
	for _, rule := range []string{"K1", "K2", "K3", "K4", "K5", "K6", "K7", "K8"} {
		if rules[rule] == 0 {
			t.Errorf("no chart has an insight by %s", rule)
		}
	}
	t.Log(rules)
}

func check(t *testing.T, book *fact.Book, ch *catalogue.Chart, s *summary.Summary) {
	t.Helper()
	v, err := verify.New(summary.Profile(ch.Key, ch))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Body.Insights) > summary.MaxInsights {
		t.Errorf("%s has %d insights", ch.Key, len(s.Body.Insights))
	}
	for _, i := range s.Body.Insights {
		rep, err := v.Check(verify.Document{Parts: []verify.Part{{Name: i.Rule, Text: i.Template}}}, book)
		if err != nil || rep.Blocked() {
			t.Errorf("%s: %s %q: %v %v", ch.Key, i.Rule, i.Template, err, rep.Findings)
		}
	}
}
