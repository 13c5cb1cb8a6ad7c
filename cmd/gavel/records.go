package main

import (
	"context"

	"github.com/gavelhq/gavel/cmd/gavel/config"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/audit/bundle"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/web"
)

// records are what a server keeps and shows beside cases: evidence, the log and
// bundles.
type records struct {
	blobs    *blob.Store
	evidence *evidence.Store
	exporter *bundle.Exporter
	keys     []audit.Verifier
}

// recordNeeds are the settings they stand on.
func recordNeeds() []config.Need {
	return []config.Need{{config.NameLogKey}, {config.NameSealKeys}, {config.NameBlobURL}}
}

func (c *cli) openRecords(p *parts, sys *postgres.System) (*records, error) {
	blobs, err := openBlob(c.cfg)
	if err != nil {
		return nil, err
	}
	vault, err := seal.New(seal.Config{DB: p.db, Blobs: blobs, Masters: c.cfg.SealKeys, Now: p.clock.Now})
	if err != nil {
		return nil, err
	}
	kept, err := evidence.New(evidence.Config{DB: p.db, Blobs: blobs, Clock: p.clock, Vault: vault, Code: "gavel " + buildOf().Version})
	if err != nil {
		return nil, err
	}
	exporter, err := c.newExporter(p, sys, blobs, kept, vault)
	if err != nil {
		return nil, err
	}
	key, err := audit.PublicOf(c.cfg.LogKey.Reveal())
	return &records{blobs: blobs, evidence: kept, exporter: exporter, keys: []audit.Verifier{key}}, err
}

// console is the pages over all of it.
func (r *records) console(site *web.Site, p *parts) *console.Console {
	return console.New(console.Config{
		Site: site, Cases: p.cases, DB: p.db, Evidence: r.evidence, Shelf: r.blobs, Sections: sections(),
		Keys: func(context.Context) ([]audit.Verifier, error) { return r.keys, nil },
	})
}
