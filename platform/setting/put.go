package setting

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Set writes the next version of a setting, for who may change it. seen is the version it was
// made to, or AnyVersion. What people decide is refused: package amend asks them.
func (s *Store) Set(ctx context.Context, actor identity.Actor, k Kind, item string, value json.RawMessage, seen int64) (Held, error) {
	if value == nil {
		return Held{}, fault.New(fault.Invalid, "the %s has no value", k.Title).Because("field_empty")
	}
	return s.write(ctx, actor, k, value, Change{Item: item, Seen: seen})
}

// Remove takes an item away: its next version has no value.
func (s *Store) Remove(ctx context.Context, actor identity.Actor, k Kind, item string, seen int64) error {
	if k.Many == 0 {
		return fault.New(fault.Conflict, "the %s cannot be removed; set it", k.Title).Because("setting_stays")
	}
	_, err := s.write(ctx, actor, k, nil, Change{Item: item, Seen: seen})
	return err
}

func (s *Store) write(ctx context.Context, actor identity.Actor, k Kind, value json.RawMessage, c Change) (h Held, err error) {
	if err := s.Rules.May(actor, k.Change); err != nil {
		return h, err
	}
	if k.Gated {
		return h, fault.New(fault.Conflict, "people decide each change of the %s", k.Title).
			WithNext("propose it: gavel setting set %s %s", k.App, k.Name).Because("setting_decided")
	}
	c.Actor, c.At = actor, s.Clock.Now()
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		h, err = Write(ctx, tx, k, value, c)
		return err
	})
	return h, err
}

// Put is Set with a value of the kind's type, for the application's own addresses and pages. It
// gives the value as it is kept.
func Put[T any](ctx context.Context, s *Store, actor identity.Actor, k Kind, item string, v T, seen int64) (T, Mark, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return v, Mark{}, err
	}
	h, err := s.Set(ctx, actor, k, item, text, seen)
	if err != nil {
		return v, Mark{}, err
	}
	v, err = decode[T](h.Value)
	return v, h.Mark, err
}

// Get is the value of a setting that is in force, for who may read it.
func Get[T any](ctx context.Context, s *Store, actor identity.Actor, k Kind, item string) (v T, m Mark, err error) {
	err = s.read(ctx, actor, k, item, func(tx pgx.Tx) error {
		v, m, err = Read[T](ctx, tx, k, actor.Org, item)
		return err
	})
	return v, m, err
}

// List are all items of a kind, for who may read it.
func List[T any](ctx context.Context, s *Store, actor identity.Actor, k Kind) (all []Item[T], err error) {
	if err := s.Rules.May(actor, k.Read); err != nil {
		return nil, err
	}
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		all, err = Items[T](ctx, tx, k)
		return err
	})
	return all, err
}
