// Package store keeps gate passes: what they say, what happened to them, who is told, and what was photographed at gates.
// It is SQL; what follows from what is package casework's, and what may happen at all is rule/pass's.
//
// Read Kept, then Load, Insert and Save: a pass is read under its lock, the rule makes another of it, and that one is saved.
// Functions that take a transaction are for casework, which opens one where several things count together.
package store

import (
	"context"
	"embed"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the schema gatepass. It builds on the cases'.
func Migrations() postgres.MigrationSet { return postgres.Embedded(Name, migrations) }

// Config is what a Store stands on.
type Config struct {
	DB    *postgres.DB
	Clock durable.Clock
	Rules *policy.Rules // nil refuses everything
	Keys  durable.Keys  // seal what codes are signed with; the zero value makes no codes
}

// A Store keeps passes. It is made before what it stands on is there, and opened once.
type Store struct {
	db    *postgres.DB
	clock durable.Clock
	rules *policy.Rules
	keys  durable.Keys
}

// Open tells a store what it stands on.
func (s *Store) Open(c Config) { *s = Store{db: c.DB, clock: c.Clock, rules: c.Rules, keys: c.Keys} }

// In does something in one transaction, within an organisation.
func (s *Store) In(ctx context.Context, org identity.Org, do func(pgx.Tx) error) error {
	return s.db.InOrg(ctx, org, do)
}

// May asks the rules whether somebody may do something.
func (s *Store) May(who identity.Actor, act string) error { return s.rules.May(who, act) }

// Now is the time by the installation's clock, as the database keeps it.
func (s *Store) Now() time.Time { return s.clock.Now().UTC().Truncate(time.Microsecond) }

// moment reads a time that may be none into one that is zero then.
type moment struct{ to *time.Time }

// Scan takes what the database gives.
func (m moment) Scan(src any) error {
	at, _ := src.(time.Time)
	*m.to = at
	if !at.IsZero() {
		*m.to = at.UTC()
	}
	return nil
}

// orNull is a time as the database takes it: null for none.
func orNull(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
