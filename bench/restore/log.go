package main

import (
	"context"
	"fmt"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A logKeeper takes records into the log and publishes it, as servers do.
type logKeeper struct {
	secret string
	shelf  *blob.Store
}

func newLogKeeper(dir string) (*logKeeper, error) {
	secret, _, err := audit.NewKey("gavel.invalid/bench")
	if err != nil {
		return nil, err
	}
	folder, err := disk.Open("file://" + dir)
	if err != nil {
		return nil, err
	}
	return &logKeeper{secret: secret, shelf: blob.New(folder, blob.Config{})}, nil
}

// keep takes in what waits and publishes it, once.
func (k *logKeeper) keep(ctx context.Context, sys *postgres.System) error {
	seq, err := audit.NewSequencer(audit.SequencerConfig{System: sys, Signer: k.secret, Now: time.Now, Logger: quiet, Shelf: k.shelf})
	if err != nil {
		return err
	}
	if _, err := seq.Drain(ctx); err != nil {
		return err
	}
	p, err := audit.NewPublisher(audit.PublisherConfig{System: sys, Shelf: k.shelf, Logger: quiet})
	if err != nil {
		return err
	}
	return p.Publish(ctx)
}

// fsck is what a check of the whole log says, in a line.
func (k *logKeeper) fsck(ctx context.Context, sys *postgres.System) (string, bool, error) {
	r, err := audit.Fsck(ctx, audit.FsckConfig{System: sys, Shelf: k.shelf})
	if err != nil {
		return "", false, err
	}
	text := fmt.Sprintf("%d entries", r.Size)
	for _, f := range r.Findings {
		text += "; " + f.Text
	}
	for _, l := range r.Lost {
		text += fmt.Sprintf("; entries %d to %d were lost in a restore: %s", l.From, l.Upto-1, l.Reason)
	}
	return text, r.Clean(), nil
}
