package bucket_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
)

// TestWhatIsPackedIsReadBack promises that a strip of buckets comes back from its bytes as it was: sums, and the heaviest in their order.
func TestWhatIsPackedIsReadBack(t *testing.T) {
	start := time.Date(2026, 2, 3, 0, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		lot := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 25))
		s := bucket.NewStrip(start, bucket.Hour, 24)
		for i := range lot.IntN(200) {
			severity := 1 + lot.IntN(5)
			s.Add(bucket.Row{ID: fmt.Sprintf("%08d", i), At: start.Add(time.Duration(lot.Int64N(int64(24*time.Hour))) / 1000 * 1000),
				Weight: float64(severity) / 5 * 1.3, Severity: severity, Class: bucket.Class(lot.IntN(bucket.Classes))})
		}
		sums, tops := s.Pack()
		back := bucket.NewStrip(start, bucket.Hour, 24)
		if err := back.Unpack(sums, tops); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(s, back) {
			t.Fatalf("got %+v, want %+v", back, s)
		}
		for _, cut := range [][2][]byte{{append(sums, 99), tops}, {sums, append(tops, 99)}} {
			if bucket.NewStrip(start, bucket.Hour, 24).Unpack(cut[0], cut[1]) == nil {
				t.Fatal("what is behind the last bucket was taken")
			}
		}
	})
}
