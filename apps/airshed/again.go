package airshed

import (
	"context"
	"net/http"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/docket"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// An againView is how whoever reads the page of a case can have its report put before
// officers again.
type againView struct {
	asIs, anew bool
	text       string // what has happened, or why it cannot be, by its message; empty where nothing is to be said
}

// again says what the reader may do about a report that came back, was undone or was not
// submitted; nothing where nobody is waited for.
func (a *app) again(ctx context.Context, p *web.Page, one casefile.Case) (v againView, err error) {
	if one.State == casefile.Closed || !p.May(actAsk) {
		return v, nil
	}
	m, err := a.seen(ctx, one)
	if err != nil {
		return v, err
	}
	switch {
	case m.asked() == docket.Open:
		v.text = "open"
	case m.asked() == docket.Under:
		v.text = "under"
	case m.awaits():
		v.asIs, v.anew = m.mayAskAgain(false) == nil, m.mayAskAgain(true) == nil
		switch v.text = "back"; {
		case m.filed():
			v.text = "notice"
		case m.maybe != 0:
			v.text = "maybe"
		}
	}
	return v, nil
}

// seen is a case as its page shows it: read, and kept from nobody.
func (a *app) seen(ctx context.Context, one casefile.Case) (*matter, error) {
	m := &matter{app: a, in: casefile.Input{Org: one.Org, Case: one.ID}, at: a.store.clock.Now(), file: one}
	err := a.store.db.InOrg(ctx, one.Org, func(tx pgx.Tx) error { return m.readRest(ctx, tx) })
	if err == nil && m.filed() {
		m.told, err = m.tellings(ctx)
	}
	return m, err
}

// awaits reports whether the case waits for somebody to say how it goes on.
func (m *matter) awaits() bool {
	next, _ := docket.Next(m.standing())
	return next == docket.WaitOne
}

// askAgain puts a report before officers again, and leads back to its case. A form that
// is sent twice asks once: after the first nobody is waited for.
func (g *pages) askAgain(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	id, err := reportID(r.PathValue("id"))
	if err != nil {
		return err
	}
	how := r.PostForm.Get("how")
	if how != "as_is" && how != "anew" {
		return fault.New(fault.Invalid, "the form does not say how the report is put before officers").WithNext("open the page of the case again")
	}
	if err := g.awaited(r.Context(), actor, id); err != nil {
		return err
	}
	file, err := g.app.store.AskAgain(r.Context(), actor, id, how == "anew")
	if err != nil {
		return err
	}
	http.Redirect(w, r, g.site.Page(r).Href("/cases/"+string(file.ID)), http.StatusSeeOther)
	return nil
}

// awaited refuses to ask about a report that waits for nobody.
func (g *pages) awaited(ctx context.Context, actor identity.Actor, name string) error {
	one, err := g.app.cases.Lookup(ctx, actor.Org, name)
	if err != nil {
		return err
	}
	m, err := g.app.seen(ctx, one)
	if err == nil && one.State != casefile.Closed && !m.awaits() {
		err = fault.New(fault.Conflict, "the report of case %s waits for nobody to put it before officers", one.Ref).WithNext("see on the page of the case how it stands")
	}
	return err
}
