package program

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/identity"
)

// unsent are the writes that are about a sign-in alone: whoever looks as another
// role does may leave that view, choose a third, or go.
var unsent = map[string]string{
	"POST /account/view":     "who looks as another role does may look as a third",
	"POST /account/view/end": "and may cease to",
	"POST /sign-out":         "and may go",
	"POST /v1/sign-out":      "and may go",
	"POST /dev/sign-in":      "it makes somebody of nobody, on the machine itself",
}

// harmless are the requests that somebody who only looks may send although they
// are no GET, each for a reason: nothing of the organisation's changes by them.
var harmless = map[string]string{
	"POST /account/organisation":      "it says which of their own organisations somebody is in",
	"POST /preferences":               "language and theme are a cookie",
	"POST /verify":                    "it checks a file and keeps nothing",
	"POST /terminal":                  "it shows the name of a terminal that waits",
	"POST /pair":                      "a device is nobody until it is paired",
	"POST /device":                    "a device is nobody until it is paired",
	"POST /v1/terminals":              "a terminal is nobody until somebody confirms it",
	"POST /v1/terminals/claim":        "a terminal is nobody until somebody confirms it",
	"POST /v1/devices/pair":           "a device is nobody until it is paired",
	"POST /v1/devices/enter":          "a device is nobody until it is paired",
	"POST /v1/policy/explain":         "it answers a question",
	"POST /v1/policy/simulate":        "it answers a question",
	"POST /v1/poolpatrol/simulations": "it answers a question",
	"POST /v1/poolpatrol/rehearsals":  "it answers a question",
	"POST /v1/netra/analyze":          "it answers a question",
	"POST /v1/netra/analyze/batch":    "it answers a question",
	"POST /netra/analyze":             "it answers a question",
	"POST /proposals/{id}/opened":     "what somebody had open who cannot decide is not kept",
	"POST /v1/proposals/{id}/opened":  "what somebody had open who cannot decide is not kept",
	"POST /mcp":                       "each tool has a row of its own",
	"POST /c/{ref}/objection":         "it takes the token of a link, whoever has it, and is nothing without",
	"POST /poolpatrol/answer":         "it takes the token of a link, whoever has it, and is nothing without",
}

// untouched sends every write there is as somebody who only looks: an
// administrator who looks as each of the roles, and a machine's token of each
// scope. All are turned away, and nothing of the estate changes.
func (e *estate) untouched(t *testing.T) (asked int) {
	t.Helper()
	session, admin := e.browser(identity.OrgAdmin)
	e.asks = admin // their own operations
	var all []pair
	for _, route := range e.mux.Routes() {
		method, path := routeOf(route.Pattern)
		if _, ok := unsent[route.Pattern]; ok || method == http.MethodGet || strings.HasPrefix(path, "/static/") {
			continue
		}
		if some := e.aim(route.Pattern); len(some) > 0 {
			all = append(all, some[0])
		}
	}
	e.asks = e.who(identity.Officer)
	var tokens []asker
	for _, scope := range scopes() {
		tokens = append(tokens, asker{name: "token " + scope, token: e.machine(t, e.org, scope)})
	}
	before := e.rows()
	for _, role := range identity.Roles() {
		e.lookAs(session, role)
		asked += e.turnedAway(all, asker{name: "an administrator who looks as " + string(role), session: session})
	}
	var byTokens atomic.Int64
	together(tokens, func(_ int, token asker) { byTokens.Add(int64(e.turnedAway(all, token))) })
	asked += int(byTokens.Load())
	e.same(before, "somebody looked",
		// refusals are on record, and what was asked when and by which key
		"gavel.record", "gavel.session", "gavel.machine_token", "gavel.idempotency")
	return asked
}

// turnedAway sends everything as somebody who is to be turned away, but what a
// token is for.
func (e *estate) turnedAway(all []pair, who asker) (asked int) {
	e.t.Helper()
	for _, p := range all {
		if handsOver(who, p.pattern) {
			continue
		}
		asked++
		got := e.send(keyed(p.real, who))
		if _, fine := harmless[p.pattern]; !fine && !got.turnedAway() && !allowed(p.pattern, who, got) {
			e.t.Errorf("%s, %s: %d, want to be turned away\n%s", who.name, p.pattern, got.status, got.short())
		}
	}
	return asked
}

// allowed reports whether somebody who only looks may have an answer for another
// reason: a file that leaves by a token, which is on record, and no word of long
// work that is not theirs to have while they look.
func allowed(pattern string, who asker, got answer) bool {
	switch pattern {
	case "POST /audit.csv":
		return who.name == "token read:audit"
	case "POST /v1/operations/{id}/cancel":
		return got.status == http.StatusNotFound
	}
	return false
}

// browser is the session of somebody who has signed in by the office, and who
// that is.
func (e *estate) browser(role identity.Role) (cookie string, who identity.Actor) {
	e.t.Helper()
	person, secret := e.colleague(), strings.Repeat("s", 43)
	e.admin(`update gavel.person set roles = $3 where org = $1 and id = $2`, e.org, person, []string{string(role)})
	sum := sha256.Sum256([]byte("gavel session\x00" + secret)) // as package signin keeps it
	e.admin(`insert into gavel.session (org, id, secret_sha256, kind, person, roles, orgs, label, began_at, seen_at, ends_at)
		values ($1, $2, $3, 'browser', $4, $5, $6, '', now(), now(), now() + interval '8 hours')`,
		e.org, "ses_"+ulid.Make().String(), sum[:], person, []string{string(role)}, []string{string(e.org)})
	return string(e.org) + "." + secret, identity.Actor{Kind: identity.Person, ID: person, Org: e.org, Roles: []identity.Role{role}}
}

// lookAs has a session look as a role, by the form that does it.
func (e *estate) lookAs(session string, role identity.Role) {
	e.t.Helper()
	who := asker{session: session}
	e.send(question{method: http.MethodPost, path: "/account/view/end", as: who, accept: "text/html"})
	got := e.send(question{method: http.MethodPost, path: "/account/view", as: who, accept: "text/html", body: "role=" + string(role)})
	me := e.send(question{method: http.MethodGet, path: "/v1/me", as: who})
	if got.status != http.StatusSeeOther || !strings.Contains(me.body, `"viewing":"`+string(role)+`"`) {
		e.t.Fatalf("to look as %s: %d %s", role, got.status, me.body)
	}
}

// reached asks for everything that was asked for from south as everybody of the
// estate itself: somebody gets at it, so that it was there and the request would
// have done.
func (e *estate) reached(t *testing.T) {
	t.Helper()
	own := e.askers(t, e.org)
	for _, route := range e.mux.Routes() {
		_, path := routeOf(route.Pattern)
		// the last is for who has a link's token, and no organisation's
		if !wildcard.MatchString(path) || compiledIn(path) || strings.HasPrefix(path, "/c/") {
			continue
		}
		for _, p := range e.aim(route.Pattern) {
			if last, ok := e.reaches(p, own); !ok {
				t.Errorf("nobody of north gets at %s %s: what was asked for from south was not there, or could not have been done\n%s",
					p.real.method, p.real.path, last)
			}
		}
	}
}

// reaches reports whether one of those gets at what a request is about, or else
// what the last who was let in was told.
func (e *estate) reaches(p pair, own []asker) (last string, ok bool) {
	for _, who := range own {
		got := e.send(keyed(p.real, who))
		switch {
		case got.status < http.StatusBadRequest, p.real.method != http.MethodGet && got.status == http.StatusConflict,
			got.status == http.StatusServiceUnavailable: // nobody takes records in, or there is no model
			return "", true
		case !got.turnedAway():
			last = who.name + ": " + got.short()
		}
	}
	return last, false
}
