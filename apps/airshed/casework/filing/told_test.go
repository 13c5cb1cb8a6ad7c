package filing

import (
	"context"
	"crypto/rand"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

var idle = flag.Duration("idle", 10*time.Second, "how long nothing may happen to a case that waits")

// sends are the tools, of which the one that files ends otherwise and cannot be undone.
func sends(ended error) func(*Clerk) []tool.Tool {
	return func(c *Clerk) []tool.Tool {
		all := c.Tools()
		for i, tl := range all {
			if tl.Name != toolSend {
				continue
			}
			other := tool.Tool{App: tl.App, Name: tl.Name, Line: tl.Line, Effect: tl.Effect, Gate: tl.Gate, Roles: tl.Roles,
				Deciders:   tl.Deciders,
				EscalateTo: tl.EscalateTo, Approvals: tl.Approvals, Class: tl.Class, RemindAfter: tl.RemindAfter,
				EscalateAfter: tl.EscalateAfter, ExpireAfter: tl.ExpireAfter}
			all[i] = tool.Finds(tool.Binds(tool.Sends(other, func(context.Context, tool.Env, sendArgs) (sent, error) {
				return sent{},
					ended
			},
				func(context.Context, tool.Env, sendArgs) (tool.Found, sent, error) {
					return tool.CannotTell, sent{}, nil
				}), c.bindSend), c.findSend)
		}
		return all
	}
}

// A filed office is one in which two officers have approved a filing, on the engine.
type filed struct {
	office
	proposal review.Proposal
	told     func(since time.Time) time.Time // waits until the case is told something
}

// first is one of the officers.
func (f filed) first() identity.Actor { return airshedtest.Person(identity.Officer) }

func newFiled(t *testing.T, tools func(*Clerk) []tool.Tool) filed {
	t.Helper()
	f := filed{office: officeWith(t, tools)}
	engine := f.Work(t, durable.Work{Activities: []any{f.Steps()},
		Workflows: []durable.Workflow{{Name: store.CaseName, Func: CaseWorkflow}}})
	in := f.surge(t)
	var id string
	wait.Until(t, "officers are asked", func() bool {
		for _, id = range f.Texts(t, `select id from gavel.proposal where tool = $1 and state = 'open'`, toolSend) {
			return true
		}
		return false
	})
	var err error
	if f.proposal, err = f.reviews.Get(t.Context(), f.first(), id); err != nil {
		t.Fatal(err)
	}
	file, err := f.Deps.Cases.Lookup(t.Context(), postgrestest.North, string(in.Case))
	if err != nil {
		t.Fatal(err)
	}
	workflow, _, err := f.Deps.Cases.Wake(file)
	if err != nil {
		t.Fatal(err)
	}
	f.told = func(since time.Time) time.Time { return durabletest.Told(t, engine, workflow, since) }
	second := f.first()
	second.ID += "-2"
	for _, by := range []identity.Actor{f.first(), second} {
		if err := f.decide(t, by, review.Approve); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func (f filed) decide(t *testing.T, by identity.Actor, v review.Verdict) (err error) {
	d := review.Decision{ID: "dec-" + rand.Text(), Proposal: f.proposal.ID, ShownSHA256: f.proposal.ShownSHA256, Verdict: v,
		Reason: "It was checked."}
	if v == review.Undo {
		_, err = f.reviews.Undo(t.Context(), by, d)
	} else {
		_, err = f.reviews.Decide(t.Context(), by, d)
	}
	return err
}

// ends waits for the end of the act, and says when the case knew of it.
func (f filed) ends(t *testing.T, as act.State) {
	t.Helper()
	var ended []time.Time
	wait.Until(t, "the act is "+string(as), func() bool {
		ended = platformtest.Rows[time.Time](t, f.Installation, `select ended_at from gavel.act where tool = $1 and state = $2
			and ended_at is not null`, toolSend, as)
		return len(ended) == 1
	})
	took := f.told(ended[0]).Sub(ended[0])
	wait.Within(t, "a case that hears of an act that is "+string(as), took, 2*time.Second)
	fmt.Printf("airshed: the case knew of an act that is %s after %d ms\n", as, took.Milliseconds())
}

// TestACaseThatWaitsAsksNothing promises that a case whose report was approved, and is not
// filed yet, asks its tables nothing while it waits, and is there at once when somebody
// undoes it.
func TestACaseThatWaitsAsksNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute to see that nothing happens")
	}
	f := newFiled(t, (*Clerk).Tools)
	n := f.Idle(t, "airshed", *idle)
	if n != 0 {
		t.Errorf("a case that waits looked into its tables %d times in %s", n, *idle)
	}
	fmt.Printf("airshed: a case that waits asked its tables %d times in %s\n", n, *idle)
	if got := f.Texts(t, `select state from gavel.act where tool = $1`, toolSend); len(got) != 1 || got[0] != string(act.Planned) {
		t.Fatalf("the act is %v, want it to wait for the end of its undo window", got)
	}
	if err := f.decide(t, f.first(), review.Undo); err != nil {
		t.Fatal(err)
	}
	f.ends(t, act.Undone)
	wait.Until(t, "the case says that it was undone", func() bool {
		return f.Number(t, `select count(*)::int from gavel.case where org = $1 and status = 'sent_back'`, postgrestest.North) == 1
	})
}

// TestACaseHearsAtOnceHowItsFilingEnded promises the same of a filing that certainly was not
// done, and of one of which nobody can say.
func TestACaseHearsAtOnceHowItsFilingEnded(t *testing.T) {
	for as, ended := range map[act.State]error{
		act.Failed:  tool.NotSent(fault.New(fault.Conflict, "the commission has closed")),
		act.Unknown: fault.New(fault.Unavailable, "the line broke"),
	} {
		t.Run(string(as), func(t *testing.T) { newFiled(t, sends(ended)).ends(t, as) })
	}
}
