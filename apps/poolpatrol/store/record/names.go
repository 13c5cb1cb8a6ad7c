package record

import (
	"context"
	"encoding/json"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/platform/identity"
)

// GapCount is how many things are missing from the records.
func (s *Records) GapCount(ctx context.Context, actor identity.Actor) (n int, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return 0, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select count(*) from poolpatrol.gap`).Scan(&n)
	})
	return n, err
}

// A SiteName is a site, for a list to choose from.
type SiteName struct {
	ID   fleet.SiteID
	Name string
}

// Label is what people call the site.
func (n SiteName) Label() string {
	if n.Name == "" {
		return string(n.ID)
	}
	return n.Name
}

// maxSites bounds a list to choose from.
const maxSites = 500

// SiteNames lists the sites there are vans at.
func (s *Records) SiteNames(ctx context.Context, actor identity.Actor) (all []SiteName, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, err
	}
	const list = `select id, name from poolpatrol.site s where exists (select from poolpatrol.vanpool v where v.org = s.org
		and v.site_id = s.id)
		order by nullif(name, ''), id limit $1`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, list, maxSites)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[SiteName])
		return err
	})
	return all, err
}

// SiteLabel is what people call a site; its id where it has no name.
func (s *Records) SiteLabel(ctx context.Context, actor identity.Actor, id fleet.SiteID) (string, error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return "", err
	}
	one := SiteName{ID: id}
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select coalesce((select name from poolpatrol.site where id = $1), '')`, id).Scan(&one.Name)
	})
	return one.Label(), err
}

// ShiftNames are what people call the shifts, by id; one without a name is not among
// them.
func (s *Records) ShiftNames(ctx context.Context, actor identity.Actor) (map[fleet.ShiftID]string, error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, err
	}
	found := map[fleet.ShiftID]string{}
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select id, name from poolpatrol.shift where name <> '' order by id limit $1`, maxSites)
		var id fleet.ShiftID
		var name string
		_, err := pgx.ForEachRow(rows, []any{&id, &name}, func() error {
			found[id] = name
			return nil
		})
		return err
	})
	return found, err
}

// A Granted is an exception, as its subject's page shows it.
type Granted struct {
	ID      string
	Check   check.Name
	Until   fleet.Date
	Reason  string
	By      string
	EndedAt *time.Time // taken back before its time
}

// mostGranted bounds the exceptions of one page.
const mostGranted = 100

// Exceptions lists the exceptions for somebody or a van, the newest first.
func (s *Records) Exceptions(ctx context.Context, actor identity.Actor, subject string) (all []Granted, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, err
	}
	const list = `select id, check_name, until_day` + sinceEpoch + `, reason, granted_by, ended_at from poolpatrol.exception
		where subject = $1 order by granted_at desc, id limit $2`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, list, subject, mostGranted)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Granted])
		return err
	})
	return all, err
}

// ShiftSlots are the hours of some shifts; of one that is not on record, none.
func (s *Records) ShiftSlots(ctx context.Context, actor identity.Actor, ids []fleet.ShiftID) (map[fleet.ShiftID][]fleet.Slot, error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, err
	}
	found := map[fleet.ShiftID][]fleet.Slot{}
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var id fleet.ShiftID
		var schedule []byte
		rows, _ := tx.Query(ctx, `select id, schedule from poolpatrol.shift where id = any($1)`, ids)
		_, err := pgx.ForEachRow(rows, []any{&id, &schedule}, func() error {
			var slots []fleet.Slot
			if err := json.Unmarshal(schedule, &slots); err != nil {
				return err
			}
			found[id] = slots
			return nil
		})
		return err
	})
	return found, err
}

// Farnesses are how far the riders of a van live from its pickup, in a straight
// line: no road is shorter. Coordinates stay here.
func (s *Records) Farnesses(ctx context.Context, actor identity.Actor, van fleet.VanpoolID) (map[fleet.EmployeeID]Farness, error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return nil, err
	}
	const list = `select e.id, e.home_lat, e.home_lng, coalesce(v.pickup_lat, w.lat), coalesce(v.pickup_lng, w.lng)
		from poolpatrol.rider r join poolpatrol.employee e on e.org = r.org and e.id = r.employee_id
		join poolpatrol.vanpool v on v.org = r.org and v.id = r.vanpool_id join poolpatrol.site w on w.org = v.org and w.id = v.site_id
		where r.vanpool_id = $1 and r.removed_on is null and e.home_lat is not null and coalesce(v.pickup_lat, w.lat) is not null`
	found := map[fleet.EmployeeID]Farness{}
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var id fleet.EmployeeID
		var home, pickup fleet.Point
		rows, _ := tx.Query(ctx, list, van)
		_, err := pgx.ForEachRow(rows, []any{&id, &home.Lat, &home.Lng, &pickup.Lat, &pickup.Lng}, func() error {
			found[id] = Farness{fleet.ToMiles(location.Haversine(home, pickup)), "line"}
			return nil
		})
		return err
	})
	return found, err
}

// A Farness is how far somebody lives from where the van picks them up.
type Farness struct {
	Miles fleet.Miles
	Way   string // how it was measured, as evidence names it; "line" for a straight line
}
