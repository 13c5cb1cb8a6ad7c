package store_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestWhatWasThereBeforeJobsIsCarriedOver promises that scans, ingests and the watch from before
// the platform kept jobs, timetables and settings are known there, the newest of those that ran at once
// as the one that is at it.
func TestWhatWasThereBeforeJobsIsCarriedOver(t *testing.T) {
	db := postgrestest.New(t, append(platform.Migrations(), postgrestest.Until(t, store.Migrations(), "00008_jobs.sql"))...)
	in := func(do func(pgx.Tx) error) {
		t.Helper()
		if err := db.App.InOrg(t.Context(), postgrestest.North, do); err != nil {
			t.Fatal(err)
		}
	}
	in(func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `
			insert into airshed.scan (org, id, kind, key, asked_by, object, state, reason, began_at, ended_at) values
				('north', 'SCAN-00000001', 'asked', 'a', 'p', '', 'running', '', now() - interval '2 hours', null),
				('north', 'SCAN-00000002', 'scheduled', 'b', 'p', '', 'running', '', now() - interval '1 hour', null),
				('north', 'SCAN-00000003', 'event', 'c', 'p', 'data/x', 'running', '', now(), null),
				('north', 'SCAN-00000004', 'asked', 'd', 'p', 'data/x', 'refused', '', now(), now());
			insert into airshed.ingest (org, id, key, asked_by, state, began_at)
			values ('north', 'ING-00000001', 'a', 'p', 'running', now());
			insert into airshed.office (org, state, name, mailbox, language, set_by, set_at)
				values ('north', 'Uttar Pradesh', 'Board "1"', 'board@up.example', 'hi', 'p', '2026-11-02T00:00:00Z');
			insert into airshed.watch (org, paused, version, set_by, set_at, next_at, last_scan, left_out_at)
				values ('north', false, 3, 'p', now(), '2027-01-10T06:00:00Z', 'SCAN-00000002', now());`)
		return err
	})
	if _, err := postgres.Migrate(t.Context(), db.OwnerURL, append(platform.Migrations(), store.Migrations())...); err != nil {
		t.Fatal(err)
	}
	const jobs = `select string_agg(kind || ' ' || id || ' ' || about || ' ' || state, ', ' order by kind, id) from gavel.job`
	for query, want := range map[string]string{
		jobs: "airshed.ingest ING-00000001  running, " +
			"airshed.scan SCAN-00000001 SCAN-00000001 running, airshed.scan SCAN-00000002 object: running, " +
			"airshed.scan SCAN-00000003 c running, airshed.scan SCAN-00000004 object:data/x refused",
		`select concat_ws(' ', t.version, t.set_by, s.name, s.on_plan, s.each, s.hours, s.next_at at time zone 'utc', s.last, s.note)
			from gavel.timetable t join gavel.timetable_slot s
			using (org, kind)`: "3 p scan t hours 6 2027-01-10 06:00:00 SCAN-00000002 running",
		`select concat_ws(' ', name, item, version, value, changed_by, changed_at at time zone 'utc')
			from gavel.setting`: `office Uttar Pradesh 1 ` +
			`{"language":"hi","mailbox":"board@up.example","name":"Board \"1\""} p 2026-11-02 00:00:00`,
	} {
		in(func(tx pgx.Tx) error {
			var got string
			err := tx.QueryRow(t.Context(), query).Scan(&got)
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			return err
		})
	}
}
