package policy_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
)

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; run with -update and read the difference\ngot:\n%s", name, got)
	}
}

// words is a table as people read it: a line for each act or tool, with who may.
func words(table policy.Table) string {
	var b strings.Builder
	for _, row := range table.Rows {
		fmt.Fprintf(&b, "%s (%s)\n", row.Name, row.Words)
		for _, word := range []policy.Word{policy.Yes, policy.Asks} {
			var who []string
			for i, c := range row.Cells {
				if c.Word == word {
					who = append(who, table.Who[i])
				}
			}
			if len(who) > 0 {
				fmt.Fprintf(&b, "    %s: %s\n", word, strings.Join(who, ", "))
			}
		}
		for i, c := range row.Cells {
			if c.Word == policy.Depends {
				fmt.Fprintf(&b, "    %s: %s\n", table.Who[i], c)
			}
		}
	}
	return b.String()
}

func person(roles ...identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "asha", Org: "north", Roles: roles}
}

// TestWhoMayDoWhatIsWrittenDown promises the rights that are built in, act by
// act. A change of a role's rights shows here, in words.
func TestWhoMayDoWhatIsWrittenDown(t *testing.T) {
	golden(t, "acts.golden", words(policy.Standard().Table("north")))
}

// TestTheTableSaysWhatAskingSays promises that no cell of the acts' table differs
// from what happens: a role that the table lets is let, and nobody else is.
func TestTheTableSaysWhatAskingSays(t *testing.T) {
	r := yard(t, nil)
	table := r.Table("north")
	for _, row := range table.Rows {
		for i, who := range table.Who {
			actor := person(identity.Role(who))
			if scope, ok := strings.CutPrefix(who, "token "); ok {
				actor = identity.Actor{Kind: identity.Machine, ID: "m", Org: "north", Scopes: []string{scope}}
			}
			got, want := r.May(actor, row.Name) == nil, row.Cells[i].Word == policy.Yes
			if got != want || row.Cells[i].Word == policy.Depends {
				t.Errorf("%s, %s: the table says %s, and asking %v", row.Name, who, row.Cells[i], got)
			}
		}
		var holders []string
		for i, who := range table.Who {
			if row.Cells[i].Word == policy.Yes && !strings.HasPrefix(who, "token ") {
				holders = append(holders, who)
			}
		}
		var asked []string
		for _, role := range r.Holders(row.Name) {
			asked = append(asked, string(role))
		}
		if !slices.Equal(asked, holders) {
			t.Errorf("%s: holders are %q, and the table has %q", row.Name, asked, holders)
		}
	}
}

// TestARefusalSaysWhyAndWhomToAsk promises a kind, a sentence and a next step for
// everybody who may not.
func TestARefusalSaysWhyAndWhomToAsk(t *testing.T) {
	r := policy.Standard()
	machine := identity.Actor{Kind: identity.Machine, ID: "m1", Org: "north", Roles: []identity.Role{identity.Officer},
		Scopes: []string{"read:cases"}}
	viewing := person(identity.Officer)
	viewing.Viewing = identity.Officer
	for _, tt := range []struct {
		name       string
		rules      *policy.Rules
		actor      identity.Actor
		act        string
		kind       fault.Kind
		text, next string
	}{
		{"nobody", r, identity.Actor{}, "case.close", fault.SignIn, "sign in to close cases", ""},
		{"a role that may not", r, person(identity.Analyst), "case.close", fault.Refused, "you don't have access to close cases",
			"officer or programme manager or hr or pass admin"},
		{"no role at all", r, person(), "case.read", fault.Refused, "you don't have access to read cases", "auditor"},
		{"an act there is not", r, person(identity.Officer), "case.burn", fault.Internal, `no act is called "case.burn"`, ""},
		{"a machine decides nothing", r, machine, "proposal.decide", fault.Refused, "only a person may decide proposals", ""},
		{"a machine has no role", r, machine, "case.open", fault.Refused, "this token doesn't have access to open cases", "analyst"},
		{"an agent closes nothing", r, identity.Actor{Kind: identity.Agent, ID: "agent:a/b", Org: "north",
			Roles: []identity.Role{identity.Officer}}, "case.close", fault.Refused, "only a person", ""},
		{"the system has no role", r, identity.Gavel("north"), "case.read", fault.Refused, "you don't have access to read cases", ""},
		{"who looks as another does nothing", r, viewing, "case.note", fault.Refused, "you are viewing as officer", "leave"},
		{"no rules let nobody", nil, person(identity.Officer), "case.read", fault.Refused, "you don't have access to read cases",
			"nobody in your organisation has access"},
	} {
		err := tt.rules.May(tt.actor, tt.act)
		if !fault.Is(err, tt.kind) {
			t.Errorf("%s: got %v, want a fault of kind %s", tt.name, err, tt.kind)
			continue
		}
		next := ""
		if tt.kind != fault.Internal {
			_, next = fault.Words(err)
		}
		if !strings.Contains(err.Error(), tt.text) || !strings.Contains(next, tt.next) {
			t.Errorf("%s: got %q, next %q; want %q, next %q", tt.name, err, next, tt.text, tt.next)
		}
	}
	for _, tt := range []struct {
		actor identity.Actor
		act   string
	}{
		{machine, "case.read"}, {viewing, "case.read"}, {viewing, "view_as"}, {person(identity.OrgAdmin, identity.Gate), "token.issue"},
	} {
		if err := r.May(tt.actor, tt.act); err != nil {
			t.Errorf("%v may not %s: %v", tt.actor, tt.act, err)
		}
	}
}

// TestMachinesNeverDoWhatOnlyPeopleDo promises it under policies that permit
// everything to everybody.
func TestMachinesNeverDoWhatOnlyPeopleDo(t *testing.T) {
	everything := fstest.MapFS{"platform/all.cedar": {Data: []byte(`@id("all") permit (principal, action == Action::"do", resource);`)}}
	r, err := policy.Load(everything, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, act := range []string{"proposal.decide", "case.close", "run.order", "subject.erase", "device.pair", "token.issue",
		"view_as", "pause.change", "webhook.change", "key.rewrap", "hold.change"} {
		for _, kind := range []identity.Kind{identity.Machine, identity.Agent, identity.System} {
			if r.May(identity.Actor{Kind: kind, ID: "x", Org: "north", Roles: identity.Roles(), Scopes: []string{"read:cases"}},
				act) == nil {
				t.Errorf("a %s may %s", kind, act)
			}
		}
		if err := r.May(person(identity.Gate), act); err != nil {
			t.Errorf("a person may not %s: %v", act, err)
		}
	}
}

// TestAnOverrideReplacesASetAsAWhole promises that what a folder brings counts
// and what was built in for that set does not, and that other sets stay.
func TestAnOverrideReplacesASetAsAWhole(t *testing.T) {
	apps := map[string]policy.Source{"poolpatrol": {Files: fstest.MapFS{"policies/a.cedar": {Data: []byte(both)}}}, "airshed": {}}
	built, err := policy.Load(nil, apps)
	if err != nil {
		t.Fatal(err)
	}
	if !built.App("poolpatrol").Ask(shift()).Unattended || built.App("airshed").Ask(shift()).Call || built.App("pier").Ask(shift()).Call {
		t.Error("an application's policies are not its own, or one without any does not refuse")
	}
	only := fstest.MapFS{
		"platform/p.cedar":        {Data: []byte(`@id("gate-reads") permit (principal in Role::"gate", action == Action::"do", resource) when { context.act == "case.read" };`)},
		"platform/.hidden.cedar":  {Data: []byte(`not a policy`)},
		"platform/..data/q.cedar": {Data: []byte(`not a policy`)},
		"README.md":               {Data: []byte("ours")},
	}
	r, err := policy.Load(only, apps)
	if err != nil {
		t.Fatal(err)
	}
	if r.May(person(identity.Gate), "case.read") != nil || r.May(person(identity.Officer), "case.read") == nil {
		t.Error("the platform's policies are not those of the folder alone")
	}
	if r.App("poolpatrol").Digest() != built.App("poolpatrol").Digest() || r.Digest() == built.Digest() {
		t.Error("another set changed, or the digest of all did not")
	}
	if policy.DigestOf(r.Files()...) != r.Digest() || r.Files()[1].Name != "poolpatrol/policies/a.cedar" {
		t.Errorf("the files are %v", r.Files())
	}
	files, err := policy.ReadOverride(only)
	if err != nil {
		t.Fatal(err)
	}
	again, err := built.Replace(files...)
	if err != nil || again.Digest() != r.Digest() {
		t.Errorf("replaced: got %s, %v; want %s", again.Digest(), err, r.Digest())
	}
}

// TestAnOverrideThatCannotBeMeantIsRefused promises a sentence that names the set,
// the file and the line.
func TestAnOverrideThatCannotBeMeantIsRefused(t *testing.T) {
	permit := func(cond string) string {
		return "\n\n@id(\"x\") permit (principal, action == Action::\"do\", resource) when { " + cond + " };"
	}
	for _, tt := range []struct{ name, file, text, says string }{
		{"an act there is not", "platform/a.cedar", permit(`context.act == "case.burn"`),
			`policies of platform: a.cedar:3: x: no act is called "case.burn"`},
		{"one in a list", "platform/a.cedar", permit(`["case.read", "case.burn"].contains(context.act)`), `no act is called "case.burn"`},
		{"a pattern of none", "platform/a.cedar", permit(`context.act like "burn.*"`), "no act is like"},
		{"a role there is not", "platform/a.cedar", permit(`context.roles.contains("boss")`), `no role is called "boss"`},
		{"a scope that is none", "platform/a.cedar", permit(`context.scopes.contains("everything")`), "is not a scope"},
		{"what acts do not have", "platform/a.cedar", permit(`context.tool == "a.b"`), `the context has no attribute "tool"`},
		{"an action of tools", "platform/a.cedar", `@id("x") permit (principal, action == Action::"call", resource);`,
			`no action is called "call"`},
		{"a permit of no action", "platform/a.cedar", `@id("x") permit (principal, action, resource);`, `action == Action::"do"`},
		{"an action of acts in an application", "yard/a.cedar", `@id("x") permit (principal, action == Action::"do", resource);`,
			"policies of yard"},
		{"not Cedar", "platform/a.cedar", "permit (", "a.cedar"},
		{"nobody may do anything", "platform/a.cedar", `@id("x") forbid (principal, action, resource);`, "let no role do anything"},
		{"an empty file", "platform/a.cedar", "// nothing", "let no role do anything"},
		{"a folder without policies", "platform/README", "words", "has no .cedar file"},
		{"an application there is not", "pier/a.cedar", both, "no application is called so"},
		{"a file beside the folders", "a.cedar", both, "a policy stands in a folder"},
		{"a folder that was not mounted", "README.md", "words", "the folder of policies holds none"},
		{"capital letters", "platform/a.CEDAR", both, "in small letters"},
		{"capital letters beside the folders", "a.Cedar", both, "a policy stands in a folder"},
		{"a file that is too long", "platform/a.cedar", strings.Repeat("/", policy.MaxFile+1), "at most"},
	} {
		_, err := policy.Load(fstest.MapFS{tt.file: {Data: []byte(tt.text)}}, map[string]policy.Source{"yard": {}})
		if err == nil || !strings.Contains(err.Error(), tt.says) || fault.KindOf(err) == fault.Internal {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.says)
		}
	}
	if _, err := policy.ReadOverride(fstest.MapFS{"README.md": {Data: []byte("x")}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a folder of nothing: %v", err)
	}
}

// TestWhatIsNotFollowedInAnOverrideIsRefused promises that no policy is passed over
// in silence: a link to another folder is refused, and one to a file is read, which
// is how settings are mounted.
func TestWhatIsNotFollowedInAnOverrideIsRefused(t *testing.T) {
	dir, text := t.TempDir(), []byte(`@id("x") permit (principal, action == Action::"do", resource);`)
	write := func(name string) {
		if err := errors.Join(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700), os.WriteFile(filepath.Join(dir, name), text,
			0o600)); err != nil {
			t.Fatal(err)
		}
	}
	link := func(to, name string) {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	write("..data/platform/a.cedar")
	link("..data/platform", "platform")
	if r, err := policy.Load(os.DirFS(dir), nil); err != nil || len(r.Files()) != 1 {
		t.Fatalf("a folder as it is mounted: %v", err)
	}
	write("..data/more/b.cedar")
	link("../more", "..data/platform/more")
	if _, err := policy.Load(os.DirFS(dir), nil); !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(),
		"more leads to another folder") {
		t.Errorf("a link to a folder: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, "..data/platform/more")); err != nil {
		t.Fatal(err)
	}
	link("nowhere", "yard")
	if _, err := policy.Load(os.DirFS(dir), map[string]policy.Source{"yard": {}}); !fault.Is(err, fault.Invalid) {
		t.Errorf("a link to nowhere: %v", err)
	}
}

// TestASignInForToolsReadsAndProposesOnly promises it under policies that permit
// everything to everybody: a program that holds it decides nothing.
func TestASignInForToolsReadsAndProposesOnly(t *testing.T) {
	everything := fstest.MapFS{"platform/all.cedar": {Data: []byte(`@id("all") permit (principal, action == Action::"do", resource);`)}}
	r, err := policy.Load(everything, nil)
	if err != nil {
		t.Fatal(err)
	}
	tools := person(identity.OrgAdmin, identity.Officer)
	tools.Way = identity.ByTools
	more := []string{"case.open", "proposal.make", "mcp.use"}
	for _, a := range policy.Acts() {
		want := a.Reads || slices.Contains(more, a.Name)
		if got := r.May(tools, a.Name) == nil; got != want {
			t.Errorf("a sign-in for tools may %s: %t, want %t", a.Name, got, want)
		}
		for _, way := range []identity.Way{identity.ByBrowser, identity.ByTerminal, ""} {
			tools := tools
			if tools.Way = way; r.May(tools, a.Name) != nil {
				t.Errorf("by %q they may not %s", way, a.Name)
			}
		}
	}
}

// TestAnOverrideSpeaksForAnOrganisation promises that a policy may name one, and
// that refusals there name whoever may there.
func TestAnOverrideSpeaksForAnOrganisation(t *testing.T) {
	r, err := policy.Load(fstest.MapFS{"platform/p.cedar": {Data: []byte(`
		@id("all") permit (principal is Person in Role::"officer", action == Action::"do", resource) when { context.act like "case.*" };
		@id("north") permit (principal is Person in Role::"gate", action == Action::"do", resource) when { context.act == "case.read" && context.org == "north" };`)}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	south := person(identity.HR)
	south.Org = "south"
	_, northNext := fault.Words(r.May(person(identity.HR), "case.read"))
	_, southNext := fault.Words(r.May(south, "case.read"))
	if !strings.Contains(northNext, "gate") || strings.Contains(southNext, "gate") {
		t.Errorf("got %q in north and %q in south", northNext, southNext)
	}
	if c := r.Table("south").Rows[0].Cells[8]; c.Word != policy.No {
		t.Errorf("the table of south says %s", c)
	}
}
