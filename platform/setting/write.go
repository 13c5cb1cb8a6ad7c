package setting

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/form"
)

// Write makes a value the next version of a setting, puts that on record and does what
// follows. A nil value removes an item. A change to something older is refused. Whether
// somebody may is for the caller to ask.
func Write(ctx context.Context, tx pgx.Tx, k Kind, value json.RawMessage, c Change) (Held, error) {
	if err := k.names(c.Item); err != nil {
		return Held{}, err
	}
	if value != nil {
		var err error
		if value, err = k.fits(c.Item, value); err != nil {
			return Held{}, err
		}
	}
	was, err := hold(ctx, tx, k, c)
	if err != nil {
		return was, err
	}
	if value == nil && (was.Version == 0 || was.Removed) {
		return was, k.noItem(c.Item)
	}
	c.Version, c.At = was.Version+1, c.At.UTC().Truncate(time.Microsecond)
	now := Held{Mark: Mark{c.Version, c.Actor.ID, &c.At}, Item: c.Item, Value: value, Removed: value == nil, Proposal: c.Proposal}
	if err := insert(ctx, tx, k, c, now); err != nil {
		return now, err
	}
	if err := k.note(ctx, tx, c, was.Value, value); err != nil {
		return now, err
	}
	if k.then != nil {
		err = k.then(ctx, tx, c, was.Value, value)
	}
	return now, err
}

// names refuses an item where there are none, and the other way round.
func (k Kind) names(item string) error {
	switch {
	case (k.Many == 0) != (item == ""):
		return fault.New(fault.Invalid, "of the %s there is one, or each has a name", k.Title).Because("setting_named")
	case utf8.RuneCountInString(item) > maxItem || !utf8.ValidString(item) || strings.ContainsFunc(item, unicode.IsControl):
		return fault.New(fault.Invalid, "a name has at most %d characters, on one line", maxItem).
			Because("text_too_long", "n", strconv.Itoa(maxItem))
	}
	return nil
}

// Stale refuses a change that was made to something older.
func (k Kind) Stale() error {
	return fault.New(fault.Stale, "the %s has been changed since you read it", k.Title).
		WithNext("read it again, and change what it is now").Because("settings_changed")
}

func (k Kind) noItem(item string) error {
	return fault.New(fault.NotFound, "there is no %s of %.100q", k.Title, item).Because("nothing_called", "id", item)
}

// hold reads what is in force and has changes of a kind come one after another, also the
// first: how many there may be is counted among all.
func hold(ctx context.Context, tx pgx.Tx, k Kind, c Change) (was Held, err error) {
	const lock = `select pg_advisory_xact_lock(hashtextextended($1, 0))`
	if _, err := tx.Exec(ctx, lock, "setting/"+string(c.Actor.Org)+"/"+k.App+"/"+k.Name); err != nil {
		return was, fmt.Errorf("hold the %s: %w", k.Title, err)
	}
	if was, err = Current(ctx, tx, k, c.Actor.Org, c.Item); err != nil {
		return was, err
	}
	if c.Seen != AnyVersion && c.Seen != was.Version {
		return was, k.Stale()
	}
	if k.Many > 0 && (was.Version == 0 || was.Removed) {
		all, err := inForce(ctx, tx, k)
		if err != nil {
			return was, err
		}
		if len(all) >= k.Many {
			return was, fault.New(fault.Conflict, "there are %d of the %s, which is the most", len(all), k.Title).WithNext("remove one").
				Because("settings_many", "n", strconv.Itoa(len(all)))
		}
	}
	return was, nil
}

func insert(ctx context.Context, tx pgx.Tx, k Kind, c Change, h Held) error {
	const add = `insert into gavel.setting (org, app, name, item, version, value, removed, changed_by, changed_at, proposal)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
	var value *string
	if !h.Removed {
		text := string(h.Value)
		value = &text
	}
	_, err := tx.Exec(ctx, add, c.Actor.Org, k.App, k.Name, h.Item, h.Version, value, h.Removed, h.ChangedBy, h.ChangedAt, h.Proposal)
	if err != nil {
		return fmt.Errorf("write the %s: %w", k.Title, err)
	}
	return nil
}

// note puts a change on record: what changed by name, and what the application lets the log
// quote.
func (k Kind) note(ctx context.Context, tx pgx.Tx, c Change, was, now json.RawMessage) error {
	changed, err := changedNames(was, now)
	if err != nil {
		return err
	}
	body := map[string]any{"did": "set", "version": c.Version, "changed": changed}
	if c.Proposal != "" {
		body["proposal"] = c.Proposal
	}
	switch {
	case now == nil:
		body["did"] = "removed"
	case k.said != nil:
		more, err := k.said(now)
		if err != nil {
			return err
		}
		maps.Copy(body, more)
	}
	_, err = log.Append(ctx, tx, log.Record{At: c.At, Kind: k.Record, App: k.App, Actor: c.Actor, Subject: k.subject(c.Item), Body: body})
	return err
}

// subject is what a record is about: the setting, or the item, in the letters that ids have.
func (k Kind) subject(item string) string {
	if item == "" {
		return k.Name
	}
	const id = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:/@+-"
	named := strings.Map(func(r rune) rune {
		if strings.ContainsRune(id, r) {
			return r
		}
		return '_'
	}, item)
	return k.Name + ":" + named
}

// changedNames are the members that differ, by name.
func changedNames(was, now json.RawMessage) ([]string, error) {
	d, err := Diff(was, now)
	if err != nil {
		return nil, err
	}
	names := []string{}
	for _, c := range d.Changes {
		if len(c.Path) > 0 && !slices.Contains(names, c.Path[0].Name) {
			names = append(names, c.Path[0].Name)
		}
	}
	return names, nil
}

// Diff is what changed between two values; nil is none.
func Diff(was, now json.RawMessage) (form.Difference, error) {
	return form.Diff(orEmpty(was), orEmpty(now))
}

func orEmpty(value json.RawMessage) json.RawMessage {
	if value == nil {
		return json.RawMessage(`{}`)
	}
	return value
}
