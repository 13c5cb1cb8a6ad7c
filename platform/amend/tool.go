package amend

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/tool"
)

// ToolName is the name of the tool that changes a gated setting.
func ToolName(k setting.Kind) string { return "set_" + k.Name }

// Tool is the tool that changes a gated setting whose values are of a type. t says who may ask
// and who decides; it is listed in App.Tools, and permitted in the application's policies. Nobody
// edits what it proposes: who decides has read a difference, and another value has another.
func Tool[T any](t tool.Tool, k setting.Kind) tool.Tool {
	t.App, t.Name, t.Effect = k.App, ToolName(k), tool.Write
	if t.Line == "" {
		t.Line = "Change the " + k.Title + "."
	}
	write := func(ctx context.Context, tx pgx.Tx, e tool.Env, in args[T]) (done, error) {
		value, err := json.Marshal(in.Value)
		if err != nil {
			return done{}, err
		}
		h, err := setting.Write(ctx, tx, k, value, setting.Change{Actor: e.Actor, Seen: int64(in.Version), At: e.At, Proposal: e.Proposal})
		return done{Version: h.Version}, err
	}
	binds := tool.Binds(tool.Writes(t, write), func(ctx context.Context, tx pgx.Tx, e tool.Env, in args[T]) (args[T], error) {
		return bind(ctx, tx, k, e, in)
	})
	return tool.Finds(binds, func(_ context.Context, _ pgx.Tx, _ tool.Env, in args[T]) (finding.Finding, error) {
		return found(k, in), nil
	})
}

// args are what people decide on: the value, the version it follows, and what that changes.
type args[T any] struct {
	Value   whole[T] `json:"value"`
	Version version  `json:"version,omitempty"`
	Changes changes  `json:"changes,omitempty"`
	Effects effects  `json:"effects,omitempty"`
}

type done struct {
	Version int64 `json:"version"`
}

// bind is a change as the record has it: what it does to what is in force now.
func bind[T any](ctx context.Context, tx pgx.Tx, k setting.Kind, e tool.Env, in args[T]) (args[T], error) {
	value, err := json.Marshal(in.Value)
	if err != nil {
		return in, err
	}
	if value, err = k.Fits("", value); err != nil {
		return in, err
	}
	p, err := setting.PreviewIn(ctx, tx, k, e.Org, "", value)
	if err != nil {
		return in, err
	}
	if e.Proposal == "" && in.Version != 0 && int64(in.Version) != p.Was.Version {
		return in, k.Stale()
	}
	if e.Proposal == "" { // later it is what people were shown: counts move on, and that is no other change
		in.Effects = p.Effects
	}
	in.Version, in.Changes = version(p.Was.Version), shown(p.Changes)
	return in, json.Unmarshal(value, &in.Value)
}

// A whole is the value to be, which nobody who decides edits.
type whole[T any] struct{ v T }

// MarshalJSON is the value itself.
func (w whole[T]) MarshalJSON() ([]byte, error) { return json.Marshal(w.v) }

// UnmarshalJSON reads the value.
func (w *whole[T]) UnmarshalJSON(text []byte) error { return json.Unmarshal(text, &w.v) }

// JSONSchema is the setting's own, to be read only.
func (whole[T]) JSONSchema() *jsonschema.Schema {
	s, err := setting.SchemaOf[T]()
	if err != nil {
		return nil // the tool's registry says which type it is
	}
	s.ReadOnly = true
	return s
}

// A version is the one that a change follows.
type version int64

// JSONSchema is a number that nobody reads: the change says what it is about.
func (version) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", ReadOnly: true, Extra: map[string]any{form.HiddenWord: true}}
}

// A change is one place that would differ.
type change struct {
	Where string `json:"where"`
	Was   string `json:"was"`
	Now   string `json:"now"`
}

type changes []change

// JSONSchema is a list to be read only.
func (changes) JSONSchema() *jsonschema.Schema { return rows("where", "was", "now") }

type effects []setting.Effect

// JSONSchema is a list to be read only.
func (effects) JSONSchema() *jsonschema.Schema { return rows("name", "was", "now") }

// rows is the schema of a read-only list of texts by these names.
func rows(names ...string) *jsonschema.Schema {
	row := &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{}, PropertyOrder: names, Required: names,
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
	for _, name := range names {
		row.Properties[name] = &jsonschema.Schema{Type: "string"}
	}
	return &jsonschema.Schema{Type: "array", Items: row, ReadOnly: true}
}

// The most that a proposal lists; the value itself is there in full.
const (
	mostShown = 60
	mostSide  = 500 // characters
)

// shown is a difference in rows that people read.
func shown(d form.Difference) changes {
	all := changes{}
	for i, c := range d.Changes {
		if i == mostShown {
			return append(all, change{Where: "…", Now: fmt.Sprintf("and %d more", len(d.Changes)+d.More-i)})
		}
		all = append(all, change{Where: Where(c.Path), Was: side(c.Was), Now: side(c.Now)})
	}
	return all
}

// Where is a place in a value: the names that lead there.
func Where(path []form.Step) string {
	words := make([]string, len(path))
	for i, s := range path {
		words[i] = s.Name
		if s.Name == "" {
			words[i] = strconv.Itoa(s.Row)
		}
	}
	return strings.Join(words, ".")
}

func side(s form.Side) string {
	if s.Is != form.In {
		return ""
	}
	if r := []rune(s.Text); len(r) > mostSide {
		return string(r[:mostSide]) + "…"
	}
	return s.Text
}
