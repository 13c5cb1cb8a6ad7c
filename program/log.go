package program

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
)

// A logKeeper takes committed records into the audit log and copies its
// checkpoints out. Every server has one; they take turns.
type logKeeper struct {
	sequencer *audit.Sequencer
	publisher *audit.Publisher
}

func (c *cli) newLogKeeper(p *parts, sys *postgres.System, kept *records) (*logKeeper, error) {
	// open pages show cases, runs, proposals, what is paused, and what applications have
	announce := each(casefile.Announce, agent.Announce, review.Announce, act.AnnouncePauses)
	for _, a := range c.apps {
		if a.Announce != nil {
			announce = each(announce, a.Announce)
		}
	}
	sequencer, err := audit.NewSequencer(audit.SequencerConfig{
		System: sys, Signer: c.cfg.LogKey.Reveal(), Previous: c.cfg.LogKeyPrevious.Reveal(), Now: p.clock.Now, Logger: p.log,
		Shelf:    kept.blobs,
		Announce: announce,
	})
	if err != nil {
		return nil, err
	}
	publisher, err := audit.NewPublisher(audit.PublisherConfig{System: sys, Shelf: kept.blobs, Witness: c.cfg.LogWitness, Logger: p.log})
	if err != nil {
		return nil, err
	}
	return &logKeeper{sequencer, publisher}, nil
}

// each calls several announcers in turn. It names no batch's type: this package
// runs no SQL.
func each[B any](all ...func(b B, orgs, records []string)) func(b B, orgs, records []string) {
	return func(b B, orgs, records []string) {
		for _, one := range all {
			one(b, orgs, records)
		}
	}
}

func (k *logKeeper) run(ctx context.Context) error {
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error { return ticking(ctx, audit.Interval, k.sequencer.Run) })
	group.Go(func() error { return ticking(ctx, audit.PublishInterval, k.publisher.Run) })
	return group.Wait()
}

// ticking gives a loop its beat.
func ticking(ctx context.Context, every time.Duration, run func(context.Context, <-chan time.Time) error) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	return run(ctx, tick.C)
}
