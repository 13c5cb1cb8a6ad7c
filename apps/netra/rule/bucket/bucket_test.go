package bucket_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

var epoch = time.Date(2026, 11, 18, 0, 0, 0, 0, time.UTC)

// windows are the windows of the product.
var windows = []time.Duration{24 * time.Hour, 72 * time.Hour, 7 * 24 * time.Hour}

// A lot draws evenly: what rapid draws crowds at the ends of a range, and the middle of a window would stay empty. Its seed
// is rapid's.
type lot struct{ *rand.Rand }

func newLot(t *rapid.T) lot { return lot{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 25))} }

// row is a signal of the last nine days, every third of them where a bucket begins.
func (l lot) row(i int) bucket.Row {
	at := epoch.Add(time.Hour - time.Duration(l.Int64N(int64(9*24*time.Hour))))
	if l.IntN(3) == 0 {
		at = at.Truncate([]time.Duration{time.Minute, time.Hour, 24 * time.Hour}[l.IntN(3)])
	}
	severity := 1 + l.IntN(5)
	geo := []float64{1, 1.2, 1.3, 1.4, 1.5, 1.6}[l.IntN(6)]
	return bucket.Row{ID: fmt.Sprintf("e%04d", i), At: at, Severity: severity, Weight: float64(severity) / 5 * geo,
		Class: bucket.Class(l.IntN(bucket.Classes))}
}

// draw is a book and its rows, and a window whose edge lies on a signal every other time.
func draw(t *rapid.T) (*bucket.Book, []bucket.Row, bucket.Window, bucket.Floor) {
	l := newLot(t)
	book := bucket.NewBook()
	all := make([]bucket.Row, l.IntN(150))
	for i := range all {
		all[i] = l.row(i)
		book.Add(all[i])
	}
	span := windows[l.IntN(len(windows))]
	asOf := epoch.Add(time.Hour - time.Duration(l.Int64N(int64(40*time.Hour))))
	if len(all) > 0 && l.IntN(2) == 0 {
		asOf = all[0].At.Add([]time.Duration{0, span, bucket.Floor(0.1).Age()}[l.IntN(3)])
	}
	return book, all, bucket.Window{AsOf: asOf, Span: span}, []bucket.Floor{0, 0.1}[l.IntN(2)]
}

// TestBucketsComeToTheNaiveSum promises that every window at every time is what adding up each signal gives, with and
// without a floor: weights to 1e-9, counts and severities exactly, and the same heaviest signals.
func TestBucketsComeToTheNaiveSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		book, all, w, floor := draw(t)
		same(t, book.Totals(w, floor), bucket.Naive(w, floor, all))
	})
}

func same(t *rapid.T, got, want bucket.Totals) {
	if got.Count != want.Count || got.Severity != want.Severity {
		t.Fatalf("got counts %v and severities %v, want %v and %v", got.Count, got.Severity, want.Count, want.Severity)
	}
	for c := range bucket.Classes {
		if math.Abs(got.Weight[c]-want.Weight[c]) > 1e-9*want.Weight[c] {
			t.Fatalf("class %d: got %.15g, want %.15g", c, got.Weight[c], want.Weight[c])
		}
		if len(got.Top[c]) != len(want.Top[c]) {
			t.Fatalf("class %d: got %v, want %v", c, got.Top[c], want.Top[c])
		}
		for i, x := range got.Top[c] {
			y := want.Top[c][i]
			if math.Abs(x.Now-y.Now) > 1e-9*y.Now { // of two that weigh alike either may stand first
				t.Fatalf("class %d: got %v, want %v", c, got.Top[c], want.Top[c])
			}
		}
	}
}

// TestWhatIsTakenAwayLeavesNothing promises that a correction gives the sums as if the signal had never come, in any order.
func TestWhatIsTakenAwayLeavesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		book, all, w, floor := draw(t)
		again := bucket.NewBook()
		for i := len(all) - 1; i >= 0; i-- {
			if i%2 == 0 {
				again.Add(all[i])
			} else if !book.Remove(all[i]) {
				t.Fatalf("%v is not there", all[i])
			}
		}
		got, want := book.Totals(w, floor), again.Totals(w, floor)
		if got.Weight != want.Weight || got.Count != want.Count || got.Severity != want.Severity {
			t.Fatalf("got %+v, want %+v", got, want)
		}
		same(t, got, want)
	})
}

// TestWhereTheFloorHoldsThePlainWeightCounts promises that of signals which no longer fade the heaviest is named, even if a day's
// later ones were heavier once.
func TestWhereTheFloorHoldsThePlainWeightCounts(t *testing.T) {
	book := bucket.NewBook()
	early := epoch.Add(-6*24*time.Hour + time.Minute)
	book.Add(bucket.Row{ID: "early", At: early, Weight: 0.4, Severity: 2})
	for i := range bucket.Kept {
		book.Add(bucket.Row{ID: fmt.Sprint("late", i), At: early.Add(23 * time.Hour), Weight: 0.3, Severity: 1})
	}
	w := bucket.Window{AsOf: epoch.Add(time.Hour), Span: windows[2]}
	if got := book.Totals(w, 0.1).Top[0]; got[0].ID != "early" || math.Abs(got[0].Now-0.04) > 1e-12 {
		t.Errorf("with a floor: got %+v, want the early one first", got)
	}
	if got := book.Totals(w, 0).Top[0]; got[0].ID != "late0" {
		t.Errorf("without: got %+v, want a late one first", got)
	}
}

// TestAPlanCoversTheWindowOnce promises pieces without a gap or an overlap, whole buckets, and rows in few minutes.
func TestAPlanCoversTheWindowOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		_, _, w, floor := draw(t)
		plan := bucket.Plan(w, floor)
		at := w.AsOf.Add(-w.Span + 1)
		buckets, raw := 0, time.Duration(0)
		for _, p := range plan {
			if !p.From.Equal(at) || !p.From.Before(p.To) {
				t.Fatalf("%v of %v does not follow %v", p, plan, at)
			}
			at = p.To
			if p.Grain == bucket.Rows {
				raw += p.To.Sub(p.From)
				continue
			}
			if !p.Grain.Start(p.From).Equal(p.From) || !p.Grain.Start(p.To).Equal(p.To) {
				t.Fatalf("%v cuts a bucket", p)
			}
			buckets += int(p.To.Sub(p.From) / time.Duration(p.Grain))
		}
		if !at.Equal(w.AsOf.Add(1)) || buckets > 7+92+236 || raw > 4*time.Minute {
			t.Fatalf("ends at %v with %d buckets and %v of rows: %v", at, buckets, raw, plan)
		}
	})
}

func TestTheFloorBeginsAfter110Hours(t *testing.T) {
	if got := bucket.Floor(0.1).Age().Hours(); math.Abs(got-110.524) > 0.001 {
		t.Errorf("got %.4f h, want 110.524", got)
	}
	if got := bucket.Floor(0.1).Recency(160 * time.Hour); got != 0.1 {
		t.Errorf("got %v, want 0.1", got)
	}
	if got := bucket.Floor(0).Recency(24 * time.Hour); math.Abs(got-0.606530659713) > 1e-12 {
		t.Errorf("got %v, want e^-0.5", got)
	}
}

func TestAClassSaysTheWayAndWhose(t *testing.T) {
	for _, p := range signal.Polarities() {
		for _, police := range []bool{false, true} {
			if c := bucket.ClassOf(p, police); c.Polarity() != p || c.Enforcement() != police || c >= bucket.Classes {
				t.Errorf("%s, %t: got class %d, %s, %t", p, police, c, c.Polarity(), c.Enforcement())
			}
		}
	}
}

// BenchmarkTotals is what a window of seven days costs with many and with very many signals in it: the same, once every
// bucket has something in it.
func BenchmarkTotals(b *testing.B) {
	for _, n := range []int{100_000, 1_000_000} {
		book := bucket.NewBook()
		for i := range n {
			at := epoch.Add(time.Duration(i-n) * (8 * 24 * time.Hour / time.Duration(n)))
			book.Add(bucket.Row{ID: fmt.Sprint(i), At: at, Weight: 0.4, Severity: 2, Class: bucket.Class(i % bucket.Classes)})
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				book.Totals(bucket.Window{AsOf: epoch.Add(-time.Hour - 17*time.Second), Span: windows[2]}, 0.1)
			}
		})
	}
}
