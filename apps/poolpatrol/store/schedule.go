package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/platform/calendar"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/timetable"
)

// CalendarName is the name the engine knows a programme's calendar by; it never
// changes.
const CalendarName = "poolpatrol.Calendar"

// passTimes is when passes begin by themselves: what a programme is offered that has set
// nothing. A slot is called like the kind of its passes.
var passTimes = timetable.Kind{App: programme.Name, Name: "calendar:passes", Subject: "calendar", Workflow: CalendarName,
	Slots: []calendar.Slot{
		{Name: string(Monthly), Plan: calendar.Plan{Each: calendar.Months, Day: 1, Hour: 6}},
		{Name: string(Daily), Plan: calendar.Plan{Each: calendar.Days, Hour: 6}},
	}}

// A Timetable says when passes begin by themselves.
type Timetable struct {
	Monthly bool // a pass over every van, once a month
	Day     int  // of the month, 1 to 28: every month has it
	Daily   bool // a pass over the vans with an open case, once a day
	Hour    int  // 0 to 23, in the programme's zone
}

// A Schedule is a programme's timetable with what comes next.
type Schedule struct {
	Timetable

	Zone    string // the programme's
	Version int64  // 0: it was never set
	SetBy   string
	SetAt   *time.Time
	Full    calendar.Slot // over every van
	Recheck calendar.Slot // over the vans with an open case
}

func scheduleOf(t timetable.Timetable, zone string) Schedule {
	full, recheck := *t.Slot(string(Monthly)), *t.Slot(string(Daily))
	return Schedule{Timetable: Timetable{full.On, full.Day, recheck.On, full.Hour}, Zone: zone,
		Version: t.Version, SetBy: t.SetBy, SetAt: t.SetAt, Full: full, Recheck: recheck}
}

// plan puts what was set into a timetable. What is owed stays owed.
func (s Timetable) plan(t *timetable.Timetable, now time.Time, zone string) {
	place := placeOf(zone)
	t.Slot(string(Monthly)).Change(s.Monthly, calendar.Plan{Each: calendar.Months, Day: s.Day, Hour: s.Hour}, now, place)
	t.Slot(string(Daily)).Change(s.Daily, calendar.Plan{Each: calendar.Days, Hour: s.Hour}, now, place)
}

// Schedule reads when passes begin by themselves.
func (s *Store) Schedule(ctx context.Context, actor identity.Actor) (c Schedule, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return c, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		t, err := timetable.Read(ctx, tx, passTimes, actor.Org)
		if err != nil {
			return err
		}
		zone, err := zoneIn(ctx, tx, actor.Org)
		c = scheduleOf(t, zone)
		return err
	})
	return c, err
}

// zoneIn is the programme's zone: its own, or the organisation's.
func zoneIn(ctx context.Context, tx pgx.Tx, org identity.Org) (string, error) {
	o, err := OfficeIn(ctx, tx, org)
	if err != nil || o.Zone != "" {
		return o.Zone, err
	}
	whose, err := postgres.OrganisationIn(ctx, tx, org)
	if err != nil {
		return "", fmt.Errorf("read the programme's zone: %w", err)
	}
	return whose.Zone, nil
}

// placeOf is a zone that was checked when it was written.
func placeOf(zone string) *time.Location {
	place, err := time.LoadLocation(zone)
	if err != nil {
		return time.UTC
	}
	return place
}

// AnyVersion is the version of who does not say what they have read.
const AnyVersion = timetable.AnyVersion

// SetSchedule says when passes begin by themselves from now on. seen is the version
// it was made to, or AnyVersion.
func (s *Store) SetSchedule(ctx context.Context, actor identity.Actor, t Timetable, seen int64) (c Schedule, err error) {
	if err := s.rules.May(actor, programme.ActSettings); err != nil {
		return c, err
	}
	if err := (calendar.Plan{Each: calendar.Months, Day: t.Day, Hour: t.Hour}).Check(); err != nil {
		return c, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		held, zone, err := holdTimes(ctx, tx, actor.Org)
		if err != nil {
			return err
		}
		now := s.clock.Now().UTC().Truncate(time.Microsecond)
		t.plan(&held, now, zone)
		err = held.Set(ctx, tx, timetable.Change{Actor: actor, Seen: seen, At: now, Clock: s.clock,
			Body: map[string]any{"did": "set", "monthly": t.Monthly, "day": t.Day, "daily": t.Daily, "hour": t.Hour, "zone": zone}})
		c = scheduleOf(held, zone)
		return err
	})
	return c, err
}

// holdTimes holds the programme's timetable, and says in which zone its hours are told.
func holdTimes(ctx context.Context, tx pgx.Tx, org identity.Org) (t timetable.Timetable, zone string, err error) {
	if t, err = timetable.Hold(ctx, tx, passTimes, org); err != nil {
		return t, "", err
	}
	zone, err = zoneIn(ctx, tx, org)
	return t, zone, err
}
