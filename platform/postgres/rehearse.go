package postgres

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
)

type rehearsal struct{}

// Rehearse marks a context: whatever DB.InOrg is given under it is run, every
// check of ours and of the database's included, and then rolled back as if it had
// never been. The system's door stays shut, because what goes through it cannot
// all be taken back.
func Rehearse(ctx context.Context) context.Context { return context.WithValue(ctx, rehearsal{}, true) }

// Rehearsing reports whether a context is marked so, for code that reaches beyond
// the database: it must not.
func Rehearsing(ctx context.Context) bool { return ctx.Value(rehearsal{}) != nil }

var errRehearsed = errors.New("rehearsed")

// rehearsed runs fn to its end, has the database say now what it would have said
// at the commit, and rolls back.
func rehearsed(ctx context.Context, fn func(pgx.Tx) error) func(pgx.Tx) error {
	return func(tx pgx.Tx) error {
		if err := fn(tx); err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, "set constraints all immediate"); err != nil {
			return err
		}
		return errRehearsed
	}
}

// shut refuses the system's door in a rehearsal.
func shut(ctx context.Context) error {
	if Rehearsing(ctx) {
		return fault.New(fault.Conflict, "this cannot be tried without being done")
	}
	return nil
}
