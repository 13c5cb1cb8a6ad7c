package notify

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/seal"
)

// Eraser takes what mail servers said about mails to a subject, which may quote
// their address, and the ids of what they answered, which their own program made. What the mails say is sealed, and goes with the
// subject's key; one that was not sent yet is then not sent at all. Of a member of staff it also takes how they wanted to be
// told.
func Eraser() seal.Eraser {
	return seal.Eraser{Name: "notify", Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
		const blank = `update gavel.mail set reason = '', in_reply_to = '', refs = '{}', erased_at = $2 where recipient = $1
			and erased_at is null and ended_at is not null
			returning coalesce(case_id, '')`
		rows, _ := tx.Query(ctx, blank, s.String(), at)
		cases, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return seal.Reach{}, fmt.Errorf("blank mails: %w", err)
		}
		reach := seal.Reach{Rows: len(cases)}
		for _, c := range cases {
			if c != "" {
				reach.Cases = append(reach.Cases, c)
			}
		}
		if s.Type != casefile.Staff {
			return reach, nil
		}
		// How a member of staff wanted to be told is nobody's business any more.
		for _, forget := range []string{`delete from gavel.notice_wish where person = $1`, `delete from gavel.notice_hours
			where person = $1`} {
			tag, err := tx.Exec(ctx, forget, s.ID)
			if err != nil {
				return seal.Reach{}, fmt.Errorf("forget wishes: %w", err)
			}
			reach.Rows += int(tag.RowsAffected())
		}
		return reach, nil
	}}
}
