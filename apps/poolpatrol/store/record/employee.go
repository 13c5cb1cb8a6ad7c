package record

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
)

// employees are written with their shifts and days off, which are replaced as a
// whole.
func employees() ledger[intake.Employee] {
	const (
		write = `insert into poolpatrol.employee (org, id, status, time_type, site_id, manager_id, name, email, language, home_address,
			home_zip,
				home_lat, home_lng, zip_only, zip_radius_miles, changed_at)
			select $2, r.employee_id, r.status, coalesce(r.time_type, ''), r.site_id, r.manager_id, coalesce(r.name, ''),
			coalesce(r.email, ''),
				coalesce(r.language, 'en'), coalesce(r.home_address, ''), coalesce(r.home_zip, ''),
				(r.home_coords->>'lat')::float8, (r.home_coords->>'lng')::float8, coalesce(r.zip_only, false),
				coalesce(r.zip_radius_miles, 0), $3
			from json_to_recordset($1::json) r(employee_id text, status text, time_type text, site_id text, manager_id text, name text,
			email text, language text,
				home_address text, home_zip text, home_coords json, zip_only boolean, zip_radius_miles float8)
			on conflict (org, id) do update set status = excluded.status, time_type = excluded.time_type, site_id = excluded.site_id,
			manager_id = excluded.manager_id,
				name = excluded.name, email = excluded.email, language = excluded.language, home_address = excluded.home_address,
				home_zip = excluded.home_zip,
				home_lat = excluded.home_lat, home_lng = excluded.home_lng, zip_only = excluded.zip_only,
				zip_radius_miles = excluded.zip_radius_miles, changed_at = $3`
		dropShifts = `delete from poolpatrol.assignment a using json_to_recordset($1::json) r(employee_id text)
			where a.org = $2 and a.employee_id = r.employee_id and $3::timestamptz is not null`
		addShifts = `insert into poolpatrol.assignment (org, employee_id, shift_id, from_day, until_day)
			select $2, r.employee_id, s.shift_id, s."from", s.until
			from json_to_recordset($1::json) r(employee_id text, shifts json),
			json_to_recordset(coalesce(r.shifts, '[]')) s(shift_id text, "from" date, until date)
			where $3::timestamptz is not null`
		dropAway = `delete from poolpatrol.away a using json_to_recordset($1::json) r(employee_id text)
			where a.org = $2 and a.employee_id = r.employee_id and $3::timestamptz is not null`
		addAway = `insert into poolpatrol.away (org, employee_id, from_day, until_day)
			select $2, r.employee_id, s."from", s.until
			from json_to_recordset($1::json) r(employee_id text, away json),
			json_to_recordset(coalesce(r.away, '[]')) s("from" date, until date)
			where $3::timestamptz is not null`
	)
	return ledger[intake.Employee]{Table: intake.EmployeeTable(), load: loadEmployees,
		write: upserts[intake.Employee](write, dropShifts, addShifts, dropAway, addAway)}
}

func loadEmployees(ctx context.Context, tx pgx.Tx, _ intake.File[intake.Employee], keys []string) ([]intake.Employee, error) {
	var all []intake.Employee
	at := map[fleet.EmployeeID]int{}
	var e intake.Employee
	var lat, lng *float64
	rows, _ := tx.Query(ctx, `select id, status, time_type, coalesce(site_id, ''), coalesce(manager_id, ''), name, email, language,
		home_address, home_zip,
		home_lat, home_lng, zip_only, zip_radius_miles from poolpatrol.employee where $1::text[] is null or id = any($1)`, keys)
	into := []any{&e.ID, &e.Status, &e.TimeType, &e.Site, &e.Manager, &e.Name, &e.Email, &e.Language, &e.Address, &e.ZIP, &lat, &lng,
		&e.ZIPOnly, &e.Radius}
	_, err := pgx.ForEachRow(rows, into, func() error {
		e.Home = point(lat, lng)
		at[e.ID] = len(all)
		all = append(all, e)
		return nil
	})
	if err != nil {
		return nil, err
	}
	err = eachAssignment(ctx, tx, keys, func(who fleet.EmployeeID, a fleet.Assignment) {
		all[at[who]].Shifts = append(all[at[who]].Shifts, a)
	})
	if err != nil {
		return nil, err
	}
	return all, eachAway(ctx, tx, keys, func(who fleet.EmployeeID, s fleet.Span) {
		all[at[who]].Away = append(all[at[who]].Away, s)
	})
}

// eachAssignment goes over the shifts of everybody, or of some.
func eachAssignment(ctx context.Context, tx pgx.Tx, keys []string, do func(fleet.EmployeeID, fleet.Assignment)) error {
	var who fleet.EmployeeID
	var a fleet.Assignment
	rows, _ := tx.Query(ctx, `select employee_id, shift_id, from_day`+sinceEpoch+`, `+dayColumn("until_day")+`
		from poolpatrol.assignment where $1::text[] is null or employee_id = any($1) order by from_day, shift_id collate "C"`, keys)
	_, err := pgx.ForEachRow(rows, []any{&who, &a.Shift, &a.From, &a.Until}, func() error {
		do(who, a)
		return nil
	})
	return err
}

// eachAway goes over the days off of everybody, or of some.
func eachAway(ctx context.Context, tx pgx.Tx, keys []string, do func(fleet.EmployeeID, fleet.Span)) error {
	var who fleet.EmployeeID
	var s fleet.Span
	rows, _ := tx.Query(ctx, `select employee_id, from_day`+sinceEpoch+`, `+dayColumn("until_day")+`
		from poolpatrol.away where $1::text[] is null or employee_id = any($1) order by from_day`, keys)
	_, err := pgx.ForEachRow(rows, []any{&who, &s.From, &s.Until}, func() error {
		do(who, s)
		return nil
	})
	return err
}
