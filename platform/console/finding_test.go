package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/finding/findingtest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// about is a proposal with a finding, of a kind that is weighty.
func about(t testing.TB, name string) func(*review.Proposal) {
	return func(p *review.Proposal) {
		f := findingtest.About(name)
		f.Subject.Of, f.Subject.Link = "VP-206", "/poolpatrol/riders/EMP-2030"
		f.Facts = []finding.Cited{{Text: "4", Fact: "F3"}}
		p.Kind = weightyKind
		p.Shown = canon(t, map[string]any{"tool": p.Tool, "line": "Order things for the depot.", "args": p.Args, "finding": f, "case": p.Case})
	}
}

// TestEveryPageLeadsWithWhatWasFound promises that inbox row, pane, card, bulk sheet and
// case name the subject and say what was found, with value, limit, certainty and all
// three sides, in both languages, without a click.
func TestEveryPageLeadsWithWhatWasFound(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "found", "Found", 0)
	p := s.offer(t, c, "place_order", about(t, "Ekta Demo"))
	whole := []string{"Ekta Demo, VP-206: 4 of 3 allowed", "the limit is 3.", `/facts/F3"`, "<b>4</b>", "<b>3</b>", "<b>Counted twice</b>", "The list has four rows.", "One row may be a double.",
		"Who made the list.", "A list of three rows.", `href="/poolpatrol/riders/EMP-2030"`}
	for _, path := range []string{"/proposals/" + p.ID, "/inbox?open=" + p.ID, "/cases/" + string(c.ID) + "?proposal=" + p.ID} {
		wantAll(t, s.ask(t, path, nil), http.StatusOK, whole...)
	}
	wantAll(t, s.ask(t, "/inbox", nil), http.StatusOK, "Ekta Demo, VP-206: 4 of 3 allowed", "Counted twice", "Weighty")
	wantAll(t, s.ask(t, "/cases/"+string(c.ID)+"/gates", nil), http.StatusOK, "Ekta Demo, VP-206: 4 of 3 allowed")
	wantAll(t, s.ask(t, "/proposals/"+p.ID+"?lang=hi", nil), http.StatusOK, "Ekta Demo, VP-206: 3 की सीमा में 4", "हैं; सीमा 3 है।", "दो बार गिना गया", "सूची किसने बनाई।")
	q := url.Values{"verdict": {"approve"}, "back": {"/inbox"}, "pick": {p.ID + "." + p.ShownSHA256}}
	wantAll(t, s.ask(t, "/inbox/bulk?"+q.Encode(), nil), http.StatusOK, "Ekta Demo, VP-206: 4 of 3 allowed", "There are 4; the limit is 3.", "Why is this right?")
}

// TestAProposalFromBeforeFindingsSaysSo promises that what was open at the upgrade says
// that it has none and opens the case, and that a weighty one is not ticked.
func TestAProposalFromBeforeFindingsSaysSo(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "older", "Older", 0)
	p := s.offer(t, c, "place_order", func(p *review.Proposal) { p.Kind = weightyKind })
	wantAll(t, s.ask(t, "/proposals/"+p.ID, nil), http.StatusOK, "Made before findings were kept", "Open case "+c.Ref, `href="/cases/`+string(c.ID)+`"`)
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
	p, q, r := s.offer(t, c, "place_order", about(t, "Ekta Demo")), s.offer(t, c, "place_order", about(t, "Ravi Demo")), s.offer(t, c, "place_order", about(t, "Uma Demo"))
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
	form := url.Values{"verdict": {"approve"}, "back": {"/inbox"}, "once": {"bulk-1234567890"}, "pick": {q.ID + "." + q.ShownSHA256, r.ID + "." + r.ShownSHA256}}
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
	_, token, err := s.links.Make(t.Context(), person(postgrestest.North, identity.Officer), c.ID, concern.NewLink{Summary: "Your membership is looked at.", Life: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.links.Object(t.Context(), c.Ref, token, "I have moved."); err != nil {
		t.Fatal(err)
	}
	wantAll(t, s.ask(t, "/proposals/"+p.ID, nil), http.StatusOK, "The person concerned objected on ", "read it first")
}
