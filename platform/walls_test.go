package platform_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// Every table that holds an organisation's rows, as the catalogue lists them: a
// new table cannot escape these tests by being forgotten here.
const tablesBehindTheWall = `
	select n.nspname, c.relname, c.relrowsecurity, c.relforcerowsecurity,
	       exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'org' and a.attnotnull)
	from pg_class c join pg_namespace n on n.oid = c.relnamespace
	where c.relkind in ('r', 'p', 'm', 'f')
	  and n.nspname not in ('ref', 'gavel_sys', 'pg_catalog', 'information_schema', 'pg_toast')
	order by 1, 2`

type table struct {
	Schema, Name            string
	Secured, Forced, HasOrg bool
}

func (t table) String() string { return t.Schema + "." + t.Name }

func tables(t *testing.T, db *postgrestest.Database) []table {
	t.Helper()
	rows, _ := db.System.Query(t.Context(), tablesBehindTheWall)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[table])
	if err != nil || len(all) < 3 {
		t.Fatalf("the catalogue lists %v, %v", all, err)
	}
	return all
}

func TestEveryTableIsBehindTheWall(t *testing.T) {
	db := postgrestest.New(t, platform.Migrations()...)
	for _, tb := range tables(t, db) {
		if !tb.Secured || !tb.Forced || !tb.HasOrg {
			t.Errorf("%s: row-level security %v, forced %v, org column %v; call gavel_sys.keep_apart on it", tb, tb.Secured, tb.Forced, tb.HasOrg)
		}
	}
}

// The queries below forget to ask for an organisation on purpose.
func TestAForgottenFilterStillSeesOnlyItsOwnRowsInEveryTable(t *testing.T) {
	db := postgrestest.New(t, platform.Migrations()...)
	plant(t, db)
	for _, tb := range tables(t, db) {
		err := db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
			rows, _ := tx.Query(t.Context(), `select distinct org from `+tb.String())
			orgs, err := pgx.CollectRows(rows, pgx.RowTo[string])
			if err != nil {
				return err
			}
			if got := strings.Join(orgs, " "); got != "north" {
				return fmt.Errorf("sees rows of %q, want exactly north's", got)
			}
			return nil
		})
		if err != nil {
			t.Errorf("%s: %v", tb, err)
		}
	}
}

func TestOutsideATransactionOfAnOrganisationNothingIsSeen(t *testing.T) {
	db := postgrestest.New(t, platform.Migrations()...)
	plant(t, db)
	conn, err := pgx.Connect(t.Context(), db.AppURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	for _, tb := range tables(t, db) {
		var n int
		if err := conn.QueryRow(t.Context(), `select count(*) from `+tb.String()).Scan(&n); err != nil || n != 0 {
			t.Errorf("%s: sees %d rows, %v; want none", tb, n, err)
		}
	}
}

// plant puts one row per organisation into every table, past all checks and
// foreign keys, as the superuser: the tests are about who sees a row, and must
// cover tables whose own code is elsewhere.
func plant(t *testing.T, db *postgrestest.Database) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	run := func(sql string, args ...any) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	run(`set session_replication_role = replica`) // no foreign keys, no triggers
	for _, tb := range tables(t, db) {
		rows, _ := conn.Query(t.Context(), `select conname from pg_constraint where conrelid = $1::regclass and contype = 'c'`, tb.String())
		checks, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range checks {
			run(`alter table ` + tb.String() + ` drop constraint ` + pgx.Identifier{c}.Sanitize())
		}
		for _, org := range []string{"north", "south"} {
			run(filler(t, conn, tb), org)
		}
	}
}

// filler is an insert that gives every column that must have one some value.
func filler(t *testing.T, conn *pgx.Conn, tb table) string {
	t.Helper()
	rows, _ := conn.Query(t.Context(), `
		select attname, format_type(atttypid, atttypmod) from pg_attribute
		where attrelid = $1::regclass and attnum > 0 and not attisdropped
		  and (attnotnull and not atthasdef and attidentity = '' or attname = 'org')`, tb.String())
	type column struct{ Name, Type string }
	columns, err := pgx.CollectRows(rows, pgx.RowToStructByPos[column])
	if err != nil {
		t.Fatal(err)
	}
	var names, values []string
	for _, c := range columns {
		names = append(names, pgx.Identifier{c.Name}.Sanitize())
		values = append(values, sample(t, tb, c.Name, c.Type))
	}
	return fmt.Sprintf("insert into %s (%s) values (%s)", tb, strings.Join(names, ", "), strings.Join(values, ", "))
}

func sample(t *testing.T, tb table, name, typ string) string {
	t.Helper()
	if name == "org" {
		return "$1"
	}
	value, known := map[string]string{
		"text": "'x'", "bigint": "1", "integer": "1", "smallint": "1", "boolean": "false", "jsonb": "'{}'", "json": "'{}'",
		"timestamp with time zone": "now()", "date": "now()", "bytea": `'\x00'`, "text[]": "'{}'", "numeric": "1",
		"double precision": "1", "uuid": "gen_random_uuid()", "interval": "'1 day'",
	}[typ]
	if !known {
		t.Fatalf("%s.%s is of type %s: say in this test what a value of it looks like", tb, name, typ)
	}
	return value
}
