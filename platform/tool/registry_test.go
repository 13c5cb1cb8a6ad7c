package tool_test

import (
	"context"
	"encoding/json"
	"math/big"
	"os"
	"path/filepath"
	"slices"
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

// TestHalfDeclaredToolsAreRefused promises that a tool with anything unsaid, or
// that contradicts itself, does not get into an installation.
func TestHalfDeclaredToolsAreRefused(t *testing.T) {
	for _, tt := range []struct {
		says  string
		spoil func(*tool.Tool)
	}{
		{"app and name are", func(t *tool.Tool) { t.App = "" }},
		{"app and name are", func(t *tool.Tool) { t.Name = "Get-Shift" }},
		{"app and name are", func(t *tool.Tool) { t.Name = strings.Repeat("a", 65) }},
		{"needs a line", func(t *tool.Tool) { t.Line = " " }},
		{"needs a line", func(t *tool.Tool) { t.Line = "one\ntwo" }},
		{"needs a line", func(t *tool.Tool) { t.Line = strings.Repeat("é", 301) }},
		{"says no effect", func(t *tool.Tool) { t.Effect = "" }},
		{"says its effect is outside and was made as read", func(t *tool.Tool) { t.Effect = tool.Outside }},
		{"a gate that does not exist", func(t *tool.Tool) { t.Gate = 3 }},
		{"says no roles", func(t *tool.Tool) { t.Roles = nil }},
		{"a role twice or one that does not exist", func(t *tool.Tool) { t.Roles = []identity.Role{"boss"} }},
		{"a role twice or one that does not exist", func(t *tool.Tool) { t.Deciders = []identity.Role{identity.HR, identity.HR} }},
		{"says no deciders", func(t *tool.Tool) { t.Deciders = nil }},
		{"says no deciders", func(t *tool.Tool) { t.Deciders, t.Gate = nil, tool.Approve }},
		{"confirmed by the one it acts for", func(t *tool.Tool) { t.Gate = tool.Confirm }},
		{"wants -1 approvals", func(t *tool.Tool) { t.Approvals = -1 }},
		{"wants 10 approvals", func(t *tool.Tool) { t.Approvals = 10 }},
		{"has a result bound of", func(t *tool.Tool) { t.MaxResult = tool.LargestResult + 1 }},
		{"can be undone for", func(t *tool.Tool) { t.Undo = -1 }},
		{"only acts outside have one", func(t *tool.Tool) { t.Undo = time.Minute }},
		{"holds its arguments against what was said", func(t *tool.Tool) { t.Grounded = true }},
		{"gatepass.look: says nothing of what was found to who decides; add it with tool.Finds", func(t *tool.Tool) {
			*t = tool.Reads(declared("look", tool.Read), func(context.Context, tool.Env, struct{}) (string, error) { return "", nil })
			t.Gate = tool.Approve
		}},
		{"says nothing of what was found to who decides", func(t *tool.Tool) {
			*t = tool.Writes(declared("note", tool.Write), func(context.Context, pgx.Tx, tool.Env, struct{}) (string, error) {
				return "",
					nil
			})
		}},
		{"says nothing of what was found to who decides", func(t *tool.Tool) {
			*t = tool.Sends(declared("post", tool.Outside), func(context.Context, tool.Env, struct{}) (string, error) { return "", nil },
				nil)
		}},
		{`chooses by "word", which is no argument with several values`, func(t *tool.Tool) {
			t.Choices = tool.Choices{Arg: "word", All: []tool.Choice{{Value: "a"}, {Value: "b"}}}
		}},
		{`has a choice "tall" that its argument does not take`, func(t *tool.Tool) {
			*t = refunds()
			t.Choices = tool.Choices{Arg: "mode", All: []tool.Choice{{Value: "short"}, {Value: "tall"}}}
		}},
		{`with the field "share", which is no text that may be left out`, func(t *tool.Tool) {
			*t = refunds()
			t.Choices = tool.Choices{Arg: "mode", All: []tool.Choice{{Value: "short", Fields: []string{"note", "share"}}, {Value: "long"}}}
		}},
		{`needs "note" and has no such field`, func(t *tool.Tool) {
			*t = refunds()
			t.Choices = tool.Choices{Arg: "mode", All: []tool.Choice{{Value: "short", Must: []string{"note"}}, {Value: "long"}}}
		}},
		{"has nothing to run", func(t *tool.Tool) { *t = declared("bare", tool.Read) }},
		{"has nothing to run", func(t *tool.Tool) {
			*t = tool.Reads[struct{}, string](declared("nothing", tool.Read), nil)
		}},
	} {
		tl := reader(func(tool.Env, struct{}) string { return "" })
		if _, err := tool.NewRegistry(tl); err != nil {
			t.Fatal(err)
		}
		tt.spoil(&tl)
		_, err := tool.NewRegistry(tl)
		refuses(t, tt.says, err, fault.Invalid, tt.says)
	}
	tl := reader(func(tool.Env, struct{}) string { return "" })
	_, err := tool.NewRegistry(tl, tl)
	refuses(t, "twice", err, fault.Invalid, "gatepass.look: is there twice")
}

// secret writes itself as JSON and does not say how.
type secret struct{ A int }

func (secret) MarshalJSON() ([]byte, error) { return []byte(`"x"`), nil }

// open says a form that takes anything.
type open struct{}

func (open) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

// TestTypesThatLetAnythingPassAreRefused promises that every tool's arguments
// and results can be checked, down to the last member.
func TestTypesThatLetAnythingPassAreRefused(t *testing.T) {
	type nested struct {
		Case string `json:"case" inject:"case"`
	}
	for _, tt := range []struct {
		name, says string
		tl         tool.Tool
	}{
		{"any", "args.a takes anything", reader(func(tool.Env, struct {
			A any `json:"a"`
		}) int {
			return 0
		})},
		{"a map of any", "args.a.* takes anything", reader(func(tool.Env, struct {
			A map[string]any `json:"a"`
		}) int {
			return 0
		})},
		{"raw JSON", "args.a[] takes anything", reader(func(tool.Env, struct {
			A []json.RawMessage `json:"a"`
		}) int {
			return 0
		})},
		{"an open form", "args.a takes anything", reader(func(tool.Env, struct {
			A open `json:"a"`
		}) int {
			return 0
		})},
		{"any as a result", "result takes anything", reader(func(tool.Env, struct{}) any { return nil })},
		{"a type that writes itself", "does not say how", reader(func(tool.Env, struct{}) secret { return secret{} })},
		{"a large number type", "in more than one way", reader(func(tool.Env, struct{}) *big.Int { return nil })},
		{"an input that is no struct", "it has to be a struct", reader(func(tool.Env, string) int { return 0 })},
		{"a hidden field further down", "only the input struct itself", reader(func(tool.Env, struct {
			A nested `json:"a"`
		}) int {
			return 0
		})},
		{"a hidden field that is promoted", "of the input struct itself", reader(func(tool.Env, struct{ nested }) int { return 0 })},
		{"a hidden number", "is an exported text", reader(func(tool.Env, struct {
			A int `inject:"case"`
		}) int {
			return 0
		})},
		{"a hidden field without a name", "with a name in its tag", reader(func(tool.Env, struct {
			A string `inject:""`
		}) int {
			return 0
		})},
		{"a function", "unsupported", reader(func(tool.Env, struct{ A func() }) int { return 0 })},
	} {
		_, err := tool.NewRegistry(tt.tl)
		refuses(t, tt.name, err, fault.Invalid, tt.says)
	}
}

// TestTheZeroGateAsksSomeoneElse promises what a forgotten gate means.
func TestTheZeroGateAsksSomeoneElse(t *testing.T) {
	var g tool.Gate
	if g != tool.Approve || g.String() != "approve" || (tool.Tool{}).Needed() != 1 {
		t.Errorf("got %v with %d approvals, want approve with 1", g, tool.Tool{}.Needed())
	}
}

// office is a registry with one tool of each effect.
func office(t *testing.T) *tool.Registry {
	t.Helper()
	look := tool.Reads(declared("get_pass", tool.Read), func(context.Context, tool.Env, struct {
		Pass string `json:"pass" jsonschema:"number on the pass"`
	}) ([]string, error) {
		return nil, nil
	})
	look.OutsideText = true
	pay := declared("refund", tool.Write)
	pay.Gate, pay.Approvals, pay.MaxResult = tool.Approve, 2, 2048
	mail := declared("send_mail", tool.Outside)
	mail.Gate, mail.Deciders, mail.Undo = tool.Confirm, nil, 10*time.Minute
	r, err := tool.NewRegistry(
		tooltest.Finds[parcel](tool.Sends(mail, func(context.Context, tool.Env, struct {
			To   string `json:"to"`
			When time.Time
		}) (string, error) {
			return "", nil
		}, func(context.Context, tool.Env, struct {
			To   string `json:"to"`
			When time.Time
		}) (tool.Found, string, error) {
			return tool.No, "", nil
		})),
		look,
		tooltest.Finds[refund](tool.Writes(pay, func(context.Context, pgx.Tx, tool.Env, refund) (receipt, error) {
			return receipt{},
				nil
		})),
	)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTheGoldenShowsWhatAReviewerMustSee promises the text of the golden file;
// the -update flag writes it anew.
func TestTheGoldenShowsWhatAReviewerMustSee(t *testing.T) {
	got := office(t).Golden()
	name := filepath.Join("testdata", "tools.golden")
	if *update {
		if err := os.WriteFile(name, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestEveryLoosenedFieldChangesTheGolden promises that no tool becomes laxer
// without a line in a diff.
func TestEveryLoosenedFieldChangesTheGolden(t *testing.T) {
	golden := func(tl tool.Tool) string {
		r, err := tool.NewRegistry(tl)
		if err != nil {
			t.Fatal(err)
		}
		return string(r.Golden())
	}
	pay, ok := office(t).Find("gatepass", "refund")
	if !ok {
		t.Fatal("no refund")
	}
	before := golden(pay)
	for name, loosen := range map[string]func(*tool.Tool){
		"gate":      func(t *tool.Tool) { t.Gate = tool.Off },
		"approvals": func(t *tool.Tool) { t.Approvals = 1 },
		"roles":     func(t *tool.Tool) { t.Roles = append(slices.Clone(t.Roles), identity.Gate) },
		"deciders":  func(t *tool.Tool) { t.Deciders = append(slices.Clone(t.Deciders), identity.HR) },
		"taint":     func(t *tool.Tool) { t.OutsideText = true },
		"result":    func(t *tool.Tool) { t.MaxResult = 4096 },
		"line":      func(t *tool.Tool) { t.Line = "Does another thing." },
	} {
		tl := pay
		loosen(&tl)
		if golden(tl) == before {
			t.Errorf("a change of %s does not show", name)
		}
	}
}

// TestToolsAreFoundByBothNames promises that an app finds its own tool only.
func TestToolsAreFoundByBothNames(t *testing.T) {
	r := office(t)
	if tl, ok := r.Find("gatepass", "refund"); !ok || tl.FullName() != "gatepass.refund" {
		t.Errorf("got %v, %v", tl.FullName(), ok)
	}
	for _, names := range [][2]string{{"poolpatrol", "refund"}, {"gatepass", ""}, {"gatepass", "refunds"}, {"", "gatepass.refund"}} {
		if tl, ok := r.Find(names[0], names[1]); ok {
			t.Errorf("%q found %s", names, tl.FullName())
		}
	}
	var none *tool.Registry
	if _, ok := none.Find("gatepass", "refund"); ok {
		t.Error("found a tool in no registry")
	}
	if got, want := r.Names(), []string{"gatepass.get_pass", "gatepass.refund", "gatepass.send_mail"}; !slices.Equal(got, want) ||
		len(r.All()) != 3 {
		t.Errorf("got %q, want %q", got, want)
	}
}

// BenchmarkCheck is the cost of judging one call.
func BenchmarkCheck(b *testing.B) {
	tl := refunds()
	args := []byte(`{"amount":"12.00","lines":[{"item":"a","count":1},{"item":"b","count":2}],"note":"seen","mode":"short"}`)
	for b.Loop() {
		if _, err := tl.Check(args); err != nil {
			b.Fatal(err)
		}
	}
}
