package page

import (
	"net/http"
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// casesAt is the address of the programme's cases.
const casesAt = homeAt + "/cases"

// A caseList is a page of cases under a filter.
type caseList struct {
	query store.CaseQuery
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
	l := caseList{query: store.CaseQuery{After: q.Get("after"), Limit: perPage, State: lifecycle.State(q.Get("state")), Waiting: store.Waiting(q.Get("waiting")),
		Van: fleet.VanpoolID(typedVan(q.Get("van"))), Overdue: q.Get("overdue") == "yes", Open: q.Get("open") == "yes", Ended: q.Get("ended") == "yes"}}
	if err := checkCases(l.query); err != nil {
		return err
	}
	if l.all, l.next, err = g.store.Cases(r.Context(), actor, l.query); err != nil {
		return err
	}
	p := g.headed(r, "pool.cases")
	return g.site.Render(w, r, http.StatusOK, p, casesScreen(p, l))
}

// checkCases refuses what no page of ours asks for.
func checkCases(q store.CaseQuery) error {
	if err := web.Plain(q.After, string(q.Van)); err != nil {
		return err
	}
	switch {
	case q.State != "" && !slices.Contains(lifecycle.States(), q.State):
		return fault.New(fault.Invalid, "no case is %.20q", q.State).WithNext("begin the list anew")
	case q.Waiting != "" && !slices.Contains(store.Waitings(), q.Waiting):
		return fault.New(fault.Invalid, "no case waits for %.20q", q.Waiting).WithNext("begin the list anew")
	case len(q.Van) > maxTyped:
		return fault.New(fault.Invalid, "a van's number has at most %d characters", maxTyped).WithNext("write it as VP-101")
	}
	return nil
}

// narrowed reports whether the list is not of all cases.
func (l caseList) narrowed() bool {
	q := l.query
	q.Limit = 0
	return q != store.CaseQuery{}
}

// address is a page of the list under the same filter.
func (l caseList) address(path, after string) string {
	q := l.query
	return web.Address(path, "state", string(q.State), "van", string(q.Van), "waiting", string(q.Waiting), "overdue", yes(q.Overdue), "open", yes(q.Open), "ended", yes(q.Ended), "after", after)
}

func (l caseList) following() string {
	if l.next == "" {
		return ""
	}
	return l.address(casesAt, l.next)
}

// file is where the list can be had as a file.
func (l caseList) file(format string) string {
	q := l.query
	truth := func(is bool) string {
		if is {
			return "true"
		}
		return ""
	}
	return web.Address("/v1/poolpatrol/cases", "format", format, "state", string(q.State), "vanpool_id", string(q.Van), "waiting_on", string(q.Waiting),
		"overdue", truth(q.Overdue), "open", truth(q.Open), "ended", truth(q.Ended))
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return ""
}
