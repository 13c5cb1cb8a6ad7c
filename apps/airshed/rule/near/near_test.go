package near_test

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/near"
)

func point(lat, lon *rapid.Generator[float64]) *rapid.Generator[fire.Point] {
	return rapid.Custom(func(t *rapid.T) fire.Point { return fire.Point{Lat: lat.Draw(t, "lat"), Lon: lon.Draw(t, "lon")} })
}

// Poles, the 180th meridian and circles that hold half the earth are drawn too: the
// index must find exactly what a look at every place finds.
func TestWhatIsFoundIsWhatIsNear(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lat := rapid.OneOf(rapid.Float64Range(-90, 90), rapid.Float64Range(27, 30), rapid.SampledFrom([]float64{-90, 90, 89.9, 0}))
		lon := rapid.OneOf(rapid.Float64Range(-180, 180), rapid.Float64Range(76, 79),
			rapid.SampledFrom([]float64{-180, 180, 179.9, -179.9}))
		points := rapid.SliceOfN(point(lat, lon), 0, 60).Draw(t, "points")
		around := point(lat, lon).Draw(t, "around")
		km := rapid.OneOf(rapid.Float64Range(0, 400), rapid.Float64Range(0, 21_000)).Draw(t, "km")
		x, err := near.New(points)
		if err != nil {
			t.Fatal(err)
		}
		found := map[int]bool{}
		x.Within(around, km, func(id int, far float64) {
			if found[id] {
				t.Fatalf("place %d is visited twice", id)
			}
			found[id] = true
			if want := fire.Distance(around, points[id]); math.Abs(far-want) > 1e-3 {
				t.Fatalf("place %d is %v km off, want %v", id, far, want)
			}
		})
		for i, p := range points {
			far := fire.Distance(around, p)
			if math.Abs(far-km) < 1e-3 { // on the rim
				continue
			}
			if got, want := found[i], far < km; got != want {
				t.Fatalf("place %d at %v is found: %v; it is %v km from %v and the circle has %v", i, p, got, far, around, km)
			}
		}
	})
}

func TestOrderDoesNotMatter(t *testing.T) {
	points := []fire.Point{{Lat: 28.8, Lon: 77.1}, {Lat: 29.3, Lon: 76.3}, {Lat: 31.6, Lon: 74.9}, {Lat: 29.3, Lon: 76.3}}
	count := func(ps []fire.Point) (n int) {
		x, err := near.New(ps)
		if err != nil {
			t.Fatal(err)
		}
		x.Within(points[0], 200, func(int, float64) { n++ })
		return n
	}
	turned := slices.Clone(points)
	slices.Reverse(turned)
	if got, want := count(points), 3; got != want { // by hand: 0, 95 and 95 km are within, 380 is not
		t.Errorf("%d places are near, want %d", got, want)
	}
	if got, want := count(turned), 3; got != want {
		t.Errorf("%d places are near the other way round, want %d", got, want)
	}
}

func TestWhatIsNotOnTheGlobeIsRefused(t *testing.T) {
	for _, p := range []fire.Point{{Lat: 91}, {Lon: 181}, {Lat: math.NaN()}} {
		if _, err := near.New([]fire.Point{p}); err == nil {
			t.Errorf("%v is taken for a place", p)
		}
	}
	x, err := near.New([]fire.Point{{Lat: 28.8, Lon: 77.1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, km := range []float64{-1, math.NaN()} {
		x.Within(fire.Point{Lat: 28.8, Lon: 77.1}, km, func(int, float64) { t.Errorf("a circle of %v km holds something", km) })
	}
}
