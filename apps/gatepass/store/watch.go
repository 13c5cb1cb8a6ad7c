package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/watchlist"
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

// Watch puts somebody on the watchlist.
func (s *Store) Watch(ctx context.Context, who identity.Actor, w watchlist.Row) (watchlist.Row, error) {
	if err := s.May(who, ActWatch); err != nil {
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

// Unwatch takes somebody off the watchlist.
func (s *Store) Unwatch(ctx context.Context, who identity.Actor, id string) error {
	if err := s.May(who, ActWatch); err != nil {
		return err
	}
	return s.In(ctx, who.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `update gatepass.watch set ended_at = $2 where id = $1 and ended_at is null`, id, s.Now())
		return err
	})
}
