package store_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestTheOwnersFunctionsTakeNothingFromAStranger promises that whoever has the role of requests, and types SQL, gets no other
// table made or dropped by the functions that run with the owner's rights, whatever they are given and whatever was set before.
func TestTheOwnersFunctionsTakeNothingFromAStranger(t *testing.T) {
	r := netratest.New(t)
	days := func() int {
		return r.Number(t, `select count(*) from pg_inherits where inhparent = 'netra.signal'::regclass`)
	}
	asStranger := func(sql ...string) error {
		return r.Deps.DB.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) (err error) {
			for _, one := range sql {
				if _, err = tx.Exec(t.Context(), one); err != nil {
					return err
				}
			}
			return nil
		})
	}
	before := days()
	for what, sql := range map[string][]string{
		"days without end":         {`select netra.open_days('2030-01-01', '2032-01-01')`},
		"no day":                   {`select netra.open_days(null, '2030-01-01')`},
		"backwards":                {`select netra.open_days('2030-01-02', '2030-01-01')`},
		"before our era":           {`select netra.open_days('0026-01-01 BC', '0026-01-01 BC')`},
		"far away":                 {`select netra.open_days('99999-01-01', '99999-01-01')`},
		"for ever":                 {`select netra.open_days('infinity', 'infinity')`},
		"closing is not theirs":    {`select netra.close_days('2001-01-01')`},
		"a table of their own":     {`create table netra.signal_20300101 ()`},
		"another's rights":         {`set role postgres`},
		"the lock, then the wrong": {`select pg_advisory_xact_lock(7426125)`, `select netra.open_days('1999-12-31', '1999-12-31')`},
	} {
		if err := asStranger(sql...); err == nil {
			t.Errorf("%s: nothing was refused", what)
		}
	}
	if now := days(); now != before {
		t.Errorf("there are %d days, and were %d", now, before)
	}
	// A row that lies where it keeps a day from being opened keeps nobody from it.
	if err := asStranger(strayRow); err != nil {
		t.Fatal(err)
	}
	if err := asStranger(`select netra.open_days('2190-01-01', '2190-01-01')`); err != nil {
		t.Error(err)
	}
	// What stands before the path of the functions, and how dates are written, is the caller's; the functions do not look there.
	err := asStranger(
		`create function pg_temp.to_char(date, text) returns text language sql as $$ select 'mine' $$`,
		`create function pg_temp.format(text, text, timestamptz, timestamptz) returns text language sql as $$ select 'drop schema netra' $$`,
		`set local search_path = pg_temp, netra`, `set local datestyle = 'SQL, DMY'`, `set local timezone = 'Pacific/Apia'`,
		`select netra.open_days('2030-03-04', '2030-03-05')`)
	if err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{"signal_20300304": "2030-03-04 00:00:00+00", "signal_20300305": "2030-03-05 00:00:00+00"} {
		if n := r.Number(t, `select count(*) from pg_class where oid = to_regclass('netra.' || $1) and
			position($2 in pg_get_expr(relpartbound, oid)) > 0`, name, from); n != 1 {
			t.Errorf("%s is not there, from %s", name, from)
		}
	}
}

// TestThePartOfADayShowsNothingAndTakesOnlyOnesOwn promises that the parts of the table into which signals are copied, which are not behind
// the wall of policies, show the role of requests no row and take none for another organisation, and that the table itself is as before.
func TestThePartOfADayShowsNothingAndTakesOnlyOnesOwn(t *testing.T) {
	r := netratest.New(t)
	r.Set(t, `select netra.open_days('2030-01-01', '2030-01-01')`)
	const columns = `event_id, ts, lgd, severity, class, layers, geo, basis, ref, part, source, source_type, event_type, summary`
	const values = `'e', '2030-01-01 05:00+00', 1, 1, 0, 1, 1, 0, 1, 1, 's', 's', 's', ''`
	asApp := func(org identity.Org, sql string) error {
		return r.Deps.DB.InOrg(t.Context(), org, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), sql)
			return err
		})
	}
	for _, sql := range []string{
		`select event_id from netra.signal_20300101`, `select count(*) from netra.signal_20300101`, `table netra.signal_20300101`,
		`copy netra.signal_20300101 to stdout`, `update netra.signal_20300101 set lgd = 2`, `delete from netra.signal_20300101`,
		`truncate netra.signal_20300101`, `select netra.put_day('netra.signal_20300101')`,
		`insert into netra.signal_20300101 (org, ` + columns + `) values ('south', ` + values + `)`,
		`insert into netra.signal_20300101 (org, ` + columns + `) values ('north', ` + values + `)`,
		`insert into netra.signal_20300101 (` + columns + `) values (` + values + `) returning event_id`,
		`insert into netra.signal_20300101 (` + columns + `) values (` + values + `) on conflict (org, event_id, ts) do update set lgd = 2`,
	} {
		if pg, ok := errors.AsType[*pgconn.PgError](asApp(postgrestest.North, sql)); !ok || pg.Code != "42501" {
			t.Errorf("%s: got %+v, want it refused for want of rights", sql, pg)
		}
	}
	err := r.Deps.DB.InNone(t.Context(), func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into netra.signal_20300101 (`+columns+`) values (`+values+`)`)
		return err
	})
	if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.ColumnName != "org" {
		t.Errorf("for no organisation: got %v, want it refused", err)
	}
	for _, org := range []identity.Org{postgrestest.North, postgrestest.South} {
		if err := asApp(org, `insert into netra.signal_20300101 (`+columns+`) values (`+values+`)`); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.Texts(t, `select org from netra.signal`); len(got) != 1 || got[0] != string(postgrestest.North) {
		t.Errorf("the north sees rows of %v", got)
	}
}

const strayRow = `insert into netra.signal (org, event_id, ts, lgd, severity, class, layers, geo, basis, ref, part, source, source_type,
	event_type, summary) values (current_setting('gavel.org'), 'stray', '2190-01-01', 1, 1, 0, 1, 1, 0, 1, 1, 's', 's', 's', '')`

// TestAWrongDateClosesNoDay promises that the days of the last month stay, whatever the purge is told.
func TestAWrongDateClosesNoDay(t *testing.T) {
	r := netratest.New(t)
	lot := rand.New(rand.NewPCG(1, 2))
	take(t, r, lot, netratest.Heard(lot, 5, 2, r.Store.Now(), time.Hour), 5)
	for _, before := range []string{`null`, `'infinity'`, `current_date`, `current_date - 29`} {
		_, err := r.DB.System.Exec(t.Context(), fmt.Sprintf(`select netra.close_days(%s::date)`, before))
		if err == nil {
			t.Errorf("%s: days were closed", before)
		}
	}
	if n := r.Number(t, `select count(*) from netra.signal`); n != 5 {
		t.Errorf("%d signals are left", n)
	}
	if _, err := r.DB.System.Exec(t.Context(), `select netra.close_days(current_date - 30)`); err != nil {
		t.Error(err)
	}
}
