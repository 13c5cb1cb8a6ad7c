package hook_test

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/notify/webhook"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// next has something happen and returns what arrived of it.
func next(t *testing.T, r *rig, v *receiver) delivery {
	t.Helper()
	before := len(v.all())
	r.happen(t, postgrestest.North, audit.Decision, "P-1")
	await(t, "a message", func() bool { return len(v.all()) > before })
	return v.all()[before]
}

func verifies(d delivery, s webhook.Secret) bool {
	return webhook.Keys{{Secret: s}}.Verify(d.header, []byte(d.body), d.at) == nil
}

func TestBothSecretsSignForAWindowAndThenTheNewOneAlone(t *testing.T) {
	r, v := newRig(t, nil), receive(t, nil)
	w, first := r.register(t, v.url, "decision")
	r.start(t, nil)
	if d := next(t, r, v); !verifies(d, first) {
		t.Error("the first secret does not sign")
	}
	w, second, err := r.Rotate(t.Context(), admin, w.ID, webhook.RotationWindow, "it is time")
	if err != nil || w.OldUntil == nil {
		t.Fatalf("got %+v, %v", w, err)
	}
	if d := next(t, r, v); !verifies(d, first) || !verifies(d, second) {
		t.Errorf("within the window the old one signs %v and the new one %v", verifies(d, first), verifies(d, second))
	}
	err = r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error { // a day later
		_, err := tx.Exec(t.Context(), `update gavel.webhook_secret set until = until - $1::interval
			where until is not null`, webhook.RotationWindow)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, err := r.Get(t.Context(), admin, w.ID); err != nil || got.OldUntil != nil {
		t.Errorf("after the window the old secret is shown until %v, %v", got.OldUntil, err)
	}
	if d := next(t, r, v); verifies(d, first) || !verifies(d, second) {
		t.Errorf("after the window the old one signs %v and the new one %v", verifies(d, first), verifies(d, second))
	}
}

func TestNeverMoreThanTwoSecretsSign(t *testing.T) {
	r, v := newRig(t, nil), receive(t, nil)
	w, first := r.register(t, v.url, "decision")
	r.start(t, nil)
	rotate := func(window time.Duration) webhook.Secret {
		t.Helper()
		_, s, err := r.Rotate(t.Context(), admin, w.ID, window, "x")
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	second, third := rotate(time.Hour), rotate(time.Hour)
	if d := next(t, r, v); verifies(d, first) || !verifies(d, second) || !verifies(d, third) {
		t.Errorf("after two changes %v %v %v", verifies(d, first), verifies(d, second), verifies(d, third))
	}
	fourth := rotate(0) // it leaked
	if d := next(t, r, v); verifies(d, third) || verifies(d, second) || !verifies(d, fourth) {
		t.Errorf("after a leak %v %v %v", verifies(d, second), verifies(d, third), verifies(d, fourth))
	}
	if _, _, err := r.Rotate(t.Context(), admin, w.ID, webhook.RotationWindow+time.Second, "x"); !fault.Is(err, fault.Invalid) {
		t.Errorf("a longer window: %v", err)
	}
}

// The secret is shown once: no table holds it, and what a table holds opens for
// its own webhook alone.
func TestASecretIsKeptSealedAndBoundToItsWebhook(t *testing.T) {
	r, v := newRig(t, nil), receive(t, nil)
	w, secret := r.register(t, v.url, "decision")
	other, _ := r.register(t, v.url, "case")
	bare := strings.TrimPrefix(secret.Reveal(), "whsec_")
	for _, table := range []string{"webhook", "webhook_secret", "webhook_message", "record"} {
		if n := r.count(t, `select count(*) from gavel.`+table+` x where strpos(x::text, $1) > 0`, bare); n != 0 {
			t.Errorf("gavel.%s holds the secret", table)
		}
	}
	err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `update gavel.webhook_secret
			set sealed = (select sealed from gavel.webhook_secret where webhook = $1) where webhook = $2`, w.ID, other.ID)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r.start(t, nil)
	r.happen(t, postgrestest.North, audit.CaseStep, "case_1")
	await(t, "a try", func() bool { m := r.messages(t, other.ID); return len(m) == 1 && m[0].Attempts > 0 })
	if m := r.messages(t, other.ID)[0]; m.Fault != hook.FaultSigning || len(v.all()) != 0 {
		t.Errorf("a secret of another webhook signs: %+v, %d arrived", m, len(v.all()))
	}
}
