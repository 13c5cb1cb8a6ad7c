package seal

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// An Erased is an erasure that was done, as a list shows it. All of it is in the
// record.
type Erased struct {
	Subject string
	N       int // how many times this subject had been erased by then
	At      time.Time
	Record  audit.RecordID
}

// mostErasures is how many a page of the list has.
const mostErasures = 200

// Erasures lists what was erased, the newest first: what came before a record, or
// the newest where that is empty. next is where the following page begins, empty on
// the last.
func (v *Vault) Erasures(ctx context.Context, actor identity.Actor, before audit.RecordID,
	limit int) (all []Erased, next audit.RecordID, err error) {
	if err := v.may(actor, "subject.read"); err != nil {
		return nil, "", err
	}
	if limit < 1 || limit > mostErasures {
		return nil, "", fault.New(fault.Invalid, "a page has 1 to %d erasures, not %d", mostErasures, limit)
	}
	const page = `select subject, n, at, record_id from gavel.erasure where org = $1
			and ($2 = '' or (at, record_id) < (select b.at, b.record_id from gavel.erasure b where b.org = $1 and b.record_id = $2))
		order by at desc, record_id desc limit $3`
	err = v.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, actor.Org, string(before), limit+1)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Erased])
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("list what was erased: %w", err)
	}
	if len(all) > limit {
		all, next = all[:limit], all[limit-1].Record
	}
	return all, next, nil
}
