package form_test

import (
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/form"
)

// letter is the form of a tool's arguments with every kind of field.
const letter = `{"type":"object","required":["to","copies","urgent","tone","rows"],"additionalProperties":false,"properties":{
	"to":{"type":"string","title":"Recipient","description":"Whom it goes to.","minLength":2,"maxLength":40},
	"text":{"type":"string","maxLength":2000},
	"copies":{"type":"integer","minimum":1,"maximum":9},
	"share":{"type":"number"},
	"urgent":{"type":"boolean"},
	"tone":{"type":"string","enum":["plain","firm"]},
	"by":{"type":"string","format":"date"},
	"code":{"type":["null","string"],"pattern":"^[A-Z]{3}$"},
	"tags":{"type":"array","items":{"type":"string"},"maxItems":3},
	"from":{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"age":{"type":"integer"}}},
	"rows":{"type":"array","items":{"type":"object","required":["item","n"],"properties":{"item":{"type":"string"},"n":{"type":"integer"},"note":{"type":"string"}}}},
	"any":{"anyOf":[{"type":"string"},{"type":"integer"}]},
	"map":{"type":"object","additionalProperties":{"type":"integer"}}}}`

const written = `{"any":7,"by":"2026-11-14","code":null,"copies":2,"from":{"name":"Transport cell"},"map":{"a":1},"rows":[{"item":"laptop","n":1},{"item":"badge","n":2,"note":""}],"share":0.5,"tags":["a","b"],"text":"Dear R.,\nyour shift\r\nhas changed.","to":"R. Devi","tone":"plain","urgent":false}`

func newForm(t testing.TB, schema, value string) *form.Form {
	t.Helper()
	f, err := form.New(json.RawMessage(schema), json.RawMessage(value))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func field(t testing.TB, f *form.Form, pointer string) form.Field {
	t.Helper()
	var find func([]form.Field) *form.Field
	find = func(all []form.Field) *form.Field {
		for i := range all {
			if all[i].Pointer == pointer {
				return &all[i]
			}
			if in := find(all[i].Fields); in != nil {
				return in
			}
		}
		return nil
	}
	found := find([]form.Field{f.Root})
	if found == nil {
		t.Fatalf("the form has no field %s", pointer)
	}
	return *found
}

// fillIn draws a form, changes some controls as a person would, and reads it.
func fillIn(t testing.TB, schema, value string, typed map[string]string) (*form.Form, string, error) {
	t.Helper()
	sent := newForm(t, schema, value).Values()
	for name, text := range typed {
		if text == "-" {
			sent.Del(name)
			continue
		}
		if _, ok := sent[name]; !ok {
			t.Fatalf("the form has no control %q", name)
		}
		sent.Set(name, text)
	}
	f, err := form.Read(json.RawMessage(schema), json.RawMessage(value), sent)
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.JSON()
	return f, string(text), err
}

func TestEveryPartOfASchemaBecomesAFieldOfItsKind(t *testing.T) {
	f := newForm(t, letter, written)
	for pointer, want := range map[string]form.Kind{
		"/to": form.Text, "/text": form.Long, "/copies": form.Whole, "/share": form.Number, "/urgent": form.Bool, "/tone": form.Choice,
		"/by": form.Date, "/code": form.Text, "/tags": form.List, "/tags/1": form.Text, "/from": form.Group, "/from/age": form.Whole,
		"/rows": form.List, "/rows/0": form.Group, "/rows/1/n": form.Whole, "/any": form.JSON, "/map": form.JSON,
	} {
		if got := field(t, f, pointer).Kind; got != want {
			t.Errorf("%s is a field of %s, want %s", pointer, got, want)
		}
	}
	var order []string
	for _, one := range f.Fields() {
		order = append(order, one.Name)
	}
	if got, want := strings.Join(order, " "), "to text copies share urgent tone by code tags from rows any map"; got != want {
		t.Errorf("the fields stand as %s, want the schema's order: %s", got, want)
	}
	if to := field(t, f, "/to"); to.Title != "Recipient" || to.Hint != "Whom it goes to." || to.Optional || *to.Limits.MaxLength != 40 {
		t.Errorf("the field lost what the schema says of it: %+v", to)
	}
}

func TestWhatNobodyTouchedComesBackToTheByte(t *testing.T) {
	values := map[string]string{
		"every kind":               written,
		"only what is needed":      `{"copies":1,"rows":[],"to":"","tone":"firm","urgent":true}`,
		"nulls where none belongs": `{"copies":null,"rows":[null],"tags":null,"to":null,"tone":null,"urgent":null}`,
		"other types than asked":   `{"copies":"2","from":[],"rows":{"a":1},"tags":"x","to":5,"tone":"rude","urgent":"no"}`,
		"members nobody declared":  `{"extra":{"deep":[1,{"x":null}]},"odd~na/me":"","to":"x","zero":0}`,
		"ends of lines":            "{\"to\":\"a\\rb\\r\\nc\\n\",\"text\":\"\\n\\n x \"}",
		"characters of all sorts":  `{"to":"क्षत्रिय <b> & \"x\" \u0001","text":"  two  spaces ","by":"14 Nov"}`,
		"numbers at the edge":      `{"copies":9007199254740991,"share":-0.000123456789012}`,
	}
	for name, value := range values {
		for _, schema := range []string{letter, `{}`, `{"type":"object"}`, `true`, `not a schema`, ``} {
			want, err := form.Canonical(json.RawMessage(value))
			if err != nil {
				t.Fatal(err)
			}
			f, got, err := fillIn(t, schema, value, nil)
			if err != nil || got != string(want) {
				t.Errorf("%s, schema %.20s: got %s (%v, %d problems), want %s", name, schema, got, err, f.Problems(), want)
			}
		}
	}
}

func TestAValueThatIsNoObjectIsOneField(t *testing.T) {
	for _, value := range []string{`[1,2]`, `"x"`, `3`, `null`, `true`} {
		_, got, err := fillIn(t, "", value, nil)
		if err != nil || got != value {
			t.Errorf("%s came back as %s (%v)", value, got, err)
		}
	}
}

func TestEditsKeepTheTypesOfTheSchema(t *testing.T) {
	tests := []struct{ control, typed, pointer, want string }{
		{"v/copies", " 7 ", "copies", `7`},
		{"v/share", "-12.50", "share", `-12.5`},
		{"v/to", "12", "to", `"12"`},
		{"v/urgent", "true", "urgent", `true`},
		{"v/tone", "v1", "tone", `"firm"`},
		{"v/by", "2026-12-01", "by", `"2026-12-01"`},
		{"v/code", "ABC", "code", `"ABC"`}, // typed into while it was null
		{"v/text", "one\r\ntwo", "text", `"one\ntwo"`},
		{"v/tags/1", "", "tags", `["a",""]`},
		{"v/from/name", "", "from", `{"name":""}`},
		{"v/from/age", "40", "from", `{"age":40,"name":"Transport cell"}`}, // typed into while it was left out
		{"v/any", `"seven"`, "any", `"seven"`},
		{"v/map", `{"b":2}`, "map", `{"b":2}`},
		{"is/text", "out", "text", ``},
		{"is/by", "out", "by", ``},
		{"is/code", "in", "code", `problem`},
		{"rows/rows", "1", "rows", `[{"item":"badge","n":2,"note":""}]`},
		{"rows/tags", "", "tags", `[]`},
		{"is/tags", "out", "tags", ``},
		{"is/from", "out", "from", ``},
		{"is/rows", "out", "rows", `absent control`},
	}
	for _, tt := range tests {
		if tt.want == "absent control" { // what is needed cannot be left out: there is no control for it
			if _, ok := newForm(t, letter, written).Values()[tt.control]; ok {
				t.Errorf("%s: the form offers to leave out what is needed", tt.control)
			}
			continue
		}
		_, text, err := fillIn(t, letter, written, map[string]string{tt.control: tt.typed})
		if tt.want == "problem" {
			if !fault.Is(err, fault.Invalid) {
				t.Errorf("%s = %q: got %s, %v; want a problem", tt.control, tt.typed, text, err)
			}
			continue
		}
		var got, before map[string]json.RawMessage
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			t.Errorf("%s = %q: %v", tt.control, tt.typed, err)
			continue
		}
		if err := json.Unmarshal([]byte(written), &before); err != nil {
			t.Fatal(err)
		}
		if string(got[tt.pointer]) != tt.want {
			t.Errorf("%s = %q: got %s, want %s", tt.control, tt.typed, got[tt.pointer], tt.want)
		}
		for name, was := range before {
			if name != tt.pointer && string(got[name]) != string(was) {
				t.Errorf("%s = %q also changed %s to %s", tt.control, tt.typed, name, got[name])
			}
		}
	}
}

func TestAFieldSaysWhatIsWrongWithIt(t *testing.T) {
	tests := []struct{ control, typed, pointer, code, limit string }{
		{"v/copies", "two", "/copies", form.BadNumber, ""},
		{"v/copies", "", "/copies", form.BadNumber, ""},
		{"v/copies", "1.5", "/copies", form.BadWhole, ""},
		{"v/copies", "0", "/copies", form.BadLow, "1"},
		{"v/copies", "10", "/copies", form.BadHigh, "9"},
		{"v/copies", "0x2", "/copies", form.BadNumber, ""},
		{"v/share", "1,5", "/share", form.BadNumber, ""},
		{"v/share", "0.1234567890123456789", "/share", form.BadExact, ""},
		{"v/share", "1e999", "/share", form.BadExact, ""},
		{"v/to", "x", "/to", form.BadShort, "2"},
		{"v/to", strings.Repeat("क", 41), "/to", form.BadLong, "40"},
		{"v/to", "a\x00b", "/to", form.BadText, ""},
		{"v/to", "\xff\xfe", "/to", form.BadText, ""},
		{"v/code", "abc", "/code", form.BadPattern, "^[A-Z]{3}$"},
		{"v/by", "14-11-2026", "/by", form.BadDate, ""},
		{"v/by", "2026-02-30", "/by", form.BadDate, ""},
		{"v/tone", "v9", "/tone", form.BadChoice, ""},
		{"v/urgent", "maybe", "/urgent", form.BadChoice, ""},
		{"v/any", "{", "/any", form.BadJSON, ""},
		{"v/any", `{"a":1,"a":2}`, "/any", form.BadJSON, ""},
		{"v/any", `1 2`, "/any", form.BadJSON, ""},
		{"v/map", strings.Repeat("[", 40) + strings.Repeat("]", 40), "/map", form.BadLong, "32"},
		{"v/to", "-", "/to", form.Incomplete, ""},
		{"is/text", "-", "/text", form.Incomplete, ""},
		{"is/text", "null", "/text", form.Incomplete, ""},
		{"rows/rows", "-", "/rows", form.Incomplete, ""},
		{"rows/rows", "0,0", "/rows", form.Incomplete, ""},
		{"rows/rows", "7", "/rows", form.Incomplete, ""},
		{"rows/rows", "x", "/rows", form.Incomplete, ""},
	}
	for _, tt := range tests {
		f, text, err := fillIn(t, letter, written, map[string]string{tt.control: tt.typed})
		if !fault.Is(err, fault.Invalid) {
			t.Errorf("%s = %q: got %s, %v; want a problem", tt.control, tt.typed, text, err)
			continue
		}
		problem := field(t, f, tt.pointer).Problem
		if problem == nil || problem.Code != tt.code || problem.Limit != tt.limit || f.Problems() != 1 {
			t.Errorf("%s = %.20q: got %+v and %d problems, want %s %s", tt.control, tt.typed, problem, f.Problems(), tt.code, tt.limit)
		}
	}
}

func TestAMemberOfAnUnknownFormKeepsItsType(t *testing.T) {
	const value = `{"flag":true,"list":[1,2],"n":4,"name":"x","none":null,"obj":{"a":1}}`
	for control, typed := range map[string]string{"v/n": "four", "v/flag": "1", "v/list": `{"0":1}`, "v/obj": `"a"`} {
		if _, text, err := fillIn(t, "", value, map[string]string{control: typed}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s = %s: got %s, %v; want a problem", control, typed, text, err)
		}
	}
	_, text, err := fillIn(t, "", value, map[string]string{"v/n": "5", "v/flag": "false", "v/list": `[3]`, "v/name": "5",
		"v/none": `{"new":1}`})
	if want := `{"flag":false,"list":[3],"n":5,"name":"5","none":{"new":1},"obj":{"a":1}}`; err != nil || text != want {
		t.Errorf("got %s, %v; want %s", text, err, want)
	}
}

func TestRowsAndPartsComeAndGoByButtons(t *testing.T) {
	const value = `{"copies":1,"rows":[{"item":"laptop","n":1},{"item":"badge","n":2}],"to":"R. Devi","tone":"firm","urgent":true}`
	f := newForm(t, letter, value)
	press := func(button string) {
		t.Helper()
		if err := f.Do(button); err != nil {
			t.Fatal(err)
		}
		again, err := form.Read(json.RawMessage(letter), json.RawMessage(value), f.Values())
		if err != nil {
			t.Fatal(err)
		}
		f = again // as the next page has it
	}
	press(form.AddRow + ":/rows")
	press(form.DropRow + ":/rows/0")
	press(form.AddRow + ":/tags") // was left out
	press(form.FillIn + ":/from")
	sent := f.Values()
	for name, text := range map[string]string{"v/rows/n1/item": "keys", "v/rows/n1/n": "3", "v/tags/n1": "t", "v/from/name": "Cell"} {
		if _, ok := sent[name]; !ok {
			t.Fatalf("there is no control %s among %v", name, sent)
		}
		sent.Set(name, text)
	}
	f, err := form.Read(json.RawMessage(letter), json.RawMessage(value), sent)
	if err != nil {
		t.Fatal(err)
	}
	got, err := f.JSON()
	want := `{"copies":1,"from":{"name":"Cell"},"rows":[{"item":"badge","n":2},{"item":"keys","n":3}],"tags":["t"],"to":"R. Devi","tone":"firm","urgent":true}`
	if err != nil || string(got) != want {
		t.Errorf("got %s, %v; want %s", got, err, want)
	}
	press(form.LeaveIt + ":/from")
	press(form.LeaveIt + ":/tags")
	if got, err := f.JSON(); err != nil || strings.Contains(string(got), "Cell") || strings.Contains(string(got), "tags") {
		t.Errorf("got %s, %v; want neither part in it", got, err)
	}
	press(form.AddRow + ":/rows")
	if got, err := f.JSON(); err == nil {
		t.Errorf("a new row that nobody filled in passes: %s", got)
	}
	for _, button := range []string{"", "add", "add:/to", "drop:/rows", "omit:/rows", "fill:/rows", "eat:/rows", "add:/nowhere"} {
		if err := f.Do(button); !fault.Is(err, fault.Invalid) {
			t.Errorf("button %q: got %v, want Invalid", button, err)
		}
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func TestAFormHasBounds(t *testing.T) {
	many := func(n int, row string) string {
		return `{"rows":[` + strings.TrimSuffix(strings.Repeat(row+",", n), ",") + `]}`
	}
	for name, value := range map[string]string{"many rows": many(101, `{"item":"x","n":1}`),
		"many fields": many(100, `{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"item":"x","n":1}`)} {
		f, got, err := fillIn(t, letter, value, nil)
		if want := must(form.Canonical(json.RawMessage(value))); err != nil || got != string(want) {
			t.Errorf("%s: does not come back (%v)", name, err)
		}
		if n := len(f.Values()); n > 700 {
			t.Errorf("%s: the form has %d controls", name, n)
		}
	}
	if _, err := form.New(nil, json.RawMessage(`"`+strings.Repeat("x", 256<<10)+`"`)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("a value of any length is taken: %v", err)
	}
	if _, err := form.New(nil, json.RawMessage(`{"a":1,"a":2}`)); !fault.Is(err, fault.Invalid) {
		t.Errorf("a name that is there twice is taken: %v", err)
	}
	sent := newForm(t, letter, written).Values()
	sent["v/to"] = []string{"a", "b"}
	f := must(form.Read(json.RawMessage(letter), json.RawMessage(written), sent))
	if _, err := f.JSON(); err == nil {
		t.Error("a control that came twice is taken")
	}
	if _, err := must(form.Read(json.RawMessage(letter), json.RawMessage(written), url.Values{})).JSON(); err == nil {
		t.Error("a form of which nothing came back is taken")
	}
}

func TestNoPresenceIsOfferedThatTheSchemaForbids(t *testing.T) {
	f := newForm(t, letter, written)
	offered := func(pointer string) string {
		var all []string
		for _, o := range field(t, f, pointer).Presences() {
			all = append(all, o.Value)
		}
		return strings.Join(all, " ")
	}
	for pointer, want := range map[string]string{"/to": "", "/text": "in* out", "/code": "in out null*", "/urgent": "", "/tags": "in out",
		"/from/age": "in out*", "/rows/0/note": "in out*"} {
		if got := offered(pointer); got != want {
			t.Errorf("%s offers %q, want %q", pointer, got, want)
		}
	}
	if !slices.ContainsFunc(field(t, f, "/tone").Options, func(o form.Option) bool { return o.Chosen && o.Label == "plain" }) {
		t.Error("the option that is there is not chosen")
	}
}

// TestWhatIsReadOnlyComesBackAsItWas promises that nothing sent in the name of a
// read-only member changes it, whatever it holds.
func TestWhatIsReadOnlyComesBackAsItWas(t *testing.T) {
	const schema = `{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string","readOnly":true},
		"rows":{"type":"array","readOnly":true,"items":{"type":"object","properties":{"n":{"type":"integer"}}}},"c":{"type":"string","readOnly":true,"enum":["x","y"]}},"required":["a","b","rows","c"]}`
	const value = `{"a":"one","b":"two","c":"x","rows":[{"n":1}]}`
	sent := newForm(t, schema, value).Values()
	for name := range sent {
		sent.Set(name, "tampered")
	}
	for _, missing := range []bool{false, true} {
		sent.Set("v/a", "three")
		f, err := form.Read(json.RawMessage(schema), json.RawMessage(value), sent)
		if err != nil {
			t.Fatal(err)
		}
		text, err := f.JSON()
		if want := `{"a":"three","b":"two","c":"x","rows":[{"n":1}]}`; err != nil || string(text) != want {
			t.Errorf("missing %v: got %s, %v, want %s", missing, text, err, want)
		}
		if !field(t, f, "/b").Fixed || field(t, f, "/a").Fixed {
			t.Error("the fields do not say which is read-only")
		}
		sent = url.Values{} // nor is it missed where it did not come back
	}
}
