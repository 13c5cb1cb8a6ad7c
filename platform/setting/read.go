package setting

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

const columns = `item, version, value, removed, changed_by, changed_at, proposal, erased_at is not null`

func scan(row pgx.CollectableRow) (h Held, err error) {
	var value *string
	err = row.Scan(&h.Item, &h.Version, &value, &h.Removed, &h.ChangedBy, &h.ChangedAt, &h.Proposal, &h.Erased)
	if value != nil {
		h.Value = json.RawMessage(*value)
	}
	return h, err
}

// Current is a setting as it is in force: with version 0 what holds until somebody sets it.
// An item that there is not has no value.
func Current(ctx context.Context, tx pgx.Tx, k Kind, org identity.Org, item string) (Held, error) {
	const last = `select ` + columns + ` from gavel.setting where app = $1 and name = $2 and item = $3 order by version desc limit 1`
	rows, _ := tx.Query(ctx, last, k.App, k.Name, item)
	h, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		h, err = Held{Item: item}, nil
	}
	if err != nil {
		return h, fmt.Errorf("read the %s: %w", k.Title, err)
	}
	return h, k.fill(ctx, tx, org, &h)
}

// fill gives a setting the members that it has today: those that were not there when it was
// set are the default's, and those that there are not any more go.
func (k Kind) fill(ctx context.Context, tx pgx.Tx, org identity.Org, h *Held) error {
	if k.Many > 0 && h.Value == nil {
		return nil
	}
	held := map[string]json.RawMessage{}
	if h.Value != nil {
		if err := json.Unmarshal(h.Value, &held); err != nil {
			return fmt.Errorf("read the %s: %w", k.Title, err)
		}
	}
	missing := func(name string) bool { return held[name] == nil }
	gone := func(name string) bool { return !slices.Contains(k.members, name) }
	if h.Value != nil && !slices.ContainsFunc(k.needed, missing) && !slices.ContainsFunc(slices.Collect(maps.Keys(held)), gone) {
		return nil
	}
	given := map[string]json.RawMessage{}
	if k.initial != nil {
		text, err := k.initial(ctx, tx, org)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, &given); err != nil {
			return err
		}
	}
	for _, name := range k.members {
		if value, there := held[name]; there {
			given[name] = value
		}
	}
	var err error
	h.Value, err = canonical(given)
	return err
}

// Read is the value of a setting that is in force.
func Read[T any](ctx context.Context, tx pgx.Tx, k Kind, org identity.Org, item string) (v T, m Mark, err error) {
	h, err := Current(ctx, tx, k, org, item)
	if err != nil {
		return v, m, err
	}
	v, err = decode[T](h.Value)
	return v, h.Mark, err
}

// ReadAt is the value that was in force at a moment, for work that goes by what held when it
// began, however long it takes.
func ReadAt[T any](ctx context.Context, tx pgx.Tx, k Kind, org identity.Org, item string, at time.Time) (v T, m Mark, err error) {
	const last = `select ` + columns + ` from gavel.setting where app = $1 and name = $2 and item = $3 and changed_at <= $4
		order by version desc limit 1`
	rows, _ := tx.Query(ctx, last, k.App, k.Name, item, at)
	h, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		h, err = Held{Item: item}, nil
	}
	if err == nil {
		err = k.fill(ctx, tx, org, &h)
	}
	if err != nil {
		return v, m, fmt.Errorf("read the %s of %s: %w", k.Title, at.Format(time.RFC3339), err)
	}
	v, err = decode[T](h.Value)
	return v, h.Mark, err
}

// ReadVersion is the value of one version of a setting, for what began under it; 0 is what
// holds until somebody sets it. One that was erased is not found.
func ReadVersion[T any](ctx context.Context, tx pgx.Tx, k Kind, org identity.Org, version int64) (v T, err error) {
	h, err := versionOf(ctx, tx, k, org, "", version)
	if err == nil && h.Value == nil {
		err = fault.New(fault.NotFound, "version %d of the %s was erased", version, k.Title).
			Because("no_version", "n", strconv.FormatInt(version, 10))
	}
	if err == nil {
		err = k.fill(ctx, tx, org, &h)
	}
	if err != nil {
		return v, err
	}
	return decode[T](h.Value)
}

// An Item is one of several settings of a kind.
type Item[T any] struct {
	Mark
	Name  string
	Value T
}

// Items are all of a kind that there are, by name.
func Items[T any](ctx context.Context, tx pgx.Tx, k Kind) ([]Item[T], error) {
	held, err := inForce(ctx, tx, k)
	if err != nil {
		return nil, err
	}
	all := make([]Item[T], 0, len(held))
	for _, h := range held {
		v, err := decode[T](h.Value)
		if err != nil {
			return nil, err
		}
		all = append(all, Item[T]{h.Mark, h.Item, v})
	}
	return all, nil
}

// inForce are the items of a kind that are not removed.
func inForce(ctx context.Context, tx pgx.Tx, k Kind) ([]Held, error) {
	const last = `select ` + columns + ` from (select distinct on (item) * from gavel.setting where app = $1 and name = $2
		order by item, version desc) s where not removed order by item`
	rows, _ := tx.Query(ctx, last, k.App, k.Name)
	all, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("list the %s: %w", k.Title, err)
	}
	return all, nil
}

// versions are those of a setting before a number, the newest first.
func versions(ctx context.Context, tx pgx.Tx, k Kind, item string, before int64, most int) ([]Held, error) {
	const some = `select ` + columns + ` from gavel.setting where app = $1 and name = $2 and item = $3 and ($4 = 0 or version < $4)
		order by version desc limit $5`
	rows, _ := tx.Query(ctx, some, k.App, k.Name, item, before, most)
	all, err := pgx.CollectRows(rows, scan)
	if err != nil {
		return nil, fmt.Errorf("list versions of the %s: %w", k.Title, err)
	}
	return all, nil
}

// versionOf is one version; 0 is what holds until somebody sets it.
func versionOf(ctx context.Context, tx pgx.Tx, k Kind, org identity.Org, item string, version int64) (Held, error) {
	if version == 0 {
		h := Held{Item: item}
		return h, k.fill(ctx, tx, org, &h)
	}
	const one = `select ` + columns + ` from gavel.setting where app = $1 and name = $2 and item = $3 and version = $4`
	rows, _ := tx.Query(ctx, one, k.App, k.Name, item, version)
	h, err := pgx.CollectExactlyOneRow(rows, scan)
	if errors.Is(err, pgx.ErrNoRows) {
		return h, fault.New(fault.NotFound, "the %s has no version %d", k.Title, version).
			Because("no_version", "n", strconv.FormatInt(version, 10))
	}
	return h, err
}
