// Package airshed answers whose smoke it is, when the air at Delhi's border turns bad: with
// fires, wind, a range and the custody of every byte, and with "inconclusive" where that is
// the truth.
//
// This file is the table of contents. Each room is a folder: page (what people see), rest
// (addresses under /v1/airshed), cli (commands), casework (what follows from what: survey
// looks at the air, ingest brings data in, filing works the case and its report), outside
// (clients of services beyond our walls), store (the tables and every question put to them).
//
// The folders under rule compute and touch nothing: aqi (the index), surge (episodes), fire
// (detections), wind and plume (where air came from), seedmethod (the circle the first design
// drew, kept beside it), lawbook (what may be cited), origin (where data comes from), feed
// (what the services outside say), lake (everything of one moment in one file), analysis (from
// that file to a finding), docket (what comes next in a case), report (what is filed), picture
// (what is drawn) and demo (a world that is made up).
//
// A file of the lake becomes a scan (casework/survey/look.go), a scan an episode with an answer
// (store/found.go), an episode a case with a draft (casework/filing/draft.go), and a draft that
// two officers approve a filing (casework/filing/filing.go).
package airshed

import (
	"embed"

	"github.com/gavelhq/gavel/apps/airshed/casework/filing"
	"github.com/gavelhq/gavel/apps/airshed/casework/ingest"
	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/cli"
	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/page"
	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/setting"
)

//go:embed policies
var policies embed.FS

//go:embed demo
var demoFiles embed.FS

// New is everything Airshed adds to Gavel.
func New() platform.App {
	kept := store.New()
	surveyor := survey.New(kept)
	gatherer := ingest.New(kept, surveyor)
	clerk := filing.New(kept, surveyor)
	pages := page.New(kept, surveyor, gatherer, clerk)

	open := func(d platform.Deps) error {
		kept.Open(store.Config{DB: d.DB, Clock: d.Clock, Rules: d.Rules, Evidence: d.Evidence, Cases: d.Cases})
		clerk.Open(filing.Config{Cases: d.Cases, Reviews: d.Reviews, Calls: d.Calls, Runs: d.Runs, Post: d.Post, Routed: d.Routed,
			Public: d.Public, Commission: outside.OpenCommission(d.Settings), Log: d.Logger})
		pages.Open(d.PDF)
		if err := gatherer.Open(d.Settings); err != nil {
			return err
		}
		return surveyor.Open(d.Settings)
	}
	return platform.App{
		Name: store.Name, Title: "Airshed",
		Settings: outside.Settings(), OrgSettings: []setting.Kind{store.OfficeKind, store.MethodKind, kept.ThresholdKind()},
		Open: open, Begin: surveyor.Begin,
		Cases: store.Cases(), Acts: store.Acts(), Policies: platform.Folder(policies, "policies"),
		Work: durable.Work{App: store.Name, Activities: []any{surveyor.Steps(), gatherer.Steps(), clerk.Steps()},
			Workflows: []durable.Workflow{
				{Name: store.ScanName, Func: survey.ScanWorkflow}, {Name: store.IngestName, Func: ingest.Workflow},
				{Name: store.WatchName, Func: survey.WatchWorkflow}, {Name: store.CaseName, Func: filing.CaseWorkflow},
			}},
		Jobs:    []job.Kind{store.ScanJob, store.IngestJob},
		Sources: store.Sources(), Migrations: []postgres.MigrationSet{store.Migrations()},
		Tools: clerk.Tools(), Agents: clerk.Agents(), CaseParts: []console.Part{pages.CasePart()},
		API:    []api.Part{rest.New(kept, surveyor, gatherer, clerk)},
		Search: store.Finds(), Routes: pages.Routes, Nav: page.Nav(), Messages: page.Messages(), Assets: frame.Assets(),
		Commands: cli.Commands, Demo: cli.Demo(platform.Folder(demoFiles, "demo")),
	}
}
