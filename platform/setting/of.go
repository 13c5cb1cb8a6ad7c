package setting

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/identity"
)

// Functions are what an application computes for a setting. Of one kind there must be a
// Default unless it has items; the others may be left out.
type Functions[T any] struct {
	// Default is what holds until somebody sets it, and what a member has that was not there
	// when somebody did.
	Default func(ctx context.Context, tx pgx.Tx, org identity.Org) (T, error)
	// Check refuses what the schema lets pass, and writes in one way what can be written in
	// several.
	Check func(item string, v T) (T, error)
	// Preview says what a change would do, as far as that can be computed. It writes nothing.
	Preview func(ctx context.Context, tx pgx.Tx, org identity.Org, was, now T) ([]Effect, error)
	// Said is what of the value the log may quote. The log forgets nobody: of everything else it
	// has the names of what changed.
	Said func(now T) map[string]any
	// Then does what follows from a change, in the transaction of it.
	Then func(ctx context.Context, tx pgx.Tx, c Change, was, now T) error
}

// Of makes a kind whose values are of a type: a struct whose fields have JSON names and, as
// tags, their bounds (minLength, maxLength, minimum, maximum, pattern, enum) and a line for
// people (doc).
func Of[T any](k Kind, f Functions[T]) Kind {
	if k.broken = compile[T](&k); k.broken != nil {
		return k
	}
	k.fits = func(item string, value json.RawMessage) (json.RawMessage, error) { return fit(k, f, item, value) }
	if f.Default != nil {
		k.initial = func(ctx context.Context, tx pgx.Tx, org identity.Org) (json.RawMessage, error) {
			v, err := f.Default(ctx, tx, org)
			if err != nil {
				return nil, fmt.Errorf("the %s as nobody has set it: %w", k.Title, err)
			}
			return canonical(v)
		}
	}
	if f.Preview != nil {
		k.effects = func(ctx context.Context, tx pgx.Tx, org identity.Org, was, now json.RawMessage) ([]Effect, error) {
			before, after, err := both[T](was, now)
			if err != nil {
				return nil, err
			}
			return f.Preview(ctx, tx, org, before, after)
		}
	}
	if f.Said != nil {
		k.said = func(now json.RawMessage) (map[string]any, error) {
			v, err := decode[T](now)
			return f.Said(v), err
		}
	}
	if f.Then != nil {
		k.then = func(ctx context.Context, tx pgx.Tx, c Change, was, now json.RawMessage) error {
			before, after, err := both[T](was, now)
			if err != nil {
				return err
			}
			return f.Then(ctx, tx, c, before, after)
		}
	}
	return k
}

// fit is a value as it is kept, or what is wrong with it.
func fit[T any](k Kind, f Functions[T], item string, value json.RawMessage) (json.RawMessage, error) {
	v, err := strict[T](value)
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the %s does not fit: %v", k.Title, err)
	}
	if f.Check != nil {
		if v, err = f.Check(item, v); err != nil {
			return nil, err
		}
	}
	text, err := canonical(v)
	if err != nil {
		return nil, err
	}
	if len(text) > MostBytes {
		return nil, fault.New(fault.TooLarge, "the %s has %d bytes; the most is %d", k.Title, len(text), MostBytes).
			Because("form_too_long", "n", strconv.Itoa(MostBytes))
	}
	return text, k.validate(text)
}

// strict decodes what somebody sent: a member that there is not is a slip of theirs.
func strict[T any](text json.RawMessage) (v T, err error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	err = dec.Decode(&v)
	return v, err
}

// decode reads what is kept: an older version may have members that there are not any more.
func decode[T any](text json.RawMessage) (v T, err error) {
	if text == nil {
		return v, nil // an item that there is not
	}
	if err := json.Unmarshal(text, &v); err != nil {
		return v, fmt.Errorf("read a setting: %w", err)
	}
	return v, nil
}

func both[T any](was, now json.RawMessage) (before, after T, err error) {
	if before, err = decode[T](was); err != nil {
		return before, after, err
	}
	after, err = decode[T](now)
	return before, after, err
}

// canonical is a value as it is kept.
func canonical(v any) (json.RawMessage, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "this cannot be written as JSON")
	}
	return form.Canonical(text)
}
