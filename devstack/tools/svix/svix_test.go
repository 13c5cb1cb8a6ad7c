package svix_test

import (
	"net/http"
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
