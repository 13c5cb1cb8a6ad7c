//go:build browser

package console_test

import (
	"fmt"
	"net/url"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

// TestMailPagesAreFitForPeople promises of mail that came in what
// TestPagesAreFitForPeople promises of cases.
func TestMailPagesAreFitForPeople(t *testing.T) {
	s := newStage(t)
	van := s.open(t, postgrestest.North, "van", "Night shift check, van 14", 0)
	id := s.arrives(t, "first", "Subject: about my seat\r\n",
		"सेक्टर 9 की सड़क दो रात बंद थी।\r\n\r\nThe road was closed on two nights, so I took another way.")
	kept := s.arrives(t, "second", "Subject: again\r\n", "I have a new shift since Monday.")
	s.arrives(t, "away", "Subject: Away\r\nAuto-Submitted: auto-replied\r\n", "I am on leave.")
	s.ask(t, "/mail/"+kept+"/accept", url.Values{"case": {van.Ref}, "note": {"She rang."}})
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Officer), "--out", shots(t), "--langs",
		"en,hi",
		"mail@/mail", "mail-aside@/mail?box=aside", "mail-decided@/mail?box=decided", "mail-one@/mail/"+id, "mail-done@/mail/"+kept,
		"mail-missing@/mail/min_01ARZ3NDEKTSV4RRFFQ69G5FAV=404", "notices@/notices")
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.South, identity.Officer), "--out", shots(t),
		"mail-none@/mail")
}

// TestLettersAreFitForPeople promises the same of letters, in a case, in the outbox and by
// themselves, and of what is offered to be undone.
func TestLettersAreFitForPeople(t *testing.T) {
	s := newStage(t)
	c := s.open(t, postgrestest.North, "letters", "Home address check, VP-206", 0)
	ekta := s.writes(t, c, "R-1", "Ekta", "Your ride to work",
		"Dear Ekta,\n\nplease tell us where you live.\nhttps://gavel.example/answer?k=1\n")
	bilal := s.writes(t, c, "R-2", "Bilal", "Shift check", "Dear Bilal,\n\nyour hours do not fit the van's.")
	s.sends(t)
	s.comes(t, ekta, replyOf(ekta, "ekta", "I have moved to Ghaziabad. The new address is in the records since Monday."))
	s.comes(t, bilal, reportOf(bilal, "bilal", "failed"))
	for n := range 6 {
		s.writes(t, c, fmt.Sprintf("R-1%d", n), "Gita", fmt.Sprintf("%04d check", n), "Dear Gita")
	}
	p := s.offer(t, c, "send_letter")
	s.answer(t, identity.Officer, p, review.Approve, "")
	at := "/cases/" + string(c.ID)
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Officer), "--out", shots(t), "--langs",
		"en,hi",
		"letters-case@"+at, "letters-outbox@/outbox", "letter-replied@"+at+"/letters/"+ekta.ID, "letter-back@"+at+"/letters/"+bilal.ID,
		"undo-inbox@/inbox", "undo-proposal@/proposals/"+p.ID, "undo-reason@/proposals/"+p.ID+"?answer=undo")
}
