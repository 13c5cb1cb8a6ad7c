package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/calendar"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/timetable"
)

// turnEvery is how often the lake is looked at by itself: at 00, 06, 12 and 18 UTC.
const turnEvery = 6 * time.Hour

// newestLook is the slot of looking at the newest object.
const newestLook = "scan"

// lakeTimes is when the lake of an organisation is looked at by itself.
var lakeTimes = timetable.Kind{App: Name, Name: "watch", Subject: "watch", Workflow: WatchName,
	Slots: []calendar.Slot{{Name: newestLook, On: true, Plan: calendar.Plan{Each: calendar.Hours, Hours: int(turnEvery / time.Hour)}}}}

// A Schedule is when the lake of an organisation is looked at by itself.
type Schedule struct {
	Lake      bool // there is one; without it nothing is looked at
	Paused    bool
	Version   int64 // 0: nobody has changed it
	SetBy     string
	SetAt     *time.Time
	NextAt    *time.Time // nil: it is paused, or the watch has not begun
	LastScan  string     // that the watch began last
	LeftOutAt *time.Time // when the last turn was left out, because a scan was at it
}

func scheduleOf(t timetable.Timetable) Schedule {
	s := t.Slot(newestLook)
	return Schedule{Paused: !s.On, Version: t.Version, SetBy: t.SetBy, SetAt: t.SetAt, NextAt: s.Next, LastScan: s.Last,
		LeftOutAt: s.NotedAt}
}

// mayReadSchedule lets those read it who read what scans find, and those who may
// pause it.
func (s *Store) mayReadSchedule(actor identity.Actor) error {
	err := s.rules.May(actor, ActRead)
	if err != nil && s.rules.May(actor, ActSchedule) == nil {
		return nil
	}
	return err
}

// ScheduleOf reads when the lake of an organisation is looked at by itself; whether it has
// one the store does not know.
func (s *Store) ScheduleOf(ctx context.Context, actor identity.Actor) (c Schedule, err error) {
	if err := s.mayReadSchedule(actor); err != nil {
		return c, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		t, err := timetable.Read(ctx, tx, lakeTimes, actor.Org)
		c = scheduleOf(t)
		return err
	})
	return c, err
}

// AnyVersion is the version of who does not say what they have read.
const AnyVersion = timetable.AnyVersion

// SetPaused has the lake looked at by itself no longer, or again. What was due
// meanwhile is not made up for: the next turn looks at the newest object anyway. seen is
// the version the change was made to, or AnyVersion.
func (s *Store) SetPaused(ctx context.Context, actor identity.Actor, paused bool, seen int64) (c Schedule, err error) {
	if err := s.rules.May(actor, ActSchedule); err != nil {
		return c, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		t, err := timetable.Hold(ctx, tx, lakeTimes, actor.Org)
		if err != nil {
			return err
		}
		now := s.clock.Now().UTC().Truncate(time.Microsecond)
		slot := t.Slot(newestLook)
		slot.Change(!paused, slot.Plan, now, time.UTC)
		did := map[bool]string{true: "paused", false: "resumed"}[paused]
		err = t.Set(ctx, tx, timetable.Change{Actor: actor, Seen: seen, At: now, Clock: s.clock, Body: map[string]any{"did": did}})
		c = scheduleOf(t)
		return err
	})
	return c, err
}

// WakeWatch has the watch over an organisation's lake look at its timetable, and begins it
// where there is none.
func (s *Store) WakeWatch(ctx context.Context, org identity.Org) error {
	return s.db.InOrg(ctx, org, func(tx pgx.Tx) error { return timetable.Wake(ctx, tx, lakeTimes, org, s.clock) })
}

// Due begins the scan for which it is time, and says when the next is; never while the
// schedule is paused. The scan's key is the moment it is of, so that a step that is done
// again begins nothing.
func (s *Store) Due(ctx context.Context, org identity.Org, at time.Time) (next time.Time, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		t, err := timetable.Hold(ctx, tx, lakeTimes, org)
		if err != nil {
			return err
		}
		slot := t.Slot(newestLook)
		slot.Look(at, time.UTC)
		if slot.Due(at) {
			if err := s.turn(ctx, tx, org, &t, slot, at); err != nil {
				return err
			}
		}
		next = t.Next()
		return t.Save(ctx, tx)
	})
	return next, err
}

// turn begins one scan of the newest object, unless one is still at it.
func (s *Store) turn(ctx context.Context, tx pgx.Tx, org identity.Org, t *timetable.Timetable, slot *calendar.Slot, at time.Time) error {
	gavel := identity.Gavel(org)
	ask := ScanRequest{Kind: Scheduled, Key: string(Scheduled) + ":" + at.Truncate(turnEvery).Format(time.RFC3339)}
	running, err := job.At(ctx, tx, ScanJob, ask.about())
	if err != nil {
		return err
	}
	if running.ID != "" && running.Key != ask.Key {
		slot.LeaveOut("running", at, time.UTC)
		return t.Note(ctx, tx, gavel, at, map[string]any{"did": "left_out", "why": "running"})
	}
	scan, _, err := s.beginScan(ctx, tx, gavel, ask, Scan{BeganAt: at})
	slot.Take(scan.ID, at, time.UTC)
	return err
}
