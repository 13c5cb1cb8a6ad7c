package main

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/near"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// A world is made up: the fires of three days, of which the air is followed back,
// over all land; stations all over a country; and four days of wind every hour at a
// quarter of a degree around those that surge.
type world struct {
	fires    []plume.Fire
	stations []fire.Point
	surging  []plume.Point
	wind     *wind.Grid
}

func noon() time.Time { return time.Date(2025, 11, 13, 12, 0, 0, 0, time.UTC) }

func newWorld(o options) (*world, error) {
	r := rand.New(rand.NewPCG(9, 9)) //nolint:gosec // a made-up world, the same every time
	w := &world{}
	for i := range o.fires {
		at := plume.Point{Lat: -55 + 125*r.Float64(), Lon: -180 + 360*r.Float64()}
		if i%10 == 0 { // the fields: three clusters north-west of the city
			middle := []plume.Point{{Lat: 29.6, Lon: 76.2}, {Lat: 30.4, Lon: 75.4}, {Lat: 31.2, Lon: 74.8}}[i/10%3]
			at = plume.Point{Lat: middle.Lat + 0.5*r.NormFloat64(), Lon: middle.Lon + 0.6*r.NormFloat64()}
		}
		w.fires = append(w.fires, plume.Fire{At: at, FRP: 1 + 20*r.ExpFloat64(), Time: noon().
			Add(-time.Duration(r.IntN(72*60)) * time.Minute), Night: r.IntN(10) == 0})
	}
	for i := range o.stations {
		at := fire.Point{Lat: 9 + 24*r.Float64(), Lon: 70 + 20*r.Float64()}
		if i%8 == 0 { // the capital and the towns around it
			at = fire.Point{Lat: 28.6 + 0.5*r.NormFloat64(), Lon: 77.1 + 0.5*r.NormFloat64()}
		}
		w.stations = append(w.stations, at)
	}
	for i := range o.surging {
		w.surging = append(w.surging, plume.Point{Lat: 28.3 + float64(i/8)*0.1, Lon: 76.8 + float64(i%8)*0.1})
	}
	var err error
	w.wind, err = breeze()
	return w, err
}

// breeze is a wind from the north-west that wavers and grows with height.
func breeze() (*wind.Grid, error) {
	g, err := wind.New(wind.Shape{South: 20, West: 66, DLat: 0.25, DLon: 0.25, Rows: 65, Cols: 81,
		Start: noon().AddDate(0, 0, -4), Every: time.Hour, Times: 97})
	if err != nil {
		return nil, err
	}
	s := g.Shape()
	for i := range s.Times * s.Rows * s.Cols {
		at, row, col := i/(s.Rows*s.Cols), i/s.Cols%s.Rows, i%s.Cols
		wave := math.Sin(float64(at)/12 + float64(row)/20 + float64(col)/30)
		for n, l := range wind.Levels() {
			u, v := wind.FromDirection(2.5+float64(n)+wave, 305+20*wave+6*float64(n))
			if err := g.Set(l, at, row, col, u, v); err != nil {
				return nil, err
			}
		}
		if err := g.SetMixing(at, row, col, 60+1200*math.Abs(math.Sin(float64(at)/24*math.Pi))); err != nil {
			return nil, err
		}
	}
	return g, nil
}

// states are squares of two degrees: where a fire lies costs next to nothing to say.
func states(p plume.Point) plume.Place {
	if p.Lat < 20 || p.Lat > 36 || p.Lon < 66 || p.Lon > 86 {
		return plume.Place{}
	}
	return plume.Place{State: string(rune('A'+int(p.Lat-20)/2)) + string(rune('A'+int(p.Lon-66)/2))}
}

// ensemble does what the application does for the stations that surge: one index,
// and an attribution of the 24 hours of each.
func (w *world) ensemble(o options) (took time.Duration, conclusive int, err error) {
	began := time.Now()
	x, err := plume.NewIndex(plume.Standard(), w.fires, plume.Reach(w.wind.Shape()), states)
	if err != nil {
		return 0, 0, err
	}
	var next, sure atomic.Int64
	errs := make([]error, o.cores)
	var wait sync.WaitGroup
	for core := range o.cores {
		wait.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(w.surging) && errs[core] == nil; i = int(next.Add(1)) - 1 {
				var a plume.Attribution
				if a, errs[core] = x.Attribute(question(w.surging[i]), w.wind); a.Verdict == plume.Conclusive {
					sure.Add(1)
				}
			}
		})
	}
	wait.Wait()
	for _, e := range errs {
		if e != nil {
			return 0, 0, e
		}
	}
	return time.Since(began), int(sure.Load()), nil
}

// question is a surge of a day.
func question(at plume.Point) plume.Question {
	q := plume.Question{At: at, Control: plume.Control{Known: true, Difference: 20}, Seen: plume.Span{From: noon().AddDate(0, 0, -4),
		To: noon()}}
	for h := range 24 {
		q.Hours = append(q.Hours, plume.Hour{Time: noon().Add(time.Duration(h-23) * time.Hour), PM25: 200 + float64(h)})
	}
	return q
}

// A search is our side of the contest.
type search struct{ index *near.Index }

func newSearch(w *world) (search, error) {
	points := make([]fire.Point, len(w.fires))
	for i, f := range w.fires {
		points[i] = fire.Point{Lat: f.At.Lat, Lon: f.At.Lon}
	}
	x, err := near.New(points)
	return search{x}, err
}

// pairs counts the fires around every station.
func (s search) pairs(w *world) (took time.Duration, n int) {
	began := time.Now()
	for _, at := range w.stations {
		s.index.Within(at, radiusKm, func(int, float64) { n++ })
	}
	return time.Since(began), n
}
