package program

import (
	"context"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"time"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/program/config"
)

// loadRules reads who may do what: the policies that are built in, and where the
// settings name a folder, those in it instead.
func (c *cli) loadRules(cfg *config.Config) (*policy.Rules, error) {
	return c.rulesOf(cfg.Policies)
}

// rulesOf reads them with those of a folder instead; empty for none.
func (c *cli) rulesOf(folder string) (*policy.Rules, error) {
	var override fs.FS
	if folder != "" {
		override = os.DirFS(folder)
	}
	return policy.Load(override, platform.Policies(c.apps...))
}

// putInForce puts on record which policies this process works under. It waits for
// the database for as long as that takes: nothing else waits for it.
func (p *parts) putInForce(ctx context.Context) error {
	for {
		changed, err := agent.PutInForce(ctx, p.db, p.clock, p.rules)
		if err == nil {
			if changed > 0 {
				p.log.InfoContext(ctx, "other policies are in force", slog.String("digest", p.rules.Digest()),
					slog.Int("organisations", changed))
			}
			return nil
		}
		if ctx.Err() != nil {
			return nil
		}
		p.log.WarnContext(ctx, "which policies are in force is not on record yet", slog.Any("error", err))
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(databaseEvery):
		}
	}
}

// putInForceMeanwhile does so beside other work. What it returns ends that, and
// waits until it has ended.
func (p *parts) putInForceMeanwhile(ctx context.Context) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = p.putInForce(ctx) // it tries until it can, or is told to end
	}()
	return func() { cancel(); <-done }
}

// person finds somebody with the roles of their last sign-in, for who asks why
// they may or may not do something.
func (p *parts) person(ctx context.Context, org identity.Org, id string) (identity.Actor, error) {
	found, err := signin.NewStore(signin.StoreConfig{DB: p.db, Clock: p.clock, Rules: p.rules}).Lookup(ctx, org, id)
	return found.Actor(org), err
}

// refusals puts on record who is turned away from a page or an address.
func (p *parts) refusals() func(context.Context, web.Refusal) {
	r := &audit.Refusals{DB: p.db, Now: p.clock.Now, Log: p.log}
	return func(ctx context.Context, v web.Refusal) {
		r.Note(ctx, audit.Turned{Actor: v.Actor, Acts: v.Acts, Route: v.Pattern, Object: v.Object})
	}
}

// policyCheck reads the policies as a server would.
func (c *cli) policyCheck(cfg *config.Config) doctor.Check {
	return doctor.Check{Group: "Policies", Name: "can be read and fit the tools", Run: func(context.Context) doctor.Result {
		rules, err := c.loadRules(cfg)
		if err == nil {
			_, err = platform.NewMinds(rules, c.apps...)
		}
		if err != nil {
			text, next := fault.Words(err)
			if next == "" {
				next = "correct the file, then: gavel policy check " + cfg.Policies
			}
			return doctor.Result{Status: doctor.Fail, Detail: text, Fix: next}
		}
		from := "built in"
		if cfg.Policies != "" {
			from = cfg.Policies
		}
		return doctor.Result{Status: doctor.OK, Detail: fmt.Sprintf("%s, %d files, digest %.12s", from, len(rules.Files()), rules.Digest())}
	}}
}
