package plume_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// byMeridian is a made-up map: states are bands of two degrees of longitude, and
// districts of half a degree of latitude.
func byMeridian(p plume.Point) plume.Place {
	return plume.Place{State: string(rune('A' + int(p.Lon-60)/2)), District: string(rune('a' + int((p.Lat-20)*2)))}
}

// whole is a question about one hour, noon, at Alipur, with all else in order.
func whole(hours ...plume.Hour) plume.Question {
	if len(hours) == 0 {
		hours = []plume.Hour{{Time: noon, PM25: 300}}
	}
	return plume.Question{At: alipur, Hours: hours, Control: plume.Control{Known: true, Difference: 40},
		Seen: plume.Span{From: noon.AddDate(0, 0, -15), To: noon.AddDate(0, 0, 11)}}
}

func index(t testing.TB, where func(plume.Point) plume.Place, fires ...plume.Fire) *plume.Index {
	t.Helper()
	x, err := plume.NewIndex(plume.Standard(), fires, plume.Everywhere(), where)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func ask(t testing.TB, x *plume.Index, q plume.Question, g *wind.Grid) plume.Attribution {
	t.Helper()
	a, err := x.Attribute(q, g)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// total is the influence that all members found.
func total(a plume.Attribution) (sum float64) {
	for _, m := range a.Members {
		sum += m.Influence
	}
	return sum
}

// someFires is up to twenty fires around the way of a wind that blows from a
// direction, within its seventy hours.
func someFires(t *rapid.T, degrees float64) []plume.Fire {
	u, v := wind.FromDirection(4, degrees)
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) plume.Fire {
		back := rapid.Float64Range(1, 60).Draw(t, "hours back")
		at := alipur.Moved(u, v, -back).Moved(v, -u, rapid.Float64Range(-6, 6).Draw(t, "hours beside"))
		late := rapid.Float64Range(-5, 5).Draw(t, "hours late")
		return plume.Fire{At: at, Time: noon.Add(-time.Duration((back + late) * float64(time.Hour))).Truncate(time.Minute),
			FRP: rapid.Float64Range(0.5, 80).Draw(t, "FRP"), Night: rapid.Bool().Draw(t, "night")}
	}), 1, 20).Draw(t, "fires")
}

// TestDoublePowerDoublesWeight promises that a fire twice as strong weighs twice as
// much, by the formula and by the index, whose powers are float32.
func TestDoublePowerDoublesWeight(t *testing.T) {
	g, p := northwest(t), plume.Standard()
	track := p.Back(field(t, g, wind.M100), g.MixingAt, alipur, noon)
	rapid.Check(t, func(rt *rapid.T) {
		fires := someFires(rt, 315)
		double := slices.Clone(fires)
		for i := range double {
			double[i].FRP *= 2
			if once, twice := p.Weigh(track, fires[i], 2), p.Weigh(track, double[i], 2); twice != 2*once {
				rt.Fatalf("weight %v, of twice the power %v", once, twice)
			}
		}
		once, twice := ask(t, index(t, byMeridian, fires...), whole(), g), ask(t, index(t, byMeridian, double...), whole(), g)
		for i, m := range once.Members {
			if m.Influence > 0 && off(twice.Members[i].Influence, 2*m.Influence) > 1e-6 {
				rt.Fatalf("influence %v, of twice the power %v", m.Influence, twice.Members[i].Influence)
			}
		}
	})
}

// TestTurningTheWindMovesAllWeight promises that fires upwind count for nothing when
// the wind blows the other way: less than a thousandth is left, of fires more than
// 150 km upwind, which is fifteen times the uncertainty at the station.
func TestTurningTheWindMovesAllWeight(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		degrees := rapid.Float64Range(0, 360).Draw(rt, "from")
		with, against := air(t, 500, from(4, degrees), wind.Levels()...), air(t, 500, from(4, degrees+180), wind.Levels()...)
		fires := slices.DeleteFunc(someFires(rt, degrees), func(f plume.Fire) bool { return plume.Distance(alipur, f.At) < 150 })
		if len(fires) == 0 {
			return
		}
		x := index(t, byMeridian, fires...)
		before, after := total(ask(t, x, whole(), with)), total(ask(t, x, whole(), against))
		if after > before/1000 {
			rt.Fatalf("influence %v before and %v after", before, after)
		}
	})
}

// TestSharesSumToOne promises that the default shares of states add up to all, that
// every range is in order, and that with every district known so do theirs.
func TestSharesSumToOne(t *testing.T) {
	g := northwest(t)
	rapid.Check(t, func(rt *rapid.T) {
		a := ask(t, index(t, byMeridian, someFires(rt, 315)...), whole(), g)
		if a.Null.Observed == 0 {
			return
		}
		for _, ranges := range [][]plume.Range{a.States, a.Districts} {
			sum := 0.0
			for _, r := range ranges {
				sum += r.Default
				if !(0 <= r.Low && r.Low <= r.Median && r.Median <= r.High && r.High <= 1+1e-12) {
					rt.Fatalf("%v: %v %v %v", r.Place, r.Low, r.Median, r.High)
				}
			}
			if math.Abs(sum-1) > 1e-12 {
				rt.Fatalf("the shares add up to %v: %v", sum, ranges)
			}
		}
	})
}

// TestADownwindFireChangesNoShare promises that a fire the air had not met yet takes
// nothing from the others. 300 km downwind is beyond the reach of every member.
func TestADownwindFireChangesNoShare(t *testing.T) {
	g := northwest(t)
	u, v := wind.FromDirection(4, 315)
	rapid.Check(t, func(rt *rapid.T) {
		fires := someFires(rt, 315)
		down := fires[0]
		down.At = alipur.Moved(u, v, rapid.Float64Range(21, 30).Draw(rt, "hours on"))
		down.FRP = 1000
		with, without := ask(t, index(t, byMeridian, append(fires, down)...), whole(), g), ask(t, index(t, byMeridian, fires...), whole(),
			g)
		want := map[plume.Place]plume.Range{}
		for _, r := range without.States {
			want[r.Place] = r
		}
		for _, got := range with.States {
			if w := want[got.Place]; math.Abs(got.Median-w.Median) > 1e-6 || math.Abs(got.Default-w.Default) > 1e-6 {
				rt.Fatalf("got %v, want %v", got, w)
			}
		}
	})
}

// TestTheOrderOfFiresIsNothing promises the same result to the bit.
func TestTheOrderOfFiresIsNothing(t *testing.T) {
	g := northwest(t)
	rapid.Check(t, func(rt *rapid.T) {
		fires := someFires(rt, 315)
		mixed := rapid.Permutation(fires).Draw(rt, "mixed")
		one, other := ask(t, index(t, byMeridian, fires...), whole(), g), ask(t, index(t, byMeridian, mixed...), whole(), g)
		if !slices.Equal(one.States, other.States) || !slices.Equal(one.Members, other.Members) {
			rt.Fatalf("got %v, want %v", other.States, one.States)
		}
	})
}
