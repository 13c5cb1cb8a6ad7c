package console

import (
	"context"
	"net/http"
	"slices"
	"strings"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

const pausesPath = "/admin/pauses"

// pausesPerPage is how many pauses that are over stand on a page.
const pausesPerPage = 20

// pauseRoutes registers the page of pauses and its acts.
func (c *Console) pauseRoutes(m *web.Mux) {
	m.Handle("GET "+pausesPath, c.pauses, web.Needs("pause.read"))
	m.Handle("GET "+pausesPath+"/on", c.pausesOn, web.Needs("pause.read"))
	m.Handle("POST "+pausesPath, c.pauseSet, web.Needs("pause.change"), web.MaxBody(maxForm))
	m.Handle("POST "+pausesPath+"/{id}/end", c.pauseEnd, web.Needs("pause.change"), web.MaxBody(maxForm))
}

// A pausesView is what is paused, what can be, and what was.
type pausesView struct {
	on     []effect.Pause
	over   []effect.Pause
	next   string
	before string
	scopes []scopeGroup
	names  map[string]string // of people, by their ids
	typed  pauseForm
	fault  error
	done   string
}

// A pauseForm is what a form held that was refused.
type pauseForm struct{ scope, reason, ending, endReason string }

// A scopeGroup is the applications, or the agents of one, that can be paused.
type scopeGroup struct {
	title string
	list  []effect.Scope
}

// pauses is the page of what is paused.
func (c *Console) pauses(w http.ResponseWriter, r *http.Request) error {
	v := pausesView{before: r.URL.Query().Get("before")}
	if done := r.URL.Query().Get("done"); done == "set" || done == "ended" || done == "already" {
		v.done = done
	}
	return c.showPauses(w, r, http.StatusOK, v)
}

func (c *Console) showPauses(w http.ResponseWriter, r *http.Request, status int, v pausesView) error {
	actor, err := c.pauseReader(r)
	if err != nil {
		return err
	}
	p := c.adminPage(r, "pause.title")
	v.scopes = c.scopes(p)
	if v.on, err = c.Pauses.On(r.Context(), actor.Org); err != nil {
		return err
	}
	if v.over, v.next, err = c.Pauses.Over(r.Context(), actor, v.before, pausesPerPage); err != nil {
		return err
	}
	v.names = c.names(r.Context(), actor.Org, v.on, v.over)
	return c.site.Render(w, r, status, p, pausesBody(p, v))
}

// pausesOn is the region of what is paused now, which moves by itself.
func (c *Console) pausesOn(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.pauseReader(r)
	if err != nil {
		return err
	}
	p := c.adminPage(r, "pause.title")
	v := pausesView{scopes: c.scopes(p)}
	if v.on, err = c.Pauses.On(r.Context(), actor.Org); err != nil {
		return err
	}
	v.names = c.names(r.Context(), actor.Org, v.on)
	return c.site.Region(w, r, p, v.region(p))
}

func (v pausesView) region(p *web.Page) web.Region {
	return web.Region{ID: "pauses-on", Object: effect.PauseObject, Src: pausesPath + "/on", Announce: true, Body: pausesOnBody(p, v)}
}

// pauseReader is who asks, where pauses are set up.
func (c *Console) pauseReader(r *http.Request) (identity.Actor, error) {
	actor, err := signin.Require(r.Context())
	if err == nil && c.Pauses == nil {
		err = fault.New(fault.Unavailable, "pauses are not set up on this server").Because("not_set_up")
	}
	return actor, err
}

// scopes is what can be paused besides everything and all that goes outside.
func (c *Console) scopes(p *web.Page) []scopeGroup {
	apps, agents := scopeGroup{title: p.T("pause.apps")}, scopeGroup{title: p.T("pause.agents")}
	names := slices.Clone(c.Apps)
	for _, a := range c.Setup.Agents {
		names = append(names, a.App)
		agents.list = append(agents.list, effect.Scope("agent:"+a.App+"/"+a.Name))
	}
	for _, app := range slices.Compact(slices.Sorted(slices.Values(names))) {
		apps.list = append(apps.list, effect.OneApp(app))
	}
	return []scopeGroup{apps, agents}
}

// names are those of the people who began and ended pauses.
func (c *Console) names(ctx context.Context, org identity.Org, lists ...[]effect.Pause) map[string]string {
	known := map[string]string{}
	for _, list := range lists {
		for _, p := range list {
			for _, id := range []string{p.ByID, p.EndedBy} {
				if _, there := known[id]; id != "" && !there {
					known[id] = c.nameOf(ctx, org, id)
				}
			}
		}
	}
	return known
}

// nameOf is what people call somebody; their id where that is not known.
func (c *Console) nameOf(ctx context.Context, org identity.Org, id string) string {
	if c.Setup.Name == nil {
		return id
	}
	return c.Setup.Name(ctx, org, id)
}

// pauseSet holds acts.
func (c *Console) pauseSet(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	actor, err := c.pauseReader(r)
	if err != nil {
		return err
	}
	form := pauseForm{scope: strings.TrimSpace(r.PostForm.Get("scope")), reason: r.PostForm.Get("reason")}
	_, fresh, err := c.Pauses.Set(r.Context(), actor, effect.Scope(form.scope), form.reason)
	done := "set"
	if !fresh {
		done = "already"
	}
	return c.pauseDone(w, r, actor.Org, done, form, err)
}

// pauseEnd lets acts go on.
func (c *Console) pauseEnd(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	actor, err := c.pauseReader(r)
	if err != nil {
		return err
	}
	form := pauseForm{ending: r.PathValue("id"), endReason: r.PostForm.Get("reason")}
	_, err = c.Pauses.Lift(r.Context(), actor, form.ending, form.endReason)
	return c.pauseDone(w, r, actor.Org, "ended", form, err)
}

// pauseDone goes back to the page, or says on it what was not done.
func (c *Console) pauseDone(w http.ResponseWriter, r *http.Request, org identity.Org, done string, form pauseForm, err error) error {
	c.Setup.Banners.forget(org)
	switch {
	case err == nil:
		http.Redirect(w, r, c.site.Page(r).Href(pausesPath+"?done="+done), http.StatusSeeOther)
		return nil
	case !mendable(err) && !fault.Is(err, fault.NotFound):
		return err
	}
	return c.showPauses(w, r, web.Status(fault.KindOf(err)), pausesView{typed: form, fault: err})
}

// scopeWords says what a pause holds.
func scopeWords(p *web.Page, s effect.Scope) string {
	if app := s.App(); app != "" {
		return p.T("pause.scope.app", "app", p.Word("app.", app))
	}
	if name, ok := strings.CutPrefix(string(s), "agent:"); ok {
		app, agent, _ := strings.Cut(name, "/")
		return p.T("pause.scope.agent", "agent", p.Word("agent.", agent), "app", p.Word("app.", app))
	}
	return p.T("pause.scope." + string(s))
}
