package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"reflect"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
)

// Reads makes a tool that looks and changes nothing. It may be run any number of
// times.
func Reads[In, Out any](t Tool, run func(ctx context.Context, e Env, in In) (Out, error)) Tool {
	t = declare[In, Out](t, Read)
	if run != nil {
		t.run = func(ctx context.Context, _ pgx.Tx, e Env, args json.RawMessage) (any, error) {
			in, err := decode[In](t, e, args)
			if err != nil {
				return nil, err
			}
			return run(ctx, e, in)
		}
	}
	return t
}

// Writes makes a tool that changes our own rows. It is given the transaction in
// which its act is recorded, and nothing else to write with: either both are
// there or neither is, so it happens once.
func Writes[In, Out any](t Tool, run func(ctx context.Context, tx pgx.Tx, e Env, in In) (Out, error)) Tool {
	t = declare[In, Out](t, Write)
	if run != nil {
		t.run = func(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) (any, error) {
			in, err := decode[In](t, e, args)
			if err != nil {
				return nil, err
			}
			return run(ctx, tx, e, in)
		}
	}
	return t
}

// Sends makes a tool that reaches someone outside. Run hands e.Key to the other
// side wherever it takes one. Ask, which may be nil, asks the other side what
// became of e.Key after a crash; without it such an act is a question for a
// person.
func Sends[In, Out any](
	t Tool,
	run func(ctx context.Context, e Env, in In) (Out, error),
	ask func(ctx context.Context, e Env, in In) (Found, Out, error),
) Tool {
	t = Reads(t, run)
	t.made = Outside
	if ask != nil {
		t.ask = func(ctx context.Context, e Env, args json.RawMessage) (Found, any, error) {
			in, err := decode[In](t, e, args)
			if err != nil {
				return CannotTell, nil, err
			}
			return ask(ctx, e, in)
		}
	}
	return t
}

// Foresees adds to a tool what can be known before people decide: look says why a
// call could not be done as things stand, to the person who is about to approve it
// (e.Actor) and not to the one who finds that nothing came of it. It reads in the
// transaction it is given, and writes nothing.
func Foresees[In any](t Tool, look func(ctx context.Context, tx pgx.Tx, e Env, in In) error) Tool {
	t.foresee = func(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) error {
		in, err := decode[In](t, e, args)
		if err != nil {
			return err
		}
		return look(ctx, tx, e, in)
	}
	return t
}

// MadeBy adds to a tool who made what a call of it is about: ids of people, at most
// 50, none of whom decides that call, nor has somebody decide it on their behalf. Who
// reads them in the transaction it is given, when a call is proposed and about every
// edit of it, and writes nothing.
func MadeBy[In any](t Tool, who func(ctx context.Context, tx pgx.Tx, e Env, in In) ([]string, error)) Tool {
	if who == nil {
		return t
	}
	t.makers = func(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) ([]string, error) {
		in, err := decode[In](t, e, args)
		if err != nil {
			return nil, err
		}
		return who(ctx, tx, e, in)
	}
	return t
}

// declare learns the forms of a tool's arguments and result from its types.
func declare[In, Out any](t Tool, made Effect) Tool {
	in, out := reflect.TypeFor[In](), reflect.TypeFor[Out]()
	t.made = made
	t.trial = func(args json.RawMessage) error {
		var v In
		return strict(args, &v)
	}
	var inErr, outErr, hideErr error
	t.inject, hideErr = findInjected(in)
	t.in, inErr = inputForm(in, t.inject)
	t.out, outErr = outputForm(out)
	if inErr == nil {
		t.fixed, inErr = findFixed(t.in.schema, nil)
	}
	t.broken = errors.Join(hideErr, inErr, outErr)
	return t
}

// decode is the arguments as the tool's function takes them, with what the
// runtime fills in.
func decode[In any](t Tool, e Env, args json.RawMessage) (In, error) {
	var in In
	if err := strict(args, &in); err != nil {
		return in, fault.From(fault.Invalid, err, "the arguments of %s do not fit", t.FullName())
	}
	v := reflect.ValueOf(&in).Elem()
	for _, i := range t.inject {
		value := e.named(i.from)
		if value == "" {
			return in, fault.New(fault.Refused, "%s needs to know %q, and this run has none", t.FullName(), i.from)
		}
		v.FieldByIndex(i.index).SetString(value)
	}
	return in, nil
}

// strict decodes JSON into a fresh value and takes no name it does not know.
func strict(text []byte, into any) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

// named is the value behind the name in an `inject` tag. An app's own names
// cannot stand in for the runtime's.
func (e Env) named(from string) string {
	switch from {
	case "case":
		return e.Case
	case "org":
		return string(e.Org)
	case "run":
		return e.Run
	case "actor":
		return e.Actor.ID
	case "for":
		return e.For.ID
	}
	return e.Inject[from]
}
