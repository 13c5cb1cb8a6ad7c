package store

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/apps/poolpatrol/store/record"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/seal"
)

// RiderType is the type of subject whose id is an employee's: "rider:EMP-1006".
const RiderType = "rider"

// Eraser takes what the programme knows of somebody: their row is blanked, they
// ride nowhere any more, and what snapshots and audits said about them goes. Their
// id stays where others refer to it. No later import brings them back.
func Eraser() seal.Eraser {
	return seal.Eraser{Name: programme.Name, Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
		who, err := fleet.ParseEmployee(s.ID)
		if s.Type != RiderType || err != nil {
			return seal.Reach{}, nil // nobody of ours
		}
		var all []seal.Reach
		for _, step := range []func(context.Context, pgx.Tx, fleet.EmployeeID, time.Time) (seal.Reach, error){
			eraseCases, EraseAnswers, eraseRecords, eraseSeats, eraseExceptions, eraseSnapshots, eraseRuns,
		} {
			reach, err := step(ctx, tx, who, at)
			if err != nil {
				return seal.Reach{}, err
			}
			all = append(all, reach)
		}
		return casefile.Together(all...), nil
	}}
}

// eraseRecords blanks somebody's row and deletes what hangs on it. How far it is
// from about where they live to their pickup is asked of the router again, for
// whoever else lives there.
func eraseRecords(ctx context.Context, tx pgx.Tx, who fleet.EmployeeID, at time.Time) (seal.Reach, error) {
	if err := record.Hold(ctx, tx); err != nil {
		return seal.Reach{}, err
	}
	if err := forgetRoads(ctx, tx, who); err != nil {
		return seal.Reach{}, fmt.Errorf("forget roads: %w", err)
	}
	// Somebody whom only other lists name gets a blank row, so that they stay erased.
	const know = `insert into poolpatrol.employee (org, id, status, changed_at)
		select current_setting('gavel.org'), $1, 'inactive', $2 where exists (select from poolpatrol.rider where employee_id = $1)
			or exists (select from poolpatrol.badge_day where employee_id = $1)
			or exists (select from poolpatrol.permit where employee_id = $1) on conflict do nothing`
	if _, err := tx.Exec(ctx, know, who, at); err != nil {
		return seal.Reach{}, fmt.Errorf("insert employee: %w", err)
	}
	const blank = `update poolpatrol.employee set status = 'inactive', time_type = '', site_id = null, manager_id = null, name = '',
		email = '', language = 'en',
		home_address = '', home_zip = '', home_lat = null, home_lng = null, zip_only = false, zip_radius_miles = 0, changed_at = $2,
		erased_at = $2
		where id = $1 and erased_at is null`
	rows := 0
	tag, err := tx.Exec(ctx, blank, who, at)
	if err != nil {
		return seal.Reach{}, fmt.Errorf("blank employee: %w", err)
	}
	rows += int(tag.RowsAffected())
	for _, forget := range []string{
		`delete from poolpatrol.assignment where employee_id = $1`,
		`delete from poolpatrol.away where employee_id = $1`,
		`delete from poolpatrol.badge_day where employee_id = $1`,
		`delete from poolpatrol.permit where employee_id = $1`,
		`delete from poolpatrol.gap where employee_id = $1`,
		`delete from poolpatrol.scim_user where employee_id = $1`,
	} {
		tag, err := tx.Exec(ctx, forget, who)
		if err != nil {
			return seal.Reach{}, fmt.Errorf("forget an employee: %w", err)
		}
		rows += int(tag.RowsAffected())
	}
	return seal.Reach{Rows: rows}, nil
}

// eraseSeats ends somebody's seats: whom nobody knows cannot ride.
func eraseSeats(ctx context.Context, tx pgx.Tx, who fleet.EmployeeID, at time.Time) (seal.Reach, error) {
	const end = `update poolpatrol.rider set participant_id = '', removed_on = coalesce(removed_on, $2::date)
		where employee_id = $1 and (participant_id <> '' or removed_on is null) returning coalesce(removed_case_id, '')`
	return reached(ctx, tx, "end seats", end, who, at.UTC())
}

// eraseExceptions blanks why somebody was excused.
func eraseExceptions(ctx context.Context, tx pgx.Tx, who fleet.EmployeeID, _ time.Time) (seal.Reach, error) {
	const blank = `update poolpatrol.exception set reason = $2 where subject = $1 and reason <> $2 returning coalesce(case_id, '')`
	return reached(ctx, tx, "blank exceptions", blank, who, casefile.ErasedText)
}

// reached runs a statement that returns the case of each row it changed.
func reached(ctx context.Context, tx pgx.Tx, what, sql string, args ...any) (seal.Reach, error) {
	rows, _ := tx.Query(ctx, sql, args...)
	cases, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return seal.Reach{}, fmt.Errorf("%s: %w", what, err)
	}
	n := len(cases)
	return seal.Reach{Rows: n, Cases: slices.DeleteFunc(cases, func(c string) bool { return c == "" })}, nil
}

// eraseSnapshots takes somebody out of what audits read. Each part holds people in
// order of id, so one part of each snapshot is read and written again.
func eraseSnapshots(ctx context.Context, tx pgx.Tx, who fleet.EmployeeID, at time.Time) (seal.Reach, error) {
	const (
		find = `select snapshot, n from poolpatrol.snapshot_part where first_employee collate "C" <= $1 and last_employee collate "C" >= $1
			order by snapshot, n`
		mark = `update poolpatrol.snapshot set erased_at = $2 where id = $1`
	)
	type place struct {
		Snapshot string
		N        int
	}
	rows, _ := tx.Query(ctx, find, who)
	places, err := pgx.CollectRows(rows, pgx.RowToStructByPos[place])
	if err != nil {
		return seal.Reach{}, fmt.Errorf("find snapshots: %w", err)
	}
	n := 0
	for _, p := range places {
		hit, err := erasePart(ctx, tx, p.Snapshot, p.N, who)
		if err != nil {
			return seal.Reach{}, fmt.Errorf("erase from snapshot %s: %w", p.Snapshot, err)
		}
		if !hit {
			continue
		}
		if _, err := tx.Exec(ctx, mark, p.Snapshot, at); err != nil {
			return seal.Reach{}, fmt.Errorf("mark snapshot %s: %w", p.Snapshot, err)
		}
		n++
	}
	return seal.Reach{Rows: n}, nil
}

// erasePart blanks somebody in one part, and reports whether they were there. That
// they worked here, and where, stays: the van they were in could not be counted
// otherwise.
func erasePart(ctx context.Context, tx pgx.Tx, snapshot string, n int, who fleet.EmployeeID) (bool, error) {
	var body []byte
	if err := tx.QueryRow(ctx, `select body from poolpatrol.snapshot_part where snapshot = $1 and n = $2`, snapshot, n).
		Scan(&body); err != nil {
		return false, err
	}
	p, err := unpack(body)
	if err != nil {
		return false, err
	}
	at := slices.IndexFunc(p.Employees, func(e fleet.Employee) bool { return e.ID == who })
	if at < 0 {
		return false, nil
	}
	e := &p.Employees[at]
	if e.Home == (fleet.Home{}) && e.Shifts == nil && e.Away == nil && e.Manager == "" && e.TimeType == "" {
		return false, nil // it was done before
	}
	*e = fleet.Employee{ID: e.ID, Standing: e.Standing, Site: e.Site}
	if body, err = pack(p); err != nil {
		return false, err
	}
	_, err = tx.Exec(ctx, `update poolpatrol.snapshot_part set body = $3 where snapshot = $1 and n = $2`, snapshot, n, body)
	return true, err
}

// eraseRuns takes what audits said about somebody out of their verdicts. What was
// decided stays: the check, the kind of finding, and whom it was about, by id.
func eraseRuns(ctx context.Context, tx pgx.Tx, who fleet.EmployeeID, _ time.Time) (seal.Reach, error) {
	const (
		find = `select id, coalesce(case_id, ''), verdicts from poolpatrol.audit_run where verdicts::text like '%"' || $1 || '"%'
			order by id`
		write = `update poolpatrol.audit_run set verdicts = $2 where id = $1`
	)
	type run struct {
		ID, Case string
		Verdicts []byte
	}
	rows, _ := tx.Query(ctx, find, string(who))
	runs, err := pgx.CollectRows(rows, pgx.RowToStructByPos[run])
	if err != nil {
		return seal.Reach{}, fmt.Errorf("find audit runs: %w", err)
	}
	var reach seal.Reach
	for _, r := range runs {
		left, hit, err := blankVerdicts(r.Verdicts, who)
		if err != nil {
			return seal.Reach{}, fmt.Errorf("erase from audit run %s: %w", r.ID, err)
		}
		if !hit {
			continue
		}
		if _, err := tx.Exec(ctx, write, r.ID, string(left)); err != nil {
			return seal.Reach{}, fmt.Errorf("erase from audit run %s: %w", r.ID, err)
		}
		if reach.Rows++; r.Case != "" {
			reach.Cases = append(reach.Cases, r.Case)
		}
	}
	return reach, nil
}

// blankVerdicts takes what verdicts say about somebody out of their JSON, and
// reports whether there was anything.
func blankVerdicts(verdicts []byte, who fleet.EmployeeID) (left []byte, hit bool, err error) {
	dec := json.NewDecoder(bytes.NewReader(verdicts))
	dec.UseNumber() // numbers stay as they are written
	var all []any
	if err := dec.Decode(&all); err != nil {
		return nil, false, err
	}
	for i := range all {
		here := blankAbout(all[i], string(who))
		if v, ok := all[i].(map[string]any); ok && here {
			delete(v, "would_change") // it is the findings' together
		}
		hit = hit || here
	}
	left, err = json.Marshal(all)
	return left, hit, err
}

// staysOfPerson are the members that stay of an object about somebody who was
// erased: ids of ours and words from lists.
var staysOfPerson = []string{"employee_id", "vanpool_id", "check", "kind", "confidence", "route", "gone", "excused", "erased"}

// blankAbout blanks every object about somebody, in whatever holds it.
func blankAbout(v any, who string) (hit bool) {
	switch v := v.(type) {
	case []any:
		for _, one := range v {
			hit = blankAbout(one, who) || hit
		}
	case map[string]any:
		for _, one := range v {
			hit = blankAbout(one, who) || hit
		}
		switch {
		case v["employee_id"] == who && v["erased"] == nil:
			for name := range v {
				if !slices.Contains(staysOfPerson, name) {
					delete(v, name)
				}
			}
			v["erased"], hit = true, true
		case v["subject"] == who && v["reason"] != nil && v["reason"] != casefile.ErasedText:
			v["reason"], hit = casefile.ErasedText, true
		}
	}
	return hit
}

// forgetRoads forgets the distances from about where somebody lives.
func forgetRoads(ctx context.Context, tx pgx.Tx, who fleet.EmployeeID) error {
	rows, _ := tx.Query(ctx, `select home_lat, home_lng from poolpatrol.employee where id = $1 and home_lat is not null`, who)
	homes, err := pgx.CollectRows(rows, pgx.RowToStructByPos[fleet.Point])
	for _, h := range homes {
		if _, err := tx.Exec(ctx, `delete from poolpatrol.road where home = $1`, location.CellOf(h).Name); err != nil {
			return err
		}
	}
	return err
}
