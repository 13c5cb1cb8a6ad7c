package airshed

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// RefStations lists stations by site, each as it is said to be last, from behind a
// site on, which may be empty.
func (s *Store) RefStations(ctx context.Context, actor identity.Actor, after string, limit int) (all []RefStation, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	const page = `select distinct on (site_id) ` + stationColumns + ` from ref.station where site_id > $1 order by site_id, valid_from desc limit $2`
	err = s.db.InNone(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after, min(max(limit, 1), 200))
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[RefStation])
		return err
	})
	return all, err
}

// A RefCitation is a provision, as its source said when it was last looked at.
type RefCitation struct {
	ID         string
	VerifiedOn time.Time
	Number     string
	Date       string
	Title      string
	Subjects   []string
	Addressees []string
	Says       string
	Origin     string // where it was read
	Certainty  string
	Source     string // digest of the book it came in
}

// RefCitations lists provisions by id, each as it was verified last, from behind an
// id on, which may be empty.
func (s *Store) RefCitations(ctx context.Context, actor identity.Actor, after string, limit int) (all []RefCitation, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	const page = `select distinct on (id) id, verified_on, number, date, title, subjects, addressees, says, origin, certainty, source
		from ref.citation where id > $1 order by id, verified_on desc limit $2`
	err = s.db.InNone(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after, min(max(limit, 1), 200))
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[RefCitation])
		return err
	})
	return all, err
}
