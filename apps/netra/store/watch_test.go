package store_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestALookThatWasTakenIsDueUntilItIsDone promises that a look, and the writing down of scores, which somebody took and was killed over are
// made up for, each once; that looks which were missed one after another come to one; and that nothing is due while the watch is paused,
// nor made up for when it goes on.
func TestALookThatWasTakenIsDueUntilItIsDone(t *testing.T) {
	r := netratest.New(t)
	r.Know(t, 2)
	now := r.Store.Now()
	due := func() store.Turn {
		t.Helper()
		turn, err := r.Store.Due(t.Context(), postgrestest.North, now)
		if err != nil {
			t.Fatal(err)
		}
		return turn
	}
	if turn := due(); !turn.Due.IsZero() || !turn.Next.After(now) {
		t.Fatalf("before its first hour: got %+v", turn)
	}
	r.Set(t, `update gavel.timetable_slot set next_at = now() - interval '5 hours' where kind = 'netra/watch'`)
	for range 2 { // the second after a crash: nothing has been done
		if turn := due(); !turn.Due.Equal(now.Truncate(time.Hour)) || !turn.Freeze {
			t.Fatalf("five hours late: got %+v, want one look, written down", turn)
		}
	}
	r.In(t, func(tx pgx.Tx) error {
		s := store.Standing{LGD: 1}
		s.At = now.Truncate(time.Hour)
		return store.PutStandings(t.Context(), tx, postgrestest.North, []store.Standing{s})
	})
	if turn := due(); turn.Due.IsZero() || !turn.Freeze {
		t.Fatalf("looked and not written down: got %+v", turn)
	}
	at := now.Truncate(time.Hour)
	all := map[int][]score.Result{1: {score.Of(score.V2(), score.Usual(), bucket.Window{AsOf: at, Span: 24 * time.Hour}, nil)}}
	for i, want := range []int{1, 0} {
		if n, err := r.Store.FreezeOnce(t.Context(), postgrestest.North, at, all); err != nil || n != want {
			t.Fatalf("time %d: %d scores were written down, %v, want %d", i, n, err, want)
		}
	}
	if turn := due(); !turn.Due.IsZero() {
		t.Fatalf("all is done: got %+v", turn)
	}
	r.Set(t, `delete from netra.standing`)
	officer := netratest.Person(identity.Officer)
	if _, err := r.Store.SetPaused(t.Context(), officer, true, store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if turn := due(); !turn.Due.IsZero() || !turn.Next.IsZero() {
		t.Errorf("paused: got %+v, want nothing, until somebody wakes it", turn)
	}
	r.In(t, func(tx pgx.Tx) error {
		s := store.Standing{LGD: 1}
		s.At = now.Truncate(time.Hour)
		return store.PutStandings(t.Context(), tx, postgrestest.North, []store.Standing{s})
	})
	if _, err := r.Store.SetPaused(t.Context(), officer, false, store.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if turn := due(); !turn.Due.IsZero() || !turn.Next.After(now) || turn.Next.Sub(r.Store.Now()) > time.Hour {
		t.Errorf("resumed: got %+v, want the next hour", turn)
	}
}
