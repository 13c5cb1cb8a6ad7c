package score_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

func signals() *rapid.Generator[signal.Signal] {
	return rapid.Custom(func(t *rapid.T) signal.Signal {
		layers := rapid.SliceOfNDistinct(rapid.SampledFrom(signal.Layers()), 1, 3, rapid.ID).Draw(t, "layers")
		return heard(fmt.Sprintf("%016x", rapid.Uint64().Draw(t, "id")), rapid.Float64Range(0, 170).Draw(t, "hours"),
			rapid.IntRange(1, 5).Draw(t, "severity"),
			rapid.SampledFrom([]float64{1, 1.2, 1.5, 1.6}).Draw(t, "geo"), rapid.SampledFrom(signal.Polarities()).Draw(t, "polarity"),
			rapid.Bool().Draw(t, "police"), layers...)
	})
}

func profiles() *rapid.Generator[score.Profile] {
	return rapid.SampledFrom([]score.Profile{score.SeedV1(), score.V2(), counting(score.V2())})
}

func anyWindow(t *rapid.T) bucket.Window {
	return bucket.Window{AsOf: asOf.Add(-time.Duration(rapid.IntRange(0, 100_000).Draw(t, "back")) * time.Second),
		Span: rapid.SampledFrom(windows).Draw(t, "window")}
}

// TestAnEscalatorySignalNeverLowersALayer promises it for v2, with clusters and without: layers, composite and band.
func TestAnEscalatorySignalNeverLowersALayer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(signals(), 0, 20).Draw(t, "signals")
		more := signals().Draw(t, "more")
		more.Polarity = signal.Escalatory
		p := rapid.SampledFrom([]score.Profile{score.V2(), counting(score.V2())}).Draw(t, "profile")
		w := anyWindow(t)
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
		all := rapid.SliceOfN(signals(), 0, 20).Draw(t, "signals")
		r := score.Of(profiles().Draw(t, "profile"), score.Usual(), anyWindow(t), all)
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
		all := rapid.SliceOfN(signals(), 0, 30).Draw(t, "signals")
		d := score.NewDistrict()
		for _, s := range all {
			d.Add(s)
		}
		p, w := profiles().Draw(t, "profile"), anyWindow(t)
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
