package review

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// Bounds of a decision.
const (
	maxReason = 2_000
	maxOpened = 16 << 10
)

var decisionForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:-]{7,79}$`)

// Decide puts a person's answer to a proposal on record, and what follows from
// it, in one transaction: the decision and its record, the proposal's new state
// once enough people have approved, the act, an entry in the case's history, and
// word to the workflow that waits. It returns the proposal as it is then.
//
// The same decision again, by id, returns the proposal and changes nothing.
// What can be known not to be possible as things stand is said now, in the words of
// the proposal's kind, and nothing is decided.
//
// Faults: Refused for who may not decide it, which is itself recorded; Conflict
// if it is not open any more or the case is closed; Stale if the person was
// shown something else, or the case rests on more than they say it did;
// Unconfirmed for a legal filing of which they do not say that; Invalid for an
// answer that it does not allow, and for a filing or something weighty approved without a
// reason.
func (s *Store) Decide(ctx context.Context, actor identity.Actor, d Decision) (Proposal, error) {
	if err := d.check(); err != nil {
		return Proposal{}, err
	}
	if d.Verdict == Undo {
		return Proposal{}, fault.New(fault.Invalid, "what was approved is undone with Undo")
	}
	return s.inDecision(ctx, actor, d, s.decide)
}

// inDecision runs a decision in its transaction. A refusal is recorded, and
// therefore committed; an error is rolled back.
func (s *Store) inDecision(ctx context.Context, actor identity.Actor, d Decision, run func(context.Context, *ruling) error) (Proposal,
	error) {
	if !actor.Known() {
		return Proposal{}, fault.New(fault.SignIn, "sign in to decide a proposal").Because("not_signed_in")
	}
	var p Proposal
	var refusal error
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	err := s.inOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		p, refusal = Proposal{}, nil
		l, err := lockForDecision(ctx, tx, actor.Org, actor.ID, d)
		if err != nil {
			return err
		}
		r := &ruling{tx: tx, actor: actor, d: d, p: l.Proposal, voices: l.Voices, behalf: l.Behalf, test: l.Test, opened: l.Opened, at: now}
		if l.Same != nil {
			p = r.p
			if d.For != "" && d.For != l.ForSame {
				return otherDecision(d.ID)
			}
			return s.same(r, *l.Same)
		}
		if err = run(ctx, r); fault.Is(err, fault.Refused) {
			refusal = err
			return r.recordRefusal(ctx)
		}
		p = r.p
		return err
	})
	switch {
	case postgres.Violates(err, "decision_pkey"):
		err = otherDecision(d.ID) // the same id, on another proposal, at this very moment
	case postgres.Violates(err, "decision_undo"):
		err = fault.New(fault.Conflict, "%s is undone already", d.Proposal).Because("undone_already", "id", d.Proposal)
	case err == nil:
		err = refusal
	}
	if err != nil {
		return Proposal{}, fmt.Errorf("decide %s: %w", d.Proposal, err)
	}
	return p, nil
}

func (d *Decision) check() error {
	d.Reason = strings.TrimSpace(d.Reason)
	switch {
	case !decisionForm.MatchString(d.ID):
		return fault.New(fault.Invalid, "a decision's id is 8 to 80 of letters, digits and . _ : -, not %.60q", d.ID)
	case !slices.Contains([]Verdict{Approve, Edit, SendBack, Reject, Undo}, d.Verdict):
		return fault.New(fault.Invalid, "a verdict is approve, edit, send_back or reject, not %.20q", d.Verdict)
	case (d.Verdict == Edit) != (d.Edit != nil):
		return fault.New(fault.Invalid, "arguments are given with the verdict edit, and only with it")
	case len(d.Edit) > maxArgs:
		return fault.New(fault.TooLarge, "the edited arguments have %d bytes; the most is %d", len(d.Edit), maxArgs)
	case d.Reason == "" && (d.Verdict == SendBack || d.Verdict == Reject || d.Verdict == Undo):
		return fault.New(fault.Invalid, "say why: the verdict %s needs a reason", d.Verdict).Because("reason_missing")
	case utf8.RuneCountInString(d.Reason) > maxReason:
		return fault.New(fault.TooLarge, "the reason has over %d characters", maxReason).
			Because("text_too_long", "n", strconv.Itoa(maxReason))
	case !utf8.ValidString(d.Reason) || strings.ContainsRune(d.Reason, 0):
		return fault.New(fault.Invalid, "the reason holds a character that cannot be stored").Because("text_unfit")
	case len(d.Opened) > maxOpened:
		return fault.New(fault.TooLarge, "the list of what was opened has %d bytes; the most is %d", len(d.Opened), maxOpened)
	case d.Opened != nil && !json.Valid(d.Opened):
		return fault.New(fault.Invalid, "the list of what was opened is not JSON")
	case len(d.Grounds) > maxGrounds:
		return fault.New(fault.Invalid, "no grounds have a name of %d bytes", len(d.Grounds)).
			WithNext("send the grounds of the proposal as they are")
	case len(d.For) > maxActor:
		return fault.New(fault.Invalid, "nobody has an id of %d characters", len(d.For))
	}
	return nil
}

// maxActor is the longest an actor's id may be.
const maxActor = 200

// A ruling is one decision while it is being made.
type ruling struct {
	tx     pgx.Tx
	actor  identity.Actor
	d      Decision
	p      Proposal
	voices []string // who has approved so far
	behalf []string // in whose stead some of them did
	test   *Seed    // the proposal is there as a test
	opened []seen   // what the page reported
	at     time.Time

	under Delegation // by whose leave, where it is not the actor's own right

	args   json.RawMessage // what the decision is about
	digest string
	record audit.RecordID
}

// same answers a decision that is there already. What was edited is compared as
// it was put on record: in canonical form.
func (s *Store) same(r *ruling, was earlier) error {
	now := earlier{Proposal: r.d.Proposal, Actor: r.actor.ID, Verdict: r.d.Verdict, Shown: r.d.ShownSHA256, Reason: was.Reason,
		Args: was.Args}
	if was.Erased == "" {
		now.Reason = r.d.Reason
	}
	now.Erased = was.Erased
	if r.d.Verdict == Edit {
		args, err := s.edited(r)
		if err != nil {
			return otherDecision(r.d.ID)
		}
		now.Args = act.Digest(args)
	}
	if now != was {
		return otherDecision(r.d.ID)
	}
	return nil
}

func otherDecision(id string) error {
	return fault.New(fault.Conflict, "the id %s is that of another decision", id).WithNext("send it under an id of its own")
}

func (s *Store) decide(ctx context.Context, r *ruling) error {
	if err := s.authorise(ctx, r); err != nil {
		return err
	}
	if err := r.checkState(); err != nil {
		return err
	}
	if err := s.settleArgs(ctx, r); err != nil {
		return err
	}
	c, err := casefile.Lock(ctx, r.tx, casefile.CaseID(r.p.Case))
	if err != nil {
		return err
	}
	if c.State == casefile.Closed {
		return fault.New(fault.Conflict, "case %s is closed; nothing can be decided in it", c.Ref).
			Because("case_closed_deciding", "ref", c.Ref)
	}
	if err := s.wellGrounded(ctx, r, c.ID); err != nil {
		return err
	}
	if err := s.foreseen(ctx, r); err != nil {
		return err
	}
	ended := r.move()
	var b pgx.Batch
	if err := r.write(&b, ended); err != nil {
		return err
	}
	if err := r.tx.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	if err := r.enter(ctx, c); err != nil || !ended || r.test != nil {
		return err // nobody waits for the end of a test
	}
	if err := s.follow(ctx, r); err != nil {
		return err
	}
	return s.wake(ctx, r.tx, r.p, c, r.p.decided())
}

// checkState refuses an answer that comes too late, to something else, or that
// the proposal does not allow.
func (r *ruling) checkState() error {
	p := r.p
	switch {
	case p.State != Open:
		return fault.New(fault.Conflict, "%s is %s already; nothing was done", p.ID, strings.ReplaceAll(string(p.State), "_", " ")).
			Because("already_decided", "id", p.ID, "proposal_state", string(p.State))
	case !p.ExpiresAt.IsZero() && !r.at.Before(p.ExpiresAt):
		return fault.New(fault.Conflict, "%s has expired; nothing was done", p.ID).Because("proposal_expired", "id", p.ID)
	case r.d.ShownSHA256 != p.ShownSHA256:
		return changedSince(p.ID)
	case !slices.Contains(p.Allowed, r.d.Verdict):
		return fault.New(fault.Invalid, "%s does not allow the verdict %s", p.ID, r.d.Verdict).Because("not_allowed", "id", p.ID)
	case r.d.Verdict == Edit && p.Required > 1:
		return fault.New(fault.Conflict, "%s needs %d approvals of the same thing and cannot be edited", p.ID, p.Required).
			WithNext("send it back with what should change").Because("several_not_edited", "id", p.ID, "n", strconv.Itoa(p.Required))
	case slices.Contains(r.voices, r.actor.ID):
		return fault.New(fault.Conflict, "you have approved %s already; it needs others, too", p.ID).Because("signed_already", "id", p.ID)
	case slices.Contains(r.behalf, r.actor.ID):
		return fault.New(fault.Conflict, "somebody has approved %s on your behalf already; it needs others, too", p.ID).
			Because("signed_for_you", "id", p.ID)
	}
	return nil
}

// settleArgs finds what the decision is about: the arguments as proposed, or as
// edited, which are checked like a model's and asked about like a call.
func (s *Store) settleArgs(ctx context.Context, r *ruling) error {
	r.args, r.digest = r.p.Args, r.p.ArgsSHA256
	if r.d.Verdict != Edit {
		return nil
	}
	args, err := s.edited(r)
	if err != nil {
		return err
	}
	r.args, r.digest = args, act.Digest(args)
	if err := s.checkMakers(ctx, r); err != nil {
		return err
	}
	if s.kinds[r.p.Kind].Then != nil {
		return nil // it becomes no call, about which policy could be asked
	}
	return s.recheck(ctx, r.p, args)
}

// checkMakers refuses an edit after which the proposal would be about something
// that the person, or the one they decide for, has made.
func (s *Store) checkMakers(ctx context.Context, r *ruling) error {
	p := r.p
	p.Args, p.ArgsSHA256 = r.args, r.digest
	makers, err := s.MakersOf(ctx, r.tx, p)
	if err != nil {
		return err
	}
	if slices.Contains(makers, r.actor.ID) || r.under.From != "" && slices.Contains(makers, r.under.From) {
		return fault.New(fault.Refused, "%s would be about something you made, or whom you decide for; somebody else decides it", p.ID).
			WithNext("send it back with what should change").Because("edit_own_work", "id", r.p.ID)
	}
	return nil
}

// edited is the arguments of an edit as its kind checks and spells them.
func (s *Store) edited(r *ruling) (json.RawMessage, error) {
	kind := s.kinds[r.p.Kind]
	if kind.Check == nil || s.recheck == nil && kind.Then == nil {
		return nil, fault.New(fault.Conflict, "%s cannot be edited", r.p.ID).WithNext("send it back with what should change").
			Because("cannot_be_edited", "id", r.p.ID)
	}
	args, err := kind.Check(r.p, r.d.Edit)
	if err != nil {
		return nil, err
	}
	if len(args) > maxArgs || !json.Valid(args) || strings.Contains(string(args), `\u0000`) {
		return nil, fault.New(fault.Invalid, "the edited arguments are too long, or no JSON that can be stored")
	}
	return args, nil
}
