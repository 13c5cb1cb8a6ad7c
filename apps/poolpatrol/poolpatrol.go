// Package poolpatrol audits the vanpools of a commuter programme: it finds those
// that look misused, writes to the people concerned, waits, looks again, and
// brings what is to be decided before a person.
//
// This package touches the world; the folders below it only compute. Records come
// in by import (import.go) and are what people and audits read (read.go,
// snapshot.go). A pass (pass.go, look.go) looks at every van: it pins a snapshot
// of the records, asks the specialists of package audit, and writes down what they
// found; its workflow is in workflow.go. No model is asked about a van with which
// nothing is wrong. A van that fails gets a case (caseopen.go), which lives as
// package lifecycle says (workflow_case.go, casework.go, casestep.go), notices in the record what has
// happened to it (casegather.go), and asks people through tools (casetools.go).
//
// Read New for what it adds to Gavel, then pass.go, then workflow_case.go. docs/design/poolpatrol.md has
// the reasons.
package poolpatrol

import (
	"context"
	"embed"
	"log/slog"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
)

// Name is the application's: its addresses, its task queue, the log.
const Name = "poolpatrol"

// The acts of the application.
const (
	actRead   = "poolpatrol.records.read"
	actChange = "poolpatrol.records.change"
	actAudit  = "poolpatrol.audit.run"
	actTry    = "poolpatrol.policy.try"

	actSettings = "poolpatrol.settings.change"
	actStaff    = "poolpatrol.staff.read"
)

func acts() []policy.Act {
	return []policy.Act{
		{Name: actRead, Words: "read the records of the vanpool programme", Reads: true},
		{Name: actChange, Words: "import or change the records of the vanpool programme"},
		{Name: actAudit, Words: "have the vanpools audited", Persons: true},
		{Name: actTry, Words: "try other rules on the vanpools", Persons: true, Reads: true},
		{Name: actStaff, Words: "read the staff records of the vanpool programme back, by SCIM", Reads: true},
		{Name: actSettings, Words: "set up the vanpool programme and when it audits by itself", Persons: true},
	}
}

//go:embed policies
var policies embed.FS

// New is everything Pool Patrol adds to Gavel.
func New() platform.App {
	a := &app{}
	return platform.App{
		Name: Name, Title: "Pool Patrol", Settings: settings(), Open: a.open,
		Cases: casefile.Kind{App: Name, RefPrefix: "CASE", Hex: true, Workflow: CaseName, OwnEnd: true},
		Work: durable.Work{App: Name, Activities: []any{&Steps{a}},
			Workflows: []durable.Workflow{{Name: PassName, Func: PassWorkflow}, {Name: CaseName, Func: CaseWorkflow}, {Name: CalendarName, Func: CalendarWorkflow}}},
		Acts: acts(), Sources: []evidence.Source{auditSource()}, Policies: platform.Folder(policies, "policies"), Tools: slices.Concat(a.tools(), a.lookUps()), Agents: a.agents(),
		CaseParts: []console.Part{a.part(), a.vanPart(), a.answersPart()}, Routes: a.routes, API: a.api(), Nav: nav(), Messages: messages(), Commands: commands,
		Demo: demo(), Evals: a.evals(), Migrations: []postgres.MigrationSet{Migrations()}, Erasers: []seal.Eraser{Eraser()}, Retention: Retention(), Purge: Purge,
	}
}

// An app is Pool Patrol once it has been told what it stands on.
type app struct {
	store    *Store
	roads    *Roads
	shelf    shelf // the book of the newest pass here
	cases    *casefile.Store
	reviews  *review.Store
	calls    *agent.Calls
	post     *notify.Post    // nil: no mail goes out
	keys     durable.Keys    // seal the addresses of riders' pages
	public   string          // where this server is; empty: riders have no pages
	evidence *evidence.Store // nil: cases keep no evidence
	runs     *agent.Store
	routed   func(route string) bool // whether agents of a route have a model
	log      *slog.Logger
}

func (a *app) open(d platform.Deps) error {
	var router Router
	if address := d.Settings[settingRouter]; address != "" {
		var err error
		if router, err = NewRouter(address); err != nil {
			return err
		}
	}
	a.store = NewStore(StoreConfig{DB: d.DB, Clock: d.Clock, Rules: d.Rules, Cases: d.Cases})
	a.roads, a.log = NewRoads(d.DB, router), d.Logger
	a.cases, a.reviews, a.calls, a.post = d.Cases, d.Reviews, d.Calls, d.Post
	a.keys, a.public, a.runs, a.routed, a.evidence = d.Keys, d.Public, d.Runs, d.Routed, d.Evidence
	if a.post == nil && d.Logger != nil {
		d.Logger.Warn("no mail goes out from here: riders of vans that fail are put before a person instead")
	}
	return nil
}

// roadsFor is what is known of the roads that an audit of these vans would ask
// about. Where the router fails, the check goes by its estimate and says so.
func (a *app) roadsFor(ctx context.Context, org identity.Org, book *fleet.Book, at time.Time) (location.Roads, error) {
	found, err := a.roads.For(ctx, org, at, audit.Ways(book, at, audit.Standard().Location))
	if err != nil {
		return nil, err
	}
	if found.Fault != nil {
		a.log.WarnContext(ctx, "the router fails; distances are estimated", slog.Any("error", found.Fault), slog.Int("ways", found.Unanswered))
	}
	return found, nil
}
