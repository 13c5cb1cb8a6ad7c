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

// Due says what it is time for. What was taken and not done, because whoever took it was killed before the engine knew or could not look,
// is due again, as of now: a score of then that is written down now would be one from after the fact.
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
		owed, err := s.owed(ctx, tx, org, t)
		if err != nil {
			return err
		}
		for i := range t.Slots {
			slot := &t.Slots[i]
			slot.Look(at, time.UTC)
			if slot.Due(at) || slot.On && owed[slot.Name] {
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

// owed is which slots were taken last and have nothing to show for it.
func (s *Store) owed(ctx context.Context, tx pgx.Tx, org identity.Org, t timetable.Timetable) (map[string]bool, error) {
	const done = `select (select max(at) from netra.standing), (select max(as_of) from netra.score where frozen_by = $1)`
	var looked, written *time.Time
	if err := tx.QueryRow(ctx, done, identity.Gavel(org).ID).Scan(&looked, &written); err != nil {
		return nil, err
	}
	out := map[string]bool{}
	for name, last := range map[string]*time.Time{lookAtAll: looked, writeDown: written} {
		taken, err := time.Parse(time.RFC3339, t.Slot(name).Last)
		out[name] = err == nil && (last == nil || last.Before(taken))
	}
	return out, nil
}
