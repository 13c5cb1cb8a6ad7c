package page

import (
	"net/url"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// asked sends the form of a district's page, and gives where it leads to.
func (s *stage) asked(t *testing.T, at string, form url.Values) string {
	t.Helper()
	sent := s.Post(t, identity.Officer, at, form)
	to := sent.Header.Get("Location")
	if sent.Status != 303 || !strings.HasPrefix(to, BriefingsAt+"/NBR-") {
		t.Fatalf("got %d, %s: %.600s", sent.Status, to, sent.Body)
	}
	return to
}

// asks is the page that leads to.
func (s *stage) asks(t *testing.T, at string, form url.Values) platformtest.Answer {
	t.Helper()
	return s.Get(t, identity.Auditor, s.asked(t, at, form))
}

// TestAQuestionIsAnsweredWithCodesSentenceFirst promises a box and three questions on the page of a district, an answer that leads with
// what code found, what a question is after and nothing else, the facts behind it, and the question on the district's page afterwards.
// Who reads Hindi reads code's words in Hindi, in whatever language somebody asked.
func TestAQuestionIsAnsweredWithCodesSentenceFirst(t *testing.T) {
	s := newStage(t)
	s.scene(t)
	at := DistrictsAt + "/1/briefings?window=24"
	s.Get(t, identity.Officer, DistrictsAt+"/1").Holds(t, 200, "Ask about this district", "Why is it flagged?", `name="question"`)
	s.Get(t, identity.Auditor, DistrictsAt+"/1").Lacks(t, `name="question"`)
	why := s.asks(t, at, url.Values{"about": {"why"}})
	why.Holds(t, 200, `<p class="lede" dir="auto">Made-up 1: score`, "Stones thrown at the weekly market", "adds", english,
		"layer.physical")
	why.Lacks(t, "Signals heard in the last day")
	lower := s.asks(t, at, url.Values{"question": {"What would lower it? Ask 9876543210"}})
	lower.Holds(t, 200, "the score would be", "[mobile]")
	lower.Lacks(t, "98765", "Primary trigger")
	all := s.asks(t, at, url.Values{"about": {"all"}, "question": {"?"}})
	all.Holds(t, 200, "Briefing, 24 hours", "What changed", "What would lower it", "How much is heard")
	s.asks(t, at+"&lang=hi", url.Values{"about": {"lower"}}).Holds(t, 200, "यह किससे घटेगा", "घंटों")
	inHindi := s.Get(t, identity.Auditor, s.asked(t, at, url.Values{"about": {"all"}})+"?lang=hi")
	inHindi.Holds(t, 200, `<p class="lede" dir="auto">Made-up 1:`, "निगरानी")
	inHindi.Lacks(t, "of 100", "Primary trigger", "If nothing new is heard", "Signals heard in the last day")
	s.Get(t, identity.Officer, DistrictsAt+"/1").Holds(t, 200, "Asked before", "What would lower it? Ask [mobile]")
}

// TestWhoMayAskAndHowMuch promises that who only reads asks nothing, that a question has bounds, and that a briefing nobody asked for is
// not found.
func TestWhoMayAskAndHowMuch(t *testing.T) {
	s := newStage(t)
	s.scene(t)
	at := DistrictsAt + "/1/briefings"
	if got := s.Post(t, identity.Auditor, at, url.Values{"about": {"why"}}); got.Status != 403 {
		t.Errorf("an auditor asks: %d", got.Status)
	}
	s.Post(t, identity.Officer, at, url.Values{"question": {strings.Repeat("why ", 100)}}).Holds(t, 422, "300")
	if got := s.Post(t, identity.Officer, DistrictsAt+"/77/briefings", url.Values{"about": {"why"}}); got.Status != 404 {
		t.Errorf("a district that is not there: %d", got.Status)
	}
	s.Get(t, identity.Officer, BriefingsAt+"/NBR-00000000").Holds(t, 404)
	s.Get(t, identity.HR, BriefingsAt+"/NBR-00000000").Holds(t, 403)
}
