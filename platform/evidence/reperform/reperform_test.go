package reperform_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/evidence/reperform"
	"github.com/gavelhq/gavel/platform/evidence/selector"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// A pack is what a bundle holds: facts as JSON and bytes by their hash.
type pack struct {
	facts []fact.Fact
	bytes map[string]string
	opens int
}

func sum(s string) string {
	d := sha256.Sum256([]byte(s))
	return hex.EncodeToString(d[:])
}

func (p *pack) open(digest string) (reperform.Bytes, error) {
	p.opens++
	content, ok := p.bytes[digest]
	if !ok {
		return reperform.Bytes{}, fault.New(fault.NotFound, "snapshot %.8s is not in the pack", digest)
	}
	return reperform.Bytes{ReadCloser: io.NopCloser(iotest.HalfReader(strings.NewReader(content))), SHA256: digest}, nil
}

func (p *pack) run() reperform.Report { return reperform.Run("case_1", p.facts, p.open) }

const table = "scen,val,share\nA,-128.92,40\nB,-127.83,60.5\nC,33.58,x\n"

// newPack is a small case: three readings of a CSV (F1 to F3), one of JSON, one
// of a database row, one a person stated, and what follows from them.
func newPack(t testing.TB) *pack {
	t.Helper()
	p := &pack{bytes: map[string]string{}}
	keep := func(content string) string { p.bytes[sum(content)] = content; return sum(content) }
	value := "7.25"
	var rows bytes.Buffer
	refs, err := selector.WriteRows(&rows, selector.TableRow{Table: "netra.signal", PK: "9", Columns: map[string]*string{"score": &value}})
	if err != nil {
		t.Fatal(err)
	}
	csv, figure := keep(table), keep(`{"y": [1e3, 2.5]}`)
	book := fact.NewBook("case_1")
	for i, r := range []fact.Reading{
		{Kind: fact.Observed, Number: "-128.92", Source: fact.Source{Snapshot: csv,
			Selector: fact.Selector{CSV: &fact.CSVCell{Row: 1, Column: "val"}}}},
		{Kind: fact.Observed, Number: "-127.83", Source: fact.Source{Snapshot: csv,
			Selector: fact.Selector{CSV: &fact.CSVCell{Row: 2, Column: "val"}}}},
		{Kind: fact.Observed, Number: "33.58", Source: fact.Source{Snapshot: csv,
			Selector: fact.Selector{CSV: &fact.CSVCell{Row: 3, Column: "val"}}}},
		{Kind: fact.Quoted, Number: "1000", Source: fact.Source{Snapshot: figure,
			Selector: fact.Selector{JSON: &fact.JSONPointer{Pointer: "/y/0"}}}},
		{Kind: fact.Observed, Number: "7.25", Source: fact.Source{Snapshot: keep(rows.String()), Selector: selector.Cell(refs[0],
			"score")}},
		{Kind: fact.Assumed, Number: "12345678901234.5", Source: fact.Source{Selector: fact.Selector{Manual: &fact.Manual{By: "p:1"}}}},
	} {
		r.Unit, r.Decimals = "Mt CO2-e", 1
		r.Subject = fact.Subject{Type: "sector", IDs: map[string]string{"n": fmt.Sprint(i), "year": "2030"}}
		f, err := fact.Read(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := book.Add(f); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []struct {
		op  fact.Op
		ids []fact.ID
	}{{fact.Sum, []fact.ID{"F1", "F2", "F3"}}, {fact.Percentage, []fact.ID{"F3", "F7"}}, {fact.Difference, []fact.ID{"F4", "F6"}},
		{fact.Mean, []fact.ID{"F5", "F9"}}} {
		if _, err := book.Derive(d.op, "v1", d.ids...); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(book.All()) // as a bundle carries them
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &p.facts); err != nil {
		t.Fatal(err)
	}
	return p
}

func TestAnUntouchedPackPasses(t *testing.T) {
	p := newPack(t)
	rep := p.run()
	if n := rep.Count(); !rep.OK() || n[reperform.Pass] != 9 || n[reperform.Stated] != 1 {
		t.Errorf("got %+v", rep)
	}
	if p.opens != 3 {
		t.Errorf("three snapshots were opened %d times", p.opens)
	}
}

// TestEveryTamperingIsFoundAndNamed promises a FAIL at the fact that was touched,
// at all that rest on it, and nowhere else.
func TestEveryTamperingIsFoundAndNamed(t *testing.T) {
	all := func(f func(*pack)) func(*pack) { return f }
	one := func(n int, change func(*fact.Fact)) func(*pack) { return func(p *pack) { change(&p.facts[n-1]) } }
	for _, tt := range []struct {
		name   string
		tamper func(*pack)
		fails  string
		why    string // of the first that fails, or of the register
	}{
		{"a value", one(1, func(f *fact.Fact) { f.Value = "-128.93" }), "F1 F7 F8", "it says -128.93; done again it is -128.92"},
		{"value and exact", one(1, func(f *fact.Fact) { f.Value, f.Exact = "-129", "-129" }), "F1 F7 F8", "it says -129"},
		{"exact alone", one(3, func(f *fact.Fact) { f.Exact = "1679/51" }), "F3 F7 F8", "exact"},
		{"the sign shown", one(1, func(f *fact.Fact) { f.Display = "128.9 Mt CO₂-e" }), "F1 F7 F8", "shown as"},
		{"a digit more shown", one(3, func(f *fact.Fact) { f.Display = "133.6 Mt CO₂-e" }), "F3 F7 F8", "shown as"},
		{"a digit after it shown", one(3, func(f *fact.Fact) { f.Display = "33.64 Mt CO₂-e" }), "F3 F7 F8", "shown as"},
		{"decimals", one(3, func(f *fact.Fact) { f.Rounding.Decimals = 0 }), "F3 F7 F8", "shown as"},
		{"a unit of a computed fact", one(7, func(f *fact.Fact) { f.Unit = "kt CO2-e" }), "F7 F8", "it is in kt CO2-e"},
		{"a computed value", one(8, func(f *fact.Fact) { f.Value, f.Exact = "-15", "-15" }), "F8", "it says -15"},
		{"an operation", one(7, func(f *fact.Fact) { f.Calc.Op = fact.Mean }), "F7 F8", "done again"},
		{"no operation", one(7, func(f *fact.Fact) { f.Calc.Op = "guess" }), "F7 F8", "cannot be computed again"},
		{"an input left out", one(7, func(f *fact.Fact) { f.Calc.Inputs = f.Calc.Inputs[1:] }), "F7 F8", "done again"},
		{"an input not there", one(7, func(f *fact.Fact) { f.Calc.Inputs[0].Version = 9 }), "F7 F8", "F1@9, which is not there"},
		{"a fact that rests on itself", one(7, func(f *fact.Fact) { f.Calc.Inputs[0] = fact.Ref{ID: "F8", Version: 1} }), "F7 F8", ""},
		{"no formula", one(7, func(f *fact.Fact) { f.Calc = nil }), "F7 F8", "nothing says how"},
		{"a row", one(1, func(f *fact.Fact) { f.Source.Selector.CSV.Row = 2 }), "F1 F7 F8", "done again it is -127.83"},
		{"a column", one(1, func(f *fact.Fact) { f.Source.Selector.CSV.Column = "share" }), "F1 F7 F8", "done again it is 40"},
		{"a cell that is no number", one(3, func(f *fact.Fact) { f.Source.Selector.CSV.Column = "share" }), "F3 F7 F8",
			`"x" is not a number`},
		{"a pointer", one(4, func(f *fact.Fact) { f.Source.Selector.JSON.Pointer = "/y/1" }), "F4 F9 F10", "done again it is 2.5"},
		{"a row's digest", one(5, func(f *fact.Fact) { f.Source.Selector.Row.SHA256 = sum("") }), "F5 F10", "no row of the document"},
		{"two selectors", one(4, func(f *fact.Fact) { f.Source.Selector.CSV = &fact.CSVCell{Row: 1, Column: "y"} }), "F4 F9 F10", ""},
		{"no source", one(4, func(f *fact.Fact) { f.Source = nil }), "F4 F9 F10", "nothing says where it was read"},
		{"no snapshot", one(4, func(f *fact.Fact) { f.Source.Snapshot = "" }), "F4 F9 F10", "names no snapshot"},
		{"whom it is about", one(4, func(f *fact.Fact) { f.Subject.IDs["n"] = "0" }), "F4 F9 F10", "key"},
		{"its kind", one(4, func(f *fact.Fact) { f.Kind = fact.Observed }), "F4 F9 F10", "key"},
		{"a key", one(4, func(f *fact.Fact) { f.Key = sum("") }), "F4 F9 F10", "key"},
		{"what a person stated", one(6, func(f *fact.Fact) { f.Value = "1" }), "F6 F9 F10", "rounded"},
		{"a stated value's display", one(6, func(f *fact.Fact) { f.Display = "1.0" }), "F6 F9 F10", "shown as"},
		{"bytes", all(func(p *pack) { p.bytes[sum(table)] = strings.Replace(table, "33.58", "33.59", 1) }), "F1 F2 F3 F7 F8", "hash to"},
		{"bytes after the last row", all(func(p *pack) { p.bytes[sum(table)] += "D,1,1\n" }), "F1 F2 F3 F7 F8", "hash to"},
		{"bytes cut short", all(func(p *pack) { p.bytes[sum(table)] = table[:len(table)-1] }), "F1 F2 F3 F7 F8", "hash to"},
		{"a fact removed", all(func(p *pack) { p.facts = append(p.facts[:1:1], p.facts[2:]...) }), "F7 F8", "its number should be F2"},
		{"a number given twice", one(2, func(f *fact.Fact) { f.ID = "F1" }), "F1 F1 F7 F8", "twice there"},
		{"a fact of another case", one(4, func(f *fact.Fact) { f.Case = "case_2" }), "F9 F10", "belongs to case case_2"},
	} {
		p := newPack(t)
		tt.tamper(p)
		rep := p.run()
		var fails, why []string
		for _, v := range rep.Verdicts {
			if v.Outcome == reperform.Fail {
				fails, why = append(fails, string(v.Fact.ID)), append(why, v.Why)
				if v.Why == "" {
					t.Errorf("%s: %s fails and does not say why", tt.name, v.Fact)
				}
			}
		}
		got := strings.Join(fails, " ")
		if got != tt.fails || rep.OK() || !strings.Contains(strings.Join(append(why, rep.Register), "\n"), tt.why) {
			t.Errorf("%s: failed %q (%q; register %q), want %q (%q)", tt.name, got, why, rep.Register, tt.fails, tt.why)
		}
	}
}

func TestBytesThatAreNotToBeHadAreNotCalledWrong(t *testing.T) {
	p := newPack(t)
	delete(p.bytes, sum(table))
	rep := p.run()
	n := rep.Count()
	if n[reperform.Unread] != 5 || n[reperform.Fail] != 0 || rep.OK() {
		t.Errorf("got %+v", rep)
	}
	for _, v := range rep.Verdicts {
		if v.Outcome == reperform.Unread && v.Why == "" {
			t.Errorf("%s is unread and does not say why", v.Fact)
		}
	}
}

func TestUnsealedBytesAreHeldToTheDigestOfTheirEnvelope(t *testing.T) {
	p := newPack(t)
	for i := range p.facts { // the snapshot's address is that of a ciphertext
		if s := p.facts[i].Source; s != nil && s.Snapshot == sum(table) {
			s.Snapshot = sum("ciphertext")
		}
	}
	for _, tt := range []struct {
		digest string
		ok     bool
	}{{sum(table), true}, {sum("something else"), false}} {
		open := func(digest string) (reperform.Bytes, error) {
			if digest == sum("ciphertext") {
				return reperform.Bytes{ReadCloser: io.NopCloser(strings.NewReader(table)), SHA256: tt.digest}, nil
			}
			return p.open(digest)
		}
		if rep := reperform.Run("case_1", p.facts, open); rep.OK() != tt.ok {
			t.Errorf("the digest matches %v: got %+v", tt.ok, rep)
		}
	}
}

func TestAnyOtherNumberInTheBytesFails(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		number := rapid.StringMatching(`-?[0-9]{1,20}(\.[0-9]{1,20})?`)
		said, there := number.Draw(rt, "said"), number.Draw(rt, "there")
		doc := "val\n" + there + "\n"
		f, err := fact.Read(fact.Reading{Kind: fact.Observed, Number: said, Source: fact.Source{Snapshot: sum(doc),
			Selector: fact.Selector{CSV: &fact.CSVCell{Row: 1, Column: "val"}}}})
		if err != nil {
			rt.Fatal(err)
		}
		p := &pack{bytes: map[string]string{sum(doc): doc}}
		if f, err = fact.NewBook("case_1").Add(f); err != nil {
			rt.Fatal(err)
		}
		p.facts = []fact.Fact{f}
		a, _ := fact.ParseNumber(said)
		b, _ := fact.ParseNumber(there)
		if got, want := p.run().OK(), a.Cmp(b) == 0; got != want {
			rt.Fatalf("%s where %s stands: ok is %v", said, there, got)
		}
	})
}

func TestADigestCoversEveryPartOfAFact(t *testing.T) {
	p := newPack(t)
	for i, change := range map[int]func(*fact.Fact){
		0: func(f *fact.Fact) { f.Source.Selector.CSV.Row++ },
		1: func(f *fact.Fact) { f.Display = "x" },
		2: func(f *fact.Fact) { f.Version++ },
		3: func(f *fact.Fact) { f.Case = "case_2" },
		4: func(f *fact.Fact) { f.Subject.Names.HI = []string{"क"} },
		6: func(f *fact.Fact) { f.Calc.Code = "v2" },
	} {
		before, err := reperform.BatchDigest(p.facts)
		if err != nil {
			t.Fatal(err)
		}
		change(&p.facts[i])
		if after, err := reperform.BatchDigest(p.facts); err != nil || after == before {
			t.Errorf("change %d: the digest stayed, %v", i, err)
		}
	}
}

// FuzzRun promises that no pack, however malformed, does anything but fail.
func FuzzRun(f *testing.F) {
	p := newPack(f)
	text, err := json.Marshal(p.facts)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text, []byte(table))
	f.Add([]byte(`[{"id":"F1","version":1,"calc":{"op":"sum","inputs":["F1@1"]}}]`), []byte("{}"))
	f.Add([]byte(`[{"id":"F1","version":1,"kind":"assumed","source":{"selector":{"manual":{}}}}]`), []byte("a"))
	f.Fuzz(func(t *testing.T, text, content []byte) {
		var facts []fact.Fact
		if json.Unmarshal(text, &facts) != nil {
			return
		}
		open := func(string) (reperform.Bytes, error) {
			return reperform.Bytes{ReadCloser: io.NopCloser(bytes.NewReader(content)), SHA256: sum(string(content))}, nil
		}
		rep := reperform.Run("case_1", facts, open)
		if len(rep.Verdicts) != len(facts) {
			t.Fatalf("%d verdicts for %d facts", len(rep.Verdicts), len(facts))
		}
		for _, v := range rep.Verdicts {
			if v.Outcome == "" || v.Outcome != reperform.Pass && v.Why == "" {
				t.Fatalf("a verdict without a reason: %+v", v)
			}
		}
	})
}
