package form_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/form"
)

// aName is a member's name, with the characters that pointers and controls use.
var aName = rapid.OneOf(rapid.StringMatching(`[a-z_]{1,6}`), rapid.SampledFrom([]string{"a/b", "a~b", "", "v", "is", "नाम", "a.b", "0"}))

// aText is a text as people and programs write it.
var aText = rapid.OneOf(rapid.String(), rapid.StringMatching(`[ a-z\r\n\t<>&"']{0,12}`),
	rapid.SampledFrom([]string{"", "null", "12", "2026-11-14", "क्ष"}))

// aNumber is a number that JSON keeps.
var aNumber = rapid.OneOf(
	rapid.Map(rapid.Int64Range(-1<<53+1, 1<<53-1), func(n int64) any { return json.Number(fmt.Sprint(n)) }),
	rapid.Map(rapid.Int64Range(-99999, 99999), func(n int64) any { return json.Number(fmt.Sprintf("%d.%03d", n, n&511)) }))

// aSchema draws a schema and a value that may or may not fit it.
func aSchema(t *rapid.T, depth int) (schema map[string]any, value any) {
	kinds := []string{"string", "integer", "number", "boolean", "enum", "date", "none", "mixed", "null"}
	if depth < 4 {
		kinds = append(kinds, "object", "object", "array", "map")
	}
	kind := rapid.SampledFrom(kinds).Draw(t, "kind")
	schema = map[string]any{"type": kind}
	switch kind {
	case "string":
		value = aText.Draw(t, "text")
	case "integer":
		value = json.Number(fmt.Sprint(rapid.Int64Range(-1<<53+1, 1<<53-1).Draw(t, "n")))
	case "number":
		value = aNumber.Draw(t, "n")
	case "boolean":
		value = rapid.Bool().Draw(t, "b")
	case "enum":
		schema = map[string]any{"enum": []any{"a", "b", 3, nil, false}}
		value = rapid.SampledFrom([]any{"a", "b", json.Number("3"), nil, false}).Draw(t, "enum")
	case "date":
		schema = map[string]any{"type": "string", "format": "date"}
		value = rapid.SampledFrom([]any{"2026-11-14", "", "tomorrow"}).Draw(t, "date")
	case "none":
		schema, value = map[string]any{}, anything(t, 2)
	case "mixed":
		schema, value = map[string]any{"type": []string{"string", "integer"}}, rapid.SampledFrom([]any{"x", json.Number("4")}).
			Draw(t, "mixed")
	case "map":
		schema, value = map[string]any{"type": "object", "additionalProperties": map[string]any{"type": "integer"}},
			map[string]any{"a": json.Number("1")}
	case "array":
		schema["items"], value = anArray(t, depth)
	case "object":
		schema, value = anObject(t, depth)
	}
	if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
		value = anything(t, 2) // a value that nobody promised
	}
	return schema, value
}

func anArray(t *rapid.T, depth int) (items map[string]any, value any) {
	items, first := aSchema(t, depth+1)
	all := []any{}
	for range rapid.IntRange(0, 3).Draw(t, "rows") {
		all = append(all, first)
	}
	return items, all
}

func anObject(t *rapid.T, depth int) (schema map[string]any, value any) {
	properties, required, members := map[string]any{}, []string{}, map[string]any{}
	for range rapid.IntRange(0, 4).Draw(t, "members") {
		name := aName.Draw(t, "name")
		s, v := aSchema(t, depth+1)
		properties[name] = s
		switch rapid.IntRange(0, 3).Draw(t, "there") {
		case 0:
			delete(members, name)
		case 1:
			required = append(required, name)
			members[name] = v
		default:
			members[name] = v
		}
	}
	if rapid.IntRange(0, 5).Draw(t, "more") == 0 {
		members[aName.Draw(t, "undeclared")] = anything(t, 2)
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}, members
}

func anything(t *rapid.T, depth int) any {
	most := 5
	if depth == 0 {
		most = 3
	}
	switch rapid.IntRange(0, most).Draw(t, "type") {
	case 0:
		return nil
	case 1:
		return rapid.Bool().Draw(t, "b")
	case 2:
		return aText.Draw(t, "text")
	case 3:
		return aNumber.Draw(t, "n")
	case 4:
		return []any{anything(t, depth-1)}
	}
	return map[string]any{aName.Draw(t, "name"): anything(t, depth-1)}
}

// TestAnyFormComesBackAsItWas promises, for any schema and any value, that a form
// that nobody touched holds the same bytes, and that every field can be drawn.
func TestAnyFormComesBackAsItWas(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		schema, value := aSchema(t, 0)
		s, v := must(json.Marshal(schema)), must(json.Marshal(value))
		want, err := form.Canonical(v)
		if err != nil {
			t.Fatal(err)
		}
		f, err := form.New(s, v)
		if err != nil {
			t.Fatal(err)
		}
		again, err := form.Read(s, v, f.Values())
		if err != nil {
			t.Fatal(err)
		}
		got, err := again.JSON()
		if err != nil || string(got) != string(want) {
			t.Fatalf("schema %s\nvalue %s\ncame back as %s, %v", s, want, got, err)
		}
		if d, err := form.Diff(want, got); err != nil || len(d.Changes) > 0 {
			t.Fatalf("nothing changed, and the difference says %v, %v", d, err)
		}
	})
}

// TestNoEditChangesAType promises that whatever is typed, a field of the schema's
// type holds a value of it or has a problem.
func TestNoEditChangesAType(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(letter), &s); err != nil {
		t.Fatal(err)
	}
	resolved := must(s.Resolve(nil))
	rapid.Check(t, func(t *rapid.T) {
		sent := must(form.New(json.RawMessage(letter), json.RawMessage(written))).Values()
		for range rapid.IntRange(1, 4).Draw(t, "edits") {
			name := rapid.SampledFrom(sorted(sent)).Draw(t, "control")
			sent.Set(name, rapid.OneOf(aText, rapid.SampledFrom([]string{"7", "true", "v1", "in", "out", "null", "out*", "0", "0,1", "1e2",
				"ABC", `"x"`, "{}"})).Draw(t, "typed"))
		}
		f := must(form.Read(json.RawMessage(letter), json.RawMessage(written), sent))
		got, err := f.JSON()
		if err != nil {
			if f.Problems() == 0 {
				t.Fatalf("refused without a field that says why: %v", err)
			}
			return
		}
		var v map[string]any
		if err := json.Unmarshal(got, &v); err != nil {
			t.Fatal(err)
		}
		delete(v, "any") // any and map hold JSON, which the tool judges
		delete(v, "map")
		if err := resolved.Validate(v); err != nil {
			t.Fatalf("%s does not fit: %v", got, err)
		}
	})
}

func sorted(v url.Values) []string { return slices.Sorted(maps.Keys(v)) }

// TestADifferenceIsEmptyOnlyForTheSame promises that no change is kept from a
// reader, and that the pieces of a text make up both sides.
func TestADifferenceIsEmptyOnlyForTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		was, err := form.Canonical(must(json.Marshal(anything(t, 3))))
		if err != nil {
			t.Fatal(err)
		}
		now, err := form.Canonical(must(json.Marshal(anything(t, 3))))
		if err != nil {
			t.Fatal(err)
		}
		d := must(form.Diff(was, now))
		if same := string(was) == string(now); same != (len(d.Changes) == 0) {
			t.Fatalf("%s and %s: %d changes", was, now, len(d.Changes))
		}
		for _, c := range d.Changes {
			var before, after strings.Builder
			for _, p := range c.Pieces {
				if p.Op != form.Came {
					before.WriteString(p.Text)
				}
				if p.Op != form.Gone {
					after.WriteString(p.Text)
				}
			}
			if len(c.Pieces) > 0 && (before.String() != c.Was.Text || after.String() != c.Now.Text) {
				t.Fatalf("the pieces %v do not make up %q and %q", c.Pieces, c.Was.Text, c.Now.Text)
			}
		}
	})
}

// FuzzRead throws anything at the reader of forms: it never fails otherwise than
// by saying so, and what it takes is canonical JSON within the bounds.
func FuzzRead(f *testing.F) {
	for _, sent := range []string{"", "v/to=x&rows/rows=0,1", "v=%7B%7D", "is/code=null*&v/code=ABC", "rows/rows=n1,n2&v/rows/n1/n=3"} {
		f.Add(letter, written, sent, "add:/rows")
		f.Add("", `{"a":[1,{"b":null}]}`, sent, "drop:/rows/0")
	}
	f.Add(`{"type":"array","items":{"type":["null","integer"]}}`, `[1,null]`, "rows=1,0,n1&v/1=&is/1=in*&v/0=2", "omit:")
	f.Fuzz(func(t *testing.T, schema, value, query, button string) {
		sent, err := url.ParseQuery(query)
		if err != nil {
			return
		}
		read, err := form.Read(json.RawMessage(schema), json.RawMessage(value), sent)
		if err != nil {
			return
		}
		_ = read.Do(button) // most buttons are none
		got, err := read.JSON()
		if err != nil {
			return
		}
		again, err := form.Canonical(got)
		if err != nil || string(again) != string(got) {
			t.Errorf("%s is not canonical: %v", got, err)
		}
	})
}
