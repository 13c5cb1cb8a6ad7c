package agent_test

import (
	"testing"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/review"
)

// TestTheCaseHearsWhatBecameOfItsQuestion promises that whatever people answer to a
// call in a case, the case's own workflow is told in the same transaction, besides
// the one that carries the answer out; a case of the platform's own, which waits for
// nothing, is not.
func TestTheCaseHearsWhatBecameOfItsQuestion(t *testing.T) {
	r := newRig(t, nil)
	c, _, err := r.Cases.Open(t.Context(), asha, casefile.Opening{App: r.app, Key: "own", Title: "nothing"})
	if err != nil {
		t.Fatal(err)
	}
	const told = `select count(*) from gavel.outbox where kind = 'signal' and target = $1 and payload->>'name' = $2`
	its, _, err := r.Cases.Wake(c)
	if err != nil {
		t.Fatal(err)
	}
	for n, v := range []review.Verdict{review.Reject, review.SendBack, review.Approve} {
		asked := r.proposes(asha, "letter", string(v), string(c.ID))
		if got := query[int](t, r.db, told, its, review.SignalName); got != n {
			t.Errorf("before %s the case was told %d times, want %d", v, got, n)
		}
		if err := r.verdict(olga, asked, v, ""); err != nil {
			t.Fatal(err)
		}
		carries := query[string](t, r.db, `select wake::json->>'workflow_id' from gavel.proposal where id = $1`, asked.Proposal)
		if got, other := query[int](t, r.db, told, its, review.SignalName), query[int](t, r.db, told, carries,
			review.SignalName); got != n+1 || other != 1 {
			t.Errorf("after %s the case was told %d times and who carries it out %d times, want %d and 1", v, got, other, n+1)
		}
	}
	idle := r.idle()
	asked := r.proposes(asha, "letter", "elsewhere", string(idle.ID))
	if err := r.verdict(olga, asked, review.Reject, ""); err != nil {
		t.Fatal(err)
	}
	if other, _, _ := r.Cases.Wake(idle); query[int](t, r.db, told, other, review.SignalName) != 0 {
		t.Error("a case that waits for nothing was told")
	}
}
