package crossing_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/casework/crossing"
	"github.com/gavelhq/gavel/apps/netra/casework/watch"
	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// A rig is a watcher and a clerk on a real database, with districts that are made up.
type rig struct {
	netratest.Rig

	watcher *watch.Watcher
	clerk   *crossing.Clerk
}

func newRig(t *testing.T, districts int) rig {
	t.Helper()
	r := rig{Rig: netratest.NewOffice(t)}
	r.watcher, r.clerk = watch.New(r.Store, casework.New(r.Store)), crossing.New(r.Store)
	r.App.Tools = r.clerk.Tools()
	d := r.Ask(t).Deps
	r.watcher.Open(d.Logger)
	r.clerk.Open(crossing.Config{Reviews: d.Reviews, Calls: d.Calls, Log: d.Logger})
	r.Know(t, districts)
	return r
}

// hear brings n riots of a district in, spread over half an hour that ends at a moment.
func (r rig) hear(t *testing.T, lgd, n, severity int, at time.Time, sources ...string) {
	t.Helper()
	if len(sources) == 0 {
		sources = []string{"desk"}
	}
	var all []signal.Signal
	for i := range n {
		all = append(all, signal.Signal{ID: fmt.Sprintf("s-%d-%d-%d", lgd, at.UnixNano(), i), Source: sources[i%len(sources)],
			SourceType: "news", Type: signal.Riot,
			At: at.Add(-time.Duration(i) * time.Minute).Truncate(time.Microsecond), LGD: lgd, Severity: severity,
			Polarity: signal.Escalatory, Geo: 1, Layers: signal.Layers(), Summary: "Stones thrown at a market", Sources: 1})
	}
	part := store.Part{Name: "test", Feed: "ndjson", Lines: n, Signals: all}
	if _, err := r.Store.Take(t.Context(), netratest.Person(identity.Analyst), part); err != nil {
		t.Fatal(err)
	}
}

// look looks at all districts as of a moment.
func (r rig) look(t *testing.T, at time.Time) watch.Seen {
	t.Helper()
	seen, err := r.watcher.Look(t.Context(), postgrestest.North, at, false)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// one is the newest crossing.
func (r rig) one(t *testing.T) store.Alert {
	t.Helper()
	all, err := r.Store.Alerts(t.Context(), netratest.Person(identity.Officer), store.AlertQuery{Limit: 1})
	if err != nil || len(all) == 0 {
		t.Fatal("no district has crossed", err)
	}
	return all[0]
}

// advance does what comes next in a case.
func (r rig) advance(t *testing.T, id casefile.CaseID, at time.Time) crossing.Standing {
	t.Helper()
	now, err := r.clerk.Steps().Advance(t.Context(), casefile.Input{Org: postgrestest.North, Case: id, Clock: r.Store.Clock()}, at)
	if err != nil {
		t.Fatal(err)
	}
	return now
}
