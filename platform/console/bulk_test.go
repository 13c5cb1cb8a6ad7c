package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

var boxForm = regexp.MustCompile(`name="pick" value="([^"]*)"`)

// ticks are what the boxes of a page would send.
func ticks(body string) []string {
	var all []string
	for _, m := range boxForm.FindAllStringSubmatch(body, -1) {
		all = append(all, m[1])
	}
	return all
}

func TestSeveralRoutineProposalsAreDecidedTogether(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "several", "Several", 0)
	a, b, gone := s.offer(t, c, "place_order"), s.offer(t, c, "place_order"), s.offer(t, c, "place_order")
	mail, reading := s.offer(t, c, "send_letter"), s.offer(t, c, "look_up")
	boxes := ticks(s.ask(t, "/inbox", nil).body)
	if len(boxes) != 4 || strings.Contains(strings.Join(boxes, " "), mail.ID+".") {
		t.Fatalf("boxes %v; want those of routine proposals", boxes)
	}
	s.answer(t, identity.Officer, gone, review.Reject, "Not needed.")
	q := url.Values{"verdict": {"approve"}, "back": {"/inbox"}, "pick": append(boxes, mail.ID+"."+mail.ShownSHA256, "P-999.x")}
	before := s.tally(t)
	sheet := s.ask(t, "/inbox/bulk?"+q.Encode(), nil)
	wantAll(t, sheet, http.StatusOK, "Approve 2 proposals?", "Nothing has been decided yet", a.ID, b.ID, "Left out: 4",
		"It was decided meanwhile.", "Open it and decide it by itself", "It is of another kind than the first.", "It no longer exists.")
	if after := s.tally(t); after != before {
		t.Errorf("opening the sheet changed %s to %s", before, after)
	}
	form := formAt(t, sheet.body, "/inbox/bulk")
	form["pick"] = ticks(sheet.body)
	if len(form["pick"]) != 2 {
		t.Fatalf("the sheet would decide %v", form["pick"])
	}
	done := s.ask(t, "/inbox/bulk", form)
	wantAll(t, done, http.StatusOK, "2 of 2 approved", "Back to the inbox")
	for _, id := range []string{a.ID, b.ID} {
		if got := s.stands(t, id).State; got != review.Approved {
			t.Errorf("%s is %s", id, got)
		}
	}
	for _, id := range []string{mail.ID, reading.ID} {
		if got := s.stands(t, id).State; got != review.Open {
			t.Errorf("%s, which was not listed, is %s", id, got)
		}
	}
	before = s.tally(t)
	wantAll(t, s.ask(t, "/inbox/bulk", form), http.StatusOK, "2 of 2 approved")
	if after := s.tally(t); after != before {
		t.Errorf("the same form again changed %s to %s", before, after)
	}
}

func TestWhatChangedSinceItWasTickedIsSkippedAndSaidSo(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "skip", "Skip", 0)
	a, b := s.offer(t, c, "place_order"), s.offer(t, c, "place_order")
	q := url.Values{"verdict": {"reject"}, "back": {"/inbox?group=later"}, "pick": {a.ID + "." + a.ShownSHA256, b.ID + "." + b.ShownSHA256}}
	sheet := s.ask(t, "/inbox/bulk?"+q.Encode(), nil)
	form := formAt(t, sheet.body, "/inbox/bulk")
	form["pick"] = ticks(sheet.body)
	wantAll(t, s.ask(t, "/inbox/bulk", form), http.StatusUnprocessableEntity, "Give a reason.", a.ID)
	form.Set("reason", "The depot has closed.")
	s.answer(t, identity.Officer, a, review.Approve, "")
	done := s.ask(t, "/inbox/bulk", form)
	wantAll(t, done, http.StatusOK, "1 of 2 rejected", "Not decided", a.ID+" is already decided: approved.", `href="/inbox?group=later"`)
	if got := s.stands(t, a.ID).State; got != review.Approved {
		t.Errorf("%s is %s", a.ID, got)
	}
	if got := s.stands(t, b.ID).State; got != review.Rejected {
		t.Errorf("%s is %s", b.ID, got)
	}
}

func TestWhatRestsOnOtherEvidenceThanTheListIsSkipped(t *testing.T) {
	s := newStage(t)
	still, moves := s.open(t, postgrestest.North, "still", "Still", 0), s.open(t, postgrestest.North, "moves", "Moves", 0)
	s.exhibit(t, moves, "Roster, before", evidence.For)
	a, b := s.offer(t, still, "place_order"), s.offer(t, moves, "place_order")
	page := s.ask(t, "/inbox", nil)
	q := formAt(t, page.body, "/inbox/bulk")
	q.Set("verdict", "approve")
	q["pick"] = ticks(page.body)
	wantAll(t, s.ask(t, "/inbox/bulk?"+q.Encode(), nil), http.StatusOK, "Approve 2 proposals?")
	sheet := s.ask(t, "/inbox/bulk?"+q.Encode(), nil)
	s.exhibit(t, moves, "Roster, as it is now", evidence.Against)
	form := formAt(t, sheet.body, "/inbox/bulk")
	form["pick"] = ticks(sheet.body)
	wantAll(t, s.ask(t, "/inbox/bulk", form), http.StatusOK, "1 of 2 approved", "Evidence of its case changed after you saw the list.")
	if got, other := s.stands(t, a.ID).State, s.stands(t, b.ID).State; got != review.Approved || other != review.Open {
		t.Errorf("%s is %s, %s is %s", a.ID, got, b.ID, other)
	}
	form.Set("seen", "yesterday")
	if r := s.ask(t, "/inbox/bulk", form); r.status != http.StatusUnprocessableEntity {
		t.Errorf("no moment at all answers %d", r.status)
	}
}

func TestASheetTakesOnlyWhatCanBeTicked(t *testing.T) {
	s := newStage(t)
	many := url.Values{"verdict": {"approve"}}
	for range review.MostAtOnce + 1 {
		many.Add("pick", "P-1.x")
	}
	for name, q := range map[string]url.Values{
		"another verdict": {"verdict": {"send_back"}, "pick": {"P-1.x"}},
		"no verdict":      {"pick": {"P-1.x"}},
		"no proposal":     {"verdict": {"approve"}, "pick": {"<b>"}},
		"too many":        many,
	} {
		if r := s.ask(t, "/inbox/bulk?"+q.Encode(), nil); r.status != http.StatusUnprocessableEntity &&
			r.status != http.StatusRequestEntityTooLarge {
			t.Errorf("%s answers %d", name, r.status)
		}
	}
	wantAll(t, s.ask(t, "/inbox/bulk?verdict=approve", nil), http.StatusOK, "None of these can be decided together")
	if r := s.askAs(t, identity.Auditor, "/inbox/bulk?verdict=approve", nil); r.status != http.StatusForbidden {
		t.Errorf("who decides nothing is answered %d", r.status)
	}
}
