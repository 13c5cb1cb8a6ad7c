package airshed

import (
	"embed"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

// Name is the application's: its addresses, its task queue, the log.
const Name = "airshed"

// The acts of the application.
const (
	actRead = "airshed.episodes.read"
	actScan = "airshed.lake.scan"
)

func acts() []policy.Act {
	return []policy.Act{
		{Name: actRead, Words: "read what scans of the air found", Reads: true},
		{Name: actScan, Words: "have the air looked at, or hand a file of it in"},
	}
}

//go:embed policies
var policies embed.FS

// New is everything Airshed adds to Gavel.
func New() platform.App {
	a := &app{shelf: newShelf()}
	return platform.App{
		Name: Name, Title: "Airshed", Settings: settings(), Open: a.open, Acts: acts(), Policies: platform.Folder(policies, "policies"),
		Work:    durable.Work{App: Name, Activities: []any{&Steps{a}}, Workflows: []durable.Workflow{{Name: ScanName, Func: ScanWorkflow}}},
		Sources: append(Sources(), analysisSource()), Migrations: []postgres.MigrationSet{Migrations()}, API: a.api(), Commands: commands,
	}
}

// An app is Airshed once it has been told what it stands on.
type app struct {
	store  *Store
	lake   *Lake        // nil: there is none
	lakeOf identity.Org // whose it is
	shelf  *shelf
}

func (a *app) open(d platform.Deps) error {
	a.store = NewStore(StoreConfig{DB: d.DB, Clock: d.Clock, Rules: d.Rules, Evidence: d.Evidence})
	return a.openLake(d)
}
