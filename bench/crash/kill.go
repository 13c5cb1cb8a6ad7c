package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/gavelhq/gavel/devstack"
)

// A victim is a kind of process that is killed.
type victim string

// The victims.
const (
	aWorker  victim = "a worker"
	engine   victim = "the engine"
	database victim = "PostgreSQL"
	theModel victim = "the model"
	stalled  victim = "a worker that came back" // after it had been stopped; not one to draw
)

func victims() []victim { return []victim{aWorker, engine, database, theModel} }

// A blow is one kill: when so many runs have ended, and a moment later.
type blow struct {
	victim victim
	which  int // of several
	after  int // runs that have ended
	delay  time.Duration
	midway bool          // and then while an effect is being carried out
	away   time.Duration // until it is started again
	stalls bool          // every other worker is not killed: it stops for stalledFor, and comes back
}

// stalledFor is longer than the engine waits for a sign of life: another worker has taken
// over what the stalled one comes back to.
const stalledFor = 25 * time.Second

// plan draws the kills. They are spread over the runs, so that each hits others
// at work, and the last comes while as many are in flight as ever. Every other
// one, by chance, waits for the worst moment: when something has been done and is
// not yet on record.
func plan(o options) []blow {
	rng := rand.New(rand.NewPCG(o.seed, 0)) //nolint:gosec // it must be repeatable
	var blows []blow
	var row []victim
	workersHit := 0
	for i := range o.kills {
		if len(row) == 0 {
			row = victims()
			rng.Shuffle(len(row), func(i, j int) { row[i], row[j] = row[j], row[i] })
		}
		if row[0] == aWorker {
			workersHit++
		}
		part := float64(o.runs-o.inFlight) / float64(o.kills)
		blows = append(blows, blow{victim: row[0], which: rng.IntN(workers),
			after:  int((float64(i) + rng.Float64()) * part),
			delay:  time.Duration(rng.IntN(400)) * time.Millisecond,
			midway: rng.IntN(2) == 0,
			away:   time.Duration(100+rng.IntN(1900)) * time.Millisecond,
			stalls: row[0] == aWorker && workersHit%2 == 0})
		row = row[1:]
	}
	return blows
}

// strikeAll carries out the plan, one blow after another has been recovered from.
// It fails if a process does not come back, or if of many blows one finds the runs over;
// of a few the last may.
func (g *ground) strikeAll(ctx context.Context, blows []blow, c *crew) error {
	began := time.Now()
	for i, b := range blows {
		if err := c.awaitEnded(ctx, b.after); err != nil {
			return err
		}
		if err := sleep(ctx, b.delay); err != nil {
			return err
		}
		if b.midway {
			g.awaitEffect(ctx)
		}
		at, ended, inFlight := time.Since(began), c.ended.Load(), c.inFlight.Load()
		if inFlight == 0 {
			late := fmt.Errorf("kill %d of %d was too late: no run was in flight", i+1, len(blows))
			if len(blows) >= enough {
				return late
			}
			fmt.Println(late)
			return nil
		}
		struck := time.Now()
		if err := g.strike(ctx, b); err != nil {
			return fmt.Errorf("kill %d, of %s: %w", i+1, b.victim, err)
		}
		if b.stalls {
			b.victim = stalled
		}
		g.blows[b.victim]++
		fmt.Printf("%6.1f s  kill %d of %d: %s; %d runs had ended, %d were in flight; back after %.1f s\n",
			at.Seconds(), i+1, len(blows), b.victim, ended, inFlight, time.Since(struck).Seconds())
	}
	return nil
}

// strike kills one process, lets it be away for a while, and waits until another
// has taken its place.
func (g *ground) strike(ctx context.Context, b blow) error {
	switch b.victim {
	case engine:
		return g.strikePart(ctx, devstack.Temporal, b.away)
	case database:
		return g.strikePart(ctx, devstack.Postgres, b.away)
	}
	k := g.keepers[b.which]
	if b.victim == theModel {
		k = g.keepers[workers]
	}
	if err := k.await(ctx); err != nil {
		return err
	}
	if b.stalls {
		return k.stall(ctx, stalledFor)
	}
	if err := k.kill(b.away); err != nil {
		return err
	}
	return k.await(ctx)
}

func (g *ground) strikePart(ctx context.Context, p devstack.Part, away time.Duration) error {
	if err := g.stack.Kill(p); err != nil {
		return err
	}
	if err := sleep(ctx, away); err != nil {
		return err
	}
	return g.stack.Start(ctx, p)
}

// awaitEffect waits until something is being carried out on the other side, but
// not for long: after the blow before, nothing may happen for a while.
func (g *ground) awaitEffect(ctx context.Context) {
	for end := time.Now().Add(5 * time.Second); g.underWay.Load() == 0 && time.Now().Before(end) && ctx.Err() == nil; {
		time.Sleep(time.Millisecond)
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}

// report says what was killed.
func (g *ground) report() {
	alone := 0
	for _, k := range g.keepers {
		alone += k.endedAlone()
	}
	fmt.Print("killed with SIGKILL:")
	for _, v := range victims() {
		fmt.Printf(" %s %d times;", v, g.blows[v])
	}
	fmt.Printf(" stopped for %v: %s %d times;", stalledFor, stalled, g.blows[stalled])
	fmt.Printf(" ended by themselves: %d\n", alone)
}
