package mcp_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/mcp"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/web"
)

const (
	north = postgrestest.North
	south = postgrestest.South
)

// people are who may stand behind a token; the token is the name.
var people = map[string]identity.Actor{
	"asha": {Kind: identity.Person, ID: "asha", Name: "Asha", Org: north, Roles: []identity.Role{identity.Analyst}},
	"asha at a terminal": {Kind: identity.Person, ID: "asha", Name: "Asha", Org: north, Roles: []identity.Role{identity.Analyst},
		Session: "ses_1", Way: identity.ByTerminal},
	"asha in a browser": {Kind: identity.Person, ID: "asha", Name: "Asha", Org: north, Roles: []identity.Role{identity.Analyst},
		Session: "ses_2", Way: identity.ByBrowser},
	"asha's editor": {Kind: identity.Person, ID: "asha", Name: "Asha", Org: north, Roles: []identity.Role{identity.Analyst},
		Session: "ses_3", Way: identity.ByTools},
	"mohan": {Kind: identity.Person, ID: "mohan", Name: "Mohan", Org: north, Roles: []identity.Role{identity.Analyst}},
	"olga":  {Kind: identity.Person, ID: "olga", Name: "Olga", Org: north, Roles: []identity.Role{identity.Officer}},
	"gopal": {Kind: identity.Person, ID: "gopal", Name: "Gopal", Org: north, Roles: []identity.Role{identity.Gate}},
	// the same id, elsewhere
	"sita": {Kind: identity.Person, ID: "asha", Name: "Sita", Org: south, Roles: []identity.Role{identity.Analyst}},
}

// A rig is a server at /mcp over a real database, with the yard's tools, and an
// other side that counts what reaches it.
type rig struct {
	*agenttest.Yard
	t     testing.TB
	app   string
	db    *postgrestest.Database
	other *agenttest.OtherSide
	facts *evidence.Store
	url   string
	ahead time.Duration // of the wall clock
}

func letters(r rune) rune {
	if r >= '2' && r <= '7' {
		return r - '2' + 'a'
	}
	return r
}

func newRig(t testing.TB) *rig {
	t.Helper()
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations(), seal.Migrations(), act.Migrations(),
		review.Migrations(), agent.Migrations())
	return rigOn(t, db, nil, silent{})
}

// rigOn is a rig on a database, with facts and a model if there are any.
func rigOn(t testing.TB, db *postgrestest.Database, facts *evidence.Store, mind model.Generator) *rig {
	t.Helper()
	r := &rig{t: t, db: db, facts: facts, other: &agenttest.OtherSide{}, app: "m" + strings.Map(letters, strings.ToLower(rand.Text()))[:12]}
	effects := httptest.NewServer(r.other)
	t.Cleanup(effects.Close)
	var err error
	if r.Yard, err = agenttest.New(agenttest.Config{App: r.app, DB: db.App, Effects: effects.URL, Generator: mind,
		Policies: policies(r.app)}); err != nil {
		t.Fatal(err)
	}
	r.serve()
	return r
}

// silent is the model of agents that nobody sets to work here.
type silent struct{}

func (silent) Generate(context.Context, model.Request) (model.Response, error) {
	return model.Response{}, fault.New(fault.Unavailable, "there is no model")
}

// policies are the yard's, and those of machines.
func policies(app string) string {
	return strings.ReplaceAll(agenttest.Policies, "yard", app) + `
@id("machines-call")
permit (principal is Machine, action == Action::"call", resource) when { context.app == "` + app + `" && context.scopes.contains("propose:` + app + `") };
@id("machines-look")
permit (principal is Machine, action in [Action::"call", Action::"call_unattended"], resource) when { context.app == "` + app + `" && context.effect == "read" };`
}

type actorKey struct{}

func who(ctx context.Context) (identity.Actor, error) {
	a, _ := ctx.Value(actorKey{}).(identity.Actor)
	if !a.Known() {
		return a, fault.New(fault.SignIn, "nobody is signed in")
	}
	return a, nil
}

func (r *rig) serve() {
	r.t.Helper()
	quiet := slog.New(slog.DiscardHandler)
	site, err := web.New(web.Config{Log: quiet, Actor: func(ctx context.Context) identity.Actor { a, _ := who(ctx); return a },
		Require: who, May: r.Rules.May})
	if err != nil {
		r.t.Fatal(err)
	}
	s, err := mcp.New(mcp.Config{Calls: r.Calls, Tools: r.Registry, Rules: r.Rules, Who: who, Cases: r.Cases, Reviews: r.Reviews,
		Runs: r.Store, Facts: r.facts,
		Records: audit.NewReader(audit.ReaderConfig{DB: r.db.App, System: r.db.System}), States: durabletest.Keys(r.t),
		PublicURL: "https://gavel.example", Version: "test", Log: quiet, Now: func() time.Time { return time.Now().Add(r.ahead) }})
	if err != nil {
		r.t.Fatal(err)
	}
	mux := web.NewMux(site)
	s.Routes(mux)
	srv := httptest.NewServer(site.Handler(mux, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			token := strings.TrimPrefix(req.Header.Get("Authorization"), "Bearer ")
			if c, err := req.Cookie("gavel_dev"); err == nil {
				token = c.Value
			}
			next.ServeHTTP(w, req.WithContext(context.WithValue(req.Context(), actorKey{}, r.actor(token))))
		})
	}))
	r.t.Cleanup(srv.Close)
	r.url = srv.URL + mcp.Path
}

// actor is who stands behind a token; a machine's is its scopes.
func (r *rig) actor(token string) identity.Actor {
	if scopes, ok := strings.CutPrefix(token, "machine "); ok {
		scopes = strings.ReplaceAll(strings.TrimPrefix(scopes, "of nothing"), "APP", r.app)
		return identity.Actor{Kind: identity.Machine, ID: "machine:feeder", Name: "feeder", Org: north, Scopes: strings.Fields(scopes)}
	}
	return people[token]
}

// work carries out what is approved, on the real engine.
func (r *rig) work() {
	r.t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	c, quiet, done := durabletest.Dial(r.t), slog.New(slog.DiscardHandler), make(chan struct{}, 2)
	go func() {
		_ = durable.Run(ctx, c, durable.Version{}, quiet, r.Work())
		done <- struct{}{}
	}()
	go func() {
		_ = outbox.NewDispatcher(r.db.System, outbox.NewEngine(c, durabletest.Config(r.t).Memo, r.db.System), 1e6, quiet).Run(ctx)
		done <- struct{}{}
	}()
	r.t.Cleanup(func() { stop(); <-done; <-done })
}

// bearer sends a token along.
type bearer string

func (b bearer) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(req)
}

// connect is the library's own client with somebody's token.
func (r *rig) connect(token string, o *sdk.ClientOptions, version string) *sdk.ClientSession {
	r.t.Helper()
	if o == nil {
		o = &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{}}
	}
	return open(r.t, &sdk.StreamableClientTransport{Endpoint: r.url, HTTPClient: &http.Client{Transport: bearer(token)},
		DisableStandaloneSSE: true}, o, version)
}

func open(t testing.TB, over sdk.Transport, o *sdk.ClientOptions, version string) *sdk.ClientSession {
	t.Helper()
	c := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, o)
	s, err := c.Connect(t.Context(), over, &sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// A said is what a tool answered.
type said struct {
	*sdk.CallToolResult
	body map[string]any
	text string
}

func (s said) field(name string) string {
	v, _ := s.body[name].(string)
	return v
}

// call calls a tool.
func call(t testing.TB, s *sdk.ClientSession, name string, args any) said {
	t.Helper()
	res, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return saidOf(t, res)
}

func saidOf(t testing.TB, res *sdk.CallToolResult) said {
	t.Helper()
	out := said{CallToolResult: res, body: map[string]any{}}
	for _, c := range res.Content {
		if text, ok := c.(*sdk.TextContent); ok {
			out.text += text.Text
		}
	}
	if res.StructuredContent != nil {
		raw, err := json.Marshal(res.StructuredContent)
		if err == nil {
			err = json.Unmarshal(raw, &out.body)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return out
}

// open opens a case of the yard's own that nothing works on.
func (r *rig) open(title string) casefile.Case {
	r.t.Helper()
	c, _, err := r.Cases.Open(r.t.Context(), people["asha"], casefile.Opening{App: r.app, Key: "judge." + rand.Text(), Title: title})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// approve decides a proposal as its page does: on the store.
func (r *rig) decide(by, proposal string, v review.Verdict) {
	r.t.Helper()
	a, err := r.Calls.Asked(r.t.Context(), people["olga"], proposal)
	if err == nil {
		_, err = r.Reviews.Decide(r.t.Context(), people[by], review.Decision{ID: "dec-" + rand.Text(), Proposal: proposal,
			ShownSHA256: a.ShownSHA256, Verdict: v, Reason: "because"})
	}
	if err != nil {
		r.t.Fatal(err)
	}
}

func (r *rig) count(sql string, args ...any) (n int) {
	r.t.Helper()
	err := r.db.App.InOrg(context.Background(), north, func(tx pgx.Tx) error {
		return tx.QueryRow(context.Background(), sql, args...).
			Scan(&n)
	})
	if err != nil {
		r.t.Fatal(err)
	}
	return n
}

// quiet fails if anything was done.
func (r *rig) quiet(after string) {
	r.t.Helper()
	if n := r.count(`select count(*) from gavel.act`); n != 0 || len(r.other.Log()) != 0 {
		r.t.Errorf("after %s there are %d acts, and the other side had %v", after, n, r.other.Log())
	}
}
