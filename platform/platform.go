// Package platform says what an application is to Gavel, and gathers what all
// of them stand on.
//
// An application is one folder under apps and one line in cmd/gavel/main.go, or a module
// of its own. It hands over an App; the platform never imports it back.
package platform

import (
	"context"
	"embed"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/ask"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/console"
	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/eval"
	"github.com/gavelhq/gavel/platform/eval/experiment"
	"github.com/gavelhq/gavel/platform/event"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/operation"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/recovery"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/search"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/timetable"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/web"
)

// An App is one application: everything it adds to Gavel, in one value. A field
// left out means that it adds nothing of that kind.
type App struct {
	Name, Title string           // Name is short and stable: addresses, task queues, the log
	Settings    []Setting        // what it wants to be told at start, by the installation
	OrgSettings []setting.Kind   // what each organisation sets for itself, in versions
	Open        func(Deps) error // is told what it stands on, before a workflow or a request of it begins
	Cases       casefile.Kind    // how its cases are named and who works them
	Work        durable.Work     // its workflows and activities
	Jobs        []job.Kind       // long work that people ask for, and can call off
	Proposals   []review.Kind    // kinds of proposal that are no call of a tool, each named after the application
	Agents      []agent.Spec     // job descriptions, each with this application's name
	Tools       []tool.Tool      // what its agents can do besides talk
	Masks       bool             // personal data is masked in what its agents, and questions about its cases, tell a model
	Policies    fs.FS            // .cedar files: who may call what, and in the folder acts who may do what; nil refuses everything
	Acts        []policy.Act     // what its pages and addresses need, each named after it: "poolpatrol.van.read"
	Routes      func(*web.Mux)   // pages, mounted under /Name/
	API         []api.Part       // addresses under /v1/Name/, in the document with all others
	Nav         []web.NavItem    // lines of the navigation
	Messages    fs.FS            // text of its pages, by language; nil where it has none
	// files of its pages, kept for ever by their hash; those under css are parts of the stylesheet; nil where it has none
	Assets fs.FS
	// Announce tells open pages which of its things have moved, for records that the log has just taken in; nil where its pages
	// listen to cases, runs, proposals and jobs alone.
	Announce   audit.Announcer
	Commands   func(Terminal) []*cobra.Command
	CaseParts  []console.Part          // what the page of its cases shows besides what every case has
	Search     []search.Source         // what of it people find by name and id, in the box of every page
	Migrations []postgres.MigrationSet // its own schema
	Sources    []evidence.Source       // where its data comes from
	Checks     []doctor.Check
	Evals      []eval.Set           // what it is measured on
	Gate       []byte               // what it demands of itself on those before a release, as JSON; nil where nothing
	Demo       *Demo                // its part of a demonstration; nil where it has none
	Erasers    []seal.Eraser        // blank what its own tables say about a person
	Retention  []postgres.Retention // what of it is kept how long
	// Purge deletes what was kept its time, of every organisation, and says how many
	// rows that was; nil where nothing is.
	Purge func(ctx context.Context, sys *postgres.System, now time.Time) (int64, error)
	// Begin begins what it does by itself; nil where there is nothing. Every worker calls it
	// at its start, once the database answers, and again until it works: what runs already
	// it leaves alone.
	Begin func(ctx context.Context) error
}

// Folder is a folder of an application that is compiled in: its policies, its texts.
func Folder(files embed.FS, name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // only for an invalid name, and an application's are constants
	}
	return sub
}

// Migrations lists every set of the platform in the order they build on each
// other, and those of the applications after them.
func Migrations(apps ...App) []postgres.MigrationSet {
	sets := []postgres.MigrationSet{outbox.Migrations(), audit.Migrations(), casefile.Migrations(),
		job.Migrations(), timetable.Migrations(), setting.Migrations(), act.Migrations(), review.Migrations(), seal.Migrations(),
		evidence.Migrations(), agent.Migrations(), idempotency.Migrations(), operation.Migrations(), event.Migrations(),
		signin.Migrations(), concern.Migrations(), notify.Migrations(), inbound.Migrations(), search.Migrations(), ask.Migrations(),
		hook.Migrations(), recovery.Migrations(), experiment.Migrations()}
	for _, a := range apps {
		sets = append(sets, a.Migrations...)
	}
	return sets
}

// Erasers lists every eraser of the platform and those of the applications after
// them, in the order they are run: proposals and acts are locked before cases, as
// package review says.
func Erasers(apps ...App) []seal.Eraser {
	all := []seal.Eraser{agent.Eraser(), casefile.Eraser(), evidence.Eraser(), setting.Eraser(), signin.Eraser(), idempotency.Eraser(),
		operation.Eraser(), concern.Eraser(), notify.Eraser(), inbound.Eraser(), ask.Eraser(), hook.Eraser()}
	for _, a := range apps {
		all = append(all, a.Erasers...)
	}
	return all
}
