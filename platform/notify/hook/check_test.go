package hook_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/notify/hook"
)

// change runs a statement past every wall.
func (r *rig) change(t *testing.T, sql string) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), r.db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// TestTheDoctorFindsWebhooksThatTakeNothing promises that an operator hears of a
// webhook that is off or refuses, whoever registered it.
func TestTheDoctorFindsWebhooksThatTakeNothing(t *testing.T) {
	const given = `update gavel.webhook set last_ok_at = now() + interval '1 hour';
		insert into gavel.webhook_message (org, webhook, id, kind, subject, at, queued_at, due_at, state, ended_at)
		select org, id, 'msg_01K5ZJ3W8Q6X9V2T4N7M1B0CDE', 'case', 'case_1', now(), now(), now(), 'failed', now() from gavel.webhook`
	for _, tt := range []struct {
		name, seed  string
		status      doctor.Status
		detail, fix string
	}{
		{"one that takes everything", `update gavel.webhook set last_ok_at = now(),
			last_fail_at = now() - interval '1 minute'`, doctor.OK, "on: 1", ""},
		{"one that was never sent anything", ``, doctor.OK, "on: 1", ""},
		{"one that a person turned off", `update gavel.webhook set state = 'off', last_fail_at = now()`, doctor.OK, "on: 0", ""},
		{"one that was turned off by us", `update gavel.webhook set state = 'failed', reason = 'server'`, doctor.Warn, "was turned off",
			"gavel webhook list"},
		{"one that refuses", `update gavel.webhook set last_ok_at = now() - interval '1 hour', last_fail_at = now()`, doctor.Warn,
			"did not take the last message", "gavel webhook list"},
		{"one that refused one of many", given, doctor.Warn, "given up within a day: 1", "gavel webhook list"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, nil)
			w, _ := r.register(t, receive(t, nil).url, "case")
			r.change(t, tt.seed)
			got := r.look(t)
			if got.Status != tt.status || !strings.Contains(got.Detail, tt.detail) || !strings.Contains(got.Fix, tt.fix) ||
				(got.Fix == "") != (tt.fix == "") {
				t.Errorf("got %+v, want %s with %q and %q", got, tt.status, tt.detail, tt.fix)
			}
			if tt.status == doctor.Warn && !strings.Contains(got.Detail, w.ID+" of north") || strings.Contains(got.Detail, "/hooks") {
				t.Errorf("got %q, want the webhook's id and not its address", got.Detail)
			}
		})
	}
}

func TestTheDoctorHearsOfAServerThatRefuses(t *testing.T) {
	r := newRig(t, nil)
	server := receive(t, func(w http.ResponseWriter, _ int, _ delivery) { w.WriteHeader(http.StatusInternalServerError) })
	w, _ := r.register(t, server.url, "case")
	r.start(t, nil)
	if _, err := r.Test(t.Context(), admin, w.ID); err != nil {
		t.Fatal(err)
	}
	await(t, "a message that is refused", func() bool { return r.look(t).Status == doctor.Warn })
}

func (r *rig) look(t *testing.T) doctor.Finding {
	t.Helper()
	ago := func(real time.Duration) time.Time { return time.Now().Add(-real) }
	return doctor.Run(t.Context(), []doctor.Check{hook.Check(r.db.SystemURL, ago)}, time.Minute)[0]
}
