package sealtest

import (
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"
)

// Every column of every table that is not PostgreSQL's own, as the catalogue
// lists them: a new table cannot escape by being forgotten here. Partitions are
// tables of their own.
const everyColumn = `
	select c.oid::regclass::text, a.attname, t.typname = 'bytea'
	from pg_class c
	join pg_namespace n on n.oid = c.relnamespace
	join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
	join pg_type t on t.oid = a.atttypid
	where c.relkind in ('r', 'm') and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
	order by 1, a.attnum`

type column struct {
	Table, Name string
	Binary      bool
}

// Database searches every column of every table, past the walls between
// organisations: adminURL is a superuser's. Text in any type is seen as
// PostgreSQL prints it, bytes as they are.
func Database(t testing.TB, adminURL string, needles ...string) Report {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), adminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	rows, _ := conn.Query(t.Context(), everyColumn)
	columns, err := pgx.CollectRows(rows, pgx.RowToStructByPos[column])
	if err != nil {
		t.Fatal(err)
	}
	var r Report
	tables := map[string]bool{}
	for _, c := range columns {
		tables[c.Table] = true
		r.searchColumn(t, conn, c, needles)
	}
	r.Tables, r.Columns = len(tables), len(columns)
	return r
}

func (r *Report) searchColumn(t testing.TB, conn *pgx.Conn, c column, needles []string) {
	t.Helper()
	name := pgx.Identifier{c.Name}.Sanitize()
	value := name + "::text"
	if c.Binary {
		value = name
	}
	rows, err := conn.Query(t.Context(), fmt.Sprintf(`select ctid::text, %s from %s where %s is not null`, value, c.Table, name))
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var at string
		var data []byte
		if err := rows.Scan(&at, &data); err != nil {
			t.Fatalf("%s.%s: %v", c.Table, c.Name, err)
		}
		r.Values++
		r.Bytes += int64(len(data))
		r.Finds = append(r.Finds, Search(c.Table+"."+c.Name+" "+at, data, needles...)...)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s.%s: %v", c.Table, c.Name, err)
	}
}
