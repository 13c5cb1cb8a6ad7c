package earth_test

import (
	"math"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
)

// Computed by hand from the radius: a quarter and a half of the way round, and a
// degree on the equator.
func TestDistancesGoRoundTheEarth(t *testing.T) {
	for _, tt := range []struct{ lat1, lon1, lat2, lon2, want float64 }{
		{0, 0, 0, 0, 0},
		{0, 0, 90, 0, earth.RadiusKM * math.Pi / 2},
		{0, 0, 0, 180, earth.RadiusKM * math.Pi},
		{0, 10, 0, 11, earth.RadiusKM * math.Pi / 180},
		{0, 179.5, 0, -179.5, earth.RadiusKM * math.Pi / 180},
	} {
		if got := earth.Distance(tt.lat1, tt.lon1, tt.lat2, tt.lon2); math.Abs(got-tt.want) > 1e-6 {
			t.Errorf("%v: got %v, want %v", tt, got, tt.want)
		}
	}
}
