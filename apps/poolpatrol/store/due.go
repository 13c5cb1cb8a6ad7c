package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/calendar"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/timetable"
)

// Why a pass was not begun.
const (
	noteStale   = "stale"   // the records were too old to judge anybody on
	noteRunning = "running" // a pass was at it
)

// Due begins the passes for which it is time and says when to look again; a zero
// time is when somebody changes the schedule. The monthly one comes first: it looks at
// every van that a daily one would.
func (s *Store) Due(ctx context.Context, in timetable.Input, at time.Time) (next time.Time, err error) {
	at = at.UTC().Truncate(time.Microsecond)
	err = s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		t, zone, err := holdTimes(ctx, tx, in.Org)
		if err != nil || t.Version == 0 {
			return err
		}
		for i := range t.Slots {
			if !t.Slots[i].Due(at) {
				continue
			}
			if err := s.turn(ctx, tx, in.Org, &t, &t.Slots[i], at, placeOf(zone)); err != nil {
				return err
			}
		}
		next = t.Next()
		return t.Save(ctx, tx)
	})
	return next, err
}

// turn begins one pass, or notes why it does not. On old records it is put off: a month is
// long, and it is tried every day until they have come.
func (s *Store) turn(ctx context.Context, tx pgx.Tx, org identity.Org, t *timetable.Timetable, slot *calendar.Slot,
	at time.Time, zone *time.Location,
) error {
	kind := PassKind(slot.Name)
	running, err := passRunning(ctx, tx, kind)
	if err != nil {
		return err
	}
	if running {
		slot.LeaveOut(noteRunning, at, zone)
		return leftOut(ctx, tx, org, t, slot)
	}
	if err := RefuseStale(ctx, tx, at); err != nil {
		if !fault.Is(err, fault.Conflict) {
			return err
		}
		slot.PutOff(noteStale, at, zone)
		return leftOut(ctx, tx, org, t, slot)
	}
	p, _, err := s.beginPass(ctx, tx, identity.Gavel(org), kind, slot.Name+":"+slot.Next.UTC().Format(time.RFC3339), at)
	slot.Take(p.ID, at, zone)
	return err
}

// leftOut puts on record that a pass was not begun, and tells pages that show what comes.
func leftOut(ctx context.Context, tx pgx.Tx, org identity.Org, t *timetable.Timetable, slot *calendar.Slot) error {
	err := t.Note(ctx, tx, identity.Gavel(org), *slot.NotedAt, map[string]any{"did": "left_out", "kind": slot.Name, "why": slot.Note})
	if err != nil {
		return err
	}
	return job.Tell(ctx, tx, PassJob, org, "schedule", slot.NotedAt.UnixMilli())
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
	t, err := timetable.Read(ctx, tx, passTimes, org)
	if next := t.Next(); err != nil || next.IsZero() || now.Sub(next) < lateTurn {
		return err
	}
	return timetable.Wake(ctx, tx, passTimes, org, s.clock)
}

// VansOf are the vans that a pass of a kind looks at; nil is all of them. A daily one
// looks at those that had an open case when it began, whatever has become of it
// since, so that a try that goes on where another stopped looks at the same; and at those
// whose newest audit before it said to look again by now, because somebody was away.
func VansOf(ctx context.Context, tx pgx.Tx, kind PassKind, at time.Time) (map[fleet.VanpoolID]bool, error) {
	if kind != Daily {
		return nil, nil
	}
	const these = `select vanpool_id from poolpatrol.case where opened_at <= $1 and coalesce(ended_at, 'infinity') > $1
		union select v.id from poolpatrol.vanpool v join poolpatrol.site s on s.org = v.org and s.id = v.site_id
			cross join lateral (select r.recheck_on from poolpatrol.audit_run r where r.org = v.org and r.vanpool_id = v.id and r.at < $1
				order by r.at desc, r.id desc limit 1) newest
			where newest.recheck_on <= ($1::timestamptz at time zone s.zone)::date`
	rows, _ := tx.Query(ctx, these, at)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[fleet.VanpoolID])
	if err != nil {
		return nil, fmt.Errorf("read which vans are looked at daily: %w", err)
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
