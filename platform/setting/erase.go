package setting

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/seal"
)

// leftInForce is what an eraser says of settings that name somebody and are in force.
const leftInForce = "settings in force that name them; change those"

// Eraser blanks versions that are not in force any more and name somebody: by their id, or as
// staff by the name or address they sign in with. It runs before those are taken. What is in
// force is the institution's own set-up; it says that there is some.
func Eraser() seal.Eraser {
	const (
		named = `exists (select from unnest($1::text[]) w where length(w) > 3
			and position(trim(both '"' from to_json(w)::text) in s.value) > 0)`
		last  = `(select max(version) from gavel.setting l where l.app = s.app and l.name = s.name and l.item = s.item)`
		blank = `update gavel.setting s set value = null, erased_at = $2 where value is not null and version < ` + last + ` and ` + named
		left  = `select exists (select from gavel.setting s where value is not null and version = ` + last + ` and ` + named + `)`
	)
	return seal.Eraser{Name: "setting", Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject,
		at time.Time) (r seal.Reach, err error) {
		words, err := wordsOf(ctx, tx, s)
		if err != nil {
			return r, err
		}
		tag, err := tx.Exec(ctx, blank, words, at)
		if err != nil {
			return r, fmt.Errorf("blank old settings: %w", err)
		}
		r.Rows = int(tag.RowsAffected())
		var some bool
		if err := tx.QueryRow(ctx, left, words).Scan(&some); err != nil {
			return r, err
		}
		if some {
			r.Left = leftInForce
		}
		return r, nil
	}}
}

// wordsOf are what somebody may be called by in a setting.
func wordsOf(ctx context.Context, tx pgx.Tx, s seal.Subject) ([]string, error) {
	words := []string{s.ID}
	if s.Type != casefile.Staff {
		return words, nil
	}
	rows, _ := tx.Query(ctx, `select unnest(array[name, email]) from gavel.person where id = $1`, s.ID)
	more, err := pgx.CollectRows(rows, pgx.RowTo[string])
	return append(words, more...), err
}
