package likelihood

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// TestDrawsHaveTheirMoments promises draws of the right mean and spread, within six
// standard errors.
func TestDrawsHaveTheirMoments(t *testing.T) {
	const n = 20_000
	q := Question{}
	for _, tt := range []struct {
		name           string
		mean, variance float64
		draw           func(d draw) float64
	}{
		{"normal", 0, 1, draw.normal},
		{"uniform", 0.5, 1.0 / 12, draw.uniform},
		{"gamma of a half", 0.5, 0.5, func(d draw) float64 { return d.gamma(0.5) }},
		{"gamma of 3.5", 3.5, 3.5, func(d draw) float64 { return d.gamma(3.5) }},
		{"gamma of 400", 400, 400, func(d draw) float64 { return d.gamma(400) }},
		{"poisson of 0.3", 0.3, 0.3, func(d draw) float64 { return poisson(0.3, d.uniform()) }},
		{"poisson of 40", 40, 40, func(d draw) float64 { return poisson(40, d.uniform()) }},
		{"poisson of 5000", 5000, 5000, func(d draw) float64 { return poisson(5000, d.uniform()) }},
	} {
		d := q.draw(1, tt.name, "", "")
		var sum, squares float64
		for range n {
			x := tt.draw(d)
			sum, squares = sum+x, squares+x*x
		}
		mean := sum / n
		variance := squares/n - mean*mean
		if off := math.Abs(mean - tt.mean); off > 6*math.Sqrt(tt.variance/n) {
			t.Errorf("%s: mean %v, want %v", tt.name, mean, tt.mean)
		}
		if math.Abs(variance/tt.variance-1) > 0.15 {
			t.Errorf("%s: variance %v, want %v", tt.name, variance, tt.variance)
		}
	}
}

// TestPoissonNeverFallsWithItsMean promises what lets one state's allowance be raised
// without anything else moving.
func TestPoissonNeverFallsWithItsMean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		mean := math.Pow(10, rapid.Float64Range(-3, 5).Draw(t, "mean"))
		more := mean * rapid.Float64Range(1, 3).Draw(t, "more")
		u := rapid.Float64Range(1e-9, 1-1e-9).Draw(t, "u")
		if a, b := poisson(mean, u), poisson(more, u); b < a {
			t.Fatalf("mean %v: %v; mean %v: %v", mean, a, more, b)
		}
	})
}

// TestHeapsWeighAsTheirFiresDo promises that putting fires together that lie in one
// small square, and steps in one hour, changes what they weigh by less than a hundredth,
// or than some thousandths of what a fire on the way weighs.
func TestHeapsWeighAsTheirFiresDo(t *testing.T) {
	g, err := wind.New(wind.Shape{South: 20, West: 64, DLat: 8, DLon: 11, Rows: 3, Cols: 3,
		Start: time.Date(2027, 11, 1, 0, 0, 0, 0, time.UTC), Every: 6 * time.Hour, Times: 60})
	if err != nil {
		t.Fatal(err)
	}
	for k := range 60 {
		for i := range 9 {
			if err := g.Set(wind.M100, k, i/3, i%3, 3, -2); err != nil {
				t.Fatal(err)
			}
		}
	}
	noon := time.Date(2027, 11, 10, 6, 30, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		p, hours := Standard(), []plume.Hour{{Time: noon, PM25: 1}, {Time: noon.Add(time.Hour), PM25: 3}}
		q := Question{At: plume.Point{Lat: 28.8, Lon: 77.15}, Hours: hours, Zone: time.UTC, Looked: true}
		want := 0.0
		for range rapid.IntRange(1, 30).Draw(t, "fires") {
			at := plume.Point{Lat: rapid.Float64Range(28.5, 31).Draw(t, "lat"), Lon: rapid.Float64Range(74, 77.5).Draw(t, "lon")}
			f := plume.Fire{At: at, Time: noon.Add(-time.Duration(rapid.IntRange(0, 40).Draw(t, "hours")) * time.Hour), FRP: 5}
			q.Fires = append(q.Fires, Fire{Fire: f, State: "A"})
			for _, h := range hours {
				field, _ := g.Field(wind.M100)
				want += h.PM25 / 4 * p.Air.Weigh(p.Air.Back(field, nil, q.At, h.Time), f, 2)
			}
		}
		s := p.newScene(&q, g)
		got := s.sum(s.heaps, s.follow(s.field, s.mixing, q.At, q.Hours))
		if math.Abs(got-want) > 0.01*want+1e-5 {
			t.Fatalf("%v in heaps, %v one by one", got, want)
		}
	})
}

// TestAFireThatWasWatchedIsNotUnseenToo promises that each takes the place of one that
// nobody saw, that one out of the way takes none, and that there are never fewer than none.
func TestAFireThatWasWatchedIsNotUnseenToo(t *testing.T) {
	three := weight{sum: 6, squares: 12} // of 2 each
	for _, tt := range []struct {
		n, each float64
		apart   weight
		want    float64
	}{
		{7, 2, weight{}, 7}, {7, 2, three, 4}, {7, 0.1, three, 4}, {7, 4, three, 5.5}, {2, 2, three, 0}, {7, 0, three, 7},
	} {
		if got := left(tt.n, tt.each, tt.apart); got != tt.want {
			t.Errorf("%g of %g each beside %+v: got %g, want %g", tt.n, tt.each, tt.apart, got, tt.want)
		}
	}
}
