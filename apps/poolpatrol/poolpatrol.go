// Package poolpatrol audits the vanpools of a commuter programme: it finds those
// that look misused, writes to the people concerned, waits, looks again, and
// brings what is to be decided before a person.
//
// It is laid out in rooms, and this file is their table of contents:
//
//   - rule/… only computes: fleet is the words, audit asks the specialists (shift,
//     location, occupancy, badge, parking) about a van, lifecycle says what happens to
//     a case next, post words letters.
//   - store keeps: the records that come in by import (store/record), passes with what
//     they read and found, cases, settings; its migrations, erasure and retention.
//   - outside asks servers beyond our walls how far it is by road.
//   - casework is what follows from what: a pass looks at every van, pins what it reads
//     and writes down what the specialists found; a van that fails gets a case, which
//     notices in the record what has happened to it and asks people through tools.
//     casework/mind is its agents, casework/answer the page of who was written to.
//     No model is asked about a van with which nothing is wrong.
//   - page, rest and cli are its faces: for people, programs and terminals.
//
// Read New, then casework/workflow.go, which has the procedures. docs/design/poolpatrol.md has the reasons.
package poolpatrol

import (
	"embed"
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework"
	"github.com/gavelhq/gavel/apps/poolpatrol/casework/answer"
	"github.com/gavelhq/gavel/apps/poolpatrol/casework/mind"
	"github.com/gavelhq/gavel/apps/poolpatrol/cli"
	"github.com/gavelhq/gavel/apps/poolpatrol/evals"
	"github.com/gavelhq/gavel/apps/poolpatrol/outside"
	"github.com/gavelhq/gavel/apps/poolpatrol/page"
	"github.com/gavelhq/gavel/apps/poolpatrol/rest"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/web"
)

// Name is the application's: its addresses, its task queue, the log.
const Name = programme.Name

//go:embed policies demo
var files embed.FS

// New is everything Pool Patrol adds to Gavel.
func New() platform.App {
	r := newRooms()
	return platform.App{
		Name: Name, Title: "Pool Patrol", Settings: outside.Settings(), Open: r.open,
		OrgSettings: []setting.Kind{r.store.OfficeKind(), r.store.TermsKind()},
		Cases:       casefile.Kind{App: Name, RefPrefix: "CASE", Hex: true, Workflow: casework.CaseName, OwnEnd: true},
		Work:        durable.Work{App: Name, Activities: []any{r.work.Steps()}, Workflows: casework.Workflows()},
		Jobs:        []job.Kind{store.PassJob},
		Acts:        programme.Acts(), Policies: platform.Folder(files, "policies"), Sources: []evidence.Source{casework.AuditSource()},
		Tools:  slices.Concat(r.work.Tools(), r.mind.LookUps(), []tool.Tool{casework.TermsTool(r.store.TermsKind())}),
		Agents: r.mind.Agents(), Evals: measures(r.mind), Gate: evals.Gate(),
		CaseParts: r.page.Parts(), Search: store.Finds(), Routes: r.routes, Nav: page.Nav(), Messages: page.Messages(),
		API: rest.Parts(r.store), Commands: cli.Commands, Demo: cli.Demo(platform.Folder(files, "demo")),
		Migrations: []postgres.MigrationSet{store.Migrations()}, Erasers: []seal.Eraser{store.Eraser()},
		Retention: store.Retention(), Purge: store.Purge,
	}
}

// rooms are the application's, which are told what they stand on when it is opened.
type rooms struct {
	store  *store.Store
	door   *answer.Door
	mind   *mind.Mind
	work   *casework.Work
	page   *page.Pages
	public string // where this server is
}

func newRooms() *rooms {
	r := &rooms{store: &store.Store{}, door: &answer.Door{}, mind: &mind.Mind{}, work: &casework.Work{}}
	r.page = page.New(r.store, r.work, r.door)
	return r
}

func (r *rooms) open(d platform.Deps) error {
	router, err := outside.Open(d.Settings)
	if err != nil {
		return err
	}
	r.public = d.Public
	r.store.Open(store.Config{DB: d.DB, Clock: d.Clock, Rules: d.Rules, Cases: d.Cases})
	r.door.Open(answer.Config{DB: d.DB, Clock: d.Clock, Cases: d.Cases, Keys: d.Keys, Public: d.Public})
	r.mind.Open(d.DB)
	r.work.Open(casework.Config{DB: d.DB, Clock: d.Clock, Store: r.store, Door: r.door, Router: router, Cases: d.Cases, Reviews: d.Reviews,
		Calls: d.Calls,
		Post:  d.Post, Evidence: d.Evidence, Runs: d.Runs, Routed: d.Routed, Log: d.Logger})
	return nil
}

func (r *rooms) routes(m *web.Mux) {
	r.page.Routes(m)
	rest.Provision(m, r.store, r.public)
}
