package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/cmd/gavel/config"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
)

// A front is a whole server in the test's own process, without an engine.
type front struct {
	*face
	parts *parts
	db    *postgrestest.Database
}

func newFront(t *testing.T) *front {
	t.Helper()
	db := postgrestest.New(t, migrationSets()...)
	cfg, err := config.Load(config.Sources{Environ: settingsFor(t, db)})
	if err != nil {
		t.Fatal(err)
	}
	c := &cli{out: io.Discard, talk: io.Discard, cfg: cfg}
	p, err := c.openParts(t.Context(), "gavel-test")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.close(context.WithoutCancel(t.Context())) })
	sys, err := postgres.OpenSystem(t.Context(), cfg.DatabaseSystem.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(sys.Close)
	engine, err := durable.Lazy(p.engine)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(engine.Close)
	kept, err := c.openRecords(p, sys)
	if err != nil {
		t.Fatal(err)
	}
	m, err := c.newMinds(p, apps())
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.newFace(p, ground{sys, engine, kept, m}, "127.0.0.1:80")
	if err != nil {
		t.Fatal(err)
	}
	return &front{face: f, parts: p, db: db}
}

// machine is a token of north with one scope.
func (f *front) machine(t *testing.T, scope string) string {
	t.Helper()
	admin := identity.Actor{Kind: identity.Person, ID: "p:admin", Org: postgrestest.North, Roles: []identity.Role{identity.OrgAdmin}}
	store := signin.NewStore(signin.StoreConfig{DB: f.parts.db, Clock: f.parts.clock, Rules: f.parts.rules})
	_, secret, err := store.Issue(t.Context(), admin, signin.NewToken{Name: scope, Scopes: []string{scope}, Life: time.Hour, Reason: "the matrix"})
	if err != nil {
		t.Fatal(err)
	}
	return secret
}

// ask sends a request that is let in or turned away before anything else is
// looked at: the objects it names do not exist.
func (f *front) ask(method, path, token string) int {
	body := io.Reader(http.NoBody)
	if method == http.MethodPost {
		body = strings.NewReader(`{}`)
	}
	patience := time.Minute
	if path == "/live" || path == "/v1/events" {
		patience = 300 * time.Millisecond // a stream ends when its visitor leaves
	}
	ctx, leave := context.WithTimeout(context.Background(), patience)
	defer leave()
	r := httptest.NewRequestWithContext(ctx, method, path, body)
	r.Header.Set("Accept", "application/json")
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		r.Header.Set("Authorization", "Bearer "+token)
	}
	w := httptest.NewRecorder()
	f.handler.ServeHTTP(w, r)
	return w.Code
}

var wildcard = regexp.MustCompile(`\{([a-z_]+)(\.\.\.)?\}`)

// address is a route's pattern as a method and a path of things that do not
// exist. A pattern without a method is asked with GET.
func address(pattern string) (method, path string) {
	method, path, ok := strings.Cut(pattern, " ")
	if !ok {
		method, path = http.MethodGet, pattern
	}
	path = strings.ReplaceAll(path, "{$}", "")
	return method, wildcard.ReplaceAllString(path, "absent")
}

// matrix is every route and act with who may, in words, and how many answers
// that is.
func (f *front) matrix(t *testing.T) (rows []string, asked int) {
	t.Helper()
	type visitor struct{ name, token string }
	visitors := []visitor{{"nobody", ""}}
	for _, role := range identity.Roles() {
		visitors = append(visitors, visitor{string(role), devToken(t, role)})
	}
	scopes := []string{"read:cases", "read:audit", "read:metrics", "ingest:gatepass", "propose:poolpatrol"}
	for _, scope := range scopes {
		visitors = append(visitors, visitor{"token " + scope, f.machine(t, scope)})
	}
	for _, route := range f.mux.Routes() {
		var in []string
		method, path := address(route.Pattern)
		for _, v := range visitors {
			asked++
			if code := f.ask(method, path, v.token); code != http.StatusUnauthorized && code != http.StatusForbidden {
				in = append(in, v.name)
			}
		}
		rows = append(rows, route.Pattern+": "+whoMay(in, visitors[0].name, len(visitors)))
	}
	for _, act := range policy.Acts() {
		var may []string
		for _, role := range identity.Roles() {
			asked++
			if f.parts.rules.May(identity.Actor{Kind: identity.Person, ID: "p", Org: postgrestest.North, Roles: []identity.Role{role}}, act.Name) == nil {
				may = append(may, string(role))
			}
		}
		for _, scope := range scopes {
			asked++
			if f.parts.rules.May(identity.Actor{Kind: identity.Machine, ID: "m", Org: postgrestest.North, Scopes: []string{scope}}, act.Name) == nil {
				may = append(may, "token "+scope)
			}
		}
		rows = append(rows, "act "+act.Name+": "+whoMay(may, "", -1))
	}
	slices.Sort(rows)
	return rows, asked
}

// whoMay says who is let in, as the table has it.
func whoMay(in []string, nobody string, all int) string {
	switch {
	case len(in) == 0:
		return "none"
	case len(in) == all:
		return "everybody"
	case len(in) == all-1 && !slices.Contains(in, nobody):
		return "whoever is signed in"
	}
	return strings.Join(in, ", ")
}

// TestWhoMayDoWhat compares every role, nobody and every kind of token against
// every route and every act with the table that people keep. A new route without
// a row fails: add the row by hand, having thought about it.
func TestWhoMayDoWhat(t *testing.T) {
	f := newFront(t)
	got, asked := f.matrix(t)
	table, err := os.ReadFile("testdata/authz.golden")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{}
	for line := range strings.SplitSeq(strings.TrimSpace(string(table)), "\n") {
		if what, who, ok := strings.Cut(line, ": "); ok && !strings.HasPrefix(line, "#") {
			want[what] = who
		}
	}
	for _, row := range got {
		what, who, _ := strings.Cut(row, ": ")
		switch kept, ok := want[what]; {
		case !ok:
			t.Errorf("no row says who may use %s; as it is, the row would be\n%s", what, row)
		case kept != who:
			t.Errorf("%s: got %s, want %s", what, who, kept)
		}
		delete(want, what)
	}
	for what := range want {
		t.Errorf("the table has a row for %s, which there is not", what)
	}
	if !t.Failed() {
		fmt.Printf("%d of %d answers to who may do what are as the table says\n", asked, asked)
	}
}
