package item_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/platform/fault"
)

func load() []item.Item {
	return []item.Item{
		{ID: "1", Name: "Laptop", Quantity: item.One, Serial: "SN 77-a", Returnable: true},
		{ID: "2", Name: "Cable", Quantity: 12 * item.One, Unit: "m", Returnable: true},
		{ID: "3", Name: "Sample", Quantity: item.One / 2, Unit: "kg"},
	}
}

// TestAListThatMeansTwoThingsIsRefused promises that each item is named once, has a quantity, and that a serial
// number is one thing.
func TestAListThatMeansTwoThingsIsRefused(t *testing.T) {
	if err := item.Check(load()); err != nil {
		t.Fatal(err)
	}
	for code, change := range map[string]func([]item.Item) []item.Item{
		"repeated":        func(l []item.Item) []item.Item { l[1].ID = "1"; return l },
		"repeated_serial": func(l []item.Item) []item.Item { l[1].Serial, l[1].Quantity = "sn77A", item.One; return l },
		"serial_quantity": func(l []item.Item) []item.Item { l[0].Quantity = 2 * item.One; return l },
		"quantity":        func(l []item.Item) []item.Item { l[1].Quantity = 0; return l },
		"name":            func(l []item.Item) []item.Item { l[1].Name = " \t"; return l },
		"no_id":           func(l []item.Item) []item.Item { l[1].ID = ""; return l },
		"settled":         func(l []item.Item) []item.Item { l[1].Good = 1; return l },
		"too_long":        func(l []item.Item) []item.Item { l[1].Unit = "a unit that is no unit at all"; return l },
		"too_many":        func(l []item.Item) []item.Item { return make([]item.Item, item.Most+1) },
	} {
		err := item.Check(change(load()))
		if at, _ := fault.PlaceOf(err); at.Code != code || at.Field != "items" || !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v", code, err)
		}
	}
}

// TestWhatDidNotComeBackStaysOpen promises that a return says exactly what it settled, and that a wrong line
// settles nothing.
func TestWhatDidNotComeBackStaysOpen(t *testing.T) {
	after, diff, err := item.Return(load(), []item.Back{{"2", 5 * item.One, item.AsItWas}, {"2", item.One, item.Broken}})
	if err != nil || after[1].Open() != 6*item.One || after[0].Open() != item.One || !item.AnyOpen(after) {
		t.Fatalf("got %+v, %v", after, err)
	}
	if want := []item.Difference{{"2", item.One, item.Broken}}; !reflect.DeepEqual(diff, want) {
		t.Errorf("differences are %v, want %v", diff, want)
	}
	if _, _, err := item.Return(after, []item.Back{{"2", 7 * item.One, item.AsItWas}}); err == nil {
		t.Error("seven came back, and six were open")
	}
	rest, diff, err := item.Return(after, append(item.Everything(after)[1:],
		item.Back{Item: "1", Quantity: item.One, Condition: item.Missing}))
	if err != nil || item.AnyOpen(rest) || len(diff) != 1 || rest[0].Lost != item.One {
		t.Errorf("got %+v, %v, %v", rest, diff, err)
	}
	for code, b := range map[string]item.Back{
		"unknown_item":   {"9", item.One, item.AsItWas},
		"not_returnable": {"3", item.One / 2, item.AsItWas},
		"quantity":       {"2", 0, item.AsItWas},
		"more_than_open": {"1", 2 * item.One, item.AsItWas},
		"condition":      {"1", item.One, "wet"},
	} {
		got, _, err := item.Return(load(), []item.Back{{"2", item.One, item.AsItWas}, b})
		if at, _ := fault.PlaceOf(err); at.Code != code || got != nil {
			t.Errorf("%s: got %v, %v", code, got, err)
		}
	}
}

// TestWhatWentOutIsWhatCameBackIsLostOrIsOpen promises that no way of cutting returns into parts, right or
// wrong, makes or loses anything, and that what was handed in stays as it was.
func TestWhatWentOutIsWhatCameBackIsLostOrIsOpen(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		start := load()
		now := slices.Clone(start)
		for range rapid.IntRange(0, 12).Draw(t, "scans") {
			var back []item.Back
			for range rapid.IntRange(0, 3).Draw(t, "lines") {
				back = append(back, item.Back{
					Item:     rapid.SampledFrom([]item.ID{"1", "1", "1", "2", "2", "2", "3", "4"}).Draw(t, "item"),
					Quantity: item.Quantity(rapid.Int64Range(-1, 5000).Draw(t, "quantity")),
					Condition: rapid.SampledFrom([]item.Condition{item.AsItWas, item.AsItWas, item.Broken, item.Missing, ""}).
						Draw(t, "condition"),
				})
			}
			before := slices.Clone(now)
			after, _, err := item.Return(now, back)
			if !reflect.DeepEqual(now, before) {
				t.Fatal("the items handed in were changed")
			}
			if err == nil {
				now = after
			}
			for i, it := range now {
				if it.Returnable && it.Good+it.Damaged+it.Lost+it.Open() != start[i].Quantity {
					t.Fatalf("of %s went out, there are %+v", start[i].Quantity, it)
				}
				if it.Open() < 0 || it.Good < before[i].Good || it.Damaged < before[i].Damaged || it.Lost < before[i].Lost {
					t.Fatalf("%+v after %+v", it, before[i])
				}
			}
		}
		all, _, err := item.Return(now, item.Everything(now))
		if err != nil || item.AnyOpen(all) {
			t.Fatalf("all that was open came back, and open is %+v, %v", all, err)
		}
	})
}

// TestAQuantityComesBackAsItWasWritten promises that no part of a quantity is rounded away.
func TestAQuantityComesBackAsItWasWritten(t *testing.T) {
	for s, want := range map[string]string{"1": "1", "0.5": "0.5", "12.250": "12.25", "0.001": "0.001",
		"999999999.999": "999999999.999", "007": "7"} {
		if q, err := item.ParseQuantity(s); err != nil || q.String() != want {
			t.Errorf("%q: got %s, %v, want %s", s, q, err, want)
		}
	}
	for _, s := range []string{"", "0", "0.000", "-1", "1.", ".5", "1e3", "1.0001", "9999999999", "१", "1 ", "+1"} {
		if q, err := item.ParseQuantity(s); err == nil {
			t.Errorf("%q was read as %s", s, q)
		}
	}
	if got := item.Quantity(-1500).String(); got != "-1.5" {
		t.Errorf("got %s", got)
	}
}

// FuzzParseQuantity promises that what is read and written is read as the same.
func FuzzParseQuantity(f *testing.F) {
	f.Add("12.25")
	f.Fuzz(func(t *testing.T, s string) {
		q, err := item.ParseQuantity(s)
		if err != nil {
			return
		}
		if again, err := item.ParseQuantity(q.String()); err != nil || again != q || q <= 0 {
			t.Errorf("%q is %s, and that is %s, %v", s, q, again, err)
		}
	})
}
