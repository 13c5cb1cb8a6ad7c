package api_test

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// withPolicy is a yard that also answers for who may do what.
func withPolicy(t *testing.T) yardCaller {
	t.Helper()
	y := newYard(t)
	y.caller = caller{t, serveParts(t, y.db, api.Config{}, &api.Policy{Rules: y.yard.Rules, Tools: y.yard.Registry, Runs: y.yard.Store,
		Person: func(_ context.Context, org identity.Org, id string) (identity.Actor, error) {
			if id != "asha" {
				return identity.Actor{}, fault.New(fault.NotFound, "nobody is called %s", id)
			}
			return identity.Actor{Kind: identity.Person, ID: id, Org: org, Roles: []identity.Role{identity.Analyst}}, nil
		}}), &http.Client{}, y.db}
	return y
}

// row is a row of the table of who may do what.
func row(t *testing.T, table answer, name, who string) string {
	t.Helper()
	at := -1
	for i, w := range field(table.body, "who").([]any) {
		if w == who {
			at = i
		}
	}
	for _, r := range field(table.body, "rows").([]any) {
		if field(r, "name") == name && at >= 0 {
			return field(field(r, "cells").([]any)[at], "word").(string)
		}
	}
	t.Fatalf("the table has no cell for %s and %s", name, who)
	return ""
}

func TestWhoMayDoWhatIsReadByEverybodyWhoIsSomebody(t *testing.T) {
	y := withPolicy(t)
	table := y.call("officer", "GET", "/v1/policy", "")
	if table.status != 200 || field(table.body, "sets", y.app) != y.yard.Rules.App(y.app).Digest() ||
		table.body["digest"] != y.yard.Rules.Digest() {
		t.Fatalf("%d %v", table.status, table.body)
	}
	for _, tt := range []struct{ name, who, want string }{
		{"case.close", "officer", "yes"}, {"case.close", "analyst", "no"}, {"case.read", "token read:cases", "yes"},
		{y.app + ".letter", "analyst", "asks a person"}, {y.app + ".letter", "officer", "no"}, {y.app + ".look", "analyst", "depends"},
	} {
		if got := row(t, table, tt.name, tt.who); got != tt.want {
			t.Errorf("%s by %s: got %q, want %q", tt.name, tt.who, got, tt.want)
		}
	}
	if got := y.call("officer", "GET", "/v1/policy/files", ""); got.status != 200 || !strings.Contains(got.text, "yard.cedar") ||
		!strings.Contains(got.text, "platform/cases.cedar") {
		t.Errorf("%d %.200s", got.status, got.text)
	}
	for as, want := range map[string]int{"": 401, "machine": 403} {
		if got := y.call(as, "GET", "/v1/policy", ""); got.status != want {
			t.Errorf("%q: got %d, want %d", as, got.status, want)
		}
	}
}

func TestWhyIsAnsweredByRolePersonAndToken(t *testing.T) {
	y := withPolicy(t)
	for _, tt := range []struct {
		name, as, body string
		status         int
		says           string
	}{
		{"by role", "officer", `{"what":"case.close","role":"analyst"}`, 200, `"word":"no"`},
		{"oneself", "officer", `{"what":"case.close"}`, 200, `"word":"yes"`},
		{"by token", "officer", `{"what":"case.read","scopes":["read:cases"]}`, 200, `"machines-read-cases"`},
		{"by person, who may ask", "admin", `{"what":"case.close","person":"asha"}`, 200, `"close-cases"`},
		{"by person, who may not ask", "officer", `{"what":"case.close","person":"asha"}`, 403, `"reason":"no_access"`},
		{"of nobody", "admin", `{"what":"case.close","person":"zoe"}`, 404, "nobody"},
		{"a tool", "officer", `{"what":"APP.look","role":"analyst","args":{"word":"a"}}`, 200, `"word":"yes"`},
		{"a tool that is forbidden", "officer", `{"what":"APP.look","role":"analyst","args":{"word":"forbidden"}}`, 200, `"yard-never"`},
		{"a tool of another role", "officer", `{"what":"APP.look","role":"hr","args":{"word":"a"}}`, 200, "the tool is for analyst"},
		{"an act there is not", "officer", `{"what":"case.burn","role":"hr"}`, 404, "no act"},
		{"two of them", "officer", `{"what":"case.read","role":"hr","scopes":["read:cases"]}`, 422, "only one"},
		{"a role there is not", "officer", `{"what":"case.read","role":"boss"}`, 422, "boss"},
		{"nobody asks", "", `{"what":"case.read"}`, 401, ""},
	} {
		body := strings.ReplaceAll(tt.body, "APP", y.app)
		got := y.call(tt.as, "POST", "/v1/policy/explain", body)
		if got.status != tt.status || !strings.Contains(got.text, strings.ReplaceAll(tt.says, "yard-never", y.app+"-never")) {
			t.Errorf("%s: got %d %.600s, want %d and %q", tt.name, got.status, got.text, tt.status, tt.says)
		}
	}
}

func TestOtherPoliciesAreTriedOnPastCallsAndNothingIsDone(t *testing.T) {
	y := withPolicy(t)
	run := y.open("clerk", "look a | look b", agent.Done)
	before := y.count(`select count(*)::int from gavel.record where kind <> 'case'`)
	text := strings.ReplaceAll(agenttest.Policies+`@id("no-b") forbid (principal, action, resource) when { context.tool == "yard.look" && context.args.word == "b" };`, "yard", y.app)
	ask := func(as, name, text, since string) answer {
		body, err := json.Marshal(map[string]any{"since": since, "files": []map[string]string{{"name": name, "text": text}}})
		if err != nil {
			t.Fatal(err)
		}
		return y.call(as, "POST", "/v1/policy/simulate", string(body))
	}
	got := ask("auditor", y.app+"/p.cedar", text, "30d")
	changed, _ := got.body["changed"].([]any)
	if got.status != 200 || len(changed) != 1 || !strings.HasPrefix(field(changed[0], "call").(string), run+"/") ||
		field(changed[0], "would") != "no" || got.body["calls"] != 2.0 {
		t.Fatalf("%d %s", got.status, got.text)
	}
	if strings.Contains(got.text, `"word"`) {
		t.Errorf("arguments came out: %s", got.text)
	}
	rights := ask("admin", "platform/p.cedar", `@id("x") permit (principal in Role::"officer", action == Action::"do", resource);`, "1h")
	if n, _ := rights.body["rights"].([]any); rights.status != 200 || len(n) < 50 {
		t.Errorf("%d rights change: %d %.200s", len(n), rights.status, rights.text)
	}
	for _, tt := range []struct {
		name, as, file, text, since string
		status                      int
		says                        string
	}{
		{"who may not", "officer", y.app + "/p.cedar", text, "30d", 403, `"reason":"no_access"`},
		{"a machine", "machine", y.app + "/p.cedar", text, "30d", 403, "Only a person"},
		{"a broken file", "auditor", y.app + "/p.cedar", "permit (", "30d", 422, "p.cedar"},
		{"a tool there is not", "auditor", y.app + "/p.cedar", strings.ReplaceAll(text, ".look", ".burn"), "30d", 422, "there is no tool"},
		{"an act there is not", "auditor", "platform/p.cedar",
			`@id("x") permit (principal, action == Action::"do", resource) when { context.act == "x.y" };`, "30d", 422, "no act"},
		{"an application there is not", "auditor", "pier/p.cedar", text, "30d", 422, "no application"},
		{"no time", "auditor", y.app + "/p.cedar", text, "soon", 422, "since"},
		{"too long ago", "auditor", y.app + "/p.cedar", text, "500d", 422, "400d"},
	} {
		if got := ask(tt.as, tt.file, tt.text, tt.since); got.status != tt.status || !strings.Contains(got.text, tt.says) {
			t.Errorf("%s: got %d %s, want %d and %q", tt.name, got.status, got.text, tt.status, tt.says)
		}
	}
	if after := y.count(`select count(*)::int from gavel.record where kind <> 'case'`); after != before {
		t.Errorf("%d records came about", after-before)
	}
}
