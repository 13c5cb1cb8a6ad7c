package notify_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
	"github.com/gavelhq/gavel/platform/policy"
)

// look asks the doctor about what goes out, a while from now.
func (r *rig) look(t *testing.T, later time.Duration) doctor.Finding {
	t.Helper()
	ago := func(real time.Duration) time.Time { return time.Now().Add(later - real) }
	return doctor.Run(t.Context(), []doctor.Check{notify.Check(r.db.SystemURL, ago)}, time.Minute)[0]
}

// tell queues a mail to somebody with an account, about no case.
func (r *rig) tell(t *testing.T) {
	t.Helper()
	l := r.letter(casefile.Case{}, "p_officer")
	l.To.Type = casefile.Staff
	r.queue(t, l)
}

// TestTheDoctorFindsLettersThatDidNotGo promises that what should have gone and has
// not is named, and what a person holds is not.
func TestTheDoctorFindsLettersThatDidNotGo(t *testing.T) {
	const runbook = "docs/runbook/mail-not-going.md"
	queue := func(t *testing.T, r *rig) { r.queue(t, r.letter(r.file(t, "R-7"), "R-7")) }
	send := func(fault notifytest.Fault) func(t *testing.T, r *rig) {
		return func(t *testing.T, r *rig) {
			queue(t, r)
			r.server.Fail(once(fault))
			r.settle(t, r.sender(r.sink(t)))
		}
	}
	for _, tt := range []struct {
		name   string
		seed   func(t *testing.T, r *rig)
		later  time.Duration
		status doctor.Status
		detail string
	}{
		{"nothing", func(*testing.T, *rig) {}, 0, doctor.OK, "nothing is late"},
		{"sent", send(notifytest.None), 2 * time.Hour, doctor.OK, "nothing is late"},
		{"queued a moment ago", queue, 0, doctor.OK, "nothing is late"},
		{"queued, and nobody sends", queue, 2 * time.Hour, doctor.Warn, "1 waiting for over an hour"},
		{"refused", send(notifytest.NoSuchUser), 0, doctor.Warn, "1 that failed within a day"},
		{"refused the day before yesterday", send(notifytest.NoSuchUser), 49 * time.Hour, doctor.OK, "nothing is late"},
		{"nobody knows", send(notifytest.TookAndCut), 0, doctor.Warn, "1 whose outcome nobody knows"},
		{"nobody knows, and nobody has answered", send(notifytest.TookAndCut), 49 * time.Hour, doctor.Warn, "1 whose outcome nobody knows"},
		{"held by a person", func(t *testing.T, r *rig) {
			pauses := act.NewPauses(act.PausesConfig{DB: r.db.App, Rules: policy.Standard()})
			if _, _, err := pauses.Set(t.Context(), admin, act.EveryOutside, "The letters are wrong."); err != nil {
				t.Fatal(err)
			}
			queue(t, r)
		}, 2 * time.Hour, doctor.OK, "nothing is late"},
		{"to our own people, and nobody sends", func(t *testing.T, r *rig) { r.tell(t) }, 2 * time.Hour, doctor.Warn,
			"1 waiting for over an hour"},
		{"to our own people, refused", func(t *testing.T, r *rig) {
			r.tell(t)
			r.server.Fail(once(notifytest.NoSuchUser))
			r.settle(t, r.sender(r.sink(t)))
		}, 0, doctor.Warn, "1 that failed within a day"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, durable.Clock{})
			tt.seed(t, r)
			got := r.look(t, tt.later)
			if got.Status != tt.status || !strings.Contains(got.Detail, tt.detail) ||
				strings.Contains(got.Fix, runbook) != (tt.status == doctor.Warn) {
				t.Errorf("got %+v, want %s with %q", got, tt.status, tt.detail)
			}
		})
	}
}
