package poolpatrol

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A riderPage is one person of the programme: what an audit reads about them, and
// what audits said. Where they live is told as a ZIP and a distance; addresses and
// e-mail addresses stay in the records.
type riderPage struct {
	EmployeeView
	hours   map[fleet.ShiftID]string
	granted []grantedRow
	runs    []Run
	open    []caseLink // cases they are on that are open
	names   map[fleet.ShiftID]string
	site    string // what people call where they work
}

// rider is the page of one person.
func (g *pages) rider(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	id, err := fleet.ParseEmployee(r.PathValue("id"))
	if err != nil {
		return fault.New(fault.NotFound, "nobody has the number %.40q", r.PathValue("id"))
	}
	v := riderPage{}
	if v.EmployeeView, err = g.app.store.Employee(r.Context(), actor, id); err != nil {
		return err
	}
	var held []fleet.ShiftID
	for _, a := range v.Shifts {
		held = append(held, a.Shift)
	}
	if v.hours, err = g.app.store.shiftHours(r.Context(), actor, held); err != nil {
		return err
	}
	if v.granted, err = g.app.store.granted(r.Context(), actor, string(id)); err != nil {
		return err
	}
	if v.runs, err = g.app.store.runsNaming(r.Context(), actor, id); err != nil {
		return err
	}
	if v.open, err = g.app.store.openCases(r.Context(), actor, "", id); err != nil {
		return err
	}
	if v.names, err = g.app.store.shiftNames(r.Context(), actor); err != nil {
		return err
	}
	if v.site, err = g.app.store.siteLabel(r.Context(), actor, v.Site); err != nil {
		return err
	}
	p := g.page(r, string(id))
	return g.site.Render(w, r, http.StatusOK, p, riderScreen(p, v))
}

// A grantedRow is an exception, as its subject's page shows it.
type grantedRow struct {
	ID      string
	Check   check.Name
	Until   fleet.Date
	Reason  string
	By      string
	EndedAt *time.Time // taken back before its time
}

// mostGranted bounds the exceptions of one page.
const mostGranted = 100

// granted lists the exceptions for somebody or a van, the newest first.
func (s *Store) granted(ctx context.Context, actor identity.Actor, subject string) (all []grantedRow, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	const list = `select id, check_name, until_day` + sinceEpoch + `, reason, granted_by, ended_at from poolpatrol.exception where subject = $1 order by granted_at desc, id limit $2`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, list, subject, mostGranted)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[grantedRow])
		return err
	})
	return all, err
}

// runsNaming lists the newest audits with a finding on somebody, of the vans they
// ride or rode in.
func (s *Store) runsNaming(ctx context.Context, actor identity.Actor, who fleet.EmployeeID) (all []Run, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	const list = `select ` + runColumns + ` from poolpatrol.audit_run a
		where vanpool_id in (select vanpool_id from poolpatrol.rider where employee_id = $1)
			and jsonb_path_exists(verdicts, '$[*].findings[*] ? (@.employee_id == $who)', jsonb_build_object('who', $1::text))
		order by at desc, id desc limit $2`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, list, who, mostRuns)
		all, err = pgx.CollectRows(rows, scanRun)
		return err
	})
	return all, err
}

// shiftHours are the hours of some shifts in words; of one that is not on record,
// none.
func (s *Store) shiftHours(ctx context.Context, actor identity.Actor, ids []fleet.ShiftID) (map[fleet.ShiftID]string, error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	found := map[fleet.ShiftID]string{}
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var id fleet.ShiftID
		var schedule []byte
		rows, _ := tx.Query(ctx, `select id, schedule from poolpatrol.shift where id = any($1)`, ids)
		_, err := pgx.ForEachRow(rows, []any{&id, &schedule}, func() error {
			var slots []fleet.Slot
			if err := json.Unmarshal(schedule, &slots); err != nil {
				return err
			}
			found[id] = hoursOf(slots)
			return nil
		})
		return err
	})
	return found, err
}

// farnesses are how far the riders of a van live from its pickup, in a straight
// line: no road is shorter. Coordinates stay here.
func (s *Store) farnesses(ctx context.Context, actor identity.Actor, van fleet.VanpoolID) (map[fleet.EmployeeID]farness, error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	const list = `select e.id, e.home_lat, e.home_lng, coalesce(v.pickup_lat, w.lat), coalesce(v.pickup_lng, w.lng)
		from poolpatrol.rider r join poolpatrol.employee e on e.org = r.org and e.id = r.employee_id
		join poolpatrol.vanpool v on v.org = r.org and v.id = r.vanpool_id join poolpatrol.site w on w.org = v.org and w.id = v.site_id
		where r.vanpool_id = $1 and r.removed_on is null and e.home_lat is not null and coalesce(v.pickup_lat, w.lat) is not null`
	found := map[fleet.EmployeeID]farness{}
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var id fleet.EmployeeID
		var home, pickup fleet.Point
		rows, _ := tx.Query(ctx, list, van)
		_, err := pgx.ForEachRow(rows, []any{&id, &home.Lat, &home.Lng, &pickup.Lat, &pickup.Lng}, func() error {
			found[id] = farness{fleet.ToMiles(location.Haversine(home, pickup)), "line"}
			return nil
		})
		return err
	})
	return found, err
}
