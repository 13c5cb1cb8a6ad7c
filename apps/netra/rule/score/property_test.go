package score_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// A lot draws evenly: what rapid draws crowds at the ends of a range. Its seed is rapid's.
type lot struct{ *rand.Rand }

func newLot(t *rapid.T) lot { return lot{rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 25))} }

// signals are at most so many, of the last eight days and more often of the last.
func (l lot) signals(most int) []signal.Signal {
	out := make([]signal.Signal, l.IntN(most+1))
	for i := range out {
		hours := 192 * l.Float64()
		if l.IntN(2) == 0 {
			hours /= 8
		}
		out[i] = heard(fmt.Sprintf("e%04d", i), hours, 1+l.IntN(5), []float64{1, 1.2, 1.5, 1.6}[l.IntN(4)],
			signal.Polarities()[l.IntN(3)], l.IntN(4) == 0,
			signal.Layers()[l.IntN(3)])
		if other := signal.Layers()[l.IntN(3)]; l.IntN(3) == 0 && !out[i].In(other) {
			out[i].Layers = append(out[i].Layers, other)
		}
	}
	return out
}

func (l lot) window() bucket.Window {
	return bucket.Window{AsOf: asOf.Add(-time.Duration(l.Int64N(int64(20 * time.Hour)))), Span: windows[l.IntN(len(windows))]}
}

func profiles() *rapid.Generator[score.Profile] {
	return rapid.SampledFrom([]score.Profile{score.SeedV1(), score.V2(), counting(score.V2())})
}

// TestAnEscalatorySignalNeverLowersALayer promises it for v2, with clusters and without: layers, composite and band.
func TestAnEscalatorySignalNeverLowersALayer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLot(t)
		all := l.signals(20)
		more := heard("more", 100*l.Float64(), 1+l.IntN(5), 1.3, signal.Escalatory, l.IntN(4) == 0, signal.Layers()[l.IntN(3)])
		p := rapid.SampledFrom([]score.Profile{score.V2(), counting(score.V2())}).Draw(t, "profile")
		w := l.window()
		before, after := score.Of(p, score.Usual(), w, all), score.Of(p, score.Usual(), w, append(all, more))
		for _, l := range signal.Layers() {
			if after.Layer(l).Score < before.Layer(l).Score-1e-12 {
				t.Fatalf("%s fell from %v to %v", l, before.Layer(l), after.Layer(l))
			}
		}
		if before.Score.Known && after.Score.Value < before.Score.Value-1e-9 || after.Band < before.Band {
			t.Fatalf("fell from %v, %v to %v, %v", before.Score, before.Band, after.Score, after.Band)
		}
	})
}

// TestContributionsSumToEachLayer promises that no point of a layer is unaccounted for, neither as it is nor as it is printed,
// and that relief is divided among what stabilises.
func TestContributionsSumToEachLayer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lot := newLot(t)
		r := score.Of(profiles().Draw(t, "profile"), score.Usual(), lot.window(), lot.signals(20))
		for _, l := range r.Layers {
			points, relief, hundredths := l.Others.Points, l.Others.Relief, l.Others.Printed
			for _, c := range l.Contributions {
				points, relief, hundredths = points+c.Points, relief+c.Relief, hundredths+c.Printed
				if c.Weight > 0 && c.Points < 0 || c.Weight < 0 && c.Points > 0 || c.Relief > 0 {
					t.Fatalf("%+v has the wrong sign", c)
				}
			}
			if math.Abs(points-l.Score) > 1e-9 || hundredths != l.Printed || hundredths != score.Printed(math.Round(l.Score*100)) {
				t.Fatalf("%s: got %v points, %d hundredths, want %v", l.Layer, points, hundredths, l.Score)
			}
			if l.Others.Signals == 0 && l.Others != (score.Others{}) {
				t.Fatalf("%s: nobody is left for %+v", l.Layer, l.Others)
			}
			if relief != 0 && math.Abs(relief+l.Relief) > 1e-9 || l.Score < 0 || l.Score > score.Full {
				t.Fatalf("%s: got a relief of %v, want %v; %+v", l.Layer, relief, -l.Relief, l)
			}
		}
	})
}

// TestBucketedLayersEqualTheNaiveSum promises that a district in buckets scores as its signals one by one: layers to 1e-9 of
// what was added up, for any signals, windows and times.
func TestBucketedLayersEqualTheNaiveSum(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lot := newLot(t)
		all := lot.signals(40)
		d := score.NewDistrict()
		for _, s := range all {
			d.Add(s)
		}
		p, w := profiles().Draw(t, "profile"), lot.window()
		got, want := d.At(p, score.Usual(), w), score.Of(p, score.Usual(), w, all)
		for i, l := range want.Layers {
			if math.Abs(got.Layers[i].Score-l.Score) > 1e-9*max(l.Escalation, l.Score) || got.Layers[i].Signals != l.Signals {
				t.Fatalf("%s: got %+v, want %+v", l.Layer, got.Layers[i], l)
			}
		}
		if got.Status != want.Status || got.Trend != want.Trend || got.Movement != want.Movement ||
			got.Signals != want.Signals || got.Primary != want.Primary {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	})
}
