// Package store keeps what Pool Patrol knows: the records of the programme (package
// record), the passes over its vans and what they found, its cases, and how it is set
// up. It is SQL, with the rules asked first where somebody is shown or changes
// something; what follows from what is package casework's.
//
// Read Store, then pass.go and grounds.go; erase.go and retention.go say how things go.
package store

import (
	"embed"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/setting"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the schema poolpatrol. It builds on the cases'.
func Migrations() postgres.MigrationSet { return postgres.Embedded(programme.Name, migrations) }

// Config is what a Store stands on.
type Config struct {
	DB    *postgres.DB
	Clock durable.Clock
	Rules *policy.Rules   // nil refuses everything
	Cases *casefile.Store // knows the workflows of cases, which are told of changed records; nil: none is
}

// A Store is the records of the programme and what audits found in them. What it
// shows or changes for somebody it asks the rules about first.
type Store struct {
	*record.Records

	db       *postgres.DB
	clock    durable.Clock
	rules    *policy.Rules
	settings *setting.Store
}

// New makes a store.
func New(c Config) *Store {
	s := &Store{}
	s.Open(c)
	return s
}

// Open tells a store what it stands on. Before that it has nothing.
func (s *Store) Open(c Config) {
	s.db, s.clock, s.rules = c.DB, c.Clock, c.Rules
	s.settings = setting.NewStore(setting.Config{DB: c.DB, Clock: c.Clock, Rules: c.Rules})
	s.Records = record.New(record.Config{DB: c.DB, Clock: c.Clock, Rules: c.Rules, Cases: c.Cases, Came: s.keepTime})
}
