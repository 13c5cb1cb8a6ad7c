package notify_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/notify"
)

// restored counts what is open as what may have gone, as a recovery does.
func (r *rig) restored(t testing.TB, at time.Time) {
	t.Helper()
	err := r.db.System.InTx(t.Context(), func(tx pgx.Tx) error {
		if _, err := act.DoubtOpen(t.Context(), tx, at); err != nil {
			return err
		}
		_, _, err := notify.DoubtOpen(t.Context(), tx, at)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// doubt puts a case in doubt, as the end of a recovery does.
func (r *rig) doubt(t testing.TB, c casefile.Case, since time.Time) {
	t.Helper()
	err := r.db.System.InTx(t.Context(), func(tx pgx.Tx) error {
		var b pgx.Batch
		act.DoubtCase(&b, act.Doubt{Org: north, Case: string(c.ID), Since: since})
		return tx.SendBatch(t.Context(), &b).Close()
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestAfterARestoreALetterIsAskedAboutBeforeItIsSent promises that a letter which the
// restored database has as queued is not simply sent: the server may have it.
func TestAfterARestoreALetterIsAskedAboutBeforeItIsSent(t *testing.T) {
	for _, tt := range []struct {
		name           string
		gone, asks     bool // it had gone before the restore; the server can be asked
		want           notify.State
		arrived, asked int
	}{
		{"it had gone, and the server says so", true, true, notify.Sent, 1, 0},
		{"it had not, and the server says so", false, true, notify.Sent, 1, 0},
		{"it had gone, and nobody can be asked", true, false, notify.Unknown, 1, 1},
		{"it had not, and nobody can be asked", false, false, notify.Unknown, 0, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := newRig(t, durable.Clock{})
			c := r.file(t, "R-7")
			m := r.queue(t, r.letter(c, "R-7"))
			if tt.gone {
				r.settle(t, r.sender(r.sink(t)))
				r.admin(t, `update gavel.mail set state = 'queued', tries = 0, ended_at = null, first_try_at = null, last_try_at = null,
					due_at = queued_at`)
				r.admin(t, `update gavel.act set state = 'planned', fence = 0, result = null, result_sha256 = null, ended_at = null`)
				r.admin(t, `delete from gavel.case_entry where kind = 'mail_sent'`)
			}
			r.restored(t, time.Now())
			sink := r.sink(t)
			if tt.asks {
				sink = asking{sink, r.server}
			}
			r.settle(t, r.sender(sink))
			got, arrived := r.get(t, m.ID), r.server.Count(m.MessageID)
			asked := all[int](t, r.db, `select count(*)::int from gavel.proposal where kind = 'act_unknown' and state = 'open'`)[0]
			if got.State != tt.want || arrived != tt.arrived || asked != tt.asked {
				t.Errorf("it is %s (%s), arrived %d times, and %d questions are open; want %s, %d and %d", got.State, got.Reason, arrived,
					asked, tt.want, tt.arrived, tt.asked)
			}
			if got.State == notify.Unknown && got.Reason != act.LostTime {
				t.Errorf("its reason is %q", got.Reason)
			}
		})
	}
}

// TestALetterOfACaseInDoubtIsAQuestion promises that a server which says that it does
// not have a letter is not believed: it may have it under another id.
func TestALetterOfACaseInDoubtIsAQuestion(t *testing.T) {
	for _, asks := range []bool{false, true} {
		r := newRig(t, durable.Clock{})
		c := r.file(t, "R-7")
		r.doubt(t, c, time.Now().Add(-time.Minute))
		m := r.queue(t, r.letter(c, "R-7"))
		sink := r.sink(t)
		if asks {
			sink = asking{sink, r.server}
		}
		r.settle(t, r.sender(sink))
		a, err := r.acts.Get(t.Context(), north, m.ID)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.get(t, m.ID); got.State != notify.Unknown || a.Reason != act.LostTime || r.server.Count(m.MessageID) != 0 {
			t.Errorf("asked %t: it is %s, its act says %q, and it arrived %d times", asks, got.State, a.Reason, r.server.Count(m.MessageID))
		}
	}
}
