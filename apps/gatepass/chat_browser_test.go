//go:build browser

package gatepass_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
)

// TestAConversationIsFitForPeople promises that the page of a conversation, empty, with an answer, with a card that waits, while an
// answer is written and where it was stopped, has no
// serious finding from axe-core and never scrolls sideways, at 360 and 1280 px, light and dark, in English and Hindi.
func TestAConversationIsFitForPeople(t *testing.T) {
	p := newParlour(t)
	p.look(t, p.URL, identity.PassAdmin, "gate-chat-empty@/gatepass/chat")
	number := p.create(t, "hr", "person_name", "Rekha Devi", "description", "Laptop to the service centre")["pass_number"].(string)
	p.wanted("One waits: "+number+", Rekha Devi.", scripted.Call{Name: "list_pending_gate_passes", Args: map[string]any{}})
	p.writes(t, identity.PassAdmin, pass.Admin, "What waits for approval?", "One waits: "+number)
	p.wanted("Approved.", scripted.Call{Name: "approve_gate_pass", Args: map[string]any{"pass_number": number}})
	p.writes(t, identity.PassAdmin, pass.Admin, "Approve "+number, "Waiting for you: 1")
	p.look(t, p.URL, identity.PassAdmin, "gate-chat@/gatepass/chat")
	asked := make(chan struct{}, 20)
	p.hangs(asked)
	p.Post(t, identity.HR, "/gatepass/chat/say", url.Values{"role": {string(pass.HR)}, "words": {"Which passes of mine wait?"}})
	<-asked
	p.look(t, p.URL, identity.HR, "gate-chat-working@/gatepass/chat")
	p.Post(t, identity.HR, "/gatepass/chat/stop", nil)
	wait.Until(t, "the answer is stopped", func() bool {
		return strings.Contains(p.Get(t, identity.HR, "/gatepass/chat").Body, "You stopped the answer here.")
	})
	p.wanted("It is " + nobodys + ".")
	p.writes(t, identity.HR, pass.HR, "And which is mine?", "A pass number is left out")
	p.look(t, p.URL, identity.HR, "gate-chat-stopped@/gatepass/chat")
}
