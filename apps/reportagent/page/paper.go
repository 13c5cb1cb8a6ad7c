package page

import (
	"net/http"

	"github.com/gavelhq/gavel/apps/reportagent/rule/paper"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// paper is the whole report as one page that needs nothing from outside.
func (g *Pages) paper(w http.ResponseWriter, r *http.Request) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	v, err := g.view(r, actor)
	if err != nil {
		return err
	}
	cat, err := g.desk.Catalogue(r.Context(), actor.Org, v.Data.Pack)
	if err != nil {
		return err
	}
	body, err := paper.HTML(v.Document.Render(), v.Ledger, cat)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; sandbox")
	web.SendFile(w, web.File{Name: v.ID + ".html", Type: "text/html; charset=utf-8", Inline: true, Body: body})
	return nil
}

// evidence is the report with everything that an auditor needs to do its numbers again. One that does not hold is not handed out: the page
// says so.
func (g *Pages) evidence(w http.ResponseWriter, r *http.Request) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	id, err := reportIn(r)
	if err != nil {
		return err
	}
	body, err := g.desk.Evidence(r.Context(), actor, id)
	if fault.Is(err, fault.Conflict) {
		return g.showReport(w, r, web.Status(fault.KindOf(err)), reportView{fault: err, notDone: "evidence"})
	}
	if err != nil {
		return err
	}
	web.SendFile(w, web.File{Name: id + "-evidence.zip", Type: "application/zip", Body: body})
	return nil
}
