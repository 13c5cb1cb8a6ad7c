package policy_test

import (
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
)

const (
	seeVans = `@id("see-vans") permit (principal, action == Action::"do", resource) when { context.act == "yard.van.read" && (context.roles.contains("analyst") || context.scopes.contains("read:yard")) };`
	imports = `@id("import") permit (principal in Role::"org_admin", action == Action::"do", resource) when { context.act like "yard.imp*" };`
	looks   = `@id("look") permit (principal in Role::"analyst", action == Action::"call", resource) when { context.tool == "yard.look" };`
)

// yardActs are what an application called yard declares.
func yardActs() []policy.Act {
	return []policy.Act{{Name: "yard.van.read", Words: "see the vans", Reads: true}, {Name: "yard.import", Words: "bring records in",
		Persons: true}}
}

func files(all map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range all {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

// yard are rules with that application, and another of the same kind beside it.
func yard(t *testing.T, override fs.FS) *policy.Rules {
	t.Helper()
	apps := map[string]policy.Source{
		"yard": {Acts: yardActs(), Files: files(map[string]string{"look.cedar": looks, "acts/vans.cedar": seeVans,
			"acts/more/import.cedar": imports})},
		"pier": {Acts: []policy.Act{{Name: "pier.ship.read", Words: "see the ships"}}},
	}
	r, err := policy.Load(override, apps)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAnApplicationsActIsRefusedUnlessItsFilesPermitIt promises the platform's
// rules for the acts of applications: what no file permits nobody may, and a
// refusal says what and who may.
func TestAnApplicationsActIsRefusedUnlessItsFilesPermitIt(t *testing.T) {
	r := yard(t, nil)
	token := func(scope string) identity.Actor {
		return identity.Actor{Kind: identity.Machine, ID: "m", Org: "north", Scopes: []string{scope}}
	}
	viewing := person(identity.OrgAdmin)
	viewing.Viewing = identity.OrgAdmin
	for _, tt := range []struct {
		name       string
		actor      identity.Actor
		act        string
		may        bool
		kind       fault.Kind // where they may not
		text, next string
	}{
		{"permitted", person(identity.Analyst), "yard.van.read", true, 0, "", ""},
		{"permitted by a pattern", person(identity.OrgAdmin), "yard.import", true, 0, "", ""},
		{"a token that reads", token("read:yard"), "yard.van.read", true, 0, "", ""},
		{"a token of another application", token("read:pier"), "yard.van.read", false, fault.Refused,
			"this token doesn't have access to see the vans", "use a token with the scope read:yard"},
		{"a role that is not named", person(identity.Officer), "yard.van.read", false, fault.Refused,
			"you don't have access to see the vans", "for the role analyst"},
		{"an application without files", person(identity.Roles()...), "pier.ship.read", false, fault.Refused,
			"you don't have access to see the ships", "nobody in your organisation has access"},
		{"only persons", token("ingest:yard"), "yard.import", false, fault.Refused, "only a person may bring records in", ""},
		{"who looks as another", viewing, "yard.import", false, fault.Refused, "can't bring records in", "leave"},
		{"nobody", identity.Actor{}, "yard.van.read", false, fault.SignIn, "sign in to see the vans", ""},
		{"an act that is not declared", person(identity.Analyst), "yard.van.burn", false, fault.Internal, "no act is called", ""},
	} {
		err := r.May(tt.actor, tt.act)
		if tt.may {
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if !fault.Is(err, tt.kind) || !strings.Contains(err.Error(), tt.text) {
			t.Errorf("%s: got %v, want a fault of kind %s with %q", tt.name, err, tt.kind, tt.text)
			continue
		}
		if tt.kind == fault.Internal {
			continue
		}
		if _, next := fault.Words(err); !strings.Contains(next, tt.next) {
			t.Errorf("%s: next is %q, want %q", tt.name, next, tt.next)
		}
	}
	if got := r.Holders("yard.van.read"); !slices.Equal(got, []identity.Role{identity.Analyst}) {
		t.Errorf("holders: %v", got)
	}
	if err := policy.Standard().May(person(identity.Analyst), "yard.van.read"); !fault.Is(err, fault.Internal) {
		t.Errorf("rules without the application know its act: %v", err)
	}
	if r.App("yard/acts") != nil || r.App(policy.Own) != nil {
		t.Error("policies on acts can be asked about tools")
	}
}

// TestAnApplicationsActsStandInTheTableAndAreExplained promises that nobody has to
// look elsewhere for them, and that an explanation names the set that was asked.
func TestAnApplicationsActsStandInTheTableAndAreExplained(t *testing.T) {
	r := yard(t, nil)
	acts := r.Acts()
	if n := len(policy.Acts()); len(acts) != n+3 || acts[n].Name != "pier.ship.read" || acts[n+1].Name != "yard.van.read" {
		t.Errorf("the acts are %v", acts)
	}
	table := r.Table("north")
	table.Rows = table.Rows[len(policy.Acts()):]
	want := `pier.ship.read (see the ships)
yard.van.read (see the vans)
    yes: analyst, token read:yard
yard.import (bring records in)
    yes: org_admin
`
	if got := words(table); got != want {
		t.Errorf("got:\n%swant:\n%s", got, want)
	}
	if !slices.Contains(table.Who, "token ingest:yard") {
		t.Errorf("there are no columns for the application's tokens: %q", table.Who)
	}
	yes, err := r.ExplainAct(person(identity.Analyst), "yard.van.read")
	if err != nil || yes.Word != policy.Yes || idsOf(yes.Because) != "see-vans" {
		t.Fatalf("got %+v, %v", yes, err)
	}
	if s := yes.Because[0]; s.Set != "yard/acts" || s.File != "vans.cedar" || s.Text != seeVans {
		t.Errorf("the policy does not stand as it is written: %+v", s)
	}
	no, err := r.ExplainAct(person(identity.Analyst), "yard.import")
	if err != nil || no.Word != policy.No || idsOf(no.Nearest) != "import" || !strings.Contains(no.Nearest[0].Says, "org_admin") {
		t.Errorf("got %+v, %v", no, err)
	}
	own, err := r.ExplainAct(person(identity.Officer), "case.close")
	if err != nil || own.Digest != r.Own().Digest() || yes.Digest != r.Set("yard/acts").Digest() || yes.Digest == own.Digest {
		t.Errorf("digests: %s for the application's act, %s for the platform's, %v", yes.Digest, own.Digest, err)
	}
}

// TestAnOverrideOfActsLeavesTheToolsAlone promises that the two sets of an
// application are replaced apart, each as a whole, and that a simulation sees it.
func TestAnOverrideOfActsLeavesTheToolsAlone(t *testing.T) {
	built := yard(t, nil)
	want := []string{"platform", "pier", "pier/acts", "yard", "yard/acts"}
	if got := built.Sets(); !slices.Equal(got, want) {
		t.Fatalf("sets: got %q, want %q", got, want)
	}
	gate := strings.ReplaceAll(seeVans, "analyst", "gate")
	for _, tt := range []struct {
		name    string
		with    map[string]string
		changed string
	}{
		{"acts", map[string]string{"yard/acts/mine.cedar": gate}, "yard/acts"},
		{"tools", map[string]string{"yard/mine.cedar": looks}, "yard"},
		{"both", map[string]string{"yard/mine.cedar": looks, "yard/acts/mine.cedar": gate}, "yard yard/acts"},
	} {
		r := yard(t, files(tt.with))
		var changed []string
		for _, name := range r.Sets() {
			if r.Set(name).Digest() != built.Set(name).Digest() {
				changed = append(changed, name)
			}
		}
		if got := strings.Join(changed, " "); got != tt.changed {
			t.Errorf("%s: %q changed, want %q", tt.name, got, tt.changed)
		}
		read, err := policy.ReadOverride(files(tt.with))
		if err != nil {
			t.Fatal(err)
		}
		if again, err := built.Replace(read...); err != nil || again.Digest() != r.Digest() {
			t.Errorf("%s, replaced: %v", tt.name, err)
		}
	}
	r := yard(t, files(map[string]string{"yard/acts/mine.cedar": gate}))
	if r.May(person(identity.Gate), "yard.van.read") != nil || r.May(person(identity.Analyst), "yard.van.read") == nil ||
		r.May(person(identity.OrgAdmin), "yard.import") == nil {
		t.Error("the policies on acts are not those of the folder alone")
	}
	var rights []string
	for _, c := range policy.Changes(built.Table("north"), r.Table("north")) {
		rights = append(rights, c.Name+" "+c.Who+": "+c.Would)
	}
	slices.Sort(rights)
	if got, want := strings.Join(rights, ", "),
		"yard.import org_admin: no, yard.van.read analyst: no, yard.van.read gate: yes"; got != want {
		t.Errorf("got %s; want %s", got, want)
	}
	if names := r.Files(); names[len(names)-2].Name != "yard/acts/mine.cedar" || names[len(names)-1].Name != "yard/look.cedar" {
		t.Errorf("the files are %v", names)
	}
}

// TestActsAreAnApplicationsOwn promises that no application declares or speaks of
// another's acts, nor the platform of an application's, and that the sentence says
// which.
func TestActsAreAnApplicationsOwn(t *testing.T) {
	act := func(name string) []policy.Act { return []policy.Act{{Name: name, Words: "do it"}} }
	permit := func(cond string) string {
		return `@id("x") permit (principal, action == Action::"do", resource) when { ` + cond + ` };`
	}
	van := act("yard.van.read")
	for _, tt := range []struct {
		name       string
		app        string
		acts       []policy.Act
		file, text string // built in
		over, with string // of an override
		says       string // empty: all is well
	}{
		{"well", "yard", van, "acts/a.cedar", permit(`context.act like "yard.*"`), "", "", ""},
		{"two parts", "yard", act("yard.import"), "acts/a.cedar", permit(`context.act == "yard.import"`), "", "", ""},
		{"nobody may", "yard", van, "acts/a.cedar", `@id("x") forbid (principal, action, resource);`, "", "", ""},
		{"declares another's", "yard", act("pier.ship.read"), "", "", "", "",
			`application yard declares the act "pier.ship.read"; write yard.noun.verb`},
		{"declares one without a verb", "yard", act("yard"), "", "", "", "", "write yard.noun.verb"},
		{"declares one of four parts", "yard", act("yard.a.b.c"), "", "", "", "", "write yard.noun.verb"},
		{"declares one that is too long", "yard", act("yard." + strings.Repeat("a", 60) + "." + strings.Repeat("b", 60)), "", "", "", "",
			"at most 100 bytes"},
		{"declares one with capitals", "yard", act("yard.Van"), "", "", "", "", "write yard.noun.verb"},
		{"declares the platform's", "case", act("case.read"), "", "", "", "", "case.read, which is the platform's"},
		{"declares one twice", "yard", append(act("yard.van.read"), van...), "", "", "", "", "yard.van.read twice"},
		{"declares one without words", "yard", []policy.Act{{Name: "yard.van.read"}}, "", "", "", "", "does not say in words"},
		{"is called like the platform", "platform", nil, "a.cedar", permit("true"), "", "", "no application may be called platform"},
		{"names the platform's", "yard", van, "acts/a.cedar", permit(`context.act == "case.read"`), "", "",
			`policies of yard/acts: a.cedar:1: x: no act of yard is called "case.read"`},
		{"a pattern of the platform's", "yard", van, "acts/a.cedar", permit(`context.act like "case.*"`), "", "", "no act of yard is like"},
		{"one in a list", "yard", van, "acts/a.cedar", permit(`["yard.van.read", "pier.ship.read"].contains(context.act)`), "", "",
			`no act of yard is called "pier.ship.read"`},
		{"speaks of tools", "yard", van, "acts/a.cedar", looks, "", "", "policies of yard/acts"},
		{"speaks of acts among tools", "yard", van, "a.cedar", permit("true"), "", "", "policies of yard:"},
		{"speaks of acts and has none", "yard", nil, "acts/a.cedar", permit("true"), "", "", "application yard declares no acts"},
		{"the platform names an application's", "yard", van, "", "", "platform/a.cedar", permit(`context.act == "yard.van.read"`),
			`no act is called "yard.van.read"`},
		{"only an application's are left", "yard", van, "acts/a.cedar", permit("true"), "platform/a.cedar",
			`@id("x") forbid (principal, action, resource);`, "let no role do anything"},
		{"replaces acts there are not", "yard", nil, "", "", "yard/acts/a.cedar", permit("true"), "application yard declares no acts"},
		{"replaces acts of nobody", "yard", van, "", "", "pier/acts/a.cedar", permit("true"), "pier/acts/: no application is called so"},
		{"replaces acts by nothing", "yard", van, "", "", "yard/acts/README.md", "words", "yard/acts/: has no .cedar file"},
	} {
		from := policy.Source{Acts: tt.acts}
		if tt.file != "" {
			from.Files = files(map[string]string{tt.file: tt.text})
		}
		apps := map[string]policy.Source{tt.app: from}
		var override fs.FS
		if tt.over != "" {
			override = files(map[string]string{tt.over: tt.with})
		}
		_, err := policy.Load(override, apps)
		switch {
		case tt.says == "" && err != nil:
			t.Errorf("%s: %v", tt.name, err)
		case tt.says != "" && (err == nil || fault.KindOf(err) == fault.Internal || !strings.Contains(err.Error(), tt.says)):
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.says)
		}
	}
}

// TestAScopeThatThereIsNotIsRefusedWithTheNearest promises that a mistyped scope is
// told from one that allows something, with what was probably meant and with what
// there is: what policies name, and what leads to an application's tools.
func TestAScopeThatThereIsNotIsRefusedWithTheNearest(t *testing.T) {
	r := yard(t, nil)
	if got, want := strings.Join(r.Scopes(), " "), "propose:yard read:audit read:cases read:metrics read:yard"; got != want {
		t.Errorf("the scopes are %s, want %s", got, want)
	}
	for _, scope := range r.Scopes() {
		if err := r.CheckScope(scope); err != nil {
			t.Errorf("%s: %v", scope, err)
		}
	}
	for typed, near := range map[string]string{"read:case": "did you mean read:cases? ", "raed:yard": "did you mean read:yard? ",
		"ingest:gatepass": "", "": ""} {
		err := r.CheckScope(typed)
		_, next := fault.Words(err)
		if !fault.Is(err, fault.Invalid) || next != near+"there are: "+strings.Join(r.Scopes(), ", ") {
			t.Errorf("%q: got %v, next %q", typed, err, next)
		}
	}
}
