package console_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// mailbox takes in mail as a server does that has a domain for replies.
func (s *stage) mailbox(t testing.TB) *inbound.Store {
	t.Helper()
	store, err := inbound.New(inbound.Config{DB: s.db.App, System: s.db.System, Clock: durable.Clock{}, Policy: policy.Standard(),
		Cases: s.store, Vault: s.Vault,
		Evidence: s.Evidence, Routes: notify.NewRoutes(s.db.System), Post: s.post, Rules: inbound.Rules{Book: letterBook(),
			From: []string{"cell@gavel.test"}, AuthServer: "mx.gavel.test"}, Postmaster: postgrestest.North})
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// arrives has a mail come in, and says what it is called then.
func (s *stage) arrives(t testing.TB, id, headers, body string) string {
	t.Helper()
	raw := "From: Asha <asha@riders.test>\r\nTo: cell@gavel.test\r\nDate: Sun, 15 Nov 2026 09:00:00 +0000\r\nMessage-ID: <" + id +
		"@riders.test>\r\n" + headers +
		"MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n" + body + "\r\n"
	got, err := s.mailIn.Receive(t.Context(), inbound.Delivery{Via: "import", Key: id, Raw: []byte(raw)})
	if err != nil {
		t.Fatal(err)
	}
	return got.ID
}

// TestMailThatIsInDoubtWaitsForAPerson promises that it is listed with the reason
// and without its words, shown as text and never as a page, and goes on a case
// only when somebody who may says so, once.
func TestMailThatIsInDoubtWaitsForAPerson(t *testing.T) {
	s := newStage(t)
	van := s.open(t, postgrestest.North, "van", "Night shift check, van 14", 0)
	id := s.arrives(t, "first", "Subject: about my seat\r\n", `The road was closed. <script>alert(1)</script> http://bad.example/x`)
	away := s.arrives(t, "away", "Subject: Away\r\nAuto-Submitted: auto-replied\r\n", "I am on leave.")
	list := s.ask(t, "/mail", nil)
	wantAll(t, list, http.StatusOK, "/mail/"+id, "no case fits it", "No case known")
	for _, hidden := range []string{"road was closed", "asha@", "about my seat", away} {
		if strings.Contains(list.body, hidden) {
			t.Errorf("the list shows %q", hidden)
		}
	}
	wantAll(t, s.ask(t, "/mail?box=aside", nil), http.StatusOK, "/mail/"+away, "An automatic answer", "no person wrote it")
	page := s.ask(t, "/mail/"+id, nil)
	wantAll(t, page, http.StatusOK, "The road was closed. &lt;script&gt;", "asha@riders.test", "about my seat", "Put it on this case",
		"Discard this mail")
	if strings.Contains(page.body, `href="http://bad.example`) {
		t.Error("a link of the mail can be followed")
	}

	wrong := s.ask(t, "/mail/"+id+"/accept", url.Values{"case": {"GEN-NOSUCH"}, "note": {"She rang."}})
	wantAll(t, wrong, http.StatusUnprocessableEntity, "No case is called", "Write its reference", `value="GEN-NOSUCH"`, "She rang.")
	if got := s.ask(t, "/mail/"+id+"/accept", url.Values{"case": {van.Ref}, "note": {"She rang."}}); got.status != http.StatusSeeOther {
		t.Fatalf("accepting answers %d: %s", got.status, got.body)
	}
	wantAll(t, s.ask(t, "/cases/"+string(van.ID), nil), http.StatusOK, "A mail came in", "The road was closed.")
	wantAll(t, s.ask(t, "/mail?box=decided", nil), http.StatusOK, "/mail/"+id, "On its case")
	wantAll(t, s.ask(t, "/mail/"+id, nil), http.StatusOK, van.Ref, "She rang.")
	wantAll(t, s.ask(t, "/mail/"+id+"/discard", url.Values{}), http.StatusConflict, "was decided already")
	if got := s.ask(t, "/mail/"+away+"/discard", url.Values{}); got.status != http.StatusSeeOther {
		t.Fatalf("discarding answers %d", got.status)
	}
	wantAll(t, s.ask(t, "/mail", nil), http.StatusOK, "No mail waits")
}

// TestMailIsForWhoMayReadIt promises that others are refused, and that another
// organisation's mail is not there.
func TestMailIsForWhoMayReadIt(t *testing.T) {
	s := newStage(t)
	id := s.arrives(t, "first", "Subject: about my seat\r\n", "The road was closed.")
	for role, want := range map[identity.Role]int{identity.Officer: 200, identity.Auditor: 200, identity.Gate: 403, identity.Operator: 403,
		identity.Analyst: 403} {
		if got := s.askAs(t, role, "/mail/"+id, nil); got.status != want {
			t.Errorf("%s gets %d, want %d", role, got.status, want)
		}
	}
	if got := s.askAs(t, identity.Auditor, "/mail/"+id+"/discard", url.Values{}); got.status != http.StatusForbidden {
		t.Errorf("an auditor discards: %d", got.status)
	}
	elsewhere := s.ask(t, "/mail/"+id, nil, "Cookie", "gavel_dev="+token(t, postgrestest.South, identity.Officer))
	if elsewhere.status != http.StatusNotFound || strings.Contains(elsewhere.body, "road was closed") {
		t.Errorf("south gets %d", elsewhere.status)
	}
	wantAll(t, s.ask(t, "/mail?box=nosuch", nil), http.StatusUnprocessableEntity, "“nosuch” is not one of the choices")
}
