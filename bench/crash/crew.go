package main

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

var (
	quiet = slog.New(slog.DiscardHandler)

	clerk   = identity.Actor{Kind: identity.Person, ID: "asha", Name: "Asha", Org: org, Roles: []identity.Role{identity.Analyst}}
	officer = identity.Actor{Kind: identity.Person, ID: "olga", Name: "Olga", Org: org, Roles: []identity.Role{identity.Officer}}
)

// The tools that a run uses, once each.
const (
	post   = "post"   // keyed, and nobody is asked
	letter = "letter" // keyed, and an officer decides
	fax    = "fax"    // no keys and no look-up
)

func tools() []string { return []string{post, letter, fax} }

// An errand is one agent's run, from outside.
type errand struct {
	n    int
	id   casefile.CaseID // empty if it could not even be opened
	took time.Duration
	err  error // why people gave it up
}

// word is what a tool is used with. No two runs have one in common, so that an
// effect is told by it whatever its key.
func (e errand) word(tool string) string { return fmt.Sprintf("%s-%d", tool, e.n) }

// agent is who runs the errand: every third sets others to work.
func (e errand) agent() string {
	if e.n%3 == 2 {
		return "foreman"
	}
	return "clerk"
}

// script is what the agent does: one effect a turn, or all three side by side, or two by
// an agent below beside one that only looks.
func (e errand) script() string {
	do := func(tool string) string { return tool + " " + e.word(tool) }
	switch {
	case e.agent() == "foreman":
		return fmt.Sprintf("clerk(%s | %s); clerk(look a | look b | look c) | %s", do(post), do(fax), do(letter))
	case e.n%2 == 1:
		return do(post) + "; " + do(letter) + "; " + do(fax)
	}
	return do(post) + " | " + do(letter) + " | " + do(fax)
}

// A crew is the people: they open cases, decide letters, and see cases end. What
// they try is tried again while the database is away.
type crew struct {
	yard            *agenttest.Yard
	patience        time.Duration
	atOnce          int
	errands         []errand
	ended, inFlight atomic.Int64
}

func newCrew(g *ground, o options) *crew {
	c := &crew{yard: g.yard, patience: o.patience, atOnce: o.inFlight, errands: make([]errand, o.runs)}
	for i := range c.errands {
		c.errands[i].n = i
	}
	return c
}

// work sees all errands through.
func (c *crew) work(ctx context.Context) {
	var g errgroup.Group
	g.SetLimit(c.atOnce)
	for i := range c.errands {
		g.Go(func() error {
			e := &c.errands[i]
			began := time.Now()
			limited, stop := context.WithTimeout(ctx, c.patience)
			defer stop()
			c.inFlight.Add(1)
			e.err = c.see(limited, e)
			e.took = time.Since(began)
			c.inFlight.Add(-1)
			c.ended.Add(1)
			return nil
		})
	}
	_ = g.Wait() // what went wrong is kept with the errand
}

// look is how often people look whether something has happened.
const lookEvery = 200 * time.Millisecond

// see opens a case, approves its letter and waits for its end.
func (c *crew) see(ctx context.Context, e *errand) error {
	err := insist(ctx, func() error {
		// A repeat finds the case that is open under the same key.
		opened, _, err := c.yard.Cases.Open(ctx, clerk, casefile.Opening{App: agenttest.DefaultApp,
			Key: fmt.Sprintf("%s.%d", e.agent(), e.n), Title: e.script()})
		e.id = opened.ID
		return err
	})
	if err != nil {
		return fmt.Errorf("open: %w", err)
	}
	for decided := false; ; {
		closed := false
		err := insist(ctx, func() (err error) {
			if !decided {
				decided, err = c.decide(ctx, e.id)
				return err
			}
			now, err := c.yard.Cases.Get(ctx, org, e.id)
			closed = now.State == casefile.Closed
			return err
		})
		if err != nil || closed {
			return err
		}
		if err := sleep(ctx, lookEvery); err != nil {
			return err
		}
	}
}

// decide approves a case's letter, if it is there to be decided.
func (c *crew) decide(ctx context.Context, id casefile.CaseID) (bool, error) {
	open, _, err := c.yard.Reviews.List(ctx, officer, review.Query{Case: string(id)})
	if err != nil {
		return false, err
	}
	for _, p := range open {
		if p.Tool != letter {
			continue
		}
		d := review.Decision{ID: "decision-" + string(id), Proposal: p.ID, ShownSHA256: p.ShownSHA256, Verdict: review.Approve}
		return true, insist(ctx, func() error { // with the same id: what was decided may have been, and only the answer lost
			_, err := c.yard.Reviews.Decide(ctx, officer, d)
			return err
		})
	}
	return false, nil
}

// insist tries until it succeeds, or fails in a way that trying again does not
// mend, or the time is over.
func insist(ctx context.Context, try func() error) error {
	for {
		err := try()
		if err == nil || !fault.KindOf(err).Retryable() {
			return err
		}
		if sleep(ctx, lookEvery) != nil {
			return err
		}
	}
}

// awaitEnded waits until so many errands have ended.
func (c *crew) awaitEnded(ctx context.Context, n int) error {
	for c.ended.Load() < int64(n) {
		if err := sleep(ctx, 5*time.Millisecond); err != nil {
			return err
		}
	}
	return nil
}

// longest is how long the slowest errand took.
func (c *crew) longest() (d time.Duration) {
	for _, e := range c.errands {
		d = max(d, e.took)
	}
	return d
}
