package postgres_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/fstest"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

var notes = postgres.MigrationSet{Name: "notes", FS: fstest.MapFS{
	"00001_note.sql": {Data: []byte(`-- +goose Up
create table gavel.note (org text not null, body text not null);
select gavel_sys.keep_apart('gavel.note');
grant select, insert on gavel.note to gavel_app, gavel_system;`)},
}}

func TestForgottenOrgFilterSeesOnlyItsOwnRows(t *testing.T) {
	db := postgrestest.New(t, notes)
	ctx := t.Context()
	for _, org := range []string{"north", "south"} {
		_, err := db.System.Exec(ctx, `insert into gavel.note values ($1, 'of ' || $1)`, org)
		if err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	err := db.App.InOrg(ctx, postgrestest.North, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select body from gavel.note`)
		var err error
		got, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil || strings.Join(got, "|") != "of north" {
		t.Errorf("got %q, %v; want only north's note", got, err)
	}
}

func TestRowsOfAnotherOrganisationCannotBeWritten(t *testing.T) {
	db := postgrestest.New(t, notes)
	ctx := t.Context()
	err := db.App.InOrg(ctx, postgrestest.North, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `insert into gavel.note values ('south', 'smuggled')`)
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "row-level security") {
		t.Errorf("got %v, want a refusal by row-level security", err)
	}
}

// TestALookSeesItsOwnRowsAndWritesNothing promises of a look in one round trip what holds in
// a transaction: the wall stands for every statement and no longer than the look, and an
// error is told. A write is refused.
func TestALookSeesItsOwnRowsAndWritesNothing(t *testing.T) {
	db := postgrestest.New(t, notes)
	ctx := t.Context()
	for _, org := range []string{"north", "south"} {
		if _, err := db.System.Exec(ctx, `insert into gavel.note values ($1, 'of ' || $1)`, org); err != nil {
			t.Fatal(err)
		}
	}
	const all = `select coalesce(string_agg(body, '|'), '') from gavel.note`
	into := func(b *pgx.Batch, at *string) {
		b.Queue(all).QueryRow(func(row pgx.Row) error { return row.Scan(at) })
	}
	for range 20 { // more often than the pool has connections
		var first, second string
		var look pgx.Batch
		into(&look, &first)
		into(&look, &second)
		if err := db.App.Look(ctx, postgrestest.North, &look); err != nil || first != "of north" || second != first {
			t.Fatalf("got %q and %q, %v; want only north's note, twice", first, second, err)
		}
		err := db.App.InNone(ctx, func(tx pgx.Tx) error { return tx.QueryRow(ctx, all).Scan(&first) })
		if err != nil || first != "" {
			t.Fatalf("after it %q is seen without an organisation, %v", first, err)
		}
	}
	for what, sql := range map[string]string{"a write": `insert into gavel.note values ('north', 'x')`, "a wrong statement": `select 1/0`,
		"the end of the transaction": `commit`} {
		var look pgx.Batch
		var seen string
		look.Queue(sql)
		into(&look, &seen)
		if err := db.App.Look(ctx, postgrestest.North, &look); err == nil {
			t.Errorf("%s in a look is no error", what)
		}
	}
	var look pgx.Batch
	refused := errors.New("not this one")
	look.Queue(all).QueryRow(func(pgx.Row) error { return refused })
	if err := db.App.Look(ctx, postgrestest.North, &look); !errors.Is(err, refused) {
		t.Errorf("the error of who reads the rows came back as %v", err)
	}
	if err := db.App.Look(ctx, "north'; --", &pgx.Batch{}); !fault.Is(err, fault.Invalid) {
		t.Errorf("an organisation of no form: %v", err)
	}
	if n := notesOf(t, db); n != 2 {
		t.Errorf("%d notes in the end, want the two", n)
	}
}

func notesOf(t *testing.T, db *postgrestest.Database) (n int) {
	t.Helper()
	if err := db.System.InTx(t.Context(), func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `select count(*)::int from gavel.note`).Scan(&n)
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

func TestTheSettingDoesNotOutliveItsTransaction(t *testing.T) {
	db := postgrestest.New(t, notes)
	ctx := t.Context()
	if _, err := db.System.Exec(ctx, `insert into gavel.note values ('north', 'x')`); err != nil {
		t.Fatal(err)
	}
	for range 20 { // more often than the pool has connections
		if err := db.App.InOrg(ctx, postgrestest.North, func(pgx.Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
		err := db.App.InOrg(ctx, postgrestest.South, func(tx pgx.Tx) error {
			var n int
			if err := tx.QueryRow(ctx, `select count(*) from gavel.note`).Scan(&n); err != nil {
				return err
			}
			if n != 0 {
				t.Fatalf("south sees %d notes of north", n)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnOrganisationIsNeverPastedIntoSQL(t *testing.T) {
	db := postgrestest.New(t)
	err := db.App.InOrg(t.Context(), "north'; drop schema gavel cascade; --", func(pgx.Tx) error { return nil })
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want invalid", err)
	}
}

func TestAnErrorRollsBack(t *testing.T) {
	db := postgrestest.New(t, notes)
	ctx := t.Context()
	boom := errors.New("boom")
	err := db.App.InOrg(ctx, postgrestest.North, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `insert into gavel.note values ('north', 'half done')`); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Fatalf("got %v", err)
	}
	rows, _ := db.System.Query(ctx, `select count(*) from gavel.note`)
	if n, err := pgx.CollectOneRow(rows, pgx.RowTo[int]); err != nil || n != 0 {
		t.Errorf("got %d rows, %v; want none", n, err)
	}
}

func TestMigrationsRunOnceAndOnlyForward(t *testing.T) {
	db := postgrestest.New(t)
	ctx := t.Context()
	first, err := postgres.Migrate(ctx, db.OwnerURL, notes)
	if err != nil || len(first) != 1 || first[0].Set != "notes" {
		t.Fatalf("got %v, %v; want the one note migration", first, err)
	}
	again, err := postgres.Migrate(ctx, db.OwnerURL, notes)
	if err != nil || len(again) != 0 {
		t.Errorf("got %v, %v; want nothing to do", again, err)
	}
	down := postgres.MigrationSet{Name: "down", FS: fstest.MapFS{
		"00001_x.sql": {Data: []byte("-- +goose Up\nselect 1;\n-- +goose Down\nselect 1;")},
	}}
	if _, err := postgres.Migrate(ctx, db.OwnerURL, down); err == nil || !strings.Contains(err.Error(), "only go forward") {
		t.Errorf("got %v, want a migration with a way down refused", err)
	}
}

func TestManyMayMigrateAnEmptyDatabaseAtOnce(t *testing.T) {
	db := postgrestest.Empty(t)
	var wg sync.WaitGroup
	var applied atomic.Int64
	for range 6 {
		wg.Go(func() {
			done, err := postgres.Migrate(t.Context(), db.OwnerURL, notes)
			if err != nil {
				t.Error(err)
			}
			applied.Add(int64(len(done)))
		})
	}
	wg.Wait()
	if n := applied.Load(); n != 2 {
		t.Errorf("%d migrations ran, want the base and the note once each", n)
	}
}

func TestLookingForPendingMigrationsChangesNothing(t *testing.T) {
	db := postgrestest.Empty(t)
	got, err := postgres.Pending(t.Context(), db.OwnerURL, notes)
	if err != nil || len(got) != 2 {
		t.Errorf("got %v, %v; want both", got, err)
	}
	rows, _ := db.System.Query(t.Context(), `select count(*) from pg_namespace where nspname = 'gavel_sys'`)
	if n, err := pgx.CollectOneRow(rows, pgx.RowTo[int]); err != nil || n != 0 {
		t.Errorf("looking made a schema: %d, %v", n, err)
	}
}

func TestAConnectionThatDiesUnderAStatementIsUnavailable(t *testing.T) {
	db := postgrestest.New(t)
	admin, err := pgx.Connect(t.Context(), db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	sleep := func(first string) error {
		return db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), first+`select pg_sleep(60)`)
			return err
		})
	}
	ended := make(chan error, 1)
	go func() { ended <- sleep("") }()
	const shoot = `select pg_terminate_backend(pid) from pg_stat_activity
		where usename = 'gavel_app' and datname = current_database() and state = 'active' and query like '%pg_sleep%'`
	for shot := int64(0); shot == 0; { // until the statement is under way
		tag, err := admin.Exec(t.Context(), shoot)
		if err != nil {
			t.Fatal(err)
		}
		if shot = tag.RowsAffected(); shot == 0 && len(ended) > 0 {
			t.Fatalf("the statement ended before it was shot: %v", <-ended)
		}
	}
	for name, err := range map[string]error{"shot": <-ended, "too slow": sleep(`set local statement_timeout = 50; `)} {
		if !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: got %v, want unavailable", name, err)
		}
	}
}

func TestPendingNamesWhatHasNotRun(t *testing.T) {
	db := postgrestest.New(t)
	got, err := postgres.Pending(t.Context(), db.OwnerURL, notes)
	if err != nil || len(got) != 1 || got[0].File != "00001_note.sql" {
		t.Errorf("got %v, %v; want 00001_note.sql", got, err)
	}
}

func TestTheAppRoleCannotMakeTablesOrOrganisations(t *testing.T) {
	db := postgrestest.New(t)
	ctx := t.Context()
	for _, sql := range []string{
		`create table gavel.mine (x int)`,
		`create table public.mine (x int)`,
		`insert into gavel_sys.organisation (org, title) values ('mine', 'Mine')`,
		`alter role gavel_app bypassrls`,
		`set local row_security = off; select * from gavel_sys.organisation; set role gavel_system`,
	} {
		err := db.App.InOrg(ctx, postgrestest.North, func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, sql)
			return err
		})
		if err == nil || !(strings.Contains(err.Error(), "permission denied") || strings.Contains(err.Error(), "must be")) {
			t.Errorf("%s: got %v, want permission denied", sql, err)
		}
	}
}

func TestAnAbsentServerIsUnavailableAndTheAddressStaysSecret(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), wait.Patience())
	defer cancel()
	db, err := postgres.Open(ctx, "postgres://gavel_app:hunter2@127.0.0.1:1/gavel")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Ping(ctx)
	text, next := fault.Words(err)
	if !fault.Is(err, fault.Unavailable) || next == "" || strings.Contains(text+err.Error(), "hunter2") {
		t.Errorf("got %v (%q, %q)", err, text, next)
	}
	if _, err := postgres.Open(ctx, "postgres://u:hunter2@[::bad/x"); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("a malformed address: got %v", err)
	}
}

func TestARehearsalChecksEverythingAndLeavesNothing(t *testing.T) {
	db := postgrestest.New(t, postgres.MigrationSet{Name: "later", FS: fstest.MapFS{"00001_later.sql": {Data: []byte(`-- +goose Up
create table gavel.later (org text not null, n int, constraint later_once unique (n) deferrable initially deferred);
select gavel_sys.keep_apart('gavel.later');
grant select, insert on gavel.later to gavel_app, gavel_system;`)}}})
	ctx := postgres.Rehearse(t.Context())
	insert := func(values string) func(pgx.Tx) error {
		return func(tx pgx.Tx) error {
			_, err := tx.Exec(ctx, `insert into gavel.later values `+values)
			return err
		}
	}
	if err := db.App.InOrg(ctx, postgrestest.North, insert(`('north', 1)`)); err != nil {
		t.Errorf("what would do: %v", err)
	}
	if err := db.App.InOrg(ctx, postgrestest.North, insert(`('north', 1), ('north', 1)`)); !postgres.Violates(err, "later_once") {
		t.Errorf("what the commit would refuse: got %v", err)
	}
	if _, err := db.System.Exec(ctx, `insert into gavel.later values ('north', 2)`); !fault.Is(err, fault.Conflict) {
		t.Errorf("the system's door: got %v", err)
	}
	if err := db.System.InTx(ctx, insert(`('north', 3)`)); !fault.Is(err, fault.Conflict) {
		t.Errorf("the system's door: got %v", err)
	}
	rows, _ := db.System.Query(t.Context(), `select count(*) from gavel.later`)
	if n, err := pgx.CollectOneRow(rows, pgx.RowTo[int]); err != nil || n != 0 {
		t.Errorf("%d rows are left, %v, want none", n, err)
	}
}
