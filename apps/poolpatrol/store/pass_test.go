package store

import (
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/poolpatroltest"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestWhoComesSecondIsToldOfThePassUnderWay promises two people who start one audit
// of all vans in the same moment, or one after the other, one pass and a word about
// it; and whoever sends twice, their own pass.
func TestWhoComesSecondIsToldOfThePassUnderWay(t *testing.T) {
	o, _ := smallTown(t)
	first, second := poolpatroltest.Manager(postgrestest.North), poolpatroltest.Manager(postgrestest.North)
	second.ID = "p:other"
	type answer struct {
		pass Pass
		err  error
	}
	answers := make(chan answer, 2)
	under := Pass{ID: "PASS-0000000A", Kind: Asked, AskedBy: first.ID, Policy: "x", BeganAt: time.Now()}
	o.in(t, func(tx pgx.Tx) error {
		if err := o.insertPass(t.Context(), tx, first, "page:after:", under); err != nil {
			return err
		}
		go func() {
			p, _, err := o.StartPass(t.Context(), second, Asked, "page:after:")
			answers <- answer{p, err}
		}()
		wait.Until(t, "the second waits for the first", func() bool {
			var n int
			err := tx.QueryRow(t.Context(), `select count(*) from pg_locks where not granted and transactionid = pg_current_xact_id()::xid`).Scan(&n)
			return err == nil && n > 0
		})
		return nil
	})
	p, _, err := o.StartPass(t.Context(), second, Asked, "page:after:") // a moment later
	answers <- answer{p, err}
	for range 2 {
		got := <-answers
		text, next := fault.Words(got.err)
		if !fault.Is(got.err, fault.Conflict) || !strings.Contains(text, under.ID) || !strings.Contains(text, first.ID) || !strings.Contains(next, under.ID) {
			t.Errorf("got %q, %v (next: %s); want to be told of %s", got.pass.ID, got.err, next, under.ID)
		}
	}
	if p, started, err := o.StartPass(t.Context(), first, Asked, "page:after:"); err != nil || started || p.ID != under.ID {
		t.Errorf("the first, again: got %s, %v, %v", p.ID, started, err)
	}
}
