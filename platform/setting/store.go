package setting

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A Config says where settings are and who may.
type Config struct {
	DB    *postgres.DB
	Clock durable.Clock
	Rules *policy.Rules // nil refuses everything
	Kinds []Kind        // that faces ask for by name
}

// A Store reads and writes settings for people and programs.
type Store struct{ Config }

// NewStore makes one.
func NewStore(c Config) *Store { return &Store{c} }

// Find is a kind by its names, for who may read it.
func (s *Store) Find(actor identity.Actor, app, name string) (Kind, error) {
	at := slices.IndexFunc(s.Kinds, func(k Kind) bool { return k.App == app && k.Name == name })
	if at < 0 {
		return Kind{}, fault.New(fault.NotFound, "no setting is called %.40q/%.40q", app, name).WithNext("gavel setting list").
			Because("nothing_called", "id", app+"/"+name)
	}
	return s.Kinds[at], s.Rules.May(actor, s.Kinds[at].Read)
}

// Readable are the kinds that an actor may read, of one application or of all.
func (s *Store) Readable(actor identity.Actor, app string) []Kind {
	return slices.DeleteFunc(slices.Clone(s.Kinds), func(k Kind) bool {
		return app != "" && k.App != app || s.Rules.May(actor, k.Read) != nil
	})
}

// MayChange reports whether an actor may change a setting, or propose to.
func (s *Store) MayChange(actor identity.Actor, k Kind) bool {
	return s.Rules.May(actor, k.Change) == nil
}

// read runs a look at a setting for who may read it.
func (s *Store) read(ctx context.Context, actor identity.Actor, k Kind, item string, look func(pgx.Tx) error) error {
	if err := s.Rules.May(actor, k.Read); err != nil {
		return err
	}
	if err := k.names(item); err != nil {
		return err
	}
	return s.DB.InOrg(ctx, actor.Org, look)
}

// Current is a setting as it is in force. An item that there is not is not found.
func (s *Store) Current(ctx context.Context, actor identity.Actor, k Kind, item string) (h Held, err error) {
	err = s.read(ctx, actor, k, item, func(tx pgx.Tx) error {
		if h, err = Current(ctx, tx, k, actor.Org, item); err == nil && h.Value == nil && !h.Erased {
			err = k.noItem(item)
		}
		return err
	})
	return h, err
}

// All are the settings of a kind that are in force: one, or each of its items.
func (s *Store) All(ctx context.Context, actor identity.Actor, k Kind) (all []Held, err error) {
	if k.Many == 0 {
		h, err := s.Current(ctx, actor, k, "")
		return []Held{h}, err
	}
	if err := s.Rules.May(actor, k.Read); err != nil {
		return nil, err
	}
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		all, err = inForce(ctx, tx, k)
		return err
	})
	return all, err
}

// Versions are a part of a setting's history, the newest first: what follows a token, and the
// token of what follows these.
func (s *Store) Versions(ctx context.Context, actor identity.Actor, k Kind, item, after string, limit int) (
	all []Held, next string, err error,
) {
	before := int64(0)
	if after != "" {
		if before, err = strconv.ParseInt(after, 10, 64); err != nil || before < 1 {
			return nil, "", fault.New(fault.Invalid, "the list has no page that begins there").WithNext("begin the list anew").
				Because("no_such_page_of_list")
		}
	}
	limit = list.Size(limit)
	err = s.read(ctx, actor, k, item, func(tx pgx.Tx) error {
		all, err = versions(ctx, tx, k, item, before, limit+1)
		return err
	})
	all, next = list.Cut(all, limit, func(last Held) string { return strconv.FormatInt(last.Version, 10) })
	return all, next, err
}

// Version is one version; 0 is what holds until somebody sets it.
func (s *Store) Version(ctx context.Context, actor identity.Actor, k Kind, item string, version int64) (h Held, err error) {
	err = s.read(ctx, actor, k, item, func(tx pgx.Tx) error {
		h, err = versionOf(ctx, tx, k, actor.Org, item, version)
		return err
	})
	return h, err
}

// Between is what changed from one version to another. From 0 is since the application's
// default, and to 0 is to what is in force.
func (s *Store) Between(ctx context.Context, actor identity.Actor, k Kind, item string, from, to int64) (d form.Difference, err error) {
	err = s.read(ctx, actor, k, item, func(tx pgx.Tx) error {
		was, err := versionOf(ctx, tx, k, actor.Org, item, from)
		if err != nil {
			return err
		}
		now, err := Current(ctx, tx, k, actor.Org, item)
		if err == nil && to != 0 {
			now, err = versionOf(ctx, tx, k, actor.Org, item, to)
		}
		if err != nil {
			return err
		}
		if was.Erased || now.Erased {
			return fault.New(fault.NotFound, "the words of version %d or %d were erased", from, to).Because("version_erased")
		}
		d, err = Diff(was.Value, now.Value)
		return err
	})
	return d, err
}

// A Preview is what a change would do.
type Preview struct {
	Was     Held
	Value   json.RawMessage // as it would be kept
	Changes form.Difference
	Effects []Effect // that the application computes; empty where it computes none
}

// Preview says what a value would change, and what would follow. Nothing is written.
func (s *Store) Preview(ctx context.Context, actor identity.Actor, k Kind, item string, value json.RawMessage) (p Preview, err error) {
	if err := s.Rules.May(actor, k.Change); err != nil {
		return p, err
	}
	if value, err = k.Fits(item, value); err != nil {
		return p, err
	}
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		p, err = PreviewIn(ctx, tx, k, actor.Org, item, value)
		return err
	})
	return p, err
}

// Fits is a value that somebody sent, as it would be kept, or what is wrong with it.
func (k Kind) Fits(item string, value json.RawMessage) (json.RawMessage, error) {
	if err := k.names(item); err != nil {
		return nil, err
	}
	value, err := form.Canonical(value)
	if err != nil {
		return nil, err
	}
	if err := k.validate(value); err != nil {
		return nil, err
	}
	return k.fits(item, value)
}

// PreviewIn is the same inside a transaction, of a value that fits.
func PreviewIn(ctx context.Context, tx pgx.Tx, k Kind, org identity.Org, item string, value json.RawMessage) (p Preview, err error) {
	p.Value = value
	if p.Was, err = Current(ctx, tx, k, org, item); err != nil {
		return p, err
	}
	if p.Changes, err = Diff(p.Was.Value, value); err != nil || k.effects == nil {
		return p, err
	}
	if p.Effects, err = k.effects(ctx, tx, org, p.Was.Value, value); err != nil {
		return p, fmt.Errorf("what a change of the %s would do: %w", k.Title, err)
	}
	p.Effects = p.Effects[:min(len(p.Effects), MostEffects)]
	for i, e := range p.Effects {
		p.Effects[i].Was, p.Effects[i].Now = cut(e.Was), cut(e.Now)
	}
	return p, nil
}

func cut(text string) string {
	if r := []rune(text); len(r) > maxWords {
		return string(r[:maxWords])
	}
	return text
}
