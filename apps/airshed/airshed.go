package airshed

import (
	"embed"
	"log/slog"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/pdf"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// Name is the application's: its addresses, its task queue, the log.
const Name = "airshed"

// The acts of the application.
const (
	actRead = "airshed.episodes.read"
	actScan = "airshed.lake.scan"

	actNotice   = "airshed.lake.notify"
	actSchedule = "airshed.schedule.change"

	actAsk    = "airshed.report.ask"
	actOffice = "airshed.office.change"
)

func acts() []policy.Act {
	return []policy.Act{
		{Name: actRead, Words: "read what scans of the air found", Reads: true},
		{Name: actScan, Words: "have the air looked at, or hand a file of it in"},
		{Name: actNotice, Words: "tell of new objects in the data lake"},
		{Name: actSchedule, Words: "pause or resume looking at the data lake by itself", Persons: true},
		{Name: actAsk, Words: "have a report drafted anew or put before officers again", Persons: true},
		{Name: actOffice, Words: "say where notices to states go", Persons: true},
	}
}

//go:embed policies
var policies embed.FS

// New is everything Airshed adds to Gavel.
func New() platform.App {
	a := &app{shelf: newShelf()}
	return platform.App{
		Name: Name, Title: "Airshed", Settings: settings(), Open: a.open, Begin: a.begin, Cases: cases(), Acts: append(acts(), sourceActs()...), Policies: platform.Folder(policies, "policies"),
		Work:    durable.Work{App: Name, Activities: []any{&Steps{a}, &IngestSteps{a}}, Workflows: []durable.Workflow{{Name: ScanName, Func: ScanWorkflow}, {Name: IngestName, Func: IngestWorkflow}, {Name: WatchName, Func: WatchWorkflow}, {Name: CaseName, Func: CaseWorkflow}}},
		Sources: append(Sources(), analysisSource(), referenceSource(), reportSource()), Migrations: []postgres.MigrationSet{Migrations()},
		Tools: []tool.Tool{a.readTool(), a.sendTool(), a.noticeTool()}, Agents: a.agents(), CaseParts: []console.Part{a.reportPart()}, API: a.api(), Routes: a.routes, Nav: nav(), Messages: messages(), Commands: commands, Demo: demo(),
	}
}

// An app is Airshed once it has been told what it stands on.
type app struct {
	store    *Store
	lake     *Lake        // nil: there is none
	lakeOf   identity.Org // whose it is
	shelf    *shelf
	services services
	album    album

	cases      *casefile.Store
	reviews    *review.Store
	calls      *agent.Calls
	runs       *agent.Store
	post       *notify.Post            // nil: no mail goes out
	routed     func(route string) bool // whether agents of a route have a model
	public     string                  // where this server is; may be empty
	commission commission
	paper      *pdf.Printer // nil: nothing is printed
	log        *slog.Logger
}

func (a *app) open(d platform.Deps) error {
	a.store = NewStore(StoreConfig{DB: d.DB, Clock: d.Clock, Rules: d.Rules, Evidence: d.Evidence, Cases: d.Cases})
	a.cases, a.reviews, a.calls, a.runs, a.post, a.routed, a.public, a.log = d.Cases, d.Reviews, d.Calls, d.Runs, d.Post, d.Routed, d.Public, d.Logger
	a.commission, a.paper = openCommission(d), d.PDF
	var err error
	if a.services, err = openServices(d); err != nil {
		return err
	}
	return a.openLake(d)
}
