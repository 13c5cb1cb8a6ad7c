// Package gatepass says who may leave, with what, and whether everybody is back: HR makes a pass, an administrator approves
// it, a guard scans somebody out and in again, with a photo.
//
// This file is the table of contents. Each room is a folder: rest (the addresses of the first design, under /v1/gatepass),
// page (so far words alone), casework (making, deciding, scanning, and the clock of a pass; casework/mind, the agents of conversations),
// outside (the client of those addresses that the agents' tools go through), store (the tables and every question put to them).
//
// The folders under rule compute and touch nothing. pass is the one to read first: its table is what may happen to a pass.
package gatepass

import (
	"embed"

	"github.com/gavelhq/gavel/apps/gatepass/casework"
	"github.com/gavelhq/gavel/apps/gatepass/casework/mind"
	"github.com/gavelhq/gavel/apps/gatepass/casework/talk"
	"github.com/gavelhq/gavel/apps/gatepass/cli"
	"github.com/gavelhq/gavel/apps/gatepass/outside"
	"github.com/gavelhq/gavel/apps/gatepass/page"
	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/setting"
)

//go:embed policies
var policies embed.FS

// New is everything Gate Pass adds to Gavel.
func New() platform.App {
	kept, desk, minds, talks := &store.Store{}, &casework.Desk{}, &mind.Mind{}, &talk.Desk{}
	answers := rest.New(kept, desk, talks)
	open := func(d platform.Deps) error {
		kept.Open(store.Config{DB: d.DB, Clock: d.Clock, Rules: d.Rules, Keys: d.Keys})
		desk.Open(casework.Config{Store: kept, Cases: d.Cases, Reviews: d.Reviews, Vault: d.Vault})
		answers.Open(d.PDF)
		client, err := outside.Open(d.Settings, d.Public, d.Clock.Real)
		if err != nil {
			return err
		}
		orders := agent.NewOrders(agent.OrdersConfig{DB: d.DB, Clock: d.Clock, Cases: d.Cases, Reviews: d.Reviews, Rules: d.Rules})
		talks.Open(talk.Config{Store: kept, Cases: d.Cases, Reviews: d.Reviews, Runs: d.Runs, Orders: orders, Vault: d.Vault,
			Clock: d.Clock})
		minds.Open(mind.Config{Store: kept, Vault: d.Vault, Keys: d.Keys, Client: client})
		return nil
	}
	return platform.App{
		Name: store.Name, Title: "Gate Pass", Open: open, OrgSettings: []setting.Kind{store.SetupKind},
		Settings: outside.Settings(), Tools: minds.Tools(), Agents: minds.Agents(),
		Cases: store.Cases(), Acts: store.Acts(), Policies: platform.Folder(policies, "policies"), Proposals: desk.Proposals(),
		Work:       durable.Work{App: store.Name, Activities: []any{desk.Steps()}, Workflows: casework.Workflows()},
		Migrations: []postgres.MigrationSet{store.Migrations()}, Erasers: []seal.Eraser{store.Eraser()},
		API: []api.Part{answers}, Messages: page.Messages(), Commands: cli.Commands,
	}
}
