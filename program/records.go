package program

import (
	"context"
	"slices"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/ask"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/audit/report"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/search"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/program/config"
)

// records are what a server keeps and shows beside cases: evidence, the log and
// bundles.
type records struct {
	blobs    *blob.Store
	evidence *evidence.Store
	exporter *bundle.Exporter
	vault    *seal.Vault
	log      *audit.Reader
	key      audit.Verifier // signs the log now
	concerns *concern.Store // what the people concerned are told
	parts    map[string][]console.Part
	finds    []search.Source // what of the applications people find by name and id
	desk     *notify.Desk    // how people want to be told; nil: no mail goes out
	mail     *inbound.Store  // mail that came in; nil: none does
	post     *notify.Post    // mail that goes out; nil: none does
	jobs     *job.Desk       // where long work is called off; nil: there is none
}

// recordNeeds are the settings they stand on.
func recordNeeds() []config.Need {
	return []config.Need{{config.NameLogKey}, {config.NameSealKeys}, {config.NameBlobURL}}
}

// newEvidence opens what keeps evidence.
func (c *cli) newEvidence(p *parts, blobs *blob.Store, vault *seal.Vault) (*evidence.Store, error) {
	return evidence.New(evidence.Config{DB: p.db, Blobs: blobs, Clock: p.clock, Rules: p.rules, Vault: vault,
		Sources: append(c.apps.sources(), inbound.Source()), Code: "gavel " + buildOf().Version})
}

func (c *cli) openRecords(p *parts, sys *postgres.System) (*records, error) {
	blobs, err := openBlob(c.cfg)
	if err != nil {
		return nil, err
	}
	vault, err := seal.New(seal.Config{DB: p.db, Blobs: blobs, Masters: c.cfg.SealKeys, Now: p.clock.Now, Erasers: c.apps.erasers(),
		Rules: p.rules})
	if err != nil {
		return nil, err
	}
	kept, err := c.newEvidence(p, blobs, vault)
	if err != nil {
		return nil, err
	}
	exporter, err := c.newExporter(p, sys, blobs, kept, vault)
	if err != nil {
		return nil, err
	}
	parts := c.apps.caseParts()
	concerns, err := concern.New(concern.Config{DB: p.db, Clock: p.clock, Rules: p.rules, Cases: p.cases, Keys: c.cfg.PayloadKeys,
		Theirs: console.Theirs(parts)})
	if err != nil {
		return nil, err
	}
	post, err := c.newPost(p, vault)
	if err != nil {
		return nil, err
	}
	mail, err := c.newInbox(p, sys, vault, kept, post)
	if err != nil {
		return nil, err
	}
	key, err := audit.PublicOf(c.cfg.LogKey.Reveal())
	log := audit.NewReader(audit.ReaderConfig{DB: p.db, System: sys, Shelf: blobs})
	return &records{blobs: blobs, evidence: kept, exporter: exporter, vault: vault, log: log, key: key, concerns: concerns, parts: parts,
		finds: c.apps.finds(), desk: c.newDesk(p, nil, nil, ""),
		mail: mail, post: post, jobs: c.apps.jobs(p)}, err
}

// console is the pages over all of it.
func (r *records) console(site *web.Site, p *parts, b ground, orders *agent.Orders, setup console.Setup, apps []string,
	trials []console.Trial, public string) *console.Console {
	return console.New(console.Config{
		Ask:  r.questions(p, b),
		Site: site, Rules: p.rules, Cases: p.cases, Log: r.log, Reports: report.NewDesk(r.log, r.blobs), Evidence: r.evidence,
		Sections: sections(), Keys: r.publicKeys, Runs: b.minds.runs, Orders: orders, Reviews: b.minds.reviews, Acts: b.minds.acts,
		Editing: b.minds.editing, Pauses: b.minds.pauses, Setup: setup, Engine: func(ctx context.Context) error {
			return durable.Ping(ctx,
				b.engine)
		},
		Finder: search.New(p.db, p.rules, r.finds...), Apps: apps, Parts: r.parts, Concerns: r.concerns, Public: public, Desk: r.desk,
		Mail: r.mail, Post: r.post, Trials: trials, Exporter: r.exporter, Jobs: r.jobs,
	})
}

// questions answers questions about cases, in a model's words where a route is
// named for that.
func (r *records) questions(p *parts, b ground) *ask.Desk {
	c := ask.Config{DB: p.db, Now: p.clock.Now, Rules: p.rules, Cases: p.cases, Evidence: r.evidence, Reviews: b.minds.reviews,
		Masks: b.minds.Masks}
	if route, err := b.minds.routes.Find(ask.RouteName); err == nil {
		c.Route = &route
	}
	return ask.New(c)
}

// publicKeys are the log's keys, the one this server signs with first. A log
// without entries does not name it yet.
func (r *records) publicKeys(ctx context.Context) ([]audit.Verifier, error) {
	named, err := r.log.Keys(ctx)
	earlier := slices.DeleteFunc(named, func(k audit.Verifier) bool { return k == r.key })
	return append([]audit.Verifier{r.key}, earlier...), err
}
