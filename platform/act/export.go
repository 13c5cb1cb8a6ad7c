package act

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// MaxOfCase is the most acts of one case that are read at once.
const MaxOfCase = 20_000

// AllOfCase reads every act of a case, in the order they were planned, inside
// the caller's transaction: for bundles, which leave nothing out.
func AllOfCase(ctx context.Context, tx pgx.Tx, org identity.Org, caseID string) ([]Act, error) {
	const all = `select ` + actColumns + ` from gavel.act where org = $1 and case_id = $2 order by planned_at, key limit $3`
	rows, _ := tx.Query(ctx, all, org, caseID, MaxOfCase+1)
	acts, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Act])
	if err != nil {
		return nil, fmt.Errorf("read the acts of %s: %w", caseID, err)
	}
	if len(acts) > MaxOfCase {
		return nil, fault.New(fault.TooLarge, "case %s has more than %d acts", caseID, MaxOfCase)
	}
	return acts, nil
}
