package poolpatrol

import (
	"embed"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the schema poolpatrol. It builds on the cases'.
func Migrations() postgres.MigrationSet { return postgres.Embedded(Name, migrations) }

// StoreConfig is what a Store stands on.
type StoreConfig struct {
	DB    *postgres.DB
	Clock durable.Clock
	Rules *policy.Rules   // nil refuses everything
	Cases *casefile.Store // knows the workflows of cases, which are told of changed records; nil: none is
}

// A Store is the records of the programme and what audits found in them. What it
// shows or changes for somebody it asks the rules about first.
type Store struct {
	db    *postgres.DB
	clock durable.Clock
	rules *policy.Rules
	cases *casefile.Store
}

// NewStore makes a store.
func NewStore(c StoreConfig) *Store {
	return &Store{db: c.DB, clock: c.Clock, rules: c.Rules, cases: c.Cases}
}
