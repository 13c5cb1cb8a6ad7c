package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

func TestTheInboxListsWhatNeedsThePerson(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "van", "Night shift check, van 14", 0)
	wantAll(t, s.ask(t, "/inbox", nil), http.StatusOK, "Nothing needs you", "1 case needs nothing from you now", "Waiting on others")
	for _, view := range []string{"waiting", "snoozed", "done"} {
		wantAll(t, s.ask(t, "/inbox?view="+view, nil), http.StatusOK, `class="panel empty"`)
	}
	mine := s.offer(t, c, "send_letter")
	other := s.offer(t, c, "place_order", func(p *review.Proposal) { p.Deciders = []identity.Role{identity.HR} })
	page := s.ask(t, "/inbox", nil)
	wantAll(t, page, http.StatusOK, "Send a letter to a rider", mine.ID, c.Ref, "Night shift check, van 14", "your role: Officer",
		"Leaves the organisation", `href="/inbox?open=`+mine.ID+`#open-h"`)
	if strings.Contains(page.body, "row-"+other.ID) {
		t.Error("the inbox lists what another role decides")
	}
	if region := s.ask(t, "/inbox/rows", nil, "Gavel-Region", "1"); region.status != http.StatusOK || strings.Contains(region.body,
		"<html") || !strings.Contains(region.body, mine.ID) {
		t.Errorf("the rows alone answer %d", region.status)
	}
	s.answer(t, identity.Officer, mine, review.Approve, "")
	if page := s.ask(t, "/inbox", nil); strings.Contains(page.body, "row-"+mine.ID) {
		t.Error("what is decided stays in the list")
	}
	wantAll(t, s.ask(t, "/inbox?view=done", nil), http.StatusOK, "row-"+mine.ID, "can be undone until")
	for _, bad := range []string{"?view=nonsense", "?app=NO", "?after=zzz", "?group=never", "?view=done&group=today", "?kind=NO",
		"?view=" + strings.Repeat("x", 500)} {
		if r := s.ask(t, "/inbox"+bad, nil); r.status != http.StatusUnprocessableEntity {
			t.Errorf("%.20s answers %d", bad, r.status)
		}
	}
	if r := s.ask(t, "/inbox?open=P-999", nil); r.status != http.StatusNotFound {
		t.Errorf("what is not there opens with %d", r.status)
	}
	wantAll(t, s.ask(t, "/inbox?lang=hi", nil), http.StatusOK, "आपके लिए कुछ नहीं")
}

func TestACaseAndARunLeadToWhatWaits(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "gates", "Gates", 0)
	p := s.offer(t, c, "send_letter")
	wantAll(t, s.ask(t, "/cases/"+string(c.ID)+"/gates", nil), http.StatusOK, "Waits for a decision", `href="/proposals/`+p.ID+`"`)
	wantAll(t, s.ask(t, "/cases/"+string(c.ID), nil), http.StatusOK, "Draft: proposal "+p.ID, `href="/proposals/`+p.ID+`"`)
	s.answer(t, identity.Officer, p, review.Reject, "No.")
	if page := s.ask(t, "/cases/"+string(c.ID), nil); strings.Contains(page.body, "Draft: proposal "+p.ID) {
		t.Error("the case's page lists what is decided as waiting")
	}
	_, run := s.sampleRuns(t)
	wantAll(t, s.ask(t, "/runs/"+run, nil), http.StatusOK, `href="/proposals/P-3"`, "Open P-3")
}

func TestPuttingOffAndLookingDecideNothing(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "later", "Later", 0)
	p := s.offer(t, c, "send_letter", func(p *review.Proposal) {
		p.Deciders, p.ExpiresAt = []identity.Role{identity.Officer, identity.ProgrammeManager}, time.Now().Add(30*24*time.Hour)
	})
	path := "/proposals/" + p.ID
	if r := s.ask(t, path+"/snooze", url.Values{"until": {"week"}}); r.status != http.StatusSeeOther {
		t.Fatalf("putting off answers %d: %s", r.status, r.body)
	}
	wantAll(t, s.ask(t, path+"?done=snooze", nil), http.StatusOK, "Snoozed: it is out of your inbox for now", "snoozed until", "End snooze")
	wantAll(t, s.ask(t, "/inbox?view=snoozed", nil), http.StatusOK, "row-"+p.ID)
	wantAll(t, s.askAs(t, identity.ProgrammeManager, "/inbox", nil), http.StatusOK, "row-"+p.ID)
	if r := s.ask(t, path+"/snooze", url.Values{"until": {"back"}}); r.status != http.StatusSeeOther {
		t.Errorf("bringing back answers %d", r.status)
	}
	wantAll(t, s.ask(t, "/inbox", nil), http.StatusOK, "row-"+p.ID)
	wantAll(t, s.ask(t, path+"/snooze", url.Values{"until": {"never"}}), http.StatusUnprocessableEntity,
		"“never” is not one of the choices")
	if r := s.ask(t, path+"/claim", url.Values{"do": {"claim"}}); r.status != http.StatusSeeOther {
		t.Fatalf("claiming answers %d", r.status)
	}
	wantAll(t, s.ask(t, path, nil), http.StatusOK, ">Release<")
	wantAll(t, s.askAs(t, identity.ProgrammeManager, path, nil), http.StatusOK, "Claimed by Demo officer (north)",
		"Others can still decide", ">Send letter</button>")
	if r := s.ask(t, path+"/claim", url.Values{"do": {"unclaim"}}); r.status != http.StatusSeeOther {
		t.Errorf("stopping to look answers %d", r.status)
	}
	if r := s.askAs(t, identity.HR, path+"/claim", url.Values{"do": {"claim"}}); r.status != http.StatusForbidden {
		t.Errorf("who may not decide claims it: %d", r.status)
	}
	if got := s.stands(t, p.ID).State; got != review.Open {
		t.Errorf("it is %s", got)
	}
}

func TestWhatWasOpenGoesIntoTheDecision(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "eyes", "Eyes", 0)
	p := s.offer(t, c, "send_letter")
	wantAll(t, s.ask(t, "/proposals/"+p.ID, nil), http.StatusOK, `data-opened="/proposals/`+p.ID+`/opened"`)
	for _, sent := range []url.Values{{"what": {"page"}, "seconds": {"15"}}, {"what": {"page"}, "seconds": {"7"}},
		{"what": {"fold:exact"}, "seconds": {"3"}}} {
		if r := s.ask(t, "/proposals/"+p.ID+"/opened", sent); r.status != http.StatusNoContent {
			t.Fatalf("%v answers %d: %s", sent, r.status, r.body)
		}
	}
	for _, bad := range []url.Values{{"what": {"page"}, "seconds": {"many"}}, {"what": {"<b>"}, "seconds": {"1"}},
		{"what": {"page"}, "seconds": {"-1"}}} {
		if r := s.ask(t, "/proposals/"+p.ID+"/opened", bad); r.status != http.StatusUnprocessableEntity {
			t.Errorf("%v answers %d", bad, r.status)
		}
	}
	s.answer(t, identity.Officer, p, review.Approve, "")
	made, err := s.desk.Decisions(t.Context(), postgrestest.North, p.ID)
	if err != nil || len(made) != 1 || made[0].OpenSeconds == nil || *made[0].OpenSeconds != 25 || !strings.Contains(made[0].Opened,
		"fold:exact") {
		t.Errorf("the decision says %+v, %v", made, err)
	}
}

// TestAProposalIsHandedOverToSomebodyChosenByName promises that a page which asks for a
// colleague offers them by name, and that who may only read it still reads it.
func TestAProposalIsHandedOverToSomebodyChosenByName(t *testing.T) {
	s := newStage(t)
	p := s.offer(t, s.open(t, postgrestest.North, "over", "Over", 0),
		"send_letter", func(p *review.Proposal) { p.Deciders = append(p.Deciders, identity.Auditor) })
	for _, path := range []string{"/proposals/" + p.ID, "/inbox?open=" + p.ID} {
		wantAll(t, s.ask(t, path, nil), http.StatusOK, `id="assign-to"`, `<option value="dev:officer@north"`)
	}
	if page := s.askAs(t, identity.Auditor, "/proposals/"+p.ID, nil); page.status != http.StatusOK ||
		strings.Contains(page.body, `id="assign-to"`) {
		t.Errorf("to who may not decide by policy it answers %d, or asks whom to hand it to", page.status)
	}
}

func TestSomebodyElseDecidesWhileOneIsAway(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "leave", "Leave", 0)
	p := s.offer(t, c, "send_letter")
	manager := identity.ProgrammeManager
	wantAll(t, s.askAs(t, manager, "/proposals/"+p.ID, nil), http.StatusOK, "You don&#39;t have access to decide this")
	nobody := s.ask(t, "/delegations", nil)
	wantAll(t, nobody, http.StatusOK, "Nothing is delegated by you or to you",
		`<option value="dev:programme_manager@north">S. Rao · dev:programme_manager@north</option>`)
	if strings.Contains(nobody.body, `<option value="dev:officer@north"`) {
		t.Error("one is offered oneself to decide in one's stead")
	}
	form := url.Values{"to": {"dev:nobody@north"}, "until": {time.Now().AddDate(0, 0, 7).Format(time.DateOnly)}, "reason": {"On leave."}}
	wantAll(t, s.ask(t, "/delegations", form), http.StatusNotFound, "Nothing was delegated or ended", "dev:nobody@north", "On leave.")
	form.Set("until", "soon")
	wantAll(t, s.ask(t, "/delegations", form), http.StatusUnprocessableEntity, "is no date")
	form.Set("to", "dev:programme_manager@north")
	form.Set("until", time.Now().AddDate(0, 0, 7).Format(time.DateOnly))
	if r := s.ask(t, "/delegations", form); r.status != http.StatusSeeOther {
		t.Fatalf("delegating answers %d: %s", r.status, r.body)
	}
	wantAll(t, s.askAs(t, manager, "/delegations", nil), http.StatusOK, "You decide on behalf of", "End it now")
	wantAll(t, s.askAs(t, manager, "/inbox", nil), http.StatusOK, "row-"+p.ID, "delegated by")
	wantAll(t, s.askAs(t, manager, "/proposals/"+p.ID, nil), http.StatusOK, "You decide on behalf of", ">Send letter</button>")
	if r := s.answer(t, manager, p, review.Approve, ""); r.status != http.StatusSeeOther {
		t.Fatalf("deciding in somebody's stead answers %d: %s", r.status, r.body)
	}
	wantAll(t, s.ask(t, "/proposals/"+p.ID, nil), http.StatusOK, "on behalf of dev:officer@north", "1 of 1 signatures")
	list, _, err := s.desk.Delegations(t.Context(), person(postgrestest.North, identity.Officer),
		review.DelegationQuery{Person: "dev:officer@north"})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d delegations, %v", len(list), err)
	}
	if r := s.ask(t, "/delegations/"+list[0].ID+"/end", url.Values{}); r.status != http.StatusSeeOther {
		t.Errorf("ending it answers %d", r.status)
	}
	wantAll(t, s.askAs(t, manager, "/proposals/"+s.offer(t, c, "send_letter").ID, nil), http.StatusOK,
		"You don&#39;t have access to decide this")
}
