package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/intake"
)

// A StaticList is a file of places that are hot without a field burning, which an
// organisation imported. The newest is the whole list.
type StaticList struct {
	ID      string
	Data    string // digest of the file
	Name    string
	Licence string
	AsOf    time.Time // the day whose sources it lists
	Sites   int
	By      string
	At      time.Time
}

const staticColumns = `id, data, name, licence, as_of, sites, imported_by, imported_at`

// recordStatic is the kind of the records of imported static sources in the log.
const recordStatic log.Kind = "airshed_static_sources"

// A NewStatic is a file of static sources with what it does not say of itself.
type NewStatic struct {
	File    []byte
	Name    string
	Licence string
	AsOf    string      // as 2026-01-31
	Word    intake.Word // of who has seen a preview
}

func (n *NewStatic) check() (day time.Time, err error) {
	n.Name, n.Licence = cmp.Or(n.Name, "static sources"), strings.TrimSpace(n.Licence)
	if n.Licence == "" || len(n.Licence) > 500 || len(n.Name) > 100 {
		return day, fault.New(fault.Invalid, "static sources need a licence of at most 500 bytes, and a name of at most 100")
	}
	if day, err = time.Parse(time.DateOnly, n.AsOf); err != nil {
		return day, fault.New(fault.Invalid, "static sources need the day they are of, as 2026-01-31")
	}
	return day, nil
}

// PreviewStatic says what a file would change in the list there is.
func (s *Store) PreviewStatic(ctx context.Context, actor identity.Actor, file []byte) (intake.Preview, error) {
	if err := s.rules.May(actor, ActBoundary); err != nil {
		return intake.Preview{}, err
	}
	return s.staticPreview(ctx, actor.Org, file)
}

func (s *Store) staticPreview(ctx context.Context, org identity.Org, file []byte) (p intake.Preview, err error) {
	f, err := fire.ReadSites(file)
	if err != nil {
		return p, err
	}
	list, err := s.StaticAt(ctx, org, s.clock.Now())
	if err != nil {
		return p, err
	}
	was, err := s.sites(ctx, org, list)
	if err != nil {
		return p, err
	}
	d := intake.Compare(fire.MaskTable, was, f, intake.Terms[fire.Site]{Whole: true, Leaves: func(*fire.Site) bool { return true }})
	return intake.PreviewOf(fire.MaskTable, was, file, f, true, d), nil
}

// ImportStatic takes a list of static sources in, which counts from then on. One that lacks
// more than a fifth of what is there needs somebody's word.
func (s *Store) ImportStatic(ctx context.Context, actor identity.Actor, n NewStatic) (l StaticList, err error) {
	if err := s.rules.May(actor, ActBoundary); err != nil {
		return l, err
	}
	if err := s.Keeps(); err != nil {
		return l, err
	}
	day, err := n.check()
	if err != nil {
		return l, err
	}
	p, err := s.staticPreview(ctx, actor.Org, n.File)
	if err != nil {
		return l, err
	}
	if err := p.Confirm(n.Word); err != nil {
		return l, err
	}
	kept, err := s.kept.Take(ctx, identity.Gavel(actor.Org), evidence.Receipt{Source: ReferenceSource, ContentType: "text/csv",
		Place: n.Name, Licence: n.Licence}, bytes.NewReader(n.File))
	if err != nil {
		return l, err
	}
	l = StaticList{ID: newID("STA"), Data: kept.SHA256.String(), Name: n.Name, Licence: n.Licence, AsOf: day, Sites: p.Rows(), By: actor.ID,
		At: s.clock.Now()}
	if _, err := l.mask(n.File); err != nil {
		return l, err
	}
	return l, s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return insertStatic(ctx, tx, actor, l) })
}

func insertStatic(ctx context.Context, tx pgx.Tx, actor identity.Actor, l StaticList) error {
	const insert = `insert into airshed.static_list (org, ` + staticColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	if _, err := tx.Exec(ctx, insert, actor.Org, l.ID, l.Data, l.Name, l.Licence, l.AsOf, l.Sites, l.By, l.At); err != nil {
		return fmt.Errorf("insert static sources: %w", err)
	}
	_, err := log.Append(ctx, tx, log.Record{At: l.At, Kind: recordStatic, App: Name, Actor: actor, Subject: l.ID,
		Body: map[string]any{"did": "imported", "data": l.Data, "as_of": l.AsOf.Format(time.DateOnly), "sites": l.Sites}})
	return err
}

// StaticLists lists what was imported, the newest first, from a place on, which may be
// zero.
func (s *Store) StaticLists(ctx context.Context, actor identity.Actor, after Cursor, limit int) (all []StaticList, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = `select ` + staticColumns + ` from airshed.static_list
		where $1::timestamptz is null or (imported_at, id) < ($1, $2) order by imported_at desc, id desc limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after.Moment(), after.ID, limit)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[StaticList])
		return err
	})
	return all, err
}

// ListedAt is where it stands in the list.
func (l StaticList) ListedAt() Cursor { return Cursor{At: l.At, ID: l.ID} }

// StaticAt is the list an organisation had imported last at a moment, the zero one where it
// had none.
func (s *Store) StaticAt(ctx context.Context, org identity.Org, at time.Time) (l StaticList, err error) {
	const newest = `select ` + staticColumns + ` from airshed.static_list where imported_at <= $1
		order by imported_at desc, id desc limit 1`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, newest, at)
		l, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[StaticList])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return StaticList{}, nil
	}
	return l, err
}

// mask is a list made ready, under what it is called, its licence, its date and its digest.
func (l StaticList) mask(file []byte) (fire.Mask, error) {
	return fire.ReadMask(fire.MaskName(l.Name, l.Licence, l.AsOf.Format(time.DateOnly), file), file)
}

// staticFile is the bytes of a list.
func (s *Store) staticFile(ctx context.Context, org identity.Org, l StaticList) ([]byte, error) {
	d, err := blob.Parse(l.Data)
	if err != nil {
		return nil, err
	}
	return s.BytesOf(ctx, org, d, fire.MaxMaskFile)
}

// Mask is a list of static sources made ready; the empty one where there is none.
func (s *Store) Mask(ctx context.Context, org identity.Org, l StaticList) (fire.Mask, error) {
	if l.ID == "" {
		return fire.Mask{}, nil
	}
	file, err := s.staticFile(ctx, org, l)
	if err != nil {
		return fire.Mask{}, err
	}
	return l.mask(file)
}

func (s *Store) sites(ctx context.Context, org identity.Org, l StaticList) ([]fire.Site, error) {
	m, err := s.Mask(ctx, org, l)
	return m.Sites(), err
}
