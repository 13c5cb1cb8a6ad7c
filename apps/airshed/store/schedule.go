package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/outbox"
)

// turnEvery is how often the lake is looked at by itself: at 00, 06, 12 and 18 UTC.
const turnEvery = 6 * time.Hour

// turnAfter is the first such moment after one.
func turnAfter(at time.Time) time.Time { return at.UTC().Truncate(turnEvery).Add(turnEvery) }

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

// recordSchedule is the kind of the records of the schedule in the log.
const recordSchedule log.Kind = "airshed_schedule"

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
		c, err = watchIn(ctx, tx, actor.Org, "")
		return err
	})
	return c, err
}

// watchIn reads an organisation's row; lock is "for update" or nothing.
func watchIn(ctx context.Context, tx pgx.Tx, org identity.Org, lock string) (c Schedule, err error) {
	const one = `select paused, version, set_by, set_at, next_at, last_scan, left_out_at from airshed.watch where org = $1 `
	err = tx.QueryRow(ctx, one+lock, org).Scan(&c.Paused, &c.Version, &c.SetBy, &c.SetAt, &c.NextAt, &c.LastScan, &c.LeftOutAt)
	if err != nil && !errors.Is(err, pgx.ErrNoRows) {
		return c, fmt.Errorf("read the schedule: %w", err)
	}
	return c, nil
}

func putWatch(ctx context.Context, tx pgx.Tx, org identity.Org, c Schedule) error {
	const put = `insert into airshed.watch (org, paused, version, set_by, set_at, next_at, last_scan, left_out_at) values ($1, $2, $3, $4, $5, $6, $7, $8)
		on conflict (org) do update set paused = excluded.paused, version = excluded.version, set_by = excluded.set_by, set_at = excluded.set_at,
			next_at = excluded.next_at, last_scan = excluded.last_scan, left_out_at = excluded.left_out_at`
	if _, err := tx.Exec(ctx, put, org, c.Paused, c.Version, c.SetBy, c.SetAt, c.NextAt, c.LastScan, c.LeftOutAt); err != nil {
		return fmt.Errorf("write the schedule: %w", err)
	}
	return nil
}

// holdWatch has changes of an organisation's schedule come one after another, also
// the first.
func holdWatch(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, Name+"/"+string(org)+"/watch")
	return err
}

// AnyVersion is the version of who does not say what they have read.
const AnyVersion = -1

// SetPaused has the lake looked at by itself no longer, or again. What was due
// meanwhile is not made up for: the next turn looks at the newest object anyway. seen is
// the version the change was made to, or AnyVersion.
func (s *Store) SetPaused(ctx context.Context, actor identity.Actor, paused bool, seen int64) (c Schedule, err error) {
	if err := s.rules.May(actor, ActSchedule); err != nil {
		return c, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if err := holdWatch(ctx, tx, actor.Org); err != nil {
			return err
		}
		if c, err = watchIn(ctx, tx, actor.Org, "for update"); err != nil {
			return err
		}
		if seen != AnyVersion && seen != c.Version {
			return fault.New(fault.Stale, "the schedule has been changed since you read it").WithNext("read it again, and change what it is now")
		}
		now := s.clock.Now().UTC().Truncate(time.Microsecond)
		c.Paused, c.SetBy, c.SetAt, c.NextAt, c.LeftOutAt = paused, actor.ID, &now, nil, nil
		c.Version++
		if err := putWatch(ctx, tx, actor.Org, c); err != nil {
			return err
		}
		did := map[bool]string{true: "paused", false: "resumed"}[paused]
		_, err = log.Append(ctx, tx, log.Record{At: now, Kind: recordSchedule, App: Name, Actor: actor, Subject: "schedule", Body: map[string]any{"did": did}})
		if err != nil {
			return err
		}
		return s.wakeWatch(ctx, tx, actor.Org)
	})
	return c, err
}

// WatchInput is what the watch over an organisation's lake is given.
type WatchInput struct {
	Org   identity.Org  `json:"org"`
	Clock durable.Clock `json:"clock"`
}

// watchID is the workflow that watches an organisation's lake: there is one.
func watchID(org identity.Org) string { return Name + "/" + string(org) + "/watch" }

// wakeWatch has the watch look at its row, and begins it where there is none.
func (s *Store) wakeWatch(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	input, err := json.Marshal(WatchInput{Org: org, Clock: s.clock})
	if err != nil {
		return err
	}
	return outbox.AddSignal(ctx, tx, org, watchID(org), outbox.Signal{Name: casefile.WakeSignalName, Input: json.RawMessage(`{}`),
		Start: outbox.Start{Workflow: WatchName, Queue: Name, Subject: "watch", Input: input}})
}

// WakeWatch has the watch over an organisation's lake look at its row, and begins it where
// there is none.
func (s *Store) WakeWatch(ctx context.Context, org identity.Org) error {
	return s.db.InOrg(ctx, org, func(tx pgx.Tx) error { return s.wakeWatch(ctx, tx, org) })
}

// Due begins the scan for which it is time, and says when the next is; never while the
// schedule is paused. A turn that was missed, because nothing ran when it came, is taken
// once, however often it was missed. The scan's key is the moment it is of, so that a step
// that is done again begins nothing.
func (s *Store) Due(ctx context.Context, org identity.Org, at time.Time) (next time.Time, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		if err := holdWatch(ctx, tx, org); err != nil {
			return err
		}
		c, err := watchIn(ctx, tx, org, "for update")
		if err != nil || c.Paused {
			return err
		}
		if c.NextAt != nil && !c.NextAt.After(at) {
			if err := s.turn(ctx, tx, org, &c, at); err != nil {
				return err
			}
		}
		next = turnAfter(at)
		c.NextAt = &next
		return putWatch(ctx, tx, org, c)
	})
	return next, err
}

// turn begins one scan of the newest object, unless one is still at it.
func (s *Store) turn(ctx context.Context, tx pgx.Tx, org identity.Org, c *Schedule, at time.Time) error {
	gavel := identity.Gavel(org)
	ask := ScanRequest{Kind: Scheduled, Key: string(Scheduled) + ":" + at.Truncate(turnEvery).Format(time.RFC3339)}
	running, err := job.At(ctx, tx, ScanJob, ask.about())
	if err != nil {
		return err
	}
	if running.ID != "" && running.Key != ask.Key {
		c.LeftOutAt = &at
		_, err = log.Append(ctx, tx, log.Record{At: at, Kind: recordSchedule, App: Name, Actor: gavel, Subject: "schedule", Body: map[string]any{"did": "left_out", "why": "running"}})
		return err
	}
	scan, _, err := s.beginScan(ctx, tx, gavel, ask, Scan{BeganAt: at})
	c.LastScan, c.LeftOutAt = scan.ID, nil
	return err
}
