package platform_test

import (
	"context"
	"io/fs"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/web"
)

type word struct {
	Word string `json:"word"`
}

func look(name string) tool.Tool {
	t := tool.Tool{App: "yard", Name: name, Line: "Looks.", Effect: tool.Read, Gate: tool.Off,
		Roles: []identity.Role{identity.Analyst}, Deciders: []identity.Role{identity.Officer}}
	return tool.Reads(t, func(_ context.Context, _ tool.Env, in word) (word, error) { return in, nil })
}

func clerk(tools ...string) agent.Spec {
	return agent.Spec{App: "yard", Name: "clerk", Role: "a clerk", Goal: "look", Instructions: "Look.", Tools: tools, Route: "careful",
		Budget: agent.Budget{Calls: 3},
		Brief:  func(context.Context, tool.Env) (agent.Brief, error) { return agent.Brief{}, nil }}
}

func cedar(text string) fs.FS {
	return fstest.MapFS{"read.cedar": {Data: []byte(text)}, "README.md": {Data: []byte("no policy")}}
}

const lets = `@id("lets") permit (principal in Role::"analyst", action in [Action::"call", Action::"call_unattended"], resource) when { context.tool == "yard.look" };`

// TestMindsAreCheckedBeforeAnythingStarts promises that what applications bring
// fits together, or that the sentence says what does not.
func TestMindsAreCheckedBeforeAnythingStarts(t *testing.T) {
	good := func() platform.App {
		return platform.App{Name: "yard", Tools: []tool.Tool{look("look")}, Agents: []agent.Spec{clerk("look")}, Policies: cedar(lets)}
	}
	for _, tt := range []struct {
		name   string
		change func(*platform.App)
		says   string // empty: all is well
	}{
		{"well", func(*platform.App) {}, ""},
		{"nothing at all", func(a *platform.App) { *a = platform.App{Name: "yard"} }, ""},
		{"another's tool", func(a *platform.App) { a.Name = "pier" }, "yard.look"},
		{"another's agent", func(a *platform.App) { a.Agents[0].App = "pier" }, "pier/clerk"},
		{"a half-declared tool", func(a *platform.App) { a.Tools[0].Line = "" }, "yard.look"},
		{"an agent without its tool", func(a *platform.App) { a.Agents[0].Tools = []string{"dig"} }, "dig"},
		{"a policy about no tool", func(a *platform.App) { a.Policies = cedar(strings.Replace(lets, "yard.look", "yard.dig", 1)) },
			"yard.dig"},
		{"an act of its own", func(a *platform.App) { a.Acts = []policy.Act{{Name: "yard.van.read", Words: "see the vans"}} }, ""},
		{"another's act", func(a *platform.App) { a.Acts = []policy.Act{{Name: "pier.van.read", Words: "see the vans"}} }, "pier.van.read"},
		{"an act called like a tool", func(a *platform.App) { a.Acts = []policy.Act{{Name: "yard.look", Words: "look"}} },
			"both called yard.look"},
		{"a broken policy", func(a *platform.App) { a.Policies = cedar("permit (") }, "read.cedar"},
	} {
		a := good()
		tt.change(&a)
		rules, err := policy.Load(nil, platform.Policies(a))
		var m *platform.Minds
		if err == nil {
			m, err = platform.NewMinds(rules, a)
		}
		if tt.says == "" && err != nil || tt.says != "" && (err == nil || !strings.Contains(err.Error(), tt.says)) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.says)
		}
		if tt.name != "well" || err != nil {
			continue
		}
		idle := m.Unrouted(func(route string) bool { return route == "fast" })
		if !m.Any() || !slices.Equal(idle, []string{"yard/clerk (careful)"}) {
			t.Errorf("got %v, want the agent that has no model", idle)
		}
		asha := identity.Actor{Kind: identity.Person, ID: "asha", Org: "north", Roles: []identity.Role{identity.Analyst}}
		q := policy.Question{Actor: asha, App: "yard", Tool: "look", Effect: "read"}
		if !rules.App("yard").Ask(q).Call || rules.App("pier").Ask(q).Call {
			t.Error("an application's policies are not its own, or one without any does not refuse")
		}
	}
}

// TestAPageNeedsAnActOfItsApplication promises that a route may name an act that
// its application declares, and that one it does not declare stops the program.
func TestAPageNeedsAnActOfItsApplication(t *testing.T) {
	rules, err := policy.Load(nil, platform.Policies(platform.App{Name: "yard",
		Acts: []policy.Act{{Name: "yard.van.read", Words: "see the vans"}}}))
	if err != nil {
		t.Fatal(err)
	}
	site, err := web.New(web.Config{May: rules.May})
	if err != nil {
		t.Fatal(err)
	}
	refused := func(act string) (said any) {
		defer func() { said = recover() }()
		web.NewMux(site).Handle("GET /yard/vans", func(http.ResponseWriter, *http.Request) error { return nil }, web.Needs(act))
		return nil
	}
	if said := refused("yard.van.read"); said != nil {
		t.Errorf("an act of its own: %v", said)
	}
	if said, _ := refused("yard.van.burn").(string); !strings.Contains(said, "there is no such act") {
		t.Errorf("an act there is not: %q", said)
	}
}
