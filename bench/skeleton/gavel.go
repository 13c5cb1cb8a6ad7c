package main

import (
	"context"
	"crypto/rand"
	"errors"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
)

// gavel is the walking skeleton as people use it: PostgreSQL first, then the
// outbox, the dispatcher, the workflow and its history, with the audit log being
// kept beside it. Its steps ring bells as bare's do.
type gavel struct {
	g     *ground
	store *casefile.Store
	bells *bells
}

var officer = identity.Actor{Kind: identity.Person, ID: "bench", Name: "Bench", Org: org, Roles: []identity.Role{identity.Officer}}

func (g *ground) gavel() (contestant, error) {
	c := &gavel{g: g, store: casefile.NewStore(casefile.Config{DB: g.db, Rules: policy.Standard()}), bells: newBells()}
	work := casefile.Work(c.store, casefile.General())
	steps, ok := work.Activities[0].(*casefile.Steps)
	if !ok {
		return nil, errors.New("a General case's activities are not what they were")
	}
	work.Activities = []any{&rung{steps, c.bells}}
	g.work(work)
	engine := outbox.NewEngine(g.client, g.engine.Memo, g.sys)
	g.background(outbox.NewDispatcher(g.sys, engine, 1e6, quiet).Run)
	return c, c.keepLog()
}

// keepLog runs the sequencer as a server does.
func (c *gavel) keepLog() error {
	key, _, err := audit.NewKey("gavel.invalid/bench")
	if err != nil {
		return err
	}
	sequencer, err := audit.NewSequencer(audit.SequencerConfig{
		System: c.g.sys, Signer: key, Now: time.Now, Logger: quiet, Announce: casefile.Announce,
	})
	if err != nil {
		return err
	}
	c.g.background(func(ctx context.Context) error {
		tick := time.NewTicker(audit.Interval)
		defer tick.Stop()
		return sequencer.Run(ctx, tick.C)
	})
	return nil
}

// rung are a case's own steps, with a bell after each.
type rung struct {
	steps *casefile.Steps
	bells *bells
}

// TakeUp is the case's step.
func (r *rung) TakeUp(ctx context.Context, in casefile.Input, at time.Time) (casefile.TakenUp, error) {
	out, err := r.steps.TakeUp(ctx, in, at)
	if err == nil {
		r.bells.ring(string(in.Case) + "taken_up")
	}
	return out, err
}

// Finish is the case's step.
func (r *rung) Finish(ctx context.Context, in casefile.Input, status string, at time.Time) error {
	err := r.steps.Finish(ctx, in, status, at)
	if err == nil {
		r.bells.ring(string(in.Case) + "finished")
	}
	return err
}

func (c *gavel) name() string { return "gavel" }

func (c *gavel) oneCase(ctx context.Context) error {
	o := casefile.Opening{App: "general", Key: rand.Text(), Title: "Look into van 14"}
	cs, _, err := c.store.Open(ctx, officer, o)
	if err != nil {
		return err
	}
	if err := c.bells.wait(ctx, string(cs.ID)+"taken_up"); err != nil {
		return err
	}
	const takenUp = 2 // the version that the first step made
	if err := c.store.Close(ctx, officer, cs.ID, takenUp, "Settled."); err != nil {
		return err
	}
	return c.bells.wait(ctx, string(cs.ID)+"finished")
}
