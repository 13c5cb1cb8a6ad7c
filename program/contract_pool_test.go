package program

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
)

// fleet has a programme of four vans at the counter, one pass over them and what
// it found, and returns the pass and a van that fails.
func (k *counter) fleet() (pass, van string) {
	k.t.Helper()
	const rows = `
		insert into poolpatrol.site values ('north', 'PLANT-1', 'Plant 1', 'America/Los_Angeles', 37.5, -121.9) on conflict do nothing;
		insert into poolpatrol.shift values ('north', 'SHIFT_DAY', 'Day', '[{"day":"Mon","start_time":"07:00","end_time":"16:00"}]') on conflict do nothing;
		insert into poolpatrol.employee (org, id, status, site_id, name, home_zip, changed_at) select 'north', 'EMP-100' || n, 'active', 'PLANT-1', 'Rider ' || n, '94538', now() from generate_series(1, 4) n on conflict do nothing;
		insert into poolpatrol.assignment select 'north', 'EMP-100' || n, 'SHIFT_DAY', '2020-01-01', null from generate_series(1, 4) n on conflict do nothing;
		insert into poolpatrol.vanpool (org, id, site_id, capacity, status, changed_at) select 'north', 'VP-10' || n, 'PLANT-1', 7, 'active', now() from generate_series(1, 4) n on conflict do nothing;
		insert into poolpatrol.rider (org, vanpool_id, employee_id) select 'north', 'VP-10' || n, 'EMP-100' || n from generate_series(1, 4) n on conflict do nothing;
		insert into poolpatrol.sync (org, kind, at, way, by) select 'north', s, now(), 'api', 'test' from unnest(array['sites', 'shifts', 'employees', 'vanpools']) s on conflict do nothing;
		insert into poolpatrol.pass (org, id, kind, key, asked_by, policy, state, planned, verified, failed, errored, began_at, ended_at)
			values ('north', 'PASS-000000A1', 'asked', 'a1', 'test', 'standard', 'done', 4, 2, 1, 1, now() + interval '1 hour', now() + interval '1 hour') on conflict do nothing;
		insert into poolpatrol.audit_run (org, id, pass, vanpool_id, outcome, checks, verdicts, reason, at) values
			('north', 'RUN-000000A1', 'PASS-000000A1', 'VP-101', 'failed', '{shift}', '[]', '', now()), ('north', 'RUN-000000A2', 'PASS-000000A1', 'VP-102', 'verified', '{}', null, '', now()),
			('north', 'RUN-000000A3', 'PASS-000000A1', 'VP-103', 'verified', '{}', null, '', now()), ('north', 'RUN-000000A4', 'PASS-000000A1', 'VP-104', 'error', '{}', null, 'nobody rides in it', now()) on conflict do nothing;
		insert into poolpatrol.gap (org, vanpool_id, check_name, field, pass, seen_at) select 'north', 'VP-10' || n, 'location', 'pickup_coords', 'PASS-000000A1', now() from generate_series(1, 4) n on conflict do nothing;
		insert into gavel.case (org, id, app, key, ref, title, state, status, opened_at, version)
			values ('north', 'case_01J00000000000000000000001', 'poolpatrol', 'VP-101', 'CASE-000000A1', 'Home address check, VP-101', 'open', 'opened', now(), 1) on conflict do nothing;
		insert into poolpatrol.case (org, id, ref, vanpool_id, life, state, reason, failed_checks, audit_run, policy, rules, opened_at)
			values ('north', 'case_01J00000000000000000000001', 'CASE-000000A1', 'VP-101', '{"state":"open","vanpool_id":"VP-101"}', 'open', 'shift_mismatch', '{shift}', 'RUN-000000A1', 'standard', 'r', now()) on conflict do nothing;
		insert into poolpatrol.case_subject (org, case_id, employee_id, failed_checks, state, cancelled_at)
			values ('north', 'case_01J00000000000000000000001', 'EMP-1004', '{shift}', 'cancelled', now()) on conflict do nothing;
		update poolpatrol.rider set removed_on = current_date, removed_case_id = 'case_01J00000000000000000000001' where employee_id = 'EMP-1004'`
	k.exec(rows)
	return "PASS-000000A1", "VP-101"
}

// sites is a file of workplaces.
func (k *counter) sites() string {
	k.t.Helper()
	file := filepath.Join(k.t.TempDir(), "sites.csv")
	if err := os.WriteFile(file, []byte("site_id,name,tz\nPLANT-2,Plant 2,America/Los_Angeles\n"), 0o600); err != nil {
		k.t.Fatal(err)
	}
	return file
}

// tried answers a trial of other thresholds as the API does: at the counter no
// pass has read anything to try them on.
func tried(t *testing.T) setup {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		write(w, http.StatusOK, `{"snapshot":"SNAP-000000A1","at":"2026-11-14T08:00:00Z","changes":["location.threshold_miles=40"],"riders":4,"vanpools":{"all":4,"before":1,"after":2},
			"flagged":{"all":4,"before":1,"after":2},"hours":{"before":0.75,"after":1.5},"new_count":0,"gone_count":0,"new":[],"gone":[],"sites":[],"shifts":[],
			"impact_by_site":{"before":1,"after":1},"impact_by_shift":{"before":1,"after":1}}`)
	}))
	t.Cleanup(srv.Close)
	return setup{environ: []string{"GAVEL_SERVER=" + srv.URL, "GAVEL_TOKEN=good"}}
}

func poolContracts() map[string]contract {
	const as = identity.ProgrammeManager
	call := func(args ...string) func(*counter) []string { return words(append([]string{"poolpatrol"}, args...)...) }
	with := func(args ...string) func(*counter) []string {
		return func(k *counter) []string { k.fleet(); return call(args...)(k) }
	}
	return map[string]contract{
		"poolpatrol audit": {as: as, one: with("audit"), fail: call("audit", "--server", "http://127.0.0.1:1"), failCode: 1},
		"poolpatrol pass list": {as: as, empty: call("pass", "list"), one: with("pass", "list"), fail: call("pass", "list", "--limit",
			"0"), failCode: 2},
		"poolpatrol pass show": {as: as, one: with("pass", "show", "PASS-000000A1"), fail: call("pass", "show", "PASS-FFFFFFFF"),
			failCode: 3},
		"poolpatrol van list": {as: as, empty: call("van", "list"), one: with("van", "list"), fail: call("van", "list", "--outcome",
			"lost"), failCode: 2},
		"poolpatrol van show": {as: as, one: with("van", "show", "VP-101"), fail: call("van", "show", "VP-999"), failCode: 3},
		"poolpatrol export runs": {as: as, empty: call("export", "runs"), one: with("export", "runs", "--pass", "PASS-000000A1"),
			fail: call("export", "runs", "--pass", "PASS-FFFFFFFF"), failCode: 3},
		"poolpatrol export gaps": {as: as, empty: call("export", "gaps"), one: with("export", "gaps"),
			fail: call("export", "gaps", "extra"), failCode: 2},
		"poolpatrol import": {as: as, one: func(k *counter) []string { return call("import", "sites", k.sites(), "--yes")(k) },
			fail: call("import", "sites", "/does/not/exist", "--yes"), failCode: 2},
		"poolpatrol case list": {as: as, empty: call("case", "list"), one: with("case", "list"), fail: call("case", "list", "--state",
			"lost"), failCode: 2},
		"poolpatrol removals": {as: as, empty: call("removals"), one: with("removals"), fail: call("removals", "--since", "soon"),
			failCode: 2},
		"poolpatrol case show": {as: as, one: with("case", "show", "CASE-000000A1"), fail: call("case", "show", "CASE-FFFFFFFF"),
			failCode: 3},
		"poolpatrol schedule show": {as: as, one: call("schedule", "show"), fail: call("schedule", "show", "extra"), failCode: 2},
		"poolpatrol schedule set": {as: as, one: call("schedule", "set", "--daily"), fail: call("schedule", "set", "--day", "31"),
			failCode: 2},
		"poolpatrol settings show": {as: as, one: call("settings", "show"), fail: call("settings", "show", "extra"), failCode: 2},
		"poolpatrol settings set": {as: as, one: call("settings", "set", "--contact", "desk 4"),
			fail: call("settings", "set", "--currency", "dollars"), failCode: 2},
		"poolpatrol simulate": {as: as, where: tried, one: call("simulate", "location.threshold_miles=40"),
			fail: call("simulate", "location.threshold_miles=40"), failCode: 6},
	}
}
