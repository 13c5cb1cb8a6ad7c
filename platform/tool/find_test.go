package tool_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/finding/findingtest"
	"github.com/gavelhq/gavel/platform/tool"
)

// TestWhatAToolFindsIsOfItsArgumentsAndWhole promises that a finding is computed of the
// arguments that are asked about, and that one which is not complete is shown to nobody.
func TestWhatAToolFindsIsOfItsArgumentsAndWhole(t *testing.T) {
	type pass struct {
		Case   string `json:"case" inject:"case"`
		Holder string `json:"holder"`
	}
	spoil := func(*finding.Finding) {}
	tl := tool.Finds(reader(func(tool.Env, pass) string { return "" }), func(_ context.Context, _ pgx.Tx, e tool.Env,
		in pass) (finding.Finding, error) {
		f := findingtest.About(in.Holder)
		f.Subject.Of = in.Case
		spoil(&f)
		return f, nil
	})
	got, err := tl.Find(t.Context(), noTx{}, env(), json.RawMessage(`{"holder":"R. Devi"}`))
	if err != nil || got.Subject.Title() != "R. Devi, case_1" {
		t.Errorf("got %+v, %v", got, err)
	}
	spoil = func(f *finding.Finding) { f.Says.Hi = "" }
	_, err = tl.Find(t.Context(), noTx{}, env(), json.RawMessage(`{"holder":"R. Devi"}`))
	refuses(t, "one language", err, fault.Internal,
		"what gatepass.look finds cannot be shown: the finding is not complete: says in Hindi is empty")
}

// TestAToolNamesWhoMadeWhatItIsAbout promises that who made a thing is read of the arguments that are asked about, and that a tool which
// says nothing of it names nobody.
func TestAToolNamesWhoMadeWhatItIsAbout(t *testing.T) {
	type pass struct {
		Holder string `json:"holder"`
	}
	plain := reader(func(tool.Env, pass) string { return "" })
	said := tool.MadeBy(plain, func(_ context.Context, _ pgx.Tx, e tool.Env, in pass) ([]string, error) {
		return []string{in.Holder, e.Case}, nil
	})
	got, err := said.Makers(t.Context(), noTx{}, env(), json.RawMessage(`{"holder":"asha"}`))
	if err != nil || strings.Join(got, " ") != "asha case_1" {
		t.Errorf("got %v, %v", got, err)
	}
	if _, err := said.Makers(t.Context(), noTx{}, env(), json.RawMessage(`{"keeper":"asha"}`)); !fault.Is(err, fault.Invalid) {
		t.Errorf("arguments that do not fit: %v", err)
	}
	if got, err := plain.Makers(t.Context(), noTx{}, env(), json.RawMessage(`{"holder":"asha"}`)); got != nil || err != nil {
		t.Errorf("a tool that says nothing: %v, %v", got, err)
	}
}

// TestALookUpThatPolicyHasAskedAboutSaysWhatItIs promises that people who are asked about
// a tool that only looks read something whole, too.
func TestALookUpThatPolicyHasAskedAboutSaysWhatItIs(t *testing.T) {
	look := tool.Reads(declared("get_pass", tool.Read), func(context.Context, tool.Env, struct{}) (string, error) { return "", nil })
	if _, err := tool.NewRegistry(look); err != nil {
		t.Fatal(err)
	}
	got, err := look.Find(t.Context(), noTx{}, env(), json.RawMessage(`{}`))
	if err != nil || got.Check() != nil || !strings.Contains(got.First("en"), "gatepass.get_pass: asks to read") || !got.Limit.None {
		t.Errorf("got %+v, %v, %v", got, err, got.Check())
	}
}
