package location_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
)

// TestCellsAreGeohashes holds names anybody can look up.
func TestCellsAreGeohashes(t *testing.T) {
	for _, tt := range []struct {
		name string
		at   fleet.Point
		want string
	}{
		{"a field in Jutland, the usual example", fleet.Point{Lat: 57.64911, Lng: 10.40744}, "u4pruyd"},
		{"San Francisco", fleet.Point{Lat: 37.7749, Lng: -122.4194}, "9q8yyk8"},
		{"New York", fleet.Point{Lat: 40.7128, Lng: -74.0060}, "dr5regw"},
		{"London", fleet.Point{Lat: 51.5074, Lng: -0.1278}, "gcpvj0d"},
		{"the middle of the map", fleet.Point{}, "s000000"},
		{"the lower left corner", fleet.Point{Lat: -90, Lng: -180}, "0000000"},
		{"the upper right corner", fleet.Point{Lat: 90, Lng: 180}, "zzzzzzz"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := location.CellOf(tt.at).Name; got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

// TestAPointIsNearTheMiddleOfItsCell promises that a way measured from the middle
// of a cell is off by a few hundredths of a mile, and that the middle is in it.
func TestAPointIsNearTheMiddleOfItsCell(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := fleet.Point{Lat: rapid.Float64Range(-90, 90).Draw(t, "lat"), Lng: rapid.Float64Range(-180, 180).Draw(t, "lng")}
		c := location.CellOf(p)
		if got := location.Haversine(p, c.Middle); got > 0.07 {
			t.Fatalf("%.3f miles from the middle of its cell", got)
		}
		if again := location.CellOf(c.Middle); again != c {
			t.Fatalf("the middle of %s lies in %s", c.Name, again.Name)
		}
	})
}

// TestPlausibleIsWhatTheLadderBelieves promises that what is thrown away before it
// is kept is what the check would not have used.
func TestPlausibleIsWhatTheLadderBelieves(t *testing.T) {
	pair := location.Pair{Home: *north(40), Pickup: *north(0)}
	for miles, want := range map[float64]bool{12: false, 39.4: false, 39.6: true, 50: true, 449: true, 451: false} {
		r := location.Road{Miles: miles, Method: location.OSRM}
		if got := pair.Plausible(r); got != want {
			t.Errorf("%v miles: got %v, want %v", miles, got, want)
		}
		v := judge(t, fleet.Home{At: north(40)}, location.Table{pair: r})
		for _, e := range v.Evidence() {
			if e.Type == "distance_check" && (e.Data.Text("method") == string(location.OSRM)) != want {
				t.Errorf("%v miles: the ladder used %s", miles, e.Data.Text("method"))
			}
		}
	}
}
