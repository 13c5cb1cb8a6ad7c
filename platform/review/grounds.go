package review

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
)

// maxGrounds bounds what names the grounds of a decision, in bytes.
const maxGrounds = 100

// groundsConfig is what Config says of what cases rest on.
type groundsConfig struct {
	of       func(ctx context.Context, tx pgx.Tx, id casefile.CaseID, at time.Time) (string, error)
	same     func(ctx context.Context, tx pgx.Tx, id casefile.CaseID, seen string) error
	objected func(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (bool, error)
}

// Grounds names what the case of a proposal rests on now: whoever reads the proposal
// gives it back with their decision. Empty where nobody knows, and once it has ended.
func (s *Store) Grounds(ctx context.Context, p Proposal) (grounds string, err error) {
	if s.grounds.of == nil || p.State != Open {
		return "", nil
	}
	err = s.db.InOrg(ctx, p.Org, func(tx pgx.Tx) error {
		grounds, err = s.grounds.of(ctx, tx, casefile.CaseID(p.Case), time.Time{})
		return err
	})
	if err != nil {
		return "", fmt.Errorf("what %s rests on: %w", p.ID, err)
	}
	return grounds, nil
}

// wellGrounded refuses an answer that a person should not have given: a filing with
// nothing that says what it was decided on; a filing or something weighty with no word
// why; anything on less than the case rests on now; and among several what the person
// concerned objected to, or what is weighty and names nobody. A test is
// held to it like anything else, or it would be known by that.
func (s *Store) wellGrounded(ctx context.Context, r *ruling, id casefile.CaseID) error {
	class := s.classOf(r.p)
	filing := class == LegalFiling
	yes := r.d.Verdict == Approve || r.d.Verdict == Edit
	switch {
	case filing && yes && r.d.Reason == "":
		return fault.New(fault.Invalid, "a filing is approved with a reason; say why it is right to file this").Because("filing_reason")
	case class.AsksWhy() && yes && r.d.Reason == "":
		return fault.New(fault.Invalid, "%s is weighty and is approved with a reason", r.p.ID).WithNext("say why it is right to do this").
			Because("weighty_reason", "id", r.p.ID)
	case r.d.several && class == Weighty && r.p.Finding() == nil:
		return fault.New(fault.Conflict, "%s does not say whom it is about; it was left out", r.p.ID).
			WithNext("open the case, then decide %s by itself", r.p.ID).Because("left_out_unnamed", "id", r.p.ID)
	}
	if r.d.several {
		if err := s.amongSeveral(ctx, r, id); err != nil {
			return err
		}
	}
	switch {
	case s.grounds.same == nil:
		return nil
	case r.d.Grounds != "":
		return s.grounds.same(ctx, r.tx, id, r.d.Grounds)
	case filing:
		return fault.New(fault.Unconfirmed, "%s is a legal filing: say on what grounds you decide it", r.p.ID).
			WithNext("read it, and send its grounds with your decision").Because("grounds_missing", "id", r.p.ID)
	}
	return nil
}

// amongSeveral refuses what is read by itself first. What does not say on what grounds it
// was ticked was ticked on those it was proposed on.
func (s *Store) amongSeveral(ctx context.Context, r *ruling, id casefile.CaseID) error {
	if s.grounds.objected != nil {
		objected, err := s.grounds.objected(ctx, r.tx, id)
		if err != nil {
			return err
		}
		if objected {
			return fault.New(fault.Conflict, "the person concerned has objected; %s was left out", r.p.ID).
				WithNext("read the objection, then decide %s by itself", r.p.ID).Because("left_out_objected", "id", r.p.ID)
		}
	}
	if s.grounds.of == nil || r.d.Grounds != "" {
		return nil
	}
	var err error
	r.d.Grounds, err = s.grounds.of(ctx, r.tx, id, r.p.CreatedAt)
	return err
}
