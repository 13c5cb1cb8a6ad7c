package program

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/identity"
)

// A pair is the same request twice: for something that there is, and for
// something of the same form that there is not.
type pair struct {
	pattern      string // empty where none names the thing
	tool         string // where it is a call of one
	real, absent question
	ids, twins   []string // what is named in each
}

// aim makes requests for new things of the estate out of a route's pattern. A
// thing that has two names is asked for by both.
func (e *estate) aim(pattern string) []pair {
	e.t.Helper()
	method, path := routeOf(pattern)
	p := pair{pattern: pattern}
	segments := strings.Split(path, "/")
	there, gone := slices.Clone(segments), slices.Clone(segments)
	byRef := 0
	for i, segment := range segments {
		if !wildcard.MatchString(segment) {
			continue
		}
		part := segments[i-1] + "/" + segment
		for _, app := range []string{pool, air, netraApp, gate} {
			if slices.Contains(segments[:i-1], strings.Trim(app, "/")) {
				part = app + part
			}
		}
		part = gatePart(pattern, part)
		if e.makers()[part] == nil {
			e.t.Errorf("%s: say in makers how an organisation gets what %s names, so that another can ask for it", pattern, part)
			return nil
		}
		id := e.make(part)
		other := twin(id)
		there[i], gone[i] = url.PathEscape(id), url.PathEscape(other)
		if other != id {
			p.ids, p.twins = append(p.ids, id), append(p.twins, other)
		}
		if part == "cases/{id}" && !byIDOnly(pattern) {
			byRef = i
		}
	}
	p.real = question{method: method, accept: form(path), path: strings.Join(there, "/"), header: map[string]string{"If-Match": e.tag}}
	if method == http.MethodPost || method == http.MethodPut || method == http.MethodPatch {
		p.real.body = e.body(pattern)
	}
	if strings.HasPrefix(path, scimAt) || strings.HasPrefix(path, "/v1/"+pool) { // what a case's version is says nothing there
		p.real.header = nil
	}
	p.absent = p.real
	p.absent.path = strings.Join(gone, "/")
	if method == http.MethodPut && len(p.ids) > 0 { // what is written says its own id
		p.real.body, p.absent.body = strings.ReplaceAll(p.real.body, "{id}", p.ids[0]), strings.ReplaceAll(p.real.body, "{id}", p.twins[0])
	}
	all := []pair{p}
	if byRef > 0 {
		ref := p
		prefix, _, _ := strings.Cut(e.ref, "-")
		there[byRef], gone[byRef] = e.ref, prefix+"-ZZZZZZZZ"
		ref.real.path, ref.absent.path = strings.Join(there, "/"), strings.Join(gone, "/")
		ref.ids, ref.twins = slices.Clone(p.ids), slices.Clone(p.twins)
		ref.ids[0], ref.twins[0] = e.ref, gone[byRef] // a case is the first thing that an address names
		all = append(all, ref)
	}
	return all
}

// byIDOnly reports whether a route knows a case by its id and not by its ref: a
// page's forms, which have it from the page, and the making of bundles.
func byIDOnly(pattern string) bool {
	method, path := routeOf(pattern)
	return method != http.MethodGet && !strings.HasPrefix(path, "/v1/") || strings.HasSuffix(path, "/bundle")
}

// keyed is a request with a key of its own, so that it is no repeat; where the
// answer is a secret, keys are refused.
func keyed(q question, as asker) question {
	q.as = as
	header := map[string]string{}
	if !strings.HasSuffix(q.path, "/concern-links") && !strings.HasSuffix(q.path, "/webhooks") && !strings.HasSuffix(q.path, "/secrets") &&
		!strings.HasSuffix(q.path, "/disclosures") {
		header["Idempotency-Key"] = ulid.Make().String()
	}
	for name, value := range q.header {
		header[name] = value
	}
	q.header = header
	return q
}

// body is what is sent to a route: a form that would do, or the API's own
// example.
func (e *estate) body(pattern string) string {
	e.t.Helper()
	method, path := routeOf(pattern)
	if !strings.HasPrefix(path, "/v1/") {
		own, ok := e.bodies()[pattern]
		if !ok {
			e.t.Errorf("%s: say in bodies what its form holds", pattern)
		}
		return own
	}
	if own, ok := e.instead()[pattern]; ok {
		return own
	}
	return string(e.document().Paths[path][strings.ToLower(method)].RequestBody.Content["application/json"].Example)
}

// A document is what is read of the API's.
type document struct {
	Paths map[string]map[string]struct {
		Parameters  []struct{ Name string }
		RequestBody struct {
			Content map[string]struct{ Example json.RawMessage }
		}
	}
}

// document is the API's.
func (f *front) document() (doc document) {
	if err := json.Unmarshal([]byte(f.send(question{method: http.MethodGet, path: "/openapi.json"}).body), &doc); err != nil {
		panic(err) // it is made of our own types
	}
	return doc
}

// lists reports whether an address of the API is a list, which comes as a file,
// too.
func (d document) lists(path string) bool {
	for _, p := range d.Paths[path]["get"].Parameters {
		if p.Name == "page_token" {
			return true
		}
	}
	return false
}

// bodies are the forms of pages.
func (e *estate) bodies() map[string]string {
	decision, day := "d-"+ulid.Make().String(), time.Now().AddDate(0, 0, 2).Format(time.DateOnly)
	signed := url.Values{"id": {decision}, "shown": {e.shown}, "reason": {"x"}, "verdict": {"approve"}}.Encode()
	all := map[string]string{
		"POST /cases":                      "title=x&once=" + decision,
		"POST /cases/{id}/notes":           "text=x&once=" + decision,
		"POST /cases/{id}/bundle":          "to=x",
		"POST /cases/{id}/close":           "reason=x&version=" + strings.Trim(e.tag, `"`),
		"POST /delegations/{id}/end":       "",
		"POST /people/{id}/sign-out":       "",
		"POST /people/tokens/{id}/revoke":  "",
		"POST /people/devices/{id}/revoke": "",
		"POST /people/shifts/{id}/end":     "",
		"POST /proposals/{id}/choose":      signed + "&choice=x",
		"POST /proposals/{id}/claim":       "do=claim",
		"POST /proposals/{id}/decisions":   signed,
		"POST /proposals/{id}/edit":        "do=check&v%2Fword=x",
		"POST /proposals/{id}/opened":      "what=page&seconds=3",
		"POST /proposals/{id}/snooze":      "until=hour",
		"POST /proposals/{id}/undo":        signed,
		"POST /runs/{id}/orders":           "do=stop",
		"POST /runs/{id}/steps/{seq}/show": "reason=x",

		"POST /cases/{id}/questions":                     "question=x",
		"POST /cases/{id}/facts/{fact}/show":             "reason=x",
		"POST /cases/{id}/evidence/{n}/show":             "reason=x",
		"POST /cases/{id}/concerned":                     "summary=x&days=14",
		"POST /cases/{id}/concerned/{link}/revoke":       "",
		"POST /cases/{id}/objections/{objection}/answer": "answer=x",
		"POST /c/{ref}/objection":                        "k=x&text=x",
		"POST /proposals/{id}/assign":                    "to=" + url.QueryEscape(e.who(identity.Officer).ID),
		"POST /inbox/views/{id}/remove":                  "",
		"POST /inbox/views":                              "name=x",
		"POST /notices":                                  "way.reminder=now&way.escalation=now&way.assigned=now&way.delegated=digest&way.expired=digest&digest_at=08:00&quiet_from=21:00&quiet_to=07:00",
		"POST /inbox/bulk":                               "verdict=approve&pick=P-1.x",
		"POST /inbox/export":                             "format=csv",
		"POST /jobs/{id}/cancel":                         "",
		"POST /admin/pauses":                             "scope=all&reason=x",
		"POST /admin/pauses/{id}/end":                    "reason=x",

		"POST /mail/{id}/accept":                              "note=x",
		"POST /mail/{id}/discard":                             "note=x",
		"POST /settings/{app}/{name}":                         "do=again&version=0&base=%7B%7D",
		"POST /settings/{app}/{name}/remove":                  "version=0&base=%7B%7D",
		"POST /admin/webhooks":                                "title=x&url=https%3A%2F%2F93.184.216.34%2F&kind=case&reason=x",
		"POST /admin/webhooks/{id}/change":                    "title=x&url=https%3A%2F%2F93.184.216.34%2F&kind=case&reason=x&version=1",
		"POST /admin/webhooks/{id}/secrets":                   "reason=x",
		"POST /admin/webhooks/{id}/state":                     "to=off&reason=x",
		"POST /admin/webhooks/{id}/tests":                     "",
		"POST /admin/webhooks/{id}/remove":                    "",
		"POST /admin/webhooks/{id}/messages/{message}/resend": "",

		"POST /runs/orders":          "do=stop&run=" + url.QueryEscape(e.last("run_")),
		"POST /account/organisation": "org=" + string(e.org),
		"POST /audit.csv":            "",
		"POST /delegations":          url.Values{"to": {e.who(identity.ProgrammeManager).ID}, "until": {day}, "reason": {"x"}}.Encode(),
		"POST /dev/sign-in":          "org=" + string(e.org) + "&role=officer",
		"POST /device":               "shift=" + e.last("shift_") + "&pin=000000",
		"POST /pair":                 "code=x",
		"POST /people/devices":       "name=x",
		"POST /people/shifts":        "name=x&hours=2",
		"POST /people/tokens":        "name=x&scopes=read:cases&days=2&reason=x",
		"POST /preferences":          "lang=en",
		"POST /terminal":             "code=ABCD-EFGH",
		"POST /terminal/confirm":     "code=ABCD-EFGH",
		"POST /verify":               "",
		"POST /mcp":                  `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
	}
	maps.Copy(all, poolBodies())
	maps.Copy(all, airBodies())
	maps.Copy(all, netraBodies())
	maps.Copy(all, e.reportBodies())
	maps.Copy(all, gateBodies())
	return all
}

// instead are bodies of the API's where its own example cannot know what is here.
func (e *estate) instead() map[string]string {
	deputy, soon := e.who(identity.ProgrammeManager).ID, time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	all := map[string]string{
		"POST /v1/decisions":                     `{"verdict":"approve","items":[{"proposal":"P-1","etag":"\"x-1\""}]}`,
		"POST /v1/delegations":                   `{"to":"` + deputy + `","ends_at":"` + soon + `"}`,
		"POST /v1/proposals/{id}/assignment":     `{"to":"` + e.who(identity.Officer).ID + `"}`,
		"POST /v1/proposals/{id}/snooze":         `{"until":"` + soon + `"}`,
		"POST /v1/runs/{id}/reask":               `{"step":0}`,
		"POST /v1/mail/{id}/accept":              `{"note":"x"}`,
		"POST /v1/webhooks":                      `{"url":"https://93.184.216.34/","title":"x","kinds":["case"],"reason":"x"}`,
		"POST /v1/webhooks/{id}/change":          `{"url":"https://93.184.216.34/","title":"x","kinds":["case"],"reason":"x"}`,
		"POST /v1/policy/simulate":               `{"since":"720h","files":[]}`,
		"PUT /v1/settings/{app}/{name}":          `{"value":{"programme":"x","portal":"x","contact":"x","appeal":"x","tz":"","manual_minutes":45,"cost_per_hour":0,"currency":""}}`,
		"POST /v1/settings/{app}/{name}/preview": `{"value":{"programme":"x","portal":"x","contact":"x","appeal":"x","tz":"","manual_minutes":45,"cost_per_hour":0,"currency":""}}`,
		"POST /v1/subjects/{subject}/erase":      `{"ground":"request","reference":"x"}`,
	}
	maps.Copy(all, poolInstead())
	maps.Copy(all, gateInstead())
	maps.Copy(all, reportInstead())
	return all
}

// last is the id that was made last of those that begin alike.
func (e *estate) last(prefix string) string {
	for i := len(e.made) - 1; i >= 0; i-- {
		if strings.HasPrefix(e.made[i], prefix) {
			return e.made[i]
		}
	}
	return ""
}
