package program

import (
	"bytes"
	"compress/gzip"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/terms"
)

// pool begins the kinds of things that are Pool Patrol's: its shifts and runs are
// not the platform's.
const pool = "poolpatrol/"

// plant is a workplace that every organisation has, under the same id.
const plant = "PLANT-1"

// poolMakers are how an organisation gets what Pool Patrol's addresses name.
func (e *estate) poolMakers() map[string]func() string {
	return map[string]func() string{
		pool + "sites/{id}": func() string {
			return e.poolRow("PLANT-", `site (org, id, name, zone) values ($1, $2, $3, 'America/Los_Angeles')`)
		},
		pool + "shifts/{id}": func() string {
			return e.poolRow("SHIFT_", `shift (org, id, name, schedule) values ($1, $2, $3,
				'[{"day": "Mon", "start_time": "07:00", "end_time": "16:00"}]')`)
		},
		pool + "employees/{id}": func() string {
			return e.poolRow("EMP-", `employee (org, id, name, status, changed_at) values ($1, $2, $3, 'active', now())`)
		},
		pool + "Users/{id}": func() string {
			return e.poolRow("EMP-", `employee (org, id, name, status, changed_at) values ($1, $2, $3, 'active', now())`)
		},
		pool + "ResourceTypes/{name}": func() string { return "User" },
		pool + "Schemas/{name}":       func() string { return "urn:gavel:poolpatrol:2.0:Employee" },

		pool + "vanpools/{id}": e.van,
		pool + "passes/{id}":   e.pass,
		pool + "runs/{id}":     e.vanRun,
		pool + "cases/{id}":    e.poolCase,
	}
}

// poolRow puts a row into one of its tables, under an id that nobody else has.
func (e *estate) poolRow(prefix, into string) string {
	e.t.Helper()
	id := poolID(prefix)
	e.admin(`insert into poolpatrol.`+into, e.org, id, e.rare)
	return id
}

// van is one of the plant's, of which the records lack something.
func (e *estate) van() string {
	e.t.Helper()
	e.admin(`insert into poolpatrol.site (org, id, name, zone) values ($1, $2, $3, 'America/Los_Angeles')
		on conflict do nothing`, e.org, plant, e.rare)
	for _, kind := range []string{"sites", "shifts", "employees", "vanpools"} {
		e.admin(`insert into poolpatrol.sync (org, kind, at, way, by) values ($1, $2, now(), 'api', $3)
			on conflict do nothing`, e.org, kind, e.rare)
	}
	id := poolID("VP-")
	e.admin(`insert into poolpatrol.vanpool (org, id, site_id, status, changed_at) values ($1, $2, $3, 'active', now())`, e.org, id, plant)
	e.admin(`insert into poolpatrol.gap (org, vanpool_id, check_name, field, pass, seen_at)
		values ($1, $2, 'location', 'pickup_coords', 'PASS-00000000', now())`, e.org, id)
	return id
}

// pass is one that has ended.
func (e *estate) pass() string {
	e.t.Helper()
	return e.poolRow("PASS-", `pass (org, id, asked_by, key, kind, policy, state, planned, failed, began_at, ended_at)
		values ($1, $2, $3, $2, 'asked', 'standard', 'done', 1, 1, now(), now())`)
}

// vanRun is the audit of a van in a pass of its own.
func (e *estate) vanRun() string {
	e.t.Helper()
	pass, van, id := e.pass(), e.van(), poolID("RUN-")
	e.made = append(e.made, pass, van)
	e.admin(`insert into poolpatrol.audit_run (org, id, pass, vanpool_id, outcome, checks, verdicts, reason, at)
		values ($1, $2, $3, $4, 'failed', '{shift}', '[]', $5, now())`,
		e.org, id, pass, van, e.rare)
	return id
}

// askedRider is who the cases about vans ask about, in every organisation.
const askedRider = "EMP-7000000009"

// poolCase is a case about a van, which asks for the end of a membership.
func (e *estate) poolCase() string {
	e.t.Helper()
	run, id, ref := e.vanRun(), "case_"+ulid.Make().String(), poolID("CASE-")
	e.made = append(e.made, run, ref)
	van := e.last("VP-")
	e.admin(`insert into gavel.case (org, id, app, key, ref, title, state, status, opened_at, version)
		values ($1, $2, 'poolpatrol', $3, $4, $5, 'open', 'opened', now(), 1)`, e.org, id, van, ref, e.rare)
	e.admin(`insert into poolpatrol.case (org, id, ref, vanpool_id, life, state, reason, failed_checks, audit_run, policy, rules, opened_at)
		values ($1, $2, $3, $4, $6, 'open', 'shift_mismatch', '{shift}', $5, 'standard', 'r', now())`, e.org, id, ref, van, run,
		`{"state":"pre_cancel","vanpool_id":"`+van+`",`+
			`"subjects":[{"employee_id":"`+askedRider+`","state":"cancel_pending","findings":[]}]}`)
	gone := poolID("EMP-")
	e.admin(`insert into poolpatrol.case_subject (org, case_id, employee_id, failed_checks, state, cancelled_at)
		values ($1, $2, $3, '{shift}', 'cancelled', now())`, e.org, id, gone)
	e.admin(`insert into poolpatrol.rider (org, vanpool_id, employee_id, removed_on, removed_case_id)
		values ($1, $2, $3, current_date, $4)`, e.org, van, gone, id)
	e.admin(`insert into gavel.setting (org, app, name, version, value, changed_by)
		select $1::text, 'poolpatrol', 'office', 1, json_build_object('programme', $2::text, 'portal', 'x', 'contact', 'x', 'appeal',
		'x')::text, ''
		where not exists (select from gavel.setting where org = $1::text and app = 'poolpatrol')`, e.org, e.rare)
	return id
}

// pinned is what a pass has read: other rules are tried on it.
func (e *estate) pinned() {
	e.t.Helper()
	who := fleet.EmployeeID(poolID("EMP-"))
	e.made = append(e.made, string(who))
	read := fleet.Records{Taken: time.Now().UTC(), Sites: []fleet.Site{{ID: plant, Name: e.rare, Zone: "UTC"}}, Shifts: []fleet.Shift{},
		Employees: []fleet.Employee{{ID: who, Standing: fleet.Active, Site: plant}},
		Vanpools: []fleet.Vanpool{{ID: fleet.VanpoolID(poolID("VP-")), Site: plant, Standing: fleet.Active,
			Riders: []fleet.Rider{{Employee: who}}}}}
	var plain, packed bytes.Buffer
	e.must(json.NewEncoder(&plain).Encode(read))
	w := gzip.NewWriter(&packed)
	_, err := w.Write(plain.Bytes())
	e.must(err)
	e.must(w.Close())
	id := poolID("SNAP-")
	e.admin(`insert into poolpatrol.snapshot (org, id, taken_at, records_at, sha256, vanpools, riders, parts)
		values ($1, $2, now(), now(), $3, 1, 1, 1)`,
		e.org, id, fmt.Sprintf("%x", sha256.Sum256(plain.Bytes())))
	e.admin(`insert into poolpatrol.snapshot_part (org, snapshot, n, first_employee, last_employee, body)
		values ($1, $2, 0, $3, $3, $4)`, e.org, id, string(who), packed.Bytes())
}

// poolID is an id of Pool Patrol's that was hardly drawn before: vans and people
// have ten digits, and everything else eight hexadecimal ones.
func poolID(prefix string) string {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	if prefix == "VP-" || prefix == "EMP-" {
		return fmt.Sprintf("%s%010d", prefix, binary.BigEndian.Uint64(b[:])%1e10)
	}
	return fmt.Sprintf("%s%X", prefix, b[:4])
}

// poolTwin is an id of the same form that is nobody's; nothing, if it is none of
// Pool Patrol's.
func poolTwin(id string) string {
	for _, prefix := range []string{"VP-", "EMP-", "PLANT-", "SHIFT_", "PASS-", "RUN-"} {
		if strings.HasPrefix(id, prefix) {
			return poolID(prefix)
		}
	}
	return ""
}

// poolForm is the form that brings a file.
const poolForm = "--b\r\nContent-Disposition: form-data; name=\"kind\"\r\n\r\nsites\r\n" +
	"--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"sites.csv\"\r\n\r\nsite_id,name,tz\nPLANT-9,x,UTC\n\r\n--b--\r\n"

// poolBodies are the forms of Pool Patrol's pages.
func poolBodies() map[string]string {
	return map[string]string{
		"POST /poolpatrol/passes":         "",
		"POST /poolpatrol/import":         poolForm,
		"POST /poolpatrol/import/preview": poolForm,
		"POST /poolpatrol/import/current": "kind=sites",

		"POST /poolpatrol/settings/schedule":  "version=0&day=1&hour=6&daily=yes",
		"POST /poolpatrol/settings/programme": "version=0&programme=x&portal=x&contact=x&appeal=x&minutes=45&cost=0",
		"POST /poolpatrol/answer":             "k=x&held=right&wish=keep&form=x",

		"POST " + scimAt + "Users":       `{"userName":"EMP-7000000001"}`,
		"PUT " + scimAt + "Users/{id}":   `{"userName":"{id}","displayName":"x"}`,
		"PATCH " + scimAt + "Users/{id}": `{"schemas":["urn:ietf:params:scim:api:messages:2.0:PatchOp"],"Operations":[{"op":"replace","path":"displayName","value":"x"}]}`,
	}
}

// poolInstead are the bodies of things that are written whole, under the id that
// is theirs.
func poolInstead() map[string]string {
	return map[string]string{
		"PUT /v1/poolpatrol/sites/{id}":     `{"site_id":"{id}","name":"x","tz":"UTC"}`,
		"PUT /v1/poolpatrol/shifts/{id}":    `{"shift_id":"{id}","name":"x","schedule":[{"day":"Mon","start_time":"07:00","end_time":"16:00"}]}`,
		"PUT /v1/poolpatrol/employees/{id}": `{"employee_id":"{id}","status":"active","name":"x","site_id":"` + plant + `"}`,
		"PUT /v1/poolpatrol/vanpools/{id}":  `{"vanpool_id":"{id}","status":"active","site_id":"` + plant + `"}`,
	}
}

// poolTools are the arguments of Pool Patrol's tools.
func poolTools(of namer) map[string]string {
	standard, _ := json.Marshal(terms.Standard()) // numbers and texts of our own
	common := `"employee_id":"` + askedRider + `","asked":"1","replies":0,"on_case":"` + of(pool+"cases/{id}") + `"`
	return map[string]string{
		"poolpatrol_cancel_membership":      `{"vanpool_id":"` + of(pool+"vanpools/{id}") + `","failed_checks":["shift"],` + common + `}`,
		"poolpatrol_send_email_for_review":  `{"subject":"x","body":"x",` + common + `}`,
		"poolpatrol_settle_case":            `{"choice":"re_audit","why":"x",` + common + `}`,
		"poolpatrol_set_terms":              `{"value":` + string(standard) + `}`,
		"poolpatrol_get_employee_shifts":    `{"employee_ids":["` + of(pool+"employees/{id}") + `"],"on_case":"` + of("cases/{id}") + `"}`,
		"poolpatrol_get_employee_profile":   `{"employee_id":"` + of(pool+"employees/{id}") + `","on_case":"` + of("cases/{id}") + `"}`,
		"poolpatrol_check_commute_distance": `{"employee_id":"` + of(pool+"employees/{id}") + `","on_case":"` + of("cases/{id}") + `"}`,
	}
}

// scimAt is where provisioning systems turn to.
const scimAt = "/poolpatrol/scim/v2/"

// staffSystem is the token that records are handed over by.
const staffSystem = "token ingest:poolpatrol"

// handsOver reports whether a write is what somebody's token is for: the staff
// system changes the records of the programme, by whichever road, and nothing else; the
// server of the data lake tells of new objects; a feed brings signals in.
func handsOver(who asker, pattern string) bool {
	kinds := slices.Concat(slices.Collect(maps.Keys(poolInstead())), []string{"POST /v1/poolpatrol/previews", "POST /v1/poolpatrol/imports",
		"POST /v1/poolpatrol/syncs", "PATCH /v1/poolpatrol/sites/{id}", "PATCH /v1/poolpatrol/shifts/{id}",
		"PATCH /v1/poolpatrol/employees/{id}", "PATCH /v1/poolpatrol/vanpools/{id}",
		"POST /poolpatrol/import", "POST /poolpatrol/import/preview", "POST /poolpatrol/import/current"})
	return who.name == staffSystem && slices.Contains(kinds, pattern) || who.name == lakeTells && pattern == "POST /v1/airshed/notices" ||
		who.name == feedTells && pattern == "POST /v1/netra/ingests"
}

// poolElsewhere names things where no pattern shows it.
func poolElsewhere(get func(path string) func(string) question) []elsewhere {
	return []elsewhere{
		{pool + "sites/{id}", get("/v1/poolpatrol/vanpools?site_id=")},
		{pool + "vanpools/{id}", get("/v1/poolpatrol/vanpools?begins=")},
		{pool + "vanpools/{id}", get("/v1/poolpatrol/cases?vanpool_id=")},
		{pool + "vanpools/{id}", get("/poolpatrol/cases?van=")},
		{pool + "sites/{id}", get("/poolpatrol/vanpools?site=")},
	}
}
