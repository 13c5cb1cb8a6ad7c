package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/photo"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Scan is what was let through at a gate.
type Scan struct {
	Key      string // the device's own name for it
	PassID   string
	Kind     pass.Event
	At       time.Time
	Received time.Time
	Captured time.Time
	Site     string
	Gate     string
	Device   string
	Guard    string
	Session  string
	Photo    string
	Reason   string
	Items    []item.Back
}

// ScanOf is what was let through under a key; false where nothing was.
func ScanOf(ctx context.Context, tx pgx.Tx, key string) (passID string, kind pass.Event, found bool, err error) {
	err = tx.QueryRow(ctx, `select pass_id, kind from gatepass.scan where key = $1`, key).Scan(&passID, &kind)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", "", false, nil
	}
	return passID, kind, err == nil, err
}

// HistoryOf is what is known of a pass's scans, by which the next is dated.
func HistoryOf(ctx context.Context, tx pgx.Tx, p pass.Pass) (replay.History, error) {
	known, err := Known(ctx, tx, []string{}, []number.Number{p.Number}, nil)
	return replay.History{Known: known}, err
}

// AddScan writes down what was let through.
func AddScan(ctx context.Context, tx pgx.Tx, org identity.Org, s Scan) error {
	const insert = `insert into gatepass.scan (org, key, pass_id, kind, at, received, captured, site_id, gate_id, device, guard, session,
		photo, reason, items)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`
	_, err := tx.Exec(ctx, insert, org, s.Key, s.PassID, s.Kind, s.At, s.Received, orNull(s.Captured), s.Site, s.Gate, s.Device, s.Guard,
		s.Session, s.Photo,
		s.Reason, backText(s.Items))
	if err != nil {
		return fmt.Errorf("write a scan of %s: %w", s.PassID, err)
	}
	return nil
}

// A Photo is one that was taken at a gate.
type Photo struct {
	ID        string
	PassID    string
	Number    number.Number
	Kind      string // exit or return
	Format    photo.Format
	Bytes     int64
	Width     int
	Height    int
	SHA256    string
	Sealed    string
	TakenAt   time.Time
	TakenBy   string
	Gate      string
	Device    string
	JPEG      string // where what was drawn from it lies; empty before
	JPEGBytes int64
	Thumb     string
	Trouble   string
	Site      string // of its pass
}

const photoColumns = `f.id, f.pass_id, p.number, f.kind, f.format, f.bytes, f.width, f.height, f.sha256, f.sealed, f.taken_at, f.taken_by,
	f.gate_id, f.device, f.jpeg, f.jpeg_bytes, f.thumb, f.trouble, p.site_id`

const photos = `select ` + photoColumns + ` from gatepass.photo f join gatepass.pass p on p.org = f.org and p.id = f.pass_id`

// AddPhoto writes down a photo whose bytes lie sealed.
func AddPhoto(ctx context.Context, tx pgx.Tx, org identity.Org, f Photo) error {
	const insert = `insert into gatepass.photo (org, id, pass_id, kind, format, bytes, width, height, sha256, sealed, taken_at, taken_by,
		gate_id, device)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`
	_, err := tx.Exec(ctx, insert, org, f.ID, f.PassID, f.Kind, f.Format, f.Bytes, f.Width, f.Height, f.SHA256, f.Sealed, f.TakenAt,
		f.TakenBy,
		f.Gate, f.Device)
	if err != nil {
		return fmt.Errorf("write a photo of %s: %w", f.PassID, err)
	}
	return nil
}

// Photos are those of a pass, in the order they were taken.
func (s *Store) Photos(ctx context.Context, org identity.Org, passID string) (all []Photo, err error) {
	err = s.In(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, photos+` where f.pass_id = $1 order by f.taken_at, f.id`, passID)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Photo])
		return err
	})
	return all, err
}

// Photo reads one.
func (s *Store) Photo(ctx context.Context, org identity.Org, id string) (f Photo, err error) {
	err = s.In(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, photos+` where f.id = $1`, id)
		f, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Photo])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return f, fault.New(fault.NotFound, "there is no photo %.40q", id)
	}
	return f, err
}

// mostTries is how often a photo is drawn from before it is given up.
const mostTries = 3

// Undrawn are photos of a pass from which nothing was drawn yet, and counts the attempt that is about to be made.
func (s *Store) Undrawn(ctx context.Context, org identity.Org, passID string) (all []Photo, err error) {
	const attempt = `update gatepass.photo set tries = tries + 1, trouble = case when tries >= $2 then 'it could not be drawn' else '' end
		where pass_id = $1 and drawn_at is null and trouble = ''`
	err = s.In(ctx, org, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, attempt, passID, mostTries); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, photos+` where f.pass_id = $1 and f.drawn_at is null and f.trouble = '' order by f.taken_at`, passID)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Photo])
		return err
	})
	return all, err
}

// Drawn notes where what was drawn from a photo lies, or why nothing could be.
func (s *Store) Drawn(ctx context.Context, org identity.Org, f Photo) error {
	const update = `update gatepass.photo set jpeg = $2, jpeg_bytes = $3, thumb = $4, trouble = $5,
		drawn_at = case when $5 = '' then $6::timestamptz end where id = $1`
	return s.In(ctx, org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, update, f.ID, f.JPEG, f.JPEGBytes, f.Thumb, f.Trouble, s.Now())
		return err
	})
}

// AnyUndrawn reports whether something has yet to be drawn from a photo of a pass.
func AnyUndrawn(ctx context.Context, tx pgx.Tx, passID string) (found bool, err error) {
	const there = `select exists (select from gatepass.photo where pass_id = $1 and drawn_at is null and trouble = '')`
	return found, tx.QueryRow(ctx, there, passID).Scan(&found)
}
