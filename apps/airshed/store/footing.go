package store

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Footing is everything but the bytes of an object that an organisation's analyses go by
// at a moment. A scan goes by what there was when it began, however long it takes.
type Footing struct {
	Boundary Boundary
	Static   StaticList
	Stations []surge.Listed // all that was imported, whenever it holds
	Set      analysis.Set   // thresholds
}

// FootingAt is what an organisation's analyses went by at a moment.
func (s *Store) FootingAt(ctx context.Context, org identity.Org, at time.Time) (f Footing, err error) {
	if f.Boundary, err = s.BoundaryAt(ctx, org, at); err != nil {
		return f, err
	}
	if f.Static, err = s.StaticAt(ctx, org, at); err != nil {
		return f, err
	}
	if err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		f.Set, err = s.thresholdsAt(ctx, tx, org, at)
		return err
	}); err != nil {
		return f, err
	}
	rows, err := s.Listed(ctx, at)
	f.Stations = surge.News(surge.Stations(), rows)
	return f, err
}

// Name names it: two of one name give the same analysis of the same bytes.
func (f Footing) Name() string {
	parts := []string{analysis.Version}
	for _, id := range []string{f.Boundary.ID, f.Static.ID} {
		if id != "" {
			parts = append(parts, id)
		}
	}
	if len(f.Stations) > 0 {
		parts = append(parts, surge.DigestOf(f.Stations)[:16])
	}
	if f.Set.Version > 0 {
		parts = append(parts, "t"+strconv.FormatInt(f.Set.Version, 10))
	}
	return strings.Join(parts, " ")
}

// Brought is a footing made ready.
func (s *Store) Brought(ctx context.Context, org identity.Org, f Footing) (b analysis.Brought, err error) {
	b.Stations, b.Set = f.Stations, f.Set
	if b.Districts, err = s.DistrictsOf(ctx, org, f.Boundary); err != nil {
		return b, err
	}
	b.Static, err = s.Mask(ctx, org, f.Static)
	return b, err
}
