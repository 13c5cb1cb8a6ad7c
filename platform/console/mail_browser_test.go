//go:build browser

package console_test

import (
	"net/url"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestMailPagesAreFitForPeople promises of mail that came in what
// TestPagesAreFitForPeople promises of cases.
func TestMailPagesAreFitForPeople(t *testing.T) {
	s := newStage(t)
	van := s.open(t, postgrestest.North, "van", "Possible misuse, van 14 night shift", 0)
	id := s.arrives(t, "first", "Subject: about my seat\r\n", "सेक्टर 9 की सड़क दो रात बंद थी।\r\n\r\nThe road was closed on two nights, so I took another way.")
	kept := s.arrives(t, "second", "Subject: again\r\n", "I have a new shift since Monday.")
	s.arrives(t, "away", "Subject: Away\r\nAuto-Submitted: auto-replied\r\n", "I am on leave.")
	s.ask(t, "/mail/"+kept+"/accept", url.Values{"case": {van.Ref}, "note": {"She rang."}})
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.North, identity.Officer), "--out", shots(t), "--langs", "en,hi",
		"mail@/mail", "mail-aside@/mail?box=aside", "mail-decided@/mail?box=decided", "mail-one@/mail/"+id, "mail-done@/mail/"+kept, "mail-missing@/mail/min_01ARZ3NDEKTSV4RRFFQ69G5FAV=404", "notices@/notices")
	s.node(t, "check.mjs", "--base", s.server.URL, "--token", token(t, postgrestest.South, identity.Officer), "--out", shots(t), "mail-none@/mail")
}
