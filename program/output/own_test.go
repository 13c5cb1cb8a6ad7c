package output_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/program/output"
)

// nested is an item as the API has them: more in its JSON than in its columns.
type nested struct {
	ID    string            `json:"id"`
	Title string            `json:"title"`
	Roles []string          `json:"roles"`
	Links map[string]string `json:"links"`
	More  string            `json:"more,omitempty"`
}

func nestedItems() []nested {
	return []nested{
		{"P-1", "Send <mail>", []string{"officer"}, map[string]string{"page": "/proposals/P-1"}, ""},
		{"P-2", "File it\x1b[2J", nil, map[string]string{"page": "/proposals/P-2"}, "yes"},
	}
}

func nestedColumns() []output.Column[nested] {
	return []output.Column[nested]{
		{Head: "#", Field: "number", Value: func(n nested) any { return len(n.Title) }},
		{Head: "ID", Field: "id", Value: func(n nested) any { return n.ID }, Names: true},
		{Head: "TITLE", Field: "title", Value: func(n nested) any { return n.Title }},
	}
}

func TestSomeFieldsAreChosenInEveryForm(t *testing.T) {
	for _, tt := range []struct {
		format output.Format
		fields string
		want   string
	}{
		{output.JSON, "id,number", "[\n  {\n    \"id\": \"P-1\",\n    \"number\": 11\n  },\n  {\n    \"id\": \"P-2\",\n    \"number\": " +
			"11\n  }\n]\n"},
		{output.NDJSON, "links.page, more",
			"{\"links.page\":\"/proposals/P-1\",\"more\":null}\n{\"links.page\":\"/proposals/P-2\",\"more\":\"yes\"}\n"},
		{output.YAML, "roles,id", "- roles:\n    - officer\n  id: P-1\n- roles: null\n  id: P-2\n"},
		{output.Table, "title,links.page,roles,more",
			"TITLE        LINKS.PAGE      ROLES        MORE\nSend <mail>  /proposals/P-1  [\"officer\"]  \nFile it [2J  /proposals/P-2  " +
				"             yes\n"},
		{output.CSV, "id,roles", "id,roles\nP-1,\"[\"\"officer\"\"]\"\nP-2,\n"},
		{output.Name, "title,id", "P-1\nP-2\n"},
	} {
		p, out, _ := printer(t, tt.format)
		var err error
		if p.Fields, err = output.ParseFields(tt.fields); err != nil {
			t.Fatal(err)
		}
		if err := output.List(p, nestedItems(), "none", nestedColumns()); err != nil {
			t.Fatalf("%s: %v", tt.format, err)
		}
		if got := out.String(); got != tt.want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.format, got, tt.want)
		}
	}
}

func TestAFieldThatNothingHasIsRefusedAndNothingIsPrinted(t *testing.T) {
	for _, name := range output.Formats() {
		p, out, _ := printer(t, output.Format(name))
		p.Fields = []string{"id", "titel"}
		for _, err := range []error{output.List(p, nestedItems(), "", nestedColumns()), output.One(p, nestedItems()[0], nestedColumns())} {
			if words, _ := fault.Words(err); !fault.Is(err, fault.Invalid) ||
				!strings.Contains(words, `"titel"; there are id, links, number, roles, title`) {
				t.Errorf("%s: got %v, want it refused with the fields there are", name, err)
			}
		}
		if out.Len() > 0 {
			t.Errorf("%s: printed %q", name, out)
		}
		if err := output.List(p, nil, "", nestedColumns()); err != nil {
			t.Errorf("%s: an empty list: got %v, want nothing refused", name, err)
		}
	}
	for _, text := range []string{"id,,title", ",", strings.Repeat("a,", 200) + "a"} {
		if _, err := output.ParseFields(text); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.20q: got %v, want it refused", text, err)
		}
	}
}

func TestAJQProgramPrintsALineForEachResult(t *testing.T) {
	for _, tt := range []struct{ program, want string }{
		{".[].id", "P-1\nP-2\n"},
		{".[1].title", "File it [2J\n"}, // an escape would move the terminal
		{"map(.roles)", "[[\"officer\"],null]\n"},
		{"length, empty, 12345678901234567890", "2\n12345678901234567890\n"},
		{"env, $ENV", "{}\n{}\n"}, // the environment holds a token
		{"halt", ""},
	} {
		p, out, _ := printer(t, output.JSON)
		var err error
		if p.Own, err = output.JQ(tt.program); err != nil {
			t.Fatal(err)
		}
		if err := output.List(p, nestedItems(), "", nestedColumns()); err != nil || out.String() != tt.want {
			t.Errorf("%s: got %q %v, want %q", tt.program, out, err, tt.want)
		}
	}
	for _, program := range []string{".[", "nonsense", `import "a" as a; .`, strings.Repeat(".", 1<<17)} {
		if _, err := output.JQ(program); !fault.Is(err, fault.Invalid) && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%.20s: got %v, want it refused", program, err)
		}
	}
	p, out, _ := printer(t, output.JSON)
	p.Own, _ = output.JQ(`.[0] | error("no")`)
	if err := output.List(p, nestedItems(), "", nestedColumns()); !fault.Is(err, fault.Invalid) || out.Len() > 0 {
		t.Errorf("a program that fails: got %v and %q", err, out)
	}
}

func TestATemplatePrintsWhatItSays(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`{{range .}}{{.id}}{{"\t"}}{{.title}}{{"\n"}}{{end}}`, "P-1\tSend <mail>\nP-2\tFile it [2J\n"},
		{`{{len .}} {{json (index . 0).roles}} {{join "/" (index . 0).roles}}`, "2 [\"officer\"] officer\n"},
		{`{{range .}}{{end}}`, ""},
	} {
		p, out, _ := printer(t, output.JSON)
		var err error
		if p.Own, err = output.Template(tt.text); err != nil {
			t.Fatal(err)
		}
		if err := output.List(p, nestedItems(), "", nestedColumns()); err != nil || out.String() != tt.want {
			t.Errorf("%s: got %q %v, want %q", tt.text, out, err, tt.want)
		}
	}
	if _, err := output.Template("{{range}}"); !fault.Is(err, fault.Invalid) {
		t.Errorf("got %v, want it refused", err)
	}
	p, _, _ := printer(t, output.JSON)
	p.Own, _ = output.Template("{{.id.nope}}")
	if err := output.List(p, nestedItems(), "", nestedColumns()); !fault.Is(err, fault.Invalid) {
		t.Errorf("a template that fails: got %v", err)
	}
}

// What YAML is read as must be what the JSON says: no text becomes a number, a
// date or a yes.
func TestYAMLSaysWhatTheJSONSays(t *testing.T) {
	tricky := rapid.SampledFrom([]string{"yes", "NO", "~", "null", "1e3", "0x10", "1_000", "2026-11-14", "12:30", "- a", "a: b", "#", "'",
		"\"", "a\nb", "धुआँ",
		"\u2028", "\x1b", " a", "a ", "<<", "=", "!x", "&a", "*a", "%", "@", "`", "? a", "[", "{", "|", ">", "y", "n", "on", ".inf", "0o7"})
	text := rapid.OneOf(tricky, rapid.String())
	value := rapid.OneOf(rapid.Just[any](nil), rapid.Map(rapid.Bool(), boxed[bool]), rapid.Map(text, boxed[string]),
		rapid.Map(rapid.Int64(), boxed[int64]), rapid.Map(rapid.Float64(), boxed[float64]))
	rapid.Check(t, func(t *rapid.T) {
		doc := map[string]any{"list": rapid.SliceOfN(value, 0, 4).Draw(t, "list"), "map": rapid.MapOfN(text, value, 0, 4).Draw(t, "map")}
		data, err := json.Marshal(doc)
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		if err := output.One(&output.Printer{Out: &out, Format: output.YAML}, json.RawMessage(data), nil); err != nil {
			t.Fatal(err)
		}
		var fromYAML, fromJSON any
		if err := yaml.Unmarshal(out.Bytes(), &fromYAML); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		back, err := json.Marshal(fromYAML)
		if err != nil {
			t.Fatal(err)
		}
		_ = json.Unmarshal(data, &fromJSON)
		_ = json.Unmarshal(back, &fromYAML)
		if !reflect.DeepEqual(fromYAML, fromJSON) {
			t.Fatalf("got %s\nwant %s\nfrom\n%s", back, data, out.String())
		}
	})
}

func boxed[T any](v T) any { return v }
