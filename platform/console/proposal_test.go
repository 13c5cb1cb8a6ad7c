package console_test

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

func TestAProposalSaysWhatWouldBeDoneBeforeItAsks(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "van", "Night shift check, van 14", 3*time.Hour)
	p := s.offer(t, c, "send_letter")
	page := s.ask(t, "/proposals/"+p.ID, nil)
	wantAll(t, page, http.StatusOK, "Send a letter to a rider", "The van stopped off its route on 6 of 9 nights", "R. Devi",
		"your shift has changed.",
		"You are about to: Send letter. It leaves the organisation, in the name of", "Can be undone for 1 h", ">Send letter</button>",
		"Edit…", "Send back…", "Reject…", "Decided by", "An officer", "0 of 1 signatures", "Night shift check, van 14", p.ShownSHA256,
		"Open until", "/runs/run_1")
	why, bar := strings.Index(page.body, "6 of 9 nights"), strings.Index(page.body, ">Send letter</button>")
	if why < 0 || bar < why {
		t.Error("the button comes before the reason")
	}
	hindi := s.ask(t, "/proposals/"+p.ID+"?lang=hi", nil)
	wantAll(t, hindi, http.StatusOK, "आप यह करने वाले हैं", "R. Devi", "अस्वीकार करें…")
	for _, part := range []string{"/head", "/after", "/bar", "/bar?answer=reject"} {
		whole, region := s.ask(t, "/proposals/"+p.ID+part, nil), s.ask(t, "/proposals/"+p.ID+part, nil, "Gavel-Region", "1")
		if whole.status != http.StatusOK || region.status != http.StatusOK || strings.Contains(region.body, "<html") {
			t.Errorf("%s answers %d as a page and %d as a region", part, whole.status, region.status)
		}
		if again := s.ask(t, "/proposals/"+p.ID+part, nil, "Gavel-Region", "1", "If-None-Match",
			region.header.Get("ETag")); again.status != http.StatusNotModified {
			t.Errorf("%s changes by itself: %d", part, again.status)
		}
	}
}

// TestEveryKindOfProposalComesBackFromItsForm is statement 9: each kind renders
// and round-trips typed edits; an unknown kind renders generically.
func TestEveryKindOfProposalComesBackFromItsForm(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "kinds", "Kinds", 0)
	for _, tl := range tools(t).All() {
		sample, ok := samples[tl.Name]
		if !ok {
			t.Fatalf("no arguments are known of %s", tl.Name)
		}
		p := s.offer(t, c, tl.Name)
		drawn := s.ask(t, "/proposals/"+p.ID+"/edit", nil)
		if drawn.status != http.StatusOK {
			t.Fatalf("the form of %s answers %d", tl.Name, drawn.status)
		}
		f, err := form.New(tl.Spec().Schema, p.Args)
		if err != nil {
			t.Fatal(err)
		}
		sent := f.Values()
		for name := range sent {
			if !strings.Contains(drawn.body, `name="`+html.EscapeString(name)+`"`) {
				t.Errorf("%s: the page has no control %s", tl.Name, name)
			}
		}
		sent.Set("do", "check")
		wantAll(t, s.ask(t, "/proposals/"+p.ID+"/edit", sent), http.StatusOK, "You changed nothing")
		if sample.control == "" {
			continue
		}
		sent.Set(sample.control, sample.typed)
		check := s.ask(t, "/proposals/"+p.ID+"/edit", sent)
		wantAll(t, check, http.StatusOK, "Your changes: 1", "as changed</button>")
		decision := hidden(check.body)
		decision.Set("verdict", "edit")
		if done := s.ask(t, "/proposals/"+p.ID+"/decisions", decision); done.status != http.StatusSeeOther {
			t.Fatalf("%s: the edit answers %d: %s", tl.Name, done.status, done.body)
		}
		if got := s.stands(t, p.ID); got.State != review.Edited || string(got.FinalArgs) != sample.want {
			t.Errorf("%s: %s with %s, want %s", tl.Name, got.State, got.FinalArgs, sample.want)
		}
		wantAll(t, s.ask(t, "/proposals/"+p.ID, nil), http.StatusOK, "Approved with these changes")
	}
}

func TestAProposalOfAnUnknownKindIsShownInFull(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "odd", "Odd", 0)
	p := s.offer(t, c, "send_letter", odd)
	page := s.ask(t, "/proposals/"+p.ID, nil)
	wantAll(t, page, http.StatusOK, "Band", "night", "Rates", "Until", "&#34;day&#34;: 14", "Rate", "4.5", "Approve "+p.ID)
	if strings.Contains(page.body, "Edit…") {
		t.Error("the page offers an edit that nobody could check")
	}
	if edit := s.ask(t, "/proposals/"+p.ID+"/edit", nil); edit.status != http.StatusConflict {
		t.Errorf("its form answers %d", edit.status)
	}
	if r := s.answer(t, identity.Officer, p, review.Approve, ""); r.status != http.StatusSeeOther ||
		s.stands(t, p.ID).State != review.Approved {
		t.Errorf("it cannot be approved: %d", r.status)
	}
	wantAll(t, s.ask(t, "/proposals/"+p.ID, nil), http.StatusOK, "On record")
	list := s.put(t, func() review.Proposal {
		q := p
		q.Key, q.Shown, q.Args = "run_1/list", json.RawMessage(`["nothing but a list"]`), json.RawMessage(`7`)
		return q
	}())
	wantAll(t, s.ask(t, "/proposals/"+list.ID, nil), http.StatusOK, "nothing but a list")
}

func TestWhatAnotherProgramAsksForSaysSo(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "mcp", "By another program", 0)
	p := s.offer(t, c, "send_letter", func(p *review.Proposal) {
		p.RequestedBy, p.Run = "dev:analyst@north", ""
		p.Shown = canon(t, map[string]any{"tool": "send_letter", "line": "Send a letter to a rider.", "effect": "outside", "args": p.Args,
			"by": p.RequestedBy, "via": "mcp", "taint": true, "case": c.ID})
	})
	page := s.ask(t, "/proposals/"+p.ID, nil)
	wantAll(t, page, http.StatusOK, "dev:analyst@north", "through MCP", "Another program asked for this")
	if strings.Contains(page.body, "/runs/") && strings.Contains(page.body, "open its run") {
		t.Error("the page leads to a run there is not")
	}
}

func TestTheQuestionWhetherAnActHappenedHasItsOwnButtons(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "unknown", "Unknown", 0)
	p := s.offer(t, c, "send_letter", func(p *review.Proposal) {
		p.Kind, p.Tool, p.Effect, p.Undo, p.Allowed = "act_unknown", "", "", 0, []review.Verdict{review.Approve, review.Reject}
		p.Shown = canon(t, map[string]any{"tool": "send_letter", "line": "Send a letter to a rider.", "args": p.Args, "act": "run_1/0",
			"question": "Was this done?", "case": c.ID})
	})
	page := s.ask(t, "/proposals/"+p.ID, nil)
	wantAll(t, page, http.StatusOK, "Was it done: Send letter?", ">It was done</button>", "It was not done…",
		"Nothing is repeated either way")
	if strings.Contains(page.body, "Send back…") || strings.Contains(page.body, "Edit…") {
		t.Error("answers are offered that it does not allow")
	}
}

// TestOpeningAProposalChangesNothing is statement 1: GET and HEAD on every
// decision address change nothing.
func TestOpeningAProposalChangesNothing(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "get", "Get", 0)
	p := s.offer(t, c, "send_letter")
	decided := s.offer(t, c, "send_letter")
	s.answer(t, identity.Officer, decided, review.Approve, "")
	before := s.tally(t)
	query := "?" + url.Values{"verdict": {"approve"}, "id": {"decision-1"}, "shown": {p.ShownSHA256}, "reason": {"x"}, "do": {"claim"},
		"until": {"hour"}, "answer": {"reject"}, "done": {"approve"}}.Encode()
	for _, id := range []string{p.ID, decided.ID} {
		for _, part := range []string{"", "/head", "/after", "/bar", "/edit", "/decisions", "/undo", "/claim", "/snooze", "/opened"} {
			for _, method := range []string{http.MethodGet, http.MethodHead} {
				req, err := http.NewRequestWithContext(t.Context(), method, s.server.URL+"/proposals/"+id+part+query, nil)
				if err != nil {
					t.Fatal(err)
				}
				req.AddCookie(&http.Cookie{Name: "gavel_dev", Value: token(t, postgrestest.North, identity.Officer)})
				req.Header.Set("Accept", "text/html")
				res, err := http.DefaultTransport.RoundTrip(req)
				if err != nil {
					t.Fatal(err)
				}
				res.Body.Close()
				if res.StatusCode >= 500 {
					t.Errorf("%s %s answers %d", method, part, res.StatusCode)
				}
			}
		}
	}
	s.ask(t, "/inbox", nil)
	if after := s.tally(t); after != before {
		t.Errorf("reading changed something:\n%s\n%s", before, after)
	}
	if n := one[int](t, s.db, `select (select count(*) from gavel.proposal_claim) + (select count(*)
		from gavel.proposal_snooze) + (select count(*) from gavel.proposal_opened)`); n != 0 {
		t.Errorf("reading left %d marks", n)
	}
}

func TestADecisionIsTakenOnceHoweverOftenItIsSent(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "twice", "Twice", 0)
	p := s.offer(t, c, "send_letter")
	sent := hidden(s.ask(t, "/proposals/"+p.ID, nil).body)
	sent.Set("verdict", "approve")
	var group sync.WaitGroup
	answers := make([]reply, 5)
	for i := range answers {
		group.Go(func() { answers[i] = s.ask(t, "/proposals/"+p.ID+"/decisions", sent) })
	}
	group.Wait()
	for _, a := range answers {
		if a.status != http.StatusSeeOther || a.header.Get("Location") != "/proposals/"+p.ID+"?done=approve" {
			t.Errorf("got %d to %s", a.status, a.header.Get("Location"))
		}
	}
	if n := one[int](t, s.db, `select count(*) from gavel.decision`); n != 1 {
		t.Errorf("%d decisions, want one", n)
	}
	if n := one[int](t, s.db, `select count(*) from gavel.act`); n != 1 {
		t.Errorf("%d acts, want one", n)
	}
	wantAll(t, s.ask(t, "/proposals/"+p.ID+"?done=approve", nil), http.StatusOK, "Your approval is on record", "Held until",
		"Can be undone until", "Undo with a reason…")
}

// TestADecisionBindsToWhatWasRead is statement 2 for the page.
func TestADecisionBindsToWhatWasRead(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "stale", "Stale", 0)
	old := s.offer(t, c, "send_letter", func(p *review.Proposal) {
		p.Args = json.RawMessage(strings.Replace(string(p.Args), "R. Devi", "A. Sen", 1))
	})
	p := s.offer(t, c, "send_letter")
	before := s.tally(t)
	form := url.Values{"id": {"decision-stale"}, "verdict": {"approve"}}
	wantAll(t, s.ask(t, "/proposals/"+p.ID+"/decisions", form), http.StatusPreconditionRequired, "Your decision was not saved",
		">Send letter</button>")
	form.Set("shown", strings.Repeat("0", 64))
	wantAll(t, s.ask(t, "/proposals/"+p.ID+"/decisions", form), http.StatusPreconditionFailed, "This proposal changed while you read it",
		"is-stale", ">Send letter</button>")
	form.Set("shown", old.ShownSHA256) // the document of another proposal of the case: what differs is said
	wantAll(t, s.ask(t, "/proposals/"+p.ID+"/decisions", form), http.StatusPreconditionFailed, "What changed since", "<del>Sen</del>",
		"<ins>Devi</ins>")
	if after := s.tally(t); after != before {
		t.Errorf("a decision on something else left its mark:\n%s\n%s", before, after)
	}
}

func TestNobodyDecidesWhatTheyAskedFor(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "own", "Own", 0)
	me := "dev:officer@north"
	for name, tt := range map[string]struct {
		edit func(*review.Proposal)
		says string
	}{
		"asked for it":  {func(p *review.Proposal) { p.RequestedBy = me }, "You asked for this"},
		"in their name": {func(p *review.Proposal) { p.OnBehalfOf = me }, "You asked for this"},
		"made it":       {func(p *review.Proposal) { p.Makers = []string{me} }, "This is about something you made"},
		"another role": {func(p *review.Proposal) { p.Deciders = []identity.Role{identity.HR} },
			"You don&#39;t have access to decide this"},
		"another confirms": {func(p *review.Proposal) {
			p.Gate, p.Deciders, p.OnBehalfOf = review.ByOneself, nil, "p:rider"
		}, "Only the person it is done for"},
	} {
		p := s.offer(t, c, "send_letter", tt.edit)
		page := s.ask(t, "/proposals/"+p.ID, nil)
		wantAll(t, page, http.StatusOK, tt.says)
		if strings.Contains(page.body, `name="verdict"`) {
			t.Errorf("%s: the page offers to decide", name)
		}
		form := url.Values{"id": {"decision-" + p.ID}, "verdict": {"approve"}, "shown": {p.ShownSHA256}}
		if r := s.ask(t, "/proposals/"+p.ID+"/decisions", form); r.status != http.StatusForbidden ||
			s.stands(t, p.ID).State != review.Open {
			t.Errorf("%s: got %d, want 403 and nothing done", name, r.status)
		}
		if r := s.ask(t, "/proposals/"+p.ID+"/edit", nil); r.status != http.StatusForbidden {
			t.Errorf("%s: the form answers %d", name, r.status)
		}
	}
	if n := one[int](t, s.db, `select count(*) from gavel.record where kind = 'refusal'`); n != 5 {
		t.Errorf("%d refusals are on record, want 5", n)
	}
}

// TestTwoGatesInOneCaseAreDecidedInEitherOrder is statement 10.
func TestTwoGatesInOneCaseAreDecidedInEitherOrder(t *testing.T) {
	s := newStage(t)
	for i, order := range [][]int{{0, 1}, {1, 0}} {
		c := s.open(t, postgrestest.North, fmt.Sprintf("two-%d", i), "Two gates", 0)
		gates := []review.Proposal{s.offer(t, c, "send_letter"), s.offer(t, c, "place_order")}
		wantAll(t, s.ask(t, "/proposals/"+gates[0].ID, nil), http.StatusOK, gates[1].ID)
		for _, at := range order {
			if r := s.answer(t, identity.Officer, gates[at], review.Approve, ""); r.status != http.StatusSeeOther {
				t.Fatalf("gate %d of order %v: %d %s", at, order, r.status, r.body)
			}
		}
		for _, g := range gates {
			if got := s.stands(t, g.ID).State; got != review.Approved {
				t.Errorf("order %v: %s is %s", order, g.ID, got)
			}
		}
	}
}

func TestRejectingAndSendingBackNeedAReason(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "why", "Why", 0)
	for verdict, state := range map[review.Verdict]review.State{review.Reject: review.Rejected, review.SendBack: review.SentBack} {
		p := s.offer(t, c, "send_letter")
		wantAll(t, s.ask(t, "/proposals/"+p.ID+"?answer="+string(verdict), nil), http.StatusOK, `name="reason"`, "Keep deciding")
		if r := s.answer(t, identity.Officer, p, verdict, "  "); r.status != http.StatusUnprocessableEntity ||
			!strings.Contains(r.body, `name="reason"`) {
			t.Errorf("%s without a reason answers %d", verdict, r.status)
		}
		long := s.answer(t, identity.Officer, p, verdict, strings.Repeat("क", 2001))
		if long.status != http.StatusRequestEntityTooLarge || !strings.Contains(long.body, strings.Repeat("क", 2001)) {
			t.Errorf("a reason that is too long answers %d and loses what was typed", long.status)
		}
		if r := s.answer(t, identity.Officer, p, verdict, "Check the roster first."); r.status != http.StatusSeeOther {
			t.Fatalf("%s: %d %s", verdict, r.status, r.body)
		}
		if got := s.stands(t, p.ID).State; got != state {
			t.Errorf("%s made it %s", verdict, got)
		}
		wantAll(t, s.ask(t, "/proposals/"+p.ID, nil), http.StatusOK, "Check the roster first.", "Demo officer (north)", "Nothing was done")
	}
}

func TestWhatIsDecidedSaysByWhomAndWhen(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "done", "Done", 0)
	p := s.offer(t, c, "place_order")
	late := hidden(s.askAs(t, identity.Officer, "/proposals/"+p.ID, nil).body)
	s.answer(t, identity.Officer, p, review.Approve, "")
	late.Set("verdict", "reject")
	late.Set("reason", "Too late.")
	wantAll(t, s.ask(t, "/proposals/"+p.ID+"/decisions", late), http.StatusConflict, "Your decision was not saved", "Approved",
		"by Demo officer (north)")
	if r := s.ask(t, "/proposals/"+p.ID+"/edit", nil); r.status != http.StatusConflict {
		t.Errorf("its form answers %d", r.status)
	}
}

// TestUndoInsideTheWindowLeavesNoAct is statement 5: no act, two records.
func TestUndoInsideTheWindowLeavesNoAct(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "undo", "Undo", 0)
	p := s.offer(t, c, "send_letter")
	s.answer(t, identity.Officer, p, review.Approve, "")
	if r := s.answer(t, identity.Officer, p, review.Undo, ""); r.status != http.StatusUnprocessableEntity {
		t.Errorf("undoing without a reason answers %d", r.status)
	}
	if r := s.answer(t, identity.Officer, p, review.Undo, "Wrong rider."); r.status != http.StatusSeeOther {
		t.Fatalf("undoing answers %d: %s", r.status, r.body)
	}
	a, err := s.Acts.Get(t.Context(), postgrestest.North, p.Key)
	if err != nil || a.State != act.Undone {
		t.Errorf("the act is %s, %v; want undone", a.State, err)
	}
	if n := one[int](t, s.db, `select count(*) from gavel.record where kind = 'decision' and json like '%' || $1 || '%'`,
		`"`+p.ID+`"`); n != 2 {
		t.Errorf("%d decisions are on record, want 2", n)
	}
	page := s.ask(t, "/proposals/"+p.ID, nil)
	wantAll(t, page, http.StatusOK, "Called off before it began", "Wrong rider.", "Called off by Demo officer (north)")
	if strings.Contains(page.body, "data-left=") || strings.Contains(page.body, "/undo") {
		t.Error("what is undone can be undone again")
	}
}

func TestSeveralSignaturesAreShownAsSlots(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "sign", "Sign", 0)
	p := s.offer(t, c, "send_letter", func(p *review.Proposal) {
		p.Required, p.Deciders = 2, []identity.Role{identity.Officer, identity.ProgrammeManager}
	})
	page := s.ask(t, "/proposals/"+p.ID, nil)
	wantAll(t, page, http.StatusOK, "0 of 2 signatures", "Sign 1 of 2: Send letter")
	if strings.Contains(page.body, "Edit…") {
		t.Error("what several sign can be edited by one")
	}
	s.answer(t, identity.Officer, p, review.Approve, "")
	wantAll(t, s.ask(t, "/proposals/"+p.ID+"?done=approve", nil), http.StatusOK, "1 of 2 signatures", "Signatures still needed: 1",
		"You have signed. It waits for others.")
	wantAll(t, s.askAs(t, identity.ProgrammeManager, "/proposals/"+p.ID, nil), http.StatusOK, "Sign 2 of 2: Send letter")
	s.answer(t, identity.ProgrammeManager, p, review.Approve, "")
	if got := s.stands(t, p.ID).State; got != review.Approved {
		t.Errorf("two signatures made it %s", got)
	}
}

func TestPeopleDecideWhileTheEngineIsAway(t *testing.T) {
	s := newStage(t)
	s.stopped.Store(true)
	c := s.open(t, postgrestest.North, "away", "Away", 0)
	p := s.offer(t, c, "place_order")
	wantAll(t, s.ask(t, "/proposals/"+p.ID, nil), http.StatusOK, "The workflow engine is down", "is done when the engine is back")
	if r := s.answer(t, identity.Officer, p, review.Approve, ""); r.status != http.StatusSeeOther {
		t.Fatalf("deciding answers %d", r.status)
	}
	wantAll(t, s.ask(t, "/proposals/"+p.ID+"?done=approve", nil), http.StatusOK, "Waits for the engine",
		"It will be carried out when the engine is back")
	if n := one[int](t, s.db, `select count(*) from gavel.act where state = 'planned'`); n != 1 {
		t.Errorf("%d acts wait, want one", n)
	}
}

func TestAFormSaysWhatIsWrongAndKeepsWhatWasTyped(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "form", "Form", 0)
	p := s.offer(t, c, "send_letter")
	schema := func() json.RawMessage { tl, _ := tools(t).Find("general", "send_letter"); return tl.Spec().Schema }()
	fill := func(change map[string]string) url.Values {
		f, err := form.New(schema, p.Args)
		if err != nil {
			t.Fatal(err)
		}
		sent := f.Values()
		sent.Set("do", "check")
		for name, text := range change {
			sent.Set(name, text)
		}
		return sent
	}
	path := "/proposals/" + p.ID + "/edit"
	wantAll(t, s.ask(t, path, fill(map[string]string{"v/copies": "two", "v/to": "Somebody else"})), http.StatusUnprocessableEntity,
		"Write a number in digits", "two", "Somebody else", `aria-invalid="true"`, "Nothing was decided")
	check := s.ask(t, path, fill(map[string]string{"v/to": "the mayor", "v/text": "Dear R.,\r\nyour route has changed."}))
	wantAll(t, check, http.StatusOK, "Your changes: 2", "<del>shift</del>", "<ins>route</ins>", "the mayor")
	decision := hidden(check.body)
	decision.Set("verdict", "edit")
	wantAll(t, s.ask(t, "/proposals/"+p.ID+"/decisions", decision), http.StatusForbidden, "policy does not allow letters to the mayor")
	again := hidden(check.body)
	wantAll(t, s.ask(t, path, url.Values{"do": {"again"}, "edit": {again.Get("edit")}}), http.StatusOK, "the mayor", `name="base"`)
	// What cannot be done as things stand is said at its field, at the check and at the decision.
	wantAll(t, s.ask(t, path, fill(map[string]string{"v/copies": "51"})), http.StatusConflict, "Write 50 or less", `aria-invalid="true"`,
		"Nothing was decided")
	many := hidden(check.body)
	many.Set("verdict", "edit")
	many.Set("edit", strings.Replace(string(p.Args), `"copies":2`, `"copies":51`, 1))
	wantAll(t, s.ask(t, "/proposals/"+p.ID+"/decisions", many), http.StatusConflict, "Write 50 or less", "Check the changes")
	if got := s.stands(t, p.ID).State; got != review.Open {
		t.Errorf("it is %s", got)
	}
	bad := url.Values{"id": {"decision-bad"}, "verdict": {"edit"}, "shown": {p.ShownSHA256}, "edit": {`{"copies":"3"}`}}
	wantAll(t, s.ask(t, "/proposals/"+p.ID+"/decisions", bad), http.StatusUnprocessableEntity, "args.", "Check the changes")
}

func TestRowsAreAddedAndTakenAwayWithoutScript(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "rows", "Rows", 0)
	p := s.offer(t, c, "place_order")
	tl, _ := tools(t).Find("general", "place_order")
	f, err := form.New(tl.Spec().Schema, p.Args)
	if err != nil {
		t.Fatal(err)
	}
	path, sent := "/proposals/"+p.ID+"/edit", f.Values()
	sent.Set("do", "add:/items")
	wantAll(t, s.ask(t, path, sent), http.StatusOK, `name="v/items/n1/what"`, "laptop", "badge")
	sent.Set("rows/items", "1,n1")
	for name, text := range map[string]string{"v/items/n1/what": "keys", "v/items/n1/count": "5", "is/items/n1/price": "out*",
		"v/items/n1/price": "", "do": "check"} {
		sent.Set(name, text)
	}
	check := s.ask(t, path, sent)
	wantAll(t, check, http.StatusOK, "Items › Row 1", "keys")
	again := s.ask(t, path, url.Values{"do": {"again"}, "edit": {hidden(check.body).Get("edit")}})
	wantAll(t, again, http.StatusOK, `name="v/items/1/what"`, "keys", `name="base"`)
	decision := hidden(check.body)
	decision.Set("verdict", "edit")
	s.ask(t, "/proposals/"+p.ID+"/decisions", decision)
	if got, want := string(s.stands(t, p.ID).FinalArgs),
		`"items":[{"count":2,"price":0.5,"what":"badge"},{"count":5,"what":"keys"}]`; !strings.Contains(got, want) {
		t.Errorf("got %s, want %s in it", got, want)
	}
}

func TestAProposalOfAnotherOrganisationIsNotThere(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.South, "south", "South", 0)
	p := s.offer(t, c, "send_letter")
	for _, part := range []string{"", "/edit", "/bar"} {
		if r := s.ask(t, "/proposals/"+p.ID+part, nil); r.status != http.StatusNotFound {
			t.Errorf("%s answers %d", part, r.status)
		}
	}
	form := url.Values{"id": {"decision-south"}, "verdict": {"approve"}, "shown": {p.ShownSHA256}}
	if r := s.ask(t, "/proposals/"+p.ID+"/decisions", form); r.status != http.StatusNotFound {
		t.Errorf("deciding answers %d", r.status)
	}
	for _, r := range []reply{s.ask(t, "/proposals/"+p.ID+"/decisions", form, "Sec-Fetch-Site", "cross-site"),
		s.ask(t, "/proposals/"+p.ID+"/decisions", form, "Origin", "https://elsewhere.example")} {
		if r.status != http.StatusForbidden {
			t.Errorf("a form of another site answers %d", r.status)
		}
	}
	if r := s.ask(t, "/proposals/"+p.ID, nil, "Cookie", "none=1"); r.status != http.StatusSeeOther {
		t.Errorf("somebody who is not signed in gets %d", r.status)
	}
}
