package console

import (
	"net/http"
	"strconv"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/notify/webhook"
	"github.com/gavelhq/gavel/platform/web"
)

// hookRegister begins a webhook, and shows its secret this once.
func (c *Console) hookRegister(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.hookForm(r)
	if err != nil {
		return err
	}
	form := readHookForm(r, "new")
	made, secret, err := c.Setup.Hooks.Register(r.Context(), actor, form.draft())
	switch {
	case err == nil:
		return c.showHook(w, r, http.StatusCreated, made.ID, hookView{secret: secret.Reveal(), done: "registered"})
	case !mendable(err):
		return err
	}
	return c.showHooks(w, r, web.Status(fault.KindOf(err)), hooksView{typed: form, fault: err})
}

// hookForm reads a form and says who sent it.
func (c *Console) hookForm(r *http.Request) (identity.Actor, error) {
	if err := web.ParseForm(r); err != nil {
		return identity.Actor{}, err
	}
	return c.hookReader(r)
}

// hookRotate makes a new secret, and shows it this once.
func (c *Console) hookRotate(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.hookForm(r)
	if err != nil {
		return err
	}
	form, window := readHookForm(r, "secret"), webhook.RotationWindow
	if r.PostForm.Get("leaked") != "" {
		window = 0
	}
	_, secret, err := c.Setup.Hooks.Rotate(r.Context(), actor, r.PathValue("id"), window, form.reason)
	if err == nil {
		return c.showHook(w, r, http.StatusOK, r.PathValue("id"), hookView{secret: secret.Reveal(), done: "rotated"})
	}
	return c.hookDone(w, r, "", form, err)
}

// hookChange changes where it leads and what it is told of.
func (c *Console) hookChange(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.hookForm(r)
	if err != nil {
		return err
	}
	form := readHookForm(r, "change")
	version, err := strconv.ParseInt(r.PostForm.Get("version"), 10, 64)
	if err != nil {
		return fault.New(fault.Invalid, "the form does not say which version of the webhook it is of").Because("form_stale")
	}
	_, err = c.Setup.Hooks.Change(r.Context(), actor, r.PathValue("id"), version, form.draft())
	return c.hookDone(w, r, "changed", form, err)
}

// hookSwitch turns a webhook on or off.
func (c *Console) hookSwitch(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.hookForm(r)
	if err != nil {
		return err
	}
	form, id := readHookForm(r, "state"), r.PathValue("id")
	if r.PostForm.Get("to") == "off" {
		_, err = c.Setup.Hooks.Disable(r.Context(), actor, id, form.reason)
		return c.hookDone(w, r, "disabled", form, err)
	}
	missed := hook.SkipMissed
	if r.PostForm.Get("missed") != "" {
		missed = hook.SendMissed
	}
	_, err = c.Setup.Hooks.Enable(r.Context(), actor, id, form.reason, missed)
	return c.hookDone(w, r, "enabled", form, err)
}

// hookTest sends a message that is about nothing.
func (c *Console) hookTest(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.hookForm(r)
	if err != nil {
		return err
	}
	_, err = c.Setup.Hooks.Test(r.Context(), actor, r.PathValue("id"))
	return c.hookDone(w, r, "tested", hookForm{what: "test"}, err)
}

// hookResend sends a message once more.
func (c *Console) hookResend(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.hookForm(r)
	if err != nil {
		return err
	}
	_, err = c.Setup.Hooks.Resend(r.Context(), actor, r.PathValue("id"), r.PathValue("message"))
	return c.hookDone(w, r, "resent", hookForm{what: "resend"}, err)
}

// hookRemove takes a webhook away.
func (c *Console) hookRemove(w http.ResponseWriter, r *http.Request) error {
	actor, err := c.hookForm(r)
	if err != nil {
		return err
	}
	if err := c.Setup.Hooks.Remove(r.Context(), actor, r.PathValue("id")); err != nil {
		return err
	}
	http.Redirect(w, r, c.site.Page(r).Href(hooksPath+"?done=removed"), http.StatusSeeOther)
	return nil
}

// hookDone goes back to the webhook's page, or says on it what was not done.
func (c *Console) hookDone(w http.ResponseWriter, r *http.Request, done string, form hookForm, err error) error {
	id := r.PathValue("id")
	switch {
	case err == nil:
		http.Redirect(w, r, c.site.Page(r).Href(hookAddress(id, "?done="+done)), http.StatusSeeOther)
		return nil
	case !mendable(err) && !fault.Is(err, fault.TooMany):
		return err
	}
	return c.showHook(w, r, web.Status(fault.KindOf(err)), id, hookView{typed: form, fault: err})
}
