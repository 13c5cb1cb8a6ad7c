package program

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
)

// people are who signs in, for pages that name them.
func (p *parts) people() *signin.Store {
	return signin.NewStore(signin.StoreConfig{DB: p.db, Clock: p.clock, Rules: p.rules})
}

// banners are the lines that every page of an organisation has while something is
// paused.
func (p *parts) banners(m *minds) *console.Banners {
	return &console.Banners{Pauses: m.pauses, Name: p.people().Name}
}

// setup is how the installation is set up, for the pages of administrators.
func (c *cli) setup(p *parts, b ground, lines *console.Banners) console.Setup {
	people := p.people()
	return console.Setup{Banners: lines, Log: p.log, Name: people.Name, Person: p.person, Tokens: people.Tokens, Agents: b.minds.Agents(),
		Routes: b.minds.routes,
		Tools:  b.minds.Tools, Kept: platform.Retentions(c.apps...), Vault: b.kept.vault, Hooks: c.hooks(p), Settings: b.minds.settings}
}

// administration is what the API answers administrators.
func (c *cli) administration(p *parts, b ground) []api.Part {
	return []api.Part{
		&api.Pauses{Pauses: b.minds.pauses},
		&api.Sources{Evidence: b.kept.evidence, May: p.rules.May},
		&api.Models{Routes: b.minds.routes, Agents: b.minds.Agents(), Runs: b.minds.runs, Now: p.nowIn},
		&api.Retention{Vault: b.kept.vault, Kept: platform.Retentions(c.apps...)},
		&api.Webhooks{Hooks: c.hooks(p), May: p.rules.May},
	}
}

// nowIn is the time in an organisation's own zone, whose days are theirs. Without
// its zone it is the time here.
func (p *parts) nowIn(ctx context.Context, org identity.Org) time.Time {
	now := p.clock.Now()
	if face, err := p.organisation(ctx, org); err == nil && face.Zone != nil {
		return now.In(face.Zone)
	}
	return now
}
