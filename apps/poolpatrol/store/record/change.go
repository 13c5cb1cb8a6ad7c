package record

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/intake"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Change is what somebody says about one record besides what it shall be.
type Change struct {
	Named []string // the fields they named; nil: all are meant
	Seen  string   // the tag of what they read; empty: whatever there is
}

// A Written is what a change did, and the tag of the record as it is now.
type Written struct {
	Preview

	Tag string
}

// tagOf is the tag of a record as it stands: the digest of everything it says. So there is
// one for a record however it was written, and the same one where it was written back.
func tagOf[T any](l ledger[T], all []T) string {
	sum := sha256.New()
	for _, row := range all {
		sum.Write(intake.Write(l.Table, row))
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// now is a record as it stands; no rows where there is none.
func now[T any](ctx context.Context, tx pgx.Tx, l ledger[T], key string) ([]T, error) {
	return l.load(ctx, tx, intake.File[T]{}, []string{key})
}

// change takes one thing as an import of one row does, made of what is on record. It is
// refused where that has changed since somebody read it, and where it would change what
// they did not name.
func change[T any](ctx context.Context, s *Records, actor identity.Actor, l ledger[T], key string, c Change,
	next func(was []T) (T, error)) (w Written, err error) {
	if err := s.rules.May(actor, programme.ActChange); err != nil {
		return w, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if err := Hold(ctx, tx); err != nil {
			return err
		}
		was, err := now(ctx, tx, l, key)
		if err != nil {
			return err
		}
		row, err := next(was) // first: what is not there has not changed either
		if err != nil {
			return err
		}
		if c.Seen != "" && c.Seen != tagOf(l, was) {
			return fault.New(fault.Stale, "%s has changed since you read it; nothing was done", key).WithNext("read it again")
		}
		if w.Preview, err = putIn(ctx, tx, s, actor, l, key, row); err != nil {
			return err
		}
		if lost := c.unnamed(w.Preview); len(was) > 0 && len(lost) > 0 {
			return fault.New(fault.Conflict, "that would empty what the body does not name: %s; nothing was done", strings.Join(lost, ", ")).
				WithNext("name every field, empty where it is to be emptied, or send what changes with PATCH")
		}
		is, err := now(ctx, tx, l, key)
		w.Tag = tagOf(l, is)
		return err
	})
	return w, err
}

// unnamed are the fields that were changed without having been named.
func (c Change) unnamed(p Preview) (out []string) {
	if c.Named == nil {
		return nil
	}
	for _, one := range p.List {
		for _, field := range one.Fields {
			if !slices.Contains(c.Named, field) {
				out = append(out, field)
			}
		}
	}
	return out
}

// put writes one thing whole.
func put[T any](ctx context.Context, s *Records, actor identity.Actor, l ledger[T], key string, row T, c Change) (Written, error) {
	return change(ctx, s, actor, l, key, c, func([]T) (T, error) { return row, nil })
}

// A Patch lays some fields over a value.
type Patch interface{ Onto(was, to any) error }

// patch changes what a patch names of one thing that is there.
func patch[T any](ctx context.Context, s *Records, actor identity.Actor, l ledger[T], key string, p Patch, seen string) (Written, error) {
	return change(ctx, s, actor, l, key, Change{Seen: seen}, func(was []T) (row T, err error) {
		if len(was) == 0 {
			return row, fault.New(fault.NotFound, "no record is called %.60q", key).WithNext("write it whole with PUT")
		}
		if err := p.Onto(was[0], &row); err != nil {
			return row, err
		}
		if got := l.Key(&row); got != key {
			return row, fault.New(fault.Invalid, "the address names %.60q and the change %.60q", key, got).
				WithNext("leave the id out of the change")
		}
		return row, nil
	})
}

// PutSite writes one workplace.
func (s *Records) PutSite(ctx context.Context, actor identity.Actor, v intake.Site, c Change) (Written, error) {
	return put(ctx, s, actor, sites(), string(v.ID), v, c)
}

// PutShift writes one shift.
func (s *Records) PutShift(ctx context.Context, actor identity.Actor, v intake.Shift, c Change) (Written, error) {
	return put(ctx, s, actor, shifts(), string(v.ID), v, c)
}

// PutEmployee writes one person with their shifts and days off.
func (s *Records) PutEmployee(ctx context.Context, actor identity.Actor, v intake.Employee, c Change) (Written, error) {
	return put(ctx, s, actor, employees(), string(v.ID), v, c)
}

// PutVanpool writes one van.
func (s *Records) PutVanpool(ctx context.Context, actor identity.Actor, v intake.Vanpool, c Change) (Written, error) {
	return put(ctx, s, actor, vanpools(), string(v.ID), v, c)
}

// Patch changes what a patch names of one record of a kind.
func (s *Records) Patch(ctx context.Context, actor identity.Actor, kind intake.Kind, id string, p Patch, seen string) (Written, error) {
	switch kind {
	case intake.Sites:
		return patch(ctx, s, actor, sites(), id, p, seen)
	case intake.Shifts:
		return patch(ctx, s, actor, shifts(), id, p, seen)
	case intake.Employees:
		return patch(ctx, s, actor, employees(), id, p, seen)
	case intake.Vanpools:
		return patch(ctx, s, actor, vanpools(), id, p, seen)
	}
	return Written{}, fault.New(fault.Invalid, "records of %s are imported", kind)
}

// Tag is the tag of an employee or a van as it stands.
func (s *Records) Tag(ctx context.Context, actor identity.Actor, kind intake.Kind, id string) (tag string, err error) {
	if err := s.rules.May(actor, programme.ActRead); err != nil {
		return "", err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) (err error) {
		tag, err = tagNow(ctx, tx, kind, id)
		return err
	})
	return tag, err
}

func tagNow(ctx context.Context, tx pgx.Tx, kind intake.Kind, id string) (string, error) {
	if kind == intake.Employees {
		all, err := now(ctx, tx, employees(), id)
		return tagOf(employees(), all), err
	}
	all, err := now(ctx, tx, vanpools(), id)
	return tagOf(vanpools(), all), err
}
