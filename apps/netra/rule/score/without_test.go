package score_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// TestWithoutASignalIsAsIfItHadNotBeenHeard promises of each signal that a result names: taken off the sums it leaves the score that
// all the others give one by one.
func TestWithoutASignalIsAsIfItHadNotBeenHeard(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLot(t)
		all, w, p := l.signals(25), l.window(), profiles().Draw(t, "profile")
		in := score.Input{Window: w, Layers: map[signal.Layer]bucket.Totals{}}
		var rows []bucket.Row
		for _, s := range all {
			rows = append(rows, bucket.RowOf(s))
		}
		in.All = bucket.Naive(w, p.RecencyFloor, rows)
		for _, layer := range signal.Layers() {
			var of []bucket.Row
			for i, s := range all {
				if s.In(layer) {
					of = append(of, rows[i])
				}
			}
			in.Layers[layer] = bucket.Naive(w, p.RecencyFloor, of)
		}
		for _, c := range score.Score(p, score.Usual(), in).Top {
			got := score.Without(p, score.Usual(), in, c.ID)
			want := score.Of(p, score.Usual(), w, slices.DeleteFunc(slices.Clone(all), func(s signal.Signal) bool { return s.ID == c.ID }))
			if got.Status != want.Status || got.Signals != want.Signals || math.Abs(got.Score.Value-want.Score.Value) > 1e-9 {
				t.Fatalf("without %s: got %v %v of %d, want %v %v of %d", c.ID, got.Status, got.Score, got.Signals, want.Status, want.Score,
					want.Signals)
			}
			for _, layer := range signal.Layers() {
				if a, b := got.Layer(layer), want.Layer(layer); math.Abs(a.Score-b.Score) > 1e-9 || a.Signals != b.Signals {
					t.Fatalf("without %s: %s is %v, want %v", c.ID, layer, a.Score, b.Score)
				}
			}
		}
	})
}

// TestCoverageSaysWhenTooLittleIsHeard promises the median of the days before as what is usual, and a score called thin below half of
// it, or where nothing is usual.
func TestCoverageSaysWhenTooLittleIsHeard(t *testing.T) {
	for _, tt := range []struct {
		heard  int64
		before []int64
		share  float64
		thin   bool
	}{
		{5, []int64{10, 10, 12, 0}, 0.5, false}, {4, []int64{10, 10, 10}, 0.4, true}, {40, []int64{10, 9, 8}, 1, false}, {3, nil, 0, true},
		{3, []int64{0, 0, 5}, 0, true},
	} {
		if c := score.CoverageOf(tt.heard, tt.before); math.Abs(c.Share-tt.share) > 1e-12 || c.Thin() != tt.thin {
			t.Errorf("%d beside %v: got %+v, thin %v", tt.heard, tt.before, c, c.Thin())
		}
	}
}
