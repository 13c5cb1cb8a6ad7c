package console

import (
	"crypto/rand"
	"net/http"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// An openingForm is what a person opens a case with: a title. What an application works
// on, the application opens.
type openingForm struct {
	title string // as it was typed
	once  string // the key of the case: sent twice it is one
	fault error  // why the last one was not taken
}

// newOpening is an empty form.
func newOpening() openingForm { return openingForm{once: "page-" + rand.Text()} }

// bad is what is wrong with the title that was sent; empty if nothing is.
func (f openingForm) bad() string {
	if f.fault == nil {
		return ""
	}
	return ownWords(f.fault)
}

// openCase opens a case of nobody's application, by a person.
func (c *Console) openCase(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	sent := openingForm{title: r.PostForm.Get("title"), once: r.PostForm.Get("once")}
	one, _, err := c.cases.Open(r.Context(), actor, casefile.Opening{App: casefile.General().App, Key: sent.once, Title: sent.title})
	switch {
	case err == nil:
		http.Redirect(w, r, c.site.Page(r).Href(caseAddress(one.ID, "")), http.StatusSeeOther)
		return nil
	case !mendable(err):
		return err
	}
	sent.fault = err
	l, err := c.readList(r)
	if err != nil {
		return err
	}
	l.opening = sent
	p := c.casesPage(r)
	return c.site.Render(w, r, web.Status(fault.KindOf(sent.fault)), p, listBody(p, l))
}
