package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Boundary is a file of districts, or of states, that an organisation imported. It
// belongs to the licence and the date it came with.
type Boundary struct {
	ID        string
	Gives     region.Gives
	Data      string // digest of the file
	Name      string
	Licence   string
	AsOf      time.Time // the day whose districts it shows
	District  string    // the property with a district's name
	State     string    // the property with its state's
	Districts int       // or states, where it gives those
	By        string
	At        time.Time
}

const boundaryColumns = `id, gives, data, name, licence, as_of, district, state, districts, imported_by, imported_at`

// terms are what the file does not say of itself.
func (b Boundary) terms() region.Terms {
	return region.Terms{Gives: b.Gives, Name: b.Name, Licence: b.Licence, AsOf: b.AsOf.Format(time.DateOnly), District: b.District,
		State: b.State}
}

// recordBoundary is the kind of the records of imported boundaries in the log.
const recordBoundary log.Kind = "airshed_boundary"

// ImportBoundary takes a file of districts in, or of states. It is read, and districts
// are laid over the states, first: what would not fit an analysis is refused here, so
// that who imports it is told.
func (s *Store) ImportBoundary(ctx context.Context, actor identity.Actor, file []byte, t region.Terms) (b Boundary, err error) {
	if err := s.rules.May(actor, ActBoundary); err != nil {
		return b, err
	}
	if err := s.Keeps(); err != nil {
		return b, err
	}
	t.Gives = cmp.Or(t.Gives, region.GivesDistricts)
	t.Name, t.District, t.State = cmp.Or(t.Name, string(t.Gives)), cmp.Or(t.District, "district"), cmp.Or(t.State, "state")
	districts, err := region.ReadBoundaries(file, t)
	if err != nil {
		return b, err
	}
	if _, err := (analysis.Brought{Districts: districts}).Rules(); err != nil {
		return b, err
	}
	kept, err := s.kept.Take(ctx, identity.Gavel(actor.Org), evidence.Receipt{Source: ReferenceSource, ContentType: contentOf(file),
		Place: t.Name, Licence: t.Licence}, bytes.NewReader(file))
	if err != nil {
		return b, err
	}
	b = Boundary{ID: newID("BND"), Gives: t.Gives, Data: kept.SHA256.String(), Name: t.Name, Licence: districts.Source().Licence,
		District: t.District, State: t.State, Districts: districts.Len(), By: actor.ID, At: s.clock.Now()}
	if b.AsOf, err = time.Parse(time.DateOnly, t.AsOf); err != nil {
		return b, err
	}
	return b, s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return insertBoundary(ctx, tx, actor, b) })
}

// contentOf is what a file of boundaries is.
func contentOf(file []byte) string {
	if bytes.HasPrefix(file, []byte("PK")) {
		return "application/zip"
	}
	return "application/geo+json"
}

func insertBoundary(ctx context.Context, tx pgx.Tx, actor identity.Actor, b Boundary) error {
	const insert = `insert into airshed.boundary (org, ` + boundaryColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`
	if _, err := tx.Exec(ctx, insert, actor.Org, b.ID, b.Gives, b.Data, b.Name, b.Licence, b.AsOf, b.District, b.State, b.Districts, b.By,
		b.At); err != nil {
		return fmt.Errorf("insert boundary: %w", err)
	}
	_, err := log.Append(ctx, tx, log.Record{At: b.At, Kind: recordBoundary, App: Name, Actor: actor, Subject: b.ID,
		Body: map[string]any{"did": "imported", "data": b.Data, "as_of": b.AsOf.Format(time.DateOnly), string(b.Gives): b.Districts}})
	return err
}

// Boundaries lists what was imported, the newest first, from a place on, which may be
// zero.
func (s *Store) Boundaries(ctx context.Context, actor identity.Actor, after Cursor, limit int) (all []Boundary, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = `select ` + boundaryColumns + ` from airshed.boundary where $1::timestamptz is null or (imported_at, id) < ($1, $2)
		order by imported_at desc, id desc limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after.Moment(), after.ID, limit)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Boundary])
		return err
	})
	return all, err
}

// ListedAt is where it stands in the list.
func (b Boundary) ListedAt() Cursor { return Cursor{At: b.At, ID: b.ID} }

// BoundaryAt is the boundaries an organisation had imported last at a moment, the zero
// one where it had none. A scan goes by what there was when it began, however long it
// takes.
func (s *Store) BoundaryAt(ctx context.Context, org identity.Org, at time.Time) (b Boundary, err error) {
	const newest = `select ` + boundaryColumns + ` from airshed.boundary where imported_at <= $1 order by imported_at desc, id desc limit 1`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, newest, at)
		b, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Boundary])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Boundary{}, nil
	}
	return b, err
}

// DistrictsOf are those of boundaries that were imported, or their states; nil where
// there are none.
func (s *Store) DistrictsOf(ctx context.Context, org identity.Org, b Boundary) (*region.Districts, error) {
	if b.ID == "" {
		return nil, nil //nolint:nilnil // no file is no districts, and no fault
	}
	d, err := blob.Parse(b.Data)
	if err != nil {
		return nil, err
	}
	file, err := s.BytesOf(ctx, org, d, region.MaxFile)
	if err != nil {
		return nil, err
	}
	return region.ReadBoundaries(file, b.terms())
}
