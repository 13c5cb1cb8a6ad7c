package main

import (
	"context"
	"fmt"
	"time"

	"github.com/gavelhq/gavel/devstack"
)

// A blow is a part that is killed once so many proposals have been seen to.
type blow struct {
	engine bool // and otherwise a server
	after  int64
}

// blows spreads the kills over the work: servers in the first part of each share
// and the engine in the second, so that each hits others at work.
func blows(o options) []blow {
	all := int64(o.cases * callsPerCase)
	var list []blow
	most := max(o.engineKills, o.serverKills)
	for i := range most {
		from, share := all*int64(i)/int64(most), all/int64(most)
		if i < o.serverKills {
			list = append(list, blow{after: from + share/6})
		}
		if i < o.engineKills {
			list = append(list, blow{engine: true, after: from + share/3})
		}
	}
	return list
}

// strike carries out the blows, one after another.
func (g *ground) strike(ctx context.Context, c *crowd, o options) error {
	began := time.Now()
	for i, b := range blows(o) {
		for c.tally.seen.Load() < b.after {
			if sleep(ctx, 10*time.Millisecond) != nil {
				return nil
			}
		}
		struck, what := time.Now(), fmt.Sprintf("server %d", i%servers)
		var err error
		if b.engine {
			what = "the engine"
			err = g.killEngine(ctx, c)
			c.tally.engines.Add(1)
		} else {
			err = g.killServer(ctx, i%servers)
			c.tally.servers.Add(1)
		}
		if err != nil {
			return over(ctx, fmt.Errorf("kill %s: %w", what, err))
		}
		fmt.Printf("%6.0f s  %s was killed and is back after %.1f s; %d decisions taken while the engine was away so far\n",
			time.Since(began).Seconds(), what, time.Since(struck).Seconds(), c.tally.whileAway.Load())
	}
	return nil
}

// Who decides while the engine is away needs something to decide: the people rest
// until so many proposals lie there, or so long.
const (
	enoughToDecide = 60
	longestRest    = 8 * time.Second
	engineAway     = 3 * time.Second
)

func (g *ground) killEngine(ctx context.Context, c *crowd) error {
	c.rests.Store(true)
	for end := time.Now().Add(longestRest); len(c.queue) < enoughToDecide && time.Now().Before(end); {
		if err := sleep(ctx, 10*time.Millisecond); err != nil {
			return err
		}
	}
	err := g.stack.Kill(devstack.Temporal)
	g.away.Store(true)
	c.rests.Store(false)
	if err != nil {
		return err
	}
	if err := sleep(ctx, engineAway); err != nil {
		return err
	}
	defer g.away.Store(false)
	return g.stack.Start(ctx, devstack.Temporal)
}

// serverAway is how long a killed server stays away.
const serverAway = 2 * time.Second

func (g *ground) killServer(ctx context.Context, which int) error {
	s := g.servers[which]
	s.kill()
	if err := sleep(ctx, serverAway); err != nil {
		return err
	}
	if err := s.start(); err != nil {
		return err
	}
	return s.awaitReady(answersOK(g.http, g.bases[which]+"/readyz"))
}
