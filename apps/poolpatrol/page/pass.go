package page

import (
	"net/http"
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

// passAddress is the page of a pass, or what lies under it.
func passAddress(id, under string) string { return passesAt + "/" + id + under }

// A passList is a page of passes, the newest first.
type passList struct {
	all    []store.Pass
	before string // where the page begins; empty for the newest
	next   string
}

// passes is the page of all passes.
func (g *Pages) passes(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	l := passList{before: r.URL.Query().Get("before")}
	if l.all, l.next, err = g.store.Passes(r.Context(), actor, l.before, perPage); err != nil {
		return err
	}
	p := g.headed(r, "pool.passes")
	return g.site.Render(w, r, http.StatusOK, p, passesScreen(p, l))
}

// newPassAt is where somebody is asked before every van is audited.
const newPassAt = passesAt + "/new"

// A passAsk is what an audit of every van would lead to, before it is asked for.
type passAsk struct {
	after    string         // the newest pass that the page knows
	forecast store.Forecast // zero where fault says why there is none
	running  bool
	fault    error
}

// askPass asks before every van is audited, with what would follow.
func (g *Pages) askPass(w http.ResponseWriter, r *http.Request) error {
	return g.showAsk(w, r, http.StatusOK, nil)
}

// showAsk shows what would follow, and why it was not begun where somebody has tried.
func (g *Pages) showAsk(w http.ResponseWriter, r *http.Request, status int, refused error) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	newest, _, err := g.store.Passes(r.Context(), actor, "", 1)
	if err != nil {
		return err
	}
	last := lastView{}
	if len(newest) > 0 {
		last.pass = &newest[0]
	}
	v := passAsk{after: last.after(), running: last.running(), fault: refused}
	if v.fault == nil {
		if v.forecast, v.fault = g.store.Forecast(r.Context(), actor); v.fault != nil && !mends(v.fault) {
			return v.fault
		}
	}
	p := g.headed(r, "pool.ask.title")
	return g.site.Render(w, r, status, p, passAskScreen(p, v))
}

// startPass has every van audited and leads to the pass. The form names the
// newest pass its page knew: sent twice, or by two people at once, it is one pass.
func (g *Pages) startPass(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	after := r.PostForm.Get("after")
	if len(after) > 40 || web.Plain(after) != nil {
		return fault.New(fault.Invalid, "the form does not say which pass was the newest").WithNext("open the page again").
			Because("form_stale")
	}
	started, _, err := g.store.StartPass(r.Context(), actor, store.Asked, "page:after:"+after)
	if err != nil {
		if !mends(err) {
			return err
		}
		return g.showAsk(w, r, web.Status(fault.KindOf(err)), err)
	}
	http.Redirect(w, r, g.site.Page(r).Href(passAddress(started.ID, "")), http.StatusSeeOther)
	return nil
}

// A passView is one pass with a page of what it found.
type passView struct {
	store.Pass
	job     job.Job
	tallies []store.CheckTally
	outcome audit.Outcome // that the runs are narrowed to
	after   string
	runs    []store.Run
	sites   map[fleet.VanpoolID]record.SiteName
	next    string
}

// pass is the page of one pass.
func (g *Pages) pass(w http.ResponseWriter, r *http.Request) error {
	v, err := g.readPass(r)
	if err != nil {
		return err
	}
	p := g.page(r, v.ID)
	return g.site.Render(w, r, http.StatusOK, p, passScreen(p, v))
}

// passResults is the part of it that moves by itself.
func (g *Pages) passResults(w http.ResponseWriter, r *http.Request) error {
	v, err := g.readPass(r)
	if err != nil {
		return err
	}
	p := g.page(r, v.ID)
	return g.site.Region(w, r, p, v.region(p))
}

func (g *Pages) readPass(r *http.Request) (v passView, err error) {
	actor, err := whoAsks(r)
	if err != nil {
		return v, err
	}
	q := r.URL.Query()
	v.outcome, v.after = audit.Failed, q.Get("after")
	if o := audit.Outcome(q.Get("outcome")); o != "" {
		if !slices.Contains(outcomes(), o) {
			return v, fault.New(fault.Invalid, "no audit ends as %.20q", o).WithNext("use failed, error or verified").
				Because("no_choice", "value", string(o))
		}
		v.outcome = o
	}
	if err := web.Plain(v.after, r.PathValue("id")); err != nil {
		return v, err
	}
	if v.Pass, err = g.store.Pass(r.Context(), actor, r.PathValue("id")); err != nil {
		return v, err
	}
	if v.job, err = g.store.PassJobOf(r.Context(), actor, v.ID); err != nil {
		return v, err
	}
	if v.tallies, err = g.store.PassTallies(r.Context(), actor, v.ID); err != nil {
		return v, err
	}
	return v, g.readRuns(r, actor, &v)
}

func (g *Pages) readRuns(r *http.Request, actor identity.Actor, v *passView) (err error) {
	v.runs, v.next, err = g.store.Runs(r.Context(), actor, store.RunQuery{Pass: v.ID, Outcome: v.outcome, After: v.after, Limit: perPage})
	if err != nil {
		return err
	}
	v.sites, err = g.store.VanSites(r.Context(), actor, v.runs)
	return err
}

// outcomes are how an audit ends, in the order people look at them.
func outcomes() []audit.Outcome {
	return []audit.Outcome{audit.Failed, audit.Errored, audit.Verified}
}

func (v passView) region(p *web.Page) web.Region {
	return web.Region{ID: "results", Object: store.PassJob.Live(v.ID), Announce: v.State == job.Running,
		Src: v.address("/results", v.after), Body: passResultsBody(p, v)}
}

// address is a page of the runs under the same filter.
func (v passView) address(under, after string) string {
	outcome := string(v.outcome)
	if v.outcome == audit.Failed {
		outcome = ""
	}
	return web.Address(passAddress(v.ID, under), "outcome", outcome, "after", after)
}

// tabs lead to the vans of one outcome.
func (v passView) tabs(p *web.Page) []ui.Tab {
	var all []ui.Tab
	for _, o := range outcomes() {
		n := v.Of(o)
		_, icon, word := outcomeLook(o)
		all = append(all, ui.Tab{Text: p.T("pool.outcome." + word), Icon: icon, Count: &n, Here: o == v.outcome,
			Href: p.Href(passView{Pass: v.Pass, outcome: o}.address("", ""))})
	}
	return all
}

// doingWords are what a pass is at.
func doingWords(p *web.Page, one store.Pass) string {
	if one.Planned == 0 {
		return p.T("pool.pinning")
	}
	return p.T("pool.progress", "done", numeral(one.Looked()), "all", numeral(one.Planned), "failed", numeral(one.Failed))
}

// passLook is the badge of a pass.
func passLook(s job.State) (class, icon, word string) {
	switch s {
	case job.Done:
		return "ok", "check", "done"
	case job.Refused:
		return "bad", "slash", "refused"
	}
	return "info", "clock", "running"
}
