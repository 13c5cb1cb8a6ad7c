package signin

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// pagePatience is how long the sign-in page waits for the office before it says
// that it does not answer.
const pagePatience = 3 * time.Second

// An entrance is what the sign-in page shows.
type entrance struct {
	next     string
	office   string // the office's host; empty where none is set up
	away     bool   // it does not answer
	first    *firstRun
	dev      bool
	device   string // the paired device's name, where this is one
	callback string // the address to register at the office
}

// A firstRun is how far a new installation has come. The page says what is left,
// so that nobody has to find it in a log.
type firstRun struct {
	Office        bool // the settings name one
	Organisations bool // there is one
}

func (p pages) signIn(w http.ResponseWriter, r *http.Request) error {
	e, err := p.entrance(r)
	if err != nil {
		return err
	}
	page := p.page(r, "enter.title", "")
	return p.site.Render(w, r, http.StatusOK, page, entranceBody(page, e))
}

func (p pages) entrance(r *http.Request) (e entrance, err error) {
	e = entrance{next: web.LocalPath(r.URL.Query().Get("next")), dev: p.door.dev(), device: visitorOf(r.Context()).device.Name,
		callback: p.door.cfg.PublicURL + CallbackPath}
	state, administered, err := p.store.howFar(r.Context())
	if err != nil {
		return e, err
	}
	if o := p.door.office; o.setUp() {
		state.Office = true
		e.office = o.host()
		ctx, cancel := context.WithTimeout(r.Context(), pagePatience)
		defer cancel()
		_, away := o.reach(ctx)
		e.away = away != nil
	}
	if !administered || !state.Office {
		e.first = &state
	}
	return e, nil
}

// howFar looks whether this installation has organisations, and whether any of
// them ever had an administrator.
func (s *Store) howFar(ctx context.Context) (f firstRun, administered bool, err error) {
	err = s.db.InNone(ctx, func(tx pgx.Tx) error {
		const look = `select exists (select from gavel_sys.organisation), exists (select from gavel_sys.administered)`
		return tx.QueryRow(ctx, look).Scan(&f.Organisations, &administered)
	})
	return f, administered, err
}

// start sends a browser to the office.
func (p pages) start(w http.ResponseWriter, r *http.Request) error {
	next := web.LocalPath(r.URL.Query().Get("next"))
	if !p.door.office.setUp() {
		return seeOther(w, r, SignInPath+"?next="+url.QueryEscape(next))
	}
	f := newFlow(next)
	address, err := p.door.office.address(r.Context(), f)
	if err != nil {
		return err
	}
	if err := p.door.keepFlow(w, f); err != nil {
		return err
	}
	return seeOther(w, r, address)
}

// callback is where the office sends the browser back to. It counts once, in
// the browser that began it; a new secret takes the place of an older one.
func (p pages) callback(w http.ResponseWriter, r *http.Request) error {
	if !p.door.office.setUp() {
		return fault.New(fault.NotFound, "no office is set up to answer here").Because("not_set_up")
	}
	f := p.door.flowIn(r)
	p.door.dropCookie(w, flowCookie)
	proved, err := p.door.office.takeBack(r.Context(), f, r.URL.Query())
	if err != nil {
		return err
	}
	if proved, err = p.store.known(r.Context(), proved); err != nil {
		return err
	}
	if err := p.store.leave(r.Context(), proved); err != nil {
		return err
	}
	if len(proved.members) == 0 {
		page := p.page(r, "norole.title", "")
		return p.site.Render(w, r, http.StatusForbidden, page, noRoleBody(page, proved))
	}
	if old := visitorOf(r.Context()).session; old.ID != "" {
		if err := p.store.end(r.Context(), old); err != nil {
			return err
		}
	}
	c, orgs, err := p.store.signIn(r.Context(), proved)
	if err != nil {
		return err
	}
	p.door.setCookie(w, sessionCookie, c.String(), sessionMaxAge)
	next := web.LocalPath(f.Next)
	if len(orgs) > 1 {
		next = organisationPath + "?next=" + url.QueryEscape(next)
	}
	return seeOther(w, r, next)
}

// known keeps the memberships in organisations that are here. The groups of the
// others are told back as ignored.
func (s *Store) known(ctx context.Context, p proof) (proof, error) {
	asked := make([]string, len(p.members))
	for i, m := range p.members {
		asked[i] = string(m.Org)
	}
	var here []string
	err := s.db.InNone(ctx, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(ctx, `select org from gavel_sys.organisation where org = any($1)`, asked)
		here, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return proof{}, err
	}
	var kept []membership
	for _, m := range p.members {
		if slices.Contains(here, string(m.Org)) && len(kept) < mostMembers {
			kept = append(kept, m)
			continue
		}
		for _, role := range m.Roles {
			p.ignored = append(p.ignored, group(m.Org, role))
		}
	}
	p.members = kept
	p.ignored = p.ignored[:min(len(p.ignored), mostIgnored)]
	return p, nil
}

// signOut ends the sign-in here and in the browser. A device stays paired: the
// next guard comes in on it.
func (p pages) signOut(w http.ResponseWriter, r *http.Request) error {
	v := visitorOf(r.Context())
	if v.session.ID != "" {
		if err := p.store.end(r.Context(), v.session); err != nil {
			return err
		}
	}
	if p.store != nil {
		p.door.dropCookie(w, sessionCookie)
	}
	if p.door.dev() {
		p.door.dropCookie(w, devCookie)
	}
	if v.session.Kind == shiftKind {
		return seeOther(w, r, DevicePath)
	}
	next := "/"
	if path := p.door.Path(); path != "" {
		next = path
	}
	return seeOther(w, r, next)
}

// chooseOrganisation asks somebody who works for several where to go.
func (p pages) chooseOrganisation(w http.ResponseWriter, r *http.Request) error {
	s, err := requireSession(r.Context())
	if err != nil {
		return err
	}
	page := p.page(r, "choose.title", "")
	return p.site.Render(w, r, http.StatusOK, page, chooseBody(page, s, web.LocalPath(r.URL.Query().Get("next"))))
}

// moveTo goes on in another organisation of the same sign-in.
func (p pages) moveTo(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	s, err := requireSession(r.Context())
	if err != nil {
		return err
	}
	c, err := p.store.move(r.Context(), s, identity.Org(r.PostForm.Get("org")))
	if err != nil {
		return err
	}
	p.door.setCookie(w, sessionCookie, c.String(), sessionMaxAge)
	return seeOther(w, r, web.LocalPath(r.PostForm.Get("next")))
}
