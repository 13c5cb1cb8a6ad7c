package bucket_test

import (
	"bytes"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
)

// TestLooseSignalsAreReadAsTheyWere promises the signals of each hour as they were, in one order whatever order they came in, without those
// of hours that are left out.
func TestLooseSignalsAreReadAsTheyWere(t *testing.T) {
	day := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) bucket.Loose {
			since := rapid.Int64Range(0, int64(24*time.Hour/time.Microsecond)-1).Draw(t, "since")
			return bucket.Loose{Row: bucket.Row{At: day.Add(time.Duration(since) * time.Microsecond),
				Weight: rapid.Float64Range(0.2, 1.6).Draw(t, "weight"), Severity: rapid.IntRange(1, 5).Draw(t, "severity"),
				Class: bucket.Class(rapid.IntRange(0, bucket.Classes-1).Draw(t, "class"))},
				Layers: byte(rapid.IntRange(1, 7).Draw(t, "layers"))}
		}), 0, 60).Draw(t, "signals")
		out := rapid.IntRange(0, 23).Draw(t, "hour left out")
		write := func(all []bucket.Loose) (b []byte) {
			for _, l := range all {
				b = bucket.AppendLoose(b, day, l)
			}
			return bucket.KeepLoose(b, func(hour int) bool { return hour == out })
		}
		kept := write(all)
		slices.Reverse(all)
		if !bytes.Equal(write(all), kept) || !bytes.Equal(bucket.KeepLoose(kept, func(int) bool { return false }), kept) {
			t.Fatal("the order in which they came makes a difference")
		}
		for hour := range 24 {
			want := map[bucket.Loose]int{}
			for _, l := range all {
				if l.At.Hour() == hour && hour != out {
					want[l]++
				}
			}
			some := bucket.LooseOf(kept, hour)
			n := bucket.LooseCount(some)
			if err := bucket.EachLoose(some, day, func(l bucket.Loose) { want[l]-- }); err != nil {
				t.Fatal(err)
			}
			for l, left := range want {
				n -= int64(left)
				if left != 0 {
					t.Fatalf("hour %d: %+v is there %d times too few", hour, l, left)
				}
			}
			if hour == out && n != 0 {
				t.Fatalf("hour %d: %d are there, want none", hour, n)
			}
		}
	})
	for _, damaged := range [][]byte{make([]byte, 14), bytes.Repeat([]byte{7}, 15)} {
		if bucket.EachLoose(damaged, day, func(bucket.Loose) {}) == nil {
			t.Errorf("% x is read", damaged)
		}
	}
}
