package store

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/timetable"
)

// TestWhatWasThereBeforeJobsIsCarriedOver promises that passes, schedules and the set-up from before
// the platform kept jobs, timetables and settings are known there: a key is still one pass, who asks is given
// the newest that runs, and what comes next comes.
func TestWhatWasThereBeforeJobsIsCarriedOver(t *testing.T) {
	whole := sets()
	before := append(append([]postgres.MigrationSet{}, whole[:len(whole)-1]...), postgrestest.Until(t, Migrations(), "00006_jobs.sql"))
	db := postgrestest.New(t, before...)
	in := func(do func(pgx.Tx) error) {
		t.Helper()
		if err := db.App.InOrg(t.Context(), postgrestest.North, do); err != nil {
			t.Fatal(err)
		}
	}
	in(func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into poolpatrol.pass
				(org, id, kind, key, asked_by, policy, state, reason, planned, verified, began_at, ended_at) values
			('north', 'PASS-00000001', 'asked', 'done', 'p', 'x', 'done', '', 9, 9, now() - interval '3 hours', now()),
			('north', 'PASS-00000002', 'asked', 'older', 'p', 'x', 'running', '', 9, 3, now() - interval '2 hours', null),
			('north', 'PASS-00000003', 'monthly', 'newer', 'p', 'x', 'running', '', 9, 4, now() - interval '1 hour', null),
			('north', 'PASS-00000004', 'daily', 'daily', 'p', 'x', 'refused', '', 0, 0, now(), now()),
			('north', 'PASS-00000005', 're_audit', 'van', 'p', 'x', 'done', '', 1, 1, now(), now())`)
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), `insert into poolpatrol.office (org, programme, portal, contact, appeal, zone, minutes, hour_cost,
			currency, version, changed_by, changed_at)
			values ('north', 'Vans "of" the north', 'p', 'उत्तर\x', 'a', 'Asia/Kolkata', 30, 60, 'INR', 4, 'p', now())`)
		if err != nil {
			return err
		}
		_, err = tx.Exec(t.Context(), `insert into poolpatrol.schedule (org, monthly, month_day, daily, hour, version, set_by, set_at,
			monthly_at, daily_at, monthly_pass, monthly_note, monthly_noted)
			values ('north', true, 9, false, 4, 7, 'p', now(), '2027-01-10T04:00:00Z', null, 'PASS-00000003', 'stale', now())`)
		return err
	})
	if _, err := postgres.Migrate(t.Context(), db.OwnerURL, whole...); err != nil {
		t.Fatal(err)
	}
	o := &Store{db: db.App, clock: durable.Clock{}}
	for key, want := range map[string]string{"done": "PASS-00000001", "older": "PASS-00000002", "new": "PASS-00000003"} {
		in(func(tx pgx.Tx) error {
			p, started, err := o.beginPass(t.Context(), tx, poolpatroltest.Manager(postgrestest.North), Asked, key, o.clock.Now())
			if started || p.ID != want {
				t.Errorf("asked with the key %q: got %s, %v, want %s", key, p.ID, started, want)
			}
			return err
		})
	}
	in(func(tx pgx.Tx) error {
		kept, err := timetable.Read(t.Context(), tx, passTimes, postgrestest.North)
		c := scheduleOf(kept, "UTC")
		if c.Timetable != (Timetable{Monthly: true, Day: 9, Hour: 4}) || c.Version != 7 || c.SetBy != "p" || c.Full.Next == nil ||
			!c.Full.Owed ||
			c.Full.Note != noteStale || c.Full.Last != "PASS-00000003" || c.Recheck.Next != nil || c.Recheck.Note != "" {
			t.Errorf("got %+v", c)
		}
		return err
	})
	in(func(tx pgx.Tx) error {
		kept, err := OfficeIn(t.Context(), tx, postgrestest.North)
		want := OfficeDraft{Programme: `Vans "of" the north`, Portal: "p", Contact: `उत्तर\x`, Appeal: "a", Zone: "Asia/Kolkata",
			Minutes: 30, HourCost: 60, Currency: "INR"}
		if kept.OfficeDraft != want || kept.Version != 4 || kept.ChangedBy != "p" || kept.ChangedAt == nil {
			t.Errorf("got %+v", kept)
		}
		return err
	})
}
