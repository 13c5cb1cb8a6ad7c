package plume_test

import (
	"math"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// regional is four days of wind every hour at a quarter of a degree over northern
// India, as a real grid has it.
func regional(b *testing.B) *wind.Grid {
	b.Helper()
	g, err := wind.New(wind.Shape{South: 20, West: 66, DLat: 0.25, DLon: 0.25, Rows: 65, Cols: 81,
		Start: noon.AddDate(0, 0, -4), Every: time.Hour, Times: 97})
	if err != nil {
		b.Fatal(err)
	}
	s := g.Shape()
	for at := range s.Times {
		for r := range s.Rows {
			for c := range s.Cols {
				wave := math.Sin(float64(at)/12 + float64(r)/20 + float64(c)/30)
				for i, l := range wind.Levels() {
					u, v := wind.FromDirection(2.5+float64(i)+wave, 305+20*wave+6*float64(i))
					if err := g.Set(l, at, r, c, u, v); err != nil {
						b.Fatal(err)
					}
				}
				if err := g.SetMixing(at, r, c, 60+1200*math.Abs(math.Sin(float64(at)/24*math.Pi))); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	return g
}

// worldDay is the detections of a world day: one in ten in the fields upwind of
// Delhi, within the three days the air is followed, the rest all over the land.
func worldDay(n int) []plume.Fire {
	out := crowd(1, n/10)
	r := rand.New(rand.NewPCG(2, 9))
	for len(out) < n {
		at := plume.Point{Lat: -55 + 125*r.Float64(), Lon: -180 + 360*r.Float64()}
		out = append(out, plume.Fire{At: at, FRP: 1 + 20*r.ExpFloat64(), Time: noon.Add(-time.Duration(r.IntN(72*60)) * time.Minute)})
	}
	return out
}

// inRegion is byMeridian for northern India; elsewhere no state is known.
func inRegion(p plume.Point) plume.Place {
	if p.Lat < 20 || p.Lat > 36 || p.Lon < 66 || p.Lon > 86 {
		return plume.Place{}
	}
	return byMeridian(p)
}

// stationHours is a surge of a day.
func stationHours() (hours []plume.Hour) {
	for h := range 24 {
		hours = append(hours, plume.Hour{Time: noon.Add(time.Duration(h-23) * time.Hour), PM25: 200 + float64(h)})
	}
	return hours
}

// order makes the index as the application does, for where the wind is known.
func order(b *testing.B, g *wind.Grid, fires []plume.Fire) *plume.Index {
	b.Helper()
	x, err := plume.NewIndex(plume.Standard(), fires, plume.Reach(g.Shape()), inRegion)
	if err != nil {
		b.Fatal(err)
	}
	return x
}

// BenchmarkIndex puts a world day of fires in order.
func BenchmarkIndex(b *testing.B) {
	g, fires := regional(b), worldDay(200_000)
	b.ReportAllocs()
	for b.Loop() {
		order(b, g, fires)
	}
}

// BenchmarkStation does the whole ensemble for one station on one core.
func BenchmarkStation(b *testing.B) {
	g := regional(b)
	x := order(b, g, worldDay(200_000))
	b.ReportAllocs()
	for b.Loop() {
		ask(b, x, whole(stationHours()...), g)
	}
}

// BenchmarkWorldDay does the whole ensemble for sixty stations on two cores, as the
// application does it. The goal is 60 seconds and 512 MB.
func BenchmarkWorldDay(b *testing.B) {
	g, fires := regional(b), worldDay(200_000)
	b.ReportAllocs()
	for b.Loop() {
		x := order(b, g, fires)
		var wait sync.WaitGroup
		for core := range 2 {
			wait.Go(func() {
				for s := core; s < 60; s += 2 {
					q := whole(stationHours()...)
					q.At = plume.Point{Lat: 28.3 + float64(s/8)*0.1, Lon: 76.8 + float64(s%8)*0.1}
					if _, err := x.Attribute(q, g); err != nil {
						b.Error(err)
					}
				}
			})
		}
		wait.Wait()
	}
}
