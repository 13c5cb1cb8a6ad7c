package seal_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/seal"
)

// TestNothingIsSealedPastAnErasure promises that of what is sealed while a
// person is erased, each thing is either refused or lost, and listed.
func TestNothingIsSealedPastAnErasure(t *testing.T) {
	r := newRig(t)
	var mu sync.Mutex
	var sealed []seal.Envelope
	var wg sync.WaitGroup
	begun := make(chan struct{}, 1)
	for i := range 6 {
		wg.Go(func() {
			for n, end := 0, time.Now().Add(wait.Patience()); time.Now().Before(end); n++ { // until the erasure comes
				m := seal.Matter{Subjects: []seal.Subject{rider("A"), rider(fmt.Sprint("B", i))}, Purpose: "mail"}
				if n%2 == 0 {
					m.Conversation = fmt.Sprintf("run_%d_%d", i, n/10)
				}
				e, err := r.seal(m, "x")
				if errors.Is(err, seal.ErrErased) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				sealed = append(sealed, e)
				mu.Unlock()
				if n == 3 {
					select {
					case begun <- struct{}{}:
					default:
					}
				}
			}
			t.Error("was never refused: the erasure came too late to prove anything")
		})
	}
	<-begun
	done := r.mustErase(rider("A"))
	wg.Wait()
	for _, e := range sealed {
		if _, err := r.open(r.Vault, e); !errors.Is(err, seal.ErrErased) {
			t.Fatalf("outlived the erasure: %v", err)
		}
	}
	if done.Objects != len(sealed) {
		t.Errorf("the record counts %d objects, %d were sealed", done.Objects, len(sealed))
	}
}

// inTalk is a matter of one person in a conversation.
func inTalk(talk, who string) seal.Matter {
	return seal.Matter{Subjects: []seal.Subject{rider(who)}, Conversation: talk, Purpose: "mail"}
}

// untilWaiting returns when n transactions wait for a lock, and fails where they
// do not.
func (r *rig) untilWaiting(n int) {
	r.t.Helper()
	wait.Try(r.t, func() error {
		if got := column[int](r, `select count(*) from pg_stat_activity where datname = current_database()
			and wait_event_type = 'Lock'`)[0]; got != n {
			return fmt.Errorf("%d transactions wait for a lock, want %d", got, n)
		}
		return nil
	})
}

func TestAnErasureWaitsForWhoIsSealingUnderItsKeysAndListsThat(t *testing.T) {
	r := newRig(t)
	r.mustSeal(inTalk("run_1", "A"), "x")
	var wg sync.WaitGroup
	var done seal.Erasure
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		if _, err := r.Seal(t.Context(), tx, north, inTalk("run_1", "B"), []byte("x")); err != nil {
			return err
		}
		wg.Go(func() {
			var err error
			if done, err = r.Erase(t.Context(), admin(north), asked(rider("A"))); err != nil {
				t.Error(err)
			}
		})
		r.untilWaiting(1)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if wg.Wait(); done.Objects != 2 || done.Others != 1 {
		t.Errorf("got %+v, want B's part of the conversation listed", done)
	}
}

func TestWhoSealsDuringAnErasureWaitsAndIsRefused(t *testing.T) {
	r := newRig(t)
	r.mustSeal(inTalk("run_1", "A"), "x")
	var wg sync.WaitGroup
	during := seal.Eraser{Name: "during", Erase: func(context.Context, pgx.Tx, seal.Subject, time.Time) (seal.Reach, error) {
		for _, m := range []seal.Matter{inTalk("run_1", "B"), inTalk("run_2", "A"), about(rider("A"))} {
			wg.Go(func() {
				if _, err := r.seal(m, "x"); !errors.Is(err, seal.ErrErased) {
					t.Errorf("%v: got %v, want it refused", m, err)
				}
			})
		}
		r.untilWaiting(3)
		return seal.Reach{}, nil
	}}
	if _, err := r.with(during).Erase(t.Context(), admin(north), asked(rider("A"))); err != nil {
		t.Fatal(err)
	}
	wg.Wait()
}

// TestAnErasureGivesWayWhereItAndASealWouldWaitForEver promises that the server
// ends a deadlock and the erasure is tried again.
func TestAnErasureGivesWayWhereItAndASealWouldWaitForEver(t *testing.T) {
	r := newRig(t)
	for round := range 5 {
		done, err := r.deadlock(round)
		if pg, ok := errors.AsType[*pgconn.PgError](err); ok && pg.Code == "40P01" {
			continue // a busy machine sealed late, and was the one to notice: the server ends who notices
		}
		if err != nil || done.Objects != 3 || done.Keys != 2 {
			t.Errorf("got %+v, %v; want all three things lost", done, err)
		}
		return
	}
	t.Error("the erasure never gave way")
}

// deadlock has a seal and an erasure wait for each other. The error is the seal's.
func (r *rig) deadlock(round int) (done seal.Erasure, err error) {
	talk, a := fmt.Sprint("run_", round), fmt.Sprint("A", round)
	r.mustSeal(inTalk(talk, a), "x")
	var wg sync.WaitGroup
	err = r.db.App.InOrg(r.t.Context(), north, func(tx pgx.Tx) error {
		if _, err := r.Seal(r.t.Context(), tx, north, inTalk(talk, fmt.Sprint("B", round)), []byte("x")); err != nil {
			return err
		}
		wg.Go(func() {
			var err error
			if done, err = r.Erase(r.t.Context(), admin(north), asked(rider(a))); err != nil {
				r.t.Error(err)
			}
		})
		r.untilWaiting(1) // for the key of the talk, holding A
		_, err := r.Seal(r.t.Context(), tx, north, about(rider(a)), []byte("x"))
		return err
	})
	wg.Wait()
	return done, err
}
