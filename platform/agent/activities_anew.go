package agent

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// begunAnew is why a run is over whose workflow was ended and begun again.
const begunAnew = "Its workflow was begun anew."

// takeOver ends the runs that an earlier run of this very workflow left: it was ended
// from outside, by an operator or after a restore, and nobody else sees them through.
// What they asked people for is withdrawn, and what may have been done is found out or
// asked about. A conversation goes on by itself, and a run below another has it done
// above.
func (t *turn) takeOver(ctx context.Context) error {
	if t.facts.Parent != "" || t.wake.WorkflowID != "" || t.workflow[0] == "" {
		return nil
	}
	const left = `select id from gavel.run where case_id = $1 and workflow_id = $2 and workflow_run not in ('', $3)
		and state not in ('done', 'failed', 'out_of_budget') order by started_at, id`
	var runs []string
	err := t.books.db.InOrg(ctx, t.in.Org, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(ctx, left, t.facts.Case, t.workflow[0], t.workflow[1])
		runs, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	for _, run := range runs {
		if err == nil {
			err = t.settle(ctx, t.in.Org, run)
		}
		if err == nil {
			err = t.End(ctx, endInput{Org: t.in.Org, Run: run, State: Failed, Reason: begunAnew})
		}
	}
	if err != nil {
		return fmt.Errorf("end what was begun before: %w", err)
	}
	return nil
}

// settle brings the acts of a run that is over to their end, those that somebody had
// begun: a pause holds no question.
func (s *Steps) settle(ctx context.Context, org identity.Org, run string) error {
	type begun struct {
		Key  string
		Free bool
	}
	var all []begun
	err := s.books.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(ctx, `select key, lease_until <= clock_timestamp() from gavel.act where org = $1 and run = $2
			and state = 'running' order by key`, org, run)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[begun])
		return err
	})
	if err != nil || len(all) == 0 {
		return err
	}
	f, err := s.books.facts(ctx, org, run)
	if err != nil {
		return err
	}
	for _, one := range all {
		if !one.Free {
			return fault.New(fault.Unavailable, "act %s is being carried out by another worker", one.Key)
		}
		if err := s.settleAct(ctx, f, one.Key); err != nil {
			return err
		}
	}
	return nil
}

// settleAct asks the other side about one act. What certainly was not done is not
// done any more.
func (s *Steps) settleAct(ctx context.Context, f facts, key string) error {
	a, err := s.acts.Get(ctx, f.Org, key)
	if err != nil || a.State != act.Running {
		return err
	}
	e := s.effect(f, a.Call, act.Claim{Standing: act.Unsure, Fence: a.Fence, Act: a})
	if a.Effect == act.Outside {
		if e.tool.Name == "" {
			_, err := e.unknown(ctx)
			return err
		}
		if _, settled, err := e.look(ctx); err != nil || settled {
			return err
		}
	}
	_, err = e.finish(ctx, act.End{State: act.Failed, Reason: begunAnew}, nil)
	return err
}
