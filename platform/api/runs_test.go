package api_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// A yardCaller speaks to a server over a yard whose agents really run.
type yardCaller struct {
	caller
	yard *agenttest.Yard
	app  string
}

func newYard(t *testing.T) yardCaller {
	t.Helper()
	db := postgrestest.New(t, outbox.Migrations(), audit.Migrations(), casefile.Migrations(), seal.Migrations(), act.Migrations(),
		review.Migrations(), agent.Migrations(), idempotency.Migrations(), operation.Migrations())
	mind, err := scripted.New(scripted.Config{Reply: agenttest.Reply})
	if err != nil {
		t.Fatal(err)
	}
	models, effects := httptest.NewServer(mind), httptest.NewServer(&agenttest.OtherSide{})
	t.Cleanup(models.Close)
	t.Cleanup(effects.Close)
	masters, err := seal.ParseMasters(seal.NewMaster("test"))
	if err != nil {
		t.Fatal(err)
	}
	vault, err := seal.New(seal.Config{DB: db.App, Masters: masters, Now: time.Now, Rules: policy.Standard()})
	if err != nil {
		t.Fatal(err)
	}
	y := yardCaller{app: "a" + strings.Map(letters, strings.ToLower(rand.Text()))[:12]}
	if y.yard, err = agenttest.New(agenttest.Config{App: y.app, DB: db.App, ModelURL: models.URL, Effects: effects.URL,
		Vault: vault}); err != nil {
		t.Fatal(err)
	}
	y.work(t, db)
	y.caller = caller{t, serveParts(t, db, api.Config{}, &api.Runs{Runs: y.yard.Store, Tools: y.yard.Registry, Steps: y.yard.Steps,
		PublicURL: public,
		Orders:    agent.NewOrders(agent.OrdersConfig{DB: db.App, Rules: policy.Standard(), Cases: y.yard.Cases, Reviews: y.yard.Reviews})},
		&api.Operations{}), &http.Client{}, db}
	return y
}

func letters(r rune) rune {
	if r >= '2' && r <= '7' {
		return r - '2' + 'a'
	}
	return r
}

// work carries the yard's cases on the real engine until the test ends.
func (y yardCaller) work(t *testing.T, db *postgrestest.Database) {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	c, quiet, done := durabletest.Dial(t), slog.New(slog.DiscardHandler), make(chan struct{}, 2)
	go func() {
		_ = durable.Run(ctx, c, durable.Version{}, quiet, y.yard.Work())
		done <- struct{}{}
	}()
	go func() {
		_ = outbox.NewDispatcher(db.System, outbox.NewEngine(c, durabletest.Config(t).Memo, db.System), 1e6, quiet).Run(ctx)
		done <- struct{}{}
	}()
	t.Cleanup(func() { stop(); <-done; <-done })
}

// open opens a case for an agent and waits until its run is in a state.
func (y yardCaller) open(who, script string, want agent.State) (run string) {
	y.t.Helper()
	asha := identity.Actor{Kind: identity.Person, ID: "asha", Name: "Asha", Org: postgrestest.North,
		Roles: []identity.Role{identity.Analyst}}
	c, _, err := y.yard.Cases.Open(y.t.Context(), asha, casefile.Opening{App: y.app, Key: who + "." + rand.Text(), Title: script})
	if err != nil {
		y.t.Fatal(err)
	}
	wait.Until(y.t, fmt.Sprintf("the run of %q is %s", script, want), func() bool {
		runs, _, err := y.yard.Store.List(y.t.Context(), postgrestest.North, agent.Query{Case: string(c.ID)})
		if err != nil {
			y.t.Fatal(err)
		}
		if len(runs) != 1 || runs[0].State != want {
			return false
		}
		run = runs[0].ID
		return true
	})
	return run
}

func items(a answer) []any {
	list, _ := a.body["items"].([]any)
	return list
}

func field(v any, path ...string) any {
	for _, p := range path {
		m, _ := v.(map[string]any)
		v = m[p]
	}
	return v
}

func TestRunsAreReadOverTheAPI(t *testing.T) {
	y := newYard(t)
	run := y.open("clerk", "look a | letter b", agent.WaitingPerson)
	y.open("clerk", "look a", agent.Done)
	list := y.call("operator", "GET", "/v1/runs?state=waiting_person", "")
	if list.status != 200 || len(items(list)) != 1 || field(items(list)[0], "id") != run {
		t.Fatalf("%d %v", list.status, list.body)
	}
	waits, _ := field(items(list)[0], "waiting_for").([]any)
	if len(waits) != 1 || field(waits[0], "proposal") != "P-1" || field(waits[0], "tool") != "letter" {
		t.Errorf("waits for %v", waits)
	}
	first := y.call("officer", "GET", "/v1/runs?page_size=1", "")
	next, _ := first.body["next_page_token"].(string)
	second := y.call("officer", "GET", "/v1/runs?page_size=1&page_token="+next, "")
	if len(items(first)) != 1 || len(items(second)) != 1 || field(items(second)[0], "id") != run || second.body["next_page_token"] != nil {
		t.Errorf("two pages: %v, %v", first.body, second.body)
	}
	one := y.call("officer", "GET", "/v1/runs/"+run, "")
	if one.status != 200 || field(one.body, "budget", "calls_used") != 2.0 ||
		field(one.body, "links", "page") != "https://gavel.example/runs/"+run {
		t.Errorf("%d %v", one.status, one.body)
	}
	steps := y.call("operator", "GET", "/v1/runs/"+run+"/steps?page_size=1", "")
	if len(items(steps)) != 1 || field(items(steps)[0], "seq") != 1.0 || steps.body["next_page_token"] == nil {
		t.Errorf("steps: %v", steps.body)
	}
	words := y.call("auditor", "GET", "/v1/runs/"+run+"/steps/0", "")
	if results, _ := words.body["results"].([]any); words.status != 200 || len(results) != 1 ||
		!strings.Contains(field(results[0], "text").(string), "seen a") {
		t.Errorf("words: %d %v", words.status, words.body)
	}
}

func TestRunsAreRefusedToThoseWhoMayNot(t *testing.T) {
	y := newYard(t)
	run := y.open("clerk", "letter b", agent.WaitingPerson)
	for _, tt := range []struct {
		as, method, path, body string
		want                   int
	}{
		{"nobody", "GET", "/v1/runs", "", 401},
		{"south", "GET", "/v1/runs/" + run, "", 404},
		{"operator", "GET", "/v1/runs/" + run + "/steps/0", "", 403},
		{"officer", "GET", "/v1/runs/" + run + "/steps/9", "", 404},
		{"officer", "GET", "/v1/runs/run_x", "", 404},
		{"officer", "GET", "/v1/runs?state=asleep", "", 422},
		{"officer", "GET", "/v1/runs/" + run + "/steps?page_token=x", "", 422},
		{"officer", "GET", "/v1/runs/" + run + "/steps?page_size=999", "", 422},
		{"auditor", "POST", "/v1/runs/" + run + "/orders", `{"do":"stop"}`, 403},
		{"officer", "POST", "/v1/runs/" + run + "/orders", `{"do":"dance"}`, 422},
		{"officer", "POST", "/v1/runs/" + run + "/orders", `{"do":"resume"}`, 409},
		{"officer", "POST", "/v1/runs/" + run + "/orders", `{"do":"stop","force":true}`, 422},
		{"officer", "POST", "/v1/runs/" + run + "/reask", `{}`, 403},
		{"auditor", "POST", "/v1/runs/" + run + "/reask", `{"times":11}`, 422},
		{"auditor", "POST", "/v1/runs/" + run + "/reask", `{"step":-1}`, 422},
		{"auditor", "POST", "/v1/runs/" + run + "/reask", `{"step":7}`, 404},
	} {
		if got := y.call(tt.as, tt.method, tt.path, tt.body, "Idempotency-Key", rand.Text()); got.status != tt.want {
			t.Errorf("%s %s %s %s: %d, want %d: %v", tt.as, tt.method, tt.path, tt.body, got.status, tt.want, got.body)
		}
	}
	if got := y.call("operator", "POST", "/v1/runs/"+run+"/orders", `{"do":"stop"}`, "Idempotency-Key", rand.Text()); got.status != 202 {
		t.Errorf("an operator's stop: %d %v", got.status, got.body)
	}
}

func TestARunIsReplayedOverTheAPI(t *testing.T) {
	y := newYard(t)
	run := y.open("foreman", "clerk(look a) | look b", agent.Done)
	got := y.call("operator", "GET", "/v1/runs/"+run+"/replay", "")
	if steps, _ := got.body["steps"].([]any); got.status != 200 || got.body["pass"] != true || len(steps) != 3 {
		t.Errorf("%d %v", got.status, got.body)
	}
}

func TestANewAnswerIsNeverTakenForTheOldOne(t *testing.T) {
	y := newYard(t)
	run := y.open("clerk", "look a | post b", agent.Done)
	got := y.call("auditor", "POST", "/v1/runs/"+run+"/reask", `{"step":1,"times":2}`)
	answers, _ := got.body["answers"].([]any)
	if got.status != 200 || len(answers) != 2 || !strings.Contains(got.body["note"].(string), "never proof") {
		t.Fatalf("%d %v", got.status, got.body)
	}
	if tools, _ := field(answers[0], "tools").([]any); len(tools) != 1 || tools[0] != "post" || field(answers[0], "same") != true {
		t.Errorf("the answer %v, want the same wish for post", answers[0])
	}
	last := y.call("operator", "POST", "/v1/runs/"+run+"/reask", `{}`)
	answers, _ = last.body["answers"].([]any)
	if len(answers) != 1 || field(answers[0], "answer") != "" || last.body["step"] != 2.0 {
		t.Errorf("an operator is told %v, want no words, of the newest step", last.body)
	}
	steps, err := y.yard.Store.Steps(t.Context(), postgrestest.North, run, 0, 10)
	if err != nil || len(steps) != 3 {
		t.Errorf("%d steps after asking again, %v, want 3", len(steps), err)
	}
}
