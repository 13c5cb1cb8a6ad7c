package poolpatrol

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/badge"
	"github.com/gavelhq/gavel/apps/poolpatrol/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/parking"
)

// Days are read as what fleet.Date is: days since 1 January 1970, 0 for none.
const (
	sinceEpoch = ` - date '1970-01-01'`
	dayOrNone  = `coalesce(%s` + sinceEpoch + `, 0)`
)

func dayColumn(name string) string { return fmt.Sprintf(dayOrNone, name) }

// readRecords reads everything an audit goes by, in the caller's transaction and
// whoever asks: one statement a table, all things in order of their ids. Somebody
// who was removed from a van is not among its riders.
func readRecords(ctx context.Context, tx pgx.Tx) (r fleet.Records, err error) {
	if r.Taken, err = readAge(ctx, tx); err != nil {
		return r, err
	}
	if r.Sites, err = readSites(ctx, tx); err != nil {
		return r, fmt.Errorf("read sites: %w", err)
	}
	if r.Shifts, err = readShifts(ctx, tx); err != nil {
		return r, fmt.Errorf("read shifts: %w", err)
	}
	if r.Employees, err = readEmployees(ctx, tx); err != nil {
		return r, fmt.Errorf("read employees: %w", err)
	}
	if r.Vanpools, err = readVanpools(ctx, tx); err != nil {
		return r, fmt.Errorf("read vanpools: %w", err)
	}
	return inOrderOfID(r), nil
}

// readAge is how old the records are that people are judged on: the older of
// employees and vanpools. It is zero where one of them never came.
func readAge(ctx context.Context, tx pgx.Tx) (time.Time, error) {
	const oldest = `select min(at) from poolpatrol.sync where kind in ('employees', 'vanpools') having count(*) = 2`
	rows, _ := tx.Query(ctx, oldest)
	at, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil || len(at) == 0 {
		return time.Time{}, err
	}
	return at[0].UTC(), nil
}

// inOrderOfID sorts everything, so that the same records are the same bytes.
func inOrderOfID(r fleet.Records) fleet.Records {
	slices.SortFunc(r.Sites, func(a, b fleet.Site) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(r.Shifts, func(a, b fleet.Shift) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(r.Employees, func(a, b fleet.Employee) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(r.Vanpools, func(a, b fleet.Vanpool) int { return cmp.Compare(a.ID, b.ID) })
	for _, v := range r.Vanpools {
		slices.SortFunc(v.Riders, func(a, b fleet.Rider) int { return cmp.Compare(a.Employee, b.Employee) })
	}
	return r
}

func readSites(ctx context.Context, tx pgx.Tx) ([]fleet.Site, error) {
	all := []fleet.Site{}
	var s fleet.Site
	var lat, lng *float64
	rows, _ := tx.Query(ctx, `select id, name, zone, lat, lng from poolpatrol.site`)
	_, err := pgx.ForEachRow(rows, []any{&s.ID, &s.Name, &s.Zone, &lat, &lng}, func() error {
		s.At = point(lat, lng)
		all = append(all, s)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, loadZones(all)
}

// loadZones finds the clocks the sites go by.
func loadZones(sites []fleet.Site) (err error) {
	for i := range sites {
		if sites[i].Time, err = time.LoadLocation(sites[i].Zone); err != nil {
			return fmt.Errorf("time zone of site %s: %w", sites[i].ID, err)
		}
	}
	return nil
}

func point(lat, lng *float64) *fleet.Point {
	if lat == nil || lng == nil {
		return nil
	}
	return &fleet.Point{Lat: *lat, Lng: *lng}
}

func readShifts(ctx context.Context, tx pgx.Tx) ([]fleet.Shift, error) {
	all := []fleet.Shift{}
	var s fleet.Shift
	var schedule []byte
	rows, _ := tx.Query(ctx, `select id, name, schedule from poolpatrol.shift`)
	_, err := pgx.ForEachRow(rows, []any{&s.ID, &s.Name, &schedule}, func() error {
		s.Slots = nil
		if err := json.Unmarshal(schedule, &s.Slots); err != nil {
			return err
		}
		all = append(all, s)
		return nil
	})
	return all, err
}

func readEmployees(ctx context.Context, tx pgx.Tx) ([]fleet.Employee, error) {
	all, at := []fleet.Employee{}, map[fleet.EmployeeID]int{}
	var e fleet.Employee
	var lat, lng *float64
	rows, _ := tx.Query(ctx, `select id, status, time_type, coalesce(site_id, ''), coalesce(manager_id, ''),
		home_zip, home_lat, home_lng, zip_only, zip_radius_miles from poolpatrol.employee`)
	into := []any{&e.ID, &e.Standing, &e.TimeType, &e.Site, &e.Manager, &e.Home.ZIP, &lat, &lng, &e.Home.ByZIP, &e.Home.Radius}
	_, err := pgx.ForEachRow(rows, into, func() error {
		e.Home.At = point(lat, lng)
		at[e.ID] = len(all)
		all = append(all, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachAssignment(ctx, tx, nil, func(who fleet.EmployeeID, a fleet.Assignment) {
		all[at[who]].Shifts = append(all[at[who]].Shifts, a)
	})
	if err != nil {
		return nil, err
	}
	return all, eachAway(ctx, tx, nil, func(who fleet.EmployeeID, s fleet.Span) {
		all[at[who]].Away = append(all[at[who]].Away, s)
	})
}

func readVanpools(ctx context.Context, tx pgx.Tx) ([]fleet.Vanpool, error) {
	all, at := []fleet.Vanpool{}, map[fleet.VanpoolID]int{}
	var v fleet.Vanpool
	var lat, lng *float64
	var schedule []byte
	rows, _ := tx.Query(ctx, `select id, site_id, pickup_lat, pickup_lng, capacity, coalesce(coordinator_id, ''), schedule, status from poolpatrol.vanpool`)
	_, err := pgx.ForEachRow(rows, []any{&v.ID, &v.Site, &lat, &lng, &v.Capacity, &v.Coordinator, &schedule, &v.Standing}, func() error {
		v.Pickup, v.Schedule, v.Riders = point(lat, lng), nil, []fleet.Rider{}
		if len(schedule) > len("[]") {
			if err := json.Unmarshal(schedule, &v.Schedule); err != nil {
				return err
			}
		}
		at[v.ID] = len(all)
		all = append(all, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var van fleet.VanpoolID
	var r fleet.Rider
	rows, _ = tx.Query(ctx, `select vanpool_id, employee_id, `+dayColumn("since")+` from poolpatrol.rider where removed_on is null`)
	_, err = pgx.ForEachRow(rows, []any{&van, &r.Employee, &r.Since}, func() error {
		if i, known := at[van]; known {
			all[i].Riders = append(all[i].Riders, r)
		}
		return nil
	})
	return all, err
}

// readFeeds reads what other systems said of badges and parking. A feed that
// never came is nil, and nobody is judged on it.
func readFeeds(ctx context.Context, tx pgx.Tx) (*badge.Feed, parking.Feed, error) {
	rows, _ := tx.Query(ctx, `select kind from poolpatrol.sync where kind in ('badges', 'permits')`)
	came, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, nil, fmt.Errorf("read which feeds came: %w", err)
	}
	var badges *badge.Feed
	var permits parking.Feed
	if slices.Contains(came, "badges") {
		if badges, err = readBadges(ctx, tx); err != nil {
			return nil, nil, fmt.Errorf("read badges: %w", err)
		}
	}
	if slices.Contains(came, "permits") {
		if permits, err = readPermits(ctx, tx); err != nil {
			return nil, nil, fmt.Errorf("read permits: %w", err)
		}
	}
	return badges, permits, nil
}

func readBadges(ctx context.Context, tx pgx.Tx) (*badge.Feed, error) {
	var feed badge.Feed
	var who fleet.EmployeeID
	var site fleet.SiteID
	var on fleet.Date
	rows, _ := tx.Query(ctx, `select employee_id, site_id, on_day`+sinceEpoch+` from poolpatrol.badge_day`)
	_, err := pgx.ForEachRow(rows, []any{&who, &site, &on}, func() error {
		feed.Add(who, site, on)
		return nil
	})
	return &feed, err
}

func readPermits(ctx context.Context, tx pgx.Tx) (parking.Feed, error) {
	feed := parking.Feed{}
	var p parking.Permit
	rows, _ := tx.Query(ctx, `select id, employee_id, kind, from_day`+sinceEpoch+`, `+dayColumn("until_day")+` from poolpatrol.permit order by id`)
	_, err := pgx.ForEachRow(rows, []any{&p.ID, &p.Who, &p.Kind, &p.From, &p.Until}, func() error {
		feed[p.Who] = append(feed[p.Who], p)
		return nil
	})
	return feed, err
}
