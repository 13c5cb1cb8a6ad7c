package page

import (
	"bytes"
	"cmp"
	"net/http"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/pdf"
	"github.com/gavelhq/gavel/platform/web"
)

// reportsAt is where the files of reports are.
const reportsAt = frame.HomeAt + "/reports"

// reportAddress is where a report is in a form: a draft, or with none what stands.
func reportAddress(id, form string, draft int) string {
	at := reportsAt + "/" + id + "/file?form=" + form
	if draft > 0 {
		at += "&draft=" + strconv.Itoa(draft)
	}
	return at
}

// ownStyle lets a page that was kept use the style in it, and nothing else: it brings
// no script, and asks for nothing.
const ownStyle = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-same-origin"

// reportFile hands a report out as it was kept: the page people read, the JSON that is
// filed, or the page on paper.
func (g *Pages) reportFile(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	id, err := store.ReportID(r.PathValue("id"))
	if err != nil {
		return err
	}
	if done, err := g.notOpened(w, r, actor, id); done || err != nil {
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
		return fault.New(fault.NotFound, "a report has no form %.20q", form).WithNext("use json, en, hi, en.pdf or hi.pdf").
			Because("no_report_form", "value", form, "forms", "json, en, hi, en.pdf, hi.pdf")
	}
	draft, err := draftIn(r.URL.Query().Get("draft"))
	if err != nil {
		return err
	}
	one, body, err := g.Store.ReportFile(r.Context(), actor, id, draft, report.Lang(lang))
	if err != nil {
		return err
	}
	if kind == "pdf" {
		if body, err = g.episodes.Illustrated(r, actor, one, web.Lang(lang), body); err != nil {
			return err
		}
		if body, err = g.printed(r, one, body); err != nil {
			return err
		}
	}
	if err := g.Store.HandOut(r.Context(), actor, one, body); err != nil {
		return err
	}
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	switch kind {
	case "json":
		h.Set("Content-Type", "application/json")
		h.Set("Content-Disposition", `attachment; filename="`+report.FileName(one.MadeAt)+`"`)
	case "html":
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Security-Policy", ownStyle)
	case "pdf":
		h.Set("Content-Type", "application/pdf")
		h.Set("Content-Disposition", `attachment; filename="`+id+"-"+lang+`.pdf"`)
	}
	_, err = bytes.NewReader(body).WriteTo(w)
	return err
}

// notOpened answers who does not open a file: that it leaves is put on record, and
// paper costs a browser, so neither happens for a look ahead, a question about the
// address, or a link on another site, which leads to the case instead. The address
// stays a GET: it is a link in papers that others show.
func (g *Pages) notOpened(w http.ResponseWriter, r *http.Request, actor identity.Actor, id string) (done bool, err error) {
	ahead := strings.HasPrefix(cmp.Or(r.Header.Get("Sec-Purpose"), r.Header.Get("Purpose")), "prefetch")
	from := r.Header.Get("Sec-Fetch-Site")
	elsewhere := from == "cross-site" || from == "same-site"
	switch {
	case ahead:
		return true, fault.New(fault.Unavailable, "a report is not handed out ahead of time").WithNext("open it")
	case r.Method != http.MethodHead && !elsewhere:
		return false, nil
	}
	one, err := g.Store.Report(r.Context(), actor, id)
	if err != nil {
		return true, err
	}
	w.Header().Set("Cache-Control", "no-store")
	if elsewhere {
		http.Redirect(w, r, g.Site.Page(r).Href("/cases/"+string(one.Case)), http.StatusSeeOther)
	}
	return true, nil
}

// printed is a page of a report on paper.
func (g *Pages) printed(r *http.Request, one store.Report, page []byte) ([]byte, error) {
	if !g.paper.Available() {
		return nil, fault.New(fault.Unavailable, "there is no browser here that could print").
			WithNext("print the page, or have an operator %s", pdf.Cure).Because("no_printer")
	}
	return g.paper.Print(r.Context(), pdf.Page{HTML: page, Made: one.MadeAt})
}

// draftIn reads which draft an address names; 0 for what stands.
func draftIn(text string) (int, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 31)
	if err != nil || n == 0 {
		return 0, fault.New(fault.Invalid, "draft %.20q: it is a number, 1 or more", text).Because("no_number", "value", text)
	}
	return int(n), nil
}
