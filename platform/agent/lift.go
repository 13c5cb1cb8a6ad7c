package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/review"
)

// WakeHeld leaves word for the workflows that wait with acts which a pause held:
// what act.Pauses needs as its Wake. A workflow that waits with several is told
// once. One whose word is lost looks for itself within the hour.
func WakeHeld(cases *casefile.Store) func(ctx context.Context, tx pgx.Tx, org identity.Org, keys []string) error {
	return func(ctx context.Context, tx pgx.Tx, org identity.Org, keys []string) error {
		waits, err := waitersWith(ctx, tx, org, keys)
		if err != nil {
			return fmt.Errorf("who waits for a pause to end: %w", err)
		}
		for _, w := range waits {
			wake, err := w.wake(cases)
			if err != nil {
				return err
			}
			err = outbox.AddSignal(ctx, tx, org, wake.WorkflowID, outbox.Signal{Name: LiftedSignal, Input: json.RawMessage(`{}`),
				Start: wake.Start})
			if err != nil {
				return err
			}
		}
		return nil
	}
}

// A waiter is a workflow that waits with an act: the one that the act's proposal
// names, that of the run, or that of the case.
type waiter struct {
	Workflow string  // empty where it is the case's
	Proposal *string // the proposal's own word on whom to wake, as JSON; nil where policy let the act run
	Case     casefile.CaseID
	App, Key string // of the case
	Org      identity.Org
}

func waitersWith(ctx context.Context, tx pgx.Tx, org identity.Org, keys []string) ([]waiter, error) {
	const all = `
		select distinct on (1, 3) coalesce(nullif(p.wake::json ->> 'workflow_id', ''), r.workflow_id, ''), p.wake, c.id, c.app, c.key, c.org
		from gavel.act a join gavel.case c on c.org = a.org and c.id = a.case_id
		left join gavel.proposal p on p.org = a.org and p.id = a.proposal
		left join gavel.run r on r.org = a.org and r.id = a.run
		where a.org = $1 and a.key = any ($2) order by 1, 3`
	rows, _ := tx.Query(ctx, all, org, keys) // CollectRows reports Query's error too
	return pgx.CollectRows(rows, pgx.RowToStructByPos[waiter])
}

// wake says where the workflow is, and how it is begun anew should its last run
// have come to a bad end.
func (w waiter) wake(cases *casefile.Store) (out review.Wake, err error) {
	if w.Proposal != nil {
		if err := json.Unmarshal([]byte(*w.Proposal), &out); err != nil {
			return out, err
		}
	}
	id, again, err := cases.Wake(casefile.Case{ID: w.Case, Org: w.Org, App: w.App, Key: w.Key})
	out.WorkflowID = cmp.Or(w.Workflow, id)
	if out.WorkflowID == id && out.Start.Workflow == "" {
		out.Start = again
	}
	return out, err
}
