package page

import (
	"net/http"

	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/web"
)

// casesAt is the address of the programme's cases.
const casesAt = homeAt + "/cases"

// A caseList is a page of cases under a filter.
type caseList struct {
	query store.CaseFilter
	after string
	all   []store.CaseRow
	next  string
}

// cases is the page of the programme's cases.
func (g *Pages) cases(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	q.Set("van", typedVan(q.Get("van")))
	l := caseList{after: q.Get("after")}
	if err := list.Read(q, &l.query); err != nil {
		return err
	}
	if l.all, l.next, err = g.store.Cases(r.Context(), actor, l.query, l.after, perPage); err != nil {
		return err
	}
	p := g.headed(r, "pool.cases")
	return g.site.Render(w, r, http.StatusOK, p, casesScreen(p, l))
}

// narrowed reports whether the list is not of all cases.
func (l caseList) narrowed() bool { return l.after != "" || l.query != store.CaseFilter{} }

// address is a page of the list under the same filter.
func (l caseList) address(path, after string) string {
	return web.Address(path, append(list.Pairs(&l.query), "after", after)...)
}

func (l caseList) following() string {
	if l.next == "" {
		return ""
	}
	return l.address(casesAt, l.next)
}

// file is where the list can be had as a file.
func (l caseList) file(format string) string {
	return web.Address("/v1/poolpatrol/cases", append([]string{"format", format}, list.Queries(&l.query)...)...)
}
