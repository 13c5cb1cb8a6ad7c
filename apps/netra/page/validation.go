package page

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"strconv"

	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/validate"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/intake"
	"github.com/gavelhq/gavel/platform/web"
)

// A validationView is what scores of a window were worth.
type validationView struct {
	store.Validation

	window int
	there  bool  // there is a comparison
	fault  error // why the last file was not taken
}

// whole is the report on all districts.
func (v validationView) whole() validate.Report {
	if len(v.Reports) == 0 {
		return validate.Report{NoSkill: true}
	}
	return v.Reports[0]
}

// at is what alarms at a band's threshold were worth; ok is false for the lowest band, where there are none, and where none was judged.
func (v validationView) at(b score.Band) (validate.Alarms, bool) {
	if all := v.whole().Alarms; b > score.Baseline && int(b) <= len(all) {
		return all[b-1], all[b-1].Raised > 0
	}
	return validate.Alarms{}, false
}

// validation is the page of what scores were worth.
func (g *Pages) validation(w http.ResponseWriter, r *http.Request) error {
	return g.showValidation(w, r, http.StatusOK, nil)
}

func (g *Pages) showValidation(w http.ResponseWriter, r *http.Request, status int, refused error) error {
	actor, err := g.who(r)
	if err != nil {
		return err
	}
	window, err := windowIn(r)
	if err != nil {
		return err
	}
	v, err := g.worth(r.Context(), actor, window)
	if err != nil {
		return err
	}
	v.fault = refused
	p := g.page(r)
	p.Title = p.T("netra.worth")
	return g.site.Render(w, r, status, p, validationScreen(p, v))
}

// worth is the last comparison of a window's scores.
func (g *Pages) worth(ctx context.Context, actor identity.Actor, window int) (v validationView, err error) {
	v.window = window
	v.Validation, v.there, err = g.store.NewestValidation(ctx, actor, window)
	return v, err
}

// compare takes a file of violent events, and keeps what comes of the comparison.
func (g *Pages) compare(w http.ResponseWriter, r *http.Request) error {
	actor, err := g.who(r)
	if err != nil {
		return err
	}
	window, err := windowIn(r)
	if err != nil {
		return err
	}
	name, events, err := eventsIn(r)
	if err == nil {
		_, err = g.desk.Judge(r.Context(), actor, window, name, events)
	}
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Conflict:
		return g.showValidation(w, r, http.StatusUnprocessableEntity, err)
	}
	if err != nil {
		return err
	}
	at := web.Address(ValidationAt, "window", strconv.Itoa(window))
	http.Redirect(w, r, g.site.Page(r).Href(at), http.StatusSeeOther)
	return nil
}

// eventsIn reads the file of a form.
func eventsIn(r *http.Request) (name string, events []validate.Event, err error) {
	file, head, err := r.FormFile("file")
	if err != nil {
		return "", nil, fault.From(fault.Invalid, err, "there is no file").WithNext("choose a CSV file and send the form again")
	}
	defer file.Close()
	body, err := io.ReadAll(io.LimitReader(file, intake.MaxBytes+1))
	if err != nil {
		return "", nil, fault.From(fault.Invalid, err, "the file could not be read")
	}
	if len(body) > intake.MaxBytes {
		return "", nil, fault.New(fault.TooLarge, "the file has more than %d MB", intake.MaxBytes>>20)
	}
	if name = filepath.Base(head.Filename); len(name) > 200 {
		name = name[:200]
	}
	events, err = validate.ReadEvents(body)
	return name, events, err
}

// skillWords are a skill as it may be claimed, and how sure it is.
func skillWords(p *web.Page, s validate.Skill) string {
	if s.Reported() <= 0 {
		return p.T("netra.skill_none", "value", signed(s.Value, 3), "error", figure(s.Error, 3))
	}
	return p.T("netra.skill", "value", signed(s.Value, 3), "error", figure(s.Error, 3))
}

// byState are the reports on single states.
func (v validationView) byState() []validate.Report {
	if len(v.Reports) < 2 {
		return nil
	}
	return v.Reports[1:]
}

// maxEvents bounds the form around a file of events, in bytes.
const maxEvents = intake.MaxBytes + 1<<16
