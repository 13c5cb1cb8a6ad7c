package page

import (
	"net/http"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/web"
)

// failedOnHome is how many vans that failed the first page lists.
const failedOnHome = 10

// A homeView is the programme at a glance.
type homeView struct {
	syncs []record.Sync
	last  lastView
	gaps  int

	dash     store.Dashboard
	schedule store.Schedule
}

// A lastView is the newest pass and what it found.
type lastView struct {
	pass    *store.Pass // nil where there was none
	job     job.Job     // of it
	tallies []store.CheckTally
	runs    []store.Run // the first that failed
	sites   map[fleet.VanpoolID]record.SiteName
	ready   bool // the records are fresh enough to audit
}

// home is the first page of the programme.
func (g *Pages) home(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	var v homeView
	if v.syncs, err = g.store.Syncs(r.Context(), actor); err != nil {
		return err
	}
	if v.gaps, err = g.store.GapCount(r.Context(), actor); err != nil {
		return err
	}
	if v.last, err = g.readLast(r, actor, v.syncs); err != nil {
		return err
	}
	if v.dash, err = g.store.Dashboard(r.Context(), actor); err != nil {
		return err
	}
	if v.schedule, err = g.store.Schedule(r.Context(), actor); err != nil {
		return err
	}
	p := g.headed(r, "pool.title")
	return g.site.Render(w, r, http.StatusOK, p, homeScreen(p, v))
}

// homeLast is the newest pass alone, when notices say that one moved.
func (g *Pages) homeLast(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	syncs, err := g.store.Syncs(r.Context(), actor)
	if err != nil {
		return err
	}
	last, err := g.readLast(r, actor, syncs)
	if err != nil {
		return err
	}
	p := g.headed(r, "pool.title")
	return g.site.Region(w, r, p, last.region(p))
}

func (g *Pages) readLast(r *http.Request, actor identity.Actor, syncs []record.Sync) (v lastView, err error) {
	v.ready = len(tooOld(syncs)) == 0
	newest, _, err := g.store.Passes(r.Context(), actor, "", 1)
	if err != nil || len(newest) == 0 {
		return v, err
	}
	v.pass = &newest[0]
	if v.job, err = g.store.PassJobOf(r.Context(), actor, v.pass.ID); err != nil {
		return v, err
	}
	if v.tallies, err = g.store.PassTallies(r.Context(), actor, v.pass.ID); err != nil {
		return v, err
	}
	v.runs, _, err = g.store.Runs(r.Context(), actor, store.RunQuery{Pass: v.pass.ID, Outcome: audit.Failed, Limit: failedOnHome})
	if err != nil {
		return v, err
	}
	v.sites, err = g.store.VanSites(r.Context(), actor, v.runs)
	return v, err
}

// region hears of every pass, so that one somebody else starts appears.
func (v lastView) region(p *web.Page) web.Region {
	return web.Region{ID: "last", Object: store.PassJob.Live("*"), Src: homeAt + "/last", Announce: true, Body: lastScreen(p, v)}
}

// after is what the form says it knew, so that pressed twice it starts one pass.
func (v lastView) after() string {
	if v.pass == nil {
		return "none"
	}
	return v.pass.ID
}

// asks is where somebody is asked before another pass begins; empty where none can.
func (v lastView) asks(p *web.Page) string {
	if !v.ready || v.running() {
		return ""
	}
	return p.Href(newPassAt)
}

func (v lastView) running() bool { return v.pass != nil && v.pass.State == job.Running }

// judgedOn are the kinds of record without which nobody is audited.
var judgedOn = []intake.Kind{intake.Employees, intake.Vanpools}

// tooOld are the kinds that keep an audit from beginning: never there, or too old.
func tooOld(all []record.Sync) []record.Sync {
	var out []record.Sync
	for _, y := range all {
		for _, k := range judgedOn {
			if y.Kind == k && !y.Fresh {
				out = append(out, y)
			}
		}
	}
	return out
}

// nothingYet reports whether no records ever came.
func nothingYet(all []record.Sync) bool {
	for _, y := range all {
		if !y.At.IsZero() {
			return false
		}
	}
	return true
}

// syncLook is the badge of how old records are.
func syncLook(y record.Sync) (class, icon, word string) {
	switch {
	case y.At.IsZero():
		return "plain", "ring", "never"
	case y.Fresh:
		return "ok", "check", "fresh"
	}
	return "warn", "stale", "old"
}
