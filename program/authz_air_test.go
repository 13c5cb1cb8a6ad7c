package program

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
)

// air begins the kinds of things that are Airshed's.
const air = "airshed/"

// lakeTells is the token of the data lake's server.
const lakeTells = "token ingest:airshed"

// airMakers are how an organisation gets what Airshed's addresses name.
func (e *estate) airMakers() map[string]func() string {
	return map[string]func() string{air + "scans/{id}": e.airScan, air + "episodes/{id}": e.airEpisode, air + "ingests/{id}": e.airIngest,
		air + "reports/{id}": e.airReport, air + "offices/{id}": e.airOffice}
}

// airScan is a scan that is done.
func (e *estate) airScan() string {
	e.t.Helper()
	id := poolID("SCAN-")
	e.admin(`insert into airshed.scan (org, id, kind, key, asked_by, place, state, board, began_at, ended_at)
		values ($1, $2, 'asked', $2, $3, $3, 'done', $4, now(), now())`,
		e.org, id, e.rare, fmt.Sprintf(`{"word":%q}`, e.rare))
	return id
}

// airJob is a scan that is under way.
func (e *estate) airJob() string {
	e.t.Helper()
	id := poolID("SCAN-")
	e.admin(`insert into airshed.scan (org, id, kind, key, asked_by, began_at) values ($1, $2, 'asked', $2, $3, now())`, e.org, id, e.rare)
	e.admin(`insert into gavel.job (org, kind, id, key, about, asked_by, began_at)
		values ($1, 'airshed.scan', $2, $2, $2, $3, now())`, e.org, id, e.rare)
	return id
}

// airIngest is an ingest that was refused.
func (e *estate) airIngest() string {
	e.t.Helper()
	id := poolID("ING-")
	e.admin(`insert into airshed.ingest (org, id, key, asked_by, state, reason, began_at, ended_at)
		values ($1, $2, $2, $3, 'refused', $3, now(), now())`, e.org, id, e.rare)
	return id
}

// airEpisode is an episode with one answer, at a station of its own.
func (e *estate) airEpisode() string {
	e.t.Helper()
	scan, site := e.airScan(), strings.ToLower(poolID("site_"))
	e.made = append(e.made, scan)
	start := time.Date(2026, 11, 1, e.n%24, 30, 0, 0, time.UTC)
	key := site + "@" + start.Format("2006-01-02T15:04Z")
	body := fmt.Sprintf(`{"word":%q,"key":%q}`, e.rare, key)
	kept, err := e.kept.evidence.Take(e.t.Context(), e.who(identity.Analyst), evidence.Receipt{Source: store.AnalysisSource,
		ContentType: "application/json", Place: "x.json"}, strings.NewReader(body))
	e.must(err)
	e.admin(`insert into airshed.episode (org, key, site_id, station, start_at, last_at, over, as_of, answers, first_scan, last_scan,
		found_at, seen_at)
		values ($1, $2, $3, $4, $5, $6, true, $6, 1, $7, $7, now(), now())`, e.org, key, site, e.rare, start, start.Add(20*time.Hour), scan)
	e.admin(`insert into airshed.answer (org, key, n, as_of, peak_index, verdict, first_state, data, analysis, scan, at)
		values ($1, $2, 1, $3, 420, 'inconclusive', '', $4, $4, $5,
		now())`, e.org, key, start.Add(20*time.Hour), kept.SHA256.String(), scan)
	return key
}

// airReport is a draft of a report, of a case that is open.
func (e *estate) airReport() string {
	e.t.Helper()
	key, id := e.airEpisode(), "case_"+ulid.Make().String()
	ref := fmt.Sprintf("CAQM-2026-11-01-%06d", rand.IntN(1_000_000))
	e.made = append(e.made, key, ref)
	kept, err := e.kept.evidence.Take(e.t.Context(), e.who(identity.Analyst), evidence.Receipt{Source: store.ReportSource,
		ContentType: "application/json", Place: "x.json"},
		strings.NewReader(fmt.Sprintf(`{"word":%q,"report_id":%q,"surge_details":{"station":%q,"aqi":420}}`, e.rare, ref, e.rare)))
	e.must(err)
	e.admin(`insert into gavel.case (org, id, app, key, ref, title, state, status, opened_at, version)
		values ($1, $2, 'airshed', $3, $4, $5, 'waiting', 'drafted', now(), 1)`,
		e.org, id, strings.Replace(key, "@", ":", 1), ref, e.rare)
	e.admin(`insert into airshed.case (org, id, key, opened_at) values ($1, $2, $3, now())`, e.org, id, key)
	e.admin(`insert into airshed.boundary (org, id, data, name, licence, as_of, district, state, districts, imported_by, imported_at)
		values ($1, $2, repeat('0', 64), $3, 'made up', '2026-01-31', 'd', 's', 1, 'x', now())`, e.org, poolID("BND-"), e.rare)
	e.admin(`insert into airshed.static_list (org, id, data, name, licence, as_of, sites, imported_by, imported_at)
		values ($1, $2, repeat('0', 64), $3, 'made up', '2026-01-31', 1, 'x', now())`, e.org, poolID("STA-"), e.rare)
	e.admin(`insert into airshed.share (org, id, percent, issued_at, valid_date, source_url, capture, warnings, entered_by, entered_at)
		values ($1, $2, 22, now(), '2026-11-01', $3, repeat('0', 64), '{}', 'x',
		now())`, e.org, poolID("DSS-"), "https://"+e.rare+".example/")
	e.admin(`insert into airshed.report (org, case_id, n, report_id, answer, station, aqi, surge_at, verdict, first_state, category, json,
		english, hindi, made_at)
		values ($1, $2, 1, $3, 1, $4, 420, now(), 'inconclusive', '', 'Severe', $5, $5, $5,
		now())`, e.org, id, ref, e.rare, kept.SHA256.String())
	return ref
}

// airOffice is where notices to a made-up state go.
func (e *estate) airOffice() string {
	e.t.Helper()
	state := poolID("State-")
	e.admin(`insert into gavel.setting (org, app, name, item, version, value, changed_by, changed_at)
		values ($1, 'airshed', 'office', $2, 1,
		json_build_object('name', $3::text, 'mailbox', 'board@state.example', 'language', 'en')::text, 'x', now())`, e.org, state, e.rare)
	return state
}

// airTools are arguments for Airshed's tools.
func airTools(of namer) map[string]string {
	id := of(air + "reports/{id}") // a case is called like its report
	on := `"on_case":"` + id + `"`
	return map[string]string{
		"airshed_read_correlated_data_tool": `{"bucket_name":"kept",` + on + `}`,
		"airshed_send_caqm_report_tool": `{"report":{"report_id":"` + id +
			`","sha256":""},"save_local":true,"upload_s3":false,"attempt":1,` + on + `}`,
		"airshed_send_state_notice": `{"state":"x","report_id":"` + id +
			`","office":"x","address":"x","language":"en","subject":"x","body":"x","attempt":1,` + on + `}`,
		"airshed_set_thresholds": `{"value":` + thresholds + `,` + on + `}`,
	}
}

// thresholds are some that nobody has set.
const thresholds = `{"surge_index":310,"surge_pm25":120,"surge_rise_percent":150,"surge_hours":6,"circle_km":200,"circle_hours":48,
	"circle_many_fires":100,"circle_few_fires":50,"circle_far_km":150,"points_no_fires":40,"points_no_forecast":20,"points_few_fires":10,
	"points_far_fires":10,"least_points":30,"air_hours":24,"fires_hours":18}`

// airTwin is an id of the same form that is nobody's; nothing, if it is none of
// Airshed's.
func airTwin(id string) string {
	for _, prefix := range []string{"SCAN-", "ING-", "State-"} {
		if strings.HasPrefix(id, prefix) {
			return poolID(prefix)
		}
	}
	if strings.HasPrefix(id, "CAQM-") {
		return fmt.Sprintf("CAQM-2026-11-02-%06d", rand.IntN(1_000_000))
	}
	if _, hour, ok := strings.Cut(id, "@20"); ok {
		return strings.ToLower(poolID("site_")) + "@20" + hour
	}
	return ""
}

// airBodies are the forms of Airshed's pages.
func airBodies() map[string]string {
	return map[string]string{
		"POST /airshed/scans":            "after=none",
		"POST /airshed/ingests":          "after=none",
		"POST /airshed/reports/{id}/ask": "how=as_is",
		"POST /airshed/files":            "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.json\"\r\n\r\n{}\r\n--b--\r\n",
	}
}
