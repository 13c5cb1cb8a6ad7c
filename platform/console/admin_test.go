package console_test

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

// wantNone fails where a page says something it must not.
func wantNone(t *testing.T, r reply, not ...string) {
	t.Helper()
	for _, w := range not {
		if strings.Contains(r.body, w) {
			t.Errorf("the page says %q", w)
		}
	}
}

var pauseID = regexp.MustCompile(`/admin/pauses/(pause_[0-9A-Z]{26})/end`)

// paused pauses by the page's own form and returns the pause's id.
func (s *stage) paused(t *testing.T, scope act.Scope, reason string) string {
	t.Helper()
	sent := s.askAs(t, identity.Operator, "/admin/pauses", url.Values{"scope": {string(scope)}, "reason": {reason}})
	if sent.status != http.StatusSeeOther || sent.header.Get("Location") != "/admin/pauses?done=set" {
		t.Fatalf("%d to %q", sent.status, sent.header.Get("Location"))
	}
	found := pauseID.FindAllStringSubmatch(s.askAs(t, identity.Operator, "/admin/pauses", nil).body, -1)
	if len(found) == 0 {
		t.Fatal("the page offers no end of the pause")
	}
	return found[len(found)-1][1]
}

// TestAPauseTakesTwoClicksAndEveryPageSaysSo promises the kill switch: from any page
// to Administration, and there the reason and the button; then the organisation's
// pages, and no other's, say who paused, since when and why, until it is lifted.
func TestAPauseTakesTwoClicksAndEveryPageSaysSo(t *testing.T) {
	s := newStage(t)
	for _, role := range []identity.Role{identity.Operator, identity.OrgAdmin} {
		wantAll(t, s.askAs(t, role, "/runs", nil), http.StatusOK, `href="/admin"`)
		wantAll(t, s.askAs(t, role, "/admin", nil), http.StatusOK, `action="/admin/pauses"`, `value="outside"`,
			"Pause all that goes outside")
	}
	id := s.paused(t, act.EveryOutside, "The letters go to the wrong ward.")
	said := []string{"SENDS PAUSED", "by Demo operator (north)", "The letters go to the wrong ward.", "IST", `href="/admin/pauses"`}
	wantAll(t, s.ask(t, "/cases", nil), http.StatusOK, said...)
	wantAll(t, s.ask(t, "/inbox", nil), http.StatusOK, said...)
	wantAll(t, s.ask(t, "/cases?lang=hi", nil), http.StatusOK, "प्रेषण रुका है", "Demo operator (north) द्वारा")
	wantAll(t, s.ask(t, "/banners", nil, "Gavel-Region", "1"), http.StatusOK, said...)
	south := s.ask(t, "/cases", nil, "Cookie", "gavel_dev="+token(t, postgrestest.South, identity.Officer))
	wantNone(t, south, "SENDS PAUSED", "wrong ward")
	wantAll(t, s.askAs(t, identity.OrgAdmin, "/admin", nil), http.StatusOK, "All that goes outside is paused since", "Look and lift")

	again := s.askAs(t, identity.OrgAdmin, "/admin/pauses", url.Values{"scope": {"outside"}, "reason": {"Also me."}})
	if at := again.header.Get("Location"); at != "/admin/pauses?done=already" {
		t.Errorf("pausing what is paused leads to %q", at)
	}
	end := "/admin/pauses/" + id + "/end"
	wantAll(t, s.askAs(t, identity.OrgAdmin, end, url.Values{"reason": {" "}}), http.StatusUnprocessableEntity, "This was not done",
		"needs a reason")
	wantAll(t, s.askAs(t, identity.Officer, end, url.Values{"reason": {"x"}}), http.StatusForbidden)
	if lifted := s.askAs(t, identity.OrgAdmin, end,
		url.Values{"reason": {"The list was corrected."}}); lifted.status != http.StatusSeeOther {
		t.Fatalf("lifting: %d", lifted.status)
	}
	wantNone(t, s.ask(t, "/cases", nil), "SENDS PAUSED")
	wantAll(t, s.askAs(t, identity.Auditor, "/admin/pauses?done=ended", nil), http.StatusOK,
		"The pause is lifted", "Nothing is paused", "The letters go to the wrong ward.", "The list was corrected.", "Demo operator (north)",
		"Demo org admin (north)")
	wantAll(t, s.askAs(t, identity.OrgAdmin, end, url.Values{"reason": {"x"}}), http.StatusConflict, "was ended already")
}

// TestAnOpenPageLearnsOfAPauseByItself promises the notice that has every browser of
// the organisation fetch the banner, and that a server's own memory of it is gone
// before that.
func TestAnOpenPageLearnsOfAPauseByItself(t *testing.T) {
	s := newStage(t)
	elsewhere, admin := s.office(t).Pauses, person(postgrestest.North, identity.OrgAdmin) // another server's
	told := func() bool {
		return strings.Contains(s.ask(t, "/banners", nil, "Gavel-Region", "1").body, "nothing leaves through poolpatrol")
	}
	wait.Try(t, s.hub.Check)                             // from here on notices are heard
	wantNone(t, s.ask(t, "/cases", nil), "SENDS PAUSED") // and remembers that for a day
	if _, _, err := elsewhere.Set(t.Context(), admin, act.OneApp("poolpatrol"), "Wait."); err != nil {
		t.Fatal(err)
	}
	sooner(t, "the banner, which nothing but a notice brings", told)
	wantAll(t, s.ask(t, "/cases", nil), http.StatusOK, `data-live="pause"`, `data-src="/banners"`)
}

func TestAPauseOfAPartSaysWhichAndTheWidestSpeaksForAll(t *testing.T) {
	s := newStage(t)
	s.paused(t, "agent:general/clerk", "It repeats itself.")
	wantAll(t, s.ask(t, "/cases", nil), http.StatusOK, "nothing leaves through general/clerk", "It repeats itself.")
	s.paused(t, act.OneApp("poolpatrol"), "Wrong list.")
	s.paused(t, act.Everything, "Fire drill.")
	page := s.ask(t, "/cases", nil)
	wantAll(t, page, http.StatusOK, "Fire drill.", "+2 more", "nothing leaves the organisation")
	wantNone(t, page, "It repeats itself.")
	wantAll(t, s.ask(t, "/admin/pauses", nil), http.StatusOK, "Every act, inside and outside", "Application poolpatrol",
		"Agent clerk of General", "It repeats itself.")
	wantNone(t, s.ask(t, "/admin/pauses", nil), "Pause all that goes outside") // an officer reads and lifts nothing
	bad := s.askAs(t, identity.Operator, "/admin/pauses", url.Values{"scope": {"app:" + strings.Repeat("x", 99)},
		"reason": {"Because of this."}})
	wantAll(t, bad, http.StatusUnprocessableEntity, "a pause is of all, outside", "Because of this.")
}

func TestPagesOfAdministrationAreForThoseWhoMayOpenThem(t *testing.T) {
	s := newStage(t)
	snap := s.fetched(t, "cpcb", "a,b\n1,2\n")
	for _, tt := range []struct {
		path string
		in   []identity.Role
	}{
		{"/admin", []identity.Role{identity.OrgAdmin, identity.Operator, identity.Auditor}},
		{"/admin/models", []identity.Role{identity.OrgAdmin, identity.Operator, identity.Auditor}},
		{"/admin/retention", []identity.Role{identity.OrgAdmin, identity.Operator, identity.Auditor}},
		{"/admin/policy", identity.Roles()},
		{"/admin/pauses", identity.Roles()},
		{"/sources", []identity.Role{identity.OrgAdmin, identity.Operator, identity.Auditor, identity.Analyst, identity.Officer,
			identity.ProgrammeManager}},
		{"/sources/cpcb/" + string(snap.ID), []identity.Role{identity.OrgAdmin, identity.Auditor, identity.Analyst, identity.Officer,
			identity.ProgrammeManager,
			identity.HR, identity.PassAdmin, identity.GateSupervisor}},
	} {
		for _, role := range identity.Roles() {
			want := http.StatusForbidden
			for _, r := range tt.in {
				if r == role {
					want = http.StatusOK
				}
			}
			if got := s.askAs(t, role, tt.path, nil).status; got != want {
				t.Errorf("%s at %s: got %d, want %d", role, tt.path, got, want)
			}
		}
	}
	wantNone(t, s.ask(t, "/cases", nil), `href="/admin"`) // an officer's rail
	wantAll(t, s.ask(t, "/cases", nil), http.StatusOK, `href="/sources"`)
	wantNone(t, s.askAs(t, identity.Gate, "/admin/policy", nil), `href="/sources"`, `href="/admin"`)
}

func TestTheHomeOfAdministratorsSaysWhatNeedsAttention(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "bad", "A case", 0)
	s.newRun(t, c, 1, "clerk", time.Hour).step("no", map[string]any{"h": "x", "s": "failed"}).
		write("failed", "The model refused to answer.")
	page := s.askAs(t, identity.OrgAdmin, "/admin", nil)
	wantAll(t, page, http.StatusOK, "Agent poolpatrol/writer can do nothing: no route is called careful",
		"Runs that failed or used up their budget in 24 h: 1", "Token weigh bridge expires in 3 d",
		"Token old dashboard was not used for 200 d", "1 routes, 3 agents; spent today:", "4 sources", "Legal holds in force: 0",
		"3 tokens that work")
	wantNone(t, page, "Token collector", "Stations", "Fire detections") // which nobody has used yet
	s.fetched(t, "cpcb", "a,b\n1,2\n")
	s.set(t, `alter table gavel.fetch disable trigger user`)
	s.set(t, `update gavel.fetch set fetched_at = now() - interval '5 hours' where source = 'cpcb'`)
	wantAll(t, s.askAs(t, identity.Operator, "/admin", nil), http.StatusOK, "Stations is 4 h late")
	wantNone(t, s.askAs(t, identity.Operator, "/admin", nil), "Token weigh bridge", "legal holds in force") // neither is an operator's
	wantAll(t, s.askAs(t, identity.OrgAdmin, "/admin?lang=hi", nil), http.StatusOK, "ध्यान चाहिए", "Stations 4 घंटे विलंबित है")
}

func TestPolicyIsReadInWordsAndExplained(t *testing.T) {
	s := newStage(t)
	page := s.ask(t, "/admin/policy", nil)
	wantAll(t, page, http.StatusOK, "read cases", "case.close", "Administrator", "Gate guard", "gavel policy simulate",
		"/v1/policy/cells?format=csv")
	wantNone(t, page, "read:metrics")
	roles, table := strings.Index(page.body, `id="roles-h"`), strings.Index(page.body, `id="table-h"`)
	if roles < 0 || table < roles {
		t.Errorf("what roles may do stands at %d, the table at %d", roles, table)
	}
	if own := regexp.MustCompile(`(?s)<details[^>]*id="role-officer"[^>]* open>.*?</details>`).FindString(page.body); !strings.Contains(own,
		"<li>Read cases</li>") {
		t.Errorf("the reader's own role does not say what it may do: %.300s", own)
	}
	wantAll(t, s.ask(t, "/admin/policy?who=tokens", nil), http.StatusOK, "read:metrics")
	wantAll(t, s.ask(t, "/admin/policy?who=nobody", nil), http.StatusUnprocessableEntity)
	yes := s.ask(t, "/admin/policy?what=case.close&role=officer", nil)
	wantAll(t, yes, http.StatusOK, "Officer: case.close", "close-cases", "These policies decided:")
	no := s.ask(t, "/admin/policy?what=case.close&role=analyst", nil)
	wantAll(t, no, http.StatusOK, "Analyst: case.close", "Nearest to it:", "close-cases")
	wantAll(t, s.askAs(t, identity.OrgAdmin, "/admin/policy?what=audit.read&person=dev:auditor@north", nil), http.StatusOK,
		"dev:auditor@north: audit.read", "read-the-log")
	wantAll(t, s.ask(t, "/admin/policy?what=audit.read&person=dev:auditor@north", nil), http.StatusForbidden, "see who has which role")
	wantAll(t, s.ask(t, "/admin/policy?what=fly&role=officer", nil), http.StatusNotFound, "This cannot be answered")
	wantAll(t, s.ask(t, "/admin/policy?what=case.close&role=king", nil), http.StatusUnprocessableEntity, "This cannot be answered")
	wantAll(t, s.ask(t, "/admin/policy?lang=hi", nil), http.StatusOK, "कौन क्या कर सकता है")
}

func TestModelsPageAddsUpTheRecordedSteps(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "spend", "A case", 0)
	other := s.open(t, postgrestest.South, "theirs", "Not ours", 0)
	old := s.newRun(t, c, 1, "clerk", 20*24*time.Hour)
	for range 4 {
		old.step("x", map[string]any{"h": "x", "u": map[string]any{"m": 2_000_000}})
	}
	old.write("done", "")
	now := s.newRun(t, c, 2, "foreman", time.Minute)
	now.step("y", map[string]any{"h": "x", "u": map[string]any{"m": 1_500_000}}).write("out_of_budget", "The budget of calls is used up.")
	s.newRun(t, other, 3, "clerk", time.Minute).step("z", map[string]any{"h": "x", "u": map[string]any{"m": 900_000_000}}).write("done", "")
	page := s.askAs(t, identity.Operator, "/admin/models", nil)
	wantAll(t, page, http.StatusOK, "scripted-1", "127.0.0.1:9999", "INR 2.50", "INR 0.25", "INR 10.00", "general/clerk, general/foreman",
		"INR 1.50 · 812 tokens", "INR 9.50 · 4,060 tokens", "640 ms", "no such route", "INR 5.00", "no limit")
	wantNone(t, page, "900.00", "secret")
	byAgent := s.askAs(t, identity.Operator, "/admin/models?by=agent", nil)
	wantAll(t, byAgent, http.StatusOK, "general/clerk", "INR 8.00 · 3,248 tokens", "INR 1.50 · 812 tokens")
	wantAll(t, s.askAs(t, identity.Operator, "/admin/models?by=app", nil), http.StatusOK, "INR 9.50 · 4,060 tokens")
	wantAll(t, s.askAs(t, identity.Operator, "/admin/models?by=moon", nil), http.StatusUnprocessableEntity)
	rows, err := agent.NewStore(s.db.App, s.Vault, nil, durable.Clock{}).
		Spend(t.Context(), person(postgrestest.North, identity.Operator), agent.ByRoute,
			agent.PeriodsAt(time.Now()))
	if err == nil {
		t.Errorf("without policies anybody is told what was spent: %v", rows)
	}
}

func TestRetentionPageListsWhatMayNotBeErasedAndWhatWas(t *testing.T) {
	s := newStage(t)
	admin := person(postgrestest.North, identity.OrgAdmin)
	c := s.open(t, postgrestest.North, "held", "A case under appeal", 0)
	if _, err := s.Vault.Hold(t.Context(), admin, seal.Target{Case: string(c.ID)}, "Suit 12 of 2026.", time.Time{}); err != nil {
		t.Fatal(err)
	}
	gone, err := seal.ParseSubject("rider:R-9")
	if err != nil {
		t.Fatal(err)
	}
	done, err := s.Vault.Erase(t.Context(), admin, seal.Request{Subject: gone, Ground: seal.OnRequest})
	if err != nil {
		t.Fatal(err)
	}
	page := s.askAs(t, identity.OrgAdmin, "/admin/retention", nil)
	wantAll(t, page, http.StatusOK, "7 d, then it is deleted", "30 d, then it is deleted", "for ever", "Suit 12 of 2026.",
		"/cases/"+string(c.ID), "Demo org admin (north)",
		"rider:R-9", "/audit/"+string(done.Record), "/v1/erasures?format=csv")
	operator := s.askAs(t, identity.Operator, "/admin/retention", nil)
	wantAll(t, operator, http.StatusOK, "for ever", "You don&#39;t have access to holds and erasures")
	wantNone(t, operator, "rider:R-9", "Suit 12")
	wantNone(t, s.ask(t, "/admin/retention", nil, "Cookie", "gavel_dev="+token(t, postgrestest.South, identity.OrgAdmin)), "rider:R-9",
		"Suit 12")
}

func TestSourcesSayHowOldTheyAreAndWhatRestsOnThem(t *testing.T) {
	s := newStage(t)
	none := s.ask(t, "/sources", nil)
	wantAll(t, none, http.StatusOK, "Stations", "No data yet", "Not scheduled")
	wantNone(t, none, "Without it:", "badge warn") // nobody uses them yet
	first := s.fetched(t, "cpcb", "station,pm25\nAlipur,412\nJind,88\n")
	s.fetched(t, "cpcb", "station,pm25\nAlipur,399\n")
	s.fetched(t, "cpcb", "station,pm10\nAlipur,500\n") // another head: somebody changed something
	page := s.ask(t, "/sources?state=fresh", nil)
	wantAll(t, page, http.StatusOK, "Stations", "Fresh", "1 h", "open, with attribution", "/v1/sources?state=fresh&amp;format=csv")
	wantNone(t, page, "Fire detections", "No surge is seen")
	wantAll(t, s.ask(t, "/sources?state=late", nil), http.StatusOK, "No source has this status")
	one := s.ask(t, "/sources/cpcb", nil)
	wantAll(t, one, http.StatusOK, "Changes of form, 30 days", first.SHA256.String()[:16], string(first.ID), "text/csv")
	if n := strings.Count(one.body, `scope="row"`); n != 3 {
		t.Errorf("%d snapshots are listed, want 3", n)
	}
	st, err := s.office(t).Evidence.Standings(t.Context(), postgrestest.North)
	if err != nil || st[1].Changes != 1 || st[1].Fetches != 3 || st[1].LastID == "" {
		t.Errorf("got %+v, %v; want one change of form in three fetches", st[1], err)
	}
	operator := s.askAs(t, identity.Operator, "/sources/cpcb", nil)
	wantAll(t, operator, http.StatusOK, first.SHA256.String()[:16])
	wantNone(t, operator, string(first.ID)) // no way to what came
	wantAll(t, s.ask(t, "/sources/nowhere", nil), http.StatusNotFound)
	wantAll(t, s.ask(t, "/sources/riders", nil), http.StatusOK, "its bytes are kept sealed", "Nothing has come from it yet")
}

func TestARowOfASnapshotHasAnAddressOfItsOwn(t *testing.T) {
	s := newStage(t)
	var text strings.Builder
	text.WriteString("station,pm25\n")
	for i := range 100 {
		fmt.Fprintf(&text, "S%d,%d\n", i+1, 400+i)
	}
	snap := s.fetched(t, "cpcb", text.String())
	at := "/sources/cpcb/" + string(snap.ID)
	page := s.ask(t, at, nil)
	wantAll(t, page, http.StatusOK, snap.SHA256.String(), "https://example.org/cpcb.csv", `id="row-1"`, `id="row-40"`, at+"?row=41", "S40")
	wantNone(t, page, "S41<", "token=abc")
	wantAll(t, s.ask(t, at+"?row=77", nil), http.StatusOK, `id="row-77"`, `is-hit`, "S100", "First rows")
	wantAll(t, s.ask(t, at+"?row=101", nil), http.StatusNotFound, "there is no record 101; the last is 100")
	wantAll(t, s.ask(t, at+"?row=x", nil), http.StatusUnprocessableEntity)
	wantAll(t, s.ask(t, "/sources/firms/"+string(snap.ID), nil), http.StatusNotFound)
	wantAll(t, s.ask(t, at, nil, "Cookie", "gavel_dev="+token(t, postgrestest.South, identity.Officer)), http.StatusNotFound)
}

var zoneless = regexp.MustCompile(`[^0-9:][0-2][0-9]:[0-5][0-9]`)

// TestAllTimesOfAdministrationAreInTheOrganisationsZoneAndSayIt is statement 23 of
// the console's promises, for these pages.
func TestAllTimesOfAdministrationAreInTheOrganisationsZoneAndSayIt(t *testing.T) {
	s := newStage(t)
	s.paused(t, act.EveryOutside, "Wait.")
	s.fetched(t, "cpcb", "a,b\n1,2\n")
	for _, path := range []string{"/admin", "/admin/pauses", "/admin/models", "/admin/retention", "/sources", "/sources/cpcb"} {
		page := s.askAs(t, identity.OrgAdmin, path, nil)
		if !strings.Contains(page.body, "IST") {
			t.Errorf("%s does not name the zone", path)
		}
		for _, clock := range zoneless.FindAllString(page.body, -1) {
			if strings.HasPrefix(clock, time.Now().UTC().Format(" 15:")) {
				t.Errorf("%s shows %s, which is UTC", path, clock)
			}
		}
	}
}
