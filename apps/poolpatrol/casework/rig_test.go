package casework

import (
	"os"
	"slices"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework/mind"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

// declared is what the casework needs of the application, which stands above it.
func declared() platform.App {
	minds := &mind.Mind{}
	return platform.App{Name: programme.Name, Cases: casefile.Kind{App: programme.Name, RefPrefix: "CASE", Hex: true, Workflow: CaseName,
		OwnEnd: true},
		Acts: programme.Acts(), Policies: os.DirFS("../policies"), Sources: []evidence.Source{AuditSource()},
		Tools: slices.Concat((&Work{}).Tools(), minds.LookUps()), Agents: minds.Agents(),
		Migrations: []postgres.MigrationSet{store.Migrations()}, Erasers: []seal.Eraser{store.Eraser()}}
}

// An office is the records of two organisations, and who may change them.
type office struct {
	*store.Store
	db    *postgrestest.Database
	rules *policy.Rules
}

// in runs something in a transaction of North.
func (o office) in(t testing.TB, fn func(pgx.Tx) error) {
	t.Helper()
	if err := o.db.App.InOrg(t.Context(), postgrestest.North, fn); err != nil {
		t.Fatal(err)
	}
}

func collect[T any](t testing.TB, o office, sql string, args ...any) []T {
	t.Helper()
	rows, _ := o.db.System.Query(t.Context(), sql, args...)
	all, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return all
}
