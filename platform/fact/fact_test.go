package fact_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

var snapshot = strings.Repeat("0f", 32)

// reading is a cell of a chart; ids come in pairs.
func reading(number, unit string, ids ...string) fact.Reading {
	m := map[string]string{}
	for i := 0; i+1 < len(ids); i += 2 {
		m[ids[i]] = ids[i+1]
	}
	return fact.Reading{
		Kind: fact.Observed, Number: number, Unit: unit, Decimals: 1,
		AsOf:    time.Date(2026, 11, 14, 23, 0, 0, 0, time.UTC),
		Subject: fact.Subject{Type: "series", IDs: m, Names: fact.Names{EN: []string{"Power Generation"}, HI: []string{"बिजली उत्पादन"}}},
		Source:  fact.Source{Snapshot: snapshot, Selector: fact.Selector{CSV: &fact.CSVCell{Row: 7, Column: "val"}}},
	}
}

// add reads a number into a book and fails the test if it cannot.
func add(t testing.TB, b *fact.Book, r fact.Reading) fact.Fact {
	t.Helper()
	f, err := fact.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	f, err = b.Add(f)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFactIsWrittenInTheSchemaEveryPartReads(t *testing.T) {
	b := fact.NewBook("case_1")
	f := add(t, b, reading("-128.92", "Mt CO2-e", "scenario", "1p5ds", "year", "2050"))
	got, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"case":"case_1","id":"F1","version":1,"key":"` + f.Key + `","kind":"observed","value":"-128.92","exact":"-3223/25",` +
		`"unit":"Mt CO2-e","display":"−128.9 Mt CO₂-e","rounding":{"decimals":1,"half_away":true},"as_of":"2026-11-14T23:00:00Z",` +
		`"subject":{"type":"series","ids":{"scenario":"1p5ds","year":"2050"},"names":{"en":["Power Generation"],"hi":["बिजली उत्पादन"]}},` +
		`"source":{"snapshot":"` + snapshot + `","selector":{"csv":{"row":7,"column":"val"}}}}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	var back fact.Fact
	if err := json.Unmarshal(got, &back); err != nil {
		t.Fatal(err)
	}
	again, _ := json.Marshal(back)
	if string(again) != string(got) {
		t.Errorf("read back and written again: %s", again)
	}
}

func TestGrowthRateHasNoExactValueInJSON(t *testing.T) {
	b := fact.NewBook("case_1")
	start := add(t, b, reading("9.6", "PJ", "year", "2025"))
	end := add(t, b, reading("412.7", "PJ", "year", "2050"))
	f, err := b.Derive(fact.Growth, "v1", end.ID, start.ID)
	if err != nil {
		t.Fatal(err)
	}
	got, _ := json.Marshal(f)
	if !strings.Contains(string(got), `"exact":null`) || !strings.Contains(string(got),
		`"calc":{"op":"growth_rate","inputs":["F2@1","F1@1"],"code_version":"v1"}`) {
		t.Errorf("got %s", got)
	}
	var back fact.Fact
	if err := json.Unmarshal(got, &back); err != nil || back.Exact != "" || back.Calc.Inputs[0] != (fact.Ref{ID: "F2", Version: 1}) {
		t.Errorf("read back: %+v, %v", back, err)
	}
}

func TestSourcesThatPointNowhereAreRefused(t *testing.T) {
	for name, change := range map[string]func(*fact.Reading){
		"no selector":          func(r *fact.Reading) { r.Source.Selector = fact.Selector{} },
		"two selectors":        func(r *fact.Reading) { r.Source.Selector.Manual = &fact.Manual{By: "dev:analyst@north"} },
		"no snapshot":          func(r *fact.Reading) { r.Source.Snapshot = "" },
		"snapshot is no hash":  func(r *fact.Reading) { r.Source.Snapshot = "abc" },
		"row zero":             func(r *fact.Reading) { r.Source.Selector.CSV.Row = 0 },
		"column without name":  func(r *fact.Reading) { r.Source.Selector.CSV.Column = "" },
		"pointer not absolute": func(r *fact.Reading) { r.Source.Selector = fact.Selector{JSON: &fact.JSONPointer{Pointer: "a"}} },
		"row without digest":   func(r *fact.Reading) { r.Source.Selector = fact.Selector{Row: &fact.TableRow{Table: "t", PK: "1"}} },
		"nobody entered it":    func(r *fact.Reading) { r.Source = fact.Source{Selector: fact.Selector{Manual: &fact.Manual{}}} },
		"computed by hand":     func(r *fact.Reading) { r.Kind = fact.Computed },
		"unknown kind":         func(r *fact.Reading) { r.Kind = "guessed" },
		"too many decimals":    func(r *fact.Reading) { r.Decimals = 13 },
		"braces in the unit":   func(r *fact.Reading) { r.Unit = "}}" },
		"empty id":             func(r *fact.Reading) { r.Subject.IDs["scenario"] = "" },
		"id with a bad name":   func(r *fact.Reading) { r.Subject.IDs["Scen ario"] = "x" },
	} {
		r := reading("1", "PJ", "year", "2050")
		change(&r)
		if _, err := fact.Read(r); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
}

func TestNumbersAreReadOnlyInDecimalForm(t *testing.T) {
	for s, want := range map[string]string{
		"1": "1", "-128.92": "-3223/25", "+.5": "1/2", "5.": "5", "2.295030e-03": "229503/100000000", "1E2": "100", "-0": "0", "007": "7",
	} {
		n, err := fact.ParseNumber(s)
		if err != nil || n.RatString() != want {
			t.Errorf("%q: got %v, %v, want %s", s, n, err, want)
		}
	}
	for _, s := range []string{"", ".", "-", "1/3", "0x10", "1,000", "Inf", "NaN", "1e", "1e999", "--1", "+-1", "1_000", " 1", "1 ", "१",
		"1e+-2", strings.Repeat("9", 65), "1e61"} {
		if n, err := fact.ParseNumber(s); err == nil {
			t.Errorf("%q was read as %v", s, n)
		}
	}
}

func TestRefsKeepTheirForm(t *testing.T) {
	for s, ok := range map[string]bool{"F17@2": true, "F1@1": true, "F17": false, "F0@1": false, "F017@1": false, "F1@0": false,
		"F1@01": false, "G1@1": false, "F1@": false, "F9999999999@1": false} {
		var r fact.Ref
		if err := r.UnmarshalText([]byte(s)); (err == nil) != ok || ok && r.String() != s {
			t.Errorf("%q: got %v, %v", s, r, err)
		}
	}
}
