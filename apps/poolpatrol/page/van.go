package page

import (
	"net/http"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/brief"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/web"
)

// A vanList is a page of vans under a filter. Nothing in its address is about a
// person: vans are found by site, by outcome and by their own number.
type vanList struct {
	query record.VanFilter
	after string
	all   []record.VanpoolRow
	next  string
	sites []record.SiteName
}

// vans is the page of all vans.
func (g *Pages) vans(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	q := r.URL.Query()
	q.Set("van", typedVan(q.Get("van")))
	l := vanList{after: q.Get("after")}
	if err := web.Plain(l.after); err != nil {
		return err
	}
	if err := list.Read(q, &l.query); err != nil {
		return err
	}
	if l.all, l.next, err = g.store.Vanpools(r.Context(), actor, l.query, l.after, perPage); err != nil {
		return err
	}
	if l.sites, err = g.store.SiteNames(r.Context(), actor); err != nil {
		return err
	}
	p := g.headed(r, "pool.vans")
	return g.site.Render(w, r, http.StatusOK, p, vansScreen(p, l))
}

// typedVan is a van's number as somebody types it: 101 and vp-101 are VP-101.
func typedVan(s string) string {
	s = strings.ToUpper(strings.TrimSpace(s))
	if s != "" && s[0] >= '0' && s[0] <= '9' {
		return "VP-" + s
	}
	return s
}

// narrowed reports whether a filter is set.
func (l vanList) narrowed() bool { return l.query != record.VanFilter{} }

// address is a page of the list under the same filter.
func (l vanList) address(path, after string) string {
	return web.Address(path, append(list.Pairs(&l.query), "after", after)...)
}

func (l vanList) following() string {
	if l.next == "" {
		return ""
	}
	return l.address(vansAt, l.next)
}

// file is where the vans shown can be had as a file.
func (l vanList) file(format string) string {
	return web.Address("/v1/poolpatrol/vanpools", append([]string{"format", format}, list.Queries(&l.query)...)...)
}

// A vanView is one van with the people in it and its newest audit.
type vanView struct {
	record.VanpoolView
	hours  string // its own schedule in words; empty where it has none
	shifts map[fleet.ShiftID]string
	miles  map[fleet.EmployeeID]record.Farness
	unit   fleet.Unit
	newest *store.Run
	open   []store.CaseLink // cases of the van that are open
}

// van is the page of one van.
func (g *Pages) van(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	id, err := fleet.ParseVanpool(r.PathValue("id"))
	if err != nil {
		return fault.New(fault.NotFound, "no van is called %.40q", r.PathValue("id")).WithNext("see the list of vans").
			Because("no_van", "id", r.PathValue("id"))
	}
	p, v := g.page(r, string(id)), vanView{}
	if v.VanpoolView, err = g.store.Vanpool(r.Context(), actor, id); err != nil {
		return err
	}
	var worn []fleet.ShiftID
	for _, m := range v.Riders {
		worn = append(worn, m.Shift)
	}
	if v.shifts, err = g.shiftHours(r.Context(), p, actor, worn); err != nil {
		return err
	}
	now, _, err := g.store.Terms(r.Context(), actor)
	if err != nil {
		return err
	}
	v.unit = now.Unit
	if v.miles, err = g.store.Farnesses(r.Context(), actor, v.Vanpool.ID); err != nil {
		return err
	}
	if len(v.Runs) > 0 {
		one, err := g.store.Run(r.Context(), actor, string(v.Runs[0].ID))
		if err != nil {
			return err
		}
		v.newest = &one
		fromAudit(one, v.miles)
	}
	if v.open, err = g.store.OpenCases(r.Context(), actor, id, ""); err != nil {
		return err
	}
	v.hours = hoursOf(p, v.Slots)
	return g.site.Render(w, r, http.StatusOK, p, vanScreen(p, v))
}

// fromAudit puts in what the audit measured, where it did.
func fromAudit(one store.Run, all map[fleet.EmployeeID]record.Farness) {
	for _, v := range one.Verdicts {
		for _, e := range v.Evidence() {
			if e.Type != "distance_check" {
				continue
			}
			var m fleet.Miles
			if err := m.UnmarshalJSON([]byte(e.Data.Text("distance_miles"))); err == nil && m >= 0 {
				all[fleet.EmployeeID(e.Data.Text("employee_id"))] = record.Farness{Miles: m, Way: e.Data.Text("method")}
			}
		}
	}
}

// farWords say how far, and how that is known.
func farWords(p *web.Page, f record.Farness, u fleet.Unit, known bool) string {
	if !known {
		return p.T("pool.far_unknown")
	}
	if u == fleet.InKilometres {
		return p.T("pool.far_km", "km", f.Miles.In(u), "how", p.Word("pool.value.", f.Way))
	}
	return p.T("pool.far", "miles", f.Miles.String(), "how", p.Word("pool.value.", f.Way))
}

// hoursOf is a schedule in the reader's words, or that it cannot be read.
func hoursOf(p *web.Page, slots []fleet.Slot) string {
	if len(slots) == 0 {
		return ""
	}
	week, err := fleet.ReadWeek(slots)
	if err != nil {
		text, _ := fault.Words(err)
		return web.Sentence(text)
	}
	return brief.Hours(week.Hours()).In(string(p.Lang))
}

// failedNames are the checks of a row, as names.
func failedNames(all []string) []check.Name {
	out := make([]check.Name, len(all))
	for i, c := range all {
		out[i] = check.Name(c)
	}
	return out
}

// A gapList is a page of what is missing from the records.
type gapList struct {
	all         []record.Gap
	after, next string
	empty       bool // no van is on record: nobody can say what is missing
}

// gaps is the page of what is missing from the records. It accuses nobody.
func (g *Pages) gaps(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	l := gapList{after: r.URL.Query().Get("after")}
	if err := web.Plain(l.after); err != nil {
		return err
	}
	if l.all, l.next, err = g.store.Gaps(r.Context(), actor, l.after, perPage); err != nil {
		return err
	}
	sites, err := g.store.SiteNames(r.Context(), actor)
	if err != nil {
		return err
	}
	l.empty = len(sites) == 0
	p := g.headed(r, "pool.gaps")
	return g.site.Render(w, r, http.StatusOK, p, gapsScreen(p, l))
}

func (l gapList) following() string {
	if l.next == "" {
		return ""
	}
	return web.Address(gapsAt, "after", l.next)
}
