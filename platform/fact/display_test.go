package fact_test

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fact"
)

func TestNumbersAreWrittenInTheHouseStyle(t *testing.T) {
	for _, tt := range []struct {
		number   string
		decimals int
		grouping fact.Grouping
		want     string
	}{
		{"12345678", 0, fact.Lakh, "1,23,45,678"},
		{"12345678", 0, fact.Thousands, "12,345,678"},
		{"12345678", 0, fact.Plain, "12345678"},
		{"123456", 0, fact.Lakh, "1,23,456"},
		{"12345", 0, fact.Lakh, "12,345"},
		{"999", 0, fact.Lakh, "999"},
		{"-1234.5", 1, fact.Thousands, "−1,234.5"},
		{"0.5", 0, fact.Lakh, "1"},   // half away from zero
		{"-0.5", 0, fact.Lakh, "−1"}, // on both sides
		{"2.5", 0, fact.Lakh, "3"},
		{"2.45", 1, fact.Lakh, "2.5"},
		{"-0.04", 1, fact.Lakh, "0.0"}, // no negative zero
		{"0.006", 2, fact.Lakh, "0.01"},
		{"128.92", 1, fact.Lakh, "128.9"},
		{"99.96", 1, fact.Lakh, "100.0"},
	} {
		n, _ := new(big.Rat).SetString(tt.number)
		if got := (fact.Style{Grouping: tt.grouping}).Number(n, tt.decimals); got != tt.want {
			t.Errorf("%s with %d decimals: got %s, want %s", tt.number, tt.decimals, got, tt.want)
		}
	}
}

func TestFactsAreShownWithTheirUnit(t *testing.T) {
	for _, tt := range []struct {
		number, unit string
		o            fact.Options
		want         string
	}{
		{"-128.92", "Mt CO2-e", fact.Options{}, "−128.9\u00a0Mt\u00a0CO₂-e"},
		{"-128.92", "Mt CO2-e", fact.Options{Abs: true}, "128.9\u00a0Mt\u00a0CO₂-e"},
		{"-128.92", "Mt CO2-e", fact.Options{Abs: true, Set: true, NoUnit: true}, "129"},
		{"411.6", "µg/m3", fact.Options{Set: true}, "412\u00a0µg/m³"},
		{"22.5", "%", fact.Options{}, "22.5\u00a0%"},
		{"-4100", "₹", fact.Options{Set: true}, "−₹4,100"},
		{"2043", "year", fact.Options{}, "2043"},
		{"477", "", fact.Options{Set: true}, "477"},
	} {
		f, err := fact.Read(reading(tt.number, tt.unit, "place", "x"))
		if err != nil {
			t.Fatal(err)
		}
		if got := (fact.Style{}).Show(f, tt.o); got != tt.want {
			t.Errorf("%s %s %+v: got %q, want %q", tt.number, tt.unit, tt.o, got, tt.want)
		}
	}
	f, _ := fact.Read(reading("61", "fires", "place", "x"))
	hindi := fact.Style{Units: map[string]string{"fires": "आग की घटनाएँ"}}
	if got := hindi.Show(f, fact.Options{Set: true}); got != "61\u00a0आग\u00a0की\u00a0घटनाएँ" {
		t.Errorf("got %q", got)
	}
}

func TestRoundingIsSymmetricAndNeverOffByMoreThanHalf(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, _ := new(big.Rat).SetString(decimals().Draw(rt, "number"))
		d := rapid.IntRange(-3, 8).Draw(rt, "decimals")
		got := fact.RoundAt(n, d)
		back := fact.RoundAt(new(big.Rat).Neg(n), d)
		if back.Neg(back).Cmp(got) != 0 {
			rt.Fatalf("%s and its negative round differently", n.RatString())
		}
		half := big.NewRat(1, 2)
		for range max(d, -d) {
			if d > 0 {
				half.Quo(half, big.NewRat(10, 1))
			} else {
				half.Mul(half, big.NewRat(10, 1))
			}
		}
		off := new(big.Rat).Sub(got, n)
		if off.Abs(off).Cmp(half) > 0 {
			rt.Fatalf("%s rounds to %s", n.RatString(), got.RatString())
		}
		if fact.RoundAt(got, d).Cmp(got) != 0 {
			rt.Fatalf("rounding %s twice changes it", n.RatString())
		}
	})
}
