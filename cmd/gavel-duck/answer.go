package main

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"

	"github.com/duckdb/duckdb-go/v2"
)

// ask answers a question.
func ask(q Question) Answer {
	db, err := open(q)
	if err != nil {
		return Answer{Failed: failure(err)}
	}
	defer db.Close()
	u, err := understand(db, q)
	if err != nil {
		return Answer{Failed: failure(err)}
	}
	a := Answer{SQL: u.query, Rows: [][]*string{}}
	if err = show(db, q.Views, u.numbered); err == nil {
		err = a.run(db, q, u.cells)
	}
	if err != nil {
		a.Failed, a.Rows = failure(err), nil
	}
	return a
}

// open has a database in memory, and no way out of it: no file but those of the question's views, no setting that could be changed back.
// Its own limit on memory is lower than the wall, so that most questions end with a sentence.
func open(q Question) (*sql.DB, error) {
	connector, err := duckdb.NewConnector("?autoload_known_extensions=false&autoinstall_known_extensions=false", nil)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	if q.Inside == 0 {
		q.Inside = q.Memory / 4
	}
	var paths []string
	for _, v := range q.Views {
		paths = append(paths, quoted(v.File))
	}
	statements := []string{
		fmt.Sprintf("set threads = %d", min(max(q.Threads, 1), 4)),
		fmt.Sprintf("set memory_limit = '%dMB'", max(q.Inside>>20, 16)),
		"set temp_directory = ''",
		"set allowed_paths = [" + strings.Join(paths, ", ") + "]",
		"set enable_external_access = false",
		"set lock_configuration = true",
	}
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	return db, nil
}

// types are what columns are read as. A value is never a float: sums of those are another one from run to run.
var types = map[string]string{"text": "VARCHAR", "integer": "BIGINT", "decimal": "VARCHAR"}

// exactly is a text as DECIMAL(38,12). What fits into 64 bits is read as such first, to the same value: the wide way
// costs fifty times as much.
const exactly = "coalesce(try_cast(%[1]s as DECIMAL(18,12))::DECIMAL(38,12), %[1]s::DECIMAL(38,12)) as %[1]s"

// show makes the views of a question.
func show(db *sql.DB, views []View, numbered bool) error {
	for _, v := range views {
		create, err := v.create(numbered)
		if err == nil {
			_, err = db.Exec(create)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// create makes a view over a file as it lies; numbered, it has the number of each record, from 1. To count records takes as long as all the
// rest of a sum, whether or not anybody looks at the number.
func (v View) create(numbered bool) (string, error) {
	var columns, list []string
	for _, c := range v.Columns {
		t, ok := types[c.Type]
		if !ok || strings.EqualFold(c.Name, record) {
			return "", refused("the column %q of %s cannot be read as %q", c.Name, v.Name, c.Type)
		}
		columns = append(columns, quoted(c.Name)+": "+quoted(t))
		if c.Type == "decimal" {
			list = append(list, fmt.Sprintf(exactly, named(c.Name)))
		} else {
			list = append(list, named(c.Name))
		}
	}
	if numbered {
		list = append([]string{"row_number() over () as " + record}, list...)
	}
	return "create view " + named(v.Name) + " as select " + strings.Join(list, ", ") + " from read_csv(" + quoted(v.File) +
		", header = true, auto_detect = false, delim = ',', quote = '\"', escape = '\"', columns = {" + strings.Join(columns, ", ") + "})", nil
}

// record is the column with the number of a row in its file.
const record = "record"

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
func named(s string) string  { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` }

// run fetches the rows. One more than asked for is fetched, to know whether there are more.
func (a *Answer) run(db *sql.DB, q Question, cells []string) error {
	most := min(max(q.Rows, 1), mostRows)
	rows, err := db.Query(fmt.Sprintf("select * from (%s) limit %d", a.SQL, most+1))
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	if err != nil {
		return err
	}
	for i, c := range columns {
		kind, _, _ := strings.Cut(c.DatabaseTypeName(), "(")
		number, ok := allowedTypes[kind]
		if !ok {
			return refused("the column %s is %s: sum, count, min and max of values are exact; divide with derive", c.Name(), kind)
		}
		one := Answered{Name: c.Name(), Number: number}
		if i < len(cells) {
			one.Cell = cells[i]
		}
		a.Columns = append(a.Columns, one)
	}
	size := 0
	for rows.Next() {
		if len(a.Rows) == most {
			a.More = true
			return nil
		}
		row, err := scanned(rows, len(columns), &size)
		if err != nil {
			return err
		}
		a.Rows = append(a.Rows, row)
	}
	return rows.Err()
}

// The bounds of an answer: rows, and bytes of all its values.
const (
	mostRows  = 10_000
	mostBytes = 4 << 20
)

// allowedTypes are what an answer may have in it, and whether that is a number. Floats are none of them.
var allowedTypes = map[string]bool{"VARCHAR": false, "BOOLEAN": false, "TINYINT": true, "SMALLINT": true, "INTEGER": true, "BIGINT": true,
	"HUGEINT": true, "DECIMAL": true}

func scanned(rows *sql.Rows, n int, size *int) ([]*string, error) {
	values, into := make([]any, n), make([]any, n)
	for i := range values {
		into[i] = &values[i]
	}
	if err := rows.Scan(into...); err != nil {
		return nil, err
	}
	out := make([]*string, n)
	for i, v := range values {
		if v == nil {
			continue
		}
		s := fmt.Sprint(v)
		if d, ok := v.(duckdb.Decimal); ok {
			s = d.String()
		}
		if *size += len(s); *size > mostBytes {
			return nil, refused("the answer has more than %d MB: ask for less", mostBytes>>20)
		}
		out[i] = &s
	}
	return out, nil
}

// A refusal is a question that may not be asked.
type refusal string

func (r refusal) Error() string { return string(r) }

func refused(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

// failure says in a code what went wrong.
func failure(err error) *Failure {
	if r, ok := errors.AsType[refusal](err); ok {
		return &Failure{"refused", string(r)}
	}
	text, _, _ := strings.Cut(err.Error(), "\n")
	code := "invalid"
	for sign, c := range map[string]string{"Out of Memory": "memory", "bad_alloc": "memory", "Overflow": "overflow",
		"Out of Range": "overflow", "Could not cast": "overflow", "Could not convert": "data", "CSV Error": "data", "Permission": "refused"} {
		if strings.Contains(text, sign) {
			code = c
			break
		}
	}
	return &Failure{code, text[:min(len(text), 400)]}
}
