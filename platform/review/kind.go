package review

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Kind says what is particular to proposals of one kind. A kind that is not
// known, or has no Check, cannot be edited.
type Kind struct {
	Name string
	// Check validates edited arguments against the tool's schema and returns them
	// as canonical JSON. It only computes.
	Check func(p Proposal, args json.RawMessage) (json.RawMessage, error)
	// Makers names who made what a proposal's arguments are about, and may
	// therefore not decide it: actor ids, at most 50. It is asked when something is
	// proposed (MakersOf) and again about edited arguments, which may name another
	// thing. It reads in the transaction it is given. Nil means nobody.
	Makers func(ctx context.Context, tx pgx.Tx, p Proposal) ([]string, error)
	// Foresee says why what a person is about to approve could not be done as things
	// stand: it is refused then, before the approval counts. It gets the proposal with
	// the arguments as they would be approved, reads in the transaction it is given and
	// writes nothing. Nil means that nothing is known.
	Foresee func(ctx context.Context, tx pgx.Tx, p Proposal, by identity.Actor, at time.Time) error
	// Class says what a yes would lead to; it gets a proposal without its words and
	// only computes. Nil means ByEffect.
	Class func(p Proposal) Class
	// Then does at once what follows from an answer that ends a proposal, in the
	// decision's own transaction: for what is written inside while somebody stands and
	// waits, and needs no act. The record of the decision is its authority. What it
	// cannot do takes the decision back. It is not called for a test, nor for what ends
	// without a decision. Nil: nothing follows but the act.
	Then func(ctx context.Context, tx pgx.Tx, p Proposal, r Ruled) error
	// Seeds says how often proposals of this kind are joined by one that is known
	// to be wrong. The zero value means never.
	Seeds Seeding
}

// A Class is what approving a proposal leads to, and how much it weighs, in the words
// of an inbox. What is routine is decided in bulk; so is what is weighty, where each
// proposal says whom it is about, and with a reason. What leaves the organisation is not.
type Class string

// The classes.
const (
	Routine      Class = "routine"
	Weighty      Class = "weighty" // somebody loses something by it: it is approved with a reason
	ExternalMail Class = "external_mail"
	LegalFiling  Class = "legal_filing"
)

// ByEffect is the class of a proposal whose kind says nothing: what leaves the
// organisation counts as mail, everything else as routine.
func ByEffect(p Proposal) Class {
	if p.Effect == act.Outside {
		return ExternalMail
	}
	return Routine
}

// classOf is a proposal's class.
func (s *Store) classOf(p Proposal) Class {
	if class := s.kinds[p.Kind].Class; class != nil {
		return class(p)
	}
	return ByEffect(p)
}

// AsksWhy reports whether a yes is given with a reason.
func (c Class) AsksWhy() bool { return c == Weighty || c == LegalFiling }

// Together reports whether proposals of the class may be decided several at once.
func (c Class) Together() bool { return c == Routine || c == Weighty }

// ClassOf is what approving a proposal leads to, by its kind.
func (s *Store) ClassOf(p Proposal) Class { return s.classOf(p) }

// MakersOf names who made what a proposal is about, by its kind: what has to be
// in Makers before it is proposed.
func (s *Store) MakersOf(ctx context.Context, tx pgx.Tx, p Proposal) ([]string, error) {
	if makers := s.kinds[p.Kind].Makers; makers != nil {
		return makers(ctx, tx, p)
	}
	return nil, nil
}

// Foresee says why a proposal could not be carried out with these arguments, were
// the actor to approve it now. It decides nothing.
func (s *Store) Foresee(ctx context.Context, by identity.Actor, p Proposal, args json.RawMessage) error {
	if by.Org != p.Org {
		return fault.New(fault.NotFound, "there is no proposal %s", p.ID)
	}
	p.Args, p.ArgsSHA256 = args, act.Digest(args)
	err := s.inOrg(ctx, p.Org, func(tx pgx.Tx) error { return s.foresee(ctx, tx, p, by, s.clock.Now()) })
	if err != nil {
		return fmt.Errorf("look ahead of %s: %w", p.ID, err)
	}
	return nil
}

func (s *Store) foresee(ctx context.Context, tx pgx.Tx, p Proposal, by identity.Actor, at time.Time) error {
	if look := s.kinds[p.Kind].Foresee; look != nil {
		return look(ctx, tx, p, by, at.UTC().Truncate(time.Microsecond))
	}
	return nil
}

// foreseen refuses an approval of what could not be done. A test is not looked at:
// nothing comes of it, and who approves it must not be told.
func (s *Store) foreseen(ctx context.Context, r *ruling) error {
	if r.test != nil || r.d.Verdict != Approve && r.d.Verdict != Edit {
		return nil
	}
	p := r.p
	p.Args, p.ArgsSHA256 = r.args, r.digest
	return s.foresee(ctx, r.tx, p, r.actor, r.at)
}

// Ruled is a decision as what follows from it is told of it.
type Ruled struct {
	Decision Decision
	By       identity.Actor
	InStead  Delegation // by whose leave, where it was not their own right
	Args     json.RawMessage
	At       time.Time
	Record   string // of the decision, in the log
}

// follow has the kind of a proposal do what follows from its end. A refusal is an error
// here: what was refused was looked at before, and nothing of the decision may stay.
func (s *Store) follow(ctx context.Context, r *ruling) error {
	then := s.kinds[r.p.Kind].Then
	if then == nil {
		return nil
	}
	err := then(ctx, r.tx, r.p, Ruled{Decision: r.d, By: r.actor, InStead: r.under, Args: r.args, At: r.at, Record: string(r.record)})
	if fault.Is(err, fault.Refused) {
		text, next := fault.Words(err)
		why, _ := fault.ReasonOf(err)
		err = fault.From(fault.Conflict, err, "%s", text).WithNext("%s", next).Because(why.Code, why.Places...)
	}
	return err
}
