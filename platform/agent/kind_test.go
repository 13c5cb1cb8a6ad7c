package agent_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/tool/tooltest"
)

// A payee is whom a refund is for: nobody edits that.
type payee string

func (payee) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true}
}

type bill struct {
	To  payee `json:"to,omitempty"`
	Sum int   `json:"sum"`
}

type refund struct {
	Of   bill   `json:"of"`
	Note string `json:"note,omitempty"`
}

// TestWhatIsReadOnlyIsEditedByNobody promises that an edit of arguments leaves what a
// tool calls read-only as it was proposed, at any depth, and says which member it is.
func TestWhatIsReadOnlyIsEditedByNobody(t *testing.T) {
	registry, err := tool.NewRegistry(tooltest.Finds[refund](tool.Binds(tool.Writes(tool.Tool{App: "shop", Name: "refund",
		Line: "Pay it back.", Effect: tool.Write,
		Roles: []identity.Role{identity.Officer}, Deciders: []identity.Role{identity.Officer}},
		func(context.Context, pgx.Tx, tool.Env, refund) (bill, error) { return bill{}, nil }),
		func(_ context.Context, _ pgx.Tx, _ tool.Env, in refund) (refund, error) { return in, nil })))
	if err != nil {
		t.Fatal(err)
	}
	const was = `{"note":"a","of":{"sum":1,"to":"asha"}}`
	for edit, names := range map[string]string{
		`{"of":{"to":"asha","sum":2}}`:            "",
		`{"note":"b","of":{"to":"asha","sum":1}}`: "",
		`{"note":"a","of":{"to":"olga","sum":1}}`: "args.of.to: cannot be edited",
		`{"note":"a","of":{"sum":1}}`:             "args.of.to: cannot be edited",
		`{"note":"a","of":{"to":null,"sum":1}}`:   "args.of.to: cannot be edited",
		`{"of":{"to":"asha"}}`:                    "sum",
	} {
		got, err := agent.CallKind(registry).Check(review.Proposal{App: "shop", Tool: "refund", Args: json.RawMessage(was)},
			json.RawMessage(edit))
		if names == "" && (err != nil || len(got) == 0) || names != "" && (!fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(),
			names)) {
			t.Errorf("%s: got %s, %v, want %q", edit, got, err, names)
		}
	}
}
