package review_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/review"
)

// TestWhatFollowsIsOneWithTheDecision promises that what a kind does at once is done with every answer that ends a proposal, yes or
// no, as edited; that the decision goes again where it cannot be done, refused or not; and that no policy of calls is asked.
func TestWhatFollowsIsOneWithTheDecision(t *testing.T) {
	r := newRig(t, durable.Clock{})
	var done []string
	var trouble error
	r.Store = r.with(t, review.Config{Kinds: []review.Kind{{Name: "call", Check: checkArgs,
		Then: func(_ context.Context, _ pgx.Tx, p review.Proposal, by review.Ruled) error {
			done = append(done, p.ID+" "+string(by.Decision.Verdict)+" "+by.By.ID+" "+string(by.Args))
			return trouble
		}}}})
	bare := func(p *review.Proposal) { p.Tool, p.Effect, p.Undo = "", "", 0 }
	for _, trouble = range []error{fault.New(fault.Refused, "not by you"), fault.New(fault.Conflict, "not now")} {
		p := r.propose(t, bare)
		refusals := len(r.records(t, audit.Refusal))
		_, err := r.Decide(t.Context(), manager, r.answer(p, review.Approve))
		wantKind(t, "what cannot follow", err, fault.Conflict)
		if now, err := r.Get(t.Context(), manager, p.ID); err != nil || now.State != review.Open ||
			len(r.records(t, audit.Refusal)) != refusals {
			t.Errorf("%v: it is %s after what could not follow", err, now.State)
		}
	}
	done, trouble = nil, nil
	var want []string
	for _, v := range []review.Verdict{review.Approve, review.Reject, review.Edit} {
		p := r.propose(t, bare)
		d := r.answer(p, v)
		args := string(p.Args)
		if v == review.Edit {
			args = `{"to":"the rider's union"}` // as the kind spells it
		}
		want = append(want, p.ID+" "+string(v)+" "+manager.ID+" "+args)
		r.decide(t, manager, d)
	}
	if len(done) != 3 || done[0] != want[0] || done[1] != want[1] || done[2] != want[2] {
		t.Errorf("got %q, want %q", done, want)
	}
}

// TestGavelTakesBackWhatIsAboutNothing promises that an application which takes away what a proposal is about takes the proposal back in
// the same transaction, or not at all.
func TestGavelTakesBackWhatIsAboutNothing(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t)
	for _, fails := range []bool{true, false} {
		err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
			if err := r.WithdrawIn(t.Context(), tx, north, p.ID); err != nil || !fails {
				return err
			}
			return fault.New(fault.Conflict, "it stays")
		})
		now, _ := r.Get(t.Context(), manager, p.ID)
		if fails && (err == nil || now.State != review.Open) || !fails && (err != nil || now.State != review.Withdrawn) {
			t.Errorf("fails %v: %v, it is %s", fails, err, now.State)
		}
	}
}
