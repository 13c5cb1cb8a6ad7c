package page

import (
	"context"
	"net/http"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// A riderPage is one person of the programme: what an audit reads about them, and
// what audits said. Where they live is told as a ZIP and a distance; addresses and
// e-mail addresses stay in the records.
type riderPage struct {
	record.EmployeeView
	hours   map[fleet.ShiftID]string
	granted []record.Granted
	runs    []store.Run
	open    []store.CaseLink // cases they are on that are open
	names   map[fleet.ShiftID]string
	site    string // what people call where they work
}

// rider is the page of one person.
func (g *Pages) rider(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	id, err := fleet.ParseEmployee(r.PathValue("id"))
	if err != nil {
		return fault.New(fault.NotFound, "nobody has the number %.40q", r.PathValue("id")).Because("no_rider", "id", r.PathValue("id"))
	}
	p, v := g.page(r, string(id)), riderPage{}
	if v.EmployeeView, err = g.store.Employee(r.Context(), actor, id); err != nil {
		return err
	}
	var held []fleet.ShiftID
	for _, a := range v.Shifts {
		held = append(held, a.Shift)
	}
	if v.hours, err = g.shiftHours(r.Context(), p, actor, held); err != nil {
		return err
	}
	if v.granted, err = g.store.Exceptions(r.Context(), actor, string(id)); err != nil {
		return err
	}
	if v.runs, err = g.store.RunsNaming(r.Context(), actor, id); err != nil {
		return err
	}
	if v.open, err = g.store.OpenCases(r.Context(), actor, "", id); err != nil {
		return err
	}
	if v.names, err = g.store.ShiftNames(r.Context(), actor); err != nil {
		return err
	}
	if v.site, err = g.store.SiteLabel(r.Context(), actor, v.Site); err != nil {
		return err
	}
	return g.site.Render(w, r, http.StatusOK, p, riderScreen(p, v))
}

// shiftHours are the hours of some shifts in words; of one that is not on record,
// none.
func (g *Pages) shiftHours(ctx context.Context, p *web.Page, actor identity.Actor,
	ids []fleet.ShiftID) (map[fleet.ShiftID]string, error) {
	slots, err := g.store.ShiftSlots(ctx, actor, ids)
	if err != nil {
		return nil, err
	}
	found := make(map[fleet.ShiftID]string, len(slots))
	for id, some := range slots {
		found[id] = hoursOf(p, some)
	}
	return found, nil
}
