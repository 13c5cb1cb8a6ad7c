package record

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/platform/identity"
)

// lot is how many rows go to the database in one statement.
const lot = 5000

// inLots runs statements on rows as JSON, $1, in lots. $2 is the organisation and
// $3 the time.
func inLots[T any](ctx context.Context, tx pgx.Tx, org identity.Org, at time.Time, rows []T, statements ...string) error {
	for some := range slices.Chunk(rows, lot) {
		text, err := json.Marshal(some)
		if err != nil {
			return err
		}
		b := &pgx.Batch{}
		for _, sql := range statements {
			b.Queue(sql, string(text), string(org), at)
		}
		if err := tx.SendBatch(ctx, b).Close(); err != nil {
			return err
		}
	}
	return nil
}

// upserts writes what is added or changed, and what is gone as it is then.
func upserts[T any](statements ...string) func(context.Context, pgx.Tx, identity.Org, time.Time, intake.Difference[T]) error {
	return func(ctx context.Context, tx pgx.Tx, org identity.Org, at time.Time, d intake.Difference[T]) error {
		return inLots(ctx, tx, org, at, slices.Concat(d.Added, d.Changed, d.Gone), statements...)
	}
}

func sites() ledger[intake.Site] {
	const write = `insert into poolpatrol.site (org, id, name, zone, lat, lng)
		select $2, r.site_id, coalesce(r.name, ''), r.tz, (r.coords->>'lat')::float8, (r.coords->>'lng')::float8
		from json_to_recordset($1::json) r(site_id text, name text, tz text, coords json) where $3::timestamptz is not null
		on conflict (org, id) do update set name = excluded.name, zone = excluded.zone, lat = excluded.lat, lng = excluded.lng`
	return ledger[intake.Site]{Table: intake.SiteTable(), write: upserts[intake.Site](write),
		load: func(ctx context.Context, tx pgx.Tx, _ intake.File[intake.Site], keys []string) ([]intake.Site, error) {
			var all []intake.Site
			var s intake.Site
			var lat, lng *float64
			rows, _ := tx.Query(ctx, `select id, name, zone, lat, lng from poolpatrol.site where $1::text[] is null or id = any($1)`, keys)
			_, err := pgx.ForEachRow(rows, []any{&s.ID, &s.Name, &s.Zone, &lat, &lng}, func() error {
				s.At = point(lat, lng)
				all = append(all, s)
				return nil
			})
			return all, err
		}}
}

func shifts() ledger[intake.Shift] {
	const write = `insert into poolpatrol.shift (org, id, name, schedule)
		select $2, r.shift_id, coalesce(r.name, ''), r.schedule
		from json_to_recordset($1::json) r(shift_id text, name text, schedule jsonb) where $3::timestamptz is not null
		on conflict (org, id) do update set name = excluded.name, schedule = excluded.schedule`
	return ledger[intake.Shift]{Table: intake.ShiftTable(), write: upserts[intake.Shift](write),
		load: func(ctx context.Context, tx pgx.Tx, _ intake.File[intake.Shift], keys []string) ([]intake.Shift, error) {
			rows, _ := tx.Query(ctx, `select id, name, schedule from poolpatrol.shift where $1::text[] is null or id = any($1)`, keys)
			return pgx.CollectRows(rows, pgx.RowToStructByPos[intake.Shift])
		}}
}

func vanpools() ledger[intake.Vanpool] {
	const write = `insert into poolpatrol.vanpool (org, id, site_id, pickup_lat, pickup_lng, capacity, coordinator_id, schedule, status,
		changed_at)
		select $2, r.vanpool_id, r.site_id, (r.pickup_coords->>'lat')::float8, (r.pickup_coords->>'lng')::float8, coalesce(r.capacity, 0),
			r.coordinator_id, coalesce(r.schedule, '[]'), r.status, $3
		from json_to_recordset($1::json) r(vanpool_id text, site_id text, pickup_coords json, capacity int, coordinator_id text,
		schedule jsonb, status text)
		on conflict (org, id) do update set site_id = excluded.site_id, pickup_lat = excluded.pickup_lat, pickup_lng = excluded.pickup_lng,
			capacity = excluded.capacity, coordinator_id = excluded.coordinator_id, schedule = excluded.schedule, status = excluded.status,
			changed_at = $3`
	return ledger[intake.Vanpool]{Table: intake.VanpoolTable(), write: upserts[intake.Vanpool](write),
		load: func(ctx context.Context, tx pgx.Tx, _ intake.File[intake.Vanpool], keys []string) ([]intake.Vanpool, error) {
			var all []intake.Vanpool
			var v intake.Vanpool
			var lat, lng *float64
			var schedule []byte
			rows, _ := tx.Query(ctx, `select id, site_id, pickup_lat, pickup_lng, capacity, coalesce(coordinator_id, ''), schedule, status
				from poolpatrol.vanpool where $1::text[] is null or id = any($1)`, keys)
			_, err := pgx.ForEachRow(rows, []any{&v.ID, &v.Site, &lat, &lng, &v.Capacity, &v.Coordinator, &schedule, &v.Status},
				func() error {
					v.Pickup, v.Slots = point(lat, lng), nil
					all = append(all, v)
					return json.Unmarshal(schedule, &all[len(all)-1].Slots)
				})
			return all, err
		}}
}

func riders() ledger[intake.Rider] {
	const write = `insert into poolpatrol.rider (org, vanpool_id, employee_id, participant_id, since, removed_on)
		select $2, r.vanpool_id, r.employee_id, coalesce(r.participant_id, ''), r.since, r.removed
		from json_to_recordset($1::json) r(vanpool_id text, employee_id text, participant_id text, since date, removed date)
		where $3::timestamptz is not null
		on conflict (org, vanpool_id, employee_id) do update set participant_id = excluded.participant_id, since = excluded.since,
			removed_on = excluded.removed_on, removed_case_id = null`
	return ledger[intake.Rider]{Table: intake.RiderTable(), write: upserts[intake.Rider](write),
		load: func(ctx context.Context, tx pgx.Tx, _ intake.File[intake.Rider], keys []string) ([]intake.Rider, error) {
			rows, _ := tx.Query(ctx,
				`select vanpool_id, employee_id, participant_id, `+dayColumn("since")+`, `+dayColumn("removed_on")+`, removed_case_id is not null
				from poolpatrol.rider where $1::text[] is null or vanpool_id || ' ' || employee_id = any($1)`, keys)
			return pgx.CollectRows(rows, pgx.RowToStructByPos[intake.Rider])
		}}
}

// badges are compared for the days that a file covers: it is always the newest.
func badges() ledger[intake.Reading] {
	const (
		add = `insert into poolpatrol.badge_day (org, employee_id, site_id, on_day)
			select $2, r.employee_id, r.site_id, r.date from json_to_recordset($1::json) r(employee_id text, site_id text, date date)
			where $3::timestamptz is not null on conflict do nothing`
		drop = `delete from poolpatrol.badge_day b using json_to_recordset($1::json) r(employee_id text, site_id text, date date)
			where b.org = $2 and b.employee_id = r.employee_id and b.site_id = r.site_id and b.on_day = r.date
			and $3::timestamptz is not null`
	)
	return ledger[intake.Reading]{Table: intake.BadgeTable(),
		load: func(ctx context.Context, tx pgx.Tx, f intake.File[intake.Reading], _ []string) ([]intake.Reading, error) {
			var first, last fleet.Date
			for i, r := range f.Rows {
				if i == 0 {
					first, last = r.Value.On, r.Value.On
				}
				first, last = min(first, r.Value.On), max(last, r.Value.On)
			}
			rows, _ := tx.Query(ctx, `select employee_id, site_id, on_day`+sinceEpoch+` from poolpatrol.badge_day
				where on_day between date '1970-01-01' + $1::int and date '1970-01-01' + $2::int`, int(first), int(last))
			return pgx.CollectRows(rows, pgx.RowToStructByPos[intake.Reading])
		},
		write: func(ctx context.Context, tx pgx.Tx, org identity.Org, at time.Time, d intake.Difference[intake.Reading]) error {
			if err := inLots(ctx, tx, org, at, d.Added, add); err != nil {
				return err
			}
			return inLots(ctx, tx, org, at, d.Gone, drop)
		}}
}

func permits() ledger[intake.Permit] {
	const (
		write = `insert into poolpatrol.permit (org, id, employee_id, kind, from_day, until_day)
			select $2, r.permit_id, r.employee_id, r.kind, r."from", r.until
			from json_to_recordset($1::json) r(permit_id text, employee_id text, kind text, "from" date, until date)
			where $3::timestamptz is not null
			on conflict (org, id) do update set employee_id = excluded.employee_id, kind = excluded.kind, from_day = excluded.from_day,
			until_day = excluded.until_day`
		drop = `delete from poolpatrol.permit p using json_to_recordset($1::json) r(permit_id text)
			where p.org = $2 and p.id = r.permit_id and $3::timestamptz is not null`
	)
	return ledger[intake.Permit]{Table: intake.PermitTable(),
		load: func(ctx context.Context, tx pgx.Tx, _ intake.File[intake.Permit], keys []string) ([]intake.Permit, error) {
			rows, _ := tx.Query(ctx, `select id, employee_id, kind, from_day`+sinceEpoch+`, `+dayColumn("until_day")+`
				from poolpatrol.permit where $1::text[] is null or id = any($1)`, keys)
			return pgx.CollectRows(rows, pgx.RowToStructByPos[intake.Permit])
		},
		write: func(ctx context.Context, tx pgx.Tx, org identity.Org, at time.Time, d intake.Difference[intake.Permit]) error {
			if err := inLots(ctx, tx, org, at, slices.Concat(d.Added, d.Changed), write); err != nil {
				return fmt.Errorf("permits: %w", err)
			}
			return inLots(ctx, tx, org, at, d.Gone, drop)
		}}
}
