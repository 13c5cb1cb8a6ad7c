package likelihood_test

import (
	"crypto/sha256"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// station is where the surges of these tests are: made-up air over a made-up map, on
// the plain around it.
var (
	station = plume.Point{Lat: 28.8, Lon: 77.15}
	noon    = time.Date(2027, 11, 10, 6, 30, 0, 0, time.UTC) // in India
	india   = time.FixedZone("IST", 19800)
)

// state is a made-up map: bands of two degrees of longitude, A to F from the west.
func state(p plume.Point) string {
	band := int(math.Floor((p.Lon - 70) / 2))
	if band < 0 || band > 5 {
		return ""
	}
	return string(rune('A' + band))
}

func land() (out []likelihood.Land) {
	for band := range 6 {
		one := likelihood.Land{State: string(rune('A' + band))}
		for lat := 26.0; lat <= 32; lat += 0.5 {
			for lon := 70.25 + 2*float64(band); lon < 72+2*float64(band); lon += 0.5 {
				one.Points = append(one.Points, plume.Point{Lat: lat, Lon: lon})
			}
		}
		out = append(out, one)
	}
	return out
}

// air is wind of one speed from one direction for twelve days, under a mixed layer
// that is deep by day and shallow by night.
func air(t testing.TB, speed, degrees float64) *wind.Grid {
	t.Helper()
	g, err := wind.New(wind.Shape{South: 20, West: 64, DLat: 2, DLon: 2, Rows: 9, Cols: 12,
		Start: noon.Add(-12 * 24 * time.Hour).Truncate(time.Hour), Every: time.Hour, Times: 14 * 24})
	if err != nil {
		t.Fatal(err)
	}
	u, v := wind.FromDirection(speed, degrees)
	for k := range 14 * 24 {
		depth := 900 + 700*math.Sin(2*math.Pi*float64(k%24)/24)
		for r := range 9 {
			for c := range 12 {
				for _, l := range []wind.Level{wind.M100, wind.P925} {
					if err := g.Set(l, k, r, c, u, v); err != nil {
						t.Fatal(err)
					}
				}
				if err := g.SetMixing(k, r, c, depth); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return g
}

// passes are of two satellites a day, by day and by night, all of them delivered and
// clear.
func passes(days int) (out []likelihood.Pass) {
	clear := map[string]float64{"A": 0.1, "B": 0.1, "C": 0.1, "D": 0.1, "E": 0.1, "F": 0.1}
	for d := -days; d <= 1; d++ {
		for _, after := range []time.Duration{-11 * time.Hour, time.Hour} {
			out = append(out, likelihood.Pass{Time: noon.AddDate(0, 0, d).Add(after), Delivered: true, Cloud: clear})
		}
	}
	return out
}

// burning is fires on the afternoons before the surge, around a place.
func burning(at plume.Point, n int, seed uint64) (out []likelihood.Fire) {
	r := rand.New(rand.NewPCG(seed, 1))
	for i := range n {
		p := plume.Point{Lat: at.Lat + r.NormFloat64()*0.4, Lon: at.Lon + r.NormFloat64()*0.4}
		seen := noon.AddDate(0, 0, -1-i%3).Add(90 * time.Minute)
		out = append(out, likelihood.Fire{Fire: plume.Fire{At: p, Time: seen, FRP: 4 + 10*r.Float64()}, State: state(p)})
	}
	return out
}

// surge is a question in good order: a day of bad air, fires three hundred kilometres
// to the north-west in state C, and a few in E, where no air came from.
func surge() likelihood.Question {
	q := likelihood.Question{At: station, Zone: india, Looked: true, Passes: passes(5), Land: land(),
		Digest: sha256.Sum256([]byte("made up"))}
	for h := range 24 {
		q.Hours = append(q.Hours, plume.Hour{Time: noon.Add(time.Duration(h-23) * time.Hour), PM25: 300})
	}
	q.Fires = append(burning(plume.Point{Lat: 30.4, Lon: 75.2}, 120, 1), burning(plume.Point{Lat: 28, Lon: 79}, 20, 2)...)
	for h := range 7 * 24 {
		q.Week = append(q.Week, plume.Hour{Time: noon.Add(time.Duration(h-7*24+1) * time.Hour), PM25: 100})
	}
	return q
}

// answer is of a fifth of the members: what these tests ask does not hang on more.
func answer(t testing.TB, q likelihood.Question, g *wind.Grid) likelihood.Answer {
	t.Helper()
	p := likelihood.Standard()
	p.Members = 20
	a, err := p.Answer(q, g)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// of is a state's share of an answer.
func of(a likelihood.Answer, state string) (out likelihood.Share) {
	for _, s := range a.States {
		if s.State == state {
			return s
		}
	}
	return out
}

// steady is air of four metres a second from a direction, made once for each.
func steady(degrees float64) *wind.Grid {
	g, err := wind.New(wind.Shape{South: 14, West: 60, DLat: 15, DLon: 15, Rows: 3, Cols: 3,
		Start: noon.Add(-12 * 24 * time.Hour).Truncate(time.Hour), Every: 6 * time.Hour, Times: 60})
	if err != nil {
		panic(err)
	}
	u, v := wind.FromDirection(4, degrees)
	for k := range 60 {
		for i := range 9 {
			if err := g.Set(wind.M100, k, i/3, i%3, u, v); err != nil {
				panic(err)
			}
		}
	}
	return g
}
