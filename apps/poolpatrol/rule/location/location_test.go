package location_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/oracle"
)

// north is a point some miles due north of the made-up site.
func north(miles float64) *fleet.Point {
	at := madeup.Site().At
	return &fleet.Point{Lat: at.Lat + miles/(3958.7613*math.Pi/180), Lng: at.Lng}
}

// router answers every question with one road, or with none.
type router struct {
	road  location.Road
	down  bool
	asked *int
}

func (r router) Road(_, _ fleet.Point) (location.Road, bool) {
	*r.asked++
	return r.road, !r.down
}

func judge(t *testing.T, home fleet.Home, roads location.Roads) check.Verdict {
	t.Helper()
	who := madeup.Worker(1, "SHIFT_DAY")
	who.Home = home
	return judgeAll(t, madeup.Records(madeup.Van(who), []fleet.Employee{who}), roads)
}

func judgeAll(t *testing.T, r fleet.Records, roads location.Roads) check.Verdict {
	t.Helper()
	book, err := fleet.NewBook(r)
	if err != nil {
		t.Fatal(err)
	}
	g, err := book.Group("VP-101", madeup.Now())
	if err != nil {
		t.Fatal(err)
	}
	return check.Run(location.New(location.Standard(), roads), g, check.Exceptions{})
}

// TestLadder holds every rung: what needs no road, what a road says and how far
// it is believed, and what an estimate says when there is none.
func TestLadder(t *testing.T) {
	osrm := func(miles float64) location.Road {
		return location.Road{Miles: miles, Minutes: 70, Method: location.OSRM}
	}
	for _, tt := range []struct {
		name       string
		line       float64 // miles, straight
		zip        bool
		radius     float64
		road       float64 // 0: the router is down
		label      check.Label
		confidence check.Confidence
		method     location.Method
		asked      int
	}{
		{"too far as the crow flies", 50.1, false, 0, 0, check.Fail, 5, location.Bound, 0},
		{"much too far", 313.5, false, 0, 0, check.Fail, 5, location.Bound, 0},
		{"near whatever the road does", 34, false, 0, 0, check.Pass, 5, location.Bound, 0},
		{"just near whatever the road does", 34.48, false, 0, 0, check.Pass, 5, location.Bound, 0},
		{"road well inside", 35, false, 0, 42, check.Pass, 5, location.OSRM, 1},
		{"road exactly at the limit", 40, false, 0, 50, check.Pass, 4, location.OSRM, 1},
		{"road just over", 40, false, 0, 50.01, check.Fail, 4, location.OSRM, 1},
		{"road close inside", 40, false, 0, 45.01, check.Pass, 4, location.OSRM, 1},
		{"road five miles inside", 40, false, 0, 45, check.Pass, 5, location.OSRM, 1},
		{"road well outside", 45, false, 0, 62, check.Fail, 5, location.OSRM, 1},
		{"router down, estimate inside", 34.6, false, 0, 0, check.Pass, 2, location.Estimate, 1},
		{"router down, estimate near the limit", 39, false, 0, 0, check.Pass, 2, location.Estimate, 1},
		{"router down, estimate over", 42, false, 0, 0, check.Fail, 2, location.Estimate, 1},
		{"router down, estimate clearly over", 47, false, 0, 0, check.Fail, 3, location.Estimate, 1},
		{"a road shorter than the line is no road", 47, false, 0, 12, check.Fail, 3, location.Estimate, 1},
		{"ZIP only, far beyond its radius", 85, true, 30, 0, check.Fail, 5, location.Bound, 0},
		{"ZIP only, beyond the limit but within its radius", 60, true, 30, 71, check.Fail, 2, location.OSRM, 1},
		{"ZIP only, radius unknown counts as rural", 60, true, 0, 71, check.Fail, 2, location.OSRM, 1},
		{"ZIP only, small radius, road clear", 45, true, 2, 62, check.Fail, 3, location.OSRM, 1},
		{"ZIP only, wholly inside", 20, true, 10, 0, check.Pass, 5, location.Bound, 0},
		{"ZIP only, router down", 47, true, 5, 0, check.Fail, 2, location.Estimate, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			asked := 0
			home := fleet.Home{ZIP: "94000", At: north(tt.line), ByZIP: tt.zip, Radius: tt.radius}
			v := judge(t, home, router{osrm(tt.road), tt.road == 0, &asked})
			if v.Label != tt.label || v.Confidence != tt.confidence {
				t.Errorf("got %s %d, want %s %d", v.Label, v.Confidence, tt.label, tt.confidence)
			}
			if asked != tt.asked {
				t.Errorf("the router was asked %d times, want %d", asked, tt.asked)
			}
			for _, e := range v.Evidence() {
				if e.Type == "distance_check" && e.Data.Text("method") != string(tt.method) {
					t.Errorf("method %s, want %s", e.Data.Text("method"), tt.method)
				}
			}
		})
	}
}

// TestKnownDistance holds a distance anybody can look up: Los Angeles to Fremont,
// as the crow flies.
func TestKnownDistance(t *testing.T) {
	got := location.Haversine(fleet.Point{Lat: 34.079, Lng: -118.264}, fleet.Point{Lat: 37.495, Lng: -121.941})
	if math.Abs(got-313.5) > 1.5 {
		t.Errorf("got %.1f miles, want about 313.5", got)
	}
}

// TestDistanceAgreesWithGeometryInSpace promises that the formula on the sphere
// gives what the angle between two directions gives.
func TestDistanceAgreesWithGeometryInSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		point := func(name string) fleet.Point {
			return fleet.Point{Lat: rapid.Float64Range(-89, 89).Draw(t, name+" lat"), Lng: rapid.Float64Range(-180, 180).
				Draw(t, name+" lng")}
		}
		a, b := point("a"), point("b")
		got, want := location.Haversine(a, b), oracle.Line(a, b)
		if math.Abs(got-want) > 1e-4*math.Max(1, want) {
			t.Fatalf("got %f, want %f", got, want)
		}
		if back := location.Haversine(b, a); math.Abs(back-got) > 1e-6 {
			t.Fatalf("%f there, %f back", got, back)
		}
	})
}

// TestFartherIsNeverBetter promises that with no router a home farther off never
// passes where a nearer one fails.
func TestFartherIsNeverBetter(t *testing.T) {
	who := madeup.Worker(1, "SHIFT_DAY")
	pass := func(miles float64) bool {
		who.Home = fleet.Home{At: north(miles)}
		book, err := fleet.NewBook(madeup.Records(madeup.Van(who), []fleet.Employee{who}))
		if err != nil {
			t.Fatal(err)
		}
		g, _ := book.Group("VP-101", madeup.Now())
		return check.Run(location.New(location.Standard(), nil), g, check.Exceptions{}).Label == check.Pass
	}
	rapid.Check(t, func(t *rapid.T) {
		near := rapid.Float64Range(0, 90).Draw(t, "near")
		far := near + rapid.Float64Range(0, 90).Draw(t, "more")
		if pass(far) && !pass(near) {
			t.Fatalf("%.2f miles pass, %.2f do not", far, near)
		}
	})
}

// TestWhatIsNotKnownAccusesNobody promises that missing places go to those who
// keep the records.
func TestWhatIsNotKnownAccusesNobody(t *testing.T) {
	who := madeup.Worker(1, "SHIFT_DAY")
	none := madeup.Records(madeup.Van(who), []fleet.Employee{who})
	none.Vanpools[0].Pickup, none.Sites[0].At = nil, nil
	for name, v := range map[string]check.Verdict{
		"no home":             judge(t, fleet.Home{ZIP: "94000"}, nil),
		"home at 0, 0":        judge(t, fleet.Home{At: &fleet.Point{}}, nil),
		"home off the globe":  judge(t, fleet.Home{At: &fleet.Point{Lat: 337.5, Lng: 10}}, nil),
		"no pickup, no site":  judgeAll(t, none, nil),
		"not a number":        judge(t, fleet.Home{At: &fleet.Point{Lat: math.NaN(), Lng: 1}}, nil),
		"home far off, no id": judge(t, fleet.Home{At: nil, ByZIP: true}, nil),
	} {
		if v.Label != check.Fail || v.Confidence != 1 || len(v.Findings) != 1 || v.Findings[0].Route != check.ToData {
			t.Errorf("%s: got %s %d %+v", name, v.Label, v.Confidence, v.Findings)
		}
	}
}

// TestASiteStandsInForAMissingPickup promises that it is used, and said.
func TestASiteStandsInForAMissingPickup(t *testing.T) {
	who := madeup.Worker(1, "SHIFT_DAY")
	r := madeup.Records(madeup.Van(who), []fleet.Employee{who})
	r.Vanpools[0].Pickup = nil
	v := judgeAll(t, r, nil)
	if v.Label != check.Pass || v.For[0].Data.Text("source") != "work_site" {
		t.Errorf("got %s, %v", v.Label, v.For)
	}
}

// TestOnlyRoadsThatMatterAreAskedFor promises that what Ways lists is what a verdict
// asks the router for.
func TestOnlyRoadsThatMatterAreAskedFor(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		var riders []fleet.Employee
		for i := range rapid.IntRange(1, 8).Draw(rt, "riders") {
			e := madeup.Worker(i+1, "SHIFT_DAY")
			e.Home = fleet.Home{At: north(rapid.Float64Range(1, 100).Draw(rt, "miles")), ByZIP: rapid.Bool().Draw(rt, "zip")}
			riders = append(riders, e)
		}
		book, err := fleet.NewBook(madeup.Records(madeup.Van(riders...), riders))
		if err != nil {
			rt.Fatal(err)
		}
		g, _ := book.Group("VP-101", madeup.Now())
		asked := 0
		check.Run(location.New(location.Standard(), router{down: true, asked: &asked}), g, check.Exceptions{})
		if want := len(location.Standard().Ways(g)); asked != want {
			rt.Fatalf("asked %d times, wanted %d", asked, want)
		}
	})
}
