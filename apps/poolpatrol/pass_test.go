package poolpatrol

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestWhoComesSecondIsToldOfThePassUnderWay promises two people who start one audit
// of all vans in the same moment, or one after the other, one pass and a word about
// it; and whoever sends twice, their own pass.
func TestWhoComesSecondIsToldOfThePassUnderWay(t *testing.T) {
	g := newGrounded(t)
	first, second := manager(postgrestest.North), manager(postgrestest.North)
	second.ID = "p:other"
	type answer struct {
		pass Pass
		err  error
	}
	answers := make(chan answer, 2)
	under := Pass{ID: "PASS-0000000A", Kind: Asked, AskedBy: first.ID, Policy: "x", BeganAt: time.Now()}
	g.in(t, func(tx pgx.Tx) error {
		if err := g.app.store.insertPass(t.Context(), tx, first, "page:after:", under); err != nil {
			return err
		}
		go func() {
			p, _, err := g.app.store.StartPass(t.Context(), second, Asked, "page:after:")
			answers <- answer{p, err}
		}()
		wait.Until(t, "the second waits for the first", func() bool {
			var n int
			err := tx.QueryRow(t.Context(), `select count(*) from pg_locks where not granted and transactionid = pg_current_xact_id()::xid`).Scan(&n)
			return err == nil && n > 0
		})
		return nil
	})
	p, _, err := g.app.store.StartPass(t.Context(), second, Asked, "page:after:") // a moment later
	answers <- answer{p, err}
	for range 2 {
		got := <-answers
		text, next := fault.Words(got.err)
		if !fault.Is(got.err, fault.Conflict) || !strings.Contains(text, under.ID) || !strings.Contains(text, first.ID) || !strings.Contains(next, under.ID) {
			t.Errorf("got %q, %v (next: %s); want to be told of %s", got.pass.ID, got.err, next, under.ID)
		}
	}
	if p, started, err := g.app.store.StartPass(t.Context(), first, Asked, "page:after:"); err != nil || started || p.ID != under.ID {
		t.Errorf("the first, again: got %s, %v, %v", p.ID, started, err)
	}
}

// TestPassesOfOneMomentAreEachListedOnce promises pages that lose and repeat nothing
// where several passes began at the same time.
func TestPassesOfOneMomentAreEachListedOnce(t *testing.T) {
	r := newRig(t)
	r.sql(`insert into poolpatrol.pass (org, id, kind, key, asked_by, policy, began_at)
		select 'north', 'PASS-0000000' || n, 'asked', 'k' || n, 'p', 'x', '2026-10-01T08:00:00.123456Z' from generate_series(1, 7) n`)
	var seen []string
	for token := ""; ; {
		got := r.want(200, "manager", "GET", "/v1/poolpatrol/passes?page_size=3&page_token="+token, nil)
		for _, one := range got.items() {
			seen = append(seen, one.(map[string]any)["id"].(string))
		}
		if token, _ = got.body["next_page_token"].(string); token == "" || len(seen) > 7 {
			break
		}
	}
	if each := slices.Compact(slices.Sorted(slices.Values(seen))); len(seen) != 7 || len(each) != 7 {
		t.Errorf("pages list %v, want each of 7 passes once", seen)
	}
}
