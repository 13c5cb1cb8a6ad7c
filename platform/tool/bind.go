package tool

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
)

// Binds adds to a tool what computes its read-only arguments: those whose schema says
// readOnly are the record's to say, and nobody's who asks. Compute is given the
// arguments as they were asked for or approved, and returns them as the record has
// them; of that, what is read-only counts and nothing else. It may go by what was
// asked for to find what is meant, a rider of the case by their id, and refuses what
// the record does not know.
//
// It is asked when something is proposed (e.Proposal is empty then), when a person
// is about to approve it, and again when it is carried out: what was approved runs,
// or nothing does. It reads in the transaction it is given, and writes nothing.
func Binds[In any](t Tool, compute func(ctx context.Context, tx pgx.Tx, e Env, in In) (In, error)) Tool {
	if compute == nil {
		return t
	}
	t.bind = func(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) (any, error) {
		in, err := decode[In](t, e, args)
		if err != nil {
			return nil, err
		}
		return compute(ctx, tx, e, in)
	}
	return t
}

// Bound reports whether some of the tool's arguments are the record's to say.
func (t Tool) Bound() bool { return t.bind != nil }

// Bind is checked arguments with what is read-only in them as the record has it now,
// in canonical form.
func (t Tool) Bind(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) (json.RawMessage, error) {
	if t.bind == nil {
		return args, nil
	}
	said, err := t.bind(ctx, tx, e, args)
	if err != nil {
		return nil, err
	}
	given, err := object(args)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(said)
	if err != nil {
		return nil, fault.From(fault.Internal, err, "what the record says for %s cannot be written", t.FullName())
	}
	computed, err := object(text)
	if err != nil {
		return nil, err
	}
	for _, path := range t.fixed {
		put(given, computed, path)
	}
	bound, err := json.Marshal(given)
	if err != nil {
		return nil, err
	}
	if bound, err = t.Check(bound); err != nil {
		words, _ := fault.Words(err)
		return nil, fault.From(fault.Internal, err, "what the record says for %s does not fit it: %s", t.FullName(), words)
	}
	return bound, nil
}

// Holds refuses arguments in which something read-only is not what the record says
// now: Conflict, with the names of what differs and none of the values.
func (t Tool) Holds(ctx context.Context, tx pgx.Tx, e Env, args json.RawMessage) error {
	if t.bind == nil {
		return nil
	}
	bound, err := t.Bind(ctx, tx, e, args)
	if err != nil {
		return err
	}
	was, err := object(args)
	if err != nil {
		return err
	}
	now, err := object(bound)
	if err != nil {
		return err
	}
	var differ []string
	for _, path := range t.fixed {
		if !reflect.DeepEqual(at(was, path), at(now, path)) {
			differ = append(differ, strings.Join(path, "."))
		}
	}
	if len(differ) == 0 {
		return nil
	}
	return fault.New(fault.Conflict, "the record has changed since this was proposed (%s): it says something else now, so nothing was done",
		strings.Join(differ, ", ")).WithNext("reject it, and decide what the case asks for now")
}

// SameFree reports whether two arguments are the same apart from what is the
// record's to say.
func (t Tool) SameFree(a, b json.RawMessage) bool {
	one, err := object(a)
	if err != nil {
		return false
	}
	other, err := object(b)
	if err != nil {
		return false
	}
	for _, path := range t.fixed {
		put(one, other, path)
	}
	return reflect.DeepEqual(one, other)
}

// object is a JSON object's members.
func object(text []byte) (map[string]any, error) {
	var v map[string]any
	if err := json.Unmarshal(text, &v); err != nil || v == nil {
		return nil, fault.From(fault.Internal, err, "arguments are no JSON object")
	}
	return v, nil
}

// at is what stands at a place; nil where nothing does.
func at(v map[string]any, path []string) any {
	for _, name := range path[:len(path)-1] {
		v, _ = v[name].(map[string]any)
	}
	return v[path[len(path)-1]]
}

// put makes one place of an object what it is in another, also where that is nothing.
func put(into, from map[string]any, path []string) {
	last := path[len(path)-1]
	for _, name := range path[:len(path)-1] {
		from, _ = from[name].(map[string]any)
		next, there := into[name].(map[string]any)
		if !there && from == nil {
			return // neither has what would hold it
		}
		if !there {
			next = map[string]any{}
			into[name] = next
		}
		into = next
	}
	if value, there := from[last]; there {
		into[last] = value
	} else {
		delete(into, last)
	}
}

// findFixed lists the places of arguments that are read-only, the outermost of each.
// Inside a list that may be edited a row has no name to know it by, so none may be there.
func findFixed(s *jsonschema.Schema, place []string) (all [][]string, err error) {
	if s.ReadOnly && len(place) > 0 {
		return [][]string{slices.Clone(place)}, nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		some, err := findFixed(s.Properties[name], append(place, name))
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	inner := *s
	inner.Properties = nil
	each(&inner, "args", func(below *jsonschema.Schema, _ string) {
		if below.ReadOnly {
			err = fmt.Errorf("args.%s: something in a list, a map or a choice is read-only; have all of it so, or nothing",
				strings.Join(place, "."))
		}
	})
	return all, err
}

// fixedNames are the places of arguments that are read-only, as text.
func (t Tool) fixedNames() string {
	all := make([]string, len(t.fixed))
	for i, path := range t.fixed {
		all[i] = strings.Join(path, ".")
	}
	return strings.Join(all, ", ")
}
