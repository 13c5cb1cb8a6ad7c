package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/postgres"
)

// How long things are kept.
const (
	SignalsKept    = 400 * 24 * time.Hour // a year, and the time to look back on it
	quarantineKept = 30 * 24 * time.Hour
)

// Retention says what is kept how long.
func Retention() []postgres.Retention {
	return []postgres.Retention{
		{What: "netra_signals", Keep: SignalsKept, Ends: postgres.EndsByTime},
		{What: "netra_quarantine", Keep: quarantineKept, Ends: postgres.EndsByTime},
		{What: "netra_briefings", Keep: SignalsKept, Ends: postgres.EndsByTime},
		{What: "netra_scores", Ends: postgres.EndsNever},
		{What: "netra_corrections", Ends: postgres.EndsNever},
		{What: "netra_validations", Ends: postgres.EndsNever},
	}
}

// Purge deletes, in all organisations, what was kept its time, and returns about how many rows that was. Signals go a
// day at a time, and their sums with them.
func Purge(ctx context.Context, sys *postgres.System, now time.Time) (int64, error) {
	var n int64
	for _, old := range []struct {
		sql  string
		keep time.Duration
	}{
		{`delete from netra.day where day < $1::timestamptz::date`, SignalsKept},
		{`delete from netra.hour where hour < ($1::timestamptz::date)::timestamptz`, SignalsKept},
		{`delete from netra.heard where day < $1::timestamptz::date`, SignalsKept},
		{`delete from netra.quarantine where at < $1`, quarantineKept},
		{`delete from netra.ingest where last_at < $1`, SignalsKept},
		{`delete from netra.briefing where asked_at < $1 and ended_at is not null`, SignalsKept},
	} {
		tag, err := sys.Exec(ctx, old.sql, now.Add(-old.keep))
		if err != nil {
			return n, fmt.Errorf("delete what was kept its time: %w", err)
		}
		n += tag.RowsAffected()
	}
	err := sys.InTx(ctx, func(tx pgx.Tx) error {
		var signals int64
		err := tx.QueryRow(ctx, `select netra.close_days($1::timestamptz::date)`, now.Add(-SignalsKept)).Scan(&signals)
		n += signals
		return err
	})
	return n, err
}
