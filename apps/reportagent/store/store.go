// Package store is what the Report Agent keeps: reports with their outlines, the runs of a model they are written from, and
// every version of every section, with the facts it cites.
//
// Read report.go, then section.go: what a section says is its newest version, and no version is ever changed. draft.go is the
// job that writes drafts. What the store shows or changes for somebody it asks the rules about first; functions that take a
// transaction are for casework.
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
)

// Name is the application's: its schema, its task queue, the log.
const Name = "reportagent"

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the schema reportagent. It builds on the organisations'.
func Migrations() postgres.MigrationSet { return postgres.Embedded(Name, migrations) }

// The acts of the application.
const (
	ActRead  = "reportagent.report.read"
	ActWrite = "reportagent.report.write"

	ActReview = "reportagent.report.review"
	ActMark   = "reportagent.report.mark"
)

// Acts are what somebody may be allowed to do with reports.
func Acts() []policy.Act {
	return []policy.Act{
		{Name: ActRead, Words: "read reports, their numbers and how they came about", Reads: true},
		{Name: ActWrite, Words: "bring outlines and model runs in, have sections drafted, and write in them"},
		{Name: ActReview, Words: "score sections of reports, and note what is missing"},
		{Name: ActMark, Words: "mark how far one has read a report"},
	}
}

// Sources declares where everything comes from that is kept.
func Sources() []evidence.Source {
	return []evidence.Source{{Name: RunSource, Title: "Runs of energy models, brought in by a person",
		Licence: "as the person who brings it in says", Without: "no report can be drafted", MaxBytes: MostPack}}
}

// RunSource is where the files of a run come from.
const RunSource = "reportagent-run"

// MostPack is how many bytes the files of one run may have together, as they are kept.
const MostPack = 512 << 20

// Config is what a Store stands on.
type Config struct {
	DB       *postgres.DB
	Clock    durable.Clock
	Rules    *policy.Rules   // nil refuses everything
	Evidence *evidence.Store // nil: nothing can be kept, and no report is made
	Cases    *casefile.Store
}

// A Store is made before anything it stands on is there, and opened once, before the first request.
type Store struct {
	db    *postgres.DB
	clock durable.Clock
	rules *policy.Rules
	kept  *evidence.Store
	cases *casefile.Store
}

// New makes a store that is not opened yet.
func New() *Store { return &Store{} }

// Open tells it what it stands on.
func (s *Store) Open(c Config) {
	*s = Store{db: c.DB, clock: c.Clock, rules: c.Rules, kept: c.Evidence, cases: c.Cases}
}

// In does something in one transaction, within an organisation.
func (s *Store) In(ctx context.Context, org identity.Org, do func(pgx.Tx) error) error {
	return s.db.InOrg(ctx, org, do)
}

// May asks the rules whether somebody may do something.
func (s *Store) May(actor identity.Actor, act string) error { return s.rules.May(actor, act) }

// Now is the time by the installation's clock, to the microsecond, which is what is kept.
func (s *Store) Now() time.Time { return s.clock.Now().Truncate(time.Microsecond) }

// Kept is where bytes are kept; a fault where none are.
func (s *Store) Kept() (*evidence.Store, error) {
	if s.kept == nil {
		return nil, fault.New(fault.Unavailable, "this installation keeps no evidence, and no number is cited that cannot be shown later").
			WithNext("set GAVEL_SEAL_KEYS and GAVEL_BLOB_URL")
	}
	return s.kept, nil
}

// A Cursor is where a list goes on.
type Cursor = list.Cursor

// BytesOf reads bytes that were kept, of which there are at most so many.
func (s *Store) BytesOf(ctx context.Context, org identity.Org, d blob.Digest, most int64) ([]byte, error) {
	kept, err := s.Kept()
	if err != nil {
		return nil, err
	}
	r, err := kept.Open(ctx, org, d)
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

// Cut is a text of at most so many characters.
func Cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}

// Rouse wakes the case of a report, in the transaction that makes it worth while.
func (s *Store) Rouse(ctx context.Context, tx pgx.Tx, id casefile.CaseID) error {
	file, err := casefile.Lock(ctx, tx, id)
	if err != nil || file.State == casefile.Closed {
		return err
	}
	return s.cases.Rouse(ctx, tx, file)
}
