package program

import (
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/program/config"
)

// registrar serves the real API of policies, to an auditor; it needs no database
// but for simulations, which are answered from a script.
func registrar(t *testing.T) (at setup, simulated *string) {
	t.Helper()
	return registrarOf(t, policy.Standard())
}

// registrarOf does so under other rules.
func registrarOf(t *testing.T, rules *policy.Rules) (at setup, simulated *string) {
	t.Helper()
	site, err := web.New(web.Config{Actor: signin.From, Require: signin.Require, May: rules.May, Messages: []fs.FS{api.Messages()}})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(site)
	none, err := tool.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	api.New(mux, api.Config{}).Routes(&api.Policy{Rules: rules, Tools: none})
	who := identity.Actor{Kind: identity.Person, ID: "p:a", Name: "Auditor", Org: "north", Roles: []identity.Role{identity.Auditor}}
	real := site.Handler(mux, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(signin.As(r.Context(), who)))
		})
	})
	var body string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/policy/simulate" {
			real.ServeHTTP(w, r)
			return
		}
		read := make([]byte, 1<<20)
		n, _ := r.Body.Read(read)
		body = string(read[:n])
		w.Header().Set("Gavel-Zone", "Asia/Kolkata")
		write(w, 200, `{"digest":"ab12","calls":41,"counts":[{"was":"yes","would":"yes","calls":38},{"was":"yes","would":"asks a person","calls":2},{"was":"asks a person","would":"no","calls":1}],
			"changed":[{"call":"run_01K5ZJ3W8Q6X9V2T4N7M1B0CDE/3.0","case":"case_01K5ZJ3W8Q6X9V2T4N7M1B0CDE","at":"2026-11-14T08:00:00Z","tool":"poolpatrol.cancel_rides","was":"yes","would":"asks a person","because":["cancel-rides","no matching permit"]}],
			"more":2,"untold":[{"why":"the arguments were erased","calls":4}],"since":"2026-10-15T08:00:00Z","partial":true,"rights":[{"name":"case.close","who":"hr","was":"yes","would":"no"}]}`)
	}))
	t.Cleanup(server.Close)
	return setup{environ: []string{"GAVEL_SERVER=" + server.URL, "GAVEL_TOKEN=good"}}, &body
}

func TestPoliciesFromTheCommandLine(t *testing.T) {
	at, sent := registrar(t)
	folder := t.TempDir()
	put(t, filepath.Join(folder, "platform", "p.cedar"), `@id("x") permit (principal in Role::"hr", action == Action::"do", resource);`)
	for _, tt := range []struct {
		name string
		args []string
		code int
	}{
		{"table", []string{"policy", "table"}, 0},
		{"table-one", []string{"policy", "table", "--for", "officer"}, 0},
		{"table-nobody", []string{"policy", "table", "--for", "boss"}, 3},
		{"table-csv", []string{"policy", "table", "-o", "csv"}, 0},
		{"explain-no", []string{"policy", "explain", "case.close", "--role", "analyst"}, 0},
		{"explain-yes", []string{"policy", "explain", "audit.read"}, 0},
		{"explain-token", []string{"policy", "explain", "case.read", "--scope", "read:cases", "-o", "csv"}, 0},
		{"explain-nothing", []string{"policy", "explain", "case.burn"}, 3},
		{"simulate", []string{"policy", "simulate", folder, "--since", "30d"}, 0},
		{"simulate-csv", []string{"policy", "simulate", folder, "-o", "csv"}, 0},
	} {
		got := at.run(t, tt.args...)
		if got.code != tt.code {
			t.Errorf("%s: code %d, want %d: %s", tt.name, got.code, tt.code, got.talk)
		}
		golden(t, "policy/"+tt.name+".golden", short(got.out)+"--\n"+digestForm.ReplaceAllString(got.talk, "…"))
	}
	if !strings.Contains(*sent, `"name":"platform/p.cedar"`) || !strings.Contains(*sent, `"since":"30d"`) {
		t.Errorf("sent %s", *sent)
	}
	table := at.run(t, "policy", "table", "-o", "json")
	if table.code != 0 || !strings.Contains(table.out, policy.Standard().Digest()) || !strings.Contains(table.out, `"cells"`) {
		t.Errorf("%d %.200s", table.code, table.out)
	}
	for _, args := range [][]string{
		{"policy", "explain", "case.read", "--args", "[1]"}, {"policy", "explain", "case.read", "--role", "hr", "--person", "p"},
		{"policy", "simulate", t.TempDir()}, {"policy", "simulate", filepath.Join(folder, "nowhere")},
		{"policy", "check", filepath.Join(folder, "nowhere")},
	} {
		if got := at.run(t, args...); got.code != 2 {
			t.Errorf("%v: got %+v, want code 2", args, got)
		}
	}
}

var digestForm = regexp.MustCompile(`policies [0-9a-f]{12}|request: req-[A-Z0-9]+`)

// short is the beginning of a long table: that every act is in it is promised
// elsewhere, and a new one should not show here.
func short(out string) string {
	lines := strings.SplitAfterN(out, "\n", 9)
	return strings.Join(lines[:min(len(lines), 8)], "")
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestAFolderOfPoliciesIsWrittenCheckedAndTaken promises the way to policies of
// one's own: start from those built in, change them, check, name the folder.
func TestAFolderOfPoliciesIsWrittenCheckedAndTaken(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "policies")
	var at setup
	if got := at.run(t, "policy", "files", "--to", folder); got.code != 0 || !strings.Contains(got.talk, "GAVEL_POLICIES") {
		t.Fatalf("files: %+v", got)
	}
	if got := at.run(t, "policy", "files", "--to", folder); got.code != 6 {
		t.Errorf("over files that are there: %+v", got)
	}
	if got := at.run(t, "policy", "files"); got.code != 0 || !strings.Contains(got.out, "// platform/cases.cedar\n") {
		t.Errorf("files: %d %.200s", got.code, got.out)
	}
	if got := at.run(t, "policy", "check", folder); got.code != 0 || !strings.HasPrefix(got.out, "platform: as built in, ") {
		t.Errorf("check: %+v", got)
	}
	cfg := loadConfig(t, "GAVEL_POLICIES="+folder)
	if got := examine(t, (&cli{apps: builtIn()}).policyCheck(cfg)); got.Status != doctor.OK || !strings.Contains(got.Detail, folder) {
		t.Errorf("doctor: %+v", got)
	}
	cases := filepath.Join(folder, "platform", "cases.cedar")
	text, err := os.ReadFile(cases)
	if err != nil {
		t.Fatal(err)
	}
	put(t, cases, strings.Replace(string(text), `context.act == "case.close"`, `context.act == "case.burn"`, 1))
	got := at.run(t, "policy", "check", folder)
	if got.code != 2 || !strings.Contains(got.talk, `cases.cedar:`) || !strings.Contains(got.talk, `no act is called "case.burn"`) {
		t.Errorf("a misspelt act: %+v", got)
	}
	if got := examine(t, (&cli{apps: builtIn()}).policyCheck(cfg)); got.Status != doctor.Fail || !strings.Contains(got.Detail,
		"case.burn") || !strings.Contains(got.Fix, "gavel policy check") {
		t.Errorf("doctor: %+v", got)
	}
	put(t, cases, strings.ReplaceAll(string(text), `"officer", `, ``))
	if got := at.run(t, "policy", "check", folder); got.code != 0 || !strings.HasPrefix(got.out, "platform: replaced, ") {
		t.Errorf("check: %+v", got)
	}
	rules, err := (&cli{apps: builtIn()}).loadRules(cfg)
	if err != nil || rules.May(identity.Actor{Kind: identity.Person, ID: "o", Org: "north", Roles: []identity.Role{identity.Officer}},
		"case.close") == nil {
		t.Errorf("an officer still closes: %v", err)
	}
	if got := loadConfig(t, "GAVEL_POLICIES=policies").Problems(); len(got) != 1 || got[0].Name != config.NamePolicies {
		t.Errorf("a path that is relative: %v", got)
	}
}

// TestActsOfAnApplicationAreSeenLikeAllOthers promises that they stand in the table,
// are explained with their file, and that a folder replaces their policies alone.
func TestActsOfAnApplicationAreSeenLikeAllOthers(t *testing.T) {
	const lets = `@id("see-vans") permit (principal in Role::"hr", action == Action::"do", resource) when { context.act == "yard.van.read" };`
	c := &cli{apps: applications{{Name: "yard", Acts: []policy.Act{{Name: "yard.van.read", Words: "see the vans", Reads: true}},
		Policies: fstest.MapFS{"acts/vans.cedar": {Data: []byte(lets)}}}}}
	rules, err := c.rulesOf("")
	if err != nil {
		t.Fatal(err)
	}
	at, _ := registrarOf(t, rules)
	if got := at.run(t, "policy", "table"); got.code != 0 || !regexp.MustCompile(`yard\.van\.read +see the vans +hr\s`).
		MatchString(got.out) {
		t.Errorf("table: %d %s", got.code, got.out)
	}
	if got := at.run(t, "policy", "explain", "yard.van.read", "--role", "gate"); got.code != 0 ||
		!strings.Contains(got.out, "nearest yard/acts/vans.cedar:1  see-vans") {
		t.Errorf("explain: %d %s", got.code, got.out)
	}
	folder := t.TempDir()
	put(t, filepath.Join(folder, "yard", "acts", "mine.cedar"), strings.ReplaceAll(lets, "hr", "gate"))
	other, err := c.rulesOf(folder)
	if err != nil || other.Own().Digest() != rules.Own().Digest() || other.Holders("yard.van.read")[0] != identity.Gate {
		t.Errorf("a folder of acts: %v", err)
	}
}

// TestWhoIsTurnedAwayFromAnAddressIsOnRecord promises that a role that may not
// use an address gets 403, and that this is in the organisation's log.
func TestWhoIsTurnedAwayFromAnAddressIsOnRecord(t *testing.T) {
	s := newStage(t)
	p := &parts{db: s.DB.App, rules: policy.Standard()}
	site, err := web.New(web.Config{Actor: signin.From, Require: signin.Require, May: p.rules.May, Refused: p.refusals()})
	if err != nil {
		t.Fatal(err)
	}
	mux := web.NewMux(site)
	mux.Handle("POST /v1/tokens", func(http.ResponseWriter, *http.Request) error { return nil }, web.Needs("token.issue"))
	h := site.Handler(mux, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			next.ServeHTTP(w, r.WithContext(signin.As(r.Context(), bundletest.Auditor)))
		})
	})
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/tokens", nil))
	if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), "You don't have access to this.") {
		t.Errorf("got %d %s", w.Code, w.Body)
	}
	page, err := audit.NewReader(audit.ReaderConfig{DB: s.DB.App, System: s.DB.System}).Page(t.Context(), bundletest.Auditor.Org,
		audit.Query{Kind: audit.Refusal, Limit: 10})
	if err != nil || len(page.Entries) != 1 || page.Entries[0].Record.Actor.ID != bundletest.Auditor.ID {
		t.Errorf("got %+v, %v", page, err)
	}
}
