package review

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Expire ends a proposal whose date has come by at, the time of the workflow
// that waits for it. It may be called again, and too early: it returns the
// proposal as it really is, since a decision may have come first.
func (s *Store) Expire(ctx context.Context, org identity.Org, id string, at time.Time) (Proposal, error) {
	return s.end(ctx, identity.Gavel(org), id, func(p *Proposal) error {
		if p.ExpiresAt.IsZero() || at.Before(p.ExpiresAt) {
			return nil
		}
		p.State, p.EndedAt = Expired, at.UTC().Truncate(time.Microsecond)
		return nil
	})
}

// ExpireKey is Expire for who knows the proposal by the key of its act, and asks
// what the signal would have said. A proposal that is still open says so.
func (s *Store) ExpireKey(ctx context.Context, org identity.Org, key string, at time.Time) (Decided, error) {
	found, err := s.ByKeys(ctx, org, key)
	if err != nil {
		return Decided{}, err
	}
	o, ok := found[key]
	if !ok {
		return Decided{}, fault.New(fault.NotFound, "nothing is proposed under the key %.120q", key)
	}
	p, err := s.Expire(ctx, org, o.Proposal.ID, at)
	return p.decided(), err
}

// Withdraw ends an open proposal that is no longer wanted: as Withdrawn by the
// person or agent that asked for it, or Gavel for it; as Superseded when another
// takes its place. It may be called again: it returns the proposal as it really
// is. The workflow that waits is told.
func (s *Store) Withdraw(ctx context.Context, actor identity.Actor, id string, as State) (Proposal, error) {
	if as != Withdrawn && as != Superseded {
		return Proposal{}, fault.New(fault.Invalid, "a proposal is withdrawn or superseded, not %.20q", as)
	}
	if !actor.Known() {
		return Proposal{}, fault.New(fault.SignIn, "sign in to withdraw a proposal").Because("not_signed_in")
	}
	return s.end(ctx, actor, id, s.withdrawal(actor, as))
}

// WithdrawIn is Withdraw by Gavel itself in the caller's transaction, for an application
// that takes away what a proposal is about. The proposal is locked before anything else.
func (s *Store) WithdrawIn(ctx context.Context, tx pgx.Tx, org identity.Org, id string) error {
	gavel := identity.Gavel(org)
	_, err := s.endIn(ctx, tx, gavel, id, s.withdrawal(gavel, Withdrawn))
	return err
}

// withdrawal ends a proposal for who may take it back.
func (s *Store) withdrawal(actor identity.Actor, as State) func(*Proposal) error {
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	return func(p *Proposal) error {
		if actor.Kind != identity.System && actor.ID != p.RequestedBy && actor.ID != p.OnBehalfOf {
			return fault.New(fault.Refused, "%s is withdrawn by who asked for it, and nobody else", p.ID).
				WithNext("decide it instead").Because("withdraw_others", "id", p.ID)
		}
		p.State, p.EndedAt = as, now
		return nil
	}
}

// mostWithdrawn bounds what WithdrawAll takes back at once: a program has a hundred
// waiting at most, and what tests oversight beside them.
const mostWithdrawn = 1000

// WithdrawAll ends every open proposal that a program asked for, by its actor's id:
// its token was revoked. It may be called again, and goes on where it failed.
func (s *Store) WithdrawAll(ctx context.Context, org identity.Org, requester string) error {
	const waiting = `select id from gavel.proposal where org = $1 and requested_by = $2 and requested_by not like 'agent:%'
		and state = 'open' order by n limit $3`
	var ids []string
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(ctx, waiting, org, requester, mostWithdrawn)
		ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return fmt.Errorf("list what %.60s asked for: %w", requester, err)
	}
	for _, id := range ids {
		if _, err := s.Withdraw(ctx, identity.Gavel(org), id, Withdrawn); err != nil {
			return err
		}
	}
	return nil
}

// end ends an open proposal without a decision, as say says; with its record,
// an entry in the case's history and word to the workflow. If say leaves it
// open, nothing happens.
func (s *Store) end(ctx context.Context, actor identity.Actor, id string, say func(*Proposal) error) (p Proposal, err error) {
	err = s.inOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		p, err = s.endIn(ctx, tx, actor, id, say)
		return err
	})
	return p, err
}

func (s *Store) endIn(ctx context.Context, tx pgx.Tx, actor identity.Actor, id string, say func(*Proposal) error) (Proposal, error) {
	p, err := s.endLocked(ctx, tx, actor, id, say)
	if err != nil {
		return Proposal{}, fmt.Errorf("end %s: %w", id, err)
	}
	return p, nil
}

func (s *Store) endLocked(ctx context.Context, tx pgx.Tx, actor identity.Actor, id string, say func(*Proposal) error) (Proposal, error) {
	l, err := lockForDecision(ctx, tx, actor.Org, "", Decision{Proposal: id})
	p := l.Proposal
	if err != nil || p.State != Open {
		return p, err
	}
	if err := say(&p); err != nil || p.State == Open {
		return p, err
	}
	p.Seed = l.Test
	c, err := writeEnd(ctx, tx, actor, p)
	if err != nil || p.Seed != nil {
		return p, err // nobody waits for the end of a test
	}
	if err := s.tellExpired(ctx, tx, p); err != nil {
		return p, err
	}
	return p, s.wake(ctx, tx, p, c, p.decided())
}

// writeEnd puts on record that a locked proposal has ended without a decision,
// and returns its case.
func writeEnd(ctx context.Context, tx pgx.Tx, actor identity.Actor, p Proposal) (casefile.Case, error) {
	var b pgx.Batch
	queueEnd(&b, p)
	forget(&b, p, "")
	_, err := audit.AppendLater(&b, audit.Record{At: p.EndedAt, Kind: KindProposal, App: p.App, Actor: actor, Subject: p.Case,
		Body: answer{Act: p.ActKey(), ArgsSHA256: p.ArgsSHA256, Proposal: p.ID, Seed: p.seedDigest(), State: p.State}})
	if err != nil {
		return casefile.Case{}, err
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return casefile.Case{}, err
	}
	return enterEnd(ctx, tx, actor, p)
}

// enterEnd adds the end to the case's history, if the case is still open.
func enterEnd(ctx context.Context, tx pgx.Tx, actor identity.Actor, p Proposal) (casefile.Case, error) {
	c, err := casefile.Lock(ctx, tx, casefile.CaseID(p.Case))
	if err != nil {
		return c, err
	}
	_, _, err = casefile.Apply(ctx, tx, c.ID, casefile.Change{
		Key: "proposal:" + p.ID, WaitingFor: c.WaitingFor,
		Entry: casefile.Entry{Kind: "proposal", At: p.EndedAt, ActorKind: actor.Kind, ActorID: actor.ID, ActorName: actor.Name,
			Text: fmt.Sprintf("%s: %s", p.ID, p.State)},
	})
	return c, err
}

// tellExpired tells the person in whose name something was asked for that nobody
// decided it in time.
func (s *Store) tellExpired(ctx context.Context, tx pgx.Tx, p Proposal) error {
	if p.State != Expired || p.OnBehalfOf == "" {
		return nil
	}
	to := toPerson(p.OnBehalfOf)
	return s.tell(ctx, tx, Notice{Org: p.Org, Key: "expired/" + p.ID + "/" + to, To: to, Kind: NoticeExpired, Proposal: p.ID, Case: p.Case,
		At: p.EndedAt})
}

// Undo calls off an approved act that has not begun. It is a decision of its
// own, by somebody who may decide the proposal (the one who approved it
// included), on what was shown then, with a reason. The proposal stays as it
// was decided; the act ends as undone, and the workflow is told. Once the act
// has begun it is a Conflict.
func (s *Store) Undo(ctx context.Context, actor identity.Actor, d Decision) (Proposal, error) {
	d.Verdict = Undo
	if err := d.check(); err != nil {
		return Proposal{}, err
	}
	return s.inDecision(ctx, actor, d, s.undo)
}

func (s *Store) undo(ctx context.Context, r *ruling) error {
	if err := s.authorise(ctx, r); err != nil {
		return err
	}
	switch {
	case r.p.FinalArgsSHA256 == "" || r.p.Tool == "" || r.test != nil:
		return fault.New(fault.Conflict, "%s is %s; there is nothing to undo", r.p.ID, r.p.State).
			Because("nothing_to_undo", "id", r.p.ID, "proposal_state", string(r.p.State))
	case r.d.ShownSHA256 != r.p.ShownSHA256:
		return changedSince(r.p.ID)
	}
	r.digest = r.p.FinalArgsSHA256
	if _, err := s.acts.Undo(ctx, r.tx, r.p.Org, r.p.Key, r.d.ID); err != nil {
		return err
	}
	var b pgx.Batch
	if err := r.write(&b, false); err != nil {
		return err
	}
	if err := r.tx.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	c, err := casefile.Lock(ctx, r.tx, casefile.CaseID(r.p.Case))
	if err != nil {
		return err
	}
	if err := r.enter(ctx, c); err != nil {
		return err
	}
	word := r.p.decided()
	word.State, word.Decision = Undone, r.d.ID
	return s.wake(ctx, r.tx, r.p, c, word)
}

// Blank removes the words of a case's proposals that have ended: arguments, what
// was shown, and the names and reasons of those who decided. Digests stay. It
// returns how many proposals it blanked and how many it left because they are
// open. The acts' words are blanked by act.Blank.
func Blank(ctx context.Context, tx pgx.Tx, org identity.Org, caseID string, at time.Time) (blanked, left int, err error) {
	const update = `
		with ended as (
			update gavel.proposal set args = null, shown = null, final_args = null, line = '', truth = case when truth is null then null
			else '' end, erased_at = $3
			where org = $1 and case_id = $2 and state <> 'open' and erased_at is null
			returning id
		), decided as (
			update gavel.decision d set actor_name = '', reason = '', opened = '', erased_at = $3
			from gavel.proposal p
			where p.org = $1 and p.case_id = $2 and p.state <> 'open' and d.org = $1 and d.proposal = p.id and d.erased_at is null
		)
		select (select count(*) from ended), (select count(*) from gavel.proposal where org = $1 and case_id = $2 and state = 'open')`
	err = tx.QueryRow(ctx, update, org, caseID, at).Scan(&blanked, &left)
	return blanked, left, err
}
