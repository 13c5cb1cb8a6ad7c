// Package netra says of each district how much is going on there, in three layers and one number whose points are accounted for, and says
// when it does not know.
//
// This file is the table of contents. Each room is a folder: rest (addresses under /v1/netra), cli (commands), casework (a feed becomes
// signals, signals become scores; in its folders, watch looks at all districts, crossing works the case of one that crossed into a band,
// analyst answers questions and writes briefings, correction takes what a district says is wrong), store (the tables and every question
// put to them), page (what people read). What only computes is under rule: signal (what a report weighs), gazette (which districts there
// are), feed (what sources publish), gate (what may come in), bucket (sums from which every window follows), score (profiles, layers,
// bands), reason (why, in words), brief (what a briefing says, and what of a model's words may stand in it), alert (when a case opens and
// ends), validate (what scores were worth afterwards).
package netra

import (
	"embed"
	"slices"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/casework/analyst"
	"github.com/gavelhq/gavel/apps/netra/casework/correction"
	"github.com/gavelhq/gavel/apps/netra/casework/crossing"
	"github.com/gavelhq/gavel/apps/netra/casework/watch"
	"github.com/gavelhq/gavel/apps/netra/cli"
	"github.com/gavelhq/gavel/apps/netra/evals"
	"github.com/gavelhq/gavel/apps/netra/page"
	"github.com/gavelhq/gavel/apps/netra/rest"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/web"
)

//go:embed policies
var policies embed.FS

//go:embed demo
var files embed.FS

// New is everything NE-NETRA adds to Gavel.
func New() platform.App {
	kept := store.New()
	desk := casework.New(kept)
	watcher, clerk, words := watch.New(kept, desk), crossing.New(kept), analyst.New(kept, desk)
	corrector := correction.New(kept, desk)
	answers, pages := rest.New(kept, desk, words, corrector), page.New(kept, desk, words, corrector)
	open := func(d platform.Deps) error {
		kept.Open(store.Config{DB: d.DB, Clock: d.Clock, Rules: d.Rules, Cases: d.Cases, Kept: d.Evidence})
		watcher.Open(d.Logger)
		words.Open(d.Routed)
		corrector.Open(correction.Config{Reviews: d.Reviews, Calls: d.Calls})
		clerk.Open(crossing.Config{Others: map[string]crossing.Other{store.BriefingCase: words, store.CorrectionCase: corrector},
			Reviews: d.Reviews, Calls: d.Calls, Log: d.Logger})
		answers.Open(d.Settings)
		return nil
	}
	return platform.App{
		Name: store.Name, Title: "NE-NETRA", Settings: rest.Settings(), Open: open, Acts: store.Acts(),
		OrgSettings: []setting.Kind{store.LimitsKind, store.ShutdownKind}, Cases: store.Cases(), Sources: store.Sources(),
		Tools: slices.Concat(clerk.Tools(), words.Tools(), corrector.Tools()), Agents: words.Agents(), Masks: true,
		Work: durable.Work{App: store.Name, Activities: []any{watcher.Steps(), clerk.Steps()},
			Workflows: []durable.Workflow{{Name: store.WatchName, Func: watch.Workflow}, {Name: store.CaseName, Func: crossing.Workflow}}},
		Policies: platform.Folder(policies, "policies"), Migrations: []postgres.MigrationSet{store.Migrations()},
		Erasers: []seal.Eraser{store.Eraser()}, Evals: measures(words), Gate: evals.Gate(),
		API: []api.Part{answers}, Nav: page.Nav(), Messages: page.Messages(), Assets: page.Assets(), Commands: cli.Commands,
		Routes:    func(m *web.Mux) { answers.Routes(m); pages.Routes(m) },
		Retention: store.Retention(), Purge: store.Purge, Demo: cli.Demo(platform.Folder(files, "demo")),
	}
}
