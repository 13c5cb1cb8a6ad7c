package program

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/oklog/ulid/v2"
)

// netraApp begins the kinds of things that are NE-NETRA's.
const netraApp = "netra/"

// feedTells is the token of a feed of signals.
const feedTells = "token ingest:netra"

// netraMakers are how an organisation gets what NE-NETRA's addresses name.
func (e *estate) netraMakers() map[string]func() string {
	return map[string]func() string{netraApp + "ingests/{id}": e.netraIngest, netraApp + "districts/{lgd}": e.netraDistrict,
		netraApp + "cases/{id}": e.netraCase, netraApp + "briefings/{id}": e.netraBriefing,
		netraApp + "corrections/{id}": e.netraCorrection}
}

// netraCorrection is a correction of a signal.
func (e *estate) netraCorrection() string {
	e.t.Helper()
	id := poolID("NCO-")
	e.admin(`insert into netra.correction (org, id, lgd, event_id, at, kind, reason, case_id, filed_by, filed_role, filed_at)
		values ($1, $2, 272, $2, now(), 'wrong', $3, $2, 'x', 'analyst', now())`, e.org, id, e.rare)
	return id
}

// netraBriefing is a briefing on a district.
func (e *estate) netraBriefing() string {
	e.t.Helper()
	id := poolID("NBR-")
	basis := `{"district_lgd":272,"district":"` + e.rare + `","state":"` + e.rare + `","result":{"profile":"v2","profile_hash":"x"}}`
	e.admin(`insert into netra.briefing (org, id, lgd, window_hours, lang, question, basis, lines, state, asked_by, asked_at, ended_at)
		values ($1, $2, 272, 24, 'en', $3, $4, '[]', 'code', 'x', now(), now())`, e.org, id, e.rare, basis)
	return id
}

// netraCase is a case about a district that went up, of an organisation that has compared its scores with what happened.
func (e *estate) netraCase() string {
	e.t.Helper()
	district, id, ref := e.netraDistrict(), "case_"+ulid.Make().String(), poolID("NETRA-")
	e.made = append(e.made, ref)
	e.admin(`insert into gavel.case (org, id, app, key, ref, title, state, status, opened_at, version)
		values ($1, $2, 'netra', $3, $4, $5, 'open', 'opened', now(), 1)`, e.org, id, district, ref, e.rare)
	e.admin(`insert into netra.alert (org, case_id, lgd, district, state, band, came_from, score, crossed_at, settings, found)
		values ($1, $2, $3::integer, $4, $4, 'PREVENTIVE_READINESS', 'MONITORING', 61, now(), 0, '{}')`, e.org, id, district, e.rare)
	e.admin(`insert into netra.correction (org, id, lgd, event_id, at, kind, reason, case_id, filed_by, filed_role, filed_at)
		values ($1, $2, 272, $2, now(), 'wrong', $3, $4, 'x', 'analyst', now())`, e.org, poolID("NCO-"), e.rare, id)
	e.admin(`insert into netra.validation (org, id, window_hours, events, late, scores, reports, source, made_at, made_by)
		values ($1, $2, 24, 0, 0, 0, '[]', $3, now(), 'x')`, e.org, poolID("NVA-"), e.rare)
	return id
}

// netraTools are what NE-NETRA's tools are called with.
func netraTools(of namer) map[string]string {
	return map[string]string{
		"netra_decide_correction": `{"outcome":"accept","reason":"x","signal":"","kind":"","attempt":1,"on_case":"` +
			of(netraApp+"cases/{id}") + `"}`,
		"netra_hand_in_briefing": `{"sentences":["x"],"on_case":"` + of(netraApp+"cases/{id}") + `"}`,
		"netra_review_crossing":  `{"outcome":"watch","reason":"x","dissent":"","band":"","attempt":1,"on_case":"` + of(netraApp+"cases/{id}") + `"}`,
	}
}

// netraNobodys is the code of a district that nobody has.
const netraNobodys = "9999"

// netraDistrict is a district whose code no other organisation has, of which something was heard.
func (e *estate) netraDistrict() string {
	e.t.Helper()
	h := fnv.New32a()
	_, _ = h.Write([]byte(e.org)) // never fails
	code := 1000*int(1+h.Sum32()%8) + e.n%1000
	e.admin(`insert into netra.district (org, lgd, name, state, valid_from, changed_by, changed_at)
		values ($1, $3, $2, $2, '2016-01-01', $2, now()) on conflict do nothing`, e.org, e.rare, code)
	e.admin(`select netra.open_days(current_date, current_date)`)
	e.admin(`insert into netra.signal (org, event_id, ts, lgd, severity, class, layers, geo, basis, ref, part, source, source_type, event_type,
		summary) values ($1, 'e1', now(), $2, 3, 0, 4, 1, 0, 1, 1, 'desk', 'news', 'riot', $3)`, e.org, code, e.rare)
	return strconv.Itoa(code)
}

// netraIngest is an ingest, of an organisation that knows a district and has frozen a score of it.
func (e *estate) netraIngest() string {
	e.t.Helper()
	id := poolID("NIN-")
	e.admin(`insert into netra.district (org, lgd, name, state, valid_from, changed_by, changed_at)
		values ($1, 272, $2, $2, '2016-01-01', $2, now())
		on conflict do nothing`, e.org, e.rare)
	e.admin(`insert into netra.ingest (org, id, name, feed, asked_by, began_at, last_at)
		values ($1, $2, $3, 'ndjson', $3, now(), now())`, e.org, id, e.rare)
	e.admin(`insert into netra.score (org, lgd, window_hours, as_of, profile_hash, profile, status, band, result, frozen_at, frozen_by)
		values ($1, 272, 24, now(), 'x', 'v2', 'no_signals', 'BASELINE', '{}', now(), $2)`, e.org, e.rare)
	return id
}

// netraTwin is an id of the same form that is nobody's; nothing, if it is none of NE-NETRA's.
func netraTwin(id string) string {
	for _, prefix := range []string{"NIN-", "NBR-", "NCO-"} {
		if strings.HasPrefix(id, prefix) {
			return poolID(prefix)
		}
	}
	if _, err := strconv.Atoi(id); err == nil && len(id) == len(netraNobodys) {
		return netraNobodys
	}
	return ""
}

// netraBodies are what is sent to NE-NETRA's addresses beside the API's.
func netraBodies() map[string]string {
	return map[string]string{
		"POST /netra/analyze":                   `{"district_lgd":272}`,
		"POST /netra/districts/{lgd}/briefings": "about=why",
		"POST /netra/districts/{lgd}/correct":   "event=e1&kind=wrong&reason=x",
		"POST /netra/validation": "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"x.csv\"\r\n\r\n" +
			"district_lgd,timestamp,ingested\r\n--b--\r\n",
	}
}
