package main

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
)

// What the bare driver is asked: the statements of a rehearsal, column for column,
// on one connection in one transaction. Each row is scanned into plain variables and
// put into a list of structs, which is as little as a program can do that is to work
// with them afterwards. It does not look anything up, check an id, read a schedule or
// find out who rides with whom; and it judges nobody.
type (
	bareSite struct {
		ID, Name, Zone string
		Lat, Lng       *float64
	}
	bareShift    struct{ ID, Name, Schedule string }
	bareEmployee struct {
		ID, Status, TimeType string
		Site, Manager        *string
		ZIP                  string
		Lat, Lng             *float64
		ZIPOnly              bool
		Radius               float64
	}
	bareSpan struct {
		Employee string
		From     time.Time
		Until    *time.Time
	}
	bareAssignment struct {
		Employee, Shift string
		From            time.Time
		Until           *time.Time
	}
	bareVan struct {
		ID, Site    string
		Lat, Lng    *float64
		Capacity    int32
		Coordinator *string
		Schedule    string
		Status      string
	}
	bareRider struct {
		Vanpool, Employee string
		Since             *time.Time
	}
	bareException struct {
		Subject, Check string
		Until          time.Time
		Reason, By     string
	}
)

// bare reads the rows that an audit reads, and nothing else.
func (g *ground) bare(ctx context.Context) (time.Duration, error) {
	began := time.Now()
	err := g.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		var oldest time.Time
		if err := tx.QueryRow(ctx, `select min(at) from poolpatrol.sync where kind in ('employees', 'vanpools')
			having count(*) = 2`).Scan(&oldest); err != nil {
			return err
		}
		for _, read := range bareReads(ctx, tx) {
			if err := read(); err != nil {
				return err
			}
		}
		return nil
	})
	return time.Since(began), err
}

// bareReads are the questions that an audit puts to its records, each by itself.
func bareReads(ctx context.Context, tx pgx.Tx) []func() error {
	return []func() error{
		func() error {
			return gather(ctx, tx, `select id, status, time_type, site_id, manager_id, home_zip, home_lat, home_lng, zip_only,
				zip_radius_miles from poolpatrol.employee`,
				func(e *bareEmployee) []any {
					return []any{&e.ID, &e.Status, &e.TimeType, &e.Site, &e.Manager, &e.ZIP, &e.Lat, &e.Lng, &e.ZIPOnly, &e.Radius}
				})
		},
		func() error {
			return gather(ctx, tx, `select employee_id, shift_id, from_day, until_day from poolpatrol.assignment`,
				func(a *bareAssignment) []any { return []any{&a.Employee, &a.Shift, &a.From, &a.Until} })
		},
		func() error {
			return gather(ctx, tx, `select employee_id, from_day, until_day from poolpatrol.away`,
				func(s *bareSpan) []any { return []any{&s.Employee, &s.From, &s.Until} })
		},
		func() error {
			return gather(ctx, tx, `select id, site_id, pickup_lat, pickup_lng, capacity, coordinator_id, schedule::text, status
				from poolpatrol.vanpool`,
				func(v *bareVan) []any {
					return []any{&v.ID, &v.Site, &v.Lat, &v.Lng, &v.Capacity, &v.Coordinator, &v.Schedule, &v.Status}
				})
		},
		func() error {
			return gather(ctx, tx, `select vanpool_id, employee_id, since from poolpatrol.rider where removed_on is null`,
				func(r *bareRider) []any { return []any{&r.Vanpool, &r.Employee, &r.Since} })
		},
		func() error {
			return gather(ctx, tx, `select id, name, zone, lat, lng from poolpatrol.site`,
				func(s *bareSite) []any { return []any{&s.ID, &s.Name, &s.Zone, &s.Lat, &s.Lng} })
		},
		func() error {
			return gather(ctx, tx, `select id, name, schedule::text from poolpatrol.shift`,
				func(s *bareShift) []any { return []any{&s.ID, &s.Name, &s.Schedule} })
		},
		func() error {
			return gather(ctx, tx, `select subject, check_name, until_day, reason, granted_by from poolpatrol.exception
				where ended_at is null order by id`,
				func(x *bareException) []any { return []any{&x.Subject, &x.Check, &x.Until, &x.Reason, &x.By} })
		},
		func() error {
			return gather(ctx, tx, `select kind from poolpatrol.sync where kind in ('badges', 'permits')`,
				func(s *string) []any { return []any{s} })
		},
	}
}

// gather reads rows into a list.
func gather[T any](ctx context.Context, tx pgx.Tx, query string, columns func(*T) []any) error {
	rows, err := tx.Query(ctx, query)
	if err != nil {
		return err
	}
	var all []T
	var one T
	_, err = pgx.ForEachRow(rows, columns(&one), func() error {
		all = append(all, one)
		return nil
	})
	return err
}
