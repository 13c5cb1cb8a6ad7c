package program

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// apart asks as everybody of south for everything that north has. Nobody sees
// any of it, nobody can tell from an answer whether there is such a thing, and
// nothing of north's changes. It returns how many answers that took.
func (e *estate) apart(t *testing.T) (asked int) {
	t.Helper()
	south := e.askers(t, postgrestest.South)
	theirs := e.settle(t, postgrestest.South) // they are no empty house
	pairs, others := slices.Concat(e.inAddresses(), e.byTools(south)), e.elsewhere(theirs)
	before := e.rows()
	together(south, func(_ int, who asker) {
		for _, p := range pairs {
			e.compare(p, who)
		}
	})
	for _, who := range south { // one by one: a page counts what others do meanwhile
		for _, p := range others {
			e.compare(p, who)
		}
	}
	e.said(pairs)
	asked = (len(pairs)+len(others))*len(south) + e.lists(south)
	e.same(before, "south asked for it")
	e.listed()
	return asked
}

// said forgets the names that south has written down itself, by erasing somebody
// whom it need not know or by writing a record of its own under the same id: they
// stand in its own lists now.
func (e *estate) said(pairs []pair) {
	for _, p := range pairs {
		if p.pattern == "POST /v1/subjects/{subject}/erase" || p.real.method == http.MethodPut {
			e.made = slices.DeleteFunc(e.made, func(id string) bool { return slices.Contains(p.ids, id) })
		}
	}
}

// inAddresses names things of the estate in every address that names anything.
func (e *estate) inAddresses() (pairs []pair) {
	doc := e.document()
	for _, route := range e.mux.Routes() {
		method, path := routeOf(route.Pattern)
		if !wildcard.MatchString(path) || compiledIn(path) {
			continue
		}
		pairs = append(pairs, e.aim(route.Pattern)...)
		if method == http.MethodGet && doc.lists(path) {
			pairs = append(pairs, e.asCSV(route.Pattern)...)
		}
	}
	return pairs
}

// compiledIn reports whether what an address names is in the program itself, and so
// no organisation's.
func compiledIn(path string) bool {
	return strings.HasPrefix(path, "/static/") || strings.HasPrefix(path, "/docs/") || strings.HasPrefix(path, "/gatepass/gate/file/")
}

// asCSV is the list in an address as a file.
func (e *estate) asCSV(pattern string) []pair {
	all := e.aim(pattern)
	for i := range all {
		all[i].real.path, all[i].absent.path = all[i].real.path+"?format=csv", all[i].absent.path+"?format=csv"
	}
	return all
}

// toNobody are the routes that do not say that something is not there, each for a
// reason: they answer alike whatever is named.
var toNobody = map[string]string{
	"DELETE /v1/proposals/{id}/claim":   "who is not looking at it has nothing to take back",
	"POST /v1/proposals/{id}/opened":    "what is reported of a page that nobody has is not kept",
	"POST /proposals/{id}/opened":       "what is reported of a page that nobody has is not kept",
	"GET /v1/subjects/{subject}":        "nobody is known here until something is held about them",
	"POST /v1/subjects/{subject}/erase": "somebody can be erased before anything is held about them",
	"PUT /v1/poolpatrol/sites/{id}":     "a record is written whether there was one or not",
	"PUT /v1/poolpatrol/shifts/{id}":    "a record is written whether there was one or not",
	"PUT /v1/poolpatrol/employees/{id}": "a record is written whether there was one or not",
	"PUT /v1/poolpatrol/vanpools/{id}":  "a record is written whether there was one or not",
}

// compare sends both requests of a pair as somebody of another organisation: the
// answers differ in the name alone, and say no.
func (e *estate) compare(p pair, who asker) {
	e.t.Helper()
	what := who.name + " of south, " + p.real.method + " " + p.real.path + p.tool
	_, alike := toNobody[p.pattern]
	var real answer
	told := ""
	for range 3 { // what differs by a second or by a record of somebody else's differs once
		var absent answer
		real, absent = e.send(keyed(p.real, who)), e.send(keyed(p.absent, who))
		for i := range p.ids {
			real, absent = real.without(p.ids[i]), absent.without(p.twins[i])
		}
		if alike {
			real, absent = real.undated(), absent.undated()
		}
		if leak := e.leak(real); leak != "" { // not once
			e.t.Errorf("%s shows %s of north", what, leak)
		}
		if told = difference(real.String(), absent.String()); told == "" {
			break
		}
	}
	if told != "" {
		e.t.Errorf("%s: the answer is not that for something that there is not: it tells what there is\n%s", what, told)
	}
	if !alike && p.pattern != "" && len(p.ids) > 0 && real.status != http.StatusNotFound && !real.turnedAway() {
		e.t.Errorf("%s: %d, want 404 or 403\n%s", what, real.status, real.short())
	}
}

// difference is where two answers part; nothing, if they are the same.
func difference(a, b string) string {
	if a == b {
		return ""
	}
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	near := func(s string) string { return s[max(0, at-80):min(len(s), at+120)] }
	return "…" + near(a) + "…\n…" + near(b) + "…"
}

var (
	// once is the key of a form that was drawn anew.
	once = regexp.MustCompile(`name="once" value="[A-Z0-9]+"`)
	// asOf is the moment at which a page was drawn.
	asOf = regexp.MustCompile(`<time [^>]*data-live-time[^>]*>[^<]*</time>`)
	// waits is how much waits for the asker, in the rail of every page: others of their own
	// organisation change it meanwhile, and a machine too busy to count leaves it out.
	waits = regexp.MustCompile(`<div [^>]*data-src="/rail/inbox"[^>]*>.*?</div>`)
)

// String is all of an answer, but how much one may still ask for, the keys of its
// forms, what waits for the asker and when it was drawn.
func (a answer) String() string {
	var b strings.Builder
	fmt.Fprintln(&b, a.status)
	for _, name := range slices.Sorted(maps.Keys(a.header)) {
		if !strings.HasPrefix(name, "Ratelimit") {
			fmt.Fprintln(&b, name, a.header[name])
		}
	}
	body := a.body
	for _, own := range []*regexp.Regexp{once, asOf, waits} {
		body = own.ReplaceAllString(body, "")
	}
	return b.String() + body
}

// without is an answer with a name taken out of it.
func (a answer) without(id string) answer {
	cut := func(s string) string { return strings.ReplaceAll(s, id, "·") }
	out := answer{status: a.status, header: http.Header{}, body: cut(a.body)}
	for name, values := range a.header {
		for _, v := range values {
			out.header.Add(name, cut(v))
		}
	}
	return out
}

var dated = regexp.MustCompile(`20\d\d-[-0-9T:.]+Z|rec_[0-9A-Z]{26}`)

// undated is an answer to something that was done, without when and where it is on
// record; the tag of its bytes depends on both.
func (a answer) undated() answer {
	a.header.Del("Etag")
	a.body = dated.ReplaceAllString(a.body, "·")
	return a
}

// leak is what an answer shows of the estate; nothing, if all is well.
func (e *estate) leak(a answer) string {
	for _, everywhere := range []string{"North Test Commission", paused} {
		if strings.Contains(a.body, everywhere) {
			return everywhere
		}
	}
	return e.has(a)
}

// has is a thing of the estate that an answer shows; nothing, if there is none.
func (e *estate) has(a answer) string {
	head := strings.Join(slices.Concat(slices.Collect(maps.Values(a.header))...), "\n")
	for _, one := range append([]string{tellTale}, e.made...) {
		if strings.Contains(a.body, one) || strings.Contains(head, one) {
			return one
		}
	}
	return ""
}

// An elsewhere is a question that names a thing of a kind.
type elsewhere struct {
	part string
	ask  func(id string) question
}

// elsewhere names things of the estate where no pattern shows it: in a query or
// in a body.
func (e *estate) elsewhere(theirs *estate) []pair {
	soon := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
	own := theirs.make("proposals/{id}")
	get := func(path string) func(string) question {
		return func(id string) question { return question{method: http.MethodGet, path: path + id, accept: form(path)} }
	}
	post := func(path, before, after string) func(string) question {
		return func(id string) question {
			return question{method: http.MethodPost, path: path, accept: form(path), body: before + id + after}
		}
	}
	var all []pair
	for _, one := range append(poolElsewhere(get), []elsewhere{
		{"audit/{record}", get("/v1/events?after=")},
		{"cases/{id}", get("/v1/proposals?case=")},
		{"cases/{id}", get("/v1/runs?case=")},
		{"cases/{id}", get("/runs?case=")},
		{"cases/{id}", get("/audit?subject=")},
		{"people/{id}", get("/v1/delegations?person=")},
		{"people/{id}", post("/v1/delegations", `{"to":"`, `","ends_at":"`+soon+`"}`)},
		{"people/{id}", post("/v1/shifts", `{"hours":2,"person":"`, `"}`)},
		{"people/{id}", post("/v1/policy/explain", `{"what":"case.close","person":"`, `"}`)},
		{"people/{id}", post("/v1/proposals/"+own+"/assignment", `{"to":"`, `"}`)},
		{"people/{id}", post("/delegations", "until="+time.Now().AddDate(0, 0, 2).Format(time.DateOnly)+"&to=", "")},
		{"cases/{id}", post("/v1/policy/explain", `{"what":"yard.look","role":"analyst","args":{"word":"a"},"case":"`, `"}`)},
		{"cases/{id}", post("/v1/holds", `{"reason":"x","case":"`, `"}`)},
		{"proposals/{id}", post("/v1/decisions", `{"verdict":"approve","items":[{"etag":"\"x-1\"","proposal":"`, `"}]}`)},
		{"runs/{id}", post("/runs/orders", "do=stop&run=", "")},
		{"proposals/{id}", get("/inbox/bulk?verdict=approve&pick=")},
		{"proposals/{id}", post("/inbox/bulk", "verdict=approve&pick=", "")},
	}...) {
		id := e.make(one.part)
		other := twin(id)
		all = append(all, pair{real: one.ask(id), absent: one.ask(other), ids: []string{id}, twins: []string{other}})
	}
	return all
}

// plain are the addresses that name nothing and show nothing that an organisation
// has, not even to itself.
var plain = map[string]string{
	"/v1/airshed/stations":    "public, and nobody's",
	"/v1/airshed/citations":   "public, and nobody's",
	"/v1/airshed/schedule":    "hours, and who paused it",
	"/v1/netra/schedule":      "every hour, and who paused it",
	"/v1/poolpatrol/metrics":  "numbers",
	"/gatepass/register":      "a form for two days",
	"/gatepass/chat":          "one's own conversation, which nobody has begun",
	"/gatepass/chat/now":      "one's own conversation, which nobody has begun",
	"/v1/gatepass/chat":       "one's own conversation, which nobody has begun",
	"/components":             "samples, and nothing of anybody's",
	"/":                       "it only leads on",
	"/start":                  "what can be tried, the same for all of a role",
	"/dev/sign-in":            "it is where one signs in",
	"/sign-in":                "it is where one signs in",
	"/auth/start":             "it is where one signs in",
	"/auth/callback":          "it is where one signs in",
	"/pair":                   "a device is nobody until it is paired",
	"/device":                 "it shows a paired device who is on shift, and nobody else",
	"/account":                "one's own sign-in",
	"/account/organisation":   "one's own sign-in",
	"/terminal":               "one's own sign-in",
	"/v1/me":                  "oneself",
	"/verify":                 "it checks a file that somebody brings",
	"/v1/inbox/counts":        "numbers",
	"/v1/policy":              "the same rules are for all",
	"/v1/policy/files":        "the same rules are for all",
	"/openapi.json":           "the same for all",
	"/reference":              "the same for all",
	"/docs":                   "the same for all",
	"/healthz":                "of the installation",
	"/banners":                "what is paused, and why, which has a word of its own",
	"/inbox/bulk":             "what somebody has ticked",
	"/notices":                "numbers of proposals, which every organisation has alike, and one's own wishes",
	"/notices/rows":           "numbers of proposals, which every organisation has alike",
	"/operations":             "numbers",
	"/admin/policy":           "the same rules are for all",
	"/admin/models":           "of the installation",
	"/sources":                "those of the applications, and when something came",
	"/v1/policy/cells":        "the same rules are for all",
	"/v1/sources":             "those of the applications, and when something came",
	"/v1/models":              "of the installation",
	"/v1/spending":            "numbers",
	"/v1/agents":              "those of the applications",
	"/v1/retention":           "the same for all, and numbers",
	"/v1/settings":            "what can be set, which is the same for all",
	"/v1/poolpatrol/settings": "the same rules are for all",

	"/poolpatrol/answer":                        "it takes the token of a link, whoever has it, and is nothing without",
	"/v1/poolpatrol/schedule":                   "days and hours",
	"/poolpatrol/scim/v2/":                      "it says that nothing is there",
	"/poolpatrol/scim/v2/ServiceProviderConfig": "the same for all",
	"/poolpatrol/scim/v2/ResourceTypes":         "the same for all",
	"/poolpatrol/scim/v2/Schemas":               "the same for all",

	"/gatepass/gate":                 "the app of a gate, the same for all",
	"/gatepass/gate/app.webmanifest": "the same for all",
	"/gatepass/gate/worker.js":       "the same for all",

	"/readyz":  "of the installation",
	"/metrics": "of the installation",
}

// ways are the ways in which a list is asked for.
func (d document) ways(path string) []question {
	all := []question{{path: path, accept: form(path)}}
	switch path {
	case "/v1/events":
		return []question{{path: path + "?after=first"}, {path: path + "?after=first", accept: "text/event-stream"}}
	case "/search":
		return []question{{path: path + "?q=" + searched, accept: form(path)}}
	case "/audit":
		all = append(all, question{path: path + "?kind=decision", accept: form(path)}) // the newest are refusals
	case "/poolpatrol/simulate":
		all = append(all, question{path: path + "?location.threshold_miles=40", accept: form(path)})
	case "/v1/delegations":
		all = append(all, question{path: path + "?all=true"})
	}
	if d.lists(path) {
		all = append(all, question{path: path + "?format=csv"})
	}
	return all
}

// unnamed are the addresses that name nothing: pages, lists, files and streams.
func (e *estate) unnamed() (paths []string) {
	for _, route := range e.mux.Routes() {
		method, path := routeOf(route.Pattern)
		// what a stream of notices tells is package web's to test
		if method == http.MethodGet && !wildcard.MatchString(path) && path != "/live" {
			paths = append(paths, path)
		}
	}
	return paths
}

// lists asks for everything that is named by nothing.
func (e *estate) lists(south []asker) (asked int) {
	doc := e.document()
	for _, path := range e.unnamed() {
		for _, q := range doc.ways(path) {
			asked += len(south)
			together(south, func(_ int, who asker) {
				if leak := e.leak(e.visit(q, who)); leak != "" {
					e.t.Errorf("%s of south sees %s of north at %s", who.name, leak, q.path)
				}
			})
		}
	}
	return asked
}

// listed asks for the same as the estate's own people: what they see there is
// what south would have seen, so that the test can fail.
func (e *estate) listed() {
	own, doc := e.askers(e.t, e.org), e.document()
	for _, path := range e.unnamed() {
		shown := e.shows(doc.ways(path), own)
		if _, ok := plain[path]; ok == (shown != "") {
			e.t.Errorf("%s shows %q to north: if it can show nothing of anybody say so in plain, and otherwise make an estate have "+
				"something that it shows", path, shown)
		}
	}
}

// visit asks for a list as somebody. Of a stream one of those who may follow it
// is enough: each takes its time.
func (e *estate) visit(q question, who asker) answer {
	if q.accept == "text/event-stream" && who.name != string(identity.Auditor) {
		return answer{}
	}
	q.method, q.as = http.MethodGet, who
	return e.send(q)
}

// shows is what a list shows to somebody of the estate itself.
func (e *estate) shows(ways []question, own []asker) string {
	for _, q := range ways {
		for _, who := range own {
			if shown := e.has(e.visit(q, who)); shown != "" {
				return shown
			}
		}
	}
	return ""
}

// byTools name things of the estate in the arguments of tools.
func (e *estate) byTools(south []asker) (all []pair) {
	for _, name := range e.toolNames(e.t, south) {
		p := pair{tool: " " + name}
		ids, twins := map[string]string{}, map[string]string{}
		theirs := toolArgs(e.t, name, func(part string) string {
			if ids[part] == "" {
				ids[part] = e.make(part)
				twins[part] = twin(ids[part])
				p.ids, p.twins = append(p.ids, ids[part]), append(p.twins, twins[part])
			}
			return ids[part]
		})
		p.real, p.absent = calling(name, theirs), calling(name, toolArgs(e.t, name, func(part string) string { return twins[part] }))
		all = append(all, p)
	}
	return all
}

// rows are what the tables hold of the estate.
func (e *estate) rows() map[string]string {
	e.t.Helper()
	all := digests(e.t, e.db.OwnerURL)
	maps.DeleteFunc(all, func(table, _ string) bool {
		return !strings.HasPrefix(table, string(e.org)+" gavel.") && !strings.HasPrefix(table, string(e.org)+" poolpatrol.") &&
			!strings.HasPrefix(table, string(e.org)+" airshed.")
	})
	return all
}

// same fails for every table in which something of the estate is not as it was,
// but those.
func (e *estate) same(before map[string]string, after string, but ...string) {
	e.t.Helper()
	now := e.rows()
	for _, table := range slices.Sorted(maps.Keys(before)) {
		if before[table] != now[table] && !slices.Contains(but, strings.TrimPrefix(table, string(e.org)+" ")) {
			e.t.Errorf("%s is not as it was before %s: %s, then %s", table, after, before[table], now[table])
		}
	}
}
