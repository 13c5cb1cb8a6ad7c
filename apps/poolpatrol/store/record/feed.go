package record

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/badge"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/parking"
)

// ReadExceptions reads the exceptions for some people and vans or, with nil, for all
// that nobody has taken back, those that have run out among them: which hold on a
// day, the audit says.
func ReadExceptions(ctx context.Context, tx pgx.Tx, subjects []string) (check.Exceptions, error) {
	var all []check.Exception
	var e check.Exception
	query, args := among(`select subject, check_name, until_day`+sinceEpoch+`, reason, granted_by from poolpatrol.exception
		where ended_at is null`, "subject", subjects)
	rows, _ := tx.Query(ctx, query+` order by id`, args...)
	_, err := pgx.ForEachRow(rows, []any{&e.Subject, &e.Check, &e.Until, &e.Reason, &e.By}, func() error {
		all = append(all, e)
		return nil
	})
	if err != nil {
		return check.Exceptions{}, fmt.Errorf("read exceptions: %w", err)
	}
	return check.NewExceptions(all)
}

// ReadFeeds reads what other systems said of badges and parking, of some people or,
// with nil, of everybody. A feed that never came is nil, and nobody is judged on it.
func ReadFeeds(ctx context.Context, tx pgx.Tx, people []string) (*badge.Feed, parking.Feed, error) {
	rows, _ := tx.Query(ctx, `select kind from poolpatrol.sync where kind in ('badges', 'permits')`)
	came, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, nil, fmt.Errorf("read which feeds came: %w", err)
	}
	var badges *badge.Feed
	var permits parking.Feed
	if slices.Contains(came, "badges") {
		if badges, err = readBadges(ctx, tx, people); err != nil {
			return nil, nil, fmt.Errorf("read badges: %w", err)
		}
	}
	if slices.Contains(came, "permits") {
		if permits, err = readPermits(ctx, tx, people); err != nil {
			return nil, nil, fmt.Errorf("read permits: %w", err)
		}
	}
	return badges, permits, nil
}

func readBadges(ctx context.Context, tx pgx.Tx, people []string) (*badge.Feed, error) {
	var feed badge.Feed
	query, args := among(`select employee_id, site_id, on_day from poolpatrol.badge_day where true`, "employee_id", people)
	err := eachRow(ctx, tx, query, args, func(r *row) error {
		feed.Add(fleet.EmployeeID(r.word()), fleet.SiteID(r.word()), r.day())
		return nil
	})
	if err != nil || people == nil {
		return &feed, err
	}
	// Whether a reader worked at all on a day, everybody's badges say.
	const days = `select s.id, d.first, d.last from poolpatrol.site s cross join lateral
		(select min(on_day) as first, max(on_day) as last from poolpatrol.badge_day where site_id = s.id) d
		where d.first is not null and s.id in (select site_id from poolpatrol.employee where id = any($1)
			union select v.site_id from poolpatrol.vanpool v join poolpatrol.rider r on r.vanpool_id = v.id where r.employee_id = any($1))`
	err = eachRow(ctx, tx, days, []any{people}, func(r *row) error {
		feed.Cover(fleet.SiteID(r.text()), fleet.Span{From: r.day(), Until: r.day()})
		return nil
	})
	return &feed, err
}

func readPermits(ctx context.Context, tx pgx.Tx, people []string) (parking.Feed, error) {
	feed := parking.Feed{}
	query, args := among(`select id, employee_id, kind, from_day, until_day from poolpatrol.permit where true`, "employee_id", people)
	err := eachRow(ctx, tx, query+` order by id`, args, func(r *row) error {
		p := parking.Permit{ID: r.text(), Who: fleet.EmployeeID(r.word()), Kind: r.word(), Span: fleet.Span{From: r.day(), Until: r.day()}}
		feed[p.Who] = append(feed[p.Who], p)
		return nil
	})
	return feed, err
}
