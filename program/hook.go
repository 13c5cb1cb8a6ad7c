package program

import (
	"context"
	"slices"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/signin"
)

// hooks is where webhooks are kept. It holds nothing: each who asks makes their
// own.
func (c *cli) hooks(p *parts) *hook.Store {
	return hook.New(hook.Config{DB: p.db, Clock: p.clock, Rules: p.rules, Keys: c.cfg.PayloadKeys, Loopback: c.cfg.HooksLoopback})
}

// newCourier makes what sends webhooks. What an organisation holds back from going
// outside holds them, too. Whose webhook is turned off is told by mail, where mail
// goes out.
func (c *cli) newCourier(p *parts, b ground, public string) (*hook.Courier, error) {
	post, err := c.newPost(p, b.kept.vault)
	if err != nil {
		return nil, err
	}
	hooks := c.hooks(p)
	hooks.Tell = hook.Letters{Post: post, People: notify.PeopleFrom(signin.To, reader), Public: public, Log: p.log}.Tell()
	paused := func(ctx context.Context, org identity.Org) (bool, error) {
		on, err := b.minds.pauses.On(ctx, org)
		return slices.ContainsFunc(on, func(p act.Pause) bool {
			return p.Scope == act.Everything || p.Scope == act.EveryOutside || p.Scope == act.Recovering
		}), err
	}
	return hook.NewCourier(hook.CourierConfig{Store: hooks, Sys: b.sys, Wall: time.Now, Beat: beat, Paused: paused, Log: p.log})
}

// sendHooks tells other servers what happens, until the context ends.
func (c *cli) sendHooks(ctx context.Context, p *parts, b ground, public string) error {
	courier, err := c.newCourier(p, b, public)
	if err != nil {
		return err
	}
	return courier.Run(ctx)
}

// purgeHooks throws away what was sent long ago.
func (p *parts) purgeHooks(ctx context.Context, sys *postgres.System) (int64, error) {
	return hook.Purge(ctx, sys, p.clock.Now())
}
