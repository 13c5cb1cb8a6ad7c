package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// Due begins the passes for which it is time and says when to look again; a zero
// time is when somebody changes the schedule. A turn that was missed, because
// nothing ran when it came, is taken once, however often it was missed.
func (s *Store) Due(ctx context.Context, in CalendarInput, at time.Time) (next time.Time, err error) {
	at = at.UTC().Truncate(time.Microsecond)
	err = s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		if err := holdSettings(ctx, tx); err != nil {
			return err
		}
		c, err := scheduleIn(ctx, tx, in.Org, "for update of s")
		if err != nil || c.Version == 0 {
			return err
		}
		moved, err := s.turns(ctx, tx, in.Org, &c, at)
		if err == nil && moved {
			err = putSchedule(ctx, tx, in.Org, c)
		}
		next = c.soonest()
		return err
	})
	return next, err
}

// turns takes the turns that are due. The monthly one first: it looks at every van
// that a daily one would.
func (s *Store) turns(ctx context.Context, tx pgx.Tx, org identity.Org, c *Schedule, at time.Time) (moved bool, err error) {
	zone := placeOf(c.Zone)
	if due(c.Full.At, at) {
		if err := s.turn(ctx, tx, org, Monthly, &c.Full, at); err != nil {
			return false, err
		}
		following := c.nextMonth(at, zone)
		if c.Full.Note == noteStale { // a month is long: it is tried every day until the records have come
			following = c.nextDay(at, zone)
		}
		c.Full.At, moved = &following, true
	}
	if due(c.Recheck.At, at) {
		if err := s.turn(ctx, tx, org, Daily, &c.Recheck, at); err != nil {
			return false, err
		}
		following := c.nextDay(at, zone)
		c.Recheck.At, moved = &following, true
	}
	return moved, nil
}

func due(t *time.Time, at time.Time) bool { return t != nil && !t.After(at) }

// turn begins one pass, or notes why it does not.
func (s *Store) turn(ctx context.Context, tx pgx.Tx, org identity.Org, kind PassKind, t *Turn, at time.Time) error {
	key := string(kind) + ":" + t.At.UTC().Format(time.RFC3339)
	t.Note, t.NotedAt = "", nil
	running, err := passRunning(ctx, tx, kind)
	if err != nil {
		return err
	}
	if running {
		return s.leaveOut(ctx, tx, org, kind, t, noteRunning, at)
	}
	if err := RefuseStale(ctx, tx, at); err != nil {
		if !fault.Is(err, fault.Conflict) {
			return err
		}
		return s.leaveOut(ctx, tx, org, kind, t, noteStale, at)
	}
	p, _, err := s.beginPass(ctx, tx, identity.Gavel(org), kind, key, at)
	t.Pass = p.ID
	return err
}

// leaveOut notes that a turn was not taken, and why.
func (s *Store) leaveOut(ctx context.Context, tx pgx.Tx, org identity.Org, kind PassKind, t *Turn, why string, at time.Time) error {
	t.Note, t.NotedAt = why, &at
	_, err := log.Append(ctx, tx, log.Record{At: at, Kind: recordSchedule, App: programme.Name, Actor: identity.Gavel(org), Subject: "schedule",
		Body: map[string]any{"did": "left_out", "kind": string(kind), "why": why}})
	if err == nil {
		err = job.Tell(ctx, tx, PassJob, org, "schedule", at.UnixMilli())
	}
	return err
}

// passRunning reports whether a pass is under way that looks at what a scheduled one
// would: every van or, for a daily one, at least those with a case.
func passRunning(ctx context.Context, tx pgx.Tx, kind PassKind) (bool, error) {
	for _, k := range []PassKind{Monthly, kind} {
		if j, err := job.At(ctx, tx, PassJob, k.about()); err != nil || j.ID != "" {
			return true, err
		}
	}
	return false, nil
}

// lateTurn is how late a turn may be until its calendar counts as lost.
const lateTurn = time.Hour

// keepTime begins the programme's calendar again where it is lost: a turn has been due
// for long, and nobody took it or noted why not. Who brings records looks, because no
// pass is worth anything before they come; where there is a calendar, it is only woken.
func (s *Store) keepTime(ctx context.Context, tx pgx.Tx, org identity.Org, now time.Time) error {
	c, err := scheduleIn(ctx, tx, org, "")
	if err != nil {
		return err
	}
	if next := c.soonest(); next.IsZero() || now.Sub(next) < lateTurn {
		return nil
	}
	return s.wakeCalendar(ctx, tx, org)
}

// soonest is when something is due next; zero where nothing is.
func (c Schedule) soonest() (first time.Time) {
	for _, t := range []*time.Time{c.Full.At, c.Recheck.At} {
		if t != nil && (first.IsZero() || t.Before(first)) {
			first = *t
		}
	}
	return first
}

// VansOf are the vans that a pass of a kind looks at; nil is all of them. A daily one
// looks at those that had an open case when it began, whatever has become of it
// since, so that a try that goes on where another stopped looks at the same.
func VansOf(ctx context.Context, tx pgx.Tx, kind PassKind, at time.Time) (map[fleet.VanpoolID]bool, error) {
	if kind != Daily {
		return nil, nil
	}
	rows, _ := tx.Query(ctx, `select vanpool_id from poolpatrol.case where opened_at <= $1 and coalesce(ended_at, 'infinity') > $1`, at)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[fleet.VanpoolID])
	if err != nil {
		return nil, fmt.Errorf("read which vans have an open case: %w", err)
	}
	among := make(map[fleet.VanpoolID]bool, len(ids))
	for _, id := range ids {
		among[id] = true
	}
	return among, nil
}

// LooksAt reports whether a pass looks at a van.
func LooksAt(among map[fleet.VanpoolID]bool, id fleet.VanpoolID) bool {
	return among == nil || among[id]
}
