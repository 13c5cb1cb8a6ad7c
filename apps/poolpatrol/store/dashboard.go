package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// What the dashboard looks back on.
const (
	LookBack      = 90 * 24 * time.Hour
	reversedUntil = 60 * 24 * time.Hour // a seat given back within this is a cancellation reversed
)

// A Dashboard is the programme in numbers: its open cases, and what came of those
// of the last 90 days.
type Dashboard struct {
	Open    int
	Overdue int
	States  map[lifecycle.State]int
	Waiting map[Waiting]int

	Since    time.Time
	Opened   int           // cases opened since
	Ended    int           // cases that ended since
	Median   time.Duration // from opening to end, of those
	P90      time.Duration
	Reviewed time.Duration // cards open before people until they were decided, of the cases opened since
	Unseen   int           // decisions of which nobody knows how long it took
	Ends     int           // memberships ended since
	Reversed int           // of them, given back within 60 days
	Months   []Month       // the newest first
	Minutes  int           // what one audit by hand takes
	HourCost int           // 0: not said
	Currency string
}

// Saved is the work that was saved: what the cases would have taken by hand, less
// what people looked at cards for. It may be less than nothing.
func (d Dashboard) Saved() time.Duration {
	return time.Duration(d.Opened)*time.Duration(d.Minutes)*time.Minute - d.Reviewed
}

// Cost is what that work would have cost, in whole units of the currency.
func (d Dashboard) Cost() int { return int(d.Saved().Hours() * float64(d.HourCost)) }

// Dashboard counts. It reads the open cases and those of the last 90 days, each
// once.
func (s *Store) Dashboard(ctx context.Context, actor identity.Actor) (d Dashboard, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return d, err
	}
	now := s.clock.Now()
	d = Dashboard{States: map[lifecycle.State]int{}, Waiting: map[Waiting]int{}, Since: now.Add(-LookBack)}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if err := d.countOpen(ctx, tx, actor.Org, now); err != nil {
			return fmt.Errorf("count open cases: %w", err)
		}
		if err := d.lookBack(ctx, tx, actor.Org); err != nil {
			return fmt.Errorf("count what came of cases: %w", err)
		}
		if d.Months, err = months(ctx, tx, actor.Org, now); err != nil {
			return err
		}
		o, err := OfficeIn(ctx, tx, actor.Org)
		d.Minutes, d.HourCost, d.Currency = o.Minutes, o.HourCost, o.Currency
		return err
	})
	return d, err
}

func (d *Dashboard) countOpen(ctx context.Context, tx pgx.Tx, org identity.Org, now time.Time) error {
	long, err := longAsked(ctx, tx, org, now)
	if err != nil {
		return err
	}
	const open = `select state, waiting, overdue, count(*)::int from (select c.state, ` + waitingOf + ` as waiting, ` + overdueOf +
		` as overdue
		from poolpatrol.case c where c.state not in ('resolved', 'cancelled')) o group by 1, 2, 3`
	var state lifecycle.State
	var waiting Waiting
	var overdue bool
	var n int
	rows, _ := tx.Query(ctx, open, now, long)
	_, err = pgx.ForEachRow(rows, []any{&state, &waiting, &overdue, &n}, func() error {
		d.Open += n
		d.States[state] += n
		d.Waiting[waiting] += n
		if overdue {
			d.Overdue += n
		}
		return nil
	})
	return err
}

func (d *Dashboard) lookBack(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	rows, _ := tx.Query(ctx, `select id from poolpatrol.case where opened_at >= $1`, d.Since)
	opened, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	if d.Reviewed, d.Unseen, err = review.Spent(ctx, tx, org, opened); err != nil {
		return err
	}
	const all = `with ended as (select count(*)::int as n, percentile_cont(0.5) within group (order by extract(epoch
		from ended_at - opened_at)) as median,
				percentile_cont(0.9) within group (order by extract(epoch from ended_at - opened_at)) as p90 from poolpatrol.case
				where ended_at >= $1),
			ends as (select count(*)::int as n, count(*) filter (where put_back_at <= cancelled_at + $2::interval)::int as reversed
				from poolpatrol.case_subject where cancelled_at >= $1)
		select ended.n, coalesce(ended.median, 0)::float8, coalesce(ended.p90, 0)::float8, ends.n, ends.reversed
		from ended, ends`
	var median, p90 float64
	err = tx.QueryRow(ctx, all, d.Since, reversedUntil).Scan(&d.Ended, &median, &p90, &d.Ends, &d.Reversed)
	d.Opened, d.Median, d.P90 = len(opened), seconds(median), seconds(p90)
	return err
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// MostMonths is how many months a trend tells of.
const MostMonths = 12

// A Month is the programme, and the work that it made, in one month of its zone.
type Month struct {
	Begins   time.Time
	Vans     int           // looked at in passes over every van
	Failed   int           // of them, with something wrong
	Opened   int           // cases
	Ended    int           // cases
	Ends     int           // memberships ended
	Reversed int           // of them, given back within 60 days
	Asked    int           // questions to people that were answered
	Reviewed time.Duration // they were open before people until then
}

// Share is which part of the vans that were looked at had something wrong; ok is false where
// none was.
func (m Month) Share() (share float64, ok bool) {
	if m.Vans == 0 {
		return 0, false
	}
	return float64(m.Failed) / float64(m.Vans), true
}

// months are the last twelve, the newest first, this one included.
func months(ctx context.Context, tx pgx.Tx, org identity.Org, now time.Time) ([]Month, error) {
	name, err := zoneIn(ctx, tx, org)
	if err != nil {
		return nil, err
	}
	zone := placeOf(name)
	const each = `with m as (select b, b at time zone $2 as from_at, (b + interval '1 month') at time zone $2 as to_at
			from generate_series(date_trunc('month', $1::timestamptz at time zone $2) - make_interval(months => $4 - 1),
				date_trunc('month', $1::timestamptz at time zone $2), interval '1 month') b)
		select m.from_at,
			(select coalesce(sum(verified + failed), 0) from poolpatrol.pass p where p.began_at >= m.from_at and p.began_at < m.to_at
				and p.kind in ('monthly', 'asked'))::int,
			(select coalesce(sum(failed), 0) from poolpatrol.pass p where p.began_at >= m.from_at and p.began_at < m.to_at
				and p.kind in ('monthly', 'asked'))::int,
			(select count(*) from poolpatrol.case c where c.opened_at >= m.from_at and c.opened_at < m.to_at)::int,
			(select count(*) from poolpatrol.case c where c.ended_at >= m.from_at and c.ended_at < m.to_at)::int,
			(select count(*) from poolpatrol.case_subject x where x.cancelled_at >= m.from_at and x.cancelled_at < m.to_at)::int,
			(select count(*) from poolpatrol.case_subject x where x.cancelled_at >= m.from_at and x.cancelled_at < m.to_at
				and x.put_back_at <= x.cancelled_at + $3::interval)::int
		from m order by m.b desc`
	rows, _ := tx.Query(ctx, each, now, zone.String(), reversedUntil, MostMonths)
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (m Month, err error) {
		err = row.Scan(&m.Begins, &m.Vans, &m.Failed, &m.Opened, &m.Ended, &m.Ends, &m.Reversed)
		m.Begins = m.Begins.In(zone)
		return m, err
	})
	if err != nil {
		return nil, fmt.Errorf("count by month: %w", err)
	}
	for i := range all {
		from := all[i].Begins
		if all[i].Asked, all[i].Reviewed, err = review.Answered(ctx, tx, org, programme.Name, from, from.AddDate(0, 1, 0)); err != nil {
			return nil, err
		}
	}
	return all, nil
}
