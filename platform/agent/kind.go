package agent

import (
	"context"
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// kindCall is the kind of the proposals that agents' calls become.
const kindCall = "call"

// CallKind says what proposals that agents' calls become lead to, as their tools say,
// and how they are edited: in the form
// of the tool's own arguments, and never what the tool says is read-only, by whatever
// way the edit comes: a card about one person is not approved for another.
func CallKind(tools *tool.Registry) review.Kind {
	return review.Kind{Name: kindCall, Class: func(p review.Proposal) review.Class {
		if tl, ok := tools.Find(p.App, p.Tool); ok && tl.Class != tool.ByEffect {
			return review.Class(tl.Class)
		}
		return review.ByEffect(p)
	}, Check: func(p review.Proposal, args json.RawMessage) (json.RawMessage, error) {
		tl, ok := tools.Find(p.App, p.Tool)
		if !ok {
			return nil, fault.New(fault.Conflict, "this build has no tool %s any more", p.Tool)
		}
		checked, err := tl.Check(args)
		if err != nil {
			return nil, err
		}
		return checked, keepsFixed(tl.Spec().Schema, p.Args, checked)
	}, Foresee: func(ctx context.Context, tx pgx.Tx, p review.Proposal, by identity.Actor, at time.Time) error {
		tl, ok := tools.Find(p.App, p.Tool)
		if !ok || p.Args == nil { // what was erased cannot be looked at; the act says what came of it
			return nil
		}
		e := envOf(p)
		e.Actor, e.At = by, at
		if err := tl.Holds(ctx, tx, e, p.Args); err != nil {
			return err
		}
		return tl.Foresee(ctx, tx, e, p.Args)
	}, Makers: func(ctx context.Context, tx pgx.Tx, p review.Proposal) ([]string, error) {
		tl, ok := tools.Find(p.App, p.Tool)
		if !ok || p.Args == nil {
			return nil, nil
		}
		return tl.Makers(ctx, tx, envOf(p), p.Args)
	}}
}

// envOf is what the runtime knows of a call that people are asked about.
func envOf(p review.Proposal) tool.Env {
	return tool.Env{Org: p.Org, App: p.App, Case: p.Case, Run: p.Run, Call: p.Call, Key: p.Key, Proposal: p.ID}
}

// keepsFixed refuses arguments in which something read-only is not as it was.
func keepsFixed(schema, was, now json.RawMessage) error {
	var s jsonschema.Schema
	var before, after any
	for _, one := range []struct {
		text json.RawMessage
		to   any
	}{{schema, &s}, {was, &before}, {now, &after}} {
		if err := json.Unmarshal(one.text, one.to); err != nil {
			return fault.From(fault.Conflict, err, "what was proposed cannot be read any more, and not be edited")
		}
	}
	if place := changedFixed(&s, before, after, "args"); place != "" {
		return fault.New(fault.Invalid, "%s: cannot be edited", place).WithNext("leave it as it was, or reject the proposal")
	}
	return nil
}

// changedFixed is the first read-only place at which two values differ; empty for none.
// Rows of a list that may be edited are its editor's, to add and to drop.
func changedFixed(s *jsonschema.Schema, was, now any, place string) string {
	if s.ReadOnly {
		if reflect.DeepEqual(was, now) {
			return ""
		}
		return place
	}
	before, _ := was.(map[string]any)
	after, _ := now.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		if found := changedFixed(s.Properties[name], before[name], after[name], place+"."+name); found != "" {
			return found
		}
	}
	return ""
}
