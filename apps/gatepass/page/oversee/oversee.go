// Package oversee is where people look over all passes: who is on a site when it is cleared, what happened in a month, and
// whom somebody must look at before they leave.
package oversee

import (
	"net/http"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/page/frame"
	"github.com/gavelhq/gavel/apps/gatepass/rule/muster"
	"github.com/gavelhq/gavel/apps/gatepass/rule/watchlist"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// Pages are the pages of who looks over passes.
type Pages struct{ *frame.Frame }

// New makes them.
func New(f *frame.Frame) *Pages { return &Pages{f} }

// Routes registers them.
func (g *Pages) Routes(m *web.Mux) {
	m.Handle("GET "+frame.SitesAt, g.sites, web.Needs(store.ActOnsite))
	m.Handle("GET "+frame.SitesAt+"/{site_id}/onsite", g.onsite, web.Needs(store.ActOnsite))
	m.Handle("POST "+frame.SitesAt+"/{site_id}/onsite/copy", g.onsiteCopy, web.Needs(store.ActTake), web.MaxBody(frame.MaxSmallForm))
	m.Handle("GET "+frame.RegisterAt, g.register, web.Needs(store.ActExport))
	m.Handle("POST "+frame.RegisterAt, g.registerFile, web.Needs(store.ActExport), web.MaxBody(frame.MaxSmallForm))
	m.Handle("GET "+frame.WatchAt, g.watchlist, web.Needs(store.ActWatch))
	m.Handle("POST "+frame.WatchAt, g.watch, web.Needs(store.ActWatch), web.MaxBody(frame.MaxSmallForm))
	m.Handle("POST "+frame.WatchAt+"/{watch_id}/end", g.unwatch, web.Needs(store.ActWatch), web.MaxBody(frame.MaxSmallForm))
}

// sites leads to the list of the only site, or shows which there are.
func (g *Pages) sites(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	setup, err := g.Store.Setup(r.Context(), actor.Org)
	if err != nil {
		return err
	}
	p := g.Page(r, "gp.onsite")
	if len(setup.Sites) == 1 {
		http.Redirect(w, r, p.Href(frame.OnsiteAt(setup.Sites[0].ID, "")), http.StatusSeeOther)
		return nil
	}
	return g.Site.Render(w, r, http.StatusOK, p, sitesScreen(p, setup.Sites))
}

// mostShown is how many people of each kind the page shows; the copy has all of them.
const mostShown = 100

// An onsiteView is where people are.
type onsiteView struct {
	muster.Sheet

	id string
}

// of are the first of those who are somewhere.
func (v onsiteView) of(w muster.Where) []muster.Person {
	var some []muster.Person
	for _, one := range v.People {
		if one.Where == w && len(some) < mostShown {
			some = append(some, one)
		}
	}
	return some
}

func (g *Pages) onsite(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	v := onsiteView{id: r.PathValue("site_id")}
	if v.Sheet, err = g.Store.Onsite(r.Context(), actor, v.id); err != nil {
		return err
	}
	p := g.Page(r, "gp.onsite")
	return g.Site.Render(w, r, http.StatusOK, p, onsiteScreen(p, v))
}

// onsiteCopy is the whole list as a page that needs neither server nor network, to be printed or kept. That it left is on
// record.
func (g *Pages) onsiteCopy(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	sheet, err := g.Store.Onsite(r.Context(), actor, r.PathValue("site_id"))
	if err != nil {
		return err
	}
	file := sheet.HTML()
	if err := g.Store.TakeOut(r.Context(), actor, "evacuation list", len(sheet.People), file); err != nil {
		return err
	}
	frame.SendHTML(w, "evacuation-"+sheet.At.In(sheet.Zone).Format("2006-01-02-1504")+".html", r.PostForm.Get("do") == "keep", file)
	return nil
}

// A registerView is the form of the register.
type registerView struct {
	from, to string
	refused  error
}

func (g *Pages) register(w http.ResponseWriter, r *http.Request) error {
	p := g.Page(r, "gp.register")
	v := registerView{from: p.Now.AddDate(0, 0, 1-p.Now.Day()).Format(time.DateOnly), to: p.Now.Format(time.DateOnly)}
	return g.Site.Render(w, r, http.StatusOK, p, registerScreen(p, v))
}

// registerFile hands the register of some days out. The file is chained line by line, and that it left is on record.
func (g *Pages) registerFile(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	p := g.Page(r, "gp.register")
	v := registerView{from: r.PostForm.Get("from"), to: r.PostForm.Get("to")}
	from, err := time.ParseInLocation(time.DateOnly, v.from, p.Org.Zone)
	until := from
	if err == nil {
		until, err = time.ParseInLocation(time.DateOnly, v.to, p.Org.Zone)
	}
	if err != nil || until.Before(from) {
		v.refused = fault.New(fault.Invalid, "the last day is not before the first").WithNext("choose both days")
		return g.Site.Render(w, r, http.StatusUnprocessableEntity, p, registerScreen(p, v))
	}
	file, err := g.Store.Register(r.Context(), actor, from, until.AddDate(0, 0, 1), "")
	if err != nil {
		if !frame.Mends(err) {
			return err
		}
		v.refused = err
		return g.Site.Render(w, r, web.Status(fault.KindOf(err)), p, registerScreen(p, v))
	}
	web.SendFile(w, web.File{Name: "gate-register-" + v.from + "-" + v.to + ".ndjson", Type: "application/x-ndjson", Body: file})
	return nil
}

// A watchView is the watchlist, and a row as it was typed.
type watchView struct {
	all     []store.Watched
	row     watchlist.Row
	aliases string
	until   string
	refused error
}

func (g *Pages) watchlist(w http.ResponseWriter, r *http.Request) error {
	return g.showWatch(w, r, http.StatusOK, watchView{row: watchlist.Row{Level: watchlist.Ask}})
}

func (g *Pages) showWatch(w http.ResponseWriter, r *http.Request, status int, v watchView) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	if v.all, err = g.Store.Watchlist(r.Context(), actor); err != nil {
		return err
	}
	p := g.Page(r, "gp.watchlist")
	return g.Site.Render(w, r, status, p, watchScreen(p, v))
}

// watch puts somebody on the list.
func (g *Pages) watch(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	p := g.Site.Page(r)
	v := watchView{aliases: r.PostForm.Get("aliases"), until: r.PostForm.Get("until")}
	v.row = watchlist.Row{Name: r.PostForm.Get("name"), Level: watchlist.Level(r.PostForm.Get("level")), Reason: r.PostForm.Get("reason")}
	for one := range strings.SplitSeq(v.aliases, "\n") {
		if one = strings.TrimSpace(one); one != "" {
			v.row.Aliases = append(v.row.Aliases, one)
		}
	}
	if v.until != "" {
		day, err := time.ParseInLocation(time.DateOnly, v.until, p.Org.Zone)
		if err != nil {
			v.refused = fault.New(fault.Invalid, "the day %.20q is none", v.until).WithNext("write it as 2026-12-31")
			return g.showWatch(w, r, http.StatusUnprocessableEntity, v)
		}
		v.row.Until = day.AddDate(0, 0, 1).UTC()
	}
	if _, err := g.Store.Watch(r.Context(), actor, v.row); err != nil {
		if !frame.Mends(err) {
			return err
		}
		v.refused = err
		return g.showWatch(w, r, web.Status(fault.KindOf(err)), v)
	}
	http.Redirect(w, r, p.Href(frame.WatchAt), http.StatusSeeOther)
	return nil
}

// unwatch takes somebody off it.
func (g *Pages) unwatch(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	if err := g.Store.Unwatch(r.Context(), actor, r.PathValue("watch_id")); err != nil {
		return err
	}
	http.Redirect(w, r, g.Site.Page(r).Href(frame.WatchAt), http.StatusSeeOther)
	return nil
}
