package fact_test

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

func TestDeriveComputesAndNamesItsUnit(t *testing.T) {
	for _, tt := range []struct {
		op                          fact.Op
		in                          string // number unit, …
		value, exact, unit, display string
	}{
		{fact.Sum, "1.5 PJ, 2.25 PJ", "3.75", "15/4", "PJ", "3.8 PJ"},
		{fact.Difference, "3.54 Mt CO2-e, 401.05 Mt CO₂-e", "-397.51", "-39751/100", "Mt CO2-e", "−397.5 Mt CO₂-e"},
		{fact.Difference, "77.1 %, 22.5 %", "54.6", "273/5", "percentage points", "54.6 percentage points"},
		{fact.Ratio, "411.6 µg/m3, 142 μg/m³", "2.8985915493", "1029/355", "", "2.9"},
		{fact.Ratio, "10 PJ, 4 Mt", "2.5", "5/2", "PJ/Mt", "2.5 PJ/Mt"},
		{fact.Ratio, "10 PJ/year, 4 PJ", "2.5", "5/2", "1/year", "2.5 1/year"},
		{fact.Percentage, "-472.53 Mt, 401.05 Mt", "-117.823214063", "-945060/8021", "%", "−117.8 %"},
		{fact.Share, "-1 Mt, -1 Mt, -1 Mt", "33.3333333333", "100/3", "%", "33.3 %"},
		{fact.Mean, "1 PJ, 2 PJ, 4 PJ", "2.33333333333", "7/3", "PJ", "2.3 PJ"},
		{fact.Min, "1 PJ, -2 PJ, 4 PJ", "-2", "-2", "PJ", "−2.0 PJ"},
		{fact.Max, "1 PJ, -2 PJ, 4 PJ", "4", "4", "PJ", "4.0 PJ"},
		{fact.Rank, "2 PJ, 1 PJ, 4 PJ, 2 PJ", "2", "2", "", "2"},
		{fact.RankLow, "-5 PJ, 1 PJ, 4 PJ", "1", "1", "", "1"},
		{fact.Count, "1 PJ, 2 Mt", "2", "2", "", "2"},
	} {
		b := fact.NewBook("c")
		f, err := b.Derive(tt.op, "v1", entered(t, b, tt.in)...)
		if err != nil {
			t.Errorf("%s(%s): %v", tt.op, tt.in, err)
			continue
		}
		display := strings.ReplaceAll(f.Display, "\u00a0", " ")
		if f.Value != tt.value || string(f.Exact) != tt.exact || f.Unit != tt.unit || display != tt.display {
			t.Errorf("%s(%s): got %s %s %q %q, want %s %s %q %q", tt.op, tt.in, f.Value, f.Exact, f.Unit, display, tt.value, tt.exact,
				tt.unit, tt.display)
		}
		if err := b.Reperform(f); err != nil {
			t.Errorf("%s(%s) does not re-perform: %v", tt.op, tt.in, err)
		}
	}
}

// entered adds "number unit" for each part, told apart by their place.
func entered(t testing.TB, b *fact.Book, list string) []fact.ID {
	t.Helper()
	var ids []fact.ID
	for i, part := range strings.Split(list, ", ") {
		number, unit, _ := strings.Cut(part, " ")
		ids = append(ids, add(t, b, reading(number, unit, "place", strconv.Itoa(i))).ID)
	}
	return ids
}

func TestDeriveRefusesWhatHasNoMeaning(t *testing.T) {
	for _, tt := range []struct {
		name string
		op   fact.Op
		in   string
		says string
	}{
		{"mixed units", fact.Sum, "1 PJ, 2 Mt", "mixes units: F1 is in PJ, F2 is in Mt"},
		{"a unit and none", fact.Mean, "1 PJ, 2", "F2 is in no unit"},
		{"capital matters", fact.Sum, "1 Mt, 2 MT", "mixes units"},
		{"division by zero", fact.Ratio, "1 PJ, 0 PJ", "F2 is zero"},
		{"percentage of zero", fact.Percentage, "1 PJ, 0.00 PJ", "F2 is zero"},
		{"percentage of another unit", fact.Percentage, "1 PJ, 3 Mt", "mixes units"},
		{"share of mixed signs", fact.Share, "1 PJ, -3 PJ", "F2 has another sign"},
		{"share of nothing", fact.Share, "0 PJ, 0 PJ", "all parts are zero"},
		{"one fact too few", fact.Difference, "1 PJ", "takes two facts, not 1"},
		{"one fact too many", fact.Ratio, "1 PJ, 2 PJ, 3 PJ", "takes two facts, not 3"},
		{"rank of one", fact.Rank, "1 PJ", "two facts or more"},
		{"growth without years", fact.Growth, "2 PJ, 1 PJ", "no year"},
		{"ratio to a percentage", fact.Ratio, "2 PJ, 1 %", "has no meaning"},
		{"no such operation", "median", "2 PJ", "no operation"},
	} {
		b := fact.NewBook("c")
		_, err := b.Derive(tt.op, "v1", entered(t, b, tt.in)...)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%s: got %v, want %q", tt.name, err, tt.says)
		}
	}
	b := fact.NewBook("c")
	ids := entered(t, b, "1 PJ, 2 PJ")
	if _, err := b.Derive(fact.Sum, "v1", ids[0], ids[0]); !fault.Is(err, fault.Invalid) {
		t.Errorf("one input twice: %v", err)
	}
	if _, err := b.Derive(fact.Sum, "v1", "F9"); !fault.Is(err, fault.NotFound) {
		t.Errorf("an input that is not there: %v", err)
	}
	if _, err := fact.Derive(fact.Sum, "v1", fact.Fact{Value: "1"}); !fault.Is(err, fault.Invalid) {
		t.Errorf("an input without a number: %v", err)
	}
}

func TestGrowthRateUsesTheRealDistanceInYears(t *testing.T) {
	for _, tt := range []struct{ from, to, years, want string }{
		{"100", "121", "2", "10"},
		{"9.6", "412.7", "25", "16.2343602019"}, // checked with 60-digit decimals
		{"620.4", "48.9", "25", "-9.66303768845"},
		{"5", "5", "7", "0"},
		{"3", "3.000000000001", "10", "0.00000000000333333333333"},
	} {
		b := fact.NewBook("c")
		n, _ := strconv.Atoi(tt.years)
		start := add(t, b, reading(tt.from, "PJ", "year", "2025"))
		end := add(t, b, reading(tt.to, "PJ", "year", strconv.Itoa(2025+n)))
		f, err := b.Derive(fact.Growth, "v1", end.ID, start.ID)
		if err != nil || f.Exact != "" || f.Unit != fact.PercentYearly {
			t.Errorf("%s to %s: %+v, %v", tt.from, tt.to, f, err)
		}
		if f.Value != tt.want {
			t.Errorf("%s to %s in %s years: got %s, want %s", tt.from, tt.to, tt.years, f.Value, tt.want)
		}
		if _, err := b.Derive(fact.Growth, "v1", start.ID, end.ID); !fault.Is(err, fault.Invalid) {
			t.Errorf("growth backwards: %v", err)
		}
	}
}

func TestWhatRestsOnAGrowthRateIsNotCalledExact(t *testing.T) {
	b := fact.NewBook("c")
	var rates []fact.ID
	for _, s := range []string{"a", "b"} {
		start := add(t, b, reading("2", "PJ", "scenario", s, "year", "2025"))
		end := add(t, b, reading("3", "PJ", "scenario", s, "year", "2050"))
		f, err := b.Derive(fact.Growth, "v1", end.ID, start.ID)
		if err != nil {
			t.Fatal(err)
		}
		rates = append(rates, f.ID)
	}
	f, err := b.Derive(fact.Difference, "v1", rates...)
	if err != nil || f.Exact != "" || f.Value != "0" {
		t.Errorf("got %+v, %v", f, err)
	}
}

func TestDerivedSubjectIsWhatTheInputsShare(t *testing.T) {
	b := fact.NewBook("c")
	level := func(scenario, year, n string) fact.ID {
		return add(t, b, reading(n, "PJ", "scenario", scenario, "fuel", "diesel", "year", year)).ID
	}
	a25, a50, b50 := level("a", "2025", "9"), level("a", "2050", "4"), level("b", "2050", "6")
	for _, tt := range []struct {
		name string
		op   fact.Op
		in   []fact.ID
		want string
	}{
		{"a change over time keeps its end and names its start", fact.Difference, []fact.ID{a50, a25},
			"change=2025 fuel=diesel scenario=a year=2050"},
		{"a gap between scenarios is about neither", fact.Difference, []fact.ID{b50, a50}, "fuel=diesel year=2050"},
		{"a mean over scenarios", fact.Mean, []fact.ID{b50, a50}, "fuel=diesel year=2050"},
		{"a rank is about the first", fact.Rank, []fact.ID{b50, a50}, "fuel=diesel scenario=b year=2050"},
	} {
		f, err := b.Derive(tt.op, "v1", tt.in...)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, id := range []string{"change", "fuel", "scenario", "year"} {
			if v := f.Subject.IDs[id]; v != "" {
				got = append(got, id+"="+v)
			}
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: got %v, want %s", tt.name, got, tt.want)
		}
	}
}

// decimals are numbers as data files hold them.
func decimals() *rapid.Generator[string] {
	return rapid.StringMatching(`-?[0-9]{1,9}(\.[0-9]{1,6})?`)
}

func TestDerivationEqualsExactArithmetic(t *testing.T) {
	ops := map[fact.Op]func([]*big.Rat) *big.Rat{
		fact.Sum:        total,
		fact.Difference: func(n []*big.Rat) *big.Rat { return new(big.Rat).Sub(n[0], n[1]) },
		fact.Ratio:      func(n []*big.Rat) *big.Rat { return new(big.Rat).Quo(n[0], n[1]) },
		fact.Percentage: func(n []*big.Rat) *big.Rat {
			return new(big.Rat).Mul(big.NewRat(100, 1), new(big.Rat).Quo(n[0], n[1]))
		},
		fact.Share: func(n []*big.Rat) *big.Rat {
			return new(big.Rat).Mul(big.NewRat(100, 1), new(big.Rat).Quo(n[0], total(n)))
		},
		fact.Mean: func(n []*big.Rat) *big.Rat { return new(big.Rat).Quo(total(n), big.NewRat(int64(len(n)), 1)) },
	}
	rapid.Check(t, func(rt *rapid.T) {
		op := rapid.SampledFrom([]fact.Op{fact.Sum, fact.Difference, fact.Ratio, fact.Percentage, fact.Share, fact.Mean}).Draw(rt, "op")
		texts := rapid.SliceOfN(decimals(), 2, 2).Draw(rt, "numbers")
		b := fact.NewBook("c")
		var numbers []*big.Rat
		for _, s := range texts {
			n, _ := new(big.Rat).SetString(s)
			numbers = append(numbers, n)
		}
		f, err := b.Derive(op, "v1", entered(t, b, strings.Join(texts, " PJ, ")+" PJ")...)
		if err != nil {
			return // a division by zero or a share of mixed signs: refused, tested above
		}
		want := ops[op](numbers)
		if got := string(f.Exact); got != want.RatString() {
			rt.Fatalf("%s%v: exact %s, want %s", op, texts, got, want.RatString())
		}
		withinHalfAUnit(rt, f.Value, want)
	})
}

func total(n []*big.Rat) *big.Rat {
	t := new(big.Rat)
	for _, x := range n {
		t.Add(t, x)
	}
	return t
}

// withinHalfAUnit checks value against exact: at most 12 significant digits, off
// by at most half a unit of the twelfth.
func withinHalfAUnit(t *rapid.T, value string, exact *big.Rat) {
	v, ok := new(big.Rat).SetString(value)
	if !ok {
		t.Fatalf("value %q", value)
	}
	digits := strings.TrimLeft(strings.ReplaceAll(strings.TrimPrefix(value, "-"), ".", ""), "0")
	if strings.Contains(value, ".") && len(digits) > fact.Digits || len(strings.TrimRight(digits, "0")) > fact.Digits {
		t.Fatalf("value %s has more than %d digits", value, fact.Digits)
	}
	if exact.Sign() == 0 {
		if v.Sign() != 0 {
			t.Fatalf("zero became %s", value)
		}
		return
	}
	unit := new(big.Rat).SetInt64(1) // one unit of the twelfth digit of exact
	abs := new(big.Rat).Abs(exact)
	top := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(fact.Digits), nil))
	low := new(big.Rat).Quo(top, big.NewRat(10, 1))
	for scaled := new(big.Rat).Set(abs); scaled.Cmp(top) >= 0; scaled.Quo(scaled, big.NewRat(10, 1)) {
		unit.Mul(unit, big.NewRat(10, 1))
	}
	for scaled := new(big.Rat).Set(abs); scaled.Cmp(low) < 0; scaled.Mul(scaled, big.NewRat(10, 1)) {
		unit.Quo(unit, big.NewRat(10, 1))
	}
	off := new(big.Rat).Sub(v, exact)
	if off.Abs(off).Cmp(unit.Quo(unit, big.NewRat(2, 1))) > 0 {
		t.Fatalf("value %s is more than half a unit from %s", value, exact.RatString())
	}
}

func TestGrowthRateCompoundsBackToTheEnd(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		from := rapid.StringMatching(`[1-9][0-9]{0,4}(\.[0-9]{1,3})?`).Draw(rt, "from")
		to := rapid.StringMatching(`[1-9][0-9]{0,4}(\.[0-9]{1,3})?`).Draw(rt, "to")
		years := rapid.IntRange(1, 60).Draw(rt, "years")
		b := fact.NewBook("c")
		start := add(t, b, reading(from, "PJ", "year", "2000"))
		end := add(t, b, reading(to, "PJ", "year", strconv.Itoa(2000+years)))
		f, err := b.Derive(fact.Growth, "v1", end.ID, start.ID)
		if err != nil {
			rt.Fatal(err)
		}
		rate, _ := new(big.Rat).SetString(f.Value)
		factor := new(big.Rat).Add(big.NewRat(1, 1), new(big.Rat).Quo(rate, big.NewRat(100, 1)))
		got, _ := new(big.Rat).SetString(from)
		for range years {
			got.Mul(got, factor)
		}
		want, _ := new(big.Rat).SetString(to)
		off, _ := new(big.Rat).Quo(new(big.Rat).Sub(got, want), want).Float64()
		// A unit of the rate's twelfth digit, seen from the factor, once for each year.
		f64, _ := factor.Float64()
		r64, _ := rate.Float64()
		if bound := float64(years) * 1e-13 * max(math.Abs(r64), 1) / f64; math.Abs(off) > bound {
			rt.Fatalf("%s at %s %% for %d years leads to %s, want %s", from, f.Value, years, got.FloatString(6), to)
		}
	})
}
