package tool_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
)

// all is an input with every name that can be filled in.
type all struct {
	Case  string       `json:"case" inject:"case"`
	Org   identity.Org `json:"-" inject:"org"`
	Run   string       `inject:"run"`
	Actor string       `json:"actor,omitempty" inject:"actor"`
	For   string       `json:"for" inject:"for"`
	Depot string       `json:"depot" inject:"depot"`
	Text  string       `json:"text"`
}

// TestTheRuntimeFillsInWhatTheModelNeverSees promises that injected arguments
// are not in the schema, come from the runtime only, and are never empty.
func TestTheRuntimeFillsInWhatTheModelNeverSees(t *testing.T) {
	var got all
	tl := reader(func(_ tool.Env, in all) string { got = in; return "" })
	if schema := string(tl.Spec().Schema); strings.Contains(schema, "case") || strings.Contains(schema, "Run") ||
		!strings.Contains(schema, `"required":["text"]`) {
		t.Errorf("a model sees %s", schema)
	}
	if _, err := tl.Read(t.Context(), env(), json.RawMessage(`{"text":"x"}`)); err != nil {
		t.Fatal(err)
	}
	// The app's own "case" does not stand in for the runtime's.
	if want := (all{"case_1", "north", "run_1", "agent:gatepass/clerk", "asha", "D4", "x"}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for name, spoil := range map[string]func(*tool.Env){
		"case": func(e *tool.Env) { e.Case = "" }, "org": func(e *tool.Env) { e.Org = "" }, "run": func(e *tool.Env) { e.Run = "" },
		"actor": func(e *tool.Env) { e.Actor = identity.Actor{} }, "for": func(e *tool.Env) { e.For = identity.Actor{} },
		"depot": func(e *tool.Env) { e.Inject = nil },
	} {
		e := env()
		spoil(&e)
		_, err := tl.Read(t.Context(), e, json.RawMessage(`{"text":"x"}`))
		refuses(t, "without "+name, err, fault.Refused, `"`+name+`"`)
	}
}

// TestNoModelWritesAnInjectedArgument promises that whatever a model adds to its
// arguments, the function sees what the runtime says.
func TestNoModelWritesAnInjectedArgument(t *testing.T) {
	var got all
	tl := reader(func(_ tool.Env, in all) string { got = in; return "" })
	rapid.Check(t, func(t *rapid.T) {
		v := map[string]any{"text": "x"}
		for _, name := range rapid.SliceOf(rapid.SampledFrom([]string{"case", "Case", "CASE", "org", "Org", "run", "Run",
			"actor", "for", "depot", "DEPOT"})).Draw(t, "names") {
			v[name] = rapid.SampledFrom([]any{"forged", "", nil}).Draw(t, "value")
		}
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		got = all{}
		_, err = tl.Read(context.Background(), env(), plain)
		if len(v) > 1 && (err == nil || got != all{}) {
			t.Fatalf("%s ran with %+v", plain, got)
		}
		if len(v) == 1 && (err != nil || got.Case != "case_1") {
			t.Fatalf("%s: got %+v, %v", plain, got, err)
		}
	})
}

// TestResultsHaveABound promises that a result at its bound passes, one byte
// more does not, and the refusal says how to ask for less.
func TestResultsHaveABound(t *testing.T) {
	type in struct {
		Size  int    `json:"size"`
		Since string `json:"since,omitempty"`
	}
	rapid.Check(t, func(t *rapid.T) {
		made := declared("look", tool.Read)
		made.MaxResult = rapid.SampledFrom([]int{0, 10, 1000, 20_000}).Draw(t, "bound")
		tl := tool.Reads(made, func(_ context.Context, _ tool.Env, in in) (string, error) { return strings.Repeat("<", in.Size), nil })
		bound := made.MaxResult
		if bound == 0 {
			bound = tool.DefaultResult
		}
		size := bound - 2 + rapid.IntRange(-3, 3).Draw(t, "over") // two quotes
		args, err := json.Marshal(in{Size: size})
		if err != nil {
			t.Fatal(err)
		}
		out, err := tl.Read(context.Background(), env(), args)
		if size+2 <= bound {
			if err != nil || len(out) != size+2 {
				t.Fatalf("%d of %d bytes: got %d, %v", size+2, bound, len(out), err)
			}
			return
		}
		if words, _ := fault.Words(err); !fault.Is(err, fault.TooLarge) || !strings.Contains(words, "ask for less, by since, size") {
			t.Fatalf("%d of %d bytes: got %v", size+2, bound, err)
		}
	})
}

// TestAResultIsWhatItsTypePromises promises that an answer which breaks its own
// schema, or cannot be kept as it is, reaches nobody.
func TestAResultIsWhatItsTypePromises(t *testing.T) {
	for _, tt := range []struct {
		name, says string
		out        any
	}{
		{"a sum without a point", "result.paid: want a string like 12.00", receipt{"R1", "12", nil}},
		{"a NUL character", "cannot be kept", receipt{"R\x00", "1.00", nil}},
	} {
		tl := reader(func(tool.Env, struct{}) receipt { r, _ := tt.out.(receipt); return r })
		_, err := tl.Read(t.Context(), env(), nil)
		refuses(t, tt.name, err, fault.Internal, tt.says)
	}
	large := reader(func(tool.Env, struct{}) int64 { return 1<<53 + 1 })
	_, err := large.Read(t.Context(), env(), nil)
	refuses(t, "a number that would be rounded", err, fault.Internal, "cannot be kept")

	good := reader(func(tool.Env, struct{}) receipt { return receipt{"R1", "1.00", nil} })
	got, err := good.Read(t.Context(), env(), nil)
	if want := `{"notes":null,"number":"R1","paid":"1.00"}`; err != nil || string(got) != want {
		t.Errorf("got %s, %v, want %s", got, err, want)
	}
}

// TestAnUnfitAnswerAfterAnEffectIsNoFailure promises that an act outside which
// happened is never told as one that did not: the kinds of fault that end an act
// as failed are kept for what is refused beforehand.
func TestAnUnfitAnswerAfterAnEffectIsNoFailure(t *testing.T) {
	type in struct {
		Answer string `json:"answer"`
	}
	for _, answer := range []string{"much", strings.Repeat("1", tool.DefaultResult) + ".00", "\x00"} {
		sent := 0
		send := tool.Sends(declared("send", tool.Outside), func(context.Context, tool.Env, in) (receipt, error) {
			sent++
			return receipt{"R1", amount(answer), nil}, nil
		}, func(context.Context, tool.Env, in) (tool.Found, receipt, error) {
			return tool.Yes, receipt{"R1", amount(answer), nil}, nil
		})
		_, err := send.Send(t.Context(), env(), json.RawMessage(`{"answer":"x"}`))
		if sent != 1 || err == nil || !fault.KindOf(err).Retryable() {
			t.Errorf("sent %d times with %.60v, want once and a doubt", sent, err)
		}
		if found, _, err := send.Ask(t.Context(), env(), json.RawMessage(`{"answer":"x"}`)); found != tool.CannotTell || err == nil ||
			fault.KindOf(err).Retryable() {
			t.Errorf("asked: got %v, %.60v, want a question for a person", found, err)
		}
		if _, err := send.Send(t.Context(), env(), json.RawMessage(`{}`)); sent != 1 || err == nil || fault.KindOf(err).Retryable() {
			t.Errorf("wrong arguments: sent %d times with %v, want a plain refusal", sent, err)
		}
	}
}

// TestAToolRunsOnlyAsWhatItIs promises that no tool gets past the care its
// effect needs by being run as another kind.
func TestAToolRunsOnlyAsWhatItIs(t *testing.T) {
	ran := 0
	look := tool.Reads(declared("look", tool.Read), func(context.Context, tool.Env, struct{}) (int, error) { ran++; return ran, nil })
	note := tool.Writes(declared("note", tool.Write), func(_ context.Context, tx pgx.Tx, _ tool.Env, _ struct{}) (int, error) {
		if tx == nil {
			t.Error("wrote without a transaction")
		}
		ran++
		return ran, nil
	})
	send := tool.Sends(declared("send", tool.Outside), func(context.Context, tool.Env, struct{}) (int, error) { ran++; return ran, nil },
		nil)
	as := map[string]func(tool.Tool) error{
		"read":    func(tl tool.Tool) error { _, err := tl.Read(t.Context(), env(), nil); return err },
		"write":   func(tl tool.Tool) error { _, err := tl.Write(t.Context(), noTx{}, env(), nil); return err },
		"outside": func(tl tool.Tool) error { _, err := tl.Send(t.Context(), env(), nil); return err },
	}
	for _, tl := range []tool.Tool{look, note, send, declared("bare", tool.Read)} {
		for effect, run := range as {
			before := ran
			err := run(tl)
			if ok := effect == string(tl.Effect) && tl.Name != "bare"; (err == nil) != ok || (ran > before) != ok {
				t.Errorf("%s as %s: got %v, want ok %v", tl.Name, effect, err, ok)
			}
		}
	}
	before := ran
	_, err := note.Write(t.Context(), nil, env(), nil)
	refuses(t, "no transaction", err, fault.Internal, "without a transaction")
	keyless := env()
	keyless.Key = ""
	_, err = send.Send(t.Context(), keyless, nil)
	refuses(t, "no key", err, fault.Internal, "without a key")
	if _, err := look.Read(t.Context(), env(), json.RawMessage(`{"x":1}`)); err == nil || ran != before {
		t.Errorf("ran with arguments nobody checked: %v", err)
	}
}

// TestWhoCannotTellIsNotTakenForANo promises the three answers of the other
// side, and that trouble is none of the other two.
func TestWhoCannotTellIsNotTakenForANo(t *testing.T) {
	run := func(context.Context, tool.Env, struct{}) (receipt, error) { return receipt{"R1", "1.00", nil}, nil }
	asking := func(f tool.Found, r receipt, err error) tool.Tool {
		return tool.Sends(declared("send", tool.Outside), run, func(context.Context, tool.Env, struct{}) (tool.Found, receipt,
			error) {
			return f, r, err
		})
	}
	good, bad := receipt{"R1", "1.00", nil}, receipt{"R1", "much", nil}
	for _, tt := range []struct {
		name   string
		tl     tool.Tool
		found  tool.Found
		result bool
		fails  bool
	}{
		{"yes", asking(tool.Yes, good, nil), tool.Yes, true, false},
		{"no", asking(tool.No, receipt{}, nil), tool.No, false, false},
		{"cannot tell", asking(tool.CannotTell, good, nil), tool.CannotTell, false, false},
		{"an answer that does not exist", asking(9, good, nil), tool.CannotTell, false, false},
		{"an error with a yes", asking(tool.Yes, good, errors.New("timeout")), tool.CannotTell, false, true},
		{"an error with a no", asking(tool.No, good, errors.New("timeout")), tool.CannotTell, false, true},
		{"a yes that breaks its schema", asking(tool.Yes, bad, nil), tool.CannotTell, false, true},
		{"nobody to ask", tool.Sends(declared("send", tool.Outside), run, nil), tool.CannotTell, false, false},
	} {
		found, result, err := tt.tl.Ask(t.Context(), env(), nil)
		if found != tt.found || (result != nil) != tt.result || (err != nil) != tt.fails {
			t.Errorf("%s: got %v, %s, %v", tt.name, found, result, err)
		}
	}
}
