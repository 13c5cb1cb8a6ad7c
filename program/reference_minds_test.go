package program

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/tool"
)

// standing are the tools, agents and policies of all applications that ship.
func standing(t *testing.T) *platform.Minds {
	t.Helper()
	rules, err := policy.Load(nil, platform.Policies(builtIn()...))
	if err != nil {
		t.Fatal(err)
	}
	m, err := platform.NewMinds(rules, builtIn()...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// writeTools lists every tool: what it does, what it takes, and who is asked.
func writeTools(t *testing.T, p *refPage) {
	m := standing(t)
	p.line("# Tools")
	p.line("")
	p.line("What agents can do besides talk, and what programs can have done over MCP. Every call is put to [the policies](policies.md) " +
		"first. An effect is one of:")
	p.line("")
	p.table("effect", "means")
	p.row("`read`", "looks, and changes nothing")
	p.row("`write`", "changes our own rows, in one transaction")
	p.row("`outside`", "reaches somebody beyond our walls")
	p.line("")
	p.line("A gate is one of:")
	p.line("")
	p.table("gate", "means")
	p.row("`approve`", "somebody else decides, before it runs")
	p.row("`confirm`", "whom the run acts for confirms it")
	p.row("`off`", "nobody is asked, where a policy lets it run unattended; where none does, a person is")
	for _, one := range m.Tools.All() {
		writeTool(t, p, one, m)
	}
}

func writeTool(t *testing.T, p *refPage, one tool.Tool, m *platform.Minds) {
	t.Helper()
	p.heading(2, one.FullName())
	p.line("%s", unmarked(one.Line))
	p.line("")
	p.table("", "")
	p.row("effect", code(string(one.Effect)))
	p.row("gate", code(one.Gate.String()))
	p.row("for", roleNames(one.Roles))
	p.row("decided by", cmp.Or(roleNames(one.Deciders), "whom it acts for"))
	p.row("approvals", fmt.Sprint(one.Needed()))
	if one.Class != tool.ByEffect {
		p.row("a yes leads to", strings.ReplaceAll(string(one.Class), "_", " "))
	}
	if one.Undo > 0 {
		p.row("can be undone for", one.Undo.String())
	}
	if one.RemindAfter+one.EscalateAfter+one.ExpireAfter > 0 {
		p.row("waits", fmt.Sprintf("reminds after %v, goes on to %s after %v, expires after %v", one.RemindAfter,
			cmp.Or(roleNames(one.EscalateTo), "nobody"), one.EscalateAfter, one.ExpireAfter))
	}
	if one.OutsideText {
		p.row("its result", "may hold text from outside: what follows is marked")
	}
	p.row("agents that have it", cmp.Or(holders(m, one), "none; our own code and programs ask for it"))
	writeParameters(t, p, one.Spec().Schema)
}

// holders are the agents that may call a tool.
func holders(m *platform.Minds, one tool.Tool) string {
	var all []string
	for _, a := range m.Agents() {
		if a.App == one.App && slices.Contains(a.Tools, one.Name) {
			all = append(all, code(a.App+"/"+a.Name))
		}
	}
	return strings.Join(all, ", ")
}

func roleNames(roles []identity.Role) string {
	var all []string
	for _, r := range roles {
		all = append(all, code(string(r)))
	}
	return strings.Join(all, ", ")
}

// A parameter is what a schema says of one argument.
type parameter struct {
	Type        any                  `json:"type"`
	Description string               `json:"description"`
	Enum        []any                `json:"enum"`
	Format      string               `json:"format"`
	Pattern     string               `json:"pattern"`
	Items       *parameter           `json:"items"`
	Properties  map[string]parameter `json:"properties"`
	Required    []string             `json:"required"`
	ReadOnly    bool                 `json:"readOnly"`
}

func writeParameters(t *testing.T, p *refPage, schema json.RawMessage) {
	t.Helper()
	var form parameter
	if err := json.Unmarshal(schema, &form); err != nil {
		t.Fatal(err)
	}
	p.line("")
	if len(form.Properties) == 0 {
		p.line("It takes no parameters.")
		return
	}
	p.table("parameter", "type", "needed", "meaning")
	form.rows(p, "")
}

// rows are the parameters, and below an object its own.
func (f parameter) rows(p *refPage, before string) {
	for _, name := range slices.Sorted(maps.Keys(f.Properties)) {
		one := f.Properties[name]
		means := unmarked(one.Description)
		if one.ReadOnly {
			means += " The record has the last word."
		}
		p.row(code(before+name), one.kind(), map[bool]string{true: "yes"}[slices.Contains(f.Required, name)], means)
		if one.Items != nil {
			one.Items.rows(p, before+name+"[].")
		}
		one.rows(p, before+name+".")
	}
}

// kind is what a parameter may be, in words.
func (f parameter) kind() string {
	if len(f.Enum) > 0 {
		var all []string
		for _, e := range f.Enum {
			all = append(all, code(fmt.Sprint(e)))
		}
		return strings.Join(all, ", ")
	}
	words := fmt.Sprint(f.Type)
	if list, ok := f.Type.([]any); ok {
		var all []string
		for _, one := range list {
			all = append(all, fmt.Sprint(one))
		}
		words = strings.Join(all, " or ")
	}
	if f.Items != nil {
		words += " of " + f.Items.kind()
	}
	if f.Format != "" {
		words += ", " + f.Format
	}
	if f.Pattern != "" {
		words += " like " + code(f.Pattern)
	}
	return words
}

// writePolicies lists who may do what, and every policy that says so.
func writePolicies(t *testing.T, p *refPage) {
	m := standing(t)
	p.line("# Policies")
	p.line("")
	p.line("Who may do what in an installation whose policies nobody replaced. What no policy permits is refused. `gavel policy table` " +
		"has the table of a server,")
	p.line("`gavel policy explain` says why somebody may not, and [policy](../design/policy.md) why it is so.")
	p.heading(2, "Who may do what")
	p.line("An act is done by people and programs; a tool is called by an agent for a person of that role. Whoever is not named may " +
		"not. “token” is a program's, with that")
	p.line("scope.")
	p.line("")
	p.table("what", "in words", "may", "a person is asked for", "it depends for")
	table := m.Rules.Table("any", agent.PolicyTools(m.Tools)...)
	for _, row := range table.Rows {
		p.row(code(row.Name), unmarked(row.Words), cells(table.Who, row, policy.Yes), cells(table.Who, row, policy.Asks),
			cells(table.Who, row, policy.Depends))
	}
	for _, name := range m.Rules.Sets() {
		if len(m.Rules.Set(name).Files()) == 0 {
			continue // an application with commands alone
		}
		p.heading(2, "Policies of "+name)
		p.line("%s", aboutSet(name))
		p.line("")
		p.table("policy", "permits", "what", "why")
		for _, f := range m.Rules.Set(name).Files() {
			for _, one := range policiesOf(t, string(f.Text)) {
				p.row(code(one.id), one.who, one.what, unmarked(one.why))
			}
		}
	}
}

func aboutSet(name string) string {
	switch app, acts := strings.CutSuffix(name, "/acts"); {
	case name == policy.Own:
		return "Who may do the platform's acts."
	case acts:
		return "Who may do the acts of `" + app + "`."
	}
	return "Who may call the tools of `" + name + "`."
}

// cells are those whose cell has a word.
func cells(who []string, row policy.Row, word policy.Word) string {
	var all []string
	for i, c := range row.Cells {
		switch {
		case c.Word != word:
		case word == policy.Depends:
			all = append(all, code(who[i])+": "+unmarked(c.String()))
		default:
			all = append(all, code(who[i]))
		}
	}
	if word == policy.Depends {
		return strings.Join(all, "; ")
	}
	return strings.Join(all, ", ")
}

// A worded policy is one in words.
type worded struct{ id, who, what, why string }

var policyForm = regexp.MustCompile(`(?s)((?://[^\n]*\n)*)@id\("([^"]+)"\)\s*permit \((principal[^,]*), (action (?:== Action::"\w+"|in \[[^\]]*\])), resource\)\s*when \{(.*?)\};`)

// policiesOf reads the policies of a file as people write them here.
func policiesOf(t *testing.T, text string) []worded {
	t.Helper()
	var all []worded
	for _, m := range policyForm.FindAllStringSubmatch(text, -1) {
		why := strings.Join(strings.Fields(strings.ReplaceAll("\n"+m[1], "\n//", " ")), " ")
		who, what := conditionWords(strings.Join(strings.Fields(m[5]), " "))
		all = append(all, worded{id: m[2], who: principalWords(m[3], who), what: actionWords(m[4]) + what, why: why})
	}
	if got, want := len(all), strings.Count(text, "@id("); got != want {
		t.Errorf("%d of %d policies could be put into words; write them as the others are, or teach policiesOf", got, want)
	}
	return all
}

var principalForm = regexp.MustCompile(`^principal(?: is (\w+))?(?: in Role::"(\w+)")?$`)

// principalWords is a policy's principal, with what its condition says of them.
func principalWords(principal, more string) string {
	m := principalForm.FindStringSubmatch(strings.TrimSpace(principal))
	if m == nil {
		return code(principal) + more
	}
	who := map[string]string{"": "anybody", "Person": "a person", "Machine": "a program with a token", "Agent": "an agent",
		"System": "our own code"}[m[1]]
	if m[2] != "" {
		who += " with the role " + code(m[2])
	}
	return who + more
}

// actionWords is a policy's action, before what it is done with.
func actionWords(action string) string {
	switch {
	case strings.Contains(action, "call_unattended"):
		return "calling, with nobody asked, "
	case strings.Contains(action, `"call"`):
		return "asking for "
	}
	return ""
}

var (
	oneForm   = regexp.MustCompile(`^context\.(?:act|tool) == ("[^"]+")$`)
	someForm  = regexp.MustCompile(`^\[([^\]]+)\]\.contains\(context\.(?:act|tool)\)$`)
	rolesForm = regexp.MustCompile(`^context\.roles\.contains(?:Any)?\(\[?([^\])]+)\]?\)$`)
	scopeForm = regexp.MustCompile(`^context\.scopes\.contains\(("[^"]+")\)$`)
)

// conditionWords is a policy's condition: what it says of who it is, and of what is
// done. What it cannot put into words stands as it is.
func conditionWords(condition string) (who, what string) {
	list := func(texts string) string { return strings.ReplaceAll(texts, `"`, "`") }
	for part := range strings.SplitSeq(condition, " && ") {
		if m := oneForm.FindStringSubmatch(part); m != nil {
			what += list(m[1])
		} else if m := someForm.FindStringSubmatch(part); m != nil {
			what += list(m[1])
		} else if m := rolesForm.FindStringSubmatch(part); m != nil {
			who += map[bool]string{true: " with one of the roles ", false: " with the role "}[strings.Contains(m[1], ",")] + list(m[1])
		} else if m := scopeForm.FindStringSubmatch(part); m != nil {
			who += " that has the scope " + list(m[1])
		} else {
			who += " for whom " + code(part)
		}
	}
	return who, what
}
