package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/calendar"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/timetable"
)

// WatchName is the name the engine knows the watch over districts by; it never changes.
const WatchName = "netra.Watch"

// The slots: looking at all districts, and writing their scores down.
const (
	lookAtAll = "look"
	writeDown = "freeze"
)

// watchTimes is when all districts are looked at by themselves.
var watchTimes = timetable.Kind{App: Name, Name: "watch", Subject: "watch", Workflow: WatchName,
	Slots: []calendar.Slot{{Name: lookAtAll, On: true, Plan: calendar.Plan{Each: calendar.Hours, Hours: 1}},
		{Name: writeDown, On: true, Plan: calendar.Plan{Each: calendar.Hours, Hours: 24}}}}

// A Schedule is when districts are looked at by themselves.
type Schedule struct {
	Paused  bool
	Version int64 // 0: nobody has changed it
	SetBy   string
	SetAt   *time.Time
	NextAt  *time.Time // nil: it is paused, or no district is known yet
}

func scheduleOf(t timetable.Timetable) Schedule {
	slot := t.Slot(lookAtAll)
	return Schedule{!slot.On, t.Version, t.SetBy, t.SetAt, slot.Next}
}

// Schedule reads when districts are looked at by themselves.
func (s *Store) Schedule(ctx context.Context, actor identity.Actor) (c Schedule, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return c, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		t, err := timetable.Read(ctx, tx, watchTimes, actor.Org)
		c = scheduleOf(t)
		return err
	})
	return c, err
}

// AnyVersion is the version of who does not say what they have read.
const AnyVersion = timetable.AnyVersion

// SetPaused has districts looked at by themselves no longer, or again. seen is the version the change was made to, or AnyVersion.
func (s *Store) SetPaused(ctx context.Context, actor identity.Actor, paused bool, seen int64) (c Schedule, err error) {
	if err := s.rules.May(actor, ActLimits); err != nil {
		return c, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		t, err := timetable.Hold(ctx, tx, watchTimes, actor.Org)
		if err != nil {
			return err
		}
		now := s.Now().UTC()
		for i := range t.Slots {
			t.Slots[i].Change(!paused, t.Slots[i].Plan, now, time.UTC)
		}
		did := map[bool]string{true: "paused", false: "resumed"}[paused]
		err = t.Set(ctx, tx, timetable.Change{Actor: actor, Seen: seen, At: now, Clock: s.clock, Body: map[string]any{"did": did}})
		c = scheduleOf(t)
		return err
	})
	return c, err
}

// wakeWatch has the watch look at its timetable, and begins it where there is none.
func (s *Store) wakeWatch(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	return timetable.Wake(ctx, tx, watchTimes, org, s.clock)
}

// A Turn is what the watch does next.
type Turn struct {
	Due    time.Time `json:"due,omitzero"`   // look at all districts as of this moment; zero: not now
	Freeze bool      `json:"freeze"`         // and write their scores down
	Next   time.Time `json:"next,omitzero"`  // when to ask again; zero: when somebody wakes it
	Over   bool      `json:"over,omitempty"` // no district is known: there is nothing to watch
}

// Due says what it is time for. A step that is done again says that nothing is due: what was said the first time is in the history.
func (s *Store) Due(ctx context.Context, org identity.Org, at time.Time) (turn Turn, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		turn = Turn{}
		err := tx.QueryRow(ctx, `select not exists (select from netra.district)`).Scan(&turn.Over)
		if err != nil || turn.Over {
			return err
		}
		t, err := timetable.Hold(ctx, tx, watchTimes, org)
		if err != nil {
			return err
		}
		for i := range t.Slots {
			slot := &t.Slots[i]
			slot.Look(at, time.UTC)
			if slot.Due(at) {
				turn.Due = at.UTC().Truncate(time.Hour)
				turn.Freeze = turn.Freeze || slot.Name == writeDown
				slot.Take(turn.Due.Format(time.RFC3339), at, time.UTC)
			}
		}
		turn.Next = t.Next()
		return t.Save(ctx, tx)
	})
	return turn, err
}
