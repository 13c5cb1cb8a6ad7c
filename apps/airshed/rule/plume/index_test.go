package plume_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// TestTheIndexHoldsTheWorkedExample promises that the fast way comes to the weights
// of the worked example within a thousandth, of D too, though it is hardly anything.
func TestTheIndexHoldsTheWorkedExample(t *testing.T) {
	g := northwest(t)
	for _, e := range examples() {
		got := ask(t, index(t, byMeridian, e.fire), whole(), g).Null.Observed
		if off(got, e.weight) > math.Max(1e-3, e.tolerance) {
			t.Errorf("%s: weight %.6e, want %.6e", e.name, got, e.weight)
		}
	}
	var all []plume.Fire
	for _, e := range examples() {
		all = append(all, e.fire)
	}
	names := map[plume.Point]string{}
	for _, e := range examples() {
		names[e.fire.At] += e.name[:1] // A and E lie in one place
	}
	a := ask(t, index(t, func(p plume.Point) plume.Place { return plume.Place{State: names[p]} }, all...), whole(), g)
	want := map[string]float64{"AE": 64.31 + 0.35, "B": 14.44, "C": 20.90, "D": 0}
	for _, s := range a.States {
		if math.Abs(100*s.Default-want[s.State]) > 0.02 { // two roundings
			t.Errorf("%s: %.4f %%, want %.2f", s.State, 100*s.Default, want[s.State])
		}
	}
}

// shear is a wind that is another at every level and turns with place and time.
func shear(t testing.TB) *wind.Grid {
	t.Helper()
	g, err := wind.New(wind.Shape{South: 20, West: 65, DLat: 1, DLon: 1, Rows: 21, Cols: 26,
		Start: noon.AddDate(0, 0, -6), Every: 3 * time.Hour, Times: 8*8 + 1})
	if err != nil {
		t.Fatal(err)
	}
	s := g.Shape()
	for at := range s.Times {
		for r := range s.Rows {
			for c := range s.Cols {
				for i, l := range wind.Levels() {
					wave := math.Sin(float64(at)/8 + float64(r)/5 + float64(c)/7)
					u, v := wind.FromDirection(2+float64(i)+wave, 300+20*wave+8*float64(i))
					if err := g.Set(l, at, r, c, u, v); err != nil {
						t.Fatal(err)
					}
				}
				if err := g.SetMixing(at, r, c, 50+1000*math.Abs(math.Sin(float64(at)/8*math.Pi))); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return g
}

// crowd is fires as thick as on a bad day: clusters of them some kilometres wide,
// seen by two satellites fifty minutes apart, by day and by night.
func crowd(seed uint64, n int) []plume.Fire {
	r := rand.New(rand.NewPCG(seed, 9))
	var out []plume.Fire
	for len(out) < n {
		middle := plume.Point{Lat: 28 + 4*r.Float64(), Lon: 73 + 4.5*r.Float64()}
		day, night := r.IntN(4), r.IntN(5) == 0
		for range 1 + r.IntN(30) {
			seen := noon.AddDate(0, 0, -day).Add(-4*time.Hour + time.Duration(50*r.IntN(2)+r.IntN(3))*time.Minute)
			if night {
				seen = seen.Add(12 * time.Hour)
			}
			out = append(out, plume.Fire{Time: seen, FRP: 1 + 20*r.ExpFloat64(), Night: night,
				At: plume.Point{Lat: middle.Lat + 0.06*r.NormFloat64(), Lon: middle.Lon + 0.06*r.NormFloat64()}})
		}
	}
	return out[:n]
}

// influences is what an index makes of fires at the levels and burn windows of one
// start, and what they weigh one by one.
func influences(t testing.TB, g *wind.Grid, fires []plume.Fire, at plume.Point) (got, want []float64) {
	t.Helper()
	p, q := plume.Standard(), whole()
	q.At = at
	for _, m := range ask(t, index(t, byMeridian, fires...), q, g).Members {
		if m.North != 0 || m.East != 0 {
			continue
		}
		track, exact := p.Back(field(t, g, m.Level), g.MixingAt, at, noon), 0.0
		for _, fire := range fires {
			exact += p.Weigh(track, fire, slices.Index(p.Burn[:], m.Burn))
		}
		got, want = append(got, m.Influence), append(want, exact)
	}
	return got, want
}

// nothing is a ten-thousandth of what one fire of 10 MW on the way weighs: 0.01 points
// of a share.
const nothing = 1e-6

// TestTheIndexAgreesWithTheFormula promises that fires, taken together in cells, weigh
// for each level and burn window within 5 % of what they weigh one by one, and over
// all of them within 1 %, however few they are and however they lie. It was 2 % until a
// draw found three fires that are 2.7 % off; Index says why no less can be promised.
func TestTheIndexAgreesWithTheFormula(t *testing.T) {
	g := shear(t)
	rapid.Check(t, func(rt *rapid.T) {
		fires := crowd(rapid.Uint64().Draw(rt, "seed"), rapid.IntRange(1, 200).Draw(rt, "fires"))
		at := plume.Point{Lat: rapid.Float64Range(27, 31).Draw(rt, "lat"), Lon: rapid.Float64Range(74, 79).Draw(rt, "lon")}
		got, want := influences(t, g, fires, at)
		all, exact := 0.0, 0.0
		for i := range got {
			if math.Abs(got[i]-want[i]) > 0.05*want[i]+nothing {
				rt.Fatalf("member %d: got %v, want %v", i, got[i], want[i])
			}
			all, exact = all+got[i], exact+want[i]
		}
		if math.Abs(all-exact) > 0.01*exact+nothing {
			rt.Fatalf("got %v, want %v", all, exact)
		}
	})
}

// TestThreeFiresInALineAreTheWorstThatWasFound keeps the draw that broke the promise of
// 2 %: should the index come to know in which direction fires lie, it can be made again.
func TestThreeFiresInALineAreTheWorstThatWasFound(t *testing.T) {
	got, want := influences(t, shear(t), crowd(0x1c4a1063c6731, 3), plume.Point{Lat: 27, Lon: 75.875})
	worst := 0.0
	for i := range got {
		if want[i] > nothing {
			worst = max(worst, (math.Abs(got[i]-want[i])-nothing)/want[i])
		}
	}
	if worst < 0.02 || worst > 0.03 {
		t.Errorf("the worst of %d members is off by %.4f, want 0.02 to 0.03", len(got), worst)
	}
}

// TestTheIndexIsMostlyMuchNearer promises that nineteen in twenty are within 1 %, and
// half of them within 0.1 %: the bounds above are for a handful of fires that lie in a
// line with the wind.
func TestTheIndexIsMostlyMuchNearer(t *testing.T) {
	g := shear(t)
	var errors []float64
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 77))
		got, want := influences(t, g, crowd(seed, []int{30, 300, 3000}[seed%3]), plume.Point{Lat: 27 + 4*r.Float64(),
			Lon: 74 + 5*r.Float64()})
		for i := range got {
			if want[i] > nothing {
				errors = append(errors, off(got[i], want[i]))
			}
		}
	}
	slices.Sort(errors)
	n := len(errors)
	if n < 200 || errors[n*95/100] > 0.01 || errors[n/2] > 1e-3 {
		t.Errorf("of %d members half are within %.5f, nineteen in twenty within %.5f", n, errors[n/2], errors[n*95/100])
	}
	t.Logf("%d members: half within %.5f, nineteen in twenty within %.5f, all within %.5f", n, errors[n/2], errors[n*95/100], errors[n-1])
}
