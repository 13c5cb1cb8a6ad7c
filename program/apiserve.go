package program

import (
	"context"
	"log/slog"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/event"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/web"
)

// serveAPI registers everything under /v1, with its document and the page of it.
func (f *face) serveAPI(mux *web.Mux, p *parts, b ground, orders *agent.Orders, more []api.Part) {
	f.operations = operation.NewDesk(operation.Config{DB: p.db, Acts: api.OperationActs(), Rules: p.rules, Now: p.clock.Now, Beat: beat,
		Log: p.log})
	api.New(mux, api.Config{
		PublicURL: f.public, Now: p.clock.Now, Keys: idempotency.NewStore(p.db), Operations: f.operations, May: p.rules.May, Logger: p.log,
	}).Routes(append([]api.Part{
		&api.Cases{Cases: p.cases, PublicURL: f.public},
		&api.Concerns{Cases: p.cases, Concerns: b.kept.concerns, Address: func(ref, token string) string {
			return f.public +
				console.ConcernPath(ref, token)
		}},
		&api.Mail{Cases: p.cases, In: b.kept.mail, Out: b.kept.post},
		&api.Bundles{Exporter: b.kept.exporter},
		&api.Runs{Runs: b.minds.runs, Orders: orders, Tools: b.minds.Tools, Steps: b.minds.steps, PublicURL: f.public},
		&api.Proposals{Reviews: b.minds.reviews, PublicURL: f.public},
		&api.Events{Events: event.NewReader(p.db), May: p.rules.May},
		&api.Subjects{Cases: p.cases, Vault: b.kept.vault},
		&api.Operations{},
		&api.SignIn{},
		&api.Settings{Desk: b.minds.settings, PublicURL: f.public},
		&api.Policy{Rules: p.rules, Tools: b.minds.Tools, Runs: b.minds.runs, Person: p.person},
	}, more...)...)
}

// beat ticks in real time: what it is for is a server at work, not a date.
func beat(every time.Duration) (<-chan time.Time, func()) {
	t := time.NewTicker(every)
	return t.C, t.Stop
}

// tidyEvery is how often what nobody can ask for any more is thrown away.
const tidyEvery = 10 * time.Minute

// tidy throws it away, again and again. What fails is tried the next time.
func (c *cli) tidy(ctx context.Context, sys *postgres.System, p *parts) error {
	all := map[string]func(context.Context, *postgres.System) (int64, error){"answers": idempotency.Purge, "operations": operation.Purge,
		"webhook messages": p.purgeHooks}
	for _, a := range c.apps {
		if a.Purge != nil {
			all[a.Name] = func(ctx context.Context, sys *postgres.System) (int64, error) {
				return a.Purge(ctx, sys, p.clock.Now())
			}
		}
	}
	beats, quiet := beat(tidyEvery)
	defer quiet()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-beats:
		}
		for what, purge := range all {
			if n, err := purge(ctx, sys); err != nil {
				p.log.WarnContext(ctx, "what is old was not thrown away", slog.String("what", what), slog.Any("error", err))
			} else if n > 0 {
				p.log.InfoContext(ctx, "thrown away", slog.String("what", what), slog.Int64("rows", n))
			}
		}
	}
}
