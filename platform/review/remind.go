package review

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// KindAttention is the kind of a record about what happened around a proposal
// that waits: somebody was reminded, it went on to others, it was assigned, or
// somebody put it off.
const KindAttention audit.Kind = "attention"

// A heed is what the log says of it.
type heed struct {
	Proposal string          `json:"proposal"`
	Roles    []identity.Role `json:"roles,omitempty"`
	Step     string          `json:"step"` // reminded, escalated, assigned or snoozed
	To       string          `json:"to,omitempty"`
	Until    string          `json:"until,omitempty"`
}

func (p Proposal) heed(actor identity.Actor, at time.Time, h heed) audit.Record {
	h.Proposal = p.ID
	return audit.Record{At: at, Kind: KindAttention, App: p.App, Actor: actor, Subject: p.Case, Body: h}
}

// Attended is how a proposal stands after what was due was done.
type Attended struct {
	Decided Decided   `json:"decided"` // its State is open while it waits
	Next    time.Time `json:"next,omitzero"`
}

// Attend does what is due by at around a proposal that waits: it reminds, lets it
// go on to others, or ends it as expired. at is the time of the workflow that
// waits for it; Next is when to call again, zero for never. It may be called
// again, and too early: everything in it happens once.
func (s *Store) Attend(ctx context.Context, org identity.Org, key string, at time.Time) (out Attended, err error) {
	const one = `select id from gavel.proposal where org = $1 and key = $2`
	at = at.UTC().Truncate(time.Microsecond)
	var p Proposal
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, one, org, key)
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		if len(ids) == 0 {
			return fault.New(fault.NotFound, "nothing is proposed under the key %.120q", key)
		}
		l, err := lockForDecision(ctx, tx, org, "", Decision{Proposal: ids[0]})
		if p = l.Proposal; err != nil || p.State != Open {
			return err
		}
		if err := s.remind(ctx, tx, &p, at); err != nil {
			return err
		}
		return s.escalate(ctx, tx, &p, at)
	})
	if err == nil && p.State == Open && !p.ExpiresAt.IsZero() && !at.Before(p.ExpiresAt) {
		if p, err = s.Expire(ctx, org, p.ID, at); err == nil {
			_, err = s.ExpireSeeds(ctx, org, at) // nobody waits for those
		}
	}
	if err != nil {
		return Attended{}, fmt.Errorf("attend to %s: %w", key, err)
	}
	return Attended{Decided: p.decided(), Next: p.next()}, nil
}

// next is when something is due around a proposal.
func (p Proposal) next() (next time.Time) {
	if p.State != Open {
		return time.Time{}
	}
	for _, t := range []struct {
		at, done time.Time
	}{{p.RemindAt, p.RemindedAt}, {p.EscalateAt, p.EscalatedAt}, {p.ExpiresAt, time.Time{}}} {
		if !t.at.IsZero() && t.done.IsZero() && (next.IsZero() || t.at.Before(next)) {
			next = t.at
		}
	}
	return next
}

// remind tells those for whom a proposal waits that it still does.
func (s *Store) remind(ctx context.Context, tx pgx.Tx, p *Proposal, at time.Time) error {
	if p.RemindAt.IsZero() || !p.RemindedAt.IsZero() || at.Before(p.RemindAt) {
		return nil
	}
	p.RemindedAt = at
	var b pgx.Batch
	b.Queue(`update gavel.proposal set reminded_at = $3 where org = $1 and id = $2`, string(p.Org), p.ID, at)
	if _, err := audit.AppendLater(&b, p.heed(identity.Gavel(p.Org), at, heed{Step: "reminded", Roles: p.Deciders,
		To: p.AssignedTo})); err != nil {
		return err
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	return s.tellAbout(ctx, tx, *p, NoticeReminder, p.Deciders, at)
}

// escalate lets others decide a proposal, too. It is then nobody's in particular.
func (s *Store) escalate(ctx context.Context, tx pgx.Tx, p *Proposal, at time.Time) error {
	if p.EscalateAt.IsZero() || !p.EscalatedAt.IsZero() || at.Before(p.EscalateAt) {
		return nil
	}
	const update = `update gavel.proposal set escalated_at = $3, deciders = deciders || escalate_to, assigned_to = '' where org = $1
		and id = $2`
	p.EscalatedAt, p.Deciders, p.AssignedTo = at, slices.Concat(p.Deciders, p.EscalateTo), ""
	var b pgx.Batch
	b.Queue(update, string(p.Org), p.ID, at)
	if _, err := audit.AppendLater(&b, p.heed(identity.Gavel(p.Org), at, heed{Step: "escalated", Roles: p.EscalateTo})); err != nil {
		return err
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	return s.tellAbout(ctx, tx, *p, NoticeEscalation, p.EscalateTo, at)
}
