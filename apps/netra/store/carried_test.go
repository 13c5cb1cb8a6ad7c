package store_test

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// carried are tables that an installation has before the parts of days lose their policies, and their columns of then.
var carried = map[string]string{
	"ingest": `org, id, name, feed, asked_by, parts, lines, taken, known, refused, quarantined, reasons, began_at, last_at`,
	"signal": `org, event_id, ts, lgd, severity, class, layers, geo, basis, ref, part, source, source_type, event_type, summary`,
	"day":    `org, day, lgd, layer, sums, hours, tops`,
	"hour":   `org, hour, lgd, layer, minutes, tops`,
}

// decided is what people had said by then: a review, and corrections of which one waits.
const decided = `
	insert into netra.alert (org, case_id, lgd, district, state, band, came_from, score, crossed_at, settings, found)
		values ('north', 'case_01', 1, 'Made-up 1', 'State 1', 'MONITORING', 'BASELINE', 31, '2026-01-01', 0, '{}');
	insert into netra.review (org, act, case_id, outcome, reason, dissent, by_id, at)
		values ('north', 'act_01', 'case_01', 'watch', 'Two desks saw it.', 'One did not.', 'omar', '2026-01-02');
	insert into netra.correction (org, id, lgd, event_id, at, kind, reason, case_id, filed_by, filed_role, filed_at, state, why, decided_at)
		values ('north', 'NCO-00000001', 1, 'e1', '2026-01-01', 'wrong', 'It was a fair.', 'case_02', 'asha', 'analyst', '2026-01-02',
			'refused', 'Two desks saw it.', '2026-01-03'),
		('north', 'NCO-00000002', 1, 'e2', '2026-01-01', 'wrong', 'It was a fair.', 'case_03', 'asha', 'analyst', '2026-01-02', 'filed', '',
			null)`

// heardThen is which sources were heard, as it was kept then: a row for each source.
const heardThen = `insert into netra.heard (org, day, lgd, source, signals, first_at, last_at)
	select org, (ts at time zone 'UTC')::date, lgd, source, count(*), min(ts), max(ts) from netra.signal group by 1, 2, 3, 4`

// TestAnInstallationWithSignalsIsUpgradedWhole promises that one which has run since before signals were copied straight into days has,
// after the upgrade, every row and sum byte for byte as one that never was older, who was heard and what people said among them; that the
// parts of its days take rows and show none, and that the same feed brings nothing in twice.
func TestAnInstallationWithSignalsIsUpgradedWhole(t *testing.T) {
	r := netratest.New(t)
	lot := rand.New(rand.NewPCG(26, 25))
	all := netratest.Heard(lot, 700, 3, r.Store.Now().Add(-time.Hour), 6*24*time.Hour)
	for i := range all {
		all[i].Source = []string{"desk", "पत्र", "radio"}[lot.IntN(3)]
	}
	netratest.Crowd(lot, all[:200], r.Store.Now().Add(-9*time.Hour))
	take(t, r, lot, all, 200)
	south := analyst
	south.Org = postgrestest.South
	some := store.Part{Name: "test", Feed: "ndjson", Lines: 90, Signals: slices.Clone(all[300:390])}
	if _, err := r.Store.Take(t.Context(), south, some); err != nil {
		t.Fatal(err)
	}

	old := postgrestest.New(t, append(platform.Migrations(), postgrestest.Until(t, store.Migrations(), "00007_straight_into_days.sql"))...)
	from, to := connected(t, r.DB.AdminURL), connected(t, old.AdminURL)
	run(t, to, `select netra.open_days(current_date - 10, current_date + 1)`)
	for _, table := range []string{"ingest", "signal", "day", "hour"} {
		text := rowsOf(t, from, table, carried[table])
		into := `copy netra.` + table + ` (` + carried[table] + `) from stdin`
		if _, err := to.PgConn().CopyFrom(t.Context(), bytes.NewReader(text), into); err != nil || len(text) == 0 {
			t.Fatalf("%s: %d bytes, %v", table, len(text), err)
		}
	}
	run(t, to, heardThen)
	for _, conn := range []*pgx.Conn{from, to} {
		run(t, conn, decided)
	}
	applied, err := postgres.Migrate(t.Context(), old.OwnerURL, append(platform.Migrations(), store.Migrations())...)
	if err != nil || len(applied) < 3 {
		t.Fatalf("%v were applied, %v", applied, err)
	}

	for _, table := range []string{"ingest", "signal", "day", "hour", "alert", "review", "correction"} {
		if got, want := rowsOf(t, to, table, `*`), rowsOf(t, from, table, `*`); !bytes.Equal(got, want) || len(got) == 0 {
			t.Errorf("%s: %d bytes of rows are not the %d they should be", table, len(got), len(want))
		}
	}
	upgraded := r
	upgraded.Store = store.New()
	upgraded.Store.Open(store.Config{DB: old.App, Clock: r.Deps.Clock, Rules: r.Deps.Rules})
	upgradedIsApart(t, old, all[0].At)
	last := take(t, upgraded, lot, all, 250)
	if last.Taken != 0 || last.Known != int64(len(all)) {
		t.Errorf("sent again: got %+v, want all %d known", last, len(all))
	}
	more := netratest.Heard(lot, 50, 3, r.Store.Now().Add(-time.Hour), 6*24*time.Hour)
	for _, one := range []netratest.Rig{r, upgraded} {
		if last := take(t, one, rand.New(rand.NewPCG(1, 1)), more, 50); last.Taken != 50 {
			t.Errorf("got %+v, want 50 taken", last)
		}
	}
	if got, want := rowsOf(t, to, "day", `*`), rowsOf(t, from, "day", `*`); !bytes.Equal(got, want) {
		t.Error("what came afterwards is not counted as it is where nothing was upgraded")
	}
}

// upgradedIsApart holds that the part of a day of before shows the role of requests nothing, and that the table shows each organisation
// its own.
func upgradedIsApart(t *testing.T, db *postgrestest.Database, at time.Time) {
	t.Helper()
	part := "netra.signal_" + at.UTC().Format("20060102")
	count := func(org identity.Org, table string) (n int, err error) {
		err = db.App.InOrg(t.Context(), org, func(tx pgx.Tx) error {
			return tx.QueryRow(t.Context(), `select count(*) from `+table).Scan(&n)
		})
		return n, err
	}
	if n, err := count(postgrestest.North, part); err == nil {
		t.Errorf("the part of a day shows %d rows", n)
	}
	for org, want := range map[identity.Org]int{postgrestest.North: 700, postgrestest.South: 90} {
		if n, err := count(org, "netra.signal"); err != nil || n != want {
			t.Errorf("%s sees %d signals, %v, want %d", org, n, err, want)
		}
	}
	err := db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into `+part+` (org, event_id, ts, lgd, severity, class, layers, geo, basis, ref, part, source,
			source_type, event_type, summary) values ('south', 'e', $1, 1, 1, 0, 1, 1, 0, 1, 1, 's', 's', 's', '')`, at)
		return err
	})
	if err == nil {
		t.Error("the north wrote a row of the south")
	}
}

// rowsOf is the rows of a table, past every wall, in an order of their own.
func rowsOf(t *testing.T, conn *pgx.Conn, table, columns string) []byte {
	t.Helper()
	var text bytes.Buffer
	query := `copy (select ` + columns + ` from netra.` + table + ` x order by x::text collate "C") to stdout`
	if _, err := conn.PgConn().CopyTo(t.Context(), &text, query); err != nil {
		t.Fatal(table, err)
	}
	return text.Bytes()
}

// connected is a connection of the superuser's.
func connected(t *testing.T, address string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

func run(t *testing.T, conn *pgx.Conn, sql string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%.80s: %v", sql, err)
	}
}
