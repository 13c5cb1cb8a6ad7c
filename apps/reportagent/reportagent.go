// Package reportagent drafts a report from an outline and a folder of charts, so that every number in it is a fact that can be
// done again, and the analyst's own words stay.
//
// This file is the table of contents. Each room is a folder: rest (addresses under /v1/reports), cli (commands, which work on
// files of this machine alone), casework (an outline and a run come in, sections are drafted side by side, people write in
// them; its room mind is the agent that words sections), store (the tables and every question put to them) and page (what people see).
//
// The folders under rule compute and touch nothing: outline (the analyst's file), catalogue, plotspec, table and plotly (what
// a model run hands over), summary (what a chart says, as facts), mapping (which charts a section is written from), draft (a
// section's text), report (a whole one, kept and checked again), evaluation (what reviewers thought), paper (how it is
// printed) and madeup (a run that nobody made).
package reportagent

import (
	"embed"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/casework/mind"
	"github.com/gavelhq/gavel/apps/reportagent/casework/signing"
	"github.com/gavelhq/gavel/apps/reportagent/cli"
	"github.com/gavelhq/gavel/apps/reportagent/outside/duck"
	"github.com/gavelhq/gavel/apps/reportagent/page"
	"github.com/gavelhq/gavel/apps/reportagent/rest"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed policies
var policies embed.FS

//go:embed demo
var demoFiles embed.FS

// New is everything the Report Agent adds to Gavel.
func New() platform.App {
	kept := store.New()
	desk := casework.New(kept)
	writer, clerk := mind.New(kept, desk), signing.New(kept, desk)
	pages := page.New(kept, desk, clerk)
	open := func(d platform.Deps) error {
		kept.Open(store.Config{DB: d.DB, Clock: d.Clock, Rules: d.Rules, Evidence: d.Evidence, Cases: d.Cases})
		raw, err := duck.Here(d.Settings[casework.SettingDuck])
		if err != nil {
			return err
		}
		desk.Open(casework.Config{Folders: d.Settings[casework.SettingFolders], Routed: d.Routed, Duck: raw})
		clerk.Open(d.Calls)
		return nil
	}
	return platform.App{
		Name: store.Name, Title: "Report Agent", Settings: casework.Settings(), Open: open,
		Cases: store.Cases(), Acts: store.Acts(), Policies: platform.Folder(policies, "policies"),
		Work: durable.Work{App: store.Name, Activities: []any{desk.Steps(), writer.Steps()}, Workflows: []durable.Workflow{
			{Name: store.DraftName, Func: casework.DraftWorkflow}, {Name: store.CaseName, Func: mind.CaseWorkflow},
		}},
		Jobs: []job.Kind{store.DraftJob}, Sources: store.Sources(), Migrations: []postgres.MigrationSet{store.Migrations()},
		Tools: append(writer.Tools(), clerk.Tools()...), Agents: writer.Agents(),
		API: []api.Part{rest.New(kept, desk, clerk)}, Nav: page.Nav(), Messages: page.Messages(), Assets: page.Assets(),
		Routes: pages.Routes, Commands: cli.Commands(rawTables),
		Demo: cli.Demo(platform.Folder(demoFiles, "demo")),
	}
}

// rawTables finds the program on this machine that answers questions about raw tables.
func rawTables() (cli.Asker, error) {
	client, err := duck.Here("")
	if client == nil {
		return nil, err
	}
	return client, err
}
