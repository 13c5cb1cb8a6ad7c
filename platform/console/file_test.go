package console_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/a-h/templ"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// samplePart is what an application says of its cases.
func samplePart() console.Part {
	return console.Part{
		Standing: func(_ context.Context, _ *web.Page, one casefile.Case) (console.Standing, error) {
			return console.Standing{
				Owner: "S. Rao",
				Verdict: &console.Verdict{Label: "likely", Confidence: console.Confidence{Value: 0.78, Low: 0.64, High: 0.87,
					Scale: console.Share},
					For: []string{"E1"}, WouldChange: "a closure notice for Sector 9 on four or more nights", Rule: "shift-3"},
				Next: &console.Next{What: "Reminder 2 to the driver", At: one.OpenedAt.Add(72 * time.Hour), Unless: "a reply arrives"},
				Stages: []console.Stage{{Name: "Opened", Reach: console.Reached, At: one.OpenedAt},
					{Name: "Driver asked", Reach: console.Reached, At: one.OpenedAt.Add(time.Minute)},
					{Name: "Reply", Reach: console.Reached, Wait: "waited 14 h"}, {Name: "Outreach to riders", Reach: console.Current,
						Due: one.OpenedAt.Add(5 * time.Hour), Note: "your decision"},
					{Name: "Re-audit", Note: "up to 3"}, {Name: "Closed"}},
				Missing: []console.Missing{{What: "Fuel log, 6 to 12 Nov",
					Why: "Asked of the depot 12 Nov; not received. Without it, distance driven is unknown."}},
			}, nil
		},
		Panel: func(context.Context, *web.Page, casefile.Case) (templ.Component, error) {
			return templ.ComponentFunc(func(_ context.Context, w io.Writer) error {
				_, err := io.WriteString(w, `<section class="panel panel-body"><h2>Roster of the van</h2><p>Five riders.</p></section>`)
				return err
			}), nil
		},
		After: func(_ context.Context, _ *web.Page, _ casefile.Case, a act.Act) ([]console.Stage, error) {
			if a.State != act.Done {
				return nil, nil
			}
			return []console.Stage{{Name: "Delivered", Reach: console.Reached, At: *a.EndedAt}, {Name: "Replied"}}, nil
		},
		Theirs: func(context.Context, casefile.Case) ([]fact.ID, error) { return []fact.ID{"F1", "F2", "F4"}, nil },
		WhatIf: func(_ context.Context, lang web.Lang, _ casefile.Case, id fact.ID, value string) (string, error) {
			return fmt.Sprintf("[%s] unlikely, with %s at %s", lang, id, value), nil
		},
	}
}

// onSide puts a document on a case, on a side.
func (s *stage) onSide(t testing.TB, id casefile.CaseID, side evidence.Side, title string) {
	t.Helper()
	snap, err := s.Evidence.Take(t.Context(), bundletest.Analyst, evidence.Receipt{Source: "cpcb", ContentType: "text/plain"},
		strings.NewReader(title))
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Evidence.Put(t.Context(), bundletest.Analyst, id, evidence.Putting{SHA256: snap.SHA256, Title: title,
		Side: side}); err != nil {
		t.Fatal(err)
	}
}

func TestWhatSpeaksAgainstAndWhatIsUnknownStandBesideWhatSpeaksFor(t *testing.T) {
	s := newStageWith(t, console.Part{Standing: func(context.Context, *web.Page, casefile.Case) (console.Standing, error) {
		return console.Standing{Missing: []console.Missing{{What: "Fuel log", Why: "asked, not received"}}}, nil
	}})
	id := s.Case(t, 3)
	s.onSide(t, id, evidence.Against, "The driver's reply")
	at := "/cases/" + string(id)
	page := s.ask(t, at, nil)
	wantAll(t, page, http.StatusOK, `id="E1"`, `id="E4"`, "The driver&#39;s reply", "Fuel log", "asked, not received", "Missing",
		`<b>3</b> for`, `<b>1</b> against`, `<b>1</b> unknown`)
	for side, n := range map[string]int{"for": 3, "against": 1, "unknown": 1} {
		narrowed := s.ask(t, at+"?side="+side, nil)
		wantAll(t, narrowed, http.StatusOK, `side-`+side, `id="E4"`) // a tab hides; a note may still point there
		if got := regexp.MustCompile(`(?s)side=` + side + `#corr"[^>]*aria-current="true".*?<span class="count">(\d+)</span>`).
			FindStringSubmatch(narrowed.body); got == nil || got[1] != fmt.Sprint(n) {
			t.Errorf("the tab %s counts %v, want %d", side, got, n)
		}
	}
	wantAll(t, s.ask(t, at+"?side=sideways", nil), http.StatusUnprocessableEntity, "“sideways” is not one of the choices")
	bare := s.open(t, postgrestest.North, "bare", "Bare", 0)
	wantAll(t, s.ask(t, "/cases/"+string(bare.ID)+"?side=against", nil), http.StatusOK, "Nothing speaks against it", "Show all evidence")
}

func TestANoteLeadsToTheRowsItCites(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	officer := person(postgrestest.North, identity.Officer)
	if err := s.store.Note(t.Context(), officer, id, "",
		"The mean was {{F6|1}}, see E1 and F2; route E9 and F99 are roads. <b>{{F99}}</b>"); err != nil {
		t.Fatal(err)
	}
	page := s.ask(t, "/cases/"+string(id), nil)
	wantAll(t, page, http.StatusOK, `<a class="chip" href="#E1">E1</a>`, `<a class="chip" href="#F2">F2</a>`, `<tr id="F2">`,
		`<tr id="F6">`, "route E9 and F99 are roads", "&lt;b&gt;{{F99}}&lt;/b&gt;")
	if m := regexp.MustCompile(`<a class="fact computed" href="#F6">([^<]+)</a>`).FindStringSubmatch(page.body); m == nil ||
		!strings.Contains(m[1], "µg/m³") {
		t.Errorf("the token of F6 became %v, want its number", m)
	}
	for _, m := range regexp.MustCompile(`href="#([EF]\d+)"`).FindAllStringSubmatch(page.body, -1) {
		if !strings.Contains(page.body, `id="`+m[1]+`"`) {
			t.Errorf("a note points at %s, which is not on the page", m[1])
		}
	}
}

func TestRoutineIsFoldedAndFailuresNeverAre(t *testing.T) {
	s := newStage(t)
	c, _ := s.sampleRuns(t)
	page := s.ask(t, "/cases/"+string(c.ID), nil)
	folds := regexp.MustCompile(`(?s)<details class="fold" id="fold-.*?</details>`).FindAllString(page.body, -1)
	if len(folds) == 0 || !strings.Contains(strings.Join(folds, ""), "looked up; mail: looked up") {
		t.Fatalf("routine steps are in %d folds, want them folded", len(folds))
	}
	for _, failure := range []string{"The model refused to answer.", "refused, by policy", "refused, there is none"} {
		if !strings.Contains(page.body, failure) {
			t.Errorf("the sheet does not show %q", failure)
		}
		if strings.Contains(strings.Join(folds, ""), failure) {
			t.Errorf("%q is folded away", failure)
		}
	}
	plain := s.askAs(t, identity.Auditor, "/cases/"+string(c.ID), nil)
	wantAll(t, plain, http.StatusOK, "Failures are never folded")
}

func TestAPersonsWordsAreNeverFolded(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	page := s.ask(t, "/cases/"+string(id), nil)
	folds := strings.Join(regexp.MustCompile(`(?s)<details class="fold" id="fold-.*?</details>`).FindAllString(page.body, -1), "")
	if strings.Contains(folds, "Wind from the north-west") || !strings.Contains(page.body, "Wind from the north-west") {
		t.Error("a person's note is folded, or gone")
	}
}

func TestADraftIsYellowAndShowsAllThatWouldBeDone(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "draft", "A draft", 0)
	p, other := s.offer(t, c, "send_letter"), s.offer(t, c, "send_letter", odd)
	page := s.ask(t, "/cases/"+string(c.ID), nil)
	wantAll(t, page, http.StatusOK, `<li class="note yellow" id="`+p.ID+`">`, "your shift has changed.", "R. Devi",
		"editable until decided", "The van stopped off its route",
		`<li class="note yellow" id="`+other.ID+`">`, "Awaiting your decision", "You approve exactly this version")
	wantAll(t, s.ask(t, "/cases/"+string(c.ID)+"?proposal="+other.ID, nil), http.StatusOK, `action="/proposals/`+other.ID+`/decisions"`)
	reader := s.askAs(t, identity.Auditor, "/cases/"+string(c.ID), nil)
	if wantAll(t, reader, http.StatusOK, `class="note yellow"`); strings.Contains(reader.body, "/decisions\"") ||
		strings.Contains(reader.body, "Awaiting your decision") {
		t.Error("somebody who decides nothing is asked to")
	}
}

func TestACaseIsDecidedOnItsOwnPage(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "own", "On its own page", 0)
	p := s.offer(t, c, "send_letter")
	at := "/cases/" + string(c.ID)
	form := hidden(s.ask(t, at, nil).body)
	if form.Get("back") != at || form.Get("shown") != p.ShownSHA256 || form.Get("id") == "" {
		t.Fatalf("the bar carries %v", form)
	}
	form.Set("verdict", "approve")
	got := s.ask(t, "/proposals/"+p.ID+"/decisions", form)
	if want := at + "?done=approve&proposal=" + p.ID; got.status != http.StatusSeeOther || got.header.Get("Location") != want {
		t.Fatalf("got %d to %q, want %q", got.status, got.header.Get("Location"), want)
	}
	page := s.ask(t, got.header.Get("Location"), nil)
	wantAll(t, page, http.StatusOK, p.ID+": ", "Approved", "Held",
		"until", `href="/proposals/`+p.ID+`?answer=undo&amp;back=%2Fcases%2F`+string(c.ID)+`"`, "Send letter is carried out")
	if strings.Contains(page.body, `class="note yellow"`) {
		t.Error("what was decided is still a draft")
	}
	undo := s.ask(t, "/proposals/"+p.ID+"?answer=undo&back="+url.QueryEscape(at), nil)
	form = hidden(undo.body)
	form.Set("reason", "Too early.")
	if got := s.ask(t, "/proposals/"+p.ID+"/undo", form); got.status != http.StatusSeeOther ||
		!strings.HasPrefix(got.header.Get("Location"), at+"?done=undo") {
		t.Errorf("undoing leads to %d %q, want back to the case", got.status, got.header.Get("Location"))
	}
	wantAll(t, s.ask(t, at, nil), http.StatusOK, "Called off", "Too early.")
	for _, elsewhere := range []string{"https://evil.example/cases/" + string(c.ID), "//evil.example", "/cases/../audit", "/audit"} {
		q := s.offer(t, c, "place_order")
		form := hidden(s.ask(t, "/proposals/"+q.ID, nil).body)
		form.Set("verdict", "approve")
		form.Set("back", elsewhere)
		if got := s.ask(t, "/proposals/"+q.ID+"/decisions", form); got.header.Get("Location") != "/proposals/"+q.ID+"?done=approve" {
			t.Errorf("back to %s leads to %q", elsewhere, got.header.Get("Location"))
		}
	}
}

func TestADecisionOnLessThanTheCaseRestsOnIsRefusedWithWhatCame(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	c, err := s.store.Get(t.Context(), postgrestest.North, id)
	if err != nil {
		t.Fatal(err)
	}
	p := s.offer(t, c, "send_letter")
	for _, path := range []string{"/proposals/" + p.ID, "/cases/" + string(id) + "?proposal=" + p.ID} {
		before := s.ask(t, path, nil)
		form := hidden(before.body)
		if strings.Contains(before.body, "after this was proposed") && path[1] == 'p' {
			t.Error("nothing changed yet, and the bar says so")
		}
		s.onSide(t, id, evidence.Against, "A reply that came late, by "+path[:6])
		form.Set("verdict", "approve")
		got := s.ask(t, "/proposals/"+p.ID+"/decisions", form)
		wantAll(t, got, http.StatusPreconditionFailed, "came to the case after you read it", "A reply that came late, by "+path[:6],
			"See what changed", "is-stale")
		if s.stands(t, p.ID).State != review.Open {
			t.Fatal("it was decided all the same")
		}
	}
	again := hidden(s.ask(t, "/proposals/"+p.ID, nil).body)
	again.Set("verdict", "approve")
	if got := s.ask(t, "/proposals/"+p.ID+"/decisions", again); got.status != http.StatusSeeOther {
		t.Errorf("once it was seen, the decision gets %d", got.status)
	}
}

func TestAFactThatChangedIsShownAsItWasAndAsItIs(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	c, err := s.store.Get(t.Context(), postgrestest.North, id)
	if err != nil {
		t.Fatal(err)
	}
	p := s.offer(t, c, "place_order")
	old, err := s.Evidence.Fact(t.Context(), postgrestest.North, id, fact.Ref{ID: "F4"})
	if err != nil {
		t.Fatal(err)
	}
	stated, err := fact.Read(fact.Reading{Kind: fact.Assumed, Number: "75", Unit: old.Unit, Decimals: 0, Subject: old.Subject,
		Source: *old.Source})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Evidence.Record(t.Context(), bundletest.Analyst, id, stated); err != nil {
		t.Fatal(err)
	}
	wantAll(t, s.ask(t, "/proposals/"+p.ID, nil), http.StatusOK, "is-stale", "F4 changed on", "<del>62\u00a0µg/m³</del>",
		"<ins>75\u00a0µg/m³</ins>")
}

// TestWhoWorksWithTheRecordsIsLedToThem promises that a sealed piece says where this reader
// may read the same, where the application has such a page for them, and stays sealed.
func TestWhoWorksWithTheRecordsIsLedToThem(t *testing.T) {
	s := newStageWith(t, console.Part{Records: func(p *web.Page, piece evidence.Piece) string {
		if !slices.Contains(p.Actor.Roles, identity.Officer) {
			return ""
		}
		return "/records/" + piece.ID()
	}})
	at := "/cases/" + string(s.Case(t, 3))
	wantAll(t, s.ask(t, at, nil), http.StatusOK, `href="/records/E3"`, "personal data, sealed", "Show the sealed copy, with reason")
	if page := s.ask(t, at, nil); strings.Contains(page.body, `href="/records/E1"`) {
		t.Error("what is not sealed leads away")
	}
	if page := s.askAs(t, identity.Auditor, at, nil); page.status != http.StatusOK || strings.Contains(page.body, `href="/records/`) {
		t.Errorf("who may not read the records is answered %d, and led there", page.status)
	}
}

func TestSealedEvidenceIsShownOnlyToWhoSaysWhyAndThatIsOnRecord(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	const words = "I was not on the van"
	at := "/cases/" + string(id)
	for _, path := range []string{at, at + "/correspondence", at + "/evidence/3", at + "/evidence/E3"} {
		if page := s.ask(t, path, nil); page.status != http.StatusOK || strings.Contains(page.body, words) ||
			!strings.Contains(page.body, "personal data, sealed") {
			t.Errorf("%s answered %d and shows what is sealed, or not that it is", path, page.status)
		}
	}
	count := func() int { return one[int](t, s.db, `select count(*) from gavel.record where kind = 'disclosure'`) }
	wantAll(t, s.ask(t, at+"/evidence/3/show", url.Values{"reason": {"  "}}), http.StatusUnprocessableEntity, "say why you need to see it")
	wantAll(t, s.ask(t, at+"/evidence/3/show", url.Values{"reason": {strings.Repeat("x", 501)}}), http.StatusRequestEntityTooLarge)
	for _, role := range []identity.Role{identity.OrgAdmin, identity.Operator, identity.Gate} {
		if got := s.askAs(t, role, at+"/evidence/3/show", url.Values{"reason": {"curious"}}); got.status != http.StatusForbidden ||
			strings.Contains(got.body, words) {
			t.Errorf("%s got %d", role, got.status)
		}
	}
	if n := count(); n != 0 {
		t.Fatalf("%d looks are on record before anybody looked", n)
	}
	wantAll(t, s.ask(t, at+"/evidence/3/show", url.Values{"reason": {"To answer R-3's letter"}}), http.StatusOK, words)
	if n := count(); n != 1 {
		t.Errorf("%d looks are on record, want 1", n)
	}
	if n := one[int](t, s.db, `select count(*) from gavel.record where json like '%answer R-3%'`); n != 0 {
		t.Error("the reason stands in the log in plain")
	}
	wantAll(t, s.ask(t, at, nil), http.StatusOK, "To answer R-3&#39;s letter", "Shown to people: 1")
}

func TestASealedSourceOfAFactIsShownOnlyWithAReason(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	s.Sealed(t, id)
	at := s.factsOf(id, "F8")
	page := s.ask(t, at, nil)
	if wantAll(t, page, http.StatusOK, "personal data, sealed", "Why you need to see it"); strings.Contains(page.body, "trips&#34;") {
		t.Error("the page of a fact shows its sealed source")
	}
	wantAll(t, s.ask(t, at+"/show", url.Values{}), http.StatusUnprocessableEntity, "say why you need to see it")
	shown := s.ask(t, at+"/show", url.Values{"reason": {"checking the count"}})
	if wantAll(t, shown, http.StatusOK, "trips"); strings.Contains(shown.body, "Why you need to see it") {
		t.Error("it is still asked why")
	}
	wantAll(t, s.ask(t, s.factsOf(id, "F1")+"/show", url.Values{"reason": {"x"}}), http.StatusConflict)
	if n := one[int](t, s.db, `select count(*) from gavel.disclosure where what = 'F8'`); n != 1 {
		t.Errorf("%d looks are kept, want 1", n)
	}
}

func TestAnApplicationsPartsStandOnThePageOfItsCases(t *testing.T) {
	s := newStageWith(t, samplePart())
	c := s.open(t, postgrestest.North, "van", "Night shift check, van 14", 0)
	page := s.ask(t, "/cases/"+string(c.ID), nil)
	wantAll(t, page, http.StatusOK, "owner S. Rao", "<b>Likely</b>", "0.78", "(0.64–0.87)", `aria-label="0.78, range 0.64 to 0.87"`,
		"Would change with: a closure notice for Sector 9",
		"rule shift-3", "Reminder 2 to the driver", "unless a reply arrives", "waited 14 h", `aria-current="step"`, "Re-audit",
		"Fuel log, 6 to 12 Nov", "Roster of the van")
	for _, part := range []string{"head", "stands", "after", "sheet", "correspondence", "parts", "acts"} {
		region := s.ask(t, "/cases/"+string(c.ID)+"/"+part, nil, "Gavel-Region", "1")
		if region.status != http.StatusOK || region.header.Get("ETag") == "" || !strings.Contains(region.body,
			`data-src="/cases/`+string(c.ID)+"/"+part) {
			t.Errorf("region %s answered %d: %.200s", part, region.status, region.body)
		}
	}
}

func TestWhatHappensByItselfIsSaidWithItsTime(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "next", "Next", 90*time.Hour)
	at := "/cases/" + string(c.ID)
	wantAll(t, s.ask(t, at, nil), http.StatusOK, "The case is closed, its date having passed", "unless somebody closes it before")
	s.offer(t, c, "send_letter", func(p *review.Proposal) { p.RemindAt = time.Now().Add(time.Hour) })
	wantAll(t, s.ask(t, at, nil), http.StatusOK, "Reminder about P-1", "unless it is decided")
	bare := s.open(t, postgrestest.North, "none", "None", 0)
	wantAll(t, s.ask(t, "/cases/"+string(bare.ID), nil), http.StatusOK, "Nothing: it waits for a person.")
}

func TestWhatBecameOfActsIsTold(t *testing.T) {
	s := newStageWith(t, samplePart())
	c := s.open(t, postgrestest.North, "after", "After", 0)
	at := "/cases/" + string(c.ID)
	for i, end := range []act.End{{State: act.Done, Result: []byte(`{}`)}, {State: act.Failed, Reason: "the post office was closed"}} {
		p := s.offer(t, c, "place_order")
		s.answer(t, identity.Officer, p, review.Approve, "")
		claim, err := s.Acts.Begin(t.Context(), postgrestest.North, p.Key, p.ArgsSHA256, time.Minute)
		if err != nil || claim.Standing != act.Mine {
			t.Fatal(claim.Standing, err)
		}
		if _, err := s.Acts.Finish(t.Context(), postgrestest.North, p.Key, claim.Fence, end, nil); err != nil {
			t.Fatal(i, err)
		}
	}
	wantAll(t, s.ask(t, at, nil), http.StatusOK, "After", "Approved", "Delivered", "Replied", "Failed", "the post office was closed",
		`class="notice bad"`)
}

func TestAllTimesOnACasePageAreInTheOrganisationsZoneAndSaySo(t *testing.T) {
	s := newStageWith(t, samplePart())
	c, run := s.sampleRuns(t)
	id := s.Case(t, 3)
	for _, path := range []string{"/cases/" + string(c.ID), "/cases/" + string(id), "/cases/" + string(id) + "/evidence/1",
		"/proposals/P-2", "/runs/" + run, "/cases/" + string(id) + "/concerned"} {
		page := s.ask(t, path, nil)
		if !strings.Contains(page.body, "IST") {
			t.Errorf("%s does not name the zone", path)
		}
		for _, m := range regexp.MustCompile(`datetime="([^"]+)"`).FindAllStringSubmatch(page.body, -1) {
			if !strings.HasSuffix(m[1], "+05:30") {
				t.Errorf("%s has the time %s, in another zone", path, m[1])
			}
		}
	}
}
