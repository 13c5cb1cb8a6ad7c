// Package store is what Airshed has looked at and found: its tables, their migrations,
// and every question that is put to them. What it shows or changes for somebody it asks
// the rules about first.
//
// Read store.go, then scan.go and episode.go: a scan is one look at an object of the data
// lake, an episode a surge that scans have found. case.go is the case of an episode,
// draft.go and report.go its report. Functions that take a transaction are for
// casework, which opens one where several things count together.
package store

import (
	"context"
	"embed"
	"io"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/setting"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the schema airshed. It builds on the organisations'.
func Migrations() postgres.MigrationSet { return postgres.Embedded(Name, migrations) }

// Config is what a Store stands on.
type Config struct {
	DB       *postgres.DB
	Clock    durable.Clock
	Rules    *policy.Rules   // nil refuses everything
	Evidence *evidence.Store // nil: nothing can be kept, and nothing is scanned
	Cases    *casefile.Store // nil: episodes get no cases
}

// A Store is what was looked at and found. It is made before anything it stands on is
// there, and opened once, before the first request.
type Store struct {
	db    *postgres.DB
	clock durable.Clock
	rules *policy.Rules
	kept  *evidence.Store
	cases *casefile.Store

	settings *setting.Store
}

// New makes a store that is not opened yet.
func New() *Store { return &Store{} }

// Open tells it what it stands on.
func (s *Store) Open(c Config) {
	*s = Store{db: c.DB, clock: c.Clock, rules: c.Rules, kept: c.Evidence, cases: c.Cases,
		settings: setting.NewStore(setting.Config{DB: c.DB, Clock: c.Clock, Rules: c.Rules})}
}

// In does something in one transaction, within an organisation.
func (s *Store) In(ctx context.Context, org identity.Org, do func(pgx.Tx) error) error {
	return s.db.InOrg(ctx, org, do)
}

// May asks the rules whether somebody may do something.
func (s *Store) May(actor identity.Actor, act string) error { return s.rules.May(actor, act) }

// Now is the time by the installation's clock.
func (s *Store) Now() time.Time { return s.clock.Now() }

// Clock is the installation's clock.
func (s *Store) Clock() durable.Clock { return s.clock }

// Kept is where bytes and facts are kept; nil where none are.
func (s *Store) Kept() *evidence.Store { return s.kept }

// Keeps refuses what needs bytes to be kept where none are.
func (s *Store) Keeps() error {
	if s.kept == nil {
		return fault.New(fault.Unavailable, "this installation keeps no evidence, and nothing is analysed that cannot be shown later").
			WithNext("set GAVEL_SEAL_KEYS and GAVEL_BLOB_URL").Because("keeps_no_evidence")
	}
	return nil
}

// A Cursor is where a list goes on.
type Cursor = list.Cursor

// BytesOf reads bytes that were kept, of which there are at most so many.
func (s *Store) BytesOf(ctx context.Context, org identity.Org, d blob.Digest, most int64) ([]byte, error) {
	r, err := s.kept.Open(ctx, org, d)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	body, err := io.ReadAll(io.LimitReader(r, most+1))
	if err == nil && int64(len(body)) > most {
		err = fault.New(fault.TooLarge, "%s has more than %d bytes", d, most)
	}
	return body, err
}
