package store

import (
	"context"

	"github.com/jackc/pgx/v5"
)

// MostWriters is how many people Writers names.
const MostWriters = 50

// everyHand is who had a part in the words of a section, in any of its versions: who wrote one, and who asked for a drafting, whatever
// worded it then.
const everyHand = `from reportagent.version v cross join lateral (values (case when v.how = 'person' then v.made_by end),
		(nullif(v.asked_by, ''))) h (who)
	where v.report = $1 and v.section = $2 and h.who is not null`

// Writers are the people who had a part in the words of a section, who did last first, at most MostWriters.
func Writers(ctx context.Context, tx pgx.Tx, report, section string) ([]string, error) {
	rows, _ := tx.Query(ctx, `select h.who `+everyHand+` group by h.who order by max(v.n) desc, h.who limit $3`, report, section, MostWriters)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// Wrote reports whether one of some people had a part in the words of a section.
func Wrote(ctx context.Context, tx pgx.Tx, report, section string, people ...string) (did bool, err error) {
	err = tx.QueryRow(ctx, `select exists (select `+everyHand+` and h.who = any ($3))`, report, section, people).Scan(&did)
	return did, err
}
