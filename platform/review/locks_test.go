package review_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/review"
)

// deadlocked reports whether the database called something off to end a deadlock.
func deadlocked(err error) bool {
	pg, ok := errors.AsType[*pgconn.PgError](err)
	return ok && pg.Code == "40P01"
}

// inCase proposes as a call from outside a run does: with the case locked first.
func (r *rig) inCase(ctx context.Context, p *review.Proposal, locked func()) error {
	return r.db.App.InOrg(ctx, north, func(tx pgx.Tx) error {
		if _, err := casefile.Lock(ctx, tx, casefile.CaseID(p.Case)); err != nil {
			return err
		}
		locked()
		var b pgx.Batch
		if err := review.ProposeLater(&b, p); err != nil {
			return err
		}
		return tx.SendBatch(ctx, &b).Close()
	})
}

// inTurn proposes as an agent's turn does: the number first, and the case by what
// refers to it.
func (r *rig) inTurn(ctx context.Context, p *review.Proposal, numbered func()) error {
	return r.db.App.InOrg(ctx, north, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `insert into gavel.proposal_number as c (org, last) values ('north', 1) on conflict (org) do update
			set last = c.last + 1`); err != nil {
			return err
		}
		numbered()
		var b pgx.Batch
		if err := review.ProposeLater(&b, p); err != nil {
			return err
		}
		return tx.SendBatch(ctx, &b).Close()
	})
}

// Two who propose in one case, one with the case locked and one with the number
// taken, do not wait for each other: each step by step, where the order is certain.
func TestATurnAndACallFromOutsideDoNotLockEachOtherOut(t *testing.T) {
	r := newRig(t, durable.Clock{})
	for range 3 {
		outside, turn := r.draft(), r.draft()
		var both sync.WaitGroup
		locked, numbered := make(chan struct{}), make(chan struct{})
		var errs [2]error
		both.Go(func() {
			errs[0] = r.inCase(t.Context(), &outside, func() { close(locked); <-numbered })
		})
		both.Go(func() {
			<-locked
			errs[1] = r.inTurn(t.Context(), &turn, func() { close(numbered) })
		})
		both.Wait()
		for i, err := range errs {
			if err != nil {
				t.Fatalf("%s: %v", []string{"the call from outside", "the turn"}[i], err)
			}
		}
	}
}

// Everything that locks more than one row, at once and many times, in one case:
// nothing is called off by the database.
func TestLocksAreTakenInOneOrder(t *testing.T) {
	const rounds, hands = 25, 2
	r := newRig(t, durable.Clock{})
	ctx := t.Context()
	nothing := func() {}
	var mu sync.Mutex
	draft := func(edit ...func(*review.Proposal)) review.Proposal {
		mu.Lock()
		defer mu.Unlock()
		p := r.draft()
		for _, e := range edit {
			e(&p)
		}
		return p
	}
	answer := func(p review.Proposal, v review.Verdict) review.Decision {
		mu.Lock()
		defer mu.Unlock()
		return r.answer(p, v)
	}
	undoable := func(p *review.Proposal) { p.Undo = time.Hour }
	decided := func(p review.Proposal) error {
		if err := r.put(ctx, &p); err != nil {
			return err
		}
		_, err := r.Decide(ctx, manager, answer(p, review.Approve))
		return err
	}
	work := map[string]func() error{
		"a call from outside": func() error { p := draft(); return r.inCase(ctx, &p, nothing) },
		"a turn":              func() error { p := draft(); return r.inTurn(ctx, &p, nothing) },
		"a decision":          func() error { return decided(draft()) },
		"an undo": func() error {
			p := draft(undoable)
			if err := decided(p); err != nil {
				return err
			}
			found, err := r.ByKeys(ctx, north, p.Key)
			if err == nil {
				_, err = r.Undo(ctx, second, answer(found[p.Key].Proposal, review.Undo))
			}
			return err
		},
		"an act that writes into the case": func() error {
			p := draft(func(p *review.Proposal) { p.Effect = act.Write })
			if err := decided(p); err != nil {
				return err
			}
			claim, err := r.acts.Begin(ctx, north, p.Key, p.ArgsSHA256, time.Minute)
			if err != nil {
				return err
			}
			_, err = r.acts.Finish(ctx, north, p.Key, claim.Fence, act.End{State: act.Done},
				func(tx pgx.Tx) (out json.RawMessage, err error) {
					_, err = casefile.Lock(ctx, tx, r.file.ID)
					return json.RawMessage(`{}`), err
				})
			return err
		},
		"an erasure": func() error {
			return r.db.App.InOrg(ctx, north, func(tx pgx.Tx) error {
				if _, err := review.Erase(ctx, tx, north, string(r.file.ID), r.clock.Now()); err != nil {
					return err
				}
				_, err := casefile.Lock(ctx, tx, r.file.ID)
				return err
			})
		},
	}
	var all sync.WaitGroup
	failed := make(chan error, len(work)*rounds*hands)
	for name, do := range work {
		for range hands {
			all.Go(func() {
				for range rounds {
					// Somebody else may have undone or erased it: that is no deadlock.
					if err := do(); err != nil && !fault.Is(err, fault.Conflict) && !fault.Is(err, fault.Invalid) {
						failed <- fmt.Errorf("%s: %w", name, err)
					}
				}
			})
		}
	}
	all.Wait()
	close(failed)
	for err := range failed {
		t.Errorf("deadlock: %v: %v", deadlocked(err), err)
	}
	if n := deadlocksOf(t, r); n != 0 {
		t.Errorf("the database ended %d deadlocks", n)
	}
}

// deadlocksOf is how many deadlocks the database counted.
func deadlocksOf(t testing.TB, r *rig) int {
	return all[int](t, r.db, `select deadlocks::int from pg_stat_database where datname = current_database()`)[0]
}

// What the database called off all the same is begun anew.
func TestADecisionThatMetADeadlockIsMadeAllTheSame(t *testing.T) {
	r := newRig(t, durable.Clock{})
	p := r.propose(t, func(p *review.Proposal) { p.Args = []byte(`{"to":"x"}`); p.ArgsSHA256 = act.Digest(p.Args) })
	met := 0
	s := r.with(t, review.Config{Kinds: []review.Kind{{Name: "call", Check: checkArgs}}, Recheck: func(context.Context, review.Proposal,
		json.RawMessage) error {
		if met++; met < 3 {
			return &pgconn.PgError{Code: "40P01", Message: "deadlock detected"}
		}
		return nil
	}})
	if got, err := s.Decide(t.Context(), manager, r.answer(p, review.Edit)); err != nil || got.State != review.Edited || met != 3 {
		t.Errorf("got %s, %v after %d tries", got.State, err, met)
	}
}
