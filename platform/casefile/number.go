package casefile

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
)

// NextRef names a case by a prefix and a number of three digits or more that counts up, for a
// Kind whose cases are named by a day, a year or a week: CAQM-2026-11-14-001. It is called in
// the transaction that opens the case; two at once get two numbers.
func NextRef(ctx context.Context, tx pgx.Tx, c Case, prefix string) (string, error) {
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, c.App+"/"+string(c.Org)+"/"+prefix); err != nil {
		return "", err
	}
	var n int
	const last = `select coalesce(max(substring(ref from $2::int)::int), 0) + 1 from gavel.case where app = $1 and ref like $3 || '%'`
	err := tx.QueryRow(ctx, last, c.App, len(prefix)+1, prefix).Scan(&n)
	return fmt.Sprintf("%s%03d", prefix, n), err
}
