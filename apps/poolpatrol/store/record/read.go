package record

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// Days are read as what fleet.Date is: days since 1 January 1970, 0 for none.
const (
	sinceEpoch = ` - date '1970-01-01'`
	dayOrNone  = `coalesce(%s` + sinceEpoch + `, 0)`
)

func dayColumn(name string) string { return fmt.Sprintf(dayOrNone, name) }

// among has a query read rows of some keys alone. Nil keys are all rows, and another
// text: the plan for a handful must not be the plan for everybody.
func among(query, column string, keys []string) (string, []any) {
	if keys == nil {
		return query, nil
	}
	return query + ` and ` + column + ` = any($1)`, []any{keys}
}

// Read reads everything an audit goes by, in the caller's transaction and
// whoever asks: one statement a table. Riders are in order of their ids, and nothing
// else is: whoever pins records sorts them. Somebody who was removed from a van is not
// among its riders.
func Read(ctx context.Context, tx pgx.Tx) (fleet.Records, error) {
	return ReadSome(ctx, tx, Area{})
}

// An Area is of which vans and people records are read; a nil list is all. Sites
// and shifts are then those that these vans and people have.
type Area struct{ Vans, People []string }

// ReadSome reads what bears on an area, as Read does everything.
func ReadSome(ctx context.Context, tx pgx.Tx, of Area) (r fleet.Records, err error) {
	if r.Taken, err = ReadAge(ctx, tx); err != nil {
		return r, err
	}
	var who staff
	if who, err = readEmployees(ctx, tx, of.People); err != nil {
		return r, fmt.Errorf("read employees: %w", err)
	}
	r.Employees = who.all
	if r.Vanpools, err = readVanpools(ctx, tx, of.Vans, who); err != nil {
		return r, fmt.Errorf("read vanpools: %w", err)
	}
	var sites, shifts []string
	if of.Vans != nil {
		sites, shifts = placesOf(r)
	}
	if r.Sites, err = readSites(ctx, tx, sites); err != nil {
		return r, fmt.Errorf("read sites: %w", err)
	}
	if r.Shifts, err = readShifts(ctx, tx, shifts); err != nil {
		return r, fmt.Errorf("read shifts: %w", err)
	}
	return r, nil
}

// placesOf are the sites and shifts that some vans and people have.
func placesOf(r fleet.Records) (sites, shifts []string) {
	sites, shifts = []string{}, []string{}
	for _, e := range r.Employees {
		sites = append(sites, string(e.Site))
		for _, a := range e.Shifts {
			shifts = append(shifts, string(a.Shift))
		}
	}
	for _, v := range r.Vanpools {
		sites = append(sites, string(v.Site))
	}
	slices.Sort(sites)
	slices.Sort(shifts)
	return slices.Compact(sites), slices.Compact(shifts)
}

// ReadAge is how old the records are that people are judged on: the older of
// employees and vanpools. It is zero where one of them never came.
func ReadAge(ctx context.Context, tx pgx.Tx) (time.Time, error) {
	const oldest = `select min(at) from poolpatrol.sync where kind in ('employees', 'vanpools') having count(*) = 2`
	rows, _ := tx.Query(ctx, oldest)
	at, err := pgx.CollectRows(rows, pgx.RowTo[time.Time])
	if err != nil || len(at) == 0 {
		return time.Time{}, err
	}
	return at[0].UTC(), nil
}

// InOrder sorts everything, so that the same records are the same bytes.
func InOrder(r fleet.Records) fleet.Records {
	slices.SortFunc(r.Sites, func(a, b fleet.Site) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(r.Shifts, func(a, b fleet.Shift) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(r.Employees, func(a, b fleet.Employee) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(r.Vanpools, func(a, b fleet.Vanpool) int { return cmp.Compare(a.ID, b.ID) })
	for _, v := range r.Vanpools {
		slices.SortFunc(v.Riders, func(a, b fleet.Rider) int { return cmp.Compare(a.Employee, b.Employee) })
	}
	return r
}

func readSites(ctx context.Context, tx pgx.Tx, ids []string) ([]fleet.Site, error) {
	all := []fleet.Site{}
	query, args := among(`select id, name, zone, lat, lng from poolpatrol.site where true`, "id", ids)
	err := eachRow(ctx, tx, query, args, func(r *row) error {
		all = append(all, fleet.Site{ID: fleet.SiteID(r.text()), Name: r.text(), Zone: r.text(), At: r.point()})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return all, LoadZones(all)
}

// LoadZones finds the clocks the sites go by.
func LoadZones(sites []fleet.Site) (err error) {
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

func readShifts(ctx context.Context, tx pgx.Tx, ids []string) ([]fleet.Shift, error) {
	all := []fleet.Shift{}
	query, args := among(`select id, name, schedule::text from poolpatrol.shift where true`, "id", ids)
	err := eachRow(ctx, tx, query, args, func(r *row) error {
		s := fleet.Shift{ID: fleet.ShiftID(r.text()), Name: r.text()}
		all = append(all, s)
		return json.Unmarshal(r.next(), &all[len(all)-1].Slots)
	})
	return all, err
}

// staff is people, and where each is in the list.
type staff struct {
	all []fleet.Employee
	at  map[fleet.EmployeeID]int
}

func readEmployees(ctx context.Context, tx pgx.Tx, ids []string) (staff, error) {
	query, args := among(`select id, status, time_type, site_id, manager_id,
		home_zip, home_lat, home_lng, zip_only, zip_radius_miles from poolpatrol.employee where true`, "id", ids)
	var read blocks[fleet.Employee]
	err := eachRow(ctx, tx, query, args, func(r *row) error {
		e := read.next()
		e.ID, e.Standing, e.TimeType = fleet.EmployeeID(r.text()), fleet.Standing(r.word()), r.word()
		e.Site, e.Manager = fleet.SiteID(r.word()), fleet.EmployeeID(r.word())
		e.Home = fleet.Home{ZIP: r.text(), At: r.point(), ByZIP: r.flag()}
		e.Home.Radius, _ = r.float()
		return nil
	})
	if err != nil {
		return staff{}, err
	}
	s := staff{all: read.list()}
	s.at = make(map[fleet.EmployeeID]int, len(s.all))
	for i := range s.all {
		s.at[s.all[i].ID] = i
	}
	if err := s.readAssignments(ctx, tx, ids); err != nil {
		return staff{}, err
	}
	return s, s.readAways(ctx, tx, ids)
}

// readAssignments gives people their shifts, in the order in which they began.
func (s staff) readAssignments(ctx context.Context, tx pgx.Tx, ids []string) error {
	query, args := among(`select employee_id, shift_id, from_day, until_day from poolpatrol.assignment where true`, "employee_id", ids)
	var read pile[fleet.Assignment]
	err := eachRow(ctx, tx, query, args, func(r *row) error {
		if i, ok := s.at[fleet.EmployeeID(r.next())]; ok {
			read.add(i, fleet.Assignment{Shift: fleet.ShiftID(r.word()), From: r.day(), Until: r.day()})
		}
		return nil
	})
	read.share(len(s.all), func(i int, theirs []fleet.Assignment) {
		slices.SortFunc(theirs, func(a, b fleet.Assignment) int {
			return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.Shift, b.Shift))
		})
		s.all[i].Shifts = theirs
	})
	return err
}

// readAways gives people their days off, the first first.
func (s staff) readAways(ctx context.Context, tx pgx.Tx, ids []string) error {
	query, args := among(`select employee_id, from_day, until_day from poolpatrol.away where true`, "employee_id", ids)
	var read pile[fleet.Span]
	err := eachRow(ctx, tx, query, args, func(r *row) error {
		if i, ok := s.at[fleet.EmployeeID(r.next())]; ok {
			read.add(i, fleet.Span{From: r.day(), Until: r.day()})
		}
		return nil
	})
	read.share(len(s.all), func(i int, theirs []fleet.Span) {
		slices.SortFunc(theirs, func(a, b fleet.Span) int { return cmp.Compare(a.From, b.From) })
		s.all[i].Away = theirs
	})
	return err
}

// readVanpools reads vans with their riders, who share their ids with the people
// that were read before.
func readVanpools(ctx context.Context, tx pgx.Tx, ids []string, people staff) ([]fleet.Vanpool, error) {
	all, at := []fleet.Vanpool{}, map[fleet.VanpoolID]int{}
	query, args := among(`select id, site_id, pickup_lat, pickup_lng, capacity, coordinator_id, schedule::text, status
		from poolpatrol.vanpool where true`, "id", ids)
	err := eachRow(ctx, tx, query, args, func(r *row) error {
		v := fleet.Vanpool{ID: fleet.VanpoolID(r.text()), Site: fleet.SiteID(r.word()), Pickup: r.point(), Capacity: r.number(),
			Coordinator: fleet.EmployeeID(r.text()), Riders: []fleet.Rider{}}
		if schedule := r.next(); len(schedule) > len("[]") {
			if err := json.Unmarshal(schedule, &v.Schedule); err != nil {
				return err
			}
		}
		v.Standing = fleet.Standing(r.word())
		at[v.ID] = len(all)
		all = append(all, v)
		return nil
	})
	if err != nil {
		return nil, err
	}
	var read pile[fleet.Rider]
	query, args = among(`select vanpool_id, employee_id, since from poolpatrol.rider where removed_on is null`, "vanpool_id", ids)
	err = eachRow(ctx, tx, query, args, func(r *row) error {
		van, ok := at[fleet.VanpoolID(r.next())]
		if !ok {
			return nil
		}
		who, since := r.next(), r.day()
		if i, known := people.at[fleet.EmployeeID(who)]; known {
			read.add(van, fleet.Rider{Employee: people.all[i].ID, Since: since})
			return nil
		}
		read.add(van, fleet.Rider{Employee: fleet.EmployeeID(who), Since: since})
		return nil
	})
	read.share(len(all), func(i int, theirs []fleet.Rider) {
		slices.SortFunc(theirs, func(a, b fleet.Rider) int { return cmp.Compare(a.Employee, b.Employee) })
		all[i].Riders = theirs
	})
	return all, err
}
