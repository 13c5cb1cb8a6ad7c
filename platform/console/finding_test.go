package console_test

import (
	"context"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/finding/findingtest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// about is a proposal with a finding, of a kind that is weighty.
func about(t testing.TB, name string) func(*review.Proposal) {
	return func(p *review.Proposal) {
		f := findingtest.About(name)
		f.Subject.Of, f.Subject.Link = "VP-206", "/poolpatrol/riders/EMP-2030"
		f.Facts = []finding.Cited{{Text: "4", Fact: "F3"}}
		p.Kind = weightyKind
		p.Shown = canon(t, map[string]any{"tool": p.Tool, "line": "Order things for the depot.", "args": p.Args, "finding": f,
			"case": p.Case})
	}
}

// TestEveryPageLeadsWithWhatWasFound promises that inbox row, pane, card, bulk sheet and
// case name the subject and say what was found, with value, limit, certainty and all
// three sides, in both languages, without a click.
func TestEveryPageLeadsWithWhatWasFound(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "found", "Found", 0)
	p := s.offer(t, c, "place_order", about(t, "Ekta Demo"))
	whole := []string{"Ekta Demo, VP-206: 4 of 3 allowed", "the limit is 3.", `/facts/F3"`, "<b>4</b>", "<b>3</b>", "<b>Counted twice</b>",
		"The list has four rows.", "One row may be a double.",
		"Who made the list.", "A list of three rows.", `href="/poolpatrol/riders/EMP-2030"`}
	for _, path := range []string{"/proposals/" + p.ID, "/inbox?open=" + p.ID, "/cases/" + string(c.ID) + "?proposal=" + p.ID} {
		wantAll(t, s.ask(t, path, nil), http.StatusOK, whole...)
	}
	wantAll(t, s.ask(t, "/inbox", nil), http.StatusOK, "Ekta Demo, VP-206: 4 of 3 allowed", "Counted twice", "Weighty")
	wantAll(t, s.ask(t, "/cases/"+string(c.ID)+"/gates", nil), http.StatusOK, "Ekta Demo, VP-206: 4 of 3 allowed")
	wantAll(t, s.ask(t, "/proposals/"+p.ID+"?lang=hi", nil), http.StatusOK, "Ekta Demo, VP-206: 3 की सीमा में 4", "हैं; सीमा 3 है।",
		"दो बार गिना गया", "सूची किसने बनाई।")
	q := url.Values{"verdict": {"approve"}, "back": {"/inbox"}, "pick": {p.ID + "." + p.ShownSHA256}}
	wantAll(t, s.ask(t, "/inbox/bulk?"+q.Encode(), nil), http.StatusOK, "Ekta Demo, VP-206: 4 of 3 allowed", "There are 4; the limit is 3.",
		"Why is this right?")
}

// TestAProposalFromBeforeFindingsSaysSo promises that what was open at the upgrade says
// that it has none and opens the case, and that a weighty one is not ticked.
func TestAProposalFromBeforeFindingsSaysSo(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "older", "Older", 0)
	p := s.offer(t, c, "place_order", func(p *review.Proposal) { p.Kind = weightyKind })
	wantAll(t, s.ask(t, "/proposals/"+p.ID, nil), http.StatusOK, "Made before findings were kept", "Open case "+c.Ref,
		`href="/cases/`+string(c.ID)+`"`)
	inbox := s.ask(t, "/inbox", nil)
	wantAll(t, inbox, http.StatusOK, "Made before findings were kept: open the case")
	if boxes := ticks(inbox.body); len(boxes) != 0 {
		t.Errorf("boxes %v", boxes)
	}
	q := url.Values{"verdict": {"approve"}, "back": {"/inbox"}, "pick": {p.ID + "." + p.ShownSHA256}}
	wantAll(t, s.ask(t, "/inbox/bulk?"+q.Encode(), nil), http.StatusOK, "It does not say whom it is about")
}

// TestWhatIsWeightyIsNotDecidedByOneKey promises that there is no button which a key could
// press, that the second click sends a reason, and that several are decided with one, too.
func TestWhatIsWeightyIsNotDecidedByOneKey(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "weighty", "Weighty", 0)
	p, q, r := s.offer(t, c, "place_order", about(t, "Ekta Demo")), s.offer(t, c, "place_order", about(t, "Ravi Demo")),
		s.offer(t, c, "place_order", about(t, "Uma Demo"))
	page := s.ask(t, "/proposals/"+p.ID, nil)
	if strings.Contains(page.body, `data-answer="approve"`) || !strings.Contains(page.body, `data-answer="file"`) {
		t.Error("a key approves what is weighty")
	}
	if got := s.answer(t, identity.Officer, p, review.Approve, ""); got.status != http.StatusUnprocessableEntity {
		t.Errorf("without a reason: %d", got.status)
	}
	if got := s.answer(t, identity.Officer, p, review.Approve, "Nobody answered."); got.status != http.StatusSeeOther {
		t.Errorf("with a reason: %d %s", got.status, got.body)
	}
	form := url.Values{"verdict": {"approve"}, "back": {"/inbox"}, "once": {"bulk-1234567890"}, "pick": {q.ID + "." + q.ShownSHA256,
		r.ID + "." + r.ShownSHA256}}
	if got := s.ask(t, "/inbox/bulk", form); got.status != http.StatusUnprocessableEntity {
		t.Errorf("several without a reason: %d", got.status)
	}
	form.Set("reason", "Nobody answered.")
	wantAll(t, s.ask(t, "/inbox/bulk", form), http.StatusOK, "2 of 2 approved", "Ravi Demo, VP-206", "Uma Demo, VP-206")
}

// TestAnObjectionCountsAtOnce promises that the card of an open proposal says against it
// that the person concerned has objected, with the date, from the moment they did.
func TestAnObjectionCountsAtOnce(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "objects", "Objects", 0)
	p := s.offer(t, c, "place_order", about(t, "Ekta Demo"))
	if page := s.ask(t, "/proposals/"+p.ID, nil); strings.Contains(page.body, "The person concerned objected") {
		t.Error("nobody has objected yet")
	}
	_, token, err := s.links.Make(t.Context(), person(postgrestest.North, identity.Officer), c.ID,
		concern.NewLink{Summary: "Your membership is looked at.", Life: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.links.Object(t.Context(), c.Ref, token, "I have moved."); err != nil {
		t.Fatal(err)
	}
	wantAll(t, s.ask(t, "/proposals/"+p.ID, nil), http.StatusOK, "The person concerned objected on ", "read it first")
}

// TestTheCaseLeadsWithWhatWasFound promises that the finding stands above how the case
// stands, of what waits and, once that is decided, of what was decided last.
func TestTheCaseLeadsWithWhatWasFound(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "led", "Led", 0)
	p := s.offer(t, c, "place_order", about(t, "Ekta Demo"))
	at := "/cases/" + string(c.ID)
	leads := func(page reply) {
		t.Helper()
		found, stands := strings.Index(page.body, "There are "), strings.Index(page.body, `id="stands"`)
		if found < 0 || stands < found {
			t.Errorf("the finding stands at %d, how the case stands at %d", found, stands)
		}
	}
	leads(s.ask(t, at, nil))
	if got := s.answer(t, identity.Officer, p, review.Approve, "Nobody answered."); got.status != http.StatusSeeOther {
		t.Fatalf("with a reason: %d %s", got.status, got.body)
	}
	page := s.ask(t, at, nil)
	wantAll(t, page, http.StatusOK, "Ekta Demo, VP-206: 4 of 3 allowed", "Decided as "+p.ID, `href="/proposals/`+p.ID+`"`)
	leads(page)
}

// TestEvidenceAboutOthersIsNotCounted promises that evidence about somebody else on a case
// stands apart, on the page and in the regions that are fetched alone, by what the reader
// is asked about.
func TestEvidenceAboutOthersIsNotCounted(t *testing.T) {
	s := newStageWith(t, console.Part{About: func(one review.Proposal, piece evidence.Piece) bool {
		return strings.Contains(string(one.Shown), strings.Fields(piece.Title)[0])
	}})
	c := s.open(t, postgrestest.North, "aside", "Aside", 0)
	s.onSide(t, c.ID, evidence.For, "Ekta lives far away")
	s.onSide(t, c.ID, evidence.Against, "Ravi lives near")
	s.onSide(t, c.ID, evidence.Against, "Ravi answered")
	at := "/cases/" + string(c.ID)
	wantAll(t, s.ask(t, at, nil), http.StatusOK, "<b>1</b> for", "<b>2</b> against") // nothing is asked: all of it counts
	p, q := s.offer(t, c, "place_order", about(t, "Ekta")), s.offer(t, c, "place_order", about(t, "Ravi"))
	count := func(page reply, side string) string {
		t.Helper()
		m := regexp.MustCompile(side + `\s*<span class="count">(\d+)</span>`).FindStringSubmatch(page.body)
		if m == nil {
			t.Fatalf("the page does not count what speaks %s", side)
		}
		return m[1]
	}
	for _, tt := range []struct{ proposal, pro, contra, apart string }{{p.ID, "1", "0", "2"}, {q.ID, "0", "2", "1"}} {
		page := s.ask(t, at+"?proposal="+tt.proposal, nil)
		wantAll(t, page, http.StatusOK, "about others on this case: "+tt.apart, "/stands?proposal="+tt.proposal,
			"/correspondence?proposal="+tt.proposal)
		alone := s.ask(t, at+"/correspondence?proposal="+tt.proposal, nil)
		wantAll(t, alone, http.StatusOK, "about others on this case: "+tt.apart, `id="E1"`, `id="E3"`)
		for _, where := range []reply{page, alone} {
			if pro, contra := count(where, "For"), count(where, "Against"); pro != tt.pro || contra != tt.contra {
				t.Errorf("%s: %s for and %s against, want %s and %s", tt.proposal, pro, contra, tt.pro, tt.contra)
			}
		}
		// as the finding says
		wantAll(t, s.ask(t, at+"/stands?proposal="+tt.proposal, nil), http.StatusOK, "<b>1</b> for", "<b>1</b> against", "<b>1</b> unknown")
	}
}

// TestOtherProposalsOfACaseAreNamedByWhatWasFound promises that the list beside a proposal
// tells them apart.
func TestOtherProposalsOfACaseAreNamedByWhatWasFound(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "others", "Others", 0)
	p := s.offer(t, c, "place_order", about(t, "Ekta Demo"))
	s.offer(t, c, "place_order", about(t, "Ravi Demo"))
	_, beside, there := strings.Cut(s.ask(t, "/proposals/"+p.ID, nil).body, "Other proposals of this case")
	if !there || !strings.Contains(beside, "Ravi Demo, VP-206: 4 of 3 allowed") {
		t.Error("the other proposal is not named by what was found")
	}
}

// TestWhyIsAnsweredByTheFinding promises that who asks why a case was opened reads the
// sentence that leads its card, in their language, and what speaks for and against it.
func TestWhyIsAnsweredByTheFinding(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "why", "Why", 0)
	p := s.offer(t, c, "place_order", about(t, "Ekta Demo"))
	at := "/cases/" + string(c.ID)
	for _, question := range []string{"Why was this opened?", "यह मामला क्यों खुला?"} {
		if sent := s.ask(t, at+"/questions", url.Values{"question": {question}}); sent.status != http.StatusSeeOther {
			t.Fatalf("%d %s", sent.status, sent.body)
		}
	}
	answers := func(path string) string {
		_, box, _ := strings.Cut(s.ask(t, path, nil).body, `id="ask"`)
		return box
	}
	for path, want := range map[string][]string{
		at: {"There are 4; the limit is 3.", "For: The list has four rows.", "Against: One row may be a double.",
			"Unknown: Who made the list.", `href="/proposals/` + p.ID},
		at + "?lang=hi": {"सीमा 3 है।", "अज्ञात: सूची किसने बनाई।"},
	} {
		for _, text := range want {
			if n := strings.Count(answers(path), text); n < 2 {
				t.Errorf("%s: %q stands %d times in two answers", path, text, n)
			}
		}
	}
}

// TestACaseThatAsksNobodyLeadsWithWhatItsApplicationFound promises that a case on which nothing
// waits and nothing was decided leads with what its application says was found, counts that for
// and against, and gives way to what waits for a decision.
func TestACaseThatAsksNobodyLeadsWithWhatItsApplicationFound(t *testing.T) {
	own := findingtest.About("Ravi Demo")
	s := newStageWith(t, console.Part{Standing: func(context.Context, *web.Page, casefile.Case) (console.Standing, error) {
		return console.Standing{Found: &own}, nil
	}})
	c := s.open(t, postgrestest.North, "quiet", "Quiet", 0)
	at := "/cases/" + string(c.ID)
	page := s.ask(t, at, nil)
	wantAll(t, page, http.StatusOK, "Ravi Demo: 4 of 3 allowed", "There are 4; the limit is 3.", "One row may be a double.",
		`<b>1</b> for`, `<b>1</b> against`)
	if found, stands := strings.Index(page.body, "There are "), strings.Index(page.body, `id="stands"`); stands < found {
		t.Errorf("the finding stands at %d, how the case stands at %d", found, stands)
	}
	wantAll(t, s.ask(t, at+"?lang=hi", nil), http.StatusOK, "सूची किसने बनाई।")
	s.offer(t, c, "place_order", about(t, "Ekta Demo"))
	page = s.ask(t, at, nil)
	wantAll(t, page, http.StatusOK, "Ekta Demo, VP-206: 4 of 3 allowed")
	if strings.Contains(page.body, "Ravi Demo") {
		t.Error("the case leads with two findings")
	}
}
