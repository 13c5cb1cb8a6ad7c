package program

import (
	"fmt"
	"time"
)

// netraContracts are those of NE-NETRA.
func netraContracts() map[string]contract {
	return map[string]contract{
		"netra districts": {one: (*counter).netraDistricts, fail: words("netra", "districts", "/nowhere/districts.csv"), failCode: 3},
		"netra ingest":    {one: (*counter).netraSignals, fail: words("netra", "ingest", "/nowhere/signals.ndjson"), failCode: 3},
		"netra score": {one: func(k *counter) []string { k.netraDistricts(); return []string{"netra", "score"} },
			fail: words("netra", "score", "--as-of", "soon"), failCode: 2},
		"netra explain": {one: func(k *counter) []string { k.netraDistricts(); return []string{"netra", "explain", "272"} },
			fail: func(k *counter) []string { k.netraDistricts(); return []string{"netra", "explain", "9"} }, failCode: 3},
		"netra brief": {one: func(k *counter) []string { k.netraDistricts(); return []string{"netra", "brief", "272"} },
			fail: func(k *counter) []string { k.netraDistricts(); return []string{"netra", "brief", "9"} }, failCode: 3},
		"netra correct": {one: (*counter).netraCorrections, fail: func(k *counter) []string {
			k.netraDistricts()
			return []string{"netra", "correct", "nothing", "--district", "272", "--reason", "x"}
		}, failCode: 3},
		"netra alerts": {one: (*counter).netraAlerts, fail: words("netra", "alerts", "--limit", "0"), failCode: 2},
		"netra schedule": {one: func(k *counter) []string { return []string{"netra", "schedule"} },
			fail: words("netra", "schedule", "--pause", "--resume"), failCode: 2},
		"netra validate": {one: func(k *counter) []string {
			return []string{"netra", "validate", "--outcomes", k.airFile("violence.csv", []byte("district_lgd,timestamp,ingested\n"))}
		}, fail: words("netra", "validate"), failCode: 2},
	}
}

// netraDistricts lists one that is there.
func (k *counter) netraDistricts() []string {
	k.t.Helper()
	k.exec(`insert into netra.district (org, lgd, name, state, valid_from, changed_by, changed_at)
		values ('north', 272, 'Made-up', 'Nowhere', '2016-01-01', 'x', now()) on conflict do nothing`)
	return []string{"netra", "districts"}
}

// netraCorrections lists a correction.
func (k *counter) netraCorrections() []string {
	k.t.Helper()
	k.exec(`insert into netra.correction (org, id, lgd, event_id, at, kind, reason, case_id, filed_by, filed_role, filed_at)
		values ('north', 'NCO-00000001', 272, 'e1', now(), 'wrong', 'x', 'case_02', 'x', 'analyst', now()) on conflict do nothing`)
	return []string{"netra", "correct"}
}

// netraAlerts lists a crossing.
func (k *counter) netraAlerts() []string {
	k.t.Helper()
	k.exec(`insert into netra.alert (org, case_id, lgd, district, state, band, came_from, score, crossed_at, settings, found)
		values ('north', 'case_01', 272, 'Made-up', 'Nowhere', 'MONITORING', 'BASELINE', 31, now(), 0, '{}') on conflict do nothing`)
	return []string{"netra", "alerts"}
}

// netraSignals brings one in.
func (k *counter) netraSignals() []string {
	k.t.Helper()
	k.netraDistricts()
	line := fmt.Sprintf(`{"event_id":"e1","source":"desk","event_type":"bandh","timestamp":%q,"district_lgd":272,"event_summary":"Bandh called"}`+"\n",
		time.Now().Add(-time.Hour).Format(time.RFC3339))
	return []string{"netra", "ingest", k.airFile("signals.ndjson", []byte(line))}
}
