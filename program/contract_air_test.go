package program

import (
	"os"
	"path/filepath"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/platform/identity"
)

// surge is the key of the one episode in november.
const surge = "site_5024@2025-11-12T02:30Z"

// november is a file of the data lake with one surge in it.
func (k *counter) november() string {
	k.t.Helper()
	return k.airFile("november.json", laketest.File(k.t, laketest.Surge(k.t)))
}

func (k *counter) airFile(name string, body []byte) string {
	k.t.Helper()
	file := filepath.Join(k.t.TempDir(), name)
	if err := os.WriteFile(file, body, 0o600); err != nil {
		k.t.Fatal(err)
	}
	return file
}

// airContracts are those of Airshed, which answers from files.
func airContracts() map[string]contract {
	of := func(args ...string) func(*counter) []string {
		return func(k *counter) []string { return append(append([]string{"airshed"}, args...), "--data", k.november()) }
	}
	return map[string]contract{
		"airshed ingest": {one: func(k *counter) []string { return []string{"airshed", "ingest", k.airIngest()} },
			fail: words("airshed", "ingest", "ING-00000000"), failCode: 3},
		"airshed import boundaries": {empty: words("airshed", "import", "boundaries"),
			one: func(k *counter) []string { return append(k.boundaries(), "--as-of", "2026-01-31") }, fail: (*counter).boundaries,
			failCode: 2},
		"airshed import dss": {empty: words("airshed", "import", "dss"), one: func(k *counter) []string {
			return append(k.dss(), "--issued",
				"2026-11-13T12:00:00Z")
		},
			fail: (*counter).dss, failCode: 2},
		"airshed import stations": {empty: words("airshed", "import", "stations"), one: (*counter).stations,
			fail: words("airshed", "import", "stations", "/nowhere/stations.csv"), failCode: 3},
		"airshed import static": {empty: words("airshed", "import", "static"), one: (*counter).static,
			fail: words("airshed", "import", "static", "/nowhere/kilns.csv"), failCode: 3},
		"airshed import citations": {empty: words("airshed", "import", "citations"), one: (*counter).citations,
			fail: words("airshed", "import", "citations", "/nowhere/law.json"), failCode: 3},

		"airshed report log": {one: (*counter).airReport, fail: words("airshed", "report", "log", "--limit"), failCode: 2},
		"airshed report get": {one: func(k *counter) []string { k.airReport(); return []string{"airshed", "report", "get", madeReport} },
			fail: words("airshed", "report", "get", "CAQM-2020-01-01-001"), failCode: 3},
		"airshed report ask": {as: identity.Analyst, one: func(k *counter) []string {
			k.airReport()
			return []string{"airshed",
				"report", "ask", madeReport}
		},
			fail: words("airshed", "report", "ask", "CAQM-2020-01-01-001"), failCode: 3},
		"airshed office list": {empty: words("airshed", "office", "list"),
			one:  func(k *counter) []string { k.airOffice(); return []string{"airshed", "office", "list"} },
			fail: words("airshed", "office", "list", "Punjab"), failCode: 2},
		"airshed office set": {one: words("airshed", "office", "set", "Made-up", "--name", "Board", "--mailbox", "board@state.example"),
			fail: words("airshed", "office", "set", "Made-up", "--name", "Board", "--mailbox", "nobody"), failCode: 2},

		"airshed schedule": {one: words("airshed", "schedule", "--pause"), fail: words("airshed", "schedule", "--pause", "--resume"),
			failCode: 2},
		"airshed scan":    {one: of("scan"), fail: words("airshed", "scan", "--data", "/nowhere/november.json"), failCode: 3},
		"airshed episode": {one: of("episode", surge), fail: of("episode", "alipur"), failCode: 2},
		"airshed report": {one: func(k *counter) []string { return append(of("report", surge)(k), "--into", k.t.TempDir()) },
			fail: of("report", "site_5024@2020-01-01T00:30Z"), failCode: 3},
		"airshed replay": {one: func(k *counter) []string {
			file := k.november()
			analysis := filepath.Join(filepath.Dir(file), "analysis.json")
			if got := (setup{}.run(k.t, "airshed", "episode", surge, "--data", file, "--out", analysis)); got.code != 0 {
				k.t.Fatal(got.talk)
			}
			return []string{"airshed", "replay", analysis, "--data", file}
		}, fail: func(k *counter) []string { return of("replay", k.airFile("empty.json", []byte("{}")))(k) }, failCode: 2},
	}
}

// airIngest is an ingest that was refused: the counter has no lake to write to.
func (k *counter) airIngest() string {
	k.t.Helper()
	id := poolID("ING-")
	k.exec(`insert into airshed.ingest (org, id, key, asked_by, state, reason, began_at, ended_at) values ('north', '` + id + `', '` + id +
		`', 'asha', 'refused', 'the air did not come', now(), now())`)
	return id
}

// noScan is a scan that there is not.
const noScan = "SCAN-00000000"

// job is a scan under way, at which nobody works: the counter has no engine.
func (k *counter) job() string {
	k.t.Helper()
	id := poolID("SCAN-")
	k.exec(`insert into gavel.job (org, kind, id, key, about, asked_by, began_at) values ('north', 'airshed.scan', '` + id + `', '` + id +
		`', '` + id + `', 'asha', now())`)
	return id
}

// madeReport is a report at the counter.
const madeReport = "CAQM-2026-11-14-001"

// airReport is the draft of a report that nobody has decided about.
func (k *counter) airReport() []string {
	k.t.Helper()
	k.exec(`
		insert into airshed.scan (org, id, kind, key, asked_by, place, state, board, began_at, ended_at)
		values ('north', 'SCAN-0000000A', 'asked', 'report', 'x', 'x', 'done', '{}', now(), now()) on conflict do nothing;
		insert into airshed.episode (org, key, site_id, station, start_at, last_at, over, as_of, answers, first_scan, last_scan, found_at,
		seen_at)
			values ('north', 'site_1@2026-11-13T00:30Z', 'site_1', 'Made-up', '2026-11-13T00:30Z', '2026-11-13T20:30Z', true,
			'2026-11-13T20:30Z', 1, 'SCAN-0000000A', 'SCAN-0000000A', now(), now()) on conflict do nothing;
		insert into airshed.answer (org, key, n, as_of, peak_index, verdict, first_state, data, analysis, scan, at)
			values ('north', 'site_1@2026-11-13T00:30Z', 1, '2026-11-13T20:30Z', 420, 'inconclusive', '', repeat('0', 64), repeat('0', 64),
			'SCAN-0000000A', now()) on conflict do nothing;
		insert into gavel.case (org, id, app, key, ref, title, state, status, opened_at, version)
			values ('north', 'case_01K00000000000000000000A0R', 'airshed', 'site_1:2026-11-13T00:30Z',
			'` + madeReport + `', 'Made-up', 'waiting', 'drafted', now(), 1) on conflict do nothing;
		insert into airshed.case (org, id, key, opened_at) values ('north', 'case_01K00000000000000000000A0R', 'site_1@2026-11-13T00:30Z',
		now()) on conflict do nothing;
		insert into airshed.report (org, case_id, n, report_id, answer, station, aqi, surge_at, verdict, first_state, category, json,
		english, hindi, made_at)
			values ('north', 'case_01K00000000000000000000A0R', 1,
			'` + madeReport + `', 1, 'Made-up', 420, now(), 'inconclusive', '', 'Severe', repeat('0', 64), repeat('0', 64), repeat('0', 64), now()) on conflict do nothing`)
	return []string{"airshed", "report", "log"}
}

// airOffice is where notices to a state go.
func (k *counter) airOffice() {
	k.t.Helper()
	k.exec(`insert into gavel.setting (org, app, name, item, version, value, changed_by, changed_at)
		select 'north', 'airshed', 'office', 'Made-up', 1, '{"language":"en","mailbox":"board@state.example","name":"Board"}', 'x', now()
		where not exists (select from gavel.setting where org = 'north' and item = 'Made-up')`)
}

// boundaries imports a square of the Punjab, without saying as of when.
func (k *counter) boundaries() []string {
	k.t.Helper()
	const square = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"district":"Made-up Mansa","state":"Punjab"},
		"geometry":{"type":"Polygon","coordinates":[[[75.0,30.1],[75.7,30.1],[75.7,30.8],[75.0,30.8],[75.0,30.1]]]}}]}`
	return []string{"airshed", "import", "boundaries", k.airFile("districts.geojson", []byte(square)), "--licence", "made up"}
}

// dss enters a share, without saying when it was issued.
func (k *counter) dss() []string {
	k.t.Helper()
	return []string{"airshed", "import", "dss", "--percent", "22", "--valid", "2026-11-14", "--url", "https://ews.tropmet.res.in/dss/",
		"--capture", k.airFile("page.html", []byte("22 %"))}
}

// stations lists one that is there.
func (k *counter) stations() []string {
	k.t.Helper()
	k.exec(`insert into ref.station (site_id, valid_from, name, agency, lat, lon, kind, source, recorded_at)
		values ('site_1', '2026-01-01', 'Made-up', 'Nobody', 28, 77, 'other', repeat('0', 64), now()) on conflict do nothing`)
	return []string{"airshed", "import", "stations"}
}

// static lists a list of static sources that is there.
func (k *counter) static() []string {
	k.t.Helper()
	k.exec(`insert into airshed.static_list (org, id, data, name, licence, as_of, sites, imported_by, imported_at)
		values ('north', 'STA-000000A1', repeat('0', 64), 'kilns.csv', 'Made-up', '2026-01-31', 1, 'nobody', now()) on conflict do nothing`)
	return []string{"airshed", "import", "static"}
}

// citations lists one that is there.
func (k *counter) citations() []string {
	k.t.Helper()
	k.exec(`insert into ref.citation (id, verified_on, number, date, title, subjects, addressees, says, origin, certainty, source,
		recorded_at)
		values ('made-up', '2026-01-01', '1', '2026-01', 'Made-up', '{any}', '{nobody}', 'nothing', 'here', 'text', repeat('0', 64), now())
		on conflict do nothing`)
	return []string{"airshed", "import", "citations"}
}
