package notify

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
)

// DoubtOpen counts every mail that was queued by a moment and has come to no end as
// one that somebody may have handed over: the database was restored, and it may have
// gone in the time that was lost. It says how many there were. A letter's act says
// the same of it, by act.DoubtOpen; its row only keeps since when it may have been
// there, which is what a sink goes by that tells repeats for a while.
func DoubtOpen(ctx context.Context, tx pgx.Tx, by time.Time) (letters, word int64, err error) {
	// What no try is on record of was handed over, if it was, after it was queued or
	// last looked at: due_at and last_try_at are of then.
	const all = `
		with doubted as (
			update gavel.mail set first_try_at = least(first_try_at, last_try_at, due_at), last_try_at = least(last_try_at, due_at),
				state = case when case_id is null then 'sending' else state end, tries = tries + case when case_id is null
				and state = 'queued' then 1 else 0 end
			where ended_at is null and queued_at <= $1
			returning case_id is not null as letter)
		select count(*) filter (where letter), count(*) filter (where not letter) from doubted`
	if err := tx.QueryRow(ctx, all, by).Scan(&letters, &word); err != nil {
		return 0, 0, fmt.Errorf("doubt the mails that are open: %w", err)
	}
	return letters, word, nil
}
