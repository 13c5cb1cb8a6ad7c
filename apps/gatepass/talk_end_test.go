package gatepass_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// hangs has the model say nothing, for as long as it is asked.
func (p *parlour) hangs(asked chan<- struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wants = func(scripted.Seen) (scripted.Answer, bool) {
		asked <- struct{}{}
		return scripted.Answer{Fails: scripted.Hangs}, true
	}
}

// TestAnAnswerIsStoppedByItsPerson promises that a person can stop an answer, also the first of a conversation, that they see where it
// ends, that it is their turn then, and that nobody else stops it.
func TestAnAnswerIsStoppedByItsPerson(t *testing.T) {
	p, asked := newParlour(t), make(chan struct{}, 20)
	p.hangs(asked)
	p.Want(t, 200, "hr", http.MethodPost, rest.Base+"/chat/messages", map[string]any{"role": "HR_User", "message": "What waits?"})
	<-asked
	wants(t, p.Call(t, "hr2", http.MethodPost, rest.Base+"/chat/stop", nil), 404, "not_found")
	p.Want(t, 200, "hr", http.MethodPost, rest.Base+"/chat/stop", nil)
	now := p.settled(t, "hr")
	if last := lastLine(now); now["state"] != "idle" || last["who"] != "agent" || last["cut"] != true {
		t.Fatalf("%v: %v", now["state"], now["lines"])
	}
	p.wanted("Nothing waits.")
	now = p.says(t, "hr", "HR_User", "And now?")
	if !strings.HasSuffix(wordsIn(now), "person: And now?\nagent: Nothing waits.") || lastLine(now)["cut"] != nil {
		t.Errorf("the conversation goes on with\n%s", wordsIn(now))
	}
	again := p.Want(t, 200, "hr", http.MethodPost, rest.Base+"/chat/stop", nil).JSON // nothing is being written
	if n := p.Number(t, `select count(*)::int from gavel.run_interrupt`); n != 1 || again["state"] != "idle" {
		t.Errorf("%d answers were stopped, and it is %v", n, again["state"])
	}
}

func lastLine(now map[string]any) map[string]any {
	lines := now["lines"].([]any)
	return lines[len(lines)-1].(map[string]any)
}

// TestATalkThatIsEndedEndsWhole promises that a conversation which is ended while its agent answers, while a card waits or while nothing
// happens leaves no turn half done, nothing to decide, no memory and no agent at work.
func TestATalkThatIsEndedEndsWhole(t *testing.T) {
	p, asked := newParlour(t), make(chan struct{}, 20)
	number := p.create(t, "hr")["pass_number"].(string)
	approve := scripted.Call{Name: "approve_gate_pass", Args: map[string]any{"pass_number": number}}
	first := func(as, role string) {
		p.wanted("Yes.")
		p.says(t, as, role, "Hello")
	}
	for _, tt := range []struct {
		name, as, role string
		until          func(as, role string)
	}{
		{"in its first answer", "hr", "HR_User", func(as, role string) {
			p.hangs(asked)
			p.Want(t, 200, as, http.MethodPost, rest.Base+"/chat/messages", map[string]any{"role": role, "message": "What waits?"})
			<-asked
		}},
		{"in a later answer", "hr2", "HR_User", func(as, role string) {
			first(as, role)
			p.hangs(asked)
			p.Want(t, 200, as, http.MethodPost, rest.Base+"/chat/messages", map[string]any{"role": role, "message": "What waits?"})
			<-asked
		}},
		{"before a card", "admin", "Admin_User", func(as, role string) {
			p.wanted("It is approved.", approve)
			if now := p.says(t, as, role, "Approve "+number); now["state"] != "waiting" {
				t.Fatalf("no card waits: %v", now)
			}
		}},
		{"in silence", "admin2", "Admin_User", first},
	} {
		tt.until(tt.as, tt.role)
		run := p.Want(t, 200, tt.as, http.MethodGet, rest.Base+"/chat", nil).JSON["run"].(string)
		p.out.take()
		p.Want(t, 204, tt.as, http.MethodPost, rest.Base+"/chat/reset", nil)
		wants(t, p.Call(t, tt.as, http.MethodGet, rest.Base+"/chat", nil), 404, "not_found")
		wait.Try(t, func() error {
			if got := p.Texts(t, `select state || ': ' || reason from gavel.run where id = $1`, run); len(got) != 1 ||
				got[0] != "failed: A person gave this run up." {
				return fmt.Errorf("%s: the run is %q", tt.name, got)
			}
			return nil
		})
		for what, left := range map[string]string{
			"proposals wait": `select count(*)::int from gavel.proposal where run = $1 and state = 'open'`,
			"steps are lost": `select count(*)::int from gavel.run r where id = $1 and r.seq + 1 <>
				(select count(*) from gavel.step s where s.run_id = r.id)`,
			"talks are open":  `select count(*)::int from gatepass.talk where run_id = $1 and ended_at is null`,
			"memories remain": `select count(*)::int from gatepass.talk where run_id = $1 and (said <> '[]' or current_pass_number <> '')`,
		} {
			if n := p.Number(t, left, run); n != 0 {
				t.Errorf("%s: %d %s", tt.name, n, what)
			}
		}
		if sent := p.out.take(); len(sent) != 0 {
			t.Errorf("%s: %+v was sent afterwards", tt.name, sent)
		}
	}
	p.wanted("Nothing.")
	if now := p.says(t, "hr", "HR_User", "Hello again"); now["state"] != "idle" || len(now["lines"].([]any)) != 2 {
		t.Errorf("another begins with %v", now["lines"])
	}
}

// TestARepeatIsAnsweredWithoutWhatWasSaid promises that of a conversation nothing is kept with a request's key: a repeat does nothing and
// is told where to read, and what was said is gone with the conversation.
func TestARepeatIsAnsweredWithoutWhatWasSaid(t *testing.T) {
	p := newParlour(t)
	number := p.create(t, "hr", "person_name", "Ravi Kumar")["pass_number"].(string)
	p.wanted("Ravi Kumar waits.", scripted.Call{Name: "reject_gate_pass", Args: map[string]any{"pass_number": number}})
	say := func() platformtest.Answer {
		return p.Want(t, 200, "admin", http.MethodPost, rest.Base+"/chat/messages",
			map[string]any{"role": "Admin_User", "message": "Reject the pass of Ravi Kumar, " + number}, "Idempotency-Key", "say-it-once")
	}
	if first := say(); !strings.Contains(first.Body, "Ravi Kumar") {
		t.Errorf("the first answer is %s", first.Body)
	}
	card := p.settled(t, "admin")["cards"].([]any)[0].(map[string]any)
	press := func() platformtest.Answer {
		return p.Want(t, 200, "admin", http.MethodPost, rest.Base+"/chat/cards",
			map[string]any{"proposal": card["proposal"], "shown": card["shown"], "answer": "leave"}, "Idempotency-Key", "leave-it-once")
	}
	press()
	p.settled(t, "admin")
	for name, again := range map[string]platformtest.Answer{"a message": say(), "a card": press()} {
		if again.Body != "" || again.Header.Get("Location") != rest.Base+"/chat" || again.Header.Get("Idempotency-Replayed") != "true" {
			t.Errorf("%s that is sent again is answered %v %q", name, again.Header, again.Body)
		}
	}
	if said := strings.Count(wordsIn(p.settled(t, "admin")), "person: Reject"); said != 1 {
		t.Errorf("it was said %d times", said)
	}
	const kept = `select count(*)::int from gavel.idempotency where route like '%/chat/%' and body <> ''`
	if n := p.Number(t, kept); n != 0 {
		t.Errorf("%d kept answers say something", n)
	}
}

// TestAMessageWhoseServerDiedIsSaidOnce promises that a message which is sent again, because the server that took it died before it
// answered or in the middle of it, is said once and answered once, be it the first of a conversation or a later one; and that a key with
// other words, which was refused before, says those.
func TestAMessageWhoseServerDiedIsSaidOnce(t *testing.T) {
	p := newParlour(t)
	p.wanted("Nothing waits.")
	send := func(words, key string) platformtest.Answer {
		return p.Call(t, "hr", http.MethodPost, rest.Base+"/chat/messages", map[string]any{"role": "HR_User", "message": words},
			"Idempotency-Key", key)
	}
	died := func() { // before it could keep the answer, and longer ago than any request takes
		p.Set(t, `update gavel.idempotency set state = 'running', status = null, headers = null, body = null,
			lease_until = now() - interval '1 hour'`)
	}
	want := ""
	for i, words := range []string{"What waits?", "And who is out?", "And who is late?"} {
		key := fmt.Sprintf("message-%d", i)
		if i == 2 {
			p.without(t, "gavel.run_message", func() { // the conversation has it, and the agent was not told
				if a := send(words, key); a.Status < 500 {
					t.Fatalf("got %d: %s", a.Status, a.Body)
				}
			})
		}
		for range 2 {
			wants(t, send(words, key), 200, "")
			died()
		}
		p.settled(t, "hr")
		wants(t, send(words, key), 200, "")
		want += "person: " + words + "\nagent: Nothing waits.\n"
		if got := wordsIn(p.settled(t, "hr")) + "\n"; got != want {
			t.Fatalf("after %q the conversation is\n%s", words, got)
		}
	}
	if n := p.Number(t, `select jsonb_array_length(said)::int from gatepass.talk`); n != 3 {
		t.Errorf("%d messages are remembered", n)
	}
	wants(t, send("  ", "message-x"), 422, "validation")
	wants(t, send("Thank you", "message-x"), 200, "")
	if got := wordsIn(p.settled(t, "hr")); !strings.Contains(got, "person: Thank you\n") {
		t.Errorf("with a key that was refused before:\n%s", got)
	}
	form := url.Values{"role": {"HR_User"}, "words": {"Good night"}}
	form.Set("once", carried(p.Get(t, identity.HR, "/gatepass/chat").Body).Get("once"))
	for range 2 {
		if a := p.Post(t, identity.HR, "/gatepass/chat/say", form); a.Status != http.StatusSeeOther {
			t.Errorf("the form sent again: %d: %.400s", a.Status, a.Main())
		}
	}
	wait.Until(t, "the form is answered", func() bool {
		return strings.Count(p.Get(t, identity.HR, "/gatepass/chat").Main(), "Nothing waits.") == 1
	})
	if n := strings.Count(p.Get(t, identity.HR, "/gatepass/chat").Main(), "Good night"); n != 1 {
		t.Errorf("a form that was sent twice is said %d times", n)
	}
}
