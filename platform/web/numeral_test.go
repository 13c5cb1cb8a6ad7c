package web_test

import (
	"testing"

	"github.com/gavelhq/gavel/platform/web"
)

func TestCountsAreGroupedAsPeopleHereWriteThem(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 999: "999", 1_000: "1,000", 12_345: "12,345", 123_456: "1,23,456", 1_234_567: "12,34,567",
		123_456_789: "12,34,56,789", -5_000: "-5000"} {
		if got := web.Numeral(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
