package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/tool"
	"github.com/gavelhq/gavel/platform/tool/tooltest"
)

// said is the record's to say.
type said string

func (said) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true}
}

type place struct {
	Town said   `json:"town,omitempty"`
	Door string `json:"door"`
}

type parcel struct {
	To    place  `json:"to"`
	Owner said   `json:"owner"`
	Note  string `json:"note,omitempty"`
	Case  string `json:"case" inject:"case"`
}

// parcels is a tool whose owner and town the record says; wrote is what it did.
func parcels(wrote *[]parcel) tool.Tool {
	return tool.Writes(declared("send", tool.Write), func(_ context.Context, _ pgx.Tx, _ tool.Env, in parcel) (string, error) {
		*wrote = append(*wrote, in)
		return "", nil
	})
}

// TestAToolSaysWhatItsReadOnlyArgumentsAre promises that no tool is taken whose read-only
// arguments would be the word of whoever asks, nor one that computes what it has not.
func TestAToolSaysWhatItsReadOnlyArgumentsAre(t *testing.T) {
	same := func(_ context.Context, _ pgx.Tx, _ tool.Env, in parcel) (parcel, error) { return in, nil }
	_, err := tool.NewRegistry(parcels(&[]parcel{}))
	refuses(t, "nothing computes them", err, fault.Invalid,
		"gatepass.send: has read-only arguments (owner, to.town) and nothing that computes them")
	_, err = tool.NewRegistry(tooltest.Finds[parcel](tool.Binds(parcels(&[]parcel{}), same)))
	if err != nil {
		t.Errorf("a tool that computes them: %v", err)
	}
	_, err = tool.NewRegistry(tool.Binds[struct{}](reader(func(tool.Env, struct{}) string { return "" }), func(context.Context, pgx.Tx,
		tool.Env, struct{}) (struct{}, error) {
		return struct{}{}, nil
	}))
	refuses(t, "it has none", err, fault.Invalid, "computes read-only arguments and has none")
	_, err = tool.NewRegistry(reader(func(tool.Env, struct {
		Rows []place `json:"rows"`
	}) string {
		return ""
	}))
	refuses(t, "a cell of a list", err, fault.Invalid, "args.rows: something in a list, a map or a choice is read-only")
}

// TestReadOnlyArgumentsAreTheRecords promises that what is read-only becomes what the
// record says, at any depth and whether it was written or left out; that nothing else of
// what the function returns counts; and that a write whose arguments do not hold any more
// is refused by name, without a value, and not run.
func TestReadOnlyArgumentsAreTheRecords(t *testing.T) {
	var wrote []parcel
	record := parcel{Owner: "asha", To: place{Town: "Agra", Door: "9"}, Note: "the function's"}
	tl := tool.Binds(parcels(&wrote), func(_ context.Context, _ pgx.Tx, e tool.Env, in parcel) (parcel, error) {
		if in.Case != e.Case {
			t.Errorf("the function is told case %q, want %q", in.Case, e.Case)
		}
		return record, nil
	})
	const want = `{"note":"mine","owner":"asha","to":{"door":"1","town":"Agra"}}`
	for _, in := range []string{`{"note":"mine","owner":"me","to":{"door":"1","town":"Rome"}}`,
		`{"note":"mine","owner":"","to":{"door":"1"}}`, want} {
		if got, err := tl.Bind(t.Context(), noTx{}, env(), json.RawMessage(in)); err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", in, got, err, want)
		}
	}
	if _, err := tl.Write(t.Context(), noTx{}, env(), json.RawMessage(want)); err != nil || len(wrote) != 1 || wrote[0].To.Town != "Agra" {
		t.Errorf("as the record has it: got %v, %+v", err, wrote)
	}
	record.To.Town = ""
	_, err := tl.Write(t.Context(), noTx{}, env(), json.RawMessage(want))
	refuses(t, "the town has gone", err, fault.Conflict, "(to.town)")
	if strings.Contains(err.Error(), "Agra") || len(wrote) != 1 {
		t.Errorf("got %v and %d writes, want no value and one write", err, len(wrote))
	}
	if !tl.SameFree(json.RawMessage(want), json.RawMessage(`{"note":"mine","owner":"x","to":{"door":"1"}}`)) ||
		tl.SameFree(json.RawMessage(want), json.RawMessage(`{"note":"yours","owner":"asha","to":{"door":"1","town":"Agra"}}`)) {
		t.Error("what is the same apart from the record's words is told wrongly")
	}
}
