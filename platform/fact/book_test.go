package fact_test

import (
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

func TestSameThingMeasuredKeepsItsNumber(t *testing.T) {
	b := fact.NewBook("case_1")
	first := add(t, b, reading("10.5", "PJ", "scenario", "a"))
	other := add(t, b, reading("11", "PJ", "scenario", "b"))

	moved := reading("10.5", "PJ", "scenario", "a") // another export: the row moved, the value stayed
	moved.Source.Selector.CSV.Row = 99
	moved.Source.Snapshot = strings.Repeat("1a", 32)
	same := add(t, b, moved)

	moved.Number = "12.5"
	newer := add(t, b, moved)

	if first.Ref().String() != "F1@1" || other.Ref().String() != "F2@1" || same.Ref().String() != "F1@1" || newer.Ref().String() != "F1@2" {
		t.Fatalf("got %v %v %v %v", first.Ref(), other.Ref(), same.Ref(), newer.Ref())
	}
	if same.Source.Snapshot != snapshot {
		t.Error("a version changed after it was given")
	}
	if old, ok := b.At(first.Ref()); !ok || old.Value != "10.5" {
		t.Errorf("the old version is now %v", old.Value)
	}
	if latest, _ := b.Latest("F1"); latest.Value != "12.5" {
		t.Errorf("newest is %s", latest.Value)
	}
}

func TestKeyLeavesOutWhereTheRowStoodAndWhoTyped(t *testing.T) {
	sha := strings.Repeat("ab", 32)
	for name, pair := range map[string][2]fact.Selector{
		"csv row":    {{CSV: &fact.CSVCell{Row: 1, Column: "val"}}, {CSV: &fact.CSVCell{Row: 8, Column: "val"}}},
		"json array": {{JSON: &fact.JSONPointer{Pointer: "/data/3/aqi"}}, {JSON: &fact.JSONPointer{Pointer: "/data/14/aqi"}}},
		"row's digest": {{Row: &fact.TableRow{Table: "t", PK: "7", SHA256: sha}},
			{Row: &fact.TableRow{Table: "t", PK: "7", SHA256: snapshot}}},
		"who typed": {{Manual: &fact.Manual{By: "a"}}, {Manual: &fact.Manual{By: "b"}}},
	} {
		if a, b := keyOf(t, pair[0]), keyOf(t, pair[1]); a != b {
			t.Errorf("%s: the keys differ", name)
		}
	}
	for name, pair := range map[string][2]fact.Selector{
		"csv column": {{CSV: &fact.CSVCell{Row: 1, Column: "val"}}, {CSV: &fact.CSVCell{Row: 1, Column: "2030"}}},
		"json name":  {{JSON: &fact.JSONPointer{Pointer: "/data/3/aqi"}}, {JSON: &fact.JSONPointer{Pointer: "/data/3/pm25"}}},
		"other row":  {{Row: &fact.TableRow{Table: "t", PK: "7", SHA256: sha}}, {Row: &fact.TableRow{Table: "t", PK: "8", SHA256: sha}}},
	} {
		if a, b := keyOf(t, pair[0]), keyOf(t, pair[1]); a == b {
			t.Errorf("%s: two things have one key", name)
		}
	}
}

func keyOf(t *testing.T, s fact.Selector) string {
	t.Helper()
	r := reading("1", "PJ", "scenario", "a")
	r.Source.Selector = s
	f, err := fact.Read(r)
	if err != nil {
		t.Fatal(err)
	}
	return f.Key
}

func TestRecomputationIsANewVersionOfTheSameFact(t *testing.T) {
	b := fact.NewBook("case_1")
	x := add(t, b, reading("1", "PJ", "scenario", "a"))
	y := add(t, b, reading("2", "PJ", "scenario", "b"))
	first, err := b.Derive(fact.Sum, "v1", x.ID, y.ID)
	if err != nil {
		t.Fatal(err)
	}
	again, _ := b.Derive(fact.Sum, "v1", y.ID, x.ID) // order makes no difference to a sum
	if again.Ref() != first.Ref() {
		t.Errorf("got %v, want %v", again.Ref(), first.Ref())
	}
	add(t, b, reading("5", "PJ", "scenario", "a"))
	if old, fresh := b.Fresh(first.Ref()); fresh || old.String() != "F1@1" {
		t.Errorf("got %v fresh=%v, want the sum to rest on the old F1@1", old, fresh)
	}
	newer, err := b.Derive(fact.Sum, "v1", x.ID, y.ID)
	if err != nil || newer.Ref().String() != "F3@2" || newer.Value != "7" {
		t.Errorf("got %v %s, %v", newer.Ref(), newer.Value, err)
	}
	if _, fresh := b.Fresh(newer.Ref()); !fresh {
		t.Error("the recomputed sum is not fresh")
	}
	if err := b.Reperform(first); err != nil {
		t.Errorf("an old version must still re-perform from the inputs it names: %v", err)
	}
}

func TestForgedResultsAreRefused(t *testing.T) {
	b := fact.NewBook("case_1")
	x := add(t, b, reading("1", "PJ", "scenario", "a"))
	y := add(t, b, reading("2", "PJ", "scenario", "b"))
	honest, err := fact.Derive(fact.Difference, "v1", x, y)
	if err != nil {
		t.Fatal(err)
	}
	for name, forge := range map[string]func(*fact.Fact){
		"value and exact":           func(f *fact.Fact) { f.Value, f.Exact = "4", "4" },
		"value alone":               func(f *fact.Fact) { f.Value = "4" },
		"unit":                      func(f *fact.Fact) { f.Unit = "Mt" },
		"key":                       func(f *fact.Fact) { f.Key = x.Key },
		"inputs exchanged":          func(f *fact.Fact) { f.Calc.Inputs = []fact.Ref{y.Ref(), x.Ref()} },
		"an input from nowhere":     func(f *fact.Fact) { f.Calc.Inputs = []fact.Ref{x.Ref(), {ID: "F9", Version: 1}} },
		"exact not in lowest terms": func(f *fact.Fact) { f.Exact = "-2/2" },
		"another case":              func(f *fact.Fact) { f.Case = "case_2" },
	} {
		f := honest
		calc := *honest.Calc
		f.Calc = &calc
		forge(&f)
		if got, err := b.Add(f); err == nil {
			t.Errorf("%s: entered as %v", name, got.Ref())
		}
	}
	if _, err := b.Add(honest); err != nil {
		t.Errorf("the honest one was refused: %v", err)
	}
}

func TestBookOpensFromWhatItKept(t *testing.T) {
	b := fact.NewBook("case_1")
	x := add(t, b, reading("1", "PJ", "scenario", "a"))
	y := add(t, b, reading("2", "PJ", "scenario", "b"))
	if _, err := b.Derive(fact.Ratio, "v1", x.ID, y.ID); err != nil {
		t.Fatal(err)
	}
	add(t, b, reading("3", "PJ", "scenario", "a"))
	kept := b.All()
	kept[0], kept[3] = kept[3], kept[0]
	again, err := fact.OpenBook("case_1", kept)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.All()) != 4 || len(again.Newest()) != 3 || again.Newest()[0].Version != 2 || again.Case() != "case_1" {
		t.Errorf("got %+v", again.Newest())
	}
	for name, spoil := range map[string]func([]fact.Fact) []fact.Fact{
		"a version missing": func(f []fact.Fact) []fact.Fact { return f[1:] },
		"a number missing":  func(f []fact.Fact) []fact.Fact { return f[:2] },
		"one twice":         func(f []fact.Fact) []fact.Fact { return append(f, f[0]) },
		"another case":      func(f []fact.Fact) []fact.Fact { f[2].Case = "case_2"; return f },
		"two under one key": func(f []fact.Fact) []fact.Fact { g := f[0]; g.ID = "F4"; return append(f, g) },
	} {
		facts := b.All()
		if name == "a number missing" {
			facts = append(facts[3:], facts[0], facts[1])
		}
		if _, err := fact.OpenBook("case_1", spoil(facts)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
}

// TestABookTakesAFactWithAllItRestsOn promises that a fact of another book comes with its inputs, as they are there, and
// that one which rests on an old version is not taken.
func TestABookTakesAFactWithAllItRestsOn(t *testing.T) {
	whole := fact.NewBook("case_1")
	add(t, whole, reading("1", "PJ", "scenario", "z"))
	a, b := add(t, whole, reading("10.5", "PJ", "scenario", "a")), add(t, whole, reading("11", "PJ", "scenario", "b"))
	done := func(f fact.Fact, err error) fact.Fact {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	sum := done(whole.Derive(fact.Sum, "test.1", a.ID, b.ID))
	share := done(whole.Derive(fact.Percentage, "test.1", a.ID, sum.ID))

	few := fact.NewBook("case_2")
	got := done(few.Take(whole, share.ID))
	if got.Value != share.Value || got.Key != share.Key || len(few.All()) != 4 {
		t.Errorf("got %s of %d facts, want %s of 4", got.Value, len(few.All()), share.Value)
	}
	if again := done(few.Take(whole, sum.ID)); again.Value != sum.Value || len(few.All()) != 4 {
		t.Errorf("taking what is there made %d facts of 4", len(few.All()))
	}
	if _, err := few.Take(whole, "F99"); fault.KindOf(err) != fault.NotFound {
		t.Errorf("a fact that is not there: got %v", err)
	}
	add(t, whole, reading("12", "PJ", "scenario", "b"))
	if _, err := fact.NewBook("case_3").Take(whole, share.ID); fault.KindOf(err) != fault.Stale {
		t.Errorf("a fact over an old version: got %v", err)
	}
}
