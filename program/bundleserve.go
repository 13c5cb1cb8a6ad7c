package program

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/content"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
)

// newExporter makes what exports bundles, of the sections that every case has.
func (c *cli) newExporter(p *parts, sys *postgres.System, blobs *blob.Store, kept *evidence.Store,
	vault *seal.Vault) (*bundle.Exporter, error) {
	all := content.Sections(content.Sources{DB: p.db, Cases: p.cases, Evidence: kept, Blobs: blobs})
	all = append(all, agent.Sections(agent.NewStore(p.db, vault, p.rules, p.clock))...)
	return bundle.NewExporter(bundle.Config{
		DB: p.db, System: sys, Vault: vault, Rules: p.rules, Signer: c.cfg.LogKey.Reveal(), Program: "gavel " + buildOf().Version,
		Now: p.clock.Now, Wait: pause, Sections: all,
	})
}

// pause waits in real time: what is waited for is a server at work, not a date.
func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
