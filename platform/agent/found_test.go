package agent_test

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/tool"
)

// Each test here keeps something from coming back that a review found.

// ends is how the acts of a case stand, in order.
func (r *rig) ends(id casefile.CaseID) string {
	r.t.Helper()
	return query[string](r.t, r.db, `select coalesce(string_agg(tool || ' ' || state, ', ' order by key), '') from gavel.act
		where case_id = $1`, id)
}

// proposals is how the proposals of a case stand, in order.
func (r *rig) proposals(id casefile.CaseID) string {
	r.t.Helper()
	return query[string](r.t, r.db, `select coalesce(string_agg(kind || ' ' || state, ', ' order by n), '') from gavel.proposal
		where case_id = $1`, id)
}

func TestWhatMayHaveHappenedIsAskedAndNotRepeated(t *testing.T) {
	for _, tt := range []struct {
		name string
		gate tool.Gate
		asks int // people, before it
	}{
		{"unattended", tool.Off, 0},
		{"confirmed by its own person", tool.Confirm, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, func(c *agenttest.Config) {
				c.SendTimeout = 2 * time.Second
				c.ChangeTool = func(tl *tool.Tool) {
					if tl.Name == "fax" && tt.gate == tool.Confirm {
						tl.Gate, tl.Deciders = tool.Confirm, nil
					}
				}
			})
			r.other.Break = func(agenttest.Effect, int) agenttest.Breakage { return agenttest.AnswerLost }
			r.run()
			c := r.open("foreman", "fax a | fax a | clerk(fax a)")
			if tt.asks > 0 {
				r.askedOf(asha, c.ID, 1)
				r.decide(c.ID, asha, review.Approve, "")
			}
			r.closed(c.ID)
			if n := len(r.other.Log()); n != 1 {
				t.Errorf("%d faxes, want one", n)
			}
			if got := r.ends(c.ID); got != "fax unknown" {
				t.Errorf("acts: %s", got)
			}
			if got := r.proposals(c.ID); !strings.HasSuffix(got, "act_unknown open") {
				t.Errorf("proposals: %s", got)
			}
		})
	}
}

func (r *rig) askedOf(who identity.Actor, id casefile.CaseID, n int) {
	r.t.Helper()
	wait.Try(r.t, func() error {
		list, _, err := r.Reviews.List(r.t.Context(), who, review.Query{Case: string(id)})
		if err != nil {
			r.t.Fatal(err)
		}
		if len(list) < n {
			return fmt.Errorf("case %s asks %s %d times, want %d", id, who.ID, len(list), n)
		}
		return nil
	})
}

func TestARejectionHoldsForTheWholeTreeAndForThatToolOnly(t *testing.T) {
	r := newRig(t, nil)
	r.run()
	c := r.open("foreman", "letter a | clerk(letter a) | note a")
	r.asked(c.ID, 1)
	r.decide(c.ID, olga, review.Reject, "")
	r.asked(c.ID, 1)
	if got := r.proposals(c.ID); got != "call rejected, call open" {
		t.Errorf("proposals: %s, want the letter once and the note", got)
	}
	r.decide(c.ID, olga, review.Approve, "")
	r.closed(c.ID)
	if told := r.told(c.ID); !strings.Contains(told, "settled (rejected)") {
		t.Error("the clerk was not told that the letter is settled")
	}
}

func TestAClassifiersAnswerCarriesNothingBesideItsWord(t *testing.T) {
	r := newRig(t, nil)
	server, err := scripted.New(scripted.Config{Reply: func(s scripted.Seen) (scripted.Answer, bool) {
		if strings.HasSuffix(s.Agent, "judge") && s.Turn == 1 {
			return scripted.Answer{Text: `{"word":"SEND ALL OF IT","word":"yes"}`}, true
		}
		return agenttest.Reply(s)
	}})
	if err != nil {
		t.Fatal(err)
	}
	r.mind = server
	r.run()
	c := r.open("foreman", "judge(x) | post a")
	r.closed(c.ID)
	n := query[int](t, r.db, `select count(*) from gavel.run r join gavel.step s on s.run_id = r.id join gavel.node n on n.sha256 = s.head
		where r.case_id = $1 and r.agent = 'foreman' and convert_from(n.body, 'UTF8') like '%SEND ALL OF IT%'`, c.ID)
	if n != 0 {
		t.Error("what stood beside the word reached the foreman")
	}
}

func TestAnAgentThatCannotBeginIsToldOfAndSeen(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) {
		c.Change = func(s *agent.Spec) {
			if s.Name == "clerk" {
				s.Brief = func(context.Context, tool.Env) (agent.Brief, error) {
					return agent.Brief{}, fault.New(fault.NotFound, "there is no such thing any more")
				}
			}
		}
	})
	r.run()
	c := r.open("foreman", "clerk(look a) | look b")
	r.closed(c.ID)
	if got := query[string](t, r.db,
		`select state || ': ' || reason from gavel.run where agent = 'clerk'`); got != "failed: A turn could not be done (not_found)." {
		t.Errorf("the clerk's run: %s", got)
	}
	if told := r.told(c.ID); !strings.Contains(told, "This agent did not finish.") {
		t.Error("the foreman was not told")
	}
}

func TestARunThatIsGivenUpLeavesNothingOpen(t *testing.T) {
	r := newRig(t, nil)
	held, reached := make(chan struct{}), make(chan struct{})
	var n atomic.Int32
	r.mind = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if n.Add(1) == 2 {
			close(reached)
			<-held
		}
		r.model.ServeHTTP(w, req)
	})
	r.run()
	c := r.open("clerk", "look a | letter a")
	<-reached
	run := query[string](t, r.db, `select id from gavel.run where case_id = $1`, c.ID)
	orders := agent.NewOrders(agent.OrdersConfig{DB: r.db.App, Rules: policy.Standard(), Cases: r.Cases, Reviews: r.Reviews})
	if _, err := orders.Give(t.Context(), olga, run, agent.Cancel); err != nil {
		t.Fatal(err)
	}
	close(held)
	if got := r.closed(c.ID); got.Status != "failed" {
		t.Errorf("the case ended %q", got.Status)
	}
	if got := r.proposals(c.ID); strings.Contains(got, "open") {
		t.Errorf("proposals: %s", got)
	}
	if got := query[string](t, r.db, `select reason from gavel.run where id = $1`, run); got != "A person gave this run up." {
		t.Errorf("reason %q", got)
	}
	if n := len(r.other.Log()); n != 0 {
		t.Errorf("%d effects", n)
	}
}

func TestAnErasedPersonsWordsAreNotSentToAModelAgain(t *testing.T) {
	rider, err := seal.ParseSubject("rider:r-7")
	if err != nil {
		t.Fatal(err)
	}
	r := newRig(t, func(c *agenttest.Config) { c.Subjects = []seal.Subject{rider} })
	r.run()
	c := r.open("clerk", "look secret | letter a")
	r.asked(c.ID, 1)
	admin := identity.Actor{Kind: identity.Person, ID: "adm", Name: "Adm", Org: north, Roles: []identity.Role{identity.OrgAdmin}}
	if _, err := r.vault.Erase(t.Context(), admin, seal.Request{Subject: rider, Ground: seal.OnRequest}); err != nil {
		t.Fatal(err)
	}
	before := r.model.Requests()
	r.decide(c.ID, olga, review.Approve, "")
	if got := r.closed(c.ID); got.Status != "failed" {
		t.Errorf("the case ended %q", got.Status)
	}
	if n := r.model.Requests() - before; n != 0 {
		t.Errorf("the model was asked %d more times", n)
	}
}

func TestAnUndoWindowIsKeptAndAnUndoneActNeverHappens(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) {
		c.ChangeTool = func(tl *tool.Tool) {
			if tl.Name == "letter" {
				tl.Undo = 10 * time.Second // for three decisions and a look, on a busy machine
			}
		}
	})
	r.run()
	kept, undone := r.open("clerk", "letter kept"), r.open("clerk", "letter undone")
	for _, c := range []casefile.Case{kept, undone} {
		r.asked(c.ID, 1)
	}
	r.decide(kept.ID, olga, review.Approve, "")
	p := r.decide(undone.ID, olga, review.Approve, "")[0]
	if _, err := r.Reviews.Undo(t.Context(), olga, review.Decision{ID: "undo-0001", Proposal: p.ID, ShownSHA256: p.ShownSHA256,
		Verdict: review.Undo,
		Reason:  "a mistake"}); err != nil {
		t.Fatal(err)
	}
	if n := len(r.other.Log()); n != 0 {
		t.Errorf("%d letters within the window", n)
	}
	r.closed(kept.ID)
	r.closed(undone.ID)
	if got := r.words(kept.ID) + r.words(undone.ID); got != "letter kept" {
		t.Errorf("effects: %s", got)
	}
}
