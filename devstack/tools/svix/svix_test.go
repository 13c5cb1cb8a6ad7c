package svix_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	svix "github.com/svix/svix-webhooks/go"

	"github.com/gavelhq/gavel/platform/notify/webhook"
)

const body = `{"type":"proposal.decided","timestamp":"2026-11-15T09:00:00Z","data":{"id":"P-1"}}`

// theirs is a receiver with the reference library.
func theirs(t *testing.T, s webhook.Secret) *svix.Webhook {
	t.Helper()
	w, err := svix.NewWebhook(s.Reveal())
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func ours(t *testing.T, keys webhook.Keys, at time.Time) http.Header {
	t.Helper()
	h, err := keys.Sign("msg_01K5ZJ3W8Q6X9V2T4N7M1B0CDE", at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestTheReferenceLibraryTakesOurSignatures(t *testing.T) {
	secret := webhook.NewSecret()
	keys := webhook.Keys{{Secret: secret}}
	if err := theirs(t, secret).Verify([]byte(body), ours(t, keys, time.Now())); err != nil {
		t.Errorf("got %v", err)
	}
	for name, try := range map[string]func() error{
		"another body":   func() error { return theirs(t, secret).Verify([]byte(body+" "), ours(t, keys, time.Now())) },
		"another secret": func() error { return theirs(t, webhook.NewSecret()).Verify([]byte(body), ours(t, keys, time.Now())) },
		"an old message": func() error {
			return theirs(t, secret).Verify([]byte(body), ours(t, keys, time.Now().Add(-webhook.Tolerance-time.Second)))
		},
	} {
		if try() == nil {
			t.Errorf("%s verifies", name)
		}
	}
}

func TestTheReferenceLibraryFollowsAChangeOfSecret(t *testing.T) {
	first, second := webhook.NewSecret(), webhook.NewSecret()
	during := webhook.Keys{{Secret: first}}.Rotate(second, time.Now())
	after := webhook.Keys{{Secret: first}}.Rotate(second, time.Now().Add(-webhook.RotationWindow-time.Second))
	for name, tt := range map[string]struct {
		keys   webhook.Keys
		secret webhook.Secret
		want   bool
	}{
		"the old secret within the window": {during, first, true},
		"the new secret within the window": {during, second, true},
		"the old secret after it":          {after, first, false},
		"the new secret after it":          {after, second, true},
	} {
		if err := theirs(t, tt.secret).Verify([]byte(body), ours(t, tt.keys, time.Now())); tt.want != (err == nil) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestWeTakeTheReferenceLibrarysSignatures(t *testing.T) {
	secret, now := webhook.NewSecret(), time.Now()
	signed, err := theirs(t, secret).Sign("msg_1", now, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	h := ours(t, webhook.Keys{{Secret: secret}}, now)
	h.Set(webhook.HeaderID, "msg_1")
	h.Set(webhook.HeaderSignature, signed)
	if err := (webhook.Keys{{Secret: secret}}).Verify(h, []byte(body), now); err != nil {
		t.Errorf("got %v", err)
	}
}

// TestBothDirectionsHoldThroughAChangeOfSecretOverTheWire sends real requests: ours
// to a receiver with the reference library, and theirs to one of ours, before,
// during and after the window in which two secrets sign.
func TestBothDirectionsHoldThroughAChangeOfSecretOverTheWire(t *testing.T) {
	first, second := webhook.NewSecret(), webhook.NewSecret()
	before := webhook.Keys{{Secret: first}}
	during := before.Rotate(second, time.Now())
	after := before.Rotate(second, time.Now().Add(-webhook.RotationWindow-time.Second))
	for name, tt := range map[string]struct {
		ours   webhook.Keys
		theirs webhook.Secret
		want   bool
	}{
		"before, the first":  {before, first, true},
		"before, the second": {before, second, false},
		"during, the first":  {during, first, true},
		"during, the second": {during, second, true},
		"after, the first":   {after, first, false},
		"after, the second":  {after, second, true},
	} {
		if got := sentBy(t, ours(t, tt.ours, time.Now()), func(r *http.Request, sent []byte) error {
			return theirs(t, tt.theirs).
				Verify(sent, r.Header)
		}); got != tt.want {
			t.Errorf("%s: theirs takes ours %v, want %v", name, got, tt.want)
		}
		now := time.Now()
		signed, err := theirs(t, tt.theirs).Sign("msg_1", now, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		h := http.Header{}
		h.Set(webhook.HeaderID, "msg_1")
		h.Set(webhook.HeaderTimestamp, strconv.FormatInt(now.Unix(), 10))
		h.Set(webhook.HeaderSignature, signed)
		if got := sentBy(t, h, func(r *http.Request, sent []byte) error { return tt.ours.Verify(r.Header, sent, now) }); got != tt.want {
			t.Errorf("%s: ours takes theirs %v, want %v", name, got, tt.want)
		}
	}
}

// sentBy posts the body with some headers, and reports whether who received it
// took it.
func sentBy(t *testing.T, h http.Header, check func(r *http.Request, sent []byte) error) bool {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sent, err := io.ReadAll(r.Body)
		if err != nil || check(r, sent) != nil {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer srv.Close()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header = h
	res, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode == http.StatusOK
}
