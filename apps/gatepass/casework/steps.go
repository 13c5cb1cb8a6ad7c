package casework

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/due"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
)

// Steps are what the clock of a pass has done.
type Steps struct{ desk *Desk }

// Steps are those of the desk.
func (d *Desk) Steps() *Steps { return &Steps{d} }

// Looked is what the clock of a pass learns when it looks.
type Looked struct {
	Over    bool      `json:"over,omitempty"`    // nothing will come of it any more
	Undrawn bool      `json:"undrawn,omitempty"` // photos wait to be drawn
	Next    time.Time `json:"next,omitzero"`     // when something is due; zero: when it is woken
}

// LookAtPass tells what is due of a pass at a moment, each once, and says when to look again. At the end of the pass its case
// is closed.
func (s *Steps) LookAtPass(ctx context.Context, in casefile.Input, at time.Time) (now Looked, err error) {
	d := s.desk
	at = at.UTC().Truncate(time.Microsecond)
	err = d.store.In(ctx, in.Org, func(tx pgx.Tx) error {
		c, err := casefile.Lock(ctx, tx, in.Case)
		if err != nil {
			return err
		}
		if isQuestion(c.Key) {
			now, err = lookAtQuestion(ctx, tx, in, at)
			return err
		}
		ref, err := store.ParseRef(c.Key)
		if err != nil {
			return err
		}
		k, err := store.Load(ctx, tx, ref)
		if err != nil {
			return err
		}
		setup, err := store.SetupIn(ctx, tx, in.Org)
		if err != nil {
			return err
		}
		site, _ := setup.Site(k.SiteID)
		told, next, more := due.Next(due.Within(setup.ApprovalWithin()).Steps(k.Pass, site.Hours()), at)
		if err := store.Tell(ctx, tx, in.Org, k.Pass, told); err != nil {
			return err
		}
		if now = waits(k.Pass, at); more && (now.Next.IsZero() || next.At.Before(now.Next)) {
			now.Next = next.At
		}
		if now.Undrawn, err = store.AnyUndrawn(ctx, tx, k.ID); err != nil || !now.Over {
			return err
		}
		return end(ctx, tx, in, k.Pass, at)
	})
	return now, err
}

// lookAtQuestion closes the case of a question that has its answer.
func lookAtQuestion(ctx context.Context, tx pgx.Tx, in casefile.Input, at time.Time) (now Looked, err error) {
	q, known, err := store.QuestionOfCase(ctx, tx, string(in.Case))
	if err != nil || known && q.Ended.IsZero() {
		return now, err
	}
	gavel := identity.Gavel(in.Org)
	_, _, err = casefile.Apply(ctx, tx, in.Case, casefile.Change{Key: "ended", State: casefile.Closed, Status: "settled",
		Entry: casefile.Entry{Kind: "gate_question_ended", At: at, ActorKind: gavel.Kind, ActorID: gavel.ID, ActorName: gavel.Name,
			Text: "The question has its answer."}})
	return Looked{Over: true}, err
}

// waits is whether anything can still happen to a pass, and when it will have ended by itself.
func waits(p pass.Pass, at time.Time) Looked {
	switch {
	case p.Ended() || p.Status == pass.Approved && p.Expired(at):
		return Looked{Over: true}
	case p.Status == pass.Approved:
		return Looked{Next: p.ValidUntil.Add(time.Second)}
	}
	return Looked{}
}

// end closes the case of a pass.
func end(ctx context.Context, tx pgx.Tx, in casefile.Input, p pass.Pass, at time.Time) error {
	status := string(p.Status)
	switch {
	case p.Deleted():
		status = "deleted"
	case p.Status == pass.Approved:
		status = "expired"
	}
	gavel := identity.Gavel(in.Org)
	_, _, err := casefile.Apply(ctx, tx, in.Case, casefile.Change{Key: "ended", State: casefile.Closed, Status: status,
		Entry: casefile.Entry{Kind: "pass_ended", At: at, ActorKind: gavel.Kind, ActorID: gavel.ID, ActorName: gavel.Name,
			Text: "The pass is " +
				status + "."}})
	return err
}

// DrawPhotos draws what is handed out of the photos of a pass.
func (s *Steps) DrawPhotos(ctx context.Context, in casefile.Input) error {
	var k store.Kept
	err := s.desk.store.In(ctx, in.Org, func(tx pgx.Tx) error {
		c, err := casefile.Lock(ctx, tx, in.Case)
		if err != nil {
			return err
		}
		ref, err := store.ParseRef(c.Key)
		if err != nil {
			return err
		}
		k, err = store.Load(ctx, tx, ref)
		return err
	})
	if err != nil {
		return err
	}
	return s.desk.draw(ctx, in.Org, k)
}
