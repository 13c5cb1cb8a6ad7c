package tool

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
)

// Read runs a reading tool.
func (t Tool) Read(ctx context.Context, e Env, args json.RawMessage) (json.RawMessage, error) {
	return t.do(ctx, Read, nil, e, args)
}

// Write runs a writing tool inside the transaction of its act, if the record still
// says of its read-only arguments what they say. After an error the caller rolls
// back.
func (t Tool) Write(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) (json.RawMessage, error) {
	if tx == nil {
		return nil, fault.New(fault.Internal, "%s is to write without a transaction", t.FullName())
	}
	if err := t.Holds(ctx, tx, e, args); err != nil {
		return nil, err
	}
	return t.do(ctx, Write, tx, e, args)
}

// Send runs a tool with an effect outside. Arguments that are refused are a
// fault that is not retryable, and nothing happened. An answer that is too large
// or unfit comes after the effect: that is Internal, whatever is wrong with it,
// so that nobody takes it for a failure. The caller asks the other side, or a
// person.
func (t Tool) Send(ctx context.Context, e Env, args json.RawMessage) (json.RawMessage, error) {
	if e.Key == "" {
		return nil, fault.New(fault.Internal, "%s is to send without a key", t.FullName())
	}
	return t.do(ctx, Outside, nil, e, args)
}

// Foresee says why a call could not be done as things stand; nil where nothing is
// known to be in its way.
func (t Tool) Foresee(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) error {
	if t.foresee == nil {
		return nil
	}
	return t.foresee(ctx, tx, e, args)
}

// Makers names who made what a call with these checked arguments is about; nobody where
// the tool says nothing of that.
func (t Tool) Makers(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) ([]string, error) {
	if t.makers == nil {
		return nil, nil
	}
	return t.makers(ctx, tx, e, args)
}

// Ask asks the other side what became of e.Key. A tool that has no way to ask
// cannot tell; nor can one that answers with an error. A yes with an unfit result
// is Invalid: asking once more would not help, a person has to look.
func (t Tool) Ask(ctx context.Context, e Env, args json.RawMessage) (Found, json.RawMessage, error) {
	if t.ask == nil {
		return CannotTell, nil, nil
	}
	if e.Key == "" {
		return CannotTell, nil, fault.New(fault.Internal, "%s is to ask without a key", t.FullName())
	}
	args, err := t.Check(args)
	if err != nil {
		return CannotTell, nil, err
	}
	found, out, err := t.ask(ctx, e, args)
	if err != nil || found == No {
		return found.unless(err), nil, err
	}
	if found != Yes {
		return CannotTell, nil, nil
	}
	result, err := t.result(out)
	if err != nil {
		return CannotTell, nil, fault.From(fault.Invalid, err, "the other side knows this act of %s, and what it says about it is unfit",
			t.FullName())
	}
	return Yes, result, nil
}

// unless is the answer, if there was no error.
func (f Found) unless(err error) Found {
	if err != nil {
		return CannotTell
	}
	return f
}

// do checks the arguments once more, since what runs must be what was checked,
// and runs the tool as what it is.
func (t Tool) do(ctx context.Context, as Effect, tx pgx.Tx, e Env, args json.RawMessage) (json.RawMessage, error) {
	if t.made != as || t.run == nil {
		return nil, fault.New(fault.Internal, "%s cannot be run as a %s", t.FullName(), as)
	}
	args, err := t.Check(args)
	if err != nil {
		return nil, err
	}
	out, err := t.run(ctx, tx, e, args)
	if err != nil {
		return nil, err
	}
	result, err := t.result(out)
	if err != nil && as == Outside {
		return nil, fault.From(fault.Internal, err, "%s was sent, and its answer is unfit", t.FullName())
	}
	return result, err
}

// result is what a tool answered, in canonical form, within its bound and as its
// type promises.
func (t Tool) result(out any) (json.RawMessage, error) {
	text, err := json.Marshal(out)
	if err != nil {
		return nil, fault.From(fault.Internal, err, "the result of %s cannot be written", t.FullName())
	}
	canonical, value, err := canonicalise(text, "result")
	if err != nil {
		return nil, fault.From(fault.Internal, err, "the result of %s cannot be kept", t.FullName())
	}
	if most := t.resultBound(); len(canonical) > most {
		return nil, fault.New(fault.TooLarge, "the result of %s has %d bytes, and %d is the most: ask for less%s", t.Name, len(canonical),
			most, t.narrower())
	}
	if err := t.out.resolved.Validate(value); err != nil {
		words := strings.Join(explain(t.out.schema, value, "result"), "; ")
		return nil, fault.New(fault.Internal, "the result of %s is not what it promises: %s", t.FullName(), words)
	}
	return canonical, nil
}

// narrower names the arguments by which a call can ask for less.
func (t Tool) narrower() string {
	if len(t.in.schema.Properties) == 0 {
		return ""
	}
	return ", by " + strings.Join(slices.Sorted(maps.Keys(t.in.schema.Properties)), ", ")
}
