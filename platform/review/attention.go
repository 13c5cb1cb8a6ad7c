package review

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// How long a claim lasts, and the longest somebody may put a proposal off.
const (
	ClaimFor      = 10 * time.Minute
	LongestSnooze = 90 * 24 * time.Hour
)

// A Claim says that somebody is looking at a proposal. It keeps nobody from
// deciding. The zero Claim is nobody's.
type Claim struct {
	By, Name string
	Until    time.Time
}

// waiting locks an open proposal for a change around it. needs is the act that
// policy is asked about.
func (s *Store) waiting(ctx context.Context, actor identity.Actor, needs, id string, run func(tx pgx.Tx, p locked,
	now time.Time) error) error {
	if err := s.rules.May(actor, needs); err != nil {
		return err
	}
	now := s.clock.Now().UTC().Truncate(time.Microsecond)
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		l, err := lockForDecision(ctx, tx, actor.Org, "", Decision{Proposal: id})
		if err != nil {
			return err
		}
		if l.State != Open {
			return fault.New(fault.Conflict, "%s is %s already", l.ID, l.State).
				Because("already_decided", "id", l.ID, "proposal_state", string(l.State))
		}
		return run(tx, l, now)
	})
	if err != nil {
		return fmt.Errorf("proposal %.40s: %w", id, err)
	}
	return nil
}

// Snooze takes a proposal out of one's own inbox until a moment, which comes
// before it expires. A moment that has passed brings it back.
func (s *Store) Snooze(ctx context.Context, actor identity.Actor, id string, until time.Time) error {
	const put = `insert into gavel.proposal_snooze (org, actor_id, proposal, until) values ($1, $2, $3, $4)
		on conflict (org, actor_id, proposal) do update set until = excluded.until`
	until = until.UTC().Truncate(time.Microsecond)
	return s.waiting(ctx, actor, actDecide, id, func(tx pgx.Tx, p locked, now time.Time) error {
		switch {
		case !p.ExpiresAt.IsZero() && !until.Before(p.ExpiresAt):
			return fault.New(fault.Invalid, "%s expires before that", p.ID).WithNext("choose an earlier time, or decide it").
				Because("snooze_expires", "id", p.ID)
		case until.Sub(now) > LongestSnooze:
			return fault.New(fault.Invalid, "nothing can be snoozed for longer than %d days", int(LongestSnooze.Hours()/24)).
				Because("snooze_too_long", "n", strconv.Itoa(int(LongestSnooze.Hours()/24)))
		}
		var b pgx.Batch
		b.Queue(put, string(p.Org), actor.ID, p.ID, until)
		if _, err := audit.AppendLater(&b, p.heed(actor, now, heed{Step: "snoozed", Until: until.Format(time.RFC3339Nano)})); err != nil {
			return err
		}
		return tx.SendBatch(ctx, &b).Close()
	})
}

// Claim says that the actor, who may decide it, is looking at a proposal, for ten
// minutes; calling it again goes on. It returns who is looking, which is the one
// who came first.
func (s *Store) Claim(ctx context.Context, actor identity.Actor, id string) (c Claim, err error) {
	const put = `insert into gavel.proposal_claim as c (org, proposal, actor_id, actor_name, until) values ($1, $2, $3, $4, $5)
		on conflict (org, proposal) do update set
			actor_id = case when c.until > $6 then c.actor_id else excluded.actor_id end,
			actor_name = case when c.until > $6 then c.actor_name else excluded.actor_name end,
			until = case when c.until > $6 and c.actor_id <> excluded.actor_id then c.until else excluded.until end
		returning actor_id, actor_name, until`
	err = s.waiting(ctx, actor, actDecide, id, func(tx pgx.Tx, p locked, now time.Time) error {
		if err := s.mayHave(ctx, tx, actor, p, now); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, put, p.Org, p.ID, actor.ID, actor.Name, now.Add(ClaimFor), now).Scan(&c.By, &c.Name, &c.Until)
		c.Until = c.Until.UTC()
		return err
	})
	return c, err
}

// Unclaim says that the actor has stopped looking.
func (s *Store) Unclaim(ctx context.Context, actor identity.Actor, id string) error {
	const remove = `delete from gavel.proposal_claim where org = $1 and proposal = $2 and actor_id = $3`
	if err := s.rules.May(actor, actDecide); err != nil {
		return err
	}
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, remove, actor.Org, id, actor.ID)
		return err
	})
}

// mayHave refuses who may decide a proposal neither by their own right nor by
// somebody's delegation.
func (s *Store) mayHave(ctx context.Context, tx pgx.Tx, who identity.Actor, p locked, at time.Time) error {
	return s.authorise(ctx, &ruling{tx: tx, actor: who, p: p.Proposal, voices: p.Voices, behalf: p.Behalf, at: at})
}

// Assign says who is to decide a proposal: somebody who may, and who can open
// everything it shows. They are told. Others who may decide it still may, but it
// is no longer in their inbox. An empty id assigns it to nobody in particular.
// It is for who assigns proposals, and for who may decide this one.
func (s *Store) Assign(ctx context.Context, actor identity.Actor, id, to string) error {
	return s.waiting(ctx, actor, actRead, id, func(tx pgx.Tx, p locked, now time.Time) error {
		if refused := s.rules.May(actor, actAssign); refused != nil {
			if err := s.rules.May(actor, actDecide); err != nil {
				return err
			}
			if err := s.mayHave(ctx, tx, actor, p, now); err != nil {
				return err
			}
		}
		if to == p.AssignedTo {
			return nil
		}
		if p.Gate == ByOneself {
			return fault.New(fault.Conflict, "%s is confirmed by the person it is done for, and assigned to nobody", p.ID).
				Because("not_assigned", "id", p.ID)
		}
		if to != "" {
			if err := s.checkAssignee(ctx, tx, p, to, now); err != nil {
				return err
			}
		}
		return s.writeAssigned(ctx, tx, actor, p.Proposal, to, now)
	})
}

// checkAssignee refuses to assign a proposal to somebody who could not decide it
// in the end, while there is time to choose another.
func (s *Store) checkAssignee(ctx context.Context, tx pgx.Tx, p locked, to string, at time.Time) error {
	who, err := s.find(ctx, tx, p.Org, to)
	if err != nil {
		return err
	}
	if slices.Contains(p.Voices, to) || slices.Contains(p.Behalf, to) {
		return fault.New(fault.Invalid, "%.60s has approved %s already, or somebody on their behalf", to, p.ID).
			WithNext("choose somebody else").Because("assignee_signed", "name", to, "id", p.ID)
	}
	if err := s.mayHave(ctx, tx, who, p, at); err != nil {
		return fault.From(fault.Invalid, err, "%.60s may not decide %s", to, p.ID).WithNext("choose somebody who may").
			Because("assignee_may_not", "name", to, "id", p.ID)
	}
	return s.checkOpen(ctx, who, p.Proposal)
}

// checkOpen refuses somebody who cannot open everything that a proposal shows.
func (s *Store) checkOpen(ctx context.Context, who identity.Actor, p Proposal) error {
	err := s.rules.May(who, actRead)
	if err == nil && s.canOpen != nil {
		err = s.canOpen(ctx, who, p)
	}
	if err != nil {
		return fault.From(fault.Invalid, err, "%.60s cannot open everything that %s shows", who.ID, p.ID).
			WithNext("choose somebody who can, or give them the role they lack").Because("assignee_cannot_read", "name", who.ID, "id", p.ID)
	}
	return nil
}

func (s *Store) writeAssigned(ctx context.Context, tx pgx.Tx, actor identity.Actor, p Proposal, to string, at time.Time) error {
	var b pgx.Batch
	b.Queue(`update gavel.proposal set assigned_to = $3 where org = $1 and id = $2`, string(p.Org), p.ID, to)
	record, err := audit.AppendLater(&b, p.heed(actor, at, heed{Step: "assigned", To: to}))
	if err != nil {
		return err
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil || to == "" || to == actor.ID {
		return err
	}
	return s.tell(ctx, tx, Notice{Org: p.Org, Key: "assigned/" + p.ID + "/" + string(record), To: toPerson(to), Kind: NoticeAssigned,
		Proposal: p.ID, Case: p.Case, At: at})
}
