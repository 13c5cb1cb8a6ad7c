//go:build browser

package console_test

import (
	"fmt"
	"net/url"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// verdictOf gives a proposal a document with what code found.
func verdictOf(t *testing.T, c casefile.Case, line string, value, low, high float64) func(*review.Proposal) {
	return func(p *review.Proposal) {
		p.Shown = canon(t, map[string]any{"tool": p.Tool, "line": line, "effect": p.Effect, "args": p.Args, "agent": "outreach",
			"case": c.ID,
			"said": "Van 14 stopped more than 2 km off its route on 6 of 9 nights. The roster was checked again; no swap explains " +
				"it. The letter asks and does not accuse.",
			"verdict": map[string]any{"label": "likely", "would_change": "a closure notice for Sector 9 covering four of the six nights",
				"confidence": map[string]any{"value": value, "low": low, "high": high, "scale": "share"}}})
	}
}

// fullInbox is an inbox with something of everything, and the proposal that is a
// filing.
func (s *stage) fullInbox(t *testing.T) (filing review.Proposal) {
	t.Helper()
	van := s.open(t, postgrestest.North, "van", "Night shift check, van 14", 0)
	road := s.open(t, postgrestest.North, "road", "सेक्टर 9 की सड़क बंद: दो रातों का मार्ग बदला", 0)
	s.exhibit(t, van, "GPS pings, 12 Nov", evidence.For)
	s.exhibit(t, van, "Driver's reply, translated from Hindi", evidence.Against)
	s.exhibit(t, van, "Fuel log, not received", evidence.Unknown)
	tonight := s.byDay(t)
	both := func(p *review.Proposal) { p.Deciders = []identity.Role{identity.Officer, identity.ProgrammeManager} }
	s.offer(t, van, "send_letter", due(time.Now().Add(-3*time.Hour)), verdictOf(t, van, "Send 3 e-mails about van 14, night shift", 0.78,
		0.64, 0.87))
	s.offer(t, van, "send_letter", due(tonight), verdictOf(t, van, "Send a reminder to the driver", 0.12, 0.05, 0.24))
	looked := s.offer(t, road, "place_order", due(tonight), both)
	if r := s.askAs(t, identity.ProgrammeManager, "/proposals/"+looked.ID+"/claim", url.Values{"do": {"claim"}}); r.status >= 400 {
		t.Fatalf("claiming answers %d", r.status)
	}
	s.offer(t, road, "place_order", due(tonight))
	s.exhibit(t, road, "Closure notice of the road", evidence.Against)
	s.offer(t, van, "look_up")
	filing = s.offer(t, van, "send_letter", func(p *review.Proposal) { p.Kind = filingKind }, func(p *review.Proposal) {
		p.Shown = canon(t, map[string]any{"tool": p.Tool, "line": "File report RPT-0412 to the Commission", "effect": p.Effect,
			"args": p.Args, "agent": "clerk", "case": van.ID})
	})
	return filing
}

// TestPeopleClearTheInboxWithoutAMouse promises that an inbox is cleared by the
// keyboard alone, on a desk and on a phone: decide, the next opens, undo, decide;
// that no key files, and that keys do nothing once they are off (console statement
// 21); and that what has the focus is never under the bar.
func TestPeopleClearTheInboxWithoutAMouse(t *testing.T) {
	for _, width := range []int{1280, 360} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			s := newStage(t)
			filing := s.fullInbox(t)
			s.node(t, "inbox.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Officer), "--out", shots(t),
				"--width", fmt.Sprint(width), "--filing", filing.ID)
		})
	}
}

// TestInboxPagesAreFitForPeople promises of the inbox and of what is reached from
// it what TestPagesAreFitForPeople promises of cases.
func TestInboxPagesAreFitForPeople(t *testing.T) {
	s := newStage(t)
	filing := s.fullInbox(t)
	van := s.open(t, postgrestest.North, "done", "Records corrected", 0)
	held, routine, off := s.offer(t, van, "send_letter"), s.offer(t, van, "place_order"), s.offer(t, van, "send_letter")
	s.answer(t, identity.Officer, held, review.Approve, "")
	s.answer(t, identity.Officer, off, review.Reject, "Not needed any more.")
	s.ask(t, "/inbox/views", url.Values{"name": {"Late ones"}, "group": {"overdue"}})
	bulk := "/inbox/bulk?" + url.Values{"verdict": {"approve"}, "pick": {routine.ID + "." + routine.ShownSHA256, held.ID + "." +
		held.ShownSHA256}}.Encode()
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Officer), "--out", shots(t), "--langs",
		"en,hi",
		"inbox@/inbox?did="+held.ID, "inbox-open@/inbox?open="+routine.ID+"&did="+held.ID, "inbox-filing@/inbox?open="+filing.ID,
		"inbox-reason@/inbox?open="+filing.ID+"&answer=reject", "inbox-done@/inbox?view=done", "inbox-filtered@/inbox?app=poolpatrol",
		"inbox-snoozed@/inbox?view=snoozed", "views@/inbox/views", "bulk@"+bulk, "bulk-none@/inbox/bulk?verdict=reject",
		"search@/search?q=van", "search-none@/search?q=nosuch")
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.HR), "--out", shots(t),
		"inbox-nothing@/inbox")
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Operator), "--out", shots(t), "--langs",
		"en,hi", "operations@/operations")
}
