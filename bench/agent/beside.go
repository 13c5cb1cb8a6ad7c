package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// other is the organisation that wants one thing while ours has queued thousands.
const other identity.Org = "south"

// The promise: soonEnough at p95, over at least fewest runs.
const (
	soonEnough = 2 * time.Second
	fewest     = 20
)

// breath is between two runs of the other organisation.
const breath = 300 * time.Millisecond

// besides measures how long an organisation's single run waits for its first turn while
// another has so many queued, on one worker. The model answers at once, so that the
// machine is never idle.
func (g *ground) besides(ctx context.Context, queued int) error {
	c, err := g.gavel(ctx)
	if err != nil {
		return err
	}
	v := c.(*gavel)
	if err := v.sys.AddOrganisation(ctx, postgres.Organisation{Org: other, Title: "Another", Zone: "Asia/Kolkata"}); err != nil {
		return err
	}
	left := fewest
	alone, err := v.singles(ctx, func() bool { left--; return left >= 0 })
	if err != nil {
		return err
	}
	fmt.Printf("alone, its first turn is on record after p50 %.0f, p95 %.0f ms (%d runs)\n",
		milliseconds(alone, 50), milliseconds(alone, 95), len(alone))
	began := time.Now()
	var opening errgroup.Group
	opening.SetLimit(16)
	for range queued {
		opening.Go(func() error { _, err := v.walker(ctx, org); return err })
	}
	if err := opening.Wait(); err != nil {
		return err
	}
	fmt.Printf("%d runs of another are open after %.0f s, %d of them done\n", queued, time.Since(began).Seconds(), v.done(ctx, queued))
	waits, err := v.singles(ctx, func() bool { return v.done(ctx, queued) < queued })
	if err != nil {
		return err
	}
	fmt.Printf("they took %.0f s\n", time.Since(began).Seconds())
	p95 := milliseconds(waits, 95)
	fmt.Printf("beside %d of another: first turn on record after p50 %.0f, p95 %.0f, at most %.0f ms (%d runs; asked for: p95 %d)\n",
		queued, milliseconds(waits, 50), p95, milliseconds(waits, 100), len(waits), soonEnough.Milliseconds())
	if p95 > float64(soonEnough.Milliseconds()) {
		return errors.New("an organisation's single run waits too long beside another's queue")
	}
	return nil
}

// singles opens one run after the other for the other organisation, as long as it is busy,
// and returns how long each waited for its first turn, sorted.
func (v *gavel) singles(ctx context.Context, busy func() bool) (waits []time.Duration, err error) {
	for busy() {
		began := time.Now()
		c, err := v.walker(ctx, other)
		if err != nil {
			return nil, err
		}
		if err := until(ctx, func() (there bool, err error) {
			err = v.sys.InTx(ctx, func(tx pgx.Tx) error {
				return tx.QueryRow(ctx, `select exists (select from gavel.run where case_id = $1)`, c).Scan(&there)
			})
			return there, err
		}); err != nil {
			return nil, err
		}
		waits = append(waits, time.Since(began))
		time.Sleep(breath)
	}
	if len(waits) < fewest {
		return nil, fmt.Errorf("only %d runs were measured while another's were queued; queue more", len(waits))
	}
	slices.Sort(waits)
	return waits, nil
}

// walker opens a case of an organisation whose agent walks.
func (v *gavel) walker(ctx context.Context, of identity.Org) (casefile.CaseID, error) {
	who := analyst
	who.Org = of
	c, _, err := v.cases.Open(ctx, who, casefile.Opening{App: app, Key: walker + "." + rand.Text(), Title: "Walk around van 14"})
	return c.ID, err
}

// done is how many of our runs have ended; all, where that cannot be read.
func (v *gavel) done(ctx context.Context, all int) (n int) {
	err := v.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select count(*)::int from gavel.run where state = 'done'`).Scan(&n)
	})
	if err != nil {
		fmt.Println("how many have ended:", err)
		return all
	}
	return n
}
