package api_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/notify/webhook"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// newWebhooks answers for webhooks, and sends to them until the test is over.
func newWebhooks(t *testing.T) caller {
	t.Helper()
	db := postgrestest.New(t, audit.Migrations(), idempotency.Migrations(), operation.Migrations(), hook.Migrations())
	keys, err := durable.ParseKeys("one:MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=")
	if err != nil {
		t.Fatal(err)
	}
	hooks := hook.New(hook.Config{DB: db.App, Rules: policy.Standard(), Keys: keys, Loopback: true})
	courier, err := hook.NewCourier(hook.CourierConfig{Store: hooks, Sys: db.System, Wall: time.Now, Log: slog.New(slog.DiscardHandler),
		Beat: func(time.Duration) (<-chan time.Time, func()) {
			tick := time.NewTicker(20 * time.Millisecond)
			return tick.C, tick.Stop
		}})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); _ = courier.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	return caller{t, serveParts(t, db, api.Config{}, &api.Webhooks{Hooks: hooks, May: policy.Standard().May}), &http.Client{}, db}
}

// TestAWebhookIsLookedAfterOverTheAPI promises what a program does with one from
// its beginning to its end: the secret is told once, a test arrives signed by it,
// and everything but reading is for administrators.
func TestAWebhookIsLookedAfterOverTheAPI(t *testing.T) {
	c := newWebhooks(t)
	var keys atomic.Pointer[webhook.Keys]
	var taken atomic.Int64
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		if k := keys.Load(); k == nil || k.Verify(r.Header, body, time.Now()) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		taken.Add(1)
	}))
	t.Cleanup(receiver.Close)
	draft := `{"url":"` + receiver.URL + `/in/token-7","title":"The register","kinds":["decision"],"reason":"It must follow."}`
	made := c.call("admin", "POST", "/v1/webhooks", draft)
	secret, err := webhook.ParseSecret(made.body["secret"].(string))
	if made.status != 201 || err != nil {
		t.Fatalf("%d %s", made.status, made.text)
	}
	keys.Store(&webhook.Keys{{Secret: secret}})
	at := "/v1/webhooks/" + made.body["id"].(string)
	tag := made.header.Get("ETag")
	for _, tt := range []struct {
		as, method, path, body string
		headers                []string
		status                 int
		says                   string
	}{
		{"admin", "POST", "/v1/webhooks", draft, []string{"Idempotency-Key", "key-of-mine"}, 422, "the answer holds a secret"},
		{"admin", "POST", "/v1/webhooks?validate_only=true", draft, nil, 422, ""},
		{"admin", "POST", "/v1/webhooks", strings.Replace(draft, receiver.URL, "https://169.254.169.254", 1), nil, 422,
			"an address inside"},
		{"admin", "POST", "/v1/webhooks", strings.Replace(draft, "decision", "seed", 1), nil, 422, "no webhook is told of"},
		{"operator", "POST", "/v1/webhooks", draft, nil, 403, ""},
		{"machine", "GET", "/v1/webhooks", "", nil, 403, ""},
		{"officer", "GET", at, "", nil, 403, ""},
		{"", "GET", at, "", nil, 401, ""},
		{"admin", "POST", at + "/change", draft, nil, 428, ""},
		{"admin", "POST", at + "/change", draft, []string{"If-Match", `"7"`}, 412, "has changed"},
		{"admin", "POST", at + "/tests", "", nil, 422, "Idempotency-Key"},
		{"admin", "POST", at + "/secrets", `{"hours":25,"reason":"x"}`, nil, 422, ""},
		{"admin", "POST", at + "/enable", `{"reason":"x"}`, nil, 409, "on already"},
		{"operator", "GET", at, "", nil, 200, "http://127.0.0.1"},
	} {
		got := c.call(tt.as, tt.method, tt.path, tt.body, tt.headers...)
		if got.status != tt.status || !strings.Contains(got.text, tt.says) || strings.Contains(got.text, "whsec_") {
			t.Errorf("%s %s %s: got %d %s, want %d %q", tt.as, tt.method, tt.path, got.status, got.text, tt.status, tt.says)
		}
		if tt.as != "admin" && strings.Contains(got.text, "token-7") {
			t.Errorf("%s is told the path: %s", tt.as, got.text)
		}
	}
	if got := c.call("admin", "POST", at+"/change", draft, "If-Match", tag); got.status != 200 {
		t.Errorf("%d %s", got.status, got.text)
	}
	first := c.call("admin", "POST", at+"/tests", "", "Idempotency-Key", "test-the-first")
	again := c.call("admin", "POST", at+"/tests", "", "Idempotency-Key", "test-the-first")
	if first.status != 202 || again.body["id"] != first.body["id"] {
		t.Fatalf("%d %s and %s", first.status, first.text, again.text)
	}
	message := at + "/messages/" + first.body["id"].(string)
	var read answer
	wait.Try(t, func() error {
		if read = c.call("auditor", "GET", message, ""); read.body["state"] != "delivered" {
			return fmt.Errorf("not delivered: %s", read.text)
		}
		return nil
	})
	if tries := read.body["tries"].([]any); taken.Load() != 1 || len(tries) != 1 || tries[0].(map[string]any)["status"] != 200.0 ||
		read.body["type"] != hook.TestKind {
		t.Errorf("%d taken, %s", taken.Load(), read.text)
	}
	if rows := csvOf(t, c.call("auditor", "GET", at+"/messages?format=csv", "")); len(rows) != 2 || rows[1][0] != first.body["id"] {
		t.Errorf("got %v", rows)
	}
	if got := c.call("admin", "POST", message+"/resend", "", "Idempotency-Key", "send-it-again"); got.status != 202 {
		t.Errorf("%d %s", got.status, got.text)
	}
	if got := c.call("admin", "POST", at+"/disable", `{"reason":"x"}`); got.status != 200 || got.body["state"] != "off" {
		t.Errorf("%d %s", got.status, got.text)
	}
	if got := c.call("admin", "DELETE", at, ""); got.status != 204 {
		t.Errorf("%d %s", got.status, got.text)
	}
	if got := c.call("admin", "GET", "/v1/webhooks", ""); got.status != 200 || len(field(got.body, "items").([]any)) != 0 {
		t.Errorf("%d %s", got.status, got.text)
	}
}
