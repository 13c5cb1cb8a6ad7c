package gatepass_test

import (
	"html"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// writes has somebody write on the page, and waits until the page shows something.
func (p *parlour) writes(t *testing.T, as identity.Role, role pass.Role, words, shows string) platformtest.Answer {
	t.Helper()
	sent := p.Post(t, as, "/gatepass/chat/say", url.Values{"role": {string(role)}, "words": {words}})
	if sent.Status != http.StatusSeeOther && sent.Status != http.StatusOK {
		t.Fatalf("got %d: %.400s", sent.Status, sent.Body)
	}
	var page platformtest.Answer
	wait.Until(t, "the page shows "+shows, func() bool {
		page = p.Get(t, as, "/gatepass/chat")
		return strings.Contains(html.UnescapeString(page.Body), shows)
	})
	return page
}

// cardForm is a card in the tray: the proposal, and exactly what is shown.
var cardForm = regexp.MustCompile(`name="card" value="([^"]+)"`)

// TestThePageOfAConversation promises that it shows what was said and done, that a card waits in the tray with the record's words until its
// button is pressed, that what other people wrote is text and nothing else, and that it ends when the person ends it.
func TestThePageOfAConversation(t *testing.T) {
	p := newParlour(t)
	p.Get(t, identity.PassAdmin, "/gatepass/chat").Holds(t, http.StatusOK, "No conversation yet", "As pass administrator:")
	number := p.create(t, "hr", "person_name", "Asha <b>Rao</b>")["pass_number"].(string)
	p.wanted("One waits: "+number, scripted.Call{Name: "list_pending_gate_passes", Args: map[string]any{}})
	page := p.writes(t, identity.PassAdmin, pass.Admin, "What waits for approval?", "One waits: "+number)
	page.Holds(t, http.StatusOK, "What waits for approval?", "List what waits for approval", "Asha &lt;b&gt;Rao&lt;/b&gt;")
	page.Lacks(t, "<b>Rao")
	p.wanted("Done.", scripted.Call{Name: "approve_gate_pass", Args: map[string]any{"pass_number": number}})
	page = p.writes(t, identity.PassAdmin, pass.Admin, "Approve "+number, "Waiting for you: 1")
	page.Holds(t, http.StatusOK, "Approve this pass", "To the bank", "Leave as it is")
	card := cardForm.FindStringSubmatch(page.Body)
	if card == nil {
		t.Fatal("there is no card")
	}
	p.Post(t, identity.PassAdmin, "/gatepass/chat/cards", url.Values{"answer": {"confirm"}}).
		Holds(t, http.StatusUnprocessableEntity, "Not sent")
	p.Post(t, identity.HR, "/gatepass/chat/cards", url.Values{"answer": {"confirm"}, "card": {html.UnescapeString(card[1])}}).
		Holds(t, http.StatusNotFound)
	p.Post(t, identity.PassAdmin, "/gatepass/chat/cards", url.Values{"answer": {"confirm"}, "card": {html.UnescapeString(card[1])}})
	wait.Until(t, "the pass is approved", func() bool {
		return p.Number(t, `select count(*)::int from gatepass.pass where number = $1 and status = 'approved'`, number) == 1
	})
	p.Post(t, identity.PassAdmin, "/gatepass/chat/end", nil)
	p.Get(t, identity.PassAdmin, "/gatepass/chat").Holds(t, http.StatusOK, "No conversation yet")
}

// TestAnAnswerIsStoppedOnThePage promises the button while an answer is written, that the page says where it was stopped, and that a number
// which no record answered with is not shown.
func TestAnAnswerIsStoppedOnThePage(t *testing.T) {
	p, asked := newParlour(t), make(chan struct{}, 20)
	p.hangs(asked)
	p.Post(t, identity.HR, "/gatepass/chat/say", url.Values{"role": {string(pass.HR)}, "words": {"What waits?"}})
	<-asked
	p.Get(t, identity.HR, "/gatepass/chat").Holds(t, http.StatusOK, "The agent is at work", "Stop the answer")
	p.Post(t, identity.HR, "/gatepass/chat/stop", nil)
	var page platformtest.Answer
	wait.Until(t, "the page says that the answer was stopped", func() bool {
		page = p.Get(t, identity.HR, "/gatepass/chat")
		return strings.Contains(page.Body, "You stopped the answer here.")
	})
	page.Lacks(t, "Stop the answer")
	p.wanted("Your pass is " + nobodys + ".")
	p.writes(t, identity.HR, pass.HR, "And now?", "A pass number is left out").Lacks(t, nobodys)
}
