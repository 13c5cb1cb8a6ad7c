package act

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Leases a caller may ask for, in real time whatever the installation's clock: a
// lease is about how long a process may be busy, not about dates.
const (
	minLease = 10 * time.Millisecond
	maxLease = time.Hour
)

// begin claims an act if it can be claimed, or holds it if a pause is on, and
// tells what it found before it did so. The row is locked first, so that of two
// who begin at once the second sees what the first did.
const begin = `
	with seen as materialized (
		select * from gavel.act where org = $1 and key = $2 for update
	), found as materialized (
		select a.*,
			args_sha256 = $3 and (state in ('planned', 'held') or state = 'running' and lease_until <= clock_timestamp())
				and (not_before is null or not_before <= $4) as free,
			exists (select from gavel.pause p where p.org = a.org and ` + heldBy + `) as paused,
			` + doubted + ` as doubted
		from seen a
	), moved as (
		update gavel.act a set
			state = case when found.paused then 'held' else 'running' end,
			fence = a.fence + case when found.paused then 0 else 1 end,
			lease_until = case when not found.paused then clock_timestamp() + make_interval(secs => $5) end
		from found
		where a.org = $1 and a.key = $2 and found.free and (not found.paused or found.state = 'planned')
		returning a.state, a.fence
	)
	select ` + actColumns + `, free, paused, doubted, coalesce(lease_until > clock_timestamp(), false),
		coalesce((select state from moved), ''), coalesce((select fence from moved), 0)
	from found`

// Begin claims an authorised act for as long as lease, so that the caller may
// carry it out with exactly the arguments of the digest. It is one statement.
//
// Faults: Refused if there is no such act or its arguments are others;
// Unavailable, which the engine tries again, while a living holder has it;
// Conflict before its undo window has passed, with the claim's Act saying when
// that is.
//
// A write that a dead holder left is Mine, not Unsure: its effect and its end
// are one transaction, so without the end there was no effect. An act of a case in
// doubt is Unsure from the first, and Doubted.
//
// first, if given, is queued before the claim in the same round trip: if it
// fails, nothing is claimed and its error is returned.
func (s *Store) Begin(ctx context.Context, org identity.Org, key, argsSHA256 string, lease time.Duration, first ...func(*pgx.Batch)) (Claim,
	error) {
	if lease < minLease || lease > maxLease {
		return Claim{}, fault.New(fault.Invalid, "a lease is %v to %v long, not %v", minLease, maxLease, lease)
	}
	now := s.clock.Now()
	var f found
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		var b pgx.Batch
		for _, queue := range first {
			queue(&b)
		}
		b.Queue(begin, string(org), key, argsSHA256, now, lease.Seconds()).Query(func(rows pgx.Rows) (err error) {
			f, err = pgx.CollectOneRow(rows, pgx.RowToStructByPos[found])
			return err
		})
		if err := tx.SendBatch(ctx, &b).Close(); err != nil || f.MovedTo != OnHold {
			return err
		}
		held := stepOf(f.Act)
		held.Step = OnHold
		_, err := audit.Append(ctx, tx, record(f.Act, now, held))
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Claim{}, notAuthorised(key)
	}
	if err != nil {
		return Claim{}, fmt.Errorf("begin act %s: %w", key, err)
	}
	return f.claim(argsSHA256, now)
}

// A found is an act as Begin found it, and what Begin did to it.
type found struct {
	Act
	Free, Paused, Doubted, Alive bool
	MovedTo                      State
	NewFence                     int64
}

func (f found) claim(argsSHA256 string, now time.Time) (Claim, error) {
	was := f.Act.State
	c := Claim{Act: f.Act}
	switch {
	case f.ArgsSHA256 != argsSHA256:
		return Claim{}, notAuthorised(f.Key)
	case was.Ended():
		c.Standing = Ended
	case f.MovedTo == Running:
		c.Standing, c.Fence = Mine, f.NewFence
		c.Act.State, c.Act.Fence = Running, f.NewFence
		if f.Doubted {
			c.Act.Reason = LostTime
		}
		if c.Doubted = f.Doubted; was == Running && f.Effect == Outside || f.Doubted {
			c.Standing = Unsure
		}
	case f.Free && f.Paused:
		c.Standing = Held
		if was == Planned {
			c.Act.State = OnHold
		}
	case f.NotBefore != nil && now.Before(*f.NotBefore):
		return c, fault.New(fault.Conflict, "act %s can still be undone and is due at %s", f.Key, f.NotBefore.UTC().
			Format(time.RFC3339Nano))
	default: // running under a lease that is not over
		return c, fault.New(fault.Unavailable, "act %s is being carried out by another worker", f.Key).
			WithNext("try again when its lease is over")
	}
	return c, nil
}

func notAuthorised(key string) error {
	return fault.New(fault.Refused, "nobody has authorised the act %.120q with these arguments", key).
		WithNext("an act needs an approved proposal, or a policy that lets it run unattended")
}
