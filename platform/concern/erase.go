package concern

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/seal"
)

// Eraser blanks what was said to and by the people whom cases concern: summaries
// of links, objections and answers, of every case that is about the subject or
// hears an objection to one. A link without its summary opens nothing.
func Eraser() seal.Eraser {
	return seal.Eraser{Name: "concern", Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
		const theirs = `(select case_id from gavel.case_subject where subject = $1 and seq = 0)`
		links, err := blank(ctx, tx, `update gavel.concern_link set summary = '', erased_at = $2
			where erased_at is null and case_id in `+theirs+` returning case_id`, s, at)
		if err != nil {
			return seal.Reach{}, fmt.Errorf("blank links: %w", err)
		}
		said, err := blank(ctx, tx, `update gavel.objection o set body = '', answer = '', erased_at = $2
			where erased_at is null and (case_id in `+theirs+` or exists (select from gavel.concern_link l where l.id = o.link and l.case_id in `+theirs+`))
			returning case_id`, s, at)
		if err != nil {
			return seal.Reach{}, fmt.Errorf("blank objections: %w", err)
		}
		return casefile.Together(links, said), nil
	}}
}

func blank(ctx context.Context, tx pgx.Tx, update string, s seal.Subject, at time.Time) (seal.Reach, error) {
	rows, _ := tx.Query(ctx, update, s.String(), at)
	cases, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return seal.Reach{}, err
	}
	return seal.Reach{Rows: len(cases), Cases: cases}, nil
}
