package bundle_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

func again(data []byte) *bundle.Reperformance {
	done, err := bundle.Reperform(context.Background(), bytes.NewReader(data), int64(len(data)),
		bundle.Options{Sections: bundletest.Known()})
	if err != nil {
		panic(err)
	}
	return done
}

func TestEveryNumberIsDoneAgain(t *testing.T) {
	s := bundletest.New(t)
	p := again(s.Export(t, s.Case(t, 7)))
	want := map[string]string{"F1@1": bundle.Pass, "F2@1": bundle.Pass, "F3@1": bundle.Pass, "F4@1": bundle.Stated, "F4@2": bundle.Stated,
		"F5@1": bundle.Pass, "F6@1": bundle.Pass, "F7@1": bundle.Pass}
	if !p.OK() || len(p.Done) != len(want) {
		t.Fatalf("got %+v, want %d numbers done again", p, len(want))
	}
	for _, d := range p.Done {
		if d.Outcome != want[d.Name] || d.Section != "facts" || d.What == "" {
			t.Errorf("got %+v, want %s", d, want[d.Name])
		}
	}
}

// TestAWrongNumberFailsByItsName promises that re-performing finds a number that
// does not follow, whoever signed it, and everything that rests on it.
func TestAWrongNumberFailsByItsName(t *testing.T) {
	s := bundletest.New(t)
	whole := bundletest.TakeApart(t, s.Export(t, s.Case(t, 7)))
	for _, tt := range []struct {
		name, from, to string
		fails          []string
	}{
		{"a reading", `"display":"379.1`, `"display":"279.1`, []string{"F2@1", "F6@1", "F7@1"}},
		{"a computed value", `"value":"4.70722222222"`, `"value":"4.70722222223"`, []string{"F7@1"}},
		{"a row", `"row":3`, `"row":4`, []string{"F3@1", "F6@1", "F7@1"}},
		{"a formula", `"op":"mean"`, `"op":"sum"`, []string{"F6@1", "F7@1"}},
	} {
		f := whole.Copy()
		text := string(f.Files["facts/facts.ndjson"])
		if !strings.Contains(text, tt.from) {
			t.Fatalf("%s: the facts do not hold %s:\n%s", tt.name, tt.from, text)
		}
		f.Files["facts/facts.ndjson"] = []byte(strings.ReplaceAll(text, tt.from, tt.to))
		f.SignWith(t, s.Secret)
		p := again(f.Pack(t))
		failed := map[string]string{}
		for _, d := range p.Done {
			if d.Outcome == bundle.Fail {
				failed[d.Name] = d.Why
			}
		}
		for _, want := range tt.fails {
			if failed[want] == "" {
				t.Errorf("%s: %s did not fail: %v", tt.name, want, failed)
			}
		}
		if p.OK() {
			t.Errorf("%s: re-performing is satisfied", tt.name)
		}
	}
}

func TestNumbersOfAnAlteredBundleAreNobodys(t *testing.T) {
	s := bundletest.New(t)
	f := bundletest.TakeApart(t, s.Export(t, s.Case(t, 7)))
	f.Files["README.md"] = []byte("x")
	if p := again(f.Pack(t)); p.OK() || p.Verdict != bundle.Altered || p.Count()[bundle.Fail] != 0 {
		t.Errorf("got %+v, want an altered bundle whose numbers still follow", p)
	}
	if p := again([]byte("no zip")); p.OK() || p.Done == nil {
		t.Errorf("got %+v, want an empty list of something altered", p)
	}
}

func TestSealedNumbersAreUnreadAndSayWhy(t *testing.T) {
	s := bundletest.New(t)
	id := s.Case(t, 7)
	s.Sealed(t, id)
	p := again(s.Export(t, id))
	if n := p.Count(); n[bundle.Unread] != 1 || n[bundle.Fail] != 0 || p.OK() {
		t.Errorf("got %v, want one number unread", n)
	}
	for _, d := range p.Done {
		if d.Outcome == bundle.Unread && !strings.Contains(d.Why, "sealed") {
			t.Errorf("got %+v, want it to say that the bytes are sealed", d)
		}
	}
}
