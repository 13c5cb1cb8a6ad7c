package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/seal"
)

// blanks take what people wrote about a crossing, a correction and a briefing, of some cases. A correction that waits keeps its reason:
// somebody has yet to decide by it. What signals say is no person's: it came through the gate.
var blanks = []string{
	`update netra.review set reason = '', dissent = '', erased_at = $2 where erased_at is null and case_id = any($1) returning case_id`,
	`update netra.correction set reason = '', why = '', erased_at = $2 where erased_at is null and state <> 'filed' and case_id = any($1)
		returning case_id`,
	`update netra.briefing set question = '', erased_at = $2 where erased_at is null and ended_at is not null and case_id = any($1)
		returning case_id`,
	`update netra.draft d set body = '', erased_at = $2 from netra.briefing b where b.org = d.org and b.id = d.briefing and d.erased_at is null
		and b.ended_at is not null and b.case_id = any($1) returning b.case_id`,
}

// Eraser takes the words that people wrote in cases about a subject. Who decided what, and when, stays.
func Eraser() seal.Eraser {
	return seal.Eraser{Name: Name, Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
		about, err := casefile.About(ctx, tx, s)
		if err != nil {
			return seal.Reach{}, err
		}
		all := make([]seal.Reach, 0, len(blanks))
		for _, sql := range blanks {
			rows, _ := tx.Query(ctx, sql, about, at)
			cases, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return seal.Reach{}, fmt.Errorf("blank what was written about districts: %w", err)
			}
			all = append(all, seal.Reach{Rows: len(cases), Cases: cases})
		}
		var open int
		const waiting = `select count(*) from netra.correction where state = 'filed' and case_id = any($1)`
		if err := tx.QueryRow(ctx, waiting, about).Scan(&open); err != nil {
			return seal.Reach{}, err
		}
		reach := casefile.Together(all...)
		if open > 0 {
			reach.Left = fmt.Sprintf("corrections that wait to be decided: %d", open)
		}
		return reach, nil
	}}
}

// unerased is a column of words as readers are shown it.
func unerased(column string) string {
	return `case when erased_at is null then ` + column + ` else '` + casefile.ErasedText + `' end`
}
