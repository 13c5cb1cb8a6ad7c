package console

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/gavelhq/gavel/platform/fault"
	forms "github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/web"
)

// settingChange takes the form of a setting: it shows what a change would do, then makes it, or
// has people asked.
func (c *Console) settingChange(w http.ResponseWriter, r *http.Request) error {
	v, err := c.settingSent(r)
	if err != nil {
		return err
	}
	switch button := r.PostForm.Get("do"); button {
	case "again":
		v.form, err = forms.New(v.Schema(), v.base)
		if err != nil {
			return err
		}
		return c.showSetting(w, r, http.StatusOK, v)
	case "save":
		return c.saveSetting(w, r, v)
	case "check":
		return c.checkSetting(w, r, v)
	default:
		if v.form, err = forms.Read(v.Schema(), v.base, r.PostForm); err == nil {
			err = v.form.Do(button)
		}
		if err != nil {
			return err
		}
		return c.showSetting(w, r, http.StatusOK, v)
	}
}

// settingSent is the setting that a form is about, with what the form was made to.
func (c *Console) settingSent(r *http.Request) (v settingView, err error) {
	if err := web.ParseForm(r); err != nil {
		return v, err
	}
	actor, desk, err := c.settingDesk(r)
	if err != nil {
		return v, err
	}
	k, err := desk.Find(actor, r.PathValue("app"), r.PathValue("name"))
	if err != nil {
		return v, err
	}
	if v, err = c.readSetting(r, k, r.PostForm.Get("item")); err != nil {
		return v, err
	}
	if v.seen, err = strconv.ParseInt(r.PostForm.Get("version"), 10, 64); err != nil || v.seen < 0 {
		return v, fault.New(fault.Invalid, "the form does not say what it was made to").WithNext("open the page again").
			Because("form_stale")
	}
	v.base = json.RawMessage(r.PostForm.Get("base"))
	return v, nil
}

// checkSetting shows what a change would do. It changes nothing.
func (c *Console) checkSetting(w http.ResponseWriter, r *http.Request, v settingView) (err error) {
	actor, desk, err := c.settingDesk(r)
	if err != nil {
		return err
	}
	if v.form, err = forms.Read(v.Schema(), v.base, r.PostForm); err != nil {
		return err
	}
	edited, err := v.form.JSON()
	if err == nil {
		v.preview, err = desk.Preview(r.Context(), actor, v.Kind, v.item, edited)
	}
	if err != nil && !mendable(err) {
		return err
	}
	if err != nil {
		v.fault = err
		blame(v.form, err)
		return c.showSetting(w, r, web.Status(fault.KindOf(err)), v)
	}
	v.edited = v.preview.Value
	return c.showSetting(w, r, http.StatusOK, v)
}

// saveSetting makes a change that was checked.
func (c *Console) saveSetting(w http.ResponseWriter, r *http.Request, v settingView) error {
	actor, desk, err := c.settingDesk(r)
	if err != nil {
		return err
	}
	saved, err := desk.Save(r.Context(), actor, v.Kind, v.item, json.RawMessage(r.PostForm.Get("edit")), v.seen)
	if err != nil {
		return c.settingRefused(w, r, v, err)
	}
	said := []string{"done", "set"}
	if saved.Asked != nil {
		said = []string{"asked", saved.Asked.Proposal}
	}
	http.Redirect(w, r, c.site.Page(r).Href(v.at("", said...)), http.StatusSeeOther)
	return nil
}

// settingRefused shows the setting as it is, and why a change was not taken.
func (c *Console) settingRefused(w http.ResponseWriter, r *http.Request, v settingView, err error) error {
	if !mendable(err) {
		return err
	}
	now, readErr := c.readSetting(r, v.Kind, v.item)
	if readErr != nil {
		return readErr
	}
	now.fault = err
	return c.showSetting(w, r, web.Status(fault.KindOf(err)), now)
}

// settingRemove takes one of several away.
func (c *Console) settingRemove(w http.ResponseWriter, r *http.Request) error {
	v, err := c.settingSent(r)
	if err != nil {
		return err
	}
	actor, desk, err := c.settingDesk(r)
	if err != nil {
		return err
	}
	if err := desk.Remove(r.Context(), actor, v.Kind, v.item, v.seen); err != nil {
		return c.settingRefused(w, r, v, err)
	}
	http.Redirect(w, r, c.site.Page(r).Href(settingsPath+"/"+v.App), http.StatusSeeOther)
	return nil
}
