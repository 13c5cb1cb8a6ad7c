package form_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/form"
)

func lines(d form.Difference) []string {
	var all []string
	for _, c := range d.Changes {
		var path []string
		for _, s := range c.Path {
			if s.Row > 0 {
				path = append(path, fmt.Sprint(s.Row))
			} else {
				path = append(path, s.Name)
			}
		}
		all = append(all, fmt.Sprintf("%s: %s %s %q -> %s %s %q", strings.Join(path, "/"), c.Was.Is, c.Was.Type, c.Was.Text, c.Now.Is,
			c.Now.Type, c.Now.Text))
	}
	return all
}

func TestADifferenceNamesEveryPlaceThatChanged(t *testing.T) {
	tests := []struct {
		was, now string
		want     []string
	}{
		{`{"a":1}`, `{"a":1}`, nil},
		{`{"a":1.0}`, `{ "a": 1 }`, nil},
		{`{"a":1}`, `{"a":"1"}`, []string{`a: in number "1" -> in string "1"`}},
		{`{"a":""}`, `{}`, []string{`a: in string "" -> out  ""`}},
		{`{"a":null}`, `{"a":""}`, []string{`a: null null "" -> in string ""`}},
		{`{}`, `{"a":[1]}`, []string{`a: out  "" -> in array "[\n  1\n]"`}},
		{`{"a":{"b":1,"c":2}}`, `{"a":{"b":1,"c":3}}`, []string{`a/c: in number "2" -> in number "3"`}},
		{`{"a":["x","y","z"]}`, `{"a":["y","z"]}`, []string{`a/1: in string "x" -> out  ""`}},
		{`{"a":["x","z"]}`, `{"a":["x","y","z"]}`, []string{`a/2: out  "" -> in string "y"`}},
		{`{"a":[{"n":1},{"n":2}]}`, `{"a":[{"n":1},{"n":3}]}`, []string{`a/2/n: in number "2" -> in number "3"`}},
		{`{"a":{"b":1}}`, `{"a":[1]}`, []string{`a: in object "{\n  \"b\": 1\n}" -> in array "[\n  1\n]"`}},
	}
	for _, tt := range tests {
		d, err := form.Diff(json.RawMessage(tt.was), json.RawMessage(tt.now))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := strings.Join(lines(d), "\n"), strings.Join(tt.want, "\n"); got != want {
			t.Errorf("%s to %s:\ngot  %s\nwant %s", tt.was, tt.now, got, want)
		}
	}
}

func TestTextsAreComparedWordByWord(t *testing.T) {
	d := must(form.Diff(json.RawMessage(`"Dear R., your shift has changed."`), json.RawMessage(`"Dear R., your route has changed."`)))
	var got []string
	for _, p := range d.Changes[0].Pieces {
		got = append(got, string(p.Op)+" "+p.Text)
	}
	if got, want := strings.Join(got, "|"), "same Dear R., your |gone shift|came route|same  has changed."; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestADifferenceHasBounds(t *testing.T) {
	list := func(n int) json.RawMessage {
		all := make([]int, 3000)
		for i := range all {
			all[i] = i * n
		}
		return must(json.Marshal(all))
	}
	d := must(form.Diff(list(1), list(7)))
	if len(d.Changes) != 200 || d.More != 2999-200 {
		t.Errorf("%d changes are listed and %d counted", len(d.Changes), d.More)
	}
	if _, err := form.Diff(json.RawMessage(`{`), json.RawMessage(`{}`)); err == nil {
		t.Error("what is no JSON is compared")
	}
}
