package postgres

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// An Organisation is one institution in the installation, with the settings
// every page of it follows.
type Organisation struct {
	Org       identity.Org
	Title     string
	Zone      string   // IANA name; every time on its pages is in this zone
	Languages []string // offered, first is the default
}

// AddOrganisation makes an organisation, or brings its title and zone up to
// date.
func (s *System) AddOrganisation(ctx context.Context, o Organisation) error {
	if _, err := identity.ParseOrg(string(o.Org)); err != nil {
		return err
	}
	if _, err := time.LoadLocation(o.Zone); err != nil || o.Zone == "" || o.Zone == "Local" {
		return fault.New(fault.Invalid, "no time zone is called %.60q", o.Zone).
			WithNext("use an IANA name such as Asia/Kolkata")
	}
	if o.Title == "" || len(o.Title) > 200 {
		return fault.New(fault.Invalid, "an organisation's title has 1 to 200 characters")
	}
	const upsert = `
		insert into gavel_sys.organisation (org, title, zone, languages)
		values ($1, $2, $3, coalesce($4, '{en,hi}'::text[]))
		on conflict (org) do update set title = excluded.title, zone = excluded.zone, languages = excluded.languages`
	_, err := s.Exec(ctx, upsert, o.Org, o.Title, o.Zone, o.Languages)
	return err
}

const organisation = `select org, title, zone, languages from gavel_sys.organisation where org = $1`

// Organisation reads an organisation's settings.
func (db *DB) Organisation(ctx context.Context, org identity.Org) (Organisation, error) {
	rows, _ := db.pool.Query(ctx, organisation, org) // what reads the rows reports Query's error too
	return organisationOf(rows, org)
}

// OrganisationIn is Organisation within a transaction.
func OrganisationIn(ctx context.Context, tx pgx.Tx, org identity.Org) (Organisation, error) {
	rows, _ := tx.Query(ctx, organisation, org)
	return organisationOf(rows, org)
}

func organisationOf(rows pgx.Rows, org identity.Org) (Organisation, error) {
	o, err := pgx.CollectOneRow(rows, pgx.RowToStructByPos[Organisation])
	if errors.Is(err, pgx.ErrNoRows) {
		return o, fault.New(fault.NotFound, "organisation %s", org)
	}
	return o, explain(err)
}

// Organisations lists every organisation of the installation, by name.
func (s *System) Organisations(ctx context.Context) ([]Organisation, error) {
	const all = `select org, title, zone, languages from gavel_sys.organisation order by org limit 10000`
	rows, _ := s.pool.Query(ctx, all) // CollectRows reports Query's error too
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Organisation])
	return found, explain(err)
}
