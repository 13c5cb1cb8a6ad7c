package policy_test

import (
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// when is a policy with a condition, on line 3 of its file.
func when(condition string) string {
	return "// a comment\n\n@id(\"x\") permit (principal, action == Action::\"call\", resource) when { " + condition + " };"
}

// TestAPolicyThatCannotBeMeantIsRefused promises that a misspelt word is found
// when the set is read, with its file and line, and not when it was needed.
func TestAPolicyThatCannotBeMeantIsRefused(t *testing.T) {
	for _, tt := range []struct{ text, says string }{
		{"\npermit (principal, action == Action::\"call\", resource);", "p.cedar:2: give the policy an @id"},
		{`@id("Has Spaces") permit (principal, action == Action::"call", resource);`, "p.cedar:1: give the policy an @id"},
		{"@id(\"a\") forbid (principal, action, resource);\n@id(\"a\") forbid (principal, action, resource);",
			`p.cedar:2: the @id "a" is taken at p.cedar:1`},
		{"@id(\"a\")\n\npermit (principal, action, resource) when { what };", "p.cedar:3"},
		{"@id(\"a\") permit (principal, action,", "p.cedar:1"},
		{`@id("a") permit (principal, action, resource);`, "a permit says what it permits"},
		{`@id("a") permit (principal, action in [], resource);`, "a permit says what it permits"},
		{`@id("a") forbid (principal, action == Action::"Call", resource);`, `no action is called "Call"`},
		{`@id("a") forbid (principal, action == Role::"hr", resource);`, `Role::"hr" is not an action`},
		{`@id("a") forbid (principal in Role::"analist", action, resource);`, `no role is called "analist"`},
		{`@id("a") forbid (principal == Role::"hr", action, resource);`, "nobody is a role"},
		{`@id("a") forbid (principal == User::"asha", action, resource);`, `no actor is a "User"`},
		{`@id("a") forbid (principal in Person::"asha", action, resource);`, "an actor is in a role"},
		{`@id("a") forbid (principal is Agnet, action, resource);`, `no actor is a "Agnet"`},
		{`@id("a") forbid (principal is Agent in Role::"x", action, resource);`, `no role is called "x"`},
		{`@id("a") forbid (principal, action, resource is Row);`, "a resource is a case"},
		{`@id("a") forbid (principal, action, resource in Case::"c");`, "a resource is a case"},
		{when(`context.tainted`), `p.cedar:3: x: the context has no attribute "tainted"`},
		{when(`context has tainted && true`), `the context has no attribute "tainted"`},
		{when(`context["tainted"]`), `the context has no attribute "tainted"`},
		{when(`context.taint == "true"`), "a boolean is never equal to a text"},
		{when(`context.tool == 1`), "a text is never equal to a whole number"},
		{when(`context.tool`), "a text stands where only a boolean makes sense"},
		{when(`context.tool == "get_shift"`), `"get_shift" is not a tool`},
		{when(`"a.b.c" == context.tool`), `"a.b.c" is not a tool`},
		{when(`["a.b", "ab"].contains(context.tool)`), `"ab" is not a tool`},
		{when(`[1, "a.b"].contains(context.tool)`), "a whole number is never equal to a text"},
		{when(`context.effect == "send"`), `no effect is called "send"`},
		{when(`context.effect != "Read"`), `no effect is called "Read"`},
		{when(`context.roles.contains("analist")`), `no role is called "analist"`},
		{when(`context.roles.containsAny(["hr", "x"])`), `no role is called "x"`},
		{when(`context.roles.containsAny([Role::"hr"])`), "an entity is never equal to a text"},
		{when(`context.roles.contains(Role::"hr")`), "an entity stands where only a text makes sense"},
		{when(`context.roles == "hr"`), "a set is never equal to a text"},
		{when(`principal == Role::"hr"`), "nobody is a role"},
		{when(`principal in Role::"x"`), `no role is called "x"`},
		{when(`principal in "hr"`), "a text stands where only an entity or a set makes sense"},
		{when(`principal is Role`), `no actor is a "Role"`},
		{when(`principal.name == "Asha"`), `a principal has no attribute "name"`},
		{when(`resource is Person`), "a resource is a case"},
		{when(`resource == Person::"asha"`), "a resource is a case"},
		{when(`action == Role::"hr"`), "is not an action"},
		{when(`action.x == 1`), "an action has no attributes"},
		{when(`resource.hasTag("x")`), "nothing here has tags"},
		{when(`context.args.x.lessThan(1)`), "lessThan: a whole number stands where only a decimal"},
		{when(`decimal("1") == context.args.x`), `decimal("1") cannot be read`},
		{when(`decimal("1.0") < decimal("2.0")`), "decimals are compared with .lessThan"},
		{when(`datetime("2026-01-01") < duration("1h")`), "a date and time is never equal to a duration"},
		{when(`if context.tool then true else false`), "a text stands where only a boolean"},
		{when(`context.args like "x"`), "a record stands where only a text"},
		{when(`(context.tool == "a.b") + 1 == 2`), "a boolean stands where only a whole number"},
		{when(`{a: context.nobody}.a == 1`), `the context has no attribute "nobody"`},
	} {
		_, err := policy.Parse(policy.File{Name: "p.cedar", Text: []byte(tt.text)})
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tt.says) || !strings.Contains(err.Error(), "p.cedar:") {
			t.Errorf("%s\n got %v\nwant %s", tt.text, err, tt.says)
		}
	}
}

// TestWhatDependsOnTheToolIsLeftToTheQuestion promises that arguments and the
// attributes of a case, whose types only the tool knows, may be used as anything.
func TestWhatDependsOnTheToolIsLeftToTheQuestion(t *testing.T) {
	for _, condition := range []string{
		`context.args.a == 1 || context.args.a == "x" || context.args.a.b.c`,
		`context.args has a.b && context.args["a b"] < 3 && resource.x.contains(principal)`,
		`resource has owner && resource.owner == principal.id`,
		`if context.args.a then context.args.b else context.taint`,
		`decimal(context.args.amount).lessThan(decimal("10.00"))`,
		`datetime(context.args.day) < datetime("2026-01-01")`,
		`[context.args.a, 1].contains(context.args.b)`,
		`principal is Agent in Role::"hr" || principal == Agent::"agent:a/b"`,
		`context.app == "poolpatrol" && context.tool like "poolpatrol.get_*"`,
	} {
		if _, err := policy.Parse(policy.File{Name: "p.cedar", Text: []byte(when(condition))}); err != nil {
			t.Errorf("%s: got %v, want none", condition, err)
		}
	}
}

// TestASetIsBounded promises that no set, however large or deep, holds up a
// start.
func TestASetIsBounded(t *testing.T) {
	many := strings.Repeat("@id(\"a\") forbid (principal, action, resource);\n", 1200)
	for name, files := range map[string][]policy.File{
		"a file too long":   {{Name: "a.cedar", Text: []byte(strings.Repeat("/", policy.MaxFile+1))}},
		"a policy too long": {{Name: "a.cedar", Text: []byte(when(strings.Repeat("!", policy.MaxWords) + "true"))}},
		"too many files":    make([]policy.File, policy.MaxFiles+1),
		"too many policies": {
			{Name: "a.cedar", Text: []byte(many)}, {Name: "b.cedar", Text: []byte(many)},
		},
	} {
		if _, err := policy.Parse(files...); !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s: got %v, want too large", name, err)
		}
	}
	for _, files := range [][]policy.File{{{Name: ""}}, {{Name: "a\nb"}}, {{Name: "a"}, {Name: "a"}}} {
		if _, err := policy.Parse(files...); !fault.Is(err, fault.Invalid) {
			t.Errorf("files %q: got %v, want invalid", files, err)
		}
	}
	for _, unit := range []string{"(", "[", "!", "-", "true && ", "context.args.a.containsAll([", "1 == 1 == ", "{a: ", "if true then "} {
		text := when(strings.Repeat(unit, (policy.MaxFile-200)/len(unit)) + "true")
		begin := time.Now()
		_, err := policy.Parse(policy.File{Name: "a.cedar", Text: []byte(text)})
		// Words know no devstack/wait: what does not end is ended by go test.
		t.Logf("%q over and over: %s (%v)", unit, time.Since(begin).Round(time.Millisecond), err)
	}
}

// TestTheDigestIsMadeWithTwoCommands promises that the digest names exactly the
// files, in whatever order they come, and that sha256sum gives the same.
func TestTheDigestIsMadeWithTwoCommands(t *testing.T) {
	a := policy.File{Name: "a.cedar", Text: []byte(both)}
	b := policy.File{Name: "b.cedar", Text: []byte(half)}
	digest := func(files ...policy.File) string {
		s, err := policy.Parse(files...)
		if err != nil {
			t.Fatal(err)
		}
		return s.Digest()
	}
	printed := fmt.Sprintf("%x  a.cedar\n%x  b.cedar\n", sha256.Sum256(a.Text), sha256.Sum256(b.Text))
	if got, want := digest(a, b), fmt.Sprintf("%x", sha256.Sum256([]byte(printed))); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got, want := digest(b, a), digest(a, b); got != want {
		t.Errorf("in another order got %s, want %s", got, want)
	}
	seen := map[string]bool{digest(a, b): true}
	for _, files := range [][]policy.File{{}, {a}, {b}, {{Name: "c.cedar", Text: a.Text}},
		{{Name: "a.cedar", Text: append([]byte(both), '\n')}}} {
		if d := digest(files...); seen[d] {
			t.Errorf("%q has the digest of another set", files)
		} else {
			seen[d] = true
		}
	}
}

// TestAToolThatIsNotThereIsFound promises that a policy about a tool nobody has
// is refused once the tools are known.
func TestAToolThatIsNotThereIsFound(t *testing.T) {
	for _, tt := range []struct {
		condition, says string
	}{
		{`context.tool == "poolpatrol.get_shift"`, ""},
		{`context.tool == "poolpatrol.get_shfit"`, "p.cedar:3: x: there is no tool poolpatrol.get_shfit"},
		{`context.tool != "other.get_shift"`, "there is no tool other.get_shift"},
		{`["poolpatrol.get_shift", "poolpatrol.cancel"].contains(context.tool)`, ""},
		{`["poolpatrol.get_shift", "poolpatrol.gone"].contains(context.tool)`, "there is no tool poolpatrol.gone"},
		{`context.tool like "poolpatrol.*"`, ""},
		{`context.tool like "poolptrol.*"`, "there is no tool like"},
		{`context.app == "poolpatrol"`, ""},
		{`context.app == "pool"`, "there is no tool pool.*"},
		{`context.args.tool == "x.y"`, ""},
	} {
		s, err := policy.Parse(policy.File{Name: "p.cedar", Text: []byte(when(tt.condition))})
		if err != nil {
			t.Fatal(err)
		}
		err = s.CheckTools("poolpatrol.get_shift", "poolpatrol.cancel")
		if ok := tt.says == ""; ok != (err == nil) || !ok && !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v, want %q", tt.condition, err, tt.says)
		}
	}
}

// TestTheExampleAnswersAsWritten promises, for one readable file of policies,
// who may do what: the golden file is the table a person would draw.
func TestTheExampleAnswersAsWritten(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("testdata", "example.cedar"))
	if err != nil {
		t.Fatal(err)
	}
	s, err := policy.Parse(policy.File{Name: "example.cedar", Text: text})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.CheckTools("poolpatrol.get_shift", "poolpatrol.note", "poolpatrol.cancel_rides", "poolpatrol.send_letter"); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, act := range []struct{ tool, effect, args string }{
		{"get_shift", "read", `{"van":"V7"}`},
		{"note", "write", `{"text":"seen"}`},
		{"cancel_rides", "write", `{"rides":3,"employee":"ravi"}`},
		{"cancel_rides", "write", `{"rides":30,"employee":"ravi"}`},
		{"cancel_rides", "write", `{"rides":3,"employee":"asha"}`},
		{"cancel_rides", "write", `{"rides":2.5,"employee":"ravi"}`},
		{"send_letter", "outside", `{"to":"ravi"}`},
	} {
		for _, role := range []identity.Role{identity.Analyst, identity.ProgrammeManager, identity.Auditor} {
			for _, taint := range []bool{false, true} {
				q := shift()
				q.For.Roles, q.Tool, q.Effect, q.Args, q.Taint = []identity.Role{role}, act.tool, act.effect, []byte(act.args), taint
				a := s.Ask(q)
				word := map[[2]bool]string{{true, true}: "runs", {true, false}: "asks", {false, false}: "refused"}[[2]bool{a.Call,
					a.Unattended}]
				fmt.Fprintf(&b, "%-12s %-30s %-17s taint %-5v  %-7s %s %s\n", act.tool, act.args, role, taint, word,
					strings.Join(a.Because, ", "), strings.Join(a.Errors, ", "))
			}
		}
	}
	golden := filepath.Join("testdata", "example.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := b.String(); got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// BenchmarkAsk is the cost of both questions against the example.
func BenchmarkAsk(b *testing.B) {
	text, err := os.ReadFile(filepath.Join("testdata", "example.cedar"))
	if err != nil {
		b.Fatal(err)
	}
	s, err := policy.Parse(policy.File{Name: "example.cedar", Text: text})
	if err != nil {
		b.Fatal(err)
	}
	q := shift()
	for b.Loop() {
		if a := s.Ask(q); !a.Call {
			b.Fatal(a)
		}
	}
}
