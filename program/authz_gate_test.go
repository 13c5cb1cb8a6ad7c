package program

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/apps/gatepass/rule/toolset"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// gate begins the kinds of things that are Gate Pass's.
const gate = "gatepass/"

// gateMakers are how an organisation gets what Gate Pass's addresses name. Passes are named by their ids: both organisations
// have a first number.
func (e *estate) gateMakers() map[string]func() string {
	return map[string]func() string{
		gate + "gatepass/{pass_number}": e.gatePending, gate + "number/{pass_number}": e.gatePending,
		gate + "id/{pass_number}": e.gatePending, gate + "photos/{pass_number}": e.gatePending, gate + "qr/{pass_number}": e.gateApproved,
		gate + "approved/{pass_number}": e.gateApproved, gate + "exited/{pass_number}": e.gateExited,
		gate + "out/{pass_number}":    e.gateOut,
		gate + "passes/{pass_number}": e.gateApproved, gate + "photos/{photo_id}": e.gatePhoto,
		gate + "sites/{site_id}": e.gateSite, gate + "watchlist/{watch_id}": e.gateWatch,
		gate + "photo/{photo_id}": e.gatePhoto, gate + "notifications/{notification_id}": e.gateNotice,
		gate + "mark-read/{notification_id}": e.gateNotice,
	}
}

// gatePart is a part of an address, by where a pass must stand for what is asked of it there.
func gatePart(pattern, part string) string {
	switch {
	case part != gate+"gatepass/{pass_number}" && part != gate+"passes/{pass_number}":
	case strings.HasSuffix(pattern, "/extend"):
		return gate + "approved/{pass_number}"
	case strings.HasSuffix(pattern, "/returnable"):
		return gate + "exited/{pass_number}"
	case strings.HasSuffix(pattern, "/recall"):
		return gate + "out/{pass_number}"
	}
	return part
}

// gateInstead are bodies where the API's own example cannot know what day it is.
func gateInstead() map[string]string {
	later := time.Now().Add(72 * time.Hour).UTC().Format(time.RFC3339)
	return map[string]string{
		"POST " + rest.Base + "/admin/gatepass/{pass_number}/extend":     `{"valid_until":"` + later + `"}`,
		"POST " + rest.Base + "/admin/gatepass/{pass_number}/returnable": `{"expected_return_at":"` + later + `"}`,
		"POST " + rest.Base + "/gate/scan-exit":                          "", "POST " + rest.Base + "/gate/scan-return": "",
		"POST " + rest.Base +
			"/gate/scan": "",
		"POST " + rest.Base + "/gate/stations": "", "POST " + rest.Base + "/gate/events:batch": "",
		"POST " + rest.Base + "/gate/event-photos":                    "",
		"POST " + rest.Base + "/notifications/{notification_id}/read": "",
		"POST " + rest.Base + "/chat/messages":                        "", "POST " + rest.Base + "/chat/photos": "",
		"POST " + rest.Base + "/chat/cards": "", "POST " + rest.Base + "/chat/reset": "", "POST " + rest.Base + "/chat/stop": "",
	}
}

var gateID = regexp.MustCompile(`^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)

// gateSiteID is what a site of these tests is called.
var gateSiteID = regexp.MustCompile(`^[0-9a-z]{26}$`)

// gateTwin is an id of the same form that is nobody's; empty where it is none of ours.
func gateTwin(id string) string {
	if gateSiteID.MatchString(id) {
		return strings.ToLower(ulid.Make().String())
	}
	if !gateID.MatchString(id) {
		return ""
	}
	return store.NewID(time.Now())
}

// gateBodies are the forms of Gate Pass's pages.
func gateBodies() map[string]string {
	later := time.Now().Add(72 * time.Hour).UTC().Format("2006-01-02T15:04")
	today := time.Now().Format(time.DateOnly)
	return map[string]string{
		"POST /gatepass/new":                             "do=make&person_name=x&description=x&is_returnable=no&valid_until=" + later,
		"POST /gatepass/new/list":                        "list=name%2Cpurpose%2Ccomes_back%0Ax%2Cx%2Cno",
		"POST /gatepass/passes/file":                     "",
		"POST /gatepass/passes/{pass_number}/revoke":     "reason=x",
		"POST /gatepass/passes/{pass_number}/extend":     "valid_until=" + later,
		"POST /gatepass/passes/{pass_number}/returnable": "expected_return_at=" + later,
		"POST /gatepass/passes/{pass_number}/recall":     "reason=x",
		"POST /gatepass/chat/say":                        "role=HR_User&words=x",
		"POST /gatepass/chat/cards":                      "answer=leave&card=P-1+x",
		"POST /gatepass/chat/photo":                      "",
		"POST /gatepass/chat/end":                        "",
		"POST /gatepass/chat/stop":                       "",
		"POST /gatepass/sites/{site_id}/onsite/copy":     "do=keep",
		"POST /gatepass/register":                        "from=" + today + "&to=" + today,
		"POST /gatepass/watchlist":                       "name=x&level=ask&reason=x",
		"POST /gatepass/watchlist/{watch_id}/end":        "",
	}
}

// gateSite is a site that no other organisation has.
func (e *estate) gateSite() string {
	e.t.Helper()
	const next = `insert into gavel.setting (org, app, name, version, value, changed_by, changed_at)
		select $1, 'gatepass', 'setup', coalesce(max(version), 0) + 1, $2, 'x', now()
		from gavel.setting where org = $1 and app = 'gatepass' and name = 'setup'`
	id := strings.ToLower(ulid.Make().String())
	site, err := json.Marshal(map[string]any{"sites": []store.Site{{ID: "main", Name: e.rare, Gates: []string{}},
		{ID: id, Name: e.rare, Gates: []string{}}}, "grace_minutes": 15, "photo_bytes": 5 << 20})
	e.must(err)
	e.admin(next, e.org, string(site))
	return id
}

// gateWatch is somebody at whom an organisation looks.
func (e *estate) gateWatch() string {
	e.t.Helper()
	id := store.NewID(time.Now())
	e.admin(`insert into gatepass.watch (org, id, name, level, reason, added_by, added_at) values ($1, $2, $3, 'ask', $3, 'x', now())`,
		e.org, id, e.rare)
	return id
}

// gatePending is a pass that waits for approval.
func (e *estate) gatePending() string {
	e.t.Helper()
	token := devTokenOf(e.t, e.org, identity.HR)
	made := e.send(question{method: http.MethodPost, path: rest.Base + "/hr/gatepass/create", as: asker{token: token},
		body: `{"person_name":"` + e.rare + `","description":"` + e.rare + `","is_returnable":false,"valid_until":"` +
			time.Now().Add(48*time.Hour).UTC().Format(time.RFC3339) + `"}`})
	var pass struct{ ID string }
	if err := json.Unmarshal([]byte(made.body), &pass); err != nil || made.status != http.StatusCreated {
		e.t.Fatalf("make a pass: %d %s", made.status, made.body)
	}
	e.tag = `"1"`
	return pass.ID
}

// gateApproved is one that was approved.
func (e *estate) gateApproved() string {
	e.t.Helper()
	id := e.gatePending()
	token := devTokenOf(e.t, e.org, identity.PassAdmin)
	if a := e.send(question{method: http.MethodPost, path: rest.Base + "/admin/gatepass/" + id + "/approve", as: asker{token: token},
		body: `{"note":"` + e.rare + `"}`}); a.status != http.StatusOK {
		e.t.Fatalf("approve a pass: %d %s", a.status, a.body)
	}
	e.tag = `"2"`
	return id
}

// gateExited is one on which somebody is out who is not to come back.
func (e *estate) gateExited() string {
	e.t.Helper()
	id := e.gateApproved()
	e.admin(`update gatepass.pass set status = 'exited', exit_time = approved_at where org = $1 and id = $2`, e.org, id)
	return id
}

// gateOut is one on which somebody is out who is to come back.
func (e *estate) gateOut() string {
	e.t.Helper()
	id := e.gateExited()
	e.admin(`update gatepass.pass set returnable = true where org = $1 and id = $2`, e.org, id)
	return id
}

// gatePhoto is a photo that was drawn.
func (e *estate) gatePhoto() string {
	e.t.Helper()
	pass, id := e.gateExited(), store.NewID(time.Now())
	sealed, err := e.kept.vault.SealBlob(e.t.Context(), e.org, seal.Matter{Subjects: []seal.Subject{{Type: "holder", ID: pass}},
		Purpose: "gatepass_drawn"}, []byte(e.rare+ulid.Make().String()))
	e.must(err)
	at := sealed.Ciphertext.String()
	e.admin(`insert into gatepass.photo (org, id, pass_id, kind, format, bytes, width, height, sha256, sealed, taken_at, taken_by, jpeg,
		jpeg_bytes, thumb, drawn_at)
		values ($1, $2, $3, 'exit', 'image/jpeg', 1, 1, 1, $4, $4, now(), 'x', $4, 1, $4, now())`, e.org, id, pass, at)
	return id
}

// gateNotice is one that everybody is told.
func (e *estate) gateNotice() string {
	e.t.Helper()
	pass, id := e.gatePending(), store.NewID(time.Now())
	e.admin(`insert into gatepass.notice (org, id, key, type, severity, pass_id, number, to_hr, to_admin, to_gate, made_at)
		values ($1, $2, $2, 'pass_created', 'info', $3, 'GP-2026-0001', true, true, true, now())`, e.org, id, pass)
	return id
}

// gateTools are arguments of the tools of its conversations. A program of somebody's own names a case that is none, and gets nothing.
func gateTools(of namer) map[string]string {
	all := map[string]string{}
	for _, t := range toolset.Table() {
		args := map[string]any{"on_case": of("cases/{id}")}
		for _, p := range t.Params {
			switch {
			case p.Injected:
			case p.Form == toolset.Yes:
				args[p.Name] = true
			case p.Form == toolset.PassNumber || p.Form == toolset.PassRef:
				args[p.Name] = "GP-2026-0001"
			case p.Form != toolset.Status:
				args[p.Name] = "x"
			}
		}
		text, _ := json.Marshal(args) // plain values
		all["gatepass_"+t.Name] = string(text)
	}
	return all
}
