package tool_test

import (
	"context"
	"flag"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/tool/tooltest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// amount is a sum of money, as tools take it.
type amount string

func (amount) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Pattern: `^\d{1,7}\.\d{2}$`, Examples: []any{"12.00"}}
}

// mode is an enum.
type mode string

func (mode) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: []any{"short", "long"}}
}

type line struct {
	Item  string `json:"item"`
	Count int8   `json:"count"`
}

// refund is an input with one of everything.
type refund struct {
	Case   string         `json:"case" inject:"case"`
	By     string         `json:"by" inject:"actor"`
	Depot  string         `json:"depot" inject:"depot"`
	Amount amount         `json:"amount" jsonschema:"what is paid back"`
	Mode   mode           `json:"mode,omitempty"`
	Lines  []line         `json:"lines,omitempty"`
	Day    *time.Time     `json:"day,omitempty"`
	Share  float64        `json:"share,omitempty"`
	Seats  map[string]int `json:"seats,omitempty"`
	Note   string         `json:"note,omitempty"`
}

// receipt is what a tool answers.
type receipt struct {
	Number string   `json:"number"`
	Paid   amount   `json:"paid"`
	Notes  []string `json:"notes"`
}

// declared is a tool with every field that must be said.
func declared(name string, effect tool.Effect) tool.Tool {
	return tool.Tool{App: "gatepass", Name: name, Line: "Does one thing.", Effect: effect, Gate: tool.Off,
		Roles: []identity.Role{identity.HR}, Deciders: []identity.Role{identity.PassAdmin}}
}

// reader makes a reading tool of a function without errors.
func reader[In, Out any](run func(e tool.Env, in In) Out) tool.Tool {
	return tooltest.Finds[In](tool.Reads(declared("look", tool.Read), func(_ context.Context, e tool.Env,
		in In) (Out, error) {
		return run(e, in), nil
	}))
}

// refunds is the tool most tests use: it answers with what it was given.
func refunds() tool.Tool {
	return reader(func(_ tool.Env, in refund) refund { return in })
}

// env is what a runtime would say.
func env() tool.Env {
	return tool.Env{Org: "north", App: "gatepass", Case: "case_1", Run: "run_1", Call: "c1", Key: "k1",
		Actor: identity.Actor{Kind: identity.Agent, ID: "agent:gatepass/clerk", Org: "north"},
		For:   identity.Actor{Kind: identity.Person, ID: "asha", Org: "north"},
		At:    time.Unix(1_700_000_000, 0), Inject: map[string]string{"depot": "D4", "case": "case_forged"}}
}

// refuses fails unless err is of a kind and says something.
func refuses(t *testing.T, name string, err error, kind fault.Kind, says string) {
	t.Helper()
	if !fault.Is(err, kind) || !strings.Contains(err.Error(), says) {
		t.Errorf("%s: got %v, want %v: %s", name, err, kind, says)
	}
}

// noTx is a transaction nobody uses: these tests are about what surrounds it.
type noTx struct{ pgx.Tx }
