package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
)

// A ShareEntry is the stubble share as a person read it off the forecast's page.
type ShareEntry struct {
	ID       string
	Percent  float64
	IssuedAt time.Time
	Valid    time.Time // the day in India it is for
	URL      string
	Capture  string // digest of what they looked at
	Warnings []string
	By       string
	At       time.Time
}

const shareColumns = `id, percent, issued_at, valid_date, source_url, capture, warnings, entered_by, entered_at`

// Share is the entry as an object of the lake takes it.
func (e ShareEntry) Share() feed.Share {
	return feed.Share{IssuedAt: e.IssuedAt.UTC(), ValidDate: e.Valid.Format(time.DateOnly), Percent: e.Percent, SourceURL: e.URL,
		SHA256: e.Capture, CapturedBy: e.By}
}

// recordShare is the kind of the records of entered shares in the log.
const recordShare log.Kind = "airshed_share"

// AddShare writes a figure down that somebody has read, and that was kept with what they
// read it from.
func (s *Store) AddShare(ctx context.Context, actor identity.Actor, share feed.Share) (e ShareEntry, err error) {
	day, err := time.Parse(time.DateOnly, share.ValidDate)
	if err != nil {
		return e, err
	}
	e = ShareEntry{ID: newID("DSS"), Percent: share.Percent, IssuedAt: share.IssuedAt, Valid: day, URL: share.SourceURL,
		Capture:  share.SHA256,
		Warnings: []string{}, By: actor.ID, At: s.clock.Now()}
	for _, w := range share.Warnings() {
		e.Warnings = append(e.Warnings, string(w))
	}
	return e, s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return insertShare(ctx, tx, actor, e) })
}

func insertShare(ctx context.Context, tx pgx.Tx, actor identity.Actor, e ShareEntry) error {
	const insert = `insert into airshed.share (org, ` + shareColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
	if _, err := tx.Exec(ctx, insert, actor.Org, e.ID, e.Percent, e.IssuedAt, e.Valid, e.URL, e.Capture, e.Warnings, e.By,
		e.At); err != nil {
		return fmt.Errorf("insert share: %w", err)
	}
	_, err := log.Append(ctx, tx, log.Record{At: e.At, Kind: recordShare, App: Name, Actor: actor, Subject: e.ID,
		Body: map[string]any{"did": "entered", "percent": fmt.Sprint(e.Percent), "valid": e.Valid.Format(time.DateOnly),
			"capture": e.Capture}})
	return err
}

// Shares lists what was entered, the newest first, from a place on, which may be zero.
func (s *Store) Shares(ctx context.Context, actor identity.Actor, after Cursor, limit int) (all []ShareEntry, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = `select ` + shareColumns + ` from airshed.share where $1::timestamptz is null or (entered_at, id) < ($1, $2)
		order by entered_at desc, id desc limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after.Moment(), after.ID, limit)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[ShareEntry])
		return err
	})
	return all, err
}

// ListedAt is where it stands in the list.
func (e ShareEntry) ListedAt() Cursor { return Cursor{At: e.At, ID: e.ID} }

// ShareFor is the entry for the day it is in India at a moment, or for one of the two
// days before; of several for a day the last that was entered by then.
func (s *Store) ShareFor(ctx context.Context, org identity.Org, at time.Time) (e ShareEntry, there bool, err error) {
	const one = `select ` + shareColumns + ` from airshed.share where valid_date between $1::text::date - 2 and $1::text::date
		and entered_at <= $2 order by valid_date desc, entered_at desc limit 1`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, one, fire.IndianDay(at), at)
		e, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[ShareEntry])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return e, false, nil
	}
	return e, err == nil, err
}
