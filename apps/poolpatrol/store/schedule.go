package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
)

// A Timetable says when passes begin by themselves.
type Timetable struct {
	Monthly bool // a pass over every van, once a month
	Day     int  // of the month, 1 to 28: every month has it
	Daily   bool // a pass over the vans with an open case, once a day
	Hour    int  // 0 to 23, in the programme's zone
}

// usualTimetable is what a programme is offered that has set none.
func usualTimetable() Timetable { return Timetable{Day: 1, Hour: 6} }

// A Turn is what comes next of one of the two, and what came of the last.
type Turn struct {
	At      *time.Time // nil: not by itself
	Pass    string     // that the schedule began last
	Note    string     // why the last one was not begun: stale or running
	NotedAt *time.Time
}

// A Schedule is a programme's timetable with what comes next.
type Schedule struct {
	Timetable

	Zone    string // the programme's
	Version int64  // 0: it was never set
	SetBy   string
	SetAt   *time.Time
	Full    Turn // over every van
	Recheck Turn // over the vans with an open case
}

// Why a turn was not taken.
const (
	noteStale   = "stale"   // the records were too old to judge anybody on
	noteRunning = "running" // a pass was at it
)

// recordSchedule is the kind of the records of schedules in the log.
const recordSchedule log.Kind = "poolpatrol_schedule"

const scheduleColumns = `s.monthly, s.month_day, s.daily, s.hour, s.version, s.set_by, s.set_at,
	s.monthly_at, s.monthly_pass, s.monthly_note, s.monthly_noted, s.daily_at, s.daily_pass, s.daily_note, s.daily_noted`

// Schedule reads when passes begin by themselves.
func (s *Store) Schedule(ctx context.Context, actor identity.Actor) (c Schedule, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return c, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		c, err = scheduleIn(ctx, tx, actor.Org, "")
		return err
	})
	return c, err
}

// scheduleIn reads the schedule; lock is "for update of s" or nothing.
func scheduleIn(ctx context.Context, tx pgx.Tx, org identity.Org, lock string) (c Schedule, err error) {
	if c.Zone, err = zoneIn(ctx, tx, org); err != nil {
		return c, err
	}
	err = tx.QueryRow(ctx, `select `+scheduleColumns+` from poolpatrol.schedule s where s.org = $1 `+lock, org).Scan(
		&c.Monthly, &c.Day, &c.Daily, &c.Hour, &c.Version, &c.SetBy, &c.SetAt,
		&c.Full.At, &c.Full.Pass, &c.Full.Note, &c.Full.NotedAt, &c.Recheck.At, &c.Recheck.Pass, &c.Recheck.Note, &c.Recheck.NotedAt)
	if errors.Is(err, pgx.ErrNoRows) {
		c.Timetable = usualTimetable()
		return c, nil
	}
	if err != nil {
		return c, fmt.Errorf("read the schedule: %w", err)
	}
	return c, nil
}

// zoneIn is the programme's zone: its own, or the organisation's.
func zoneIn(ctx context.Context, tx pgx.Tx, org identity.Org) (zone string, err error) {
	const one = `select coalesce(nullif(p.zone, ''), g.zone) from gavel_sys.organisation g left join poolpatrol.office p on p.org = g.org where g.org = $1`
	if err := tx.QueryRow(ctx, one, org).Scan(&zone); err != nil {
		return "", fmt.Errorf("read the programme's zone: %w", err)
	}
	return zone, nil
}

func (t Timetable) check() error {
	switch {
	case t.Day < 1 || t.Day > 28:
		return fault.New(fault.Invalid, "the day of the month is 1 to 28, which every month has, not %d", t.Day)
	case t.Hour < 0 || t.Hour > 23:
		return fault.New(fault.Invalid, "the hour is 0 to 23, not %d", t.Hour)
	}
	return nil
}

// AnyVersion is the version of who does not say what they have read.
const AnyVersion = -1

// SetSchedule says when passes begin by themselves from now on. seen is the version
// it was made to, or AnyVersion.
func (s *Store) SetSchedule(ctx context.Context, actor identity.Actor, t Timetable, seen int64) (c Schedule, err error) {
	if err := s.rules.May(actor, programme.ActSettings); err != nil {
		return c, err
	}
	if err := t.check(); err != nil {
		return c, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if err := holdSettings(ctx, tx); err != nil {
			return err
		}
		if c, err = scheduleIn(ctx, tx, actor.Org, "for update of s"); err != nil {
			return err
		}
		if err := refuseOverwrite(seen, c.Version, "schedule"); err != nil {
			return err
		}
		now := s.clock.Now().UTC().Truncate(time.Microsecond)
		c.Timetable, c.SetBy, c.SetAt = t, actor.ID, &now
		c.Version++
		c.plan(now)
		if err := putSchedule(ctx, tx, actor.Org, c); err != nil {
			return err
		}
		_, err = log.Append(ctx, tx, log.Record{At: now, Kind: recordSchedule, App: programme.Name, Actor: actor, Subject: "schedule",
			Body: map[string]any{"did": "set", "monthly": t.Monthly, "day": t.Day, "daily": t.Daily, "hour": t.Hour, "zone": c.Zone}})
		if err != nil {
			return err
		}
		return s.wakeCalendar(ctx, tx, actor.Org)
	})
	return c, err
}

// holdSettings has changes of the settings come one after another, also the first.
func holdSettings(ctx context.Context, tx pgx.Tx) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('poolpatrol.settings/' || current_setting('gavel.org'), 0))`)
	return err
}

// refuseOverwrite refuses a change that was made to something older.
func refuseOverwrite(seen, version int64, what string) error {
	if seen == AnyVersion || seen == version {
		return nil
	}
	return fault.New(fault.Stale, "the %s has been changed since you read it", what).WithNext("read it again, and change what it is now")
}

// plan says anew what comes next.
func (c *Schedule) plan(now time.Time) {
	zone := placeOf(c.Zone)
	month, day := c.nextMonth(now, zone), c.nextDay(now, zone)
	c.Full.move(c.Monthly, now, month, day)
	c.Recheck.move(c.Daily, now, day, day)
}

// move puts a turn to when it comes next. What is owed stays owed: a turn that was
// missed is still due, and one put off for old records is tried again the next day.
func (t *Turn) move(on bool, now, next, day time.Time) {
	switch {
	case !on:
		t.At, t.Note, t.NotedAt = nil, "", nil
	case due(t.At, now):
	case t.At != nil && t.Note == noteStale:
		t.At = &day
	default:
		t.At, t.Note, t.NotedAt = &next, "", nil
	}
}

// placeOf is a zone that was checked when it was written.
func placeOf(zone string) *time.Location {
	place, err := time.LoadLocation(zone)
	if err != nil {
		return time.UTC
	}
	return place
}

// hourOf is the timetable's hour on a day. An hour that a change of clocks leaves
// out is the one after it, also where that is the first of the day.
func (t Timetable) hourOf(y int, m time.Month, d int, zone *time.Location) time.Time {
	at := time.Date(y, m, d, t.Hour, 0, 0, 0, zone)
	if at.Hour() < t.Hour || at.Day() != time.Date(y, m, d, 12, 0, 0, 0, zone).Day() {
		at = at.Add(time.Hour)
	}
	return at
}

// nextMonth is the first moment after one at which a monthly pass is due.
func (t Timetable) nextMonth(after time.Time, zone *time.Location) time.Time {
	y, m, _ := after.In(zone).Date()
	for n := 0; ; n++ {
		if at := t.hourOf(y, m+time.Month(n), t.Day, zone); at.After(after) {
			return at.UTC()
		}
	}
}

// nextDay is the same of a daily one.
func (t Timetable) nextDay(after time.Time, zone *time.Location) time.Time {
	y, m, d := after.In(zone).Date()
	for n := 0; ; n++ {
		if at := t.hourOf(y, m, d+n, zone); at.After(after) {
			return at.UTC()
		}
	}
}

func putSchedule(ctx context.Context, tx pgx.Tx, org identity.Org, c Schedule) error {
	const put = `insert into poolpatrol.schedule as s (org, monthly, month_day, daily, hour, version, set_by, set_at,
			monthly_at, monthly_pass, monthly_note, monthly_noted, daily_at, daily_pass, daily_note, daily_noted)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
		on conflict (org) do update set monthly = excluded.monthly, month_day = excluded.month_day, daily = excluded.daily, hour = excluded.hour, version = excluded.version,
			set_by = excluded.set_by, set_at = excluded.set_at, monthly_at = excluded.monthly_at, monthly_pass = excluded.monthly_pass, monthly_note = excluded.monthly_note,
			monthly_noted = excluded.monthly_noted, daily_at = excluded.daily_at, daily_pass = excluded.daily_pass, daily_note = excluded.daily_note, daily_noted = excluded.daily_noted`
	_, err := tx.Exec(ctx, put, org, c.Monthly, c.Day, c.Daily, c.Hour, c.Version, c.SetBy, c.SetAt,
		c.Full.At, c.Full.Pass, c.Full.Note, c.Full.NotedAt, c.Recheck.At, c.Recheck.Pass, c.Recheck.Note, c.Recheck.NotedAt)
	if err != nil {
		return fmt.Errorf("write the schedule: %w", err)
	}
	return nil
}

// CalendarInput is what a programme's calendar is given.
type CalendarInput struct {
	Org   identity.Org  `json:"org"`
	Clock durable.Clock `json:"clock"`
}

// wakeCalendar has the programme's calendar look at the schedule, and begins it
// where there is none.
func (s *Store) wakeCalendar(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	input, err := json.Marshal(CalendarInput{Org: org, Clock: s.clock})
	if err != nil {
		return err
	}
	return outbox.AddSignal(ctx, tx, org, programme.Name+"/"+string(org)+"/calendar:passes",
		outbox.Signal{Name: casefile.WakeSignalName, Input: json.RawMessage(`{}`), Start: outbox.Start{Workflow: CalendarName, Queue: programme.Name, Subject: "calendar", Input: input}})
}

// CalendarName is the name the engine knows a programme's calendar by; it never
// changes.
const CalendarName = "poolpatrol.Calendar"
