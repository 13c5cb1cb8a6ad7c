package console_test

import (
	"context"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/amend"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/tool"
)

// yardRules are what the stage sets: when its yard is swept, by whom it may be entered.
type yardRules struct {
	Days  int      `json:"days" minimum:"1" maximum:"90" doc:"Between two rounds."`
	Word  string   `json:"word" maxLength:"60"`
	Gates []string `json:"gates" maxItems:"5"`
}

// yardSettings are one that is saved at once, one of which there are several, and one that
// people decide.
func yardSettings() []setting.Kind {
	usual := func(context.Context, pgx.Tx, identity.Org) (yardRules, error) {
		return yardRules{30, "open", []string{"north"}}, nil
	}
	f := setting.Functions[yardRules]{Default: usual, Check: func(_ string, y yardRules) (yardRules, error) {
		if y.Word == "closed" {
			return y, fault.New(fault.Invalid, "a yard that is closed is not swept").On("word", "choice", "")
		}
		return y, nil
	}, Preview: func(_ context.Context, _ pgx.Tx, _ identity.Org, was, now yardRules) ([]setting.Effect, error) {
		return []setting.Effect{{Name: "rounds", Was: strings.Repeat("I", 90/was.Days), Now: strings.Repeat("I", 90/now.Days)}}, nil
	}}
	kind := setting.Kind{App: "yard", Name: "rules", Title: "rules of the yard", Read: "case.read", Change: "case.note",
		Record: "yard_rules"}
	several, decided := kind, kind
	several.Name, several.Title, several.Many = "gate", "gate", 3
	decided.Name, decided.Title, decided.Gated = "limits", "limits of the yard", true
	return []setting.Kind{setting.Of(kind, f), setting.Of(several, setting.Functions[yardRules]{}), setting.Of(decided, f)}
}

// settings is where the stage's are changed, and people asked.
func (s *stage) settings(t testing.TB) *amend.Desk {
	t.Helper()
	set, err := policy.Parse(policy.File{Name: "yard.cedar", Text: []byte(`@id("yard-call")
permit (principal in Role::"officer", action == Action::"call", resource) when { context.app == "yard" };`)})
	if err != nil {
		t.Fatal(err)
	}
	rules, kinds, officers := policy.Standard().With("yard", set), yardSettings(), []identity.Role{identity.Officer}
	tools, err := tool.NewRegistry(amend.Tool[yardRules](tool.Tool{Roles: officers, Deciders: officers}, kinds[2]))
	if err != nil {
		t.Fatal(err)
	}
	acts := act.NewStore(s.db.App, durable.Clock{})
	reviews, err := review.New(review.Config{DB: s.db.App, Rules: rules, Acts: acts, Kinds: []review.Kind{agent.CallKind(tools)}})
	if err != nil {
		t.Fatal(err)
	}
	return &amend.Desk{Store: setting.NewStore(setting.Config{DB: s.db.App, Rules: rules, Kinds: kinds}),
		Calls: agent.NewCalls(agent.CallsConfig{DB: s.db.App, Cases: s.store, Acts: acts, Reviews: reviews, Tools: tools, Rules: rules,
			Logger: slog.New(slog.DiscardHandler)})}
}

var hiddenField = regexp.MustCompile(`name="(version|base|edit|item)" value="([^"]*)"`)

// sent is what the form of a page carries besides its fields.
func sent(body string) url.Values {
	all := url.Values{}
	for _, m := range hiddenField.FindAllStringSubmatch(body, -1) {
		if !all.Has(m[1]) {
			all.Set(m[1], strings.NewReplacer("&#34;", `"`, "&amp;", "&").Replace(m[2]))
		}
	}
	return all
}

const yardAt = "/settings/yard/rules"

// TestASettingIsChangedOnItsPage promises a form of the setting's own schema, a step that shows
// what would change and what would follow before anything is saved, the new version in its
// history with who made it, what changed between two, and what is wrong beside its field; and that
// who may not change it has no form.
func TestASettingIsChangedOnItsPage(t *testing.T) {
	s := newStage(t)
	page := s.askAs(t, identity.Officer, yardAt, nil)
	wantAll(t, page, http.StatusOK, "Rules of the yard", "Between two rounds.", "Nobody has changed it.")
	form := sent(page.body)
	form.Set("do", "check")
	for name, value := range map[string]string{"v/days": "10", "v/word": "open", "rows/gates": "0", "v/gates/0": "north"} {
		form.Set(name, value)
	}
	check := s.askAs(t, identity.Officer, yardAt, form)
	wantAll(t, check, http.StatusOK, "Nothing is saved yet", "Your changes: 1", "What would follow", "IIIIIIIII")
	save := sent(check.body)
	save.Set("do", "save")
	if got := s.askAs(t, identity.Officer, yardAt, save); got.status != http.StatusSeeOther {
		t.Fatalf("status %d: %s", got.status, got.body)
	}
	wantAll(t, s.askAs(t, identity.Officer, yardAt+"?done=set", nil), http.StatusOK, "It is saved", "diff?from=0&amp;to=1")
	wantAll(t, s.askAs(t, identity.Auditor, yardAt+"/diff?from=0&to=1", nil), http.StatusOK, "30", "10", "Changes: 1")
	wantAll(t, s.askAs(t, identity.Auditor, yardAt+"/diff?from=1&to=1", nil), http.StatusOK, "Nothing differs")
	if again := s.askAs(t, identity.Officer, yardAt, save); again.status != http.StatusPreconditionFailed ||
		!strings.Contains(again.body, "changed since you read it") {
		t.Errorf("a change to something older: %d", again.status)
	}
	form.Set("version", "1")
	form.Set("v/days", "many")
	wantAll(t, s.askAs(t, identity.Officer, yardAt, form), http.StatusUnprocessableEntity, "Write a number in digits",
		"Nothing has changed.")
	form.Set("v/days", "9")
	form.Set("v/word", "closed")
	wantAll(t, s.askAs(t, identity.Officer, yardAt, form), http.StatusUnprocessableEntity, "Choose one of the values")
	form.Set("v/word", "open")
	form.Set("do", "add:/gates")
	wantAll(t, s.askAs(t, identity.Officer, yardAt, form), http.StatusOK, "Row 2")
	if read := s.askAs(t, identity.Auditor, yardAt, nil); read.status != http.StatusOK || strings.Contains(read.body,
		`value="check"`) || !strings.Contains(read.body, "Between") && !strings.Contains(read.body, "10") {
		t.Errorf("an auditor has a form, or sees nothing: %d", read.status)
	}
	if got := s.askAs(t, identity.Auditor, yardAt, save); got.status != http.StatusForbidden {
		t.Errorf("an auditor saves: %d", got.status)
	}
}

// TestSettingsAreListed promises that all that a reader may see stand on one page with what is in
// force, that one of several is added, shown and removed there, and that what people decide
// becomes a proposal.
func TestSettingsAreListed(t *testing.T) {
	s := newStage(t)
	wantAll(t, s.askAs(t, identity.Officer, "/settings", nil), http.StatusOK, "Rules of the yard", "Limits of the yard",
		"People decide each change", "Another one: Gate")
	const north = "/settings/yard/gate?item=North+gate"
	fresh := s.askAs(t, identity.Officer, north, nil)
	wantAll(t, fresh, http.StatusOK, "North gate")
	form := sent(fresh.body)
	for name, value := range map[string]string{"do": "save", "edit": `{"days":3,"word":"x","gates":[]}`} {
		form.Set(name, value)
	}
	if got := s.askAs(t, identity.Officer, "/settings/yard/gate", form); got.status != http.StatusSeeOther {
		t.Fatalf("status %d: %s", got.status, got.body)
	}
	wantAll(t, s.askAs(t, identity.Auditor, "/settings/yard", nil), http.StatusOK, "North gate")
	held := s.askAs(t, identity.Officer, north, nil)
	if got := s.askAs(t, identity.Officer, "/settings/yard/gate/remove", sent(held.body)); got.status != http.StatusSeeOther {
		t.Errorf("status %d: %s", got.status, got.body)
	}
	if got := s.askAs(t, identity.Auditor, "/settings/yard", nil); strings.Contains(got.body, "North gate") {
		t.Error("it is removed, and there")
	}
	form = sent(s.askAs(t, identity.Officer, "/settings/yard/limits", nil).body)
	for name, value := range map[string]string{"do": "save", "edit": `{"days":3,"word":"x","gates":[]}`} {
		form.Set(name, value)
	}
	asked := s.askAs(t, identity.Officer, "/settings/yard/limits", form)
	if at := asked.header.Get("Location"); asked.status != http.StatusSeeOther || !strings.Contains(at, "asked=P-") {
		t.Fatalf("status %d, %s: %s", asked.status, at, asked.body)
	}
	wantAll(t, s.askAs(t, identity.Officer, asked.header.Get("Location"), nil), http.StatusOK, "People are asked", "Nobody has changed it.")
	if got := s.askAs(t, identity.Operator, "/settings", nil); got.status != http.StatusForbidden {
		t.Errorf("who may not: %d", got.status)
	}
	if got := s.askAs(t, identity.Officer, "/settings/yard/nothing", nil); got.status != http.StatusNotFound {
		t.Errorf("what there is not: %d", got.status)
	}
}
