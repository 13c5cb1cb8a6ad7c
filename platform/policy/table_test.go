package policy_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
)

// atoms are conditions of every kind that a policy may have.
var atoms = []string{
	`true`, `false`, `context.taint`, `context.tool == "yard.look"`, `context.tool like "yard.*"`, `context.app != "yard"`,
	`context.effect == "outside"`, `context.org == "north"`, `context.roles.contains("hr")`,
	`context.roles.containsAny(["analyst", "officer"])`, `context.roles.containsAll(["hr", "gate"])`, `context.roles.isEmpty()`,
	`context.scopes.isEmpty()`, `context.scopes.contains("propose:yard")`, `context.scopes.contains("read")`,
	`principal in Role::"analyst"`, `principal in [Role::"hr", Role::"gate"]`, `principal is Agent`, `principal is Person in Role::"hr"`,
	`principal == Agent::"agent:yard/clerk"`, `principal.id like "agent:*"`, `context.on_behalf_of == "asha"`, `context has args`,
	`action == Action::"call"`, `action in [Action::"call_unattended"]`, `resource is Case`, `resource == Case::"case_1"`,
	`resource has owner`, `resource.owner == "asha"`, `context.args has n`, `context.args has word`, `context.args has missing`,
	`context.args.n < 5`, `context.args.n >= 3`, `context.args.n == 3`, `context.args.n + 1 < 5`, `context.args.word == "x"`,
	`context.args.word like "x*"`, `["x", "y"].contains(context.args.word)`, `context.args.missing == 1`, `context.args.word < 3`,
	`context.args.tags.contains("t")`, `context.args.tags.isEmpty()`, `context.args.deep.er == 1`, `context.args.deep has er`,
	`decimal("1.0").lessThan(decimal("2.0"))`, `3 < 4`, `4 <= 3`, `"a" == "b"`, `[1, 2].contains(2)`, `1 + 1 > 1`,
}

func condition(t *rapid.T, depth int) string {
	if depth == 0 || rapid.IntRange(0, 2).Draw(t, "leaf") == 0 {
		return rapid.SampledFrom(atoms).Draw(t, "atom")
	}
	part := func() string { return "(" + condition(t, depth-1) + ")" }
	switch rapid.IntRange(0, 4).Draw(t, "operator") {
	case 0:
		return "!" + part()
	case 1:
		return part() + " || " + part()
	case 2:
		return "if " + part() + " then " + part() + " else " + part()
	}
	return part() + " && " + part()
}

func somePolicies(t *rapid.T) string {
	var b strings.Builder
	for i := range rapid.IntRange(0, 5).Draw(t, "policies") {
		effect := rapid.SampledFrom([]string{"permit", "permit", "permit", "forbid"}).Draw(t, "effect")
		principal := rapid.SampledFrom([]string{"principal", `principal in Role::"analyst"`, "principal is Agent",
			`principal is Agent in Role::"hr"`, `principal == Agent::"agent:yard/clerk"`}).Draw(t, "principal")
		action := rapid.SampledFrom([]string{`action == Action::"call"`, `action == Action::"call_unattended"`,
			`action in [Action::"call", Action::"call_unattended"]`}).Draw(t, "action")
		kind := rapid.SampledFrom([]string{"when", "when", "unless"}).Draw(t, "kind")
		fmt.Fprintf(&b, "@id(\"p%d\") %s (%s, %s, resource) %s { %s };\n", i, effect, principal, action, kind, condition(t, 3))
	}
	return b.String()
}

// few are rules with next to nothing of the platform's own, which are not what is
// tested and would take most of the time.
func few(t *testing.T) *policy.Rules {
	t.Helper()
	r, err := policy.Load(fstest.MapFS{"platform/p.cedar": {Data: []byte(`@id("p") permit (principal in Role::"gate", action == Action::"do", resource);`)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// yardLook is the tool that random policies are about: n must be there, word may
// be, and nothing else can be.
func yardLook(t *rapid.T) policy.Tool {
	return policy.Tool{App: "yard", Name: "look", Line: "Looks.", Gate: rapid.SampledFrom([]string{"off", "off", "approve", "confirm"}).
		Draw(t, "gate"),
		Effect: rapid.SampledFrom([]string{"read", "write", "outside"}).Draw(t, "effect of the tool"),
		Roles:  []identity.Role{identity.Analyst, identity.HR},
		Schema: json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"},"word":{"type":"string"},"tags":{"type":"array"},"deep":{"type":"object"}},"required":["n"],"additionalProperties":false}`)}
}

// someArgs fit the tool's schema.
func someArgs(t *rapid.T) json.RawMessage {
	args := map[string]any{"n": rapid.IntRange(0, 9).Draw(t, "n")}
	for name, values := range map[string][]any{"word": {"x", "xyz", "z"}, "tags": {[]string{}, []string{"t"}},
		"deep": {map[string]any{}, map[string]any{"er": 1}}} {
		if rapid.Bool().Draw(t, "with "+name) {
			args[name] = rapid.SampledFrom(values).Draw(t, name)
		}
	}
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func someQuestion(t *rapid.T, tool policy.Tool, role identity.Role) policy.Question {
	q := policy.Question{Actor: identity.Actor{Kind: identity.Agent,
		ID: rapid.SampledFrom([]string{"agent:yard/clerk", "agent:yard/other"}).Draw(t, "agent"), Org: "north"},
		For: identity.Actor{Kind: identity.Person, ID: rapid.SampledFrom([]string{"asha", "ravi"}).Draw(t, "for"), Org: "north",
			Roles: []identity.Role{role}},
		App: tool.App, Tool: tool.Name, Effect: tool.Effect, Case: rapid.SampledFrom([]string{"", "case_1", "case_2"}).Draw(t, "case"),
		Args: someArgs(t), Taint: rapid.Bool().Draw(t, "taint")}
	if rapid.Bool().Draw(t, "with an owner") {
		q.Resource = map[string]any{"owner": rapid.SampledFrom([]string{"asha", "ravi"}).Draw(t, "owner")}
	}
	return q
}

// outcome is what becomes of a call, by the definition in package agent.
func outcome(tool policy.Tool, a policy.Answer, steered bool) policy.Word {
	switch {
	case !a.Call:
		return policy.No
	case a.Unattended && tool.Gate == "off" && !(steered && tool.Effect == "outside"):
		return policy.Yes
	}
	return policy.Asks
}

// TestNoCellPromisesWhatAskingDenies promises, for any policies and any call that
// fits the tool: what happens is what the cell says, or one of the things among
// which it says that it depends.
func TestNoCellPromisesWhatAskingDenies(t *testing.T) {
	base := few(t)
	rapid.Check(t, func(t *rapid.T) {
		text := somePolicies(t)
		set, err := policy.Parse(policy.File{Name: "p.cedar", Text: []byte(text)})
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		rules := base.With("yard", set)
		tool := yardLook(t)
		table := rules.Table("north", tool)
		row := table.Rows[len(table.Rows)-1]
		role := rapid.SampledFrom([]identity.Role{identity.Analyst, identity.HR}).Draw(t, "role")
		cell := row.Cells[slices.Index(table.Who, string(role))]
		q := someQuestion(t, tool, role)
		steered := q.Taint && rapid.Bool().Draw(t, "steered")
		got := outcome(tool, set.Ask(q), steered)
		if cell.Word != policy.Depends && got != cell.Word || cell.Word == policy.Depends && !slices.Contains(cell.Among, got) {
			t.Fatalf("the cell says %q, and %+v came to %q under\n%s", cell, q, got, text)
		}
		if cell.Word == policy.Depends && len(cell.On) == 0 {
			t.Fatalf("the cell says %q and not on what, under\n%s", cell, text)
		}
		if got != policy.No && !set.Offers(q, tool.Schema) {
			t.Fatalf("a tool that can be called is not offered, under\n%s", text)
		}
	})
}

// TestWhatIsNotKnownIsNotGuessed promises that a simulation which lacks the
// arguments, or whether text from outside was read, says what it would say with
// them, or nothing.
func TestWhatIsNotKnownIsNotGuessed(t *testing.T) {
	base := few(t)
	rapid.Check(t, func(t *rapid.T) {
		text := somePolicies(t)
		set, err := policy.Parse(policy.File{Name: "p.cedar", Text: []byte(text)})
		if err != nil {
			t.Fatal(err)
		}
		rules := base.With("yard", set)
		tool := yardLook(t)
		p := policy.Past{Call: "run_1/0.0", Question: someQuestion(t, tool, identity.Analyst), Tool: tool, Was: policy.Yes,
			Outsider: rapid.Bool().Draw(t, "outsider")}
		whole := rules.Simulate([]policy.Past{p}, 10)
		if rapid.Bool().Draw(t, "without arguments") {
			p.NoArgs = "gone"
		} else {
			p.NoTaint = true
		}
		part := rules.Simulate([]policy.Past{p}, 10)
		if len(part.Untold) == 0 && fmt.Sprint(part.Counts) != fmt.Sprint(whole.Counts) {
			t.Fatalf("without: %v, with: %v, under\n%s", part.Counts, whole.Counts, text)
		}
		if len(whole.Untold) > 0 || whole.Calls != 1 {
			t.Fatalf("a call that is known was not told: %+v", whole)
		}
	})
}

// TestTheTableOfToolsReadsAsItShould promises the words for the policies of the
// example: whoever reads the table and the file finds the same.
func TestTheTableOfToolsReadsAsItShould(t *testing.T) {
	schema := func(required string, names ...string) json.RawMessage {
		parts := make([]string, len(names))
		for i, n := range names {
			parts[i] = fmt.Sprintf("%q:{}", n)
		}
		return json.RawMessage(`{"type":"object","properties":{` + strings.Join(parts, ",") + `},"required":[` + required +
			`],"additionalProperties":false}`)
	}
	set, err := policy.Parse(exampleFile(t))
	if err != nil {
		t.Fatal(err)
	}
	staff := []identity.Role{identity.Analyst, identity.ProgrammeManager, identity.Auditor}
	tools := []policy.Tool{
		{App: "poolpatrol", Name: "get_shift", Line: "Show a shift.", Effect: "read", Gate: "off", Roles: staff, Schema: schema(``, "van")},
		{App: "poolpatrol", Name: "note", Line: "Write a note.", Effect: "write", Gate: "off", Roles: staff,
			Schema: schema(`"text"`, "text")},
		{App: "poolpatrol", Name: "send_letter", Line: "Send a letter.", Effect: "outside", Gate: "off", Roles: staff,
			Schema: schema(`"employee"`, "employee", "text")},
		{App: "poolpatrol", Name: "cancel_rides", Line: "Cancel rides.", Effect: "write", Gate: "off", Roles: staff,
			Schema: schema(`"rides"`, "rides", "employee")},
		{App: "poolpatrol", Name: "burn", Line: "No policy speaks of it.", Effect: "write", Gate: "off", Roles: staff},
	}
	table := policy.Standard().With("poolpatrol", set).Table("north", tools...)
	table.Rows = table.Rows[len(table.Rows)-len(tools):]
	golden(t, "tools.golden", words(table))
}

// TestTablesAreComparedCellByCell promises that a right that is given or taken
// shows, with what it was.
func TestTablesAreComparedCellByCell(t *testing.T) {
	now := policy.Standard()
	files := now.Files()
	for i, f := range files {
		files[i].Text = []byte(strings.Replace(string(f.Text), `"officer", "programme_manager", "hr", "pass_admin"])`,
			`"programme_manager", "hr", "pass_admin"])`, 1))
	}
	next, err := now.Replace(files...)
	if err != nil {
		t.Fatal(err)
	}
	got := policy.Changes(now.Table("north"), next.Table("north"))
	want := policy.Right{Name: "case.open", Who: "officer", Was: "yes", Would: "no"}
	if !slices.Contains(got, want) {
		t.Errorf("got %+v, want %+v among them", got, want)
	}
	if same := policy.Changes(now.Table("north"), now.Table("north")); len(same) != 0 {
		t.Errorf("the same table differs: %+v", same)
	}
}

func exampleFile(t *testing.T) policy.File {
	t.Helper()
	text, err := os.ReadFile("testdata/example.cedar")
	if err != nil {
		t.Fatal(err)
	}
	return policy.File{Name: "example.cedar", Text: text}
}
