package signin

import (
	"net/http"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// account shows somebody who they are here, and what they can do about it.
func (p pages) account(w http.ResponseWriter, r *http.Request) error {
	v := visitorOf(r.Context())
	page := p.page(r, "account.title", "")
	mayView := v.session.Kind == browserKind && p.store.rules.May(v.actor, "view_as") == nil
	return p.site.Render(w, r, http.StatusOK, page, accountBody(page, v.session, mayView))
}

// view begins to look as another role does.
func (p pages) view(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	role, err := identity.ParseRole(r.PostForm.Get("role"))
	if err != nil {
		return err
	}
	return p.viewAs(w, r, role)
}

// leaveView is oneself again.
func (p pages) leaveView(w http.ResponseWriter, r *http.Request) error { return p.viewAs(w, r, "") }

func (p pages) viewAs(w http.ResponseWriter, r *http.Request, role identity.Role) error {
	s, err := requireSession(r.Context())
	if err != nil {
		return err
	}
	if err := p.store.viewAs(r.Context(), s, role); err != nil {
		return err
	}
	if role != "" {
		return seeOther(w, r, "/")
	}
	return seeOther(w, r, AccountPath)
}

// A terminalForm is the page on which a terminal is confirmed.
type terminalForm struct {
	typed string
	label string // of the terminal that was found
	done  bool
	fault error
}

func (p pages) showTerminal(w http.ResponseWriter, r *http.Request) error {
	return p.terminalPage(w, r, http.StatusOK, terminalForm{})
}

func (p pages) terminalPage(w http.ResponseWriter, r *http.Request, status int, f terminalForm) error {
	page := p.page(r, "terminal.title", "")
	return p.site.Render(w, r, status, page, terminalBody(page, f))
}

// findTerminal looks for the terminal whose code was typed, and shows which it
// is before anything is let in. The code never comes from a link: who sends
// somebody a link would have them confirm a stranger's terminal.
func (p pages) findTerminal(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	if err := p.door.typed.take(asker(r)); err != nil {
		return err
	}
	f := terminalForm{typed: r.PostForm.Get("code")}
	label, err := p.store.terminal(r.Context(), f.typed)
	if fault.Is(err, fault.NotFound) {
		f.fault = err
		return p.terminalPage(w, r, http.StatusNotFound, f)
	}
	f.label = label
	return orPage(err, func() error { return p.terminalPage(w, r, http.StatusOK, f) })
}

func (p pages) confirmTerminal(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	return orPage(p.confirm(r), func() error { return p.terminalPage(w, r, http.StatusOK, terminalForm{done: true}) })
}

func orPage(err error, page func() error) error {
	if err != nil {
		return err
	}
	return page()
}
