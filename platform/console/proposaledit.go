package console

import (
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/gavelhq/gavel/platform/fault"
	forms "github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// An editView is a proposal whose arguments are being edited: the form, or what
// the person checks before they approve it.
type editView struct {
	proposalView
	form   *forms.Form
	base   json.RawMessage // what the form was drawn from; nil for the arguments as proposed
	fault  error           // what is wrong with the whole
	edited json.RawMessage // set: the check step
	diff   forms.Difference
}

// editProposal shows the arguments as a form. Nothing is decided by it.
func (c *Console) editProposal(w http.ResponseWriter, r *http.Request) error {
	v, err := c.readEdit(r)
	if err != nil {
		return err
	}
	e := editView{proposalView: v}
	if e.form, err = forms.New(v.editing.Schema, v.Args); err != nil {
		return err
	}
	return c.showEdit(w, r, http.StatusOK, e)
}

// checkEdit takes the form, and shows what would change; or the form again, with
// another row or with what is wrong in it. It decides nothing either.
func (c *Console) checkEdit(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	v, err := c.readEdit(r)
	if err != nil {
		return err
	}
	e := editView{proposalView: v}
	button := r.PostForm.Get("do")
	if button == "again" { // from the check step back to the form
		return c.editAgain(w, r, v, json.RawMessage(r.PostForm.Get("edit")), nil)
	}
	from := v.Args
	if sent := r.PostForm.Get("base"); sent != "" {
		e.base = json.RawMessage(sent)
		from = e.base
	}
	if e.form, err = forms.Read(v.editing.Schema, from, r.PostForm); err != nil {
		return err
	}
	if button != "check" {
		if err := e.form.Do(button); err != nil {
			return err
		}
		return c.showEdit(w, r, http.StatusOK, e)
	}
	edited, err := e.form.JSON()
	if err == nil && v.editing.Check != nil {
		edited, err = v.editing.Check(edited)
	}
	if err == nil {
		err = c.foresee(r, v, edited)
	}
	if err == nil {
		e.diff, err = forms.Diff(v.Args, edited)
	}
	if err != nil && !mendable(err) {
		return err
	}
	if err != nil {
		e.fault = err
		blame(e.form, err)
		return c.showEdit(w, r, web.Status(fault.KindOf(err)), e)
	}
	e.edited = edited
	return c.showEdit(w, r, http.StatusOK, e)
}

// foresee says why what was edited could not be done, as the store will.
func (c *Console) foresee(r *http.Request, v proposalView, edited json.RawMessage) error {
	actor, err := c.proposalReader(r)
	if err != nil {
		return err
	}
	return c.Reviews.Foresee(r.Context(), actor, v.Proposal, edited)
}

// blame puts a fault to the field that it is about, where it is about one.
func blame(form *forms.Form, err error) {
	if at, ok := fault.PlaceOf(err); ok {
		form.Blame(at.Field, forms.Problem{Code: at.Code, Limit: at.Given})
	}
}

// asEdited is the proposal with what the person made of it.
func (e editView) asEdited() proposalView {
	v := e.proposalView
	v.Args = e.edited
	return v
}

// editAgain shows the form with what was edited before.
func (c *Console) editAgain(w http.ResponseWriter, r *http.Request, v proposalView, edited json.RawMessage, why error) error {
	form, err := forms.New(v.editing.Schema, edited)
	if err != nil {
		return err
	}
	status := http.StatusOK
	if why != nil {
		status = web.Status(fault.KindOf(why))
		blame(form, why)
	}
	return c.showEdit(w, r, status, editView{proposalView: v, form: form, base: edited, fault: why})
}

// readEdit is a proposal that the reader may edit.
func (c *Console) readEdit(r *http.Request) (proposalView, error) {
	v, err := c.readProposal(r)
	if err != nil {
		return v, err
	}
	if v.mayAnswer(review.Edit) {
		return v, nil
	}
	kind, next := fault.Conflict, "send it back with what should change"
	if v.State != review.Open {
		next = "open it to see how it was decided"
	}
	if v.mayNot != "" {
		kind, next = fault.Refused, "ask somebody who may decide it"
	}
	return v, fault.New(kind, "%s cannot be edited by you now", v.ID).WithNext("%s", next).Because("not_editable", "id", v.ID)
}

func (c *Console) showEdit(w http.ResponseWriter, r *http.Request, status int, e editView) error {
	p := c.proposalPage(r, e.proposalView)
	p.Title = p.T("edit.title", "id", e.ID)
	if e.edited != nil {
		return c.site.Render(w, r, status, p, checkBody(p, e))
	}
	return c.site.Render(w, r, status, p, editBody(p, e))
}

// problems is how many fields are not as they should be, for a page.
func (e editView) problems() string { return strconv.Itoa(e.form.Problems()) }
