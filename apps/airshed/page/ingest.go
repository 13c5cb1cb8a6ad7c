package page

import (
	"net/http"

	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/web"
)

// An ingestList is a page of ingests, the newest first.
type ingestList struct {
	all   []store.Ingest
	after string
	next  string
	lake  bool  // the organisation has one to write to
	fault error // why none was started
}

// newest is what the form says it knew, so that pressed twice it starts one ingest.
func (l ingestList) newest() string {
	if len(l.all) == 0 {
		return "none"
	}
	return l.all[0].ID
}

// running reports whether one is under way.
func (l ingestList) running() bool { return len(l.all) > 0 && l.all[0].State == job.Running }

// ingests is the page of all ingests.
func (g *Pages) ingests(w http.ResponseWriter, r *http.Request) error {
	return g.showIngests(w, r, http.StatusOK, nil)
}

func (g *Pages) showIngests(w http.ResponseWriter, r *http.Request, status int, refused error) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	l := ingestList{after: r.URL.Query().Get("after"), lake: g.surveyor.Watches(actor.Org), fault: refused}
	l.all, l.next, err = list.Part(l.after, frame.PerPage, store.Ingest.ListedAt, func(from list.Cursor, most int) ([]store.Ingest, error) {
		return g.Store.Ingests(r.Context(), actor, from, most)
	})
	if err != nil {
		return err
	}
	p := g.TitledPage(r, "air.ingests")
	return g.Site.Render(w, r, status, p, ingestsScreen(p, l))
}

// startIngest has the services asked and leads to the ingest.
func (g *Pages) startIngest(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	after := r.PostForm.Get("after")
	if after == "" || len(after) > 40 || web.Plain(after) != nil {
		return fault.New(fault.Invalid, "the form does not say which ingest was the newest").WithNext("open the page again").
			Because("form_stale")
	}
	i, err := g.gatherer.Start(r.Context(), actor, "page:after:"+after)
	if err != nil {
		if !mends(err) {
			return err
		}
		return g.showIngests(w, r, web.Status(fault.KindOf(err)), err)
	}
	http.Redirect(w, r, g.Site.Page(r).Href(frame.IngestAddress(i.ID, "")), http.StatusSeeOther)
	return nil
}

// An ingestView is one ingest and what came of each source.
type ingestView struct {
	store.Ingest
	job  job.Job
	came []store.Came
}

// ingest is the page of one ingest.
func (g *Pages) ingest(w http.ResponseWriter, r *http.Request) error {
	v, err := g.readIngest(r)
	if err != nil {
		return err
	}
	p := g.Page(r)
	p.Title = v.ID
	return g.Site.Render(w, r, http.StatusOK, p, ingestScreen(p, v))
}

// ingestNow is the part of it that moves by itself.
func (g *Pages) ingestNow(w http.ResponseWriter, r *http.Request) error {
	v, err := g.readIngest(r)
	if err != nil {
		return err
	}
	p := g.Page(r)
	p.Title = v.ID
	return g.Site.Region(w, r, p, v.region(p))
}

func (g *Pages) readIngest(r *http.Request) (v ingestView, err error) {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return v, err
	}
	id := r.PathValue("id")
	if !store.IngestJob.IsID(id) {
		return v, fault.New(fault.NotFound, "no ingest is called %.40q", id).WithNext("see the list of ingests").
			Because("no_ingest", "id", id)
	}
	if v.Ingest, v.came, err = g.Store.Ingest(r.Context(), actor, id); err != nil {
		return v, err
	}
	v.job, err = g.Store.Job(r.Context(), actor, store.IngestJob, id)
	return v, err
}

func (v ingestView) region(p *web.Page) web.Region {
	return web.Region{ID: "ingest", Object: store.IngestJob.Live(v.ID), Src: frame.IngestAddress(v.ID, "/now"),
		Announce: v.State == job.Running, Body: ingestBodyScreen(p, v)}
}

// ingestLook is the badge of how far an ingest has come.
func ingestLook(i store.Ingest) (class, icon, word string) {
	switch i.State {
	case job.Running:
		return "info", "dot", "running"
	case job.Refused:
		return "bad", "slash", "refused"
	}
	return "ok", "check", "done"
}

// sourceTitle is what a source is called.
func sourceTitle(c store.Came) string { return origin.Named(c.Source).Title }
