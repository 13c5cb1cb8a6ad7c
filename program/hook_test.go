package program

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/webhook"
)

// TestAServerTellsAnotherServerWhatHappens promises the whole way, with a real
// server: a case is opened, and the other side has a message about it that its
// secret verifies.
func TestAServerTellsAnotherServerWhatHappens(t *testing.T) {
	k := newCounter(t)
	type message struct {
		header http.Header
		body   []byte
	}
	got := make(chan message, 100)
	receiver := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- message{r.Header, body}
	}))
	t.Cleanup(receiver.Close)
	made := k.as(identity.OrgAdmin).run(t, "webhook", "add", "--url", receiver.URL+"/hooks", "--title", "The register", "--kind",
		"case", "--reason", "x", "-o", "json")
	var told struct{ Secret string }
	if err := json.Unmarshal([]byte(made.out), &told); err != nil || made.code != 0 {
		t.Fatalf("%+v, %v", made, err)
	}
	secret, err := webhook.ParseSecret(told.Secret)
	if err != nil {
		t.Fatal(err)
	}
	id := k.opened()
	for deadline := time.After(wait.Patience()); ; {
		select {
		case <-deadline:
			t.Fatal("nobody was told of the case")
		case m := <-got:
			if err := (webhook.Keys{{Secret: secret}}).Verify(m.header, m.body, time.Now()); err != nil {
				t.Fatalf("%v: %s", err, m.body)
			}
			if strings.Contains(string(m.body), `"data":{"id":"`+id+`"}`) {
				return
			}
		}
	}
}

const noHook, noMessage = "hook_01K5ZJ3W8Q6X9V2T4N7M1B0CD9", "msg_01K5ZJ3W8Q6X9V2T4N7M1B0CD9"

// webhook is the id of one that leads to where nobody listens.
func (k *counter) webhook(then ...string) string {
	k.t.Helper()
	at := k.as(identity.OrgAdmin)
	got := at.run(k.t, "webhook", "add", "--url", "http://127.0.0.1:9/hooks", "--title", "The register", "--kind", "decision", "--reason",
		"x", "-o", "name")
	if got.code != 0 {
		k.t.Fatalf("register: %+v", got)
	}
	id := strings.TrimSpace(got.out)
	for _, do := range then {
		if got := at.run(k.t, "webhook", do, id, "--reason", "x"); got.code != 0 {
			k.t.Fatalf("%s: %+v", do, got)
		}
	}
	return id
}

// anyWebhook is one that is there, or a new one.
func (k *counter) anyWebhook() string {
	k.t.Helper()
	if id, _, _ := strings.Cut(k.as(identity.OrgAdmin).run(k.t, "webhook", "list", "-o", "name").out, "\n"); id != "" {
		return id
	}
	return k.webhook()
}

// sent is a webhook and a message to it.
func (k *counter) sent() (id, message string) {
	k.t.Helper()
	id = k.webhook()
	return id, strings.TrimSpace(k.as(identity.OrgAdmin).run(k.t, "webhook", "test", id, "-o", "name").out)
}

func webhookContracts() map[string]contract {
	on := func(args ...string) func(*counter) []string {
		return func(k *counter) []string {
			return append([]string{"webhook", args[0], k.anyWebhook()}, args[1:]...)
		}
	}
	all := map[string]contract{
		"webhook list": {empty: words("webhook", "list"), one: func(k *counter) []string {
			k.anyWebhook()
			return []string{"webhook",
				"list"}
		},
			fail: words("webhook", "list", "--server", "http://127.0.0.1:1"), failCode: 1},
		"webhook add": {one: words("webhook", "add", "--url", "http://127.0.0.1:9/hooks", "--title", "x", "--kind", "case", "--reason",
			"x"),
			fail: words("webhook", "add", "--url", "https://10.0.0.1/", "--title", "x", "--kind", "case", "--reason", "x"), failCode: 2},
		"webhook secret": {one: on("secret", "--reason", "x"), fail: words("webhook", "secret", noHook, "--reason", "x"), failCode: 3},
		"webhook test":   {one: on("test"), fail: words("webhook", "test", noHook), failCode: 3},
		"webhook messages": {one: func(k *counter) []string { id, _ := k.sent(); return []string{"webhook", "messages", id} },
			fail: words("webhook", "messages", noHook), failCode: 3},
		"webhook resend": {one: func(k *counter) []string { id, message := k.sent(); return []string{"webhook", "resend", id, message} },
			fail: on("resend", noMessage), failCode: 3},
		"webhook off": {one: func(k *counter) []string { return []string{"webhook", "off", k.webhook(), "--reason", "x"} },
			fail: words("webhook", "off", noHook, "--reason", "x"), failCode: 3},
		"webhook on": {one: func(k *counter) []string { return []string{"webhook", "on", k.webhook("off"), "--reason", "x"} },
			fail: words("webhook", "on", noHook, "--reason", "x"), failCode: 3},
	}
	for name, row := range all {
		row.as = identity.OrgAdmin
		all[name] = row
	}
	return all
}
