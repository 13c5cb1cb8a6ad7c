package poolpatrol

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
)

// readExceptions reads the exceptions for some people and vans or, with nil, for all
// that nobody has taken back, those that have run out among them: which hold on a
// day, the audit says.
func readExceptions(ctx context.Context, tx pgx.Tx, subjects []string) (check.Exceptions, error) {
	var all []check.Exception
	var e check.Exception
	query, args := among(`select subject, check_name, until_day`+sinceEpoch+`, reason, granted_by from poolpatrol.exception where ended_at is null`, "subject", subjects)
	rows, _ := tx.Query(ctx, query+` order by id`, args...)
	_, err := pgx.ForEachRow(rows, []any{&e.Subject, &e.Check, &e.Until, &e.Reason, &e.By}, func() error {
		all = append(all, e)
		return nil
	})
	if err != nil {
		return check.Exceptions{}, fmt.Errorf("read exceptions: %w", err)
	}
	return check.NewExceptions(all)
}
