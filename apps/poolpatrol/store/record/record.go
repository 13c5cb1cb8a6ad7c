// Package record is the records of the programme: sites, shifts, employees, vans, who
// rides in them, badges and permits. They come in by import (import.go, plan.go,
// write.go) or one by one (scim.go), and are read whole by audits (read.go, feed.go)
// and one by one by people (view.go, names.go).
package record

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

// Config is what records stand on.
type Config struct {
	DB    *postgres.DB
	Clock durable.Clock
	Rules *policy.Rules   // nil refuses everything
	Cases *casefile.Store // told of changed records; nil: none is

	// Came is called when records were handed over whole or said to be current, in that
	// transaction.
	Came func(ctx context.Context, tx pgx.Tx, org identity.Org, now time.Time) error
}

// Records are the records. What they show or change for somebody they ask the rules
// about first.
type Records struct {
	db    *postgres.DB
	clock durable.Clock
	rules *policy.Rules
	cases *casefile.Store
	came  func(ctx context.Context, tx pgx.Tx, org identity.Org, now time.Time) error
}

// New makes them.
func New(c Config) *Records {
	if c.Came == nil {
		c.Came = func(context.Context, pgx.Tx, identity.Org, time.Time) error { return nil }
	}
	return &Records{db: c.DB, clock: c.Clock, rules: c.Rules, cases: c.Cases, came: c.Came}
}

// May asks the rules whether somebody may do an act.
func (s *Records) May(actor identity.Actor, act string) error { return s.rules.May(actor, act) }

// utc is a moment as other systems are told it; nil for none.
func utc(t *time.Time) *time.Time {
	if t == nil || t.IsZero() {
		return nil
	}
	at := t.UTC()
	return &at
}
