package airshed

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Turn is what the watch does next.
type Turn struct {
	At   time.Time `json:"at,omitzero"`   // when to look again; zero: when somebody wakes it
	Over bool      `json:"over,omitzero"` // the organisation has no lake here any more
}

// Due begins the scan for which it is time, and says when the next is. A turn that
// was missed, because nothing ran when it came, is taken once, however often it was
// missed. The scan's key is the moment it is of, so that a step that is done again
// begins nothing.
func (s *Steps) Due(ctx context.Context, in WatchInput, at time.Time) (next Turn, err error) {
	a := s.app
	if !a.watches(in.Org) {
		return Turn{Over: true}, nil
	}
	at = at.UTC().Truncate(time.Microsecond)
	err = a.store.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		if err := holdWatch(ctx, tx, in.Org); err != nil {
			return err
		}
		c, err := watchIn(ctx, tx, in.Org, "for update")
		if err != nil || c.Paused {
			return err
		}
		if c.NextAt != nil && !c.NextAt.After(at) {
			if err := a.store.turn(ctx, tx, in.Org, &c, at); err != nil {
				return err
			}
		}
		next.At = turnAfter(at)
		c.NextAt = &next.At
		return putWatch(ctx, tx, in.Org, c)
	})
	return next, err
}

// turn begins one scan of the newest object, unless one that the watch began is still
// at it.
func (s *Store) turn(ctx context.Context, tx pgx.Tx, org identity.Org, c *Schedule, at time.Time) error {
	running, err := scheduledRuns(ctx, tx, at)
	if err != nil {
		return err
	}
	gavel := identity.Gavel(org)
	if running {
		c.LeftOutAt = &at
		_, err = log.Append(ctx, tx, log.Record{At: at, Kind: recordSchedule, App: Name, Actor: gavel, Subject: "schedule", Body: map[string]any{"did": "left_out", "why": "running"}})
		return err
	}
	key := string(Scheduled) + ":" + at.Truncate(turnEvery).Format(time.RFC3339)
	there, err := scanBy(ctx, tx, "key", key)
	if errors.Is(err, pgx.ErrNoRows) {
		there = Scan{ID: newID("SCAN"), Kind: Scheduled, AskedBy: gavel.ID, State: ScanRunning, BeganAt: at}
		err = s.insertScan(ctx, tx, gavel, key, there)
	}
	c.LastScan, c.LeftOutAt = there.ID, nil
	return err
}

// longScan is how long a scan may take until it no longer keeps the next from
// beginning: it has died.
const longScan = 24 * time.Hour

// scheduledRuns reports whether a scan that the watch began is under way.
func scheduledRuns(ctx context.Context, tx pgx.Tx, at time.Time) (running bool, err error) {
	const underWay = `select exists (select from airshed.scan where state = 'running' and kind = 'scheduled' and began_at > $1)`
	err = tx.QueryRow(ctx, underWay, at.Add(-longScan)).Scan(&running)
	return running, err
}
