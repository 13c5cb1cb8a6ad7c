package console_test

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/notify/webhook"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// hooks is where the stage keeps webhooks; they may lead to this machine.
func (s *stage) hooks(t testing.TB) *hook.Store {
	t.Helper()
	keys, err := durable.ParseKeys("one:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
	if err != nil {
		t.Fatal(err)
	}
	return hook.New(hook.Config{DB: s.db.App, Rules: policy.Standard(), Keys: keys, Loopback: true})
}

// courier sends what is due until the test is over, or it is stopped.
func (s *stage) courier(t testing.TB) (stop func()) {
	t.Helper()
	c, err := hook.NewCourier(hook.CourierConfig{Store: s.hooks(t), Sys: s.db.System, Wall: time.Now, Log: slog.New(slog.DiscardHandler),
		Beat: func(time.Duration) (<-chan time.Time, func()) {
			tick := time.NewTicker(20 * time.Millisecond)
			return tick.C, tick.Stop
		}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = c.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-done })
	t.Cleanup(stop)
	return stop
}

// sooner waits until something holds.
func sooner(t *testing.T, what string, ok func() bool) {
	t.Helper()
	wait.Until(t, "it comes: "+what, ok)
}

var (
	hookAt    = regexp.MustCompile(`/admin/webhooks/(hook_[0-9A-Z]{26})/tests`)
	messageAt = regexp.MustCompile(`/messages/(msg_[0-9A-Z]{26})"`)
	secretOf  = regexp.MustCompile(`whsec_[A-Za-z0-9+/=]{44}`)
)

// registered registers a webhook by the page's own form and returns its id and the
// secret that the page shows.
func (s *stage) registered(t *testing.T, address string) (id string, secret webhook.Secret) {
	t.Helper()
	made := s.askAs(t, identity.OrgAdmin, "/admin/webhooks", url.Values{"title": {"The register"}, "url": {address},
		"kind": {"case", "decision"}, "reason": {"It must follow."}})
	wantAll(t, made, http.StatusCreated, "The webhook is registered", "Copy the secret now")
	found, text := hookAt.FindStringSubmatch(made.body), secretOf.FindString(strings.ReplaceAll(made.body, "&#43;", "+"))
	if found == nil || made.header.Get("Cache-Control") != "no-store" {
		t.Fatalf("no webhook on the page, or it may be kept: %q", made.header.Get("Cache-Control"))
	}
	secret, err := webhook.ParseSecret(text)
	if err != nil {
		t.Fatal(err)
	}
	return found[1], secret
}

// tried is a webhook that nobody listens at, with a message that was given up.
func (s *stage) tried(t *testing.T) (id, message string) {
	t.Helper()
	id, _ = s.registered(t, "http://127.0.0.1:9/in")
	defer s.courier(t)()
	s.askAs(t, identity.OrgAdmin, "/admin/webhooks/"+id+"/tests", url.Values{})
	sooner(t, "a try", func() bool {
		page := s.askAs(t, identity.OrgAdmin, "/admin/webhooks/"+id, nil).body
		if found := messageAt.FindStringSubmatch(page); found != nil && strings.Contains(page, "Nobody takes the connection") {
			message = found[1]
		}
		return message != ""
	})
	return id, message
}

// TestAWebhookIsRegisteredTriedAndFollowedOnItsPage promises the whole of it without
// script: the secret once, a test message, what came of it, and sending it again.
func TestAWebhookIsRegisteredTriedAndFollowedOnItsPage(t *testing.T) {
	s := newStage(t)
	var got, bad atomic.Int64
	var keys atomic.Pointer[webhook.Keys]
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if k := keys.Load(); k == nil || k.Verify(r.Header, body, time.Now()) != nil {
			bad.Add(1)
		}
		_, _ = w.Write([]byte("noted, <b>thank you</b>"))
		got.Add(1)
	}))
	t.Cleanup(receiver.Close)
	id, secret := s.registered(t, receiver.URL+"/in/token-7")
	keys.Store(&webhook.Keys{{Secret: secret}})
	at := "/admin/webhooks/" + id
	wantNone(t, s.askAs(t, identity.OrgAdmin, at, nil), "whsec_") // once is once
	s.courier(t)
	sent := s.askAs(t, identity.OrgAdmin, at+"/tests", url.Values{})
	if sent.status != http.StatusSeeOther || sent.header.Get("Location") != at+"?done=tested" {
		t.Fatalf("%d to %q", sent.status, sent.header.Get("Location"))
	}
	sooner(t, "the test", func() bool { return got.Load() == 1 })
	sooner(t, "what came of it", func() bool { return strings.Contains(s.askAs(t, identity.Auditor, at, nil).body, "Taken (200)") })
	page := s.askAs(t, identity.OrgAdmin, at+"?done=tested", nil)
	wantAll(t, page, http.StatusOK, "A test message is on its way", "Test message", "/v1/webhooks/"+id+"/messages?format=csv",
		`"`+at+`/messages"`, "IST")
	taken := s.askAs(t, identity.OrgAdmin, at+"?state=delivered", nil)
	wantAll(t, taken, http.StatusOK, "Taken (200)", "/messages?format=csv&amp;state=delivered")
	wantNone(t, s.askAs(t, identity.OrgAdmin, at+"?state=failed", nil), "Taken (200)")
	message := messageAt.FindStringSubmatch(page.body)
	if message == nil {
		t.Fatal("the page leads to no message")
	}
	wantAll(t, s.askAs(t, identity.Auditor, at+"/messages/"+message[1], nil), http.StatusOK, "noted, &lt;b&gt;thank you&lt;/b&gt;",
		"Demo org admin (north)")
	again := s.askAs(t, identity.OrgAdmin, at+"/messages/"+message[1]+"/resend", url.Values{})
	if again.status != http.StatusSeeOther {
		t.Fatalf("%d: %s", again.status, again.body)
	}
	sooner(t, "it again", func() bool { return got.Load() == 2 })
	if bad.Load() != 0 {
		t.Errorf("%d of %d messages do not verify with the secret that was shown", bad.Load(), got.Load())
	}
}

// The path of an address may be a secret: who may not change it sees where it leads.
func TestWhoOnlyReadsSeesNoSecretOfAWebhook(t *testing.T) {
	s := newStage(t)
	id, _ := s.registered(t, "http://127.0.0.1:9/in/token-7")
	at := "/admin/webhooks/" + id
	wantAll(t, s.askAs(t, identity.OrgAdmin, at, nil), http.StatusOK, "http://127.0.0.1:9/in/token-7", "Send a test message")
	for _, role := range []identity.Role{identity.Operator, identity.Auditor} {
		for _, path := range []string{"/admin/webhooks", at} {
			seen := s.askAs(t, role, path, nil)
			wantAll(t, seen, http.StatusOK, "The register", "127.0.0.1:9")
			wantNone(t, seen, "token-7", "Send a test message", "Register the webhook")
		}
		if got := s.askAs(t, role, at+"/tests", url.Values{}); got.status != http.StatusForbidden {
			t.Errorf("%s sends a test: %d", role, got.status)
		}
	}
	if got := s.askAs(t, identity.Officer, "/admin/webhooks", nil); got.status != http.StatusForbidden {
		t.Errorf("an officer reads: %d", got.status)
	}
	south := s.ask(t, at, nil, "Cookie", "gavel_dev="+token(t, postgrestest.South, identity.OrgAdmin))
	if south.status != http.StatusNotFound {
		t.Errorf("another organisation reads: %d", south.status)
	}
}

func TestAWebhookThatIsRefusedKeepsWhatWasTyped(t *testing.T) {
	s := newStage(t)
	refused := s.askAs(t, identity.OrgAdmin, "/admin/webhooks", url.Values{"title": {"The register"}, "url": {"https://10.0.0.1/in"},
		"kind": {"objection"}, "reason": {"It must follow."}})
	wantAll(t, refused, http.StatusUnprocessableEntity, "This was not done", "an address inside", `value="https://10.0.0.1/in"`,
		`value="objection" checked`, "It must follow.</textarea>")
	id, first := s.registered(t, "http://127.0.0.1:9/in")
	at := "/admin/webhooks/" + id
	wantAll(t, s.askAs(t, identity.OrgAdmin, at+"/secrets", url.Values{"reason": {""}}), http.StatusUnprocessableEntity,
		"the reason is missing")
	changed := s.askAs(t, identity.OrgAdmin, at+"/secrets", url.Values{"reason": {"It is time."}})
	wantAll(t, changed, http.StatusOK, "There is a new secret", "signs as well until")
	if strings.Contains(changed.body, first.Reveal()) {
		t.Error("the old secret is shown")
	}
	stale := url.Values{"title": {"x"}, "url": {"http://127.0.0.1:9/new"}, "kind": {"case"}, "reason": {"x"}, "version": {"1"}}
	wantAll(t, s.askAs(t, identity.OrgAdmin, at+"/change", stale), http.StatusPreconditionFailed, "has changed since you read it",
		"http://127.0.0.1:9/new")
	for _, to := range []string{"off", "on"} {
		if got := s.askAs(t, identity.OrgAdmin, at+"/state", url.Values{"to": {to}, "reason": {"x"}}); got.status != http.StatusSeeOther {
			t.Errorf("%s: %d", to, got.status)
		}
	}
	s.set(t, `update gavel.webhook set state = 'failed', reason = 'timeout'`)
	wantAll(t, s.askAs(t, identity.OrgAdmin, "/admin", nil), http.StatusOK, "Webhook The register was turned off: No answer in time", at)
	wantAll(t, s.askAs(t, identity.OrgAdmin, at+"?lang=hi", nil), http.StatusOK, "समय पर उत्तर नहीं आया", "फिर चालू करें")
	if got := s.askAs(t, identity.OrgAdmin, at+"/remove", url.Values{}); got.status != http.StatusSeeOther ||
		got.header.Get("Location") != "/admin/webhooks?done=removed" {
		t.Errorf("%d to %q", got.status, got.header.Get("Location"))
	}
	wantAll(t, s.askAs(t, identity.OrgAdmin, "/admin/webhooks?done=removed", nil), http.StatusOK, "The webhook is removed",
		"No server is told of anything")
}
