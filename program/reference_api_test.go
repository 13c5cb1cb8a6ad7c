package program

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/program/config"
)

// wholeDocument is the OpenAPI document of a server with every application, which is
// made without a database: nobody asks it anything else.
func wholeDocument(t *testing.T) []byte {
	t.Helper()
	gathered := standing(t)
	p := &parts{rules: gathered.Rules, log: slog.New(slog.DiscardHandler)}
	c := &cli{apps: builtIn(), cfg: &config.Config{}}
	b := ground{kept: &records{}, minds: &minds{Minds: gathered}}
	site, err := web.New(web.Config{Actor: signin.From, Require: signin.Require, May: p.rules.May, Messages: append([]fs.FS{api.Messages()},
		c.apps.messages()...)})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(site)
	(&face{site: site}).serveAPI(mux, p, b, nil, append(c.administration(p, b), c.apps.api(p, "")...))
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/openapi.json", http.NoBody))
	if w.Code != http.StatusOK {
		t.Fatalf("the document answers %d", w.Code)
	}
	return w.Body.Bytes()
}

// A described operation is what the page says of one.
type described struct {
	method, path string

	Summary     string   `json:"summary"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
}

// writeOperations lists every operation of the API by what it is about.
func writeOperations(t *testing.T, p *refPage) {
	var doc struct {
		Info  struct{ Version string }
		Paths map[string]map[string]described
	}
	if err := json.Unmarshal(wholeDocument(t), &doc); err != nil {
		t.Fatal(err)
	}
	byTag := map[string][]described{}
	for path, methods := range doc.Paths {
		for method, one := range methods {
			one.method, one.path = strings.ToUpper(method), path
			byTag[one.Tags[0]] = append(byTag[one.Tags[0]], one)
		}
	}
	rules := standing(t).Rules
	p.line("# The API")
	p.line("")
	p.line("Every operation of version %s, which is what is under `/v1`. On a server `/reference` has each with its parameters, answers "+
		"and an example, and", doc.Info.Version)
	p.line("`/openapi.json` the whole document. [The developer's guide](../guide/developer.md#from-curl) calls some of them from a " +
		"shell, [api](../design/api.md) says why it is so.")
	p.line("Whom the policies let is as they are built in; programs with a token are in [policies](policies.md).")
	for _, tag := range slices.Sorted(maps.Keys(byTag)) {
		all := byTag[tag]
		slices.SortFunc(all, func(a, b described) int {
			return strings.Compare(a.path+" "+a.method, b.path+" "+b.method)
		})
		p.heading(2, tag)
		p.table("operation", "what it does", "needs", "roles")
		for _, one := range all {
			needs, roles := neededBy(one.Description, rules)
			p.row(fmt.Sprintf("`%s %s`", one.method, one.path), unmarked(one.Summary), needs, roles)
		}
	}
}

// neededBy reads from an operation's description what it needs to be allowed, and
// finds the roles that are.
func neededBy(description string, rules *policy.Rules) (needs, roles string) {
	for line := range strings.Lines(description) {
		if acts, ok := strings.CutPrefix(strings.TrimSpace(line), "Needs to be allowed: "); ok {
			var names, who []string
			for act := range strings.SplitSeq(strings.TrimSuffix(acts, "."), " or ") {
				names = append(names, code(act))
				for _, role := range rules.Holders(act) {
					if !slices.Contains(who, code(string(role))) {
						who = append(who, code(string(role)))
					}
				}
			}
			return strings.Join(names, " or "), cmp.Or(strings.Join(who, ", "), "none; a token's scope")
		}
	}
	if strings.Contains(description, "For whoever is signed in.") {
		return "a sign-in", "all"
	}
	return "nothing", "everybody"
}
