package casework

import (
	"context"
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

var idle = flag.Duration("idle", 10*time.Second, "how long nothing may happen to a case that waits")

// errClosed is why nothing that people approve can be done.
var errClosed = fault.New(fault.Conflict, "the programme has closed")

// settlesNothing are the tools, of which the one that settles a case fails.
func settlesNothing(a *Work) []tool.Tool {
	all := a.Tools()
	for i, tl := range all {
		if tl.Name != toolSettle {
			continue
		}
		other := tool.Tool{App: tl.App, Name: tl.Name, Line: tl.Line, Effect: tl.Effect, Gate: tl.Gate, Roles: tl.Roles,
			Deciders:   tl.Deciders,
			EscalateTo: tl.EscalateTo, RemindAfter: tl.RemindAfter, EscalateAfter: tl.EscalateAfter, ExpireAfter: tl.ExpireAfter}
		closed := func(context.Context, pgx.Tx, tool.Env, settleArgs) (came, error) { return came{}, errClosed }
		all[i] = tool.Finds(tool.Binds(tool.Writes(other, closed), a.bindSettle), a.findSettle)
	}
	return all
}

// newWaiting is a hearing on the engine, whose case has come before people by itself.
func newWaiting(t *testing.T) (a hearing, told func(since time.Time) time.Time) {
	t.Helper()
	a = hearing{grounded: newGrounded(t)}
	a.installed.App.Tools = settlesNothing(a.app)
	d := a.installed.Ask(t).Deps
	a.app.reviews, a.app.calls, a.acts = d.Reviews, d.Calls, d.Acts
	engine := a.installed.Work(t, durable.Work{Activities: []any{&Steps{a.app}},
		Workflows: []durable.Workflow{{Name: CaseName, Func: CaseWorkflow}}})
	a.audit(t)
	a.in = casefile.Input{Org: postgrestest.North, Case: casefile.CaseID(collect[string](t, a.office, `select id from poolpatrol.case
		where vanpool_id = 'VP-101'`)[0])}
	wait.Until(t, "people are asked about VP-101", func() bool {
		return a.installed.Number(t, `select count(*)::int from gavel.proposal where state = 'open' and tool = $1
			and case_id = $2`, toolSettle, string(a.in.Case)) == 1
	})
	file, err := d.Cases.Lookup(t.Context(), postgrestest.North, string(a.in.Case))
	if err != nil {
		t.Fatal(err)
	}
	workflow, _, err := d.Cases.Wake(file)
	if err != nil {
		t.Fatal(err)
	}
	return a, func(since time.Time) time.Time { return durabletest.Told(t, engine, workflow, since) }
}

// TestACaseThatWaitsAsksNothing promises that a case which waits for a person asks its tables
// nothing meanwhile, and hears at once that what was approved could not be done. What people
// approve here is written down in the transaction that ends it: it cannot be undone, and
// nobody is left who cannot say whether it was.
func TestACaseThatWaitsAsksNothing(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute to see that nothing happens")
	}
	a, told := newWaiting(t)
	n := a.installed.Idle(t, "poolpatrol", *idle)
	if n != 0 {
		t.Errorf("cases that wait looked into their tables %d times in %s", n, *idle)
	}
	fmt.Printf("poolpatrol: cases that wait asked their tables %d times in %s\n", n, *idle)
	p, err := a.answer(t, review.Approve, nil, "")
	if err != nil {
		t.Fatal(err)
	}
	var ended []time.Time
	wait.Until(t, "the act has failed", func() bool {
		ended = platformtest.Rows[time.Time](t, a.installed, `select ended_at from gavel.act where proposal = $1
			and state = $2`, p.ID, act.Failed)
		return len(ended) == 1
	})
	took := told(ended[0]).Sub(ended[0])
	wait.Within(t, "a case that hears of an act that failed", took, 2*time.Second)
	fmt.Printf("poolpatrol: the case knew of an act that is failed after %d ms\n", took.Milliseconds())
	wait.Until(t, "the case says why", func() bool {
		return a.installed.Number(t, `select count(*)::int from gavel.case_entry where kind = 'pool_not_done'
			and case_id = $1`, string(a.in.Case)) == 1
	})
}
