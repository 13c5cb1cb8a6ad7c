package fact

import (
	"math/big"
	"testing"

	"pgregory.net/rapid"
)

// TestTheShortWayReadsWhatTheLongWayReads promises one answer, whichever way a fraction is read, and none for what is not in
// lowest terms.
func TestTheShortWayReadsWhatTheLongWayReads(t *testing.T) {
	for s, want := range map[string]bool{"0": true, "-0": false, "-3": true, "007": false, "1/2": true, "-1/2": true, "2/4": false,
		"3/1": false, "0/2": false, "1/0": false, "1/-2": false, "+1": false, "": false, "/": false, "1/": false, "1/02": false,
		"--1": false, "1.5": false,
		"999999999999999999/999999999999999998": true, "1000000000000000000": false} {
		r, ok := shortRational(s)
		if ok != want || ok && r.RatString() != s {
			t.Errorf("%q: got %v, %v", s, r, ok)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		r := big.NewRat(rapid.Int64Range(-1e17, 1e17).Draw(t, "n"), rapid.Int64Range(1, 1e17).Draw(t, "d"))
		got, ok := shortRational(r.RatString())
		if !ok || got.Cmp(r) != 0 {
			t.Fatalf("%s: got %v, %v", r.RatString(), got, ok)
		}
	})
}

// TestAValueIsWrittenAlikeWhetherItIsRoundedOrNot promises that a number which ends early is written as rounding would write it.
func TestAValueIsWrittenAlikeWhetherItIsRoundedOrNot(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.Int64Range(-1e15, 1e15).Draw(t, "n")
		r := new(big.Rat).SetFrac(big.NewInt(n), pow10(rapid.IntRange(0, 20).Draw(t, "places")))
		if got, want := valueOf(r), decimal(RoundTo(r, Digits)); got != want {
			t.Fatalf("%s: got %s, want %s", r.RatString(), got, want)
		}
	})
}
