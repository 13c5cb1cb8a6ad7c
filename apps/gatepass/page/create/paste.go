package create

import (
	"net/http"

	"github.com/gavelhq/gavel/apps/gatepass/casework"
	"github.com/gavelhq/gavel/apps/gatepass/page/frame"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// A pasteView is a list as it was pasted, and what came of it.
type pasteView struct {
	casework.Listing

	listed  *casework.Listed // what it would make, or has made
	refused error
	sites   []store.Site
}

func (g *Pages) blankList(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	return g.showList(w, r, actor, http.StatusOK, pasteView{Listing: casework.Listing{Form: newKey()}})
}

func (g *Pages) showList(w http.ResponseWriter, r *http.Request, actor identity.Actor, status int, v pasteView) error {
	setup, err := g.Store.Setup(r.Context(), actor.Org)
	if err != nil {
		return err
	}
	v.sites = setup.Sites
	p := g.Page(r, "gp.paste_title")
	return g.Site.Render(w, r, status, p, pasteScreen(p, v))
}

// sentList checks a list, or makes the passes of one that was checked.
func (g *Pages) sentList(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	v := pasteView{Listing: casework.Listing{Site: r.PostForm.Get("site"), Text: r.PostForm.Get("list"), Form: r.PostForm.Get("form"),
		SHA256: r.PostForm.Get("sha256")}}
	if v.Form == "" || len(v.Form) > 60 {
		v.Form = newKey()
	}
	listed, err := g.Desk.PreviewList(r.Context(), actor, v.Listing)
	if err == nil && v.SHA256 != "" {
		made, failed := g.Desk.MakeList(r.Context(), actor, v.Listing)
		if failed == nil {
			listed = made
		}
		err = failed
	}
	if err != nil && !frame.Mends(err) {
		return err
	}
	if v.refused = err; err == nil || listed.SHA256 != "" {
		v.listed = &listed
	}
	status := http.StatusOK
	if err != nil {
		status = web.Status(fault.KindOf(err))
	}
	return g.showList(w, r, actor, status, v)
}

// made reports whether the list has become passes.
func (v pasteView) made() bool { return v.listed != nil && len(v.listed.Made) > 0 }

// first is where a list of what was made begins.
func (v pasteView) first() string {
	return web.Address(frame.PassesAt, "lane", string(pass.LaneWaiting))
}
