package page

import (
	"context"
	"net/http"
	"strconv"

	"github.com/gavelhq/gavel/apps/netra/casework/correction"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// maxCorrection bounds the form of a correction, in bytes.
const maxCorrection = 16 << 10

// mostCorrected is how many corrections of a district are shown.
const mostCorrected = 20

// A correctView is the form in which somebody says what is wrong with a signal.
type correctView struct {
	lgd, window int
	name, event string
	kind        store.CorrectionKind
	other, to   string
	reason      string
	fault       error // why it was not taken
}

// correctionKinds are what may be wrong.
var correctionKinds = []store.CorrectionKind{store.WrongSignal, store.DuplicateSignal, store.WrongDistrict}

// corrected are the corrections of a district.
func (g *Pages) corrected(ctx context.Context, actor identity.Actor, lgd int) ([]store.Correction, error) {
	return g.store.Corrections(ctx, actor, lgd, store.Cursor{}, mostCorrected)
}

// correct shows the form.
func (g *Pages) correct(w http.ResponseWriter, r *http.Request) error {
	v, err := g.readCorrect(r)
	if err != nil {
		return err
	}
	v.event, v.kind = r.URL.Query().Get("event"), store.WrongSignal
	return g.showCorrect(w, r, http.StatusOK, v)
}

func (g *Pages) readCorrect(r *http.Request) (v correctView, err error) {
	actor, err := g.who(r)
	if err != nil {
		return v, err
	}
	if v.lgd, err = districtIn(r); err != nil {
		return v, err
	}
	if v.window, err = windowIn(r); err != nil {
		return v, err
	}
	book, err := g.desk.Book(r.Context(), actor)
	if err != nil {
		return v, err
	}
	e, ok := book.Find(v.lgd, g.store.Now())
	if !ok {
		return v, fault.New(fault.NotFound, "no district has the code %d", v.lgd).WithNext("see the list of districts")
	}
	v.name = e.Name
	return v, nil
}

func (g *Pages) showCorrect(w http.ResponseWriter, r *http.Request, status int, v correctView) error {
	p := g.page(r)
	p.Title = p.T("netra.correct")
	return g.site.Render(w, r, status, p, correctScreen(p, v))
}

// sendCorrect files a correction, and leads to its case.
func (g *Pages) sendCorrect(w http.ResponseWriter, r *http.Request) error {
	actor, err := g.who(r)
	if err != nil {
		return err
	}
	v, err := g.readCorrect(r)
	if err != nil {
		return err
	}
	if err := web.ParseForm(r); err != nil {
		return err
	}
	f := r.PostForm
	v.event, v.kind, v.reason = f.Get("event"), store.CorrectionKind(f.Get("kind")), f.Get("reason")
	v.other, v.to = f.Get("other"), f.Get("to")
	filing := correction.Filing{LGD: v.lgd, EventID: v.event, Kind: v.kind, Reason: v.reason}
	switch v.kind { // fields of the others were left as they were
	case store.DuplicateSignal:
		filing.Other = v.other
	case store.WrongDistrict:
		filing.ToLGD, _ = strconv.Atoi(v.to) // 0 is refused with its reason
	}
	c, err := g.corrector.File(r.Context(), actor, filing)
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Conflict, fault.NotFound:
		v.fault = err
		return g.showCorrect(w, r, http.StatusUnprocessableEntity, v)
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, g.site.Page(r).Href("/cases/"+string(c.Case)), http.StatusSeeOther)
	return nil
}
