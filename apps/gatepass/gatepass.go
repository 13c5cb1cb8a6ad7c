// Package gatepass says who may leave, with what, and whether everybody is back: HR makes a pass, an administrator approves
// it, a guard scans somebody out and in again, with a photo.
//
// This file is the table of contents. Each room is a folder: rest (the addresses of the first design, under /v1/gatepass),
// page (what HR and pass administrators look at, and the app at the gate), casework (making, deciding, scanning, and the
// clock of a pass; casework/mind is the agents of conversations, casework/talk those from a person's side, casework/keep
// ends what is kept no longer), outside (the client
// of those addresses that the agents' tools go through), store (the tables and every question put to them).
//
// The folders under rule compute and touch nothing. pass is the one to read first: its table is what may happen to a pass.
package gatepass

import (
	"embed"

	"github.com/gavelhq/gavel/apps/gatepass/casework"
	"github.com/gavelhq/gavel/apps/gatepass/casework/keep"
	"github.com/gavelhq/gavel/apps/gatepass/casework/mind"
	"github.com/gavelhq/gavel/apps/gatepass/casework/talk"
	"github.com/gavelhq/gavel/apps/gatepass/cli"
	"github.com/gavelhq/gavel/apps/gatepass/evals"
	"github.com/gavelhq/gavel/apps/gatepass/outside"
	"github.com/gavelhq/gavel/apps/gatepass/page"
	"github.com/gavelhq/gavel/apps/gatepass/page/frame"
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

//go:embed demo
var files embed.FS

// New is everything Gate Pass adds to Gavel.
func New() platform.App {
	kept, desk, minds, talks, keeper := &store.Store{}, &casework.Desk{}, &mind.Mind{}, &talk.Desk{}, &keep.Keeper{}
	answers, pages := rest.New(kept, desk, talks), page.New(kept, desk, talks)
	open := func(d platform.Deps) error {
		kept.Open(store.Config{DB: d.DB, Clock: d.Clock, Rules: d.Rules, Keys: d.Keys})
		desk.Open(casework.Config{Store: kept, Cases: d.Cases, Reviews: d.Reviews, Vault: d.Vault})
		answers.Open(d.PDF)
		pages.Open(d.PDF)
		client, err := outside.Open(d.Settings, d.Here, d.Clock.Real)
		if err != nil {
			return err
		}
		orders := agent.NewOrders(agent.OrdersConfig{DB: d.DB, Clock: d.Clock, Cases: d.Cases, Reviews: d.Reviews, Rules: d.Rules})
		talks.Open(talk.Config{Store: kept, Cases: d.Cases, Reviews: d.Reviews, Runs: d.Runs, Orders: orders, Vault: d.Vault,
			Clock: d.Clock, Routed: d.Routed})
		keeper.Open(keep.Config{Store: kept, Vault: d.Vault, Orders: orders})
		minds.Open(mind.Config{Store: kept, Vault: d.Vault, Keys: d.Keys, Client: client})
		return nil
	}
	return platform.App{
		Name: store.Name, Title: "Gate Pass", Open: open, OrgSettings: []setting.Kind{store.SetupKind},
		Settings: outside.Settings(), Tools: minds.Tools(), Agents: minds.Agents(), Evals: measures(minds), Gate: evals.Gate(),
		Cases: store.Cases(), Acts: store.Acts(), Policies: platform.Folder(policies, "policies"), Proposals: desk.Proposals(),
		Work: durable.Work{App: store.Name, Activities: []any{desk.Steps(), keeper.Steps()},
			Workflows: append(casework.Workflows(), keep.Workflows()...)},
		Migrations: []postgres.MigrationSet{store.Migrations()}, Erasers: []seal.Eraser{store.Eraser()}, Retention: store.Retention(),
		API: []api.Part{answers}, Routes: pages.Routes, Nav: page.Nav(), Messages: page.Messages(), Assets: frame.Assets(),
		Announce: store.Announce, Demo: cli.Demo(platform.Folder(files, "demo")), Commands: cli.Commands,
	}
}
