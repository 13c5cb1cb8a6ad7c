package webhook_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify/webhook"
)

var now = time.Date(2026, 11, 15, 9, 0, 0, 0, time.UTC)

func sign(t testing.TB, k webhook.Keys, at time.Time, body string) http.Header {
	t.Helper()
	h, err := k.Sign("msg_1", at, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// The example of the specification: secret, id, time and body with their
// signature.
func TestTheSpecificationsOwnExample(t *testing.T) {
	secret, err := webhook.ParseSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	if err != nil {
		t.Fatal(err)
	}
	h, err := webhook.Keys{{Secret: secret}}.Sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
	if want := "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="; err != nil || h.Get("webhook-signature") != want {
		t.Errorf("got %v, %v, want %s", h, err, want)
	}
}

func TestOnlyExactlyWhatWasSignedVerifies(t *testing.T) {
	keys := webhook.Keys{{Secret: webhook.NewSecret()}}
	other := webhook.Keys{{Secret: webhook.NewSecret()}}
	const body = `{"type":"decision","data":{"id":"P-1"}}`
	with := func(name, value string) http.Header {
		h := sign(t, keys, now, body)
		h.Set(name, value)
		return h
	}
	for name, tt := range map[string]struct {
		keys   webhook.Keys
		header http.Header
		body   string
		at     time.Time
		ok     bool
		kind   fault.Kind
	}{
		"as it was sent": {keys, sign(t, keys, now, body), body, now, true, 0},
		"a little later": {keys, sign(t, keys, now, body), body, now.Add(webhook.Tolerance), true, 0},
		"too late": {keys, sign(t, keys, now, body), body, now.Add(webhook.Tolerance + time.Second), false,
			fault.Stale},
		"too early": {keys, sign(t, keys, now, body), body, now.Add(-webhook.Tolerance - time.Second), false,
			fault.Stale},
		"another body":   {keys, sign(t, keys, now, body), body + " ", now, false, fault.Refused},
		"another id":     {keys, with(webhook.HeaderID, "msg_2"), body, now, false, fault.Refused},
		"another time":   {keys, with(webhook.HeaderTimestamp, fmt.Sprint(now.Unix()+1)), body, now, false, fault.Refused},
		"no time":        {keys, with(webhook.HeaderTimestamp, "soon"), body, now, false, fault.Invalid},
		"another secret": {other, sign(t, keys, now, body), body, now, false, fault.Refused},
		"no signature":   {keys, with(webhook.HeaderSignature, ""), body, now, false, fault.Invalid},
		"a signature of another sort": {keys, with(webhook.HeaderSignature, strings.Replace(sign(t, keys, now, body).
			Get(webhook.HeaderSignature), "v1,", "v0,", 1)), body, now, false, fault.Refused},
		"one of several": {keys, with(webhook.HeaderSignature, "v1,bm9uZQ== "+sign(t, keys, now, body).
			Get(webhook.HeaderSignature)), body, now, true, 0},
		"a very long list of nonsense": {keys, with(webhook.HeaderSignature, strings.Repeat("v1,bm9uZQ== ", 1000)), body, now, false,
			fault.Invalid},
	} {
		err := tt.keys.Verify(tt.header, []byte(tt.body), tt.at)
		if tt.ok != (err == nil) || !tt.ok && fault.KindOf(err) != tt.kind {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestWhileASecretChangesBothVerifyAndThenOne(t *testing.T) {
	first, second := webhook.NewSecret(), webhook.NewSecret()
	keys := webhook.Keys{{Secret: first}}.Rotate(second, now)
	old, young := webhook.Keys{{Secret: first}}, webhook.Keys{{Secret: second}}
	for name, tt := range map[string]struct {
		at        time.Time
		receiver  webhook.Keys
		want      bool
		signature int
	}{
		"the old one at once":          {now, old, true, 2},
		"the new one at once":          {now, young, true, 2},
		"the old one at the end":       {now.Add(webhook.RotationWindow - time.Second), old, true, 2},
		"the old one after the window": {now.Add(webhook.RotationWindow), old, false, 1},
		"the new one after the window": {now.Add(webhook.RotationWindow), young, true, 1},
	} {
		h := sign(t, keys, tt.at, "body")
		if err := tt.receiver.Verify(h, []byte("body"), tt.at); tt.want != (err == nil) {
			t.Errorf("%s: got %v", name, err)
		}
		if n := strings.Count(h.Get(webhook.HeaderSignature), "v1,"); n != tt.signature {
			t.Errorf("%s: %d signatures, want %d", name, n, tt.signature)
		}
	}
	many := keys
	for range 30 {
		many = many.Rotate(webhook.NewSecret(), now)
	}
	if len(many) > 10 {
		t.Errorf("%d secrets sign", len(many))
	}
}

func TestASecretIsOneOrIsRefusedAndIsInNoLog(t *testing.T) {
	s := webhook.NewSecret()
	again, err := webhook.ParseSecret(s.Reveal())
	if err != nil || again.Reveal() != s.Reveal() {
		t.Errorf("got %v", err)
	}
	if text := fmt.Sprintf("%v %s %+v", s, s, webhook.Key{Secret: s}); strings.Contains(text, s.Reveal()[6:20]) {
		t.Errorf("printed, it is %s", text)
	}
	for _, bad := range []string{"", "whsec_", "whsec_c2hvcnQ=", s.Reveal()[6:], "whsec_?", "whsec_" + strings.Repeat("A", 200)} {
		if _, err := webhook.ParseSecret(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.20q: got %v", bad, err)
		}
	}
	for _, id := range []string{"", "a.b", "a b", strings.Repeat("a", 121)} {
		if _, err := (webhook.Keys{{Secret: s}}).Sign(id, now, nil); err == nil {
			t.Errorf("the id %.10q is signed", id)
		}
	}
}

func TestNoTwoMessagesHaveOneSignature(t *testing.T) {
	keys := webhook.Keys{{Secret: webhook.NewSecret()}}
	rapid.Check(t, func(t *rapid.T) {
		id := rapid.StringMatching(`[a-z0-9_-]{1,8}`)
		a, b := "m"+id.Draw(t, "a"), "m"+id.Draw(t, "b")
		bodyA, bodyB := rapid.SliceOf(rapid.Byte()).Draw(t, "body a"), rapid.SliceOf(rapid.Byte()).Draw(t, "body b")
		at, bt := now.Add(time.Duration(rapid.IntRange(0, 99).Draw(t, "at"))*time.Second),
			now.Add(time.Duration(rapid.IntRange(0, 99).Draw(t, "bt"))*time.Second)
		x, err := keys.Sign(a, at, bodyA)
		if err != nil {
			t.Fatal(err)
		}
		y, err := keys.Sign(b, bt, bodyB)
		if err != nil {
			t.Fatal(err)
		}
		same := a == b && at.Equal(bt) && string(bodyA) == string(bodyB)
		if same != (x.Get(webhook.HeaderSignature) == y.Get(webhook.HeaderSignature)) {
			t.Fatalf("%s %s %q and %s %s %q", a, at, bodyA, b, bt, bodyB)
		}
	})
}
