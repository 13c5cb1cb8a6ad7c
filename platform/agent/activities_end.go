package agent

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// EndRecord is the kind of the record that a run ended for a reason no turn
// could give.
const EndRecord audit.Kind = "run_end"

// End records that a run is over for a reason no turn could give. What it has
// left open is taken back first: proposals that nobody need decide any more, and
// acts that were approved and have not begun.
func (s *Steps) End(ctx context.Context, in endInput) error {
	if in.Start == nil {
		if err := s.takeBack(ctx, in); err != nil {
			return err
		}
	}
	now := s.clock.Now()
	const update = `update gavel.run set state = $2, reason = $3, moved_at = $4, ended_at = $4, version = version + 1
		where id = $1 and state not in ('done', 'failed', 'out_of_budget')`
	return s.books.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		if in.Start != nil {
			if known, err := s.neverBegan(ctx, tx, in); err != nil || !known {
				return err
			}
		}
		tag, err := tx.Exec(ctx, update, in.Run, in.State, in.Reason, now)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		_, err = audit.Append(ctx, tx, audit.Record{At: now, Kind: EndRecord, Actor: identity.Gavel(in.Org), Subject: in.Run, Body: struct {
			State  State  `json:"state"`
			Reason string `json:"reason"`
		}{in.State, in.Reason}})
		return err
	})
}

// neverBegan writes a run down whose first turn could not be taken, so that
// people can see it. An agent that this build does not know has no row.
func (s *Steps) neverBegan(ctx context.Context, tx pgx.Tx, in endInput) (known bool, err error) {
	k, err := s.roster.find(in.Start.App, in.Start.Agent)
	if err != nil {
		return false, nil
	}
	t := &turn{Steps: s, in: turnInput{Org: in.Org, Run: in.Run, Start: in.Start}, began: s.clock.Now(), body: k.body}
	t.facts = in.Start.facts(in.Org, in.Run)
	t.facts.Spec = k.digest
	b := &pgx.Batch{}
	t.queueSpec(b)
	const insert = `insert into gavel.run (org, id, case_id, app, agent, name, spec, root, parent, parent_call, for_kind, for_id, roles,
		state, seq,
			workflow_id, workflow_run, started_at, moved_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, nullif($9, ''), nullif($10, ''), $11, $12, $13, 'running', 0, '', '', $14, $14)
		on conflict do nothing`
	f := t.facts
	b.Queue(insert, f.Org, f.ID, f.Case, f.App, f.Agent, f.Name, f.Spec[:], f.Root, f.Parent, f.Call, f.For.Kind, f.For.ID, roles(f),
		t.began)
	return true, tx.SendBatch(ctx, b).Close()
}

// takeBack withdraws a run's open proposals and calls off its acts that have not
// begun.
func (s *Steps) takeBack(ctx context.Context, in endInput) error {
	var proposals, keys []string
	err := s.books.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select id from gavel.proposal where org = $1 and run = $2 and state = 'open' and truth is null
			and kind = $3`, in.Org, in.Run, kindCall)
		var err error
		if proposals, err = pgx.CollectRows(rows, pgx.RowTo[string]); err != nil {
			return err
		}
		rows, _ = tx.Query(ctx, `select key from gavel.act where org = $1 and run = $2 and state in ('planned', 'held')`, in.Org, in.Run)
		keys, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return fmt.Errorf("what run %s left open: %w", in.Run, err)
	}
	for _, id := range proposals {
		if _, err := s.reviews.Withdraw(ctx, identity.Gavel(in.Org), id, review.Withdrawn); err != nil {
			return err
		}
	}
	for _, key := range keys {
		err := s.books.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
			_, err := s.acts.Undo(ctx, tx, in.Org, key, "")
			return err
		})
		if err != nil && !fault.Is(err, fault.Conflict) { // a Conflict: it began after all
			return err
		}
	}
	return nil
}

// GiveUp ends an act that cannot be carried out at all. One that certainly was
// not begun ends as failed; where somebody may have begun it, a person is asked.
func (s *Steps) GiveUp(ctx context.Context, in actInput) error {
	f, err := s.books.facts(ctx, in.Org, in.Run)
	if err != nil {
		return err
	}
	key := actKey(in.Run, in.Call)
	claim, err := s.acts.Begin(ctx, in.Org, key, in.Args, 2*s.sendTimeout)
	switch {
	case err != nil:
		return err
	case claim.Standing == act.Ended:
		return nil
	case claim.Standing == act.Held:
		return fault.New(fault.Unavailable, "act %s is held by a pause", key)
	}
	e := s.effect(f, in.Call, claim)
	if claim.Standing == act.Unsure {
		_, err = e.unknown(ctx)
		return err
	}
	_, err = e.finish(ctx, act.End{State: act.Failed, Reason: "It could not be carried out."}, nil)
	return err
}
