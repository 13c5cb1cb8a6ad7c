package console

import (
	"net/http"
	"net/url"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
	"github.com/gavelhq/gavel/platform/web/ui"
)

const casesPerPage = 50

// A caseList is one page of the list of cases.
type caseList struct {
	state  casefile.State // empty for all
	before casefile.CaseID
	cases  []casefile.Case
	next   casefile.CaseID // where the next page begins; empty on the last

	opening openingForm
}

// listStates are the tabs above the list; the first shows all.
func listStates() []casefile.State {
	return []casefile.State{"", casefile.Open, casefile.Waiting, casefile.Closed}
}

// list is the page of an organisation's cases, newest first.
func (c *Console) list(w http.ResponseWriter, r *http.Request) error {
	l, err := c.readList(r)
	if err != nil {
		return err
	}
	p := c.casesPage(r)
	return c.site.Render(w, r, http.StatusOK, p, listBody(p, l))
}

// rows is the region of the list that keeps itself current.
func (c *Console) rows(w http.ResponseWriter, r *http.Request) error {
	l, err := c.readList(r)
	if err != nil {
		return err
	}
	p := c.casesPage(r)
	return c.site.Region(w, r, p, l.region(p))
}

func (c *Console) casesPage(r *http.Request) *web.Page {
	p := c.site.Page(r)
	p.Title, p.Section = p.T("console.cases"), "cases"
	return p
}

func (c *Console) readList(r *http.Request) (caseList, error) {
	actor, err := c.reader(r)
	if err != nil {
		return caseList{}, err
	}
	q := r.URL.Query()
	l := caseList{state: casefile.State(q.Get("state")), opening: newOpening()}
	if l.state != "" && l.state != casefile.Open && l.state != casefile.Waiting && l.state != casefile.Closed {
		return caseList{}, fault.New(fault.Invalid, "no case is ever %.40q", l.state).Because("no_choice", "value", string(l.state))
	}
	if before := q.Get("before"); before != "" {
		if l.before, err = casefile.ParseCaseID(before); err != nil {
			return caseList{}, noPageAt(before)
		}
	}
	l.cases, l.next, err = c.cases.List(r.Context(), actor.Org,
		casefile.ListQuery{State: l.state, Before: l.before, Limit: casesPerPage})
	return l, err
}

func (l caseList) region(p *web.Page) web.Region {
	return web.Region{ID: "rows", Object: "case_*", Src: l.address("/cases/rows", l.before), Hold: true, Body: listRows(p, l)}
}

// address is a page of the list under the same filter.
func (l caseList) address(path string, before casefile.CaseID) string {
	q := url.Values{}
	if l.state != "" {
		q.Set("state", string(l.state))
	}
	if before != "" {
		q.Set("before", string(before))
	}
	return withQuery(path, q.Encode())
}

// tabs lead to the cases of one state.
func (l caseList) tabs(p *web.Page) []ui.Tab {
	var all []ui.Tab
	for _, state := range listStates() {
		tab := ui.Tab{Text: p.T("list.state." + stateName(state)), Href: p.Href(caseList{state: state}.address("/cases", "")),
			Here: state == l.state}
		if state != "" {
			tab.Icon = stateIcon(state)
		}
		all = append(all, tab)
	}
	return all
}

// pager leads to older cases and back to the newest.
func (l caseList) pager(p *web.Page) ui.Pager {
	g := ui.Pager{Label: p.T("list.pages"), Back: ui.Link{Text: p.T("list.newest")}, Next: ui.Link{Text: p.T("list.older")}}
	if l.before != "" {
		g.Back.Href = p.Href(l.address("/cases", ""))
	}
	if l.next != "" {
		g.Next.Href = p.Href(l.address("/cases", l.next))
	}
	return g
}

// file is the address of all the filtered cases as a file.
func (l caseList) file(format string) string {
	q := url.Values{"format": {format}}
	if l.state != "" {
		q.Set("state", string(l.state))
	}
	return withQuery("/v1/cases", q.Encode())
}
