package tool_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/gowebpki/jcs"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/tool"
)

// TestArgumentsAreTakenInCanonicalForm promises what becomes of arguments that
// fit.
func TestArgumentsAreTakenInCanonicalForm(t *testing.T) {
	for in, want := range map[string]string{
		`{"amount":"12.00"}`:                             `{"amount":"12.00"}`,
		`{ "note" : "\u00e9<" , "amount" : "1.00" }`:     `{"amount":"1.00","note":"é<"}`,
		`{"amount":"1.00","share":1.50}`:                 `{"amount":"1.00","share":1.5}`,
		`{"amount":"1.00","share":1e2}`:                  `{"amount":"1.00","share":100}`,
		`{"amount":"1.00","mode":null,"lines":null}`:     `{"amount":"1.00"}`,
		`{"amount":"1.00","lines":[],"seats":{"a":2.0}}`: `{"amount":"1.00","lines":[],"seats":{"a":2}}`,
		`{"amount":"1.00","day":null}`:                   `{"amount":"1.00","day":null}`,
		`{"amount":"1.00","day":"2026-01-02T03:04:05Z"}`: `{"amount":"1.00","day":"2026-01-02T03:04:05Z"}`,
		`{"amount":"1.00","share":9007199254740991}`:     `{"amount":"1.00","share":9007199254740991}`,
	} {
		got, err := refunds().Check([]byte(in))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v, want %s", in, got, err, want)
		}
	}
	none := reader(func(tool.Env, struct{}) string { return "" })
	for _, in := range []string{``, ` `, `{}`} {
		if got, err := none.Check([]byte(in)); err != nil || string(got) != `{}` {
			t.Errorf("%q: got %s, %v, want {}", in, got, err)
		}
	}
}

// TestWrongArgumentsAreAnsweredInWords promises a refusal that tells a model
// where it went wrong and what is wanted.
func TestWrongArgumentsAreAnsweredInWords(t *testing.T) {
	for _, tt := range []struct{ in, says string }{
		{`{"amount":12}`, "args.amount: want a string like 12.00"},
		{`{"amount":"12"}`, "args.amount: want a string like 12.00"},
		{`{"amount":null}`, "args.amount: want a string like 12.00"},
		{`{}`, "args.amount: is missing; want a string like 12.00"},
		{``, "args.amount: is missing"},
		{`{"amount":"1.00","mode":"medium"}`, "args.mode: want one of short, long"},
		{`{"amount":"1.00","colour":"red"}`,
			"args.colour: there is no such argument; there are amount, day, lines, mode, note, seats, share"},
		{`{"amount":"1.00","Note":"x"}`, "args.Note: there is no such argument"},
		{`{"amount":"1.00","lines":[{"item":"a","count":1,"x":1}]}`, "args.lines[0].x: there is no such argument; there are count, item"},
		{`{"amount":"1.00","lines":[{"item":"a","count":200}]}`, "args.lines[0].count: want a whole number, at least -128, at most 127"},
		{`{"amount":"1.00","lines":[{"item":"a","count":1.5}]}`, "args.lines[0].count: want a whole number"},
		{`{"amount":"1.00","lines":[{"count":1}]}`, "args.lines[0].item: is missing; want a string"},
		{`{"amount":"1.00","lines":{}}`, "args.lines: want a list"},
		{`{"amount":"1.00","seats":{"a":"b"}}`, "args.seats.a: want a whole number"},
		{`{"amount":"1.00","day":"yesterday"}`, "args: a value is not of the form its type asks for"},
		{`{"amount":12,"mode":1}`, "args.amount: want a string like 12.00; args.mode: want one of short, long"},
		{`{"case":"case_2","amount":"1.00"}`, "args.case: is filled in for you; leave it out"},
		{`{"by":"me","amount":1}`, "args.by: is filled in for you; leave it out; args.amount: want a string"},
		{`[]`, "args: want one JSON object"},
		{`null`, "args: want one JSON object"},
		{`{"amount":"1.00"`, "args: this is not JSON"},
		{`{"amount":"1.00"} {}`, "args: want one JSON value and nothing after it"},
		{`{"amount":"1.00","amount":"9999.00"}`, "args: a name is there twice"},
		{`{"amount":"1.00","note":"\ud800"}`, "half a character"},
		{`{"amount":"1.00","note":"\u0000"}`, "args.note: holds a NUL character"},
		{`{"amount":"1.00","share":9007199254740993}`, "args.share: this number would be rounded"},
		{`{"amount":"1.00","share":0.12345678901234567}`, "args.share: this number would be rounded"},
		{`{"amount":"1.00","share":1e999}`, "args.share: this number would be rounded"},
		{`{"amount":"1.00","share":1e-999}`, "args.share: this number would be rounded"},
		{`{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}`, "and 3 more"},
		{strings.Repeat(`{"a":`, 40) + `1` + strings.Repeat(`}`, 40), "more than 32 levels deep"},
	} {
		_, err := refunds().Check([]byte(tt.in))
		text, _ := fault.Words(err)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(text, tt.says) {
			t.Errorf("%s\n got %v\nwant %s", tt.in, text, tt.says)
		}
	}
	_, err := refunds().Check([]byte(`{"amount":"` + strings.Repeat("1", tool.MaxArgs) + `"}`))
	refuses(t, "too long", err, fault.TooLarge, "at most 262144")
}

// TestARefusalRepeatsNoValue promises that what a model wrote about a person
// does not get into the words of a refusal, which are logged.
func TestARefusalRepeatsNoValue(t *testing.T) {
	for _, in := range []string{`{"amount":"Ravi Kumar"}`, `{"amount":"1.00","mode":"Ravi Kumar"}`, `{"amount":"1.00","day":"Ravi Kumar"}`,
		`{"amount":"1.00","seats":{"a":"Ravi Kumar"}}`} {
		_, err := refunds().Check([]byte(in))
		text, _ := fault.Words(err)
		if err == nil || strings.Contains(text, "Ravi") {
			t.Errorf("%s: got %q, want a refusal without the name", in, text)
		}
	}
}

// wider says more of itself than its struct can hold.
type wider struct {
	A string `json:"a"`
}

func (wider) JSONSchema() *jsonschema.Schema {
	text := &jsonschema.Schema{Type: "string"}
	return &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"a": text, "b": text.CloneSchemas()},
		AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}
}

// TestNothingThatWasCheckedIsDropped promises that a schema wider than its Go
// type does not let a person approve what the function never sees.
func TestNothingThatWasCheckedIsDropped(t *testing.T) {
	tl := reader(func(_ tool.Env, in struct {
		W wider `json:"w"`
	}) string {
		return in.W.A
	})
	if _, err := tl.Check([]byte(`{"w":{"a":"x"}}`)); err != nil {
		t.Error(err)
	}
	_, err := tl.Check([]byte(`{"w":{"a":"x","b":"y"}}`))
	refuses(t, "more than the struct holds", err, fault.Invalid, "not of the form its type asks for")
}

// TestManyMayCallAtOnce promises, under the race detector, that one tool serves
// calls side by side.
func TestManyMayCallAtOnce(t *testing.T) {
	tl := refunds()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if _, err := tl.Check([]byte(`{"amount":"12.00","mode":null,"seats":{"a":1}}`)); err != nil {
					t.Error(err)
				}
				if _, err := tl.Check([]byte(`{"amount":12}`)); err == nil {
					t.Error("took a number")
				}
			}
		})
	}
	wg.Wait()
}

// object draws arguments that fit refunds, and some that do not.
func object(t *rapid.T) map[string]any {
	v := map[string]any{"amount": rapid.StringMatching(`[0-9]{1,7}\.[0-9]{2}`).Draw(t, "amount")}
	add := func(name string, draw func() any) {
		if rapid.Bool().Draw(t, name+"?") {
			v[name] = draw()
		}
	}
	add("mode", func() any { return rapid.SampledFrom([]string{"short", "long"}).Draw(t, "mode") })
	add("note", func() any { return strings.ReplaceAll(rapid.String().Draw(t, "note"), "\x00", "") })
	add("share", func() any { return float64(rapid.Int32().Draw(t, "share")) / 8 })
	add("seats", func() any {
		return rapid.MapOfN(rapid.StringMatching(`[a-zA-Zé]{1,5}`), rapid.Int32(), 0, 4).Draw(t, "seats")
	})
	add("lines", func() any {
		return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) map[string]any {
			return map[string]any{"item": rapid.StringMatching(`\w*`).Draw(t, "item"), "count": rapid.Int8().Draw(t, "count")}
		}), 0, 3).Draw(t, "lines")
	})
	return v
}

// TestTheCanonicalFormIsStable promises one form for one meaning: however the
// arguments are written, and when they are checked again.
func TestTheCanonicalFormIsStable(t *testing.T) {
	tl := refunds()
	rapid.Check(t, func(t *rapid.T) {
		plain, err := json.Marshal(object(t))
		if err != nil {
			t.Fatal(err)
		}
		first, err := tl.Check(plain)
		if err != nil {
			t.Fatalf("%s: %v", plain, err)
		}
		var wide bytes.Buffer
		if err := json.Indent(&wide, plain, "\t", "  "); err != nil {
			t.Fatal(err)
		}
		for _, other := range [][]byte{first, wide.Bytes()} {
			if again, err := tl.Check(other); err != nil || !bytes.Equal(again, first) {
				t.Fatalf("got %s, %v, want %s", again, err, first)
			}
		}
		if want, err := jcs.Transform(plain); err != nil || !bytes.Equal(first, want) {
			t.Fatalf("got %s, want %s as RFC 8785 has it", first, want)
		}
	})
}

// TestNoNameButTheSchemasIsTaken promises that an unknown property is refused
// wherever it stands, and so is a name that the runtime fills in.
func TestNoNameButTheSchemasIsTaken(t *testing.T) {
	tl := refunds()
	known := map[string]bool{"amount": true, "mode": true, "lines": true, "day": true, "share": true, "seats": true, "note": true}
	rapid.Check(t, func(t *rapid.T) {
		v := object(t)
		name := rapid.OneOf(rapid.SampledFrom([]string{"case", "by", "depot", "Case", "CASE", "By", "Amount", "NOTE"}),
			rapid.StringMatching(`[a-zA-Z_]{1,12}`)).Filter(func(s string) bool { return !known[s] }).Draw(t, "name")
		into := v
		if lines, ok := v["lines"].([]map[string]any); ok && len(lines) > 0 && name != "item" && name != "count" {
			into = lines[rapid.IntRange(0, len(lines)-1).Draw(t, "line")]
		}
		into[name] = rapid.SampledFrom([]any{"x", 1, nil, map[string]any{}}).Draw(t, "value")
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := tl.Check(plain); err == nil {
			t.Fatalf("took %s as %s", plain, got)
		}
	})
}

// FuzzCheckTakesOnlyWhatItCanKeep promises for any text at all: no panic, and
// what is taken is canonical, stays as it is when checked again, and holds no
// name that the runtime fills in.
func FuzzCheckTakesOnlyWhatItCanKeep(f *testing.F) {
	for _, s := range []string{``, `{}`, `{"amount":"12.00"}`, `{"amount":"1.00","lines":[{"item":"a","count":1}],"seats":{"x":1}}`,
		`{"amount":"1.00","case":"x"}`, `{"amount":"1.00","share":1e5,"day":"2026-01-02T03:04:05Z","mode":"long"}`, `[[[[`,
		`{"amount":"1.00","mode":null}`} {
		f.Add([]byte(s))
	}
	tl := refunds()
	f.Fuzz(func(t *testing.T, text []byte) {
		got, err := tl.Check(text)
		if err != nil {
			if words, _ := fault.Words(err); words == "" || len(words) > 4000 {
				t.Fatalf("%q is refused with %d bytes of words", text, len(words))
			}
			return
		}
		if want, err := jcs.Transform(got); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s is not canonical: %v", got, err)
		}
		if again, err := tl.Check(got); err != nil || !bytes.Equal(again, got) {
			t.Fatalf("%s became %s, %v", got, again, err)
		}
		var v map[string]any
		if err := json.Unmarshal(got, &v); err != nil {
			t.Fatal(err)
		}
		for _, hidden := range []string{"case", "by", "depot"} {
			if _, ok := v[hidden]; ok {
				t.Fatalf("took %s", got)
			}
		}
		if _, err := tl.Read(t.Context(), env(), got); err != nil && !fault.Is(err, fault.TooLarge) && !strings.Contains(fmt.Sprint(err),
			"cannot be kept") {
			t.Fatalf("%s was taken and cannot be run: %v", got, err)
		}
	})
}
