package plume_test

import (
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// within is the wind of the worked examples on a grid with other edges: from 20 to
// north degrees north and 65 to east degrees east, from so many hours before noon to
// so many after.
func within(t *testing.T, north, east float64, before, after int) *wind.Grid {
	t.Helper()
	g, err := wind.New(wind.Shape{South: 20, West: 65, DLat: (north - 20) / 2, DLon: (east - 65) / 2, Rows: 3, Cols: 3,
		Start: noon.Add(-time.Duration(before) * time.Hour), Every: time.Hour, Times: before + after + 1})
	if err != nil {
		t.Fatal(err)
	}
	u, v := wind.FromDirection(4, 315)
	for at := range g.Shape().Times {
		for node := range 9 {
			for _, l := range wind.Levels() {
				if err := g.Set(l, at, node/3, node%3, u, v); err != nil {
					t.Fatal(err)
				}
			}
			if err := g.SetMixing(at, node/3, node%3, 500); err != nil {
				t.Fatal(err)
			}
		}
	}
	return g
}

// TestWindMustReachThroughTheWay promises that nothing is conclusive on wind that
// ends before the air was followed: in time at all, at the side by more than a tenth
// of the way. The air of these scenes was on its way from noon less 83 hours to noon,
// and goes a degree north in 10.9 hours; fires lie 10 to 19 hours back.
func TestWindMustReachThroughTheWay(t *testing.T) {
	for _, tt := range []struct {
		name          string
		north, east   float64
		before, after int
		want          []plume.Code
	}{
		{"all of it", 40, 90, 83, 0, nil},
		{"an hour too little before", 40, 90, 82, 0, []plume.Code{plume.WindShort}},
		{"the last hours only", 40, 90, 31, 0, []plume.Code{plume.WindShort, plume.TracksCut}},
		{"the last hour has none", 40, 90, 83, -1, []plume.Code{plume.WindShort}},
		{"cut at the side after 65 hours", 34.8, 90, 83, 0, nil},
		{"cut at the side after 46 hours", 33, 90, 83, 0, []plume.Code{plume.TracksCut}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := clear(t)
			s.g = within(t, tt.north, tt.east, tt.before, tt.after)
			a := s.judge(t)
			var got []plume.Code
			for _, r := range a.Reasons {
				got = append(got, r.Code)
			}
			if !slices.Equal(got, tt.want) || (a.Verdict == plume.Conclusive) != (tt.want == nil) {
				t.Errorf("got %s %v, want %v; edge %+v", a.Verdict, a.Reasons, tt.want, a.Edge)
			}
		})
	}
}

// TestTurnedTracksAreHeldToTheSameReach promises that a turned track which leaves
// the grid does not count as one that met nothing: where the grid ends 8 hours to
// the east and the fires lie farther off than that, there is no null test at all.
func TestTurnedTracksAreHeldToTheSameReach(t *testing.T) {
	s := clear(t)
	s.q.Seen.To = noon
	s.g = within(t, 40, 78, 83, 0)
	a := s.judge(t)
	if a.Null.Method != "" || a.Null.Cut == 0 || a.Verdict != plume.Inconclusive || len(a.Reasons) != 1 ||
		a.Reasons[0].Code != plume.NoNull {
		t.Errorf("the grid ends near the station: %s %v, %+v", a.Verdict, a.Reasons, a.Null)
	}
	s.g = within(t, 40, 82, 83, 0) // 33 hours, beyond the fires
	a = s.judge(t)
	if a.Null.Method != plume.ByTurns || a.Null.Cut == 0 || a.Null.Rank != 1 || a.Verdict != plume.Conclusive {
		t.Errorf("the grid ends beyond the fires: %s %v, %+v", a.Verdict, a.Reasons, a.Null)
	}
	far := s.fires
	for _, f := range s.fires { // 34 hours farther back: no turned track to the east gets there
		u, v := wind.FromDirection(4, 315)
		f.At, f.Time, f.FRP = f.At.Moved(u, v, -34), f.Time.Add(-34*time.Hour), f.FRP*0.1
		far = append(far, f)
	}
	near := a.Null.Observed
	s.fires = far
	if got := s.judge(t).Null.Observed; off(got, near) > 0.01 {
		t.Errorf("with fires beyond the common reach the null test goes by %v, want %v", got, near)
	}
}

// TestVerdictsFollowFromWhatIsPrinted promises that numbers are compared as they are
// printed: speeds to 0.01 m/s and differences to 0.1.
func TestVerdictsFollowFromWhatIsPrinted(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(s *scene)
		want  plume.Verdict
	}{
		{"a speed of 1.00", func(s *scene) { s.g = air(t, 500, slow(0.996), wind.Levels()...) }, plume.Conclusive},
		{"a speed of 0.99", func(s *scene) { s.g = air(t, 500, slow(0.994), wind.Levels()...) }, plume.Inconclusive},
		{"a difference of 0.0", func(s *scene) { s.q.Control.Difference = 0.04 }, plume.Inconclusive},
		{"a difference of 0.1", func(s *scene) { s.q.Control.Difference = 0.05 }, plume.Conclusive},
	} {
		s := clear(t)
		tt.spoil(&s)
		if a := s.judge(t); a.Verdict != tt.want {
			t.Errorf("%s: got %s %v, want %s", tt.name, a.Verdict, a.Reasons, tt.want)
		}
	}
	if got := plume.Percent(0.12345); got != 12.3 {
		t.Errorf("a share is printed as %v, want 12.3", got)
	}
}
