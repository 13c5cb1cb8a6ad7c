package page

import (
	"net/http"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/rule/contradiction"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/web"
)

// A contradictionsView is what contradicts what in a report.
type contradictionsView struct {
	casework.View

	items   []contradiction.Item
	with    string         // the report it is compared with; empty: none
	others  []store.Report // that it can be compared with
	partial error          // the files of the run cannot be read
}

// mostOthers is how many reports a report can be compared with, the newest.
const mostOthers = 100

func (g *Pages) contradictions(w http.ResponseWriter, r *http.Request) error {
	actor, err := who(r)
	if err != nil {
		return err
	}
	v := contradictionsView{with: r.URL.Query().Get("with")}
	if v.View, err = g.overview(r, actor); err != nil {
		return err
	}
	if v.with != "" && !store.IsID(v.with) {
		return fault.New(fault.NotFound, "no report is called %.40q", v.with).WithNext("see the list of reports").
			Because("report_unknown", "id", v.with)
	}
	all, err := g.store.Reports(r.Context(), actor, list.Cursor{}, mostOthers)
	if err != nil {
		return err
	}
	for _, one := range all {
		if one.ID != v.ID {
			v.others = append(v.others, one)
		}
	}
	v.items, err = g.desk.Contradictions(r.Context(), actor, v.View, v.with)
	if fault.Is(err, fault.Unavailable) {
		v.partial, err = err, nil
	}
	if err != nil {
		return err
	}
	p := g.page(r)
	p.Title = p.T("rp.contradictions_of", "title", v.Title)
	return g.site.Render(w, r, http.StatusOK, p, contradictionsScreen(p, v))
}

// place is where a side stands, as a page says it, and where that leads.
func (v contradictionsView) place(p *web.Page, s contradiction.Side, k contradiction.Kind, left bool) (words, href string) {
	if k == contradiction.Charts {
		return s.Where, ""
	}
	if k == contradiction.Before && left {
		return s.Where, p.Href(sectionAt(v.with, s.Where, ""))
	}
	return titleOf(v.View, s.Where), p.Href(sectionAt(v.ID, s.Where, ""))
}
