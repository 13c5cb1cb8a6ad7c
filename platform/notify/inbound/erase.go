package inbound

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/seal"
)

// Eraser takes what the rows of mails still say of a subject: the id their mail
// program made, and why somebody decided. What the mails say is sealed, and goes
// with its key.
func Eraser() seal.Eraser {
	return seal.Eraser{Name: "inbound", Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
		const blank = `update gavel.mail_in set message_id = '', note = '', erased_at = $2
			where erased_at is null and (raw_sha256 in (select object from gavel.sealed where subject = $1) or sender = $1
				or case_id in (select case_id from gavel.case_subject where subject = $1 and seq = 0))
			returning coalesce(case_id, '')`
		rows, _ := tx.Query(ctx, blank, s.String(), at)
		cases, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return seal.Reach{}, fmt.Errorf("blank mails that came in: %w", err)
		}
		reach := seal.Reach{Rows: len(cases)}
		for _, c := range cases {
			if c != "" {
				reach.Cases = append(reach.Cases, c)
			}
		}
		return reach, nil
	}}
}
