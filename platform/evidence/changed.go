package evidence

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// maxChanged bounds about how many cases is asked at once.
const maxChanged = 500

// ChangedSince says of some cases when evidence was last put on them, or a fact of
// theirs last entered, after a moment: what was proposed before that rests on
// less than there is now. A case on which nothing was is left out.
func (s *Store) ChangedSince(ctx context.Context, org identity.Org,
	since map[casefile.CaseID]time.Time) (map[casefile.CaseID]time.Time, error) {
	if len(since) > maxChanged {
		return nil, fault.New(fault.TooLarge, "at most %d cases are asked about at once, not %d", maxChanged, len(since))
	}
	// The log knows, in the order of time, and only what came after the moment is
	// looked through.
	const newest = `select c.id, r.at from unnest($2::text[], $3::text[], $4::timestamptz[]) c(id, first, since) cross join lateral (
			select r.at from gavel.record r where r.org = $1 and r.subject = c.id and r.id >= c.first and r.kind in ('evidence', 'facts')
			and r.at > c.since
			order by r.id desc limit 1) r`
	var ids, firsts []string
	var moments []time.Time
	for id, at := range since {
		ids, firsts, moments = append(ids, string(id)), append(firsts, firstRecord(at)), append(moments, at)
	}
	found := map[casefile.CaseID]time.Time{}
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, newest, org, ids, firsts, moments)
		var id casefile.CaseID
		var at time.Time
		_, err := pgx.ForEachRow(rows, []any{&id, &at}, func() error {
			found[id] = at.UTC()
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("when evidence changed: %w", err)
	}
	return found, nil
}

// firstRecord is the least id that a record of a moment can have.
func firstRecord(at time.Time) string {
	var id ulid.ULID
	if err := id.SetTime(ulid.Timestamp(at)); err != nil {
		return "rec_" // a moment before there were any
	}
	return "rec_" + id.String()
}
