package airshed

import (
	"bytes"
	"cmp"
	"net/http"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/report"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/pdf"
)

// reportsAt is where the files of reports are.
const reportsAt = homeAt + "/reports"

// ownStyle lets a page that was kept use the style in it, and nothing else: it brings
// no script, and asks for nothing.
const ownStyle = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-same-origin"

// reportFile hands a report out as it was kept: the page people read, the JSON that is
// filed, or the page on paper.
func (g *pages) reportFile(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	id, err := reportID(r.PathValue("id"))
	if err != nil {
		return err
	}
	form := cmp.Or(r.URL.Query().Get("form"), string(report.English))
	lang, kind, _ := strings.Cut(form, ".")
	switch form {
	case "json":
		lang, kind = "", "json"
	case "en", "hi":
		kind = "html"
	case "en.pdf", "hi.pdf":
	default:
		return fault.New(fault.NotFound, "a report has no form %.20q", form).WithNext("use json, en, hi, en.pdf or hi.pdf")
	}
	one, body, err := g.app.store.ReportFile(r.Context(), actor, id, report.Lang(lang))
	if err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	name := id
	if lang != "" {
		name += "-" + lang
	}
	switch kind {
	case "json":
		h.Set("Content-Type", "application/json")
		h.Set("Content-Disposition", `attachment; filename="`+report.FileName(one.MadeAt)+`"`)
	case "html":
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", ownStyle)
	case "pdf":
		if !g.app.paper.Available() {
			return fault.New(fault.Unavailable, "there is no browser here that could print").WithNext("print the page, or have an operator %s", pdf.Cure)
		}
		if body, err = g.app.paper.Print(r.Context(), pdf.Page{HTML: body, Made: one.MadeAt}); err != nil {
			return err
		}
		h.Set("Content-Type", "application/pdf")
		h.Set("Content-Disposition", `attachment; filename="`+name+`.pdf"`)
	}
	_, err = bytes.NewReader(body).WriteTo(w)
	return err
}
