package airshed

import (
	"crypto/rand"
	"embed"
	"fmt"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the schema airshed. It builds on the organisations'.
func Migrations() postgres.MigrationSet { return postgres.Embedded(Name, migrations) }

// StoreConfig is what a Store stands on.
type StoreConfig struct {
	DB       *postgres.DB
	Clock    durable.Clock
	Rules    *policy.Rules   // nil refuses everything
	Evidence *evidence.Store // nil: nothing can be kept, and nothing is scanned
}

// A Store is what was looked at and found. What it shows or changes for somebody it
// asks the rules about first.
type Store struct {
	db    *postgres.DB
	clock durable.Clock
	rules *policy.Rules
	kept  *evidence.Store
}

// NewStore makes a store.
func NewStore(c StoreConfig) *Store {
	return &Store{db: c.DB, clock: c.Clock, rules: c.Rules, kept: c.Evidence}
}

// keeps refuses what needs bytes to be kept where none are.
func (s *Store) keeps() error {
	if s.kept == nil {
		return fault.New(fault.Unavailable, "this installation keeps no evidence, and nothing is analysed that cannot be shown later").
			WithNext("set GAVEL_SEAL_KEYS and GAVEL_BLOB_URL")
	}
	return nil
}

// newID is a prefix and eight hexadecimal digits. Four billion are few: whoever
// stores one has a unique constraint.
func newID(prefix string) string {
	var b [4]byte
	_, _ = rand.Read(b[:]) // never fails
	return fmt.Sprintf("%s-%X", prefix, b)
}
