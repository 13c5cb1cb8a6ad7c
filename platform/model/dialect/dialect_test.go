package dialect_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model/dialect"
)

var update = flag.Bool("update", false, "write the golden files")

// TestDialectsSayEachSchema promises that what a vendor is sent changes only
// where somebody looks at it: the golden file holds each schema in each dialect.
func TestDialectsSayEachSchema(t *testing.T) {
	names, err := filepath.Glob("testdata/schemas/*.json")
	if err != nil || len(names) == 0 {
		t.Fatal(err, names)
	}
	var out bytes.Buffer
	for _, name := range names {
		schema, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&out, "=== %s\n", strings.TrimSuffix(filepath.Base(name), ".json"))
		for _, d := range []struct {
			name string
			say  func(json.RawMessage) (json.RawMessage, bool, error)
		}{
			{"OpenAI strict", dialect.Strict}, {"Anthropic answer", dialect.Closed},
			{"plain", func(s json.RawMessage) (json.RawMessage, bool, error) {
				said, err := dialect.Plain(s)
				return said, true, err
			}},
		} {
			said, ok, err := d.say(schema)
			if err != nil {
				t.Errorf("%s in %s: %v", name, d.name, err)
			}
			fmt.Fprintf(&out, "--- %s\n", d.name)
			if !ok {
				fmt.Fprintln(&out, "cannot be said")
				continue
			}
			if err := json.Indent(&out, said, "", "  "); err != nil {
				t.Error(err)
			}
			fmt.Fprintln(&out)
		}
	}
	const golden = "testdata/dialects.golden"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("the dialects differ from %s; -update writes it anew\n%s", golden, out.Bytes())
	}
}

// TestBackLeavesOutWhatNullStandsFor promises that only a null that we asked
// for is taken away, and that all else comes back byte for byte.
func TestBackLeavesOutWhatNullStandsFor(t *testing.T) {
	read := func(name string) json.RawMessage {
		data, err := os.ReadFile("testdata/schemas/" + name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for _, tt := range []struct{ schema, answer, want string }{
		{"optional", `{"id":"1","note":null,"kind":null,"fixed":null,"either":null,"maybe":null}`, `{"id":"1","maybe":null}`},
		{"optional", `{"id":null,"note":"null"}`, `{"id":null,"note":"null"}`}, // required: the check will say so
		{"optional", `{"id":"1", "more":null}`, `{"id":"1", "more":null}`},     // unknown: likewise
		{"nested", `{"who":{"name":"A","age":null},"rows":[{"x":null},{"x":1.50}]}`, `{"who":{"name":"A"},"rows":[{},{"x":1.50}]}`},
		{"nested", `{"who":{"name":"A"},"rows":null}`, `{"who":{"name":"A"}}`},
		{"referring", `{"tree":{"label":"a","left":{"label":"b","left":null}}}`, `{"tree":{"label":"a","left":{"label":"b"}}}`},
		{"one_of", `{"what":{"bus":"7","line":null}}`, `{"what":{"bus":"7"}}`},
		{"one_of", `{"what":null}`, `{"what":null}`},
		{"optional", `{"id":"1","note":null`, `{"id":"1","note":null`},
		{"optional", `{"id":"1","id":null,"note":null}`, `{"id":"1","id":null,"note":null}`},
		{"optional", `null`, `null`},
		{"bounds", `{"count":9007199254740993,"x":null}`, `{"count":9007199254740993,"x":null}`},
	} {
		if got := dialect.Back(read(tt.schema), tt.answer); got != tt.want {
			t.Errorf("%s: %s came back as %s, want %s", tt.schema, tt.answer, got, tt.want)
		}
	}
}

// TestSchemasThatAreNoneAreRefused promises words, not a panic.
func TestSchemasThatAreNoneAreRefused(t *testing.T) {
	for _, bad := range []string{`[]`, `{"type":`, `{"a":1,"a":2}`, `{} {}`, `true`, strings.Repeat(`{"not":`, 100) + "1" +
		strings.Repeat("}", 100), `"` + strings.Repeat("x", 1<<18) + `"`} {
		for _, say := range []func(json.RawMessage) (json.RawMessage, bool, error){dialect.Strict, dialect.Closed} {
			if _, _, err := say(json.RawMessage(bad)); !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
				t.Errorf("%.40s: got %v, want a refusal", bad, err)
			}
		}
	}
}

// TestReferencesInCirclesEnd promises that no schema makes the way back long.
func TestReferencesInCirclesEnd(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"$ref":"#/$defs/x"}},"$defs":{"x":{"anyOf":[{"$ref":"#/$defs/x"},{"$ref":"#/$defs/x"}]}}}`)
	from := time.Now()
	dialect.Back(schema, `{"a":{"b":null},"c":[null,null]}`)
	dialect.Back(schema, `{"a":null}`)
	wait.Within(t, "two answers under references in circles", time.Since(from), time.Second)
}

// a sample is a schema with a value of it, and the same value as strict mode
// has a model write it.
type sample struct{ schema, value, strict any }

func drawSample(t *rapid.T, depth int) sample {
	kinds := []string{"string", "integer", "boolean", "enum", "nullable"}
	if depth > 0 {
		kinds = append(kinds, "object", "object", "array")
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "string":
		v := rapid.SampledFrom([]string{"", "null", "a", "ü"}).Draw(t, "text")
		return sample{map[string]any{"type": "string", "maxLength": 9}, v, v}
	case "integer":
		v := rapid.IntRange(-9, 9).Draw(t, "n")
		return sample{map[string]any{"type": "integer", "minimum": -9}, v, v}
	case "boolean":
		v := rapid.Bool().Draw(t, "b")
		return sample{map[string]any{"type": "boolean"}, v, v}
	case "enum":
		return sample{map[string]any{"type": "string", "enum": []any{"a", "b"}}, "a", "a"}
	case "nullable":
		return sample{map[string]any{"type": []any{"string", "null"}}, nil, nil}
	case "array":
		item := drawSample(t, depth-1)
		return sample{map[string]any{"type": "array", "items": item.schema}, []any{item.value, item.value}, []any{item.strict, item.strict}}
	default:
		return drawObject(t, depth)
	}
}

func drawObject(t *rapid.T, depth int) sample {
	properties, value, strict, required := map[string]any{}, map[string]any{}, map[string]any{}, []any{}
	for i := range rapid.IntRange(0, 4).Draw(t, "properties") {
		name, s := fmt.Sprintf("p%d", i), drawSample(t, depth-1)
		properties[name] = s.schema
		optional, present := rapid.Bool().Draw(t, "optional"), rapid.Bool().Draw(t, "present")
		if !optional {
			required = append(required, name)
		}
		switch {
		case !optional || present:
			value[name], strict[name] = s.value, s.strict
		case takesNull(s.schema): // the strict form cannot tell null from nothing
			value[name], strict[name] = nil, nil
		default:
			strict[name] = nil
		}
	}
	return sample{map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}, value,
		strict}
}

func takesNull(schema any) bool {
	_, several := schema.(map[string]any)["type"].([]any)
	return several
}

// TestStrictAndBackAreARoundTrip promises, for any schema that strict mode can
// express: a value with null for what is left out is one of the strict schema,
// and comes back as the value.
func TestStrictAndBackAreARoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawObject(t, 3)
		schema, value, written := toJSON(t, s.schema), toJSON(t, s.value), toJSON(t, s.strict)
		strict, ok, err := dialect.Strict(schema)
		if err != nil || !ok {
			t.Fatalf("%s cannot be said: %v", schema, err)
		}
		valid(t, strict, written)
		back := dialect.Back(schema, string(written))
		valid(t, schema, []byte(back))
		var got, want any
		if json.Unmarshal([]byte(back), &got) != nil || json.Unmarshal(value, &want) != nil || fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("%s came back as %s, want %s", written, back, value)
		}
	})
}

func toJSON(t *rapid.T, v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// valid checks a value against a schema with somebody else's validator.
func valid(t *rapid.T, schema, value []byte) {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(value, &v); err != nil {
		t.Fatal(err)
	}
	if err := r.Validate(v); err != nil {
		t.Fatalf("%s is none of %s: %v", value, schema, err)
	}
}

// FuzzBack promises that any answer to any schema comes back, as JSON if it was
// JSON, and that doing it again changes nothing.
func FuzzBack(f *testing.F) {
	f.Add([]byte(`{"type":"object","properties":{"a":{"type":"string"}}}`), `{"a":null}`)
	f.Add([]byte(`{"properties":{"a":{"$ref":"#"}}}`), `{"a":{"a":null}}`)
	f.Add([]byte(`{"properties":[],"items":7,"anyOf":{"x":1},"enum":3}`), `[null,{"a":null}]`)
	f.Add([]byte(`{"properties":{"a":{"enum":{"a":1}},"b":{"anyOf":[3]}}}`), `{"a":null,"b":null}`)
	f.Fuzz(func(t *testing.T, schema []byte, answer string) {
		back := dialect.Back(schema, answer)
		if json.Valid([]byte(answer)) && !json.Valid([]byte(back)) {
			t.Errorf("%q came back as %q", answer, back)
		}
		if again := dialect.Back(schema, back); again != back {
			t.Errorf("%q came back as %q and then as %q", answer, back, again)
		}
		for _, say := range []func(json.RawMessage) (json.RawMessage, bool, error){dialect.Strict, dialect.Closed} {
			if said, ok, err := say(schema); ok && (err != nil || !json.Valid(said)) {
				t.Errorf("%q was said as %q, %v", schema, said, err)
			}
		}
	})
}
