package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
)

// air begins the kinds of things that are Airshed's.
const air = "airshed/"

// airMakers are how an organisation gets what Airshed's addresses name.
func (e *estate) airMakers() map[string]func() string {
	return map[string]func() string{air + "scans/{id}": e.airScan, air + "episodes/{id}": e.airEpisode}
}

// airScan is a scan that is done.
func (e *estate) airScan() string {
	e.t.Helper()
	id := poolID("SCAN-")
	e.admin(`insert into airshed.scan (org, id, kind, key, asked_by, place, state, board, began_at, ended_at) values ($1, $2, 'asked', $2, $3, $3, 'done', $4, now(), now())`,
		e.org, id, e.rare, fmt.Sprintf(`{"word":%q}`, e.rare))
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
	kept, err := e.kept.evidence.Take(e.t.Context(), e.who(identity.Analyst), evidence.Receipt{Source: airshed.AnalysisSource, ContentType: "application/json", Place: "x.json"}, strings.NewReader(body))
	e.must(err)
	e.admin(`insert into airshed.episode (org, key, site_id, station, start_at, last_at, over, as_of, answers, first_scan, last_scan, found_at, seen_at)
		values ($1, $2, $3, $4, $5, $6, true, $6, 1, $7, $7, now(), now())`, e.org, key, site, e.rare, start, start.Add(20*time.Hour), scan)
	e.admin(`insert into airshed.answer (org, key, n, as_of, peak_index, verdict, first_state, data, analysis, scan, at)
		values ($1, $2, 1, $3, 420, 'inconclusive', '', $4, $4, $5, now())`, e.org, key, start.Add(20*time.Hour), kept.SHA256.String(), scan)
	return key
}

// airTwin is an id of the same form that is nobody's; nothing, if it is none of
// Airshed's.
func airTwin(id string) string {
	if strings.HasPrefix(id, "SCAN-") {
		return poolID("SCAN-")
	}
	if _, hour, ok := strings.Cut(id, "@20"); ok {
		return strings.ToLower(poolID("site_")) + "@20" + hour
	}
	return ""
}
