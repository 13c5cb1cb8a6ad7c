// Package store is what NE-NETRA heard and made of it: districts, signals, the sums from which scores follow, and the scores
// that were given out.
//
// Read take.go first: how a part of a feed becomes signals and is counted, once. sums.go keeps the sums, totals.go
// reads a window out of them. What it shows or changes for somebody it asks the rules about first.
package store

import (
	"context"
	"crypto/rand"
	"embed"
	"fmt"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

// Name is the application's: its addresses, its schema, the log.
const Name = "netra"

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the schema netra. It builds on the organisations'.
func Migrations() postgres.MigrationSet { return postgres.Embedded(Name, migrations) }

// The acts of the application.
const (
	ActRead     = "netra.score.read"
	ActFreeze   = "netra.score.freeze"
	ActIngest   = "netra.signal.ingest"
	ActDistrict = "netra.district.change"
	ActLimits   = "netra.limits.change"
	ActBrief    = "netra.briefing.make"
	ActCorrect  = "netra.correction.file"
)

// Acts are what somebody may be allowed to do with NE-NETRA.
func Acts() []policy.Act {
	return []policy.Act{
		{Name: ActRead, Words: "read the scores of districts, and what they are made of", Reads: true},
		{Name: ActFreeze, Words: "have the scores of all districts written down"},
		{Name: ActIngest, Words: "bring signals in"},
		{Name: ActBrief, Words: "ask about a district and have a briefing written"},
		{Name: ActCorrect, Words: "say that a signal of a district is wrong"},
		{Name: ActLimits, Words: "set where bands begin, note shutdowns and pause the looks at all districts", Persons: true},
		{Name: ActDistrict, Words: "say which districts there are, and which weigh more", Persons: true},
	}
}

// Config is what a Store stands on.
type Config struct {
	DB    *postgres.DB
	Clock durable.Clock
	Rules *policy.Rules   // nil refuses everything
	Cases *casefile.Store // nil: crossings get no cases
	Kept  *evidence.Store // nil: cases get no facts
}

// A Store is made before anything it stands on is there, and opened once, before the first request.
type Store struct {
	db    *postgres.DB
	clock durable.Clock
	rules *policy.Rules
	cases *casefile.Store
	kept  *evidence.Store

	opened sync.Map // days whose part of the table of signals is there
}

// New makes a store that is not opened yet.
func New() *Store { return &Store{} }

// Open tells it what it stands on.
func (s *Store) Open(c Config) {
	s.db, s.clock, s.rules, s.cases, s.kept = c.DB, c.Clock, c.Rules, c.Cases, c.Kept
}

// In does something in one transaction, within an organisation.
func (s *Store) In(ctx context.Context, org identity.Org, do func(pgx.Tx) error) error {
	return s.db.InOrg(ctx, org, do)
}

// CaseStore is where cases are kept; nil where there are none.
func (s *Store) CaseStore() *casefile.Store { return s.cases }

// Kept is where facts are kept; nil where there are none.
func (s *Store) Kept() *evidence.Store { return s.kept }

// Clock is the installation's clock.
func (s *Store) Clock() durable.Clock { return s.clock }

// May asks the rules whether somebody may do something.
func (s *Store) May(actor identity.Actor, act string) error { return s.rules.May(actor, act) }

// Now is the time by the installation's clock, to the microsecond, which is what is kept.
func (s *Store) Now() time.Time { return s.clock.Now().Truncate(time.Microsecond) }

// A Cursor is where a list goes on.
type Cursor = list.Cursor

// newID is a prefix and eight hexadecimal digits. Four billion are few: whoever
// stores one has a unique constraint.
func newID(prefix string) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%X", prefix, b)
}
