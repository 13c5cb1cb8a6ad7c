package casefile

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// MostMoving is where Moving stops counting: nobody reads the difference.
const MostMoving = 1_000

// Moving counts the cases of an organisation that are not closed; over MostMoving
// means more than that.
func (s *Store) Moving(ctx context.Context, org identity.Org) (n int, err error) {
	const count = `select count(*) from (select from gavel.case where org = $1 and state in ('open', 'waiting') limit $2) counted`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error { return tx.QueryRow(ctx, count, org, MostMoving+1).Scan(&n) })
	if err != nil {
		return 0, fmt.Errorf("count open cases: %w", err)
	}
	return n, nil
}
