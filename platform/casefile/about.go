package casefile

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/seal"
)

// About lists the cases that are about a subject, in the organisation of the
// caller's transaction: for erasers of what other packages keep of a case. A
// case that only an entry connects with them is not among these.
func About(ctx context.Context, tx pgx.Tx, s seal.Subject) ([]CaseID, error) {
	const all = `select case_id from gavel.case_subject where subject = $1 and seq = 0 order by case_id`
	rows, _ := tx.Query(ctx, all, s.String())
	ids, err := pgx.CollectRows(rows, pgx.RowTo[CaseID])
	if err != nil {
		return nil, fmt.Errorf("find the cases about %s: %w", s.Type, err)
	}
	return ids, nil
}
