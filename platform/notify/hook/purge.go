package hook

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

// Purge removes messages of all organisations that came to an end longer ago than
// Keep, with what was answered to them. Now is the installation's clock.
func Purge(ctx context.Context, sys *postgres.System, now time.Time) (int64, error) {
	tag, err := sys.Exec(ctx, `delete from gavel.webhook_message where state <> 'waiting' and ended_at < $1`, now.Add(-Keep))
	return tag.RowsAffected(), err
}

// Eraser blanks every answer that was kept, whoever is erased: it is somebody
// else's text, and which of them name the person is not known. Messages hold ids
// alone.
func Eraser() seal.Eraser {
	const blank = `update gavel.webhook_attempt set answer = '' where answer <> ''`
	return seal.Eraser{Name: "webhook", Erase: func(ctx context.Context, tx pgx.Tx, _ seal.Subject, _ time.Time) (seal.Reach, error) {
		tag, err := tx.Exec(ctx, blank)
		return seal.Reach{Rows: int(tag.RowsAffected())}, err
	}}
}
