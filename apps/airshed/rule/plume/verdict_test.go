package plume_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// A scene is all that a verdict hangs on. The scene of clear is conclusive; the
// tests spoil one thing at a time.
type scene struct {
	q     plume.Question
	g     *wind.Grid
	fires []plume.Fire
	where func(plume.Point) plume.Place
}

// clear is 12 hours of steady wind from the north-west and a hundred fires in one
// state on its way, seen in time for the air to pass, and a few in another state
// beside it.
func clear(t *testing.T) scene {
	t.Helper()
	s := scene{g: northwest(t)}
	var hours []plume.Hour
	for h := range 12 {
		hours = append(hours, plume.Hour{Time: noon.Add(time.Duration(h-11) * time.Hour), PM25: 250})
	}
	s.q = whole(hours...)
	u, v := wind.FromDirection(4, 315)
	for i := range 100 {
		back := 10 + float64(i%10)
		at := alipur.Moved(u, v, -back).Moved(v, -u, float64(i/10-5)/3)
		seen := noon.Add(-time.Duration((back + float64(i%12)) * float64(time.Hour)))
		s.fires = append(s.fires, plume.Fire{At: at, Time: seen, FRP: 10})
		if i%20 == 0 { // 140 km to the north-east of the way
			s.fires = append(s.fires, plume.Fire{At: at.Moved(-v, u, 10), Time: seen, FRP: 10})
		}
	}
	s.where = func(p plume.Point) plume.Place {
		if plume.Distance(p, alipur.Moved(u, v, -15)) < 110 {
			return plume.Place{State: "Upwind"}
		}
		return plume.Place{State: "Beside"}
	}
	return s
}

func (s scene) judge(t *testing.T) plume.Attribution {
	t.Helper()
	return ask(t, index(t, s.where, s.fires...), s.q, s.g)
}

// TestWhatMakesAResultInconclusive holds the rules, each with the nearest thing that
// passes it.
func TestWhatMakesAResultInconclusive(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(s *scene)
		want  []plume.Code // none: conclusive
	}{
		{"nothing is wrong", func(*scene) {}, nil},
		{"the air is nearly still", func(s *scene) { s.g = air(t, 500, slow(1.01), wind.Levels()...) }, nil},
		{"the air is still", func(s *scene) { s.g = air(t, 500, slow(0.99), wind.Levels()...) }, []plume.Code{plume.Stagnation}},
		{"the station had hardly more than the city", func(s *scene) { s.q.Control.Difference = 0.1 }, nil},
		{"the station had no more than the city", func(s *scene) { s.q.Control.Difference = 0 }, []plume.Code{plume.Local}},
		{"the city is not known", func(s *scene) { s.q.Control = plume.Control{} }, []plume.Code{plume.NoControl}},
		{"fires were looked for too late", func(s *scene) { s.q.Seen.From = noon.AddDate(0, 0, -3) }, []plume.Code{plume.FiresUnknown}},
		{"a level is missing", func(s *scene) {
			s.g = air(t, 500, from(4, 315), wind.M10, wind.M100, wind.P925)
		}, []plume.Code{plume.Disagree}},
		{"the wind at 10 m is missing", func(s *scene) {
			s.g = air(t, 500, from(4, 315), wind.M100, wind.P925, wind.P850)
		}, []plume.Code{plume.Disagree, plume.CalmUnknown}},
		{"the wind for the null test is missing", func(s *scene) {
			s.g = air(t, 500, from(4, 315), wind.M10, wind.P850)
		}, []plume.Code{plume.Disagree, plume.NoNull}},
		{"no state is known", func(s *scene) {
			s.where = func(plume.Point) plume.Place { return plume.Place{} }
		}, []plume.Code{plume.NoState}},
		{"two states have as much", func(s *scene) {
			s.where = func(p plume.Point) plume.Place { // the way is the border
				if p.Lat-alipur.Lat > 0.875*(alipur.Lon-p.Lon) {
					return plume.Place{State: "North"}
				}
				return plume.Place{State: "South"}
			}
		}, []plume.Code{plume.Disagree, plume.Overlap}},
		{"other days burnt as much", func(s *scene) { s.fires = daily(s.fires, -10, 10) }, []plume.Code{plume.NotSpecial}},
		{"one other day burnt more", func(s *scene) { s.fires = daily(s.fires, -5, -5) }, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := clear(t)
			tt.spoil(&s)
			a := s.judge(t)
			var got []plume.Code
			for _, r := range a.Reasons {
				if got = append(got, r.Code); r.Text == "" {
					t.Errorf("reason %s says nothing", r.Code)
				}
			}
			if !slices.Equal(got, tt.want) || (a.Verdict == plume.Conclusive) != (tt.want == nil) {
				t.Errorf("got %s %v, want %v; %v, rank %d", a.Verdict, a.Reasons, tt.want, a.States, a.Null.Rank)
			}
		})
	}
}

// slow is the worked example's wind with another speed at 10 m.
func slow(speed float64) func(wind.Level) (u, v float64) {
	return func(l wind.Level) (float64, float64) {
		if l == wind.M10 {
			return wind.FromDirection(speed, 315)
		}
		return wind.FromDirection(4, 315)
	}
}

// daily repeats fires, a little stronger, on other days.
func daily(fires []plume.Fire, first, last int) []plume.Fire {
	out := slices.Clone(fires)
	for d := first; d <= last; d++ {
		for _, f := range fires {
			if d != 0 {
				f.Time = f.Time.AddDate(0, 0, d)
				f.FRP *= 1.1
				out = append(out, f)
				f.Time = f.Time.AddDate(0, 0, -d)
				f.FRP /= 1.1
			}
		}
	}
	return out
}

// TestTheLevelsMustAgree promises that where the levels blow from different sides
// nobody is named: half of the members see the one state, half the other.
func TestTheLevelsMustAgree(t *testing.T) {
	s := clear(t)
	s.g = air(t, 500, func(l wind.Level) (float64, float64) {
		if l == wind.M10 || l == wind.P850 {
			return wind.FromDirection(4, 45)
		}
		return wind.FromDirection(4, 315)
	}, wind.Levels()...)
	for _, f := range slices.Clone(s.fires) { // the same to the north-east
		f.At.Lon = 2*alipur.Lon - f.At.Lon
		s.fires = append(s.fires, f)
	}
	s.where = func(p plume.Point) plume.Place {
		if p.Lon < alipur.Lon {
			return plume.Place{State: "West"}
		}
		return plume.Place{State: "East"}
	}
	a := s.judge(t)
	if a.Verdict != plume.Inconclusive || a.Agreed != 30 || len(a.Members) != plume.Members {
		t.Errorf("got %s, %d of %d members agreed: %v", a.Verdict, a.Agreed, len(a.Members), a.Reasons)
	}
	if len(a.Districts) != 0 {
		t.Errorf("districts that nobody knows: %v", a.Districts)
	}
}

// TestNoWindNoAttribution promises that without wind there are no shares at all.
func TestNoWindNoAttribution(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(s *scene)
		want  plume.Code
	}{
		{"no grid", func(s *scene) { s.g = nil }, plume.NoWind},
		{"a grid without a level", func(s *scene) { s.g = air(t, 500, nil) }, plume.NoWind},
		{"a station outside the grid", func(s *scene) { s.q.At = plume.Point{Lat: 12.97, Lon: 77.59} }, plume.NoWind},
		{"hours outside the grid", func(s *scene) {
			for i := range s.q.Hours {
				s.q.Hours[i].Time = s.q.Hours[i].Time.AddDate(1, 0, 0)
			}
		}, plume.NoWind},
		{"no fires", func(s *scene) { s.fires = nil }, plume.NoFires},
		{"fires of another month", func(s *scene) {
			for i := range s.fires {
				s.fires[i].Time = s.fires[i].Time.AddDate(0, -1, 0)
			}
		}, plume.NoFires},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := clear(t)
			tt.spoil(&s)
			a := s.judge(t)
			if a.Verdict != plume.Unattributed || len(a.Reasons) != 1 || a.Reasons[0].Code != tt.want || len(a.States) > 0 ||
				total(a) != 0 {
				t.Errorf("got %s %v %v", a.Verdict, a.Reasons, a.States)
			}
		})
	}
}

// TestTheNullTestCountsDays promises the rank and the enrichment: fires like the
// observed, a tenth stronger, on five other days of the sixteen rank it sixth, and
// with no fires on most days there is no ratio.
func TestTheNullTestCountsDays(t *testing.T) {
	s := clear(t)
	s.fires = daily(s.fires, -10, -10)
	for _, d := range []int{-8, -6, 7, 9} { // two days apart: a surge of 12 h does not see its neighbour's fires
		s.fires = append(s.fires, daily(clear(t).fires, d, d)[105:]...)
	}
	n := s.judge(t).Null
	if n.Method != plume.ByDates || len(n.Others) != plume.Shifts {
		t.Fatalf("got %s with %d others", n.Method, len(n.Others))
	}
	greater := 0
	for _, o := range n.Others {
		if o >= n.Observed {
			greater++
		}
	}
	if n.Rank != 1+greater || greater < 5 {
		t.Errorf("rank %d with %d greater", n.Rank, greater)
	}
	sorted := slices.Sorted(slices.Values(n.Others))
	if median := (sorted[7] + sorted[8]) / 2; median > 0 && off(n.Enrichment, n.Observed/median) > 1e-12 {
		t.Errorf("enrichment %v, want %v", n.Enrichment, n.Observed/median)
	}
	if n = clear(t).judge(t).Null; n.Rank != 1 {
		t.Errorf("fires of these days alone rank %d: %v against %v", n.Rank, n.Observed, n.Others)
	}
}

// TestTheWindIsTurnedWhereDaysAreMissing promises another null test while the days
// after the surge are still to come.
func TestTheWindIsTurnedWhereDaysAreMissing(t *testing.T) {
	s := clear(t)
	s.q.Seen.To = noon
	a := s.judge(t)
	if a.Null.Method != plume.ByTurns || len(a.Null.Others) != plume.Shifts || a.Null.Rank != 1 || a.Verdict != plume.Conclusive {
		t.Errorf("got %s %v: %s with %d others, rank %d", a.Verdict, a.Reasons, a.Null.Method, len(a.Null.Others), a.Null.Rank)
	}
}

// TestQuantiles holds the linear rule on numbers that can be checked by hand.
func TestQuantiles(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		share  float64
		want   float64
	}{
		{nil, 0.5, 0},
		{[]float64{3}, 0.95, 3},
		{[]float64{1, 2, 3, 4}, 0.5, 2.5},
		{[]float64{0, 10, 20}, 0.05, 1},
		{[]float64{0, 10, 20}, 0.95, 19},
		{[]float64{0, 10, 20}, 1, 20},
	} {
		if got := plume.Quantile(tt.values, tt.share); math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%v of %v: got %v, want %v", tt.share, tt.values, got, tt.want)
		}
	}
}
