package postgrestest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/postgres"
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

func tables(t *testing.T, db *Database) []table {
	t.Helper()
	rows, _ := db.System.Query(t.Context(), tablesBehindTheWall)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[table])
	if err != nil || len(all) < 3 {
		t.Fatalf("the catalogue lists %v, %v", all, err)
	}
	return all
}

// Walls checks, for every table these migrations make outside ref and gavel_sys,
// that a transaction of one organisation neither sees nor changes a row of
// another, even when its SQL forgets to say whose rows it wants.
func Walls(t *testing.T, sets ...postgres.MigrationSet) {
	db := New(t, sets...)
	plant(t, db)
	t.Run("every table is behind the wall", func(t *testing.T) { everyTableIsSecured(t, db) })
	t.Run("a forgotten filter sees only its own rows", func(t *testing.T) { forgottenFilter(t, db) })
	t.Run("nobody writes another's rows", func(t *testing.T) { nobodyWritesAnothers(t, db) })
	t.Run("outside an organisation nothing is seen", func(t *testing.T) { nothingOutside(t, db) })
}

func everyTableIsSecured(t *testing.T, db *Database) {
	for _, tb := range tables(t, db) {
		if !tb.Secured || !tb.Forced || !tb.HasOrg {
			t.Errorf("%s: row-level security %v, forced %v, org column %v; call gavel_sys.keep_apart on it", tb, tb.Secured, tb.Forced,
				tb.HasOrg)
		}
	}
}

// The queries below forget to ask for an organisation on purpose.
func forgottenFilter(t *testing.T, db *Database) {
	for _, tb := range tables(t, db) {
		err := db.App.InOrg(t.Context(), North, func(tx pgx.Tx) error {
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

// Every statement is tried as the table's owner, who has all grants and is held
// back by nothing but the wall.
func nobodyWritesAnothers(t *testing.T, db *Database) {
	owner, err := pgx.Connect(t.Context(), db.OwnerURL)
	if err != nil {
		t.Fatal(err)
	}
	defer owner.Close(t.Context())
	for _, tb := range tables(t, db) {
		for _, sql := range []string{
			`update ` + tb.String() + ` set org = org where org = 'south'`,
			`delete from ` + tb.String() + ` where org = 'south'`,
		} {
			if _, err := owner.Exec(t.Context(), `set gavel.org = 'north'`); err != nil {
				t.Fatal(err)
			}
			if tag, err := owner.Exec(t.Context(), sql); err == nil && tag.RowsAffected() != 0 {
				t.Errorf("%s: changed %d rows of another organisation", sql, tag.RowsAffected())
			}
		}
		_, err := owner.Exec(t.Context(), filler(t, owner, tb), "south")
		if err == nil || !strings.Contains(err.Error(), "row-level security") {
			t.Errorf("%s: north writes a row of south: got %v, want it refused by row-level security", tb, err)
		}
	}
}

func nothingOutside(t *testing.T, db *Database) {
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
func plant(t *testing.T, db *Database) {
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
	const number = "case $1 when 'north' then 1 else 2 end" // a unique index may span organisations
	value, known := map[string]string{
		"text": "'x-' || $1", "bigint": number, "integer": number, "smallint": number, "boolean": "false", "jsonb": "'{}'", "json": "'{}'",
		"timestamp with time zone": "now()", "date": "now()", "bytea": `'\x00'`, "text[]": "'{}'", "numeric": "1",
		"double precision": "1", "uuid": "gen_random_uuid()", "interval": "'1 day'",
	}[typ]
	if !known {
		t.Fatalf("%s.%s is of type %s: say in this test what a value of it looks like", tb, name, typ)
	}
	return value
}
