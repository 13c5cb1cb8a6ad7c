package program

import (
	"cmp"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// matrix is every route, act and tool with who may, in words, and how many
// answers that is.
func (e *estate) matrix(t *testing.T) (rows []string, asked int) {
	t.Helper()
	all := e.askers(t, e.org)
	for _, part := range []func([]asker) ([]string, int){e.routeRows, e.actRows, e.programRows, e.agentRows} {
		some, n := part(all)
		rows, asked = append(rows, some...), asked+n
	}
	slices.Sort(rows)
	return rows, asked
}

// routeRows ask for things that do not exist: somebody is let in or turned away
// before anything else is looked at.
func (f *front) routeRows(all []asker) (rows []string, asked int) {
	nobody, routes := asker{name: "nobody"}, f.mux.Routes()
	all = append([]asker{nobody}, all...)
	in := make([][]bool, len(all)) // by asker and route
	together(all, func(i int, who asker) {
		for _, route := range routes {
			method, path := routeOf(route.Pattern)
			q := question{method: method, path: wildcard.ReplaceAllString(path, "absent"), as: who}
			if method != http.MethodGet {
				q.body = "{}"
			}
			in[i] = append(in[i], !f.send(q).turnedAway())
		}
	})
	for n, route := range routes {
		var may []string
		for i, who := range all {
			asked++
			if in[i][n] {
				may = append(may, who.name)
			}
		}
		rows = append(rows, route.Pattern+": "+whoMay(may, nobody.name, len(all)))
	}
	return rows, asked
}

// actRows ask policy about acts.
func (f *front) actRows([]asker) (rows []string, asked int) {
	for _, act := range f.parts.rules.Acts() {
		var may []string
		for _, role := range identity.Roles() {
			asked++
			if f.parts.rules.May(identity.Actor{Kind: identity.Person, ID: "p", Org: postgrestest.North, Roles: []identity.Role{role}},
				act.Name) == nil {
				may = append(may, string(role))
			}
		}
		for _, scope := range scopes() {
			asked++
			if f.parts.rules.May(identity.Actor{Kind: identity.Machine, ID: "m", Org: postgrestest.North, Scopes: []string{scope}},
				act.Name) == nil {
				may = append(may, "token "+scope)
			}
		}
		rows = append(rows, "act "+act.Name+": "+whoMay(may, "", -1))
	}
	return rows, asked
}

// byAsking stands beside who may use a tool only by asking a person.
const byAsking = " (a person is asked)"

// programRows say who may use a tool from a program of their own, as the server
// answers their call.
func (e *estate) programRows(all []asker) (rows []string, asked int) {
	names, on := e.toolNames(e.t, all), map[string]string{}
	for _, part := range []string{"cases/{id}", pool + "cases/{id}", air + "reports/{id}", "reports/{id}", netraApp + "cases/{id}"} {
		on[part] = e.make(part)
	}
	told := make([][]string, len(all)) // by asker and tool; empty for who may not
	together(all, func(i int, who asker) {
		for _, name := range names {
			args := toolArgs(e.t, name, func(part string) string { return cmp.Or(on[part], "absent") })
			word := ""
			if how, ok := e.call(e.t, who, name, args).let(); ok {
				word = who.name + how
			}
			told[i] = append(told[i], word)
		}
	})
	for n, name := range names {
		var may []string
		for i := range all {
			asked++
			if told[i][n] != "" {
				may = append(may, told[i][n])
			}
		}
		rows = append(rows, "tool "+name+" from a program: "+whoMay(may, "", -1))
	}
	return rows, asked
}

// agentRows say for whom an agent may use a tool, as policy foresees it.
func (f *front) agentRows([]asker) (rows []string, asked int) {
	table := f.parts.rules.Table(postgrestest.North, agent.PolicyTools(f.minds.Tools)...)
	for _, row := range table.Rows {
		if row.Kind != "tool" {
			continue
		}
		var may []string
		for i, who := range table.Who {
			if strings.HasPrefix(who, "token ") { // a machine has no agents
				continue
			}
			asked++
			switch cell := row.Cells[i]; cell.Word {
			case policy.Yes:
				may = append(may, who)
			case policy.Asks:
				may = append(may, who+byAsking)
			case policy.Depends:
				may = append(may, who+" ("+cell.String()+")")
			}
		}
		rows = append(rows, "tool "+row.Name+" by an agent: "+whoMay(may, "", -1))
	}
	return rows, asked
}

// toolNames are the tools as programs call them: those of the registry, and every
// one that is offered to anybody.
func (f *front) toolNames(t *testing.T, all []asker) []string {
	t.Helper()
	var names []string
	for _, one := range f.minds.Tools.All() {
		names = append(names, one.App+"_"+one.Name)
	}
	for _, who := range all {
		var said struct {
			Result struct {
				Tools []struct{ Name string }
			}
		}
		got := f.send(question{method: http.MethodPost, path: "/mcp", as: who, accept: bothForms,
			body: `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`})
		if err := json.Unmarshal([]byte(got.body), &said); err != nil && got.status == http.StatusOK {
			t.Fatalf("%s is told %s", who.name, got.body)
		}
		for _, one := range said.Result.Tools {
			names = append(names, one.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// A namer gives the id of a thing of a kind.
type namer func(part string) string

// toolArgs are arguments for a tool, of things that are named.
func toolArgs(t *testing.T, name string, of namer) string {
	t.Helper()
	app, _, _ := strings.Cut(name, "_")
	switch {
	case name == "search_cases":
		return `{"words":"` + searched + `"}`
	case name == "list_inbox":
		return `{}`
	case name == "get_case":
		return `{"case":"` + of("cases/{id}") + `"}`
	case name == "get_proposal":
		return `{"proposal":"` + of("proposals/{id}") + `"}`
	case name == "get_run":
		return `{"run":"` + of("runs/{id}") + `"}`
	case name == "get_fact":
		return `{"case":"` + of("cases/{id}") + `","fact":"F1"}`
	case name == "get_operation":
		return `{"operation":"` + of("operations/{id}") + `"}`
	case name == "verify_record":
		return `{"record":"` + of("audit/{record}") + `"}`
	case app == "yard":
		return `{"word":"a","on_case":"` + of("cases/{id}") + `"}`
	case poolTools(of)[name] != "":
		return poolTools(of)[name]
	case airTools(of)[name] != "":
		return airTools(of)[name]
	case reportTools(of)[name] != "":
		return reportTools(of)[name]
	case gateTools(of)[name] != "":
		return gateTools(of)[name]
	case netraTools(of)[name] != "":
		return netraTools(of)[name]
	}
	t.Errorf("the tool %s: say in toolArgs what it is called with, so that it can be asked for another organisation's things", name)
	return `{}`
}

// A toolAnswer is what a program is told of its call.
type toolAnswer struct {
	answer
	failed bool
	text   string
}

// let reports whether the call was let through, and what had to be added.
func (a toolAnswer) let() (how string, ok bool) {
	switch {
	case a.turnedAway(), a.failed && strings.HasPrefix(a.text, "refused: "):
		return "", false
	case strings.Contains(a.text, `"status":"pending_approval"`):
		return byAsking, true
	}
	return "", true
}

// call calls a tool.
func (f *front) call(t *testing.T, who asker, name, args string) toolAnswer {
	t.Helper()
	q := calling(name, args)
	q.as = who
	out := toolAnswer{answer: f.send(q)}
	if out.turnedAway() {
		return out
	}
	var said struct {
		Result struct {
			IsError bool
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(out.body), &said); err != nil || len(said.Result.Content) != 1 {
		t.Errorf("%s calls %s and is told %d %s", who.name, name, out.status, out.body)
		return out
	}
	out.failed, out.text = said.Result.IsError, said.Result.Content[0].Text
	return out
}

// bothForms is what a program of the protocol takes.
const bothForms = "application/json, text/event-stream"

// calling is the request that calls a tool.
func calling(name, args string) question {
	return question{method: http.MethodPost, path: "/mcp", accept: bothForms,
		body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + name + `","arguments":` + args + `}}`}
}
