// Package casework is what Pool Patrol does by itself and what follows from what: a
// pass looks at every van (pass.go) and is settled (settle.go, open.go) into cases, and
// a case lives as package lifecycle says. It is woken (workflow.go, advance.go),
// notices in the record what has happened to it (gather.go), lets that happen (step.go,
// act.go, letters.go), does what is left (do.go), and asks people through tools
// (tools.go, args.go, bind.go) and agents through package mind (thought.go).
//
// Read workflow.go first: it has the procedures, in order.
package casework

import (
	"log/slog"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework/answer"
	"github.com/gavelhq/gavel/apps/poolpatrol/outside"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/review"
)

// Config is what the casework stands on.
type Config struct {
	DB       *postgres.DB
	Clock    durable.Clock
	Store    *store.Store
	Door     *answer.Door   // knows the addresses of riders' pages
	Router   outside.Router // nil: what is known of roads is used
	Cases    *casefile.Store
	Reviews  *review.Store
	Calls    *agent.Calls
	Post     *notify.Post    // nil: no mail goes out
	Evidence *evidence.Store // nil: cases keep no evidence
	Runs     *agent.Store
	Routed   func(route string) bool // whether agents of a route have a model
	Log      *slog.Logger
}

// Work is the casework, once it has been told what it stands on.
type Work struct {
	db       *postgres.DB
	clock    durable.Clock
	store    *store.Store
	door     *answer.Door
	roads    *Roads
	shelf    shelf // the book of the newest pass here
	cases    *casefile.Store
	reviews  *review.Store
	calls    *agent.Calls
	post     *notify.Post
	evidence *evidence.Store
	runs     *agent.Store
	routed   func(route string) bool
	log      *slog.Logger
}

// Open tells the casework what it stands on. Before that it can only be listed.
func (a *Work) Open(c Config) {
	a.db, a.clock, a.store, a.door = c.DB, c.Clock, c.Store, c.Door
	a.roads, a.log = NewRoads(c.Store, c.Router), c.Log
	a.cases, a.reviews, a.calls, a.post = c.Cases, c.Reviews, c.Calls, c.Post
	a.evidence, a.runs, a.routed = c.Evidence, c.Runs, c.Routed
	if a.post == nil && a.log != nil {
		a.log.Warn("no mail goes out from here: a person decides about riders of vans that fail instead")
	}
}

// Steps are what the engine has done here.
func (a *Work) Steps() *Steps { return &Steps{a} }

func (a *Work) now() time.Time { return a.clock.Now().UTC().Truncate(time.Microsecond) }
