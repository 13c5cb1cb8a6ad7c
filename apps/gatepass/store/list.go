package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
)

// A Query narrows a list of passes.
type Query struct {
	Statuses []pass.Status
	Words    string // in a number or a name
	From, To time.Time
	Site     string
	Overdue  bool
	Lane     pass.Lane // where it stands on the board
	Day      time.Time // when the day of the board began
	Deleted  bool      // those too
	Oldest   bool      // first; else the newest
	After    string
	Limit    int
}

// ListedAt is where a pass stands in a list.
func (k Kept) ListedAt() list.Cursor { return list.Cursor{At: k.CreatedAt, ID: k.ID} }

// List reads a part of the passes, where the next part begins, and how many there are in all.
func (s *Store) List(ctx context.Context, org identity.Org, q Query) (all []Kept, next string, total int, err error) {
	where, args := q.where(s.Now())
	err = s.In(ctx, org, func(tx pgx.Tx) error {
		if err := tx.QueryRow(ctx, `select count(*) from gatepass.pass p where `+where, args...).Scan(&total); err != nil {
			return fmt.Errorf("count passes: %w", err)
		}
		all, next, err = list.Part(q.After, q.Limit, Kept.ListedAt, func(from list.Cursor, most int) ([]Kept, error) {
			return q.part(ctx, tx, where, args, from, most)
		})
		return err
	})
	return all, next, total, err
}

func (q Query) part(ctx context.Context, tx pgx.Tx, where string, args []any, from list.Cursor, most int) ([]Kept, error) {
	way, beyond := `desc`, `<`
	if q.Oldest {
		way, beyond = `asc`, `>`
	}
	n := len(args)
	args = append(args[:n:n], most)
	if !from.At.IsZero() {
		where += fmt.Sprintf(` and (p.created_at, p.id) %s ($%d, $%d)`, beyond, n+2, n+3)
		args = append(args, from.At, from.ID)
	}
	rows, _ := tx.Query(ctx, `select `+passColumns+` from gatepass.pass p where `+where+fmt.Sprintf(` order by p.created_at %s,
		p.id %s limit $%d`, way, way, n+1), args...)
	all, err := pgx.CollectRows(rows, scanPass)
	if err != nil {
		return nil, fmt.Errorf("list passes: %w", err)
	}
	return all, fill(ctx, tx, all)
}

// where is the condition of a query. A name that is spelt otherwise is found by its trigrams.
func (q Query) where(now time.Time) (string, []any) {
	var all []string
	var args []any
	add := func(format string, values ...any) {
		places := make([]any, len(values))
		for i := range values {
			places[i] = len(args) + 1 + i
		}
		all, args = append(all, fmt.Sprintf(format, places...)), append(args, values...)
	}
	add(`true`)
	if !q.Deleted {
		add(`p.deleted_at is null`)
	}
	if len(q.Statuses) > 0 {
		texts := make([]string, len(q.Statuses))
		for i, s := range q.Statuses {
			texts[i] = string(s)
		}
		add(`p.status = any ($%d)`, texts)
	}
	if q.Words != "" {
		escaped := strings.NewReplacer(`\`, `\\`, `%`, `\%`, `_`, `\_`).Replace(q.Words)
		add(`(p.number ilike '%%' || $%d || '%%' or p.person_name ilike '%%' || $%[1]d || '%%' or word_similarity($%d, p.person_name) >= 0.5)`,
			escaped, q.Words)
	}
	if !q.From.IsZero() {
		add(`p.created_at >= $%d`, q.From)
	}
	if !q.To.IsZero() {
		add(`p.created_at < $%d`, q.To)
	}
	if q.Site != "" {
		add(`p.site_id = $%d`, q.Site)
	}
	if how, on := lanes[q.Lane]; on {
		add(placed(how.where, `$%[1]d`, `$%[2]d`)+` and $%[1]d::timestamptz is not null and $%[2]d::timestamptz is not null`, now, q.Day)
	}
	if q.Overdue {
		add(`p.status = 'exited' and p.returnable and p.deleted_at is null and coalesce(p.expected_return_at, p.valid_until) < $%d`, now)
	}
	return strings.Join(all, ` and `), args
}
