package agent_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/review"
)

// anew has the workflow of a case begun anew, as a recovery does where the engine is
// ahead.
func (r *rig) anew(c casefile.Case) {
	r.t.Helper()
	id, start, err := r.Cases.Wake(c)
	if err != nil {
		r.t.Fatal(err)
	}
	start.Anew = "recovery_1"
	err = r.db.App.InOrg(r.t.Context(), c.Org, func(tx pgx.Tx) error { return outbox.AddStart(r.t.Context(), tx, c.Org, id, start) })
	if err != nil {
		r.t.Fatal(err)
	}
}

// TestACaseThatIsBegunAnewLeavesNothingOfBeforeOpen promises that what an earlier run
// of a workflow asked for, planned and began comes to an end: nobody else would see to
// it, and a person could approve what is never done.
func TestACaseThatIsBegunAnewLeavesNothingOfBeforeOpen(t *testing.T) {
	r := newRig(t, nil)
	halt := r.runUntil()
	c := r.open("clerk", "letter a; fax b; post d | letter e")
	r.asked(c.ID, 1)
	r.until("two of them left", `select count(*)::int from gavel.act where state = 'done'`, 2)
	halt()
	// As in a copy of a moment before: of both nobody knows, and one can be asked about.
	r.admin(`set session_replication_role = replica; update gavel.act
		set state = 'running', lease_until = '-infinity', result = null, result_sha256 = null, ended_at = null
		where tool in ('fax', 'post')`)
	r.anew(c)
	r.run()
	r.until("the fax is a question", `select count(*)::int from gavel.proposal where kind = 'act_unknown' and state = 'open'`, 1)
	r.until("the letter of before is withdrawn", `select count(*)::int from gavel.proposal where kind = 'call' and state = 'withdrawn'`, 1)
	r.until("the run of before is over", `select count(*)::int from gavel.run where state = 'failed'
		and reason = 'Its workflow was begun anew.'`, 1)
	if n := query[int](t, r.db, `select count(*)::int from gavel.act where tool = 'post' and state = 'done'`); n < 1 {
		t.Errorf("what the other side had said yes to is done %d times", n)
	}
	wait.Until(t, "the case is closed", func() bool {
		r.decide(c.ID, olga, review.Approve, "")
		now, err := r.Cases.Get(t.Context(), north, c.ID)
		return err == nil && now.State == casefile.Closed
	})
	states := query[string](t, r.db, `select string_agg(state, ' ' order by state) from gavel.act`)
	for _, open := range []act.State{act.Planned, act.OnHold, act.Running} {
		if strings.Contains(states, string(open)) {
			t.Errorf("the acts are %s", states)
		}
	}
}
