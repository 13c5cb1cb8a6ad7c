package act

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// MostListed is the most acts a page of them has.
const MostListed = 200

// ListOutside reads the acts that go beyond our walls, of all cases, the newest first:
// those older than the act before, which is a key of the page before, or all. next
// is the before of the page after this one; empty on the last.
func (s *Store) ListOutside(ctx context.Context, org identity.Org, before string, limit int) (acts []Act, next string, err error) {
	if limit < 1 || limit > MostListed {
		return nil, "", fault.New(fault.Invalid, "a page has 1 to %d acts, not %d", MostListed, limit)
	}
	const page = `select ` + actColumns + ` from gavel.act a
		where a.org = $1 and a.effect = 'outside'
			and ($2 = '' or (a.planned_at, a.key) < (select b.planned_at, b.key from gavel.act b where b.org = $1 and b.key = $2))
		order by a.planned_at desc, a.key desc limit $3`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, org, before, limit+1)
		acts, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Act])
		return err
	})
	if err == nil && len(acts) > limit {
		acts = acts[:limit]
		next = acts[limit-1].Key
	}
	return acts, next, err
}
