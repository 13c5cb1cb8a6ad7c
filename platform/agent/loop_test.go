package agent_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/review"
)

// words is what reached the other side for a case, "letter c", in order.
func (r *rig) words(id casefile.CaseID) string {
	r.t.Helper()
	keys := query[[]string](r.t, r.db, `select coalesce(array_agg(key), '{}') from gavel.act where case_id = $1`, id)
	var all []string
	for _, e := range r.other.Log() {
		for _, k := range keys {
			if e.Key == k {
				all = append(all, e.What+" "+e.Word)
			}
		}
	}
	return strings.Join(all, ", ")
}

// told is everything that the models of a case were told as results, in order of
// the turns.
func (r *rig) told(id casefile.CaseID) string {
	r.t.Helper()
	return query[string](r.t, r.db, `select coalesce(string_agg(convert_from(n.body, 'UTF8'), E'\n' order by s.at, s.seq), '')
		from gavel.run r join gavel.step s on s.run_id = r.id join gavel.node n on n.sha256 = s.head where r.case_id = $1`, id)
}

func TestWhatAPersonSaysIsWhatHappens(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	for _, tt := range []struct {
		name, script string
		verdict      review.Verdict
		edit         string
		effects      string
		told         string
	}{
		{"approved", "letter a", review.Approve, "", "letter a", "sent a"},
		{"rejected", "letter a", review.Reject, "", "", "A person rejected this. That is final. Their reason: because"},
		{"rejected, and asked for again in the same words", "letter a | letter a", review.Reject, "", "", "settled (rejected)"},
		{"rejected, and the same words to a tool without a gate", "letter a | post a", review.Reject, "", "post a", "sent a"},
		{"edited", "letter a", review.Edit, `{"word":"b"}`, "letter b", `A person changed the arguments to {\"word\":\"b\"}`},
		{"edited, and asked for again as it was", "letter a | letter a", review.Edit, `{"word":"b"}`, "letter b", "settled (edited)"},
		{"sent back", "letter a", review.SendBack, "", "", "A person sent this back and asks: because"},
		{"two at once", "letter a; letter b", review.Approve, "", "letter a, letter b", "sent b"},
		{"a write", "note a", review.Approve, "", "", "enrolled a"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := r.in(t)
			c := r.open("clerk", tt.script)
			r.asked(c.ID, 1+strings.Count(tt.script, ";"))
			if got := r.words(c.ID); got != "" {
				t.Fatalf("before anybody decided: %s", got)
			}
			r.decide(c.ID, olga, tt.verdict, tt.edit)
			if got := r.closed(c.ID); got.Status != "done" {
				t.Errorf("the case ended %q", got.Status)
			}
			got := strings.Split(r.words(c.ID), ", ")
			for _, w := range got {
				if !strings.Contains(tt.effects, w) || len(got) != 1+strings.Count(tt.effects, ",") {
					t.Errorf("effects %q, want %q", got, tt.effects)
				}
			}
			if told := r.told(c.ID); !strings.Contains(told, tt.told) {
				t.Errorf("the model was never told %q in\n%s", tt.told, told)
			}
		})
	}
}

func TestACallIsRuledOnBeforeAnythingHappens(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	for _, tt := range []struct {
		name, agent, script string
		asks                int    // people
		effects             string // with nobody's leave
		verdicts            string // of all calls, in order
		told                string
	}{
		{"a look-up runs", "clerk", "look a", 0, "", "read", "seen a"},
		{"an unattended write runs once", "clerk", "enrol a", 0, "", "act", "enrolled a"},
		{"an unattended effect runs", "clerk", "post a", 0, "post a", "act", "sent a"},
		{"policy refuses by argument", "clerk", "look forbidden", 0, "", "refused", "Policy does not let you do this"},
		{"a tool that is not there", "clerk", "fly a", 0, "", "refused", `There is no tool \"fly\" here`},
		{"an agent is not a tool of a clerk", "clerk", "judge(x)", 0, "", "refused", "There is no tool"},
		{"text from outside steers an effect", "clerk", "mail x | post a", 1, "", "read ask", ""},
		{"text from outside, but a value the brief offered", "clerk", "mail x | post known", 0, "post known", "read act", "sent known"},
		{"text from outside, and a value the brief offered for another field", "clerk", "mail x | fax known", 1, "", "read ask", ""},
		{"text from outside steers a write inside", "clerk", "mail x | enrol a", 0, "", "read act", "enrolled a"},
		{"a clerk brings taint home", "foreman", "clerk(mail x) | post a", 1, "", "agent read ask", ""},
		{"a clerk who read nothing from outside does not", "foreman", "clerk(look x) | post a", 0, "post a", "agent read act", "sent a"},
		{"taint goes down", "foreman", "mail x | clerk(post a)", 1, "", "read agent ask", ""},
		{"a classifier does not bring taint home", "foreman", "judge(x) | post a", 0, "post a", "agent act", `{\"word\":\"yes\"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := r.in(t)
			c := r.open(tt.agent, tt.script)
			if tt.asks > 0 {
				r.asked(c.ID, tt.asks)
			} else {
				r.closed(c.ID)
			}
			if got := r.words(c.ID); got != tt.effects {
				t.Errorf("effects %q, want %q", got, tt.effects)
			}
			got := query[string](t, r.db, `select coalesce(string_agg(call->>'verdict', ' ' order by s.at), '')
				from gavel.step s join gavel.run r on r.id = s.run_id, jsonb_array_elements(nullif(s.calls, 'null')) call
				where r.case_id = $1`, c.ID)
			if got != tt.verdicts {
				t.Errorf("verdicts %q, want %q", got, tt.verdicts)
			}
			if told := r.told(c.ID); !strings.Contains(told, tt.told) {
				t.Errorf("the model was never told %q in\n%s", tt.told, told)
			}
			if tt.asks > 0 {
				r.decide(c.ID, olga, review.Reject, "")
				r.closed(c.ID)
			}
		})
	}
}

func TestCallsOfOneTurnAreJoinedInCallOrder(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("foreman", "letter a; look b; clerk(look c); post d")
	r.asked(c.ID, 1)
	r.decide(c.ID, olga, review.Approve, "")
	r.closed(c.ID)
	for _, seen := range r.model.Log() {
		if seen.Turn == 2 && strings.HasSuffix(seen.Agent, "foreman") && seen.Tool != "post" {
			t.Errorf("the last result before the second turn is of %q, want post, the last call", seen.Tool)
		}
	}
}

func TestABudgetBoundsTheWholeTree(t *testing.T) {
	for _, calls := range []int{1, 2, 5} {
		t.Run(fmt.Sprint(calls), func(t *testing.T) {
			r := newRig(t, func(c *agenttest.Config) { c.Budget.Calls = calls })
			r.run()
			c := r.open("foreman", "clerk(look a | look b | look c); clerk(look a | look b | look c) | look d | look e")
			if got := r.closed(c.ID); got.Status != "out_of_budget" {
				t.Errorf("the case ended %q", got.Status)
			}
			if n := r.model.Requests(); n > calls {
				t.Errorf("%d model calls on a budget of %d", n, calls)
			}
			why := query[string](t, r.db, `select reason from gavel.run where parent is null`)
			if why != "The budget of model calls is used up." {
				t.Errorf("reason %q", why)
			}
		})
	}
}
