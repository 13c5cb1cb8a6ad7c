package console

import (
	"net/http"
	"strconv"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// The acts on a case.
const (
	actNote  = "note"
	actClose = "close"
)

// An act is what a form asks to be done to a case.
type act func(actor identity.Actor, id casefile.CaseID) error

func (c *Console) addNote(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	text, once := r.PostForm.Get("text"), r.PostForm.Get("once") // sent twice it is one note
	return c.do(w, r, form{act: actNote, typed: text}, func(actor identity.Actor, id casefile.CaseID) error {
		return c.cases.Note(r.Context(), actor, id, once, text)
	})
}

func (c *Console) closeCase(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	reason := r.PostForm.Get("reason")
	return c.do(w, r, form{act: actClose, typed: reason}, func(actor identity.Actor, id casefile.CaseID) error {
		version, err := strconv.ParseInt(r.PostForm.Get("version"), 10, 64)
		if err != nil {
			return fault.New(fault.Unconfirmed, "the form does not say which version of the case you read").Because("form_stale")
		}
		return c.cases.Close(r.Context(), actor, id, version, reason)
	})
}

// do carries out an act and answers on the case's page. What the person can
// mend is said on the form, with what was typed; everything else is an error,
// which web puts beside the form.
func (c *Console) do(w http.ResponseWriter, r *http.Request, sent form, act act) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	id, err := casefile.ParseCaseID(r.PathValue("id"))
	if err != nil {
		return err
	}
	err = act(actor, id)
	switch {
	case err == nil && !web.WantsRegion(r):
		http.Redirect(w, r, c.site.Page(r).Href(caseAddress(id, "?done="+sent.act+"#latest")), http.StatusSeeOther)
		return nil
	case err == nil:
		refreshOthers(w)
		return c.answer(w, r, form{act: sent.act, done: true}, http.StatusOK)
	case !mendable(err):
		return err
	}
	sent.fault = err
	refreshOthers(w)
	return c.answer(w, r, sent, web.Status(fault.KindOf(err)))
}

// answer shows the case as it is now, with how the act ended on it.
func (c *Console) answer(w http.ResponseWriter, r *http.Request, ended form, status int) error {
	f, err := c.readFile(r)
	if err != nil {
		return err
	}
	f.form = ended
	if !web.WantsRegion(r) {
		return c.showFile(w, r, status, f)
	}
	p := c.filePage(r, f.Case)
	return c.site.Answer(w, r, status, p, actsRegion(p, f), outcomeInstead(p, f))
}

// refreshOthers has live.js fetch the page's other regions, even when no notice
// can reach it: after an act, done or refused, the page shows the case as it is.
func refreshOthers(w http.ResponseWriter) { w.Header().Set("HX-Trigger", "gavel:refresh") }

// mendable reports whether the person can do something about an error on the
// form itself.
func mendable(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Conflict, fault.Stale, fault.Unconfirmed, fault.Refused:
		return true
	}
	return false
}
