package store

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/watchlist"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Screen looks for a name on the organisation's watchlist.
func Screen(ctx context.Context, tx pgx.Tx, name string, now time.Time) (watchlist.Finding, error) {
	rows, _ := tx.Query(ctx, `select id, name, aliases, level, until, reason from gatepass.watch where ended_at is null
		and (until is null or until > $1)`, now)
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (w watchlist.Row, err error) {
		return w, row.Scan(&w.ID, &w.Name, &w.Aliases, &w.Level, moment{&w.Until}, &w.Reason)
	})
	if err != nil || len(all) == 0 {
		return watchlist.Finding{Verdict: watchlist.Clear}, err
	}
	rows, _ = tx.Query(ctx, `select watch, name from gatepass.cleared where name = $1`, watchlist.Normalise(name))
	cleared, err := pgx.CollectRows(rows, pgx.RowToStructByPos[watchlist.Cleared])
	return watchlist.New(watchlist.Standard(), all, cleared).Screen(name, now), err
}

// A Watched is a row of the watchlist, and who put it there.
type Watched struct {
	watchlist.Row

	AddedBy string
	AddedAt time.Time
}

// Watchlist is whom somebody looks at before they leave, those added last first.
func (s *Store) Watchlist(ctx context.Context, who identity.Actor) (all []Watched, err error) {
	if err := s.May(who, ActWatch); err != nil {
		return nil, err
	}
	err = s.In(ctx, who.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select id, name, aliases, level, until, reason, added_by, added_at from gatepass.watch
			where ended_at is null and (until is null or until > $1) order by added_at desc, id desc`, s.Now())
		all, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (w Watched, err error) {
			return w, row.Scan(&w.ID, &w.Name, &w.Aliases, &w.Level, moment{&w.Until}, &w.Reason, &w.AddedBy, moment{&w.AddedAt})
		})
		return err
	})
	return all, err
}

// Watch puts somebody on the watchlist.
func (s *Store) Watch(ctx context.Context, who identity.Actor, w watchlist.Row) (watchlist.Row, error) {
	if err := s.May(who, ActWatch); err != nil {
		return w, err
	}
	if err := checkWatch(&w); err != nil {
		return w, err
	}
	const insert = `insert into gatepass.watch (org, id, name, aliases, level, until, reason, added_by, added_at)
		values ($1, $2, $3, $4, $5,
		$6, $7, $8, $9)`
	now := s.Now()
	w.ID = NewID(now)
	if w.Aliases == nil {
		w.Aliases = []string{}
	}
	err := s.In(ctx, who.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, insert, who.Org, w.ID, w.Name, w.Aliases, w.Level, orNull(w.Until), w.Reason, who.ID, now)
		return err
	})
	if err != nil {
		return w, fmt.Errorf("add to the watchlist: %w", err)
	}
	return w, nil
}

// checkWatch says what is wrong with a row, as its bounds in the table have it.
func checkWatch(w *watchlist.Row) error {
	w.Name, w.Reason = strings.TrimSpace(w.Name), strings.TrimSpace(w.Reason)
	switch {
	case w.Name == "" || utf8.RuneCountInString(w.Name) > 120 || watchlist.Normalise(w.Name) == "":
		return fault.New(fault.Invalid, "a name has 1 to 120 characters").On("name", "required", "")
	case w.Reason == "" || utf8.RuneCountInString(w.Reason) > 500:
		return fault.New(fault.Invalid, "say why, in 1 to 500 characters").On("reason", "required", "")
	case w.Level != watchlist.Hard && w.Level != watchlist.Ask:
		return fault.New(fault.Invalid, "choose what happens: hard or ask").On("level", "choice", "")
	case len(w.Aliases) > 20:
		return fault.New(fault.Invalid, "at most 20 other names").On("aliases", "too_many", "20")
	}
	return nil
}

// Unwatch takes somebody off the watchlist.
func (s *Store) Unwatch(ctx context.Context, who identity.Actor, id string) error {
	if err := s.May(who, ActWatch); err != nil {
		return err
	}
	return s.In(ctx, who.Org, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, `update gatepass.watch set ended_at = $2 where id = $1 and ended_at is null`, id, s.Now())
		if err == nil && tag.RowsAffected() == 0 {
			err = fault.New(fault.NotFound, "the watchlist has no row %.40q", id)
		}
		return err
	})
}
