package board

import (
	"net/http"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/casework"
	"github.com/gavelhq/gavel/apps/gatepass/page/frame"
	"github.com/gavelhq/gavel/apps/gatepass/rule/paper"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/pdf"
	"github.com/gavelhq/gavel/platform/web"
)

// A passView is one pass: what it says, what happened to it, and what may be done.
type passView struct {
	store.Kept

	photos []store.Photo
	site   store.Site
	days   int // that photos are kept
	now    time.Time
	may    map[pass.Event]bool // by this reader, now
	done   string              // what was just done; empty where nothing was
	fault  error               // why it was not
	tried  pass.Event
	reason string // as it was typed
}

func (g *Pages) pass(w http.ResponseWriter, r *http.Request) error {
	return g.showPass(w, r, http.StatusOK, passView{done: r.URL.Query().Get("done")})
}

// passNow is what moves of the page, when a notice says so.
func (g *Pages) passNow(w http.ResponseWriter, r *http.Request) error {
	p, v, err := g.readPass(r, passView{})
	if err != nil {
		return err
	}
	return g.Site.Region(w, r, p, v.region(p))
}

func (g *Pages) showPass(w http.ResponseWriter, r *http.Request, status int, v passView) error {
	p, v, err := g.readPass(r, v)
	if err != nil {
		return err
	}
	return g.Site.Render(w, r, status, p, passScreen(p, v))
}

func (v passView) region(p *web.Page) web.Region {
	return web.Region{ID: "pass", Object: store.LivePass(v.ID), Version: int64(v.Version), Src: frame.PassAt(v.Number, "/now"),
		Body: passBody(p, v)}
}

// named reads the pass that an address names. What was deleted is there for who oversees passes.
func (g *Pages) named(r *http.Request) (identity.Actor, store.Kept, error) {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return actor, store.Kept{}, err
	}
	ref, err := store.ParseRef(r.PathValue("pass_number"))
	if err != nil {
		return actor, store.Kept{}, fault.New(fault.NotFound, "there is no pass %.40q", r.PathValue("pass_number"))
	}
	k, err := g.Store.Get(r.Context(), actor.Org, ref)
	if err == nil && k.Deleted() {
		err = g.Store.May(actor, store.ActOversee)
	}
	return actor, k, err
}

func (g *Pages) readPass(r *http.Request, v passView) (*web.Page, passView, error) {
	actor, k, err := g.named(r)
	if err != nil {
		return nil, v, err
	}
	p := g.Page(r, "gp.pass_title", "number", string(k.Number))
	v.Kept, v.now, v.may = k, g.Store.Now(), map[pass.Event]bool{}
	if v.photos, err = g.Store.Photos(r.Context(), actor.Org, k.ID); err != nil {
		return p, v, err
	}
	setup, err := g.Store.Setup(r.Context(), actor.Org)
	if err != nil {
		return p, v, err
	}
	v.days = int(setup.PhotosKept().Hours() / 24)
	var known bool
	if v.site, known = setup.Site(k.SiteID); !known {
		v.site, _ = setup.Site("")
	}
	if !p.May(store.ActChange) {
		return p, v, nil
	}
	rules, err := g.Desk.Rules(r.Context(), actor.Org)
	if err != nil {
		return p, v, err
	}
	for _, e := range rules.Allowed(k.Pass, casework.As(actor, pass.Admin), v.now) {
		v.may[e] = true
	}
	return p, v, nil
}

// change has an administrator revoke, extend or make returnable.
func (g *Pages) change(e pass.Event) func(http.ResponseWriter, *http.Request) error {
	return func(w http.ResponseWriter, r *http.Request) error {
		actor, k, err := g.named(r)
		if err != nil {
			return err
		}
		if err := web.ParseForm(r); err != nil {
			return err
		}
		ask, err := g.asked(r, actor, k, e)
		if err == nil {
			_, err = g.Desk.Change(r.Context(), actor, store.Ref{ID: k.ID}, ask)
		}
		if err == nil {
			to := web.Address(frame.PassAt(k.Number, ""), "done", string(e))
			http.Redirect(w, r, g.Site.Page(r).Href(to), http.StatusSeeOther)
			return nil
		}
		if !frame.Mends(err) {
			return err
		}
		return g.showPass(w, r, web.Status(fault.KindOf(err)), passView{fault: err, tried: e, reason: r.PostForm.Get("reason")})
	}
}

// recall asks a second administrator to delete a pass on which somebody is out.
func (g *Pages) recall(w http.ResponseWriter, r *http.Request) error {
	actor, k, err := g.named(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	reason := r.PostForm.Get("reason")
	if _, _, err = g.Desk.AskRecall(r.Context(), actor, store.Ref{ID: k.ID}, reason); err == nil {
		http.Redirect(w, r, g.Site.Page(r).Href(web.Address(frame.PassAt(k.Number, ""), "done", recalled)), http.StatusSeeOther)
		return nil
	}
	if !frame.Mends(err) {
		return err
	}
	return g.showPass(w, r, web.Status(fault.KindOf(err)), passView{fault: err, tried: recalled, reason: reason})
}

// recalled is what was done where a second administrator is asked.
const recalled = "recall"

// recallable reports whether a second administrator can be asked to delete the pass.
func (v passView) recallable(p *web.Page) bool {
	return p.May(store.ActChange) && v.Status == pass.Exited && !v.Ended()
}

// asked is what a form wants done.
func (g *Pages) asked(r *http.Request, actor identity.Actor, k store.Kept, e pass.Event) (casework.Ask, error) {
	a := casework.Ask{Event: e, Reason: r.PostForm.Get("reason")}
	if e == pass.Delete {
		return a, nil
	}
	site, err := g.Store.SiteOf(r.Context(), actor.Org, k.SiteID)
	if err != nil {
		return a, err
	}
	if a.ValidUntil, err = frame.ReadMoment("valid_until", r.PostForm.Get("valid_until"), site.Location()); err != nil {
		return a, err
	}
	a.ExpectedReturnAt, err = frame.ReadMoment("expected_return_at", r.PostForm.Get("expected_return_at"), site.Location())
	return a, err
}

// print is a pass on paper: as PDF where this installation prints, else as a page that the reader's browser does.
func (g *Pages) print(w http.ResponseWriter, r *http.Request) error {
	actor, k, err := g.named(r)
	if err != nil {
		return err
	}
	size, err := paper.ParseSize(r.URL.Query().Get("size"))
	if err != nil {
		return err
	}
	sheet, err := g.Desk.Sheet(r.Context(), actor.Org, k, size)
	if err != nil {
		return err
	}
	if !g.printer.Available() {
		frame.SendHTML(w, string(k.Number)+".html", false, sheet)
		return nil
	}
	file, err := g.printer.Print(r.Context(), pdf.Page{HTML: sheet, Made: k.Since()})
	if err != nil {
		return err
	}
	web.SendFile(w, web.File{Name: string(k.Number) + ".pdf", Type: "application/pdf", Inline: true, Body: file})
	return nil
}

// photo is one, small, as it was drawn.
func (g *Pages) photo(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	file, err := g.Desk.Picture(r.Context(), actor, r.PathValue("photo_id"), r.URL.Query().Get("large") == "")
	if err != nil {
		return err
	}
	web.SendFile(w, web.File{Name: "photo.jpg", Type: "image/jpeg", Inline: true, Body: file})
	return nil
}
