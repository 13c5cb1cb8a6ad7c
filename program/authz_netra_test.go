package program

import "strings"

// netraApp begins the kinds of things that are NE-NETRA's.
const netraApp = "netra/"

// feedTells is the token of a feed of signals.
const feedTells = "token ingest:netra"

// netraMakers are how an organisation gets what NE-NETRA's addresses name.
func (e *estate) netraMakers() map[string]func() string {
	return map[string]func() string{netraApp + "ingests/{id}": e.netraIngest}
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
	if strings.HasPrefix(id, "NIN-") {
		return poolID("NIN-")
	}
	return ""
}

// netraBodies are what is sent to NE-NETRA's addresses beside the API's.
func netraBodies() map[string]string {
	return map[string]string{"POST /netra/analyze": `{"district_lgd":272}`}
}
