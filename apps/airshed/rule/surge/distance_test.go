package surge

import (
	"math"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/earth"
)

// TestDistances promises the great circle: how far off the points of the first
// design were, computed by hand to a hundred metres, and the two sets of
// coordinates of Anand Vihar.
func TestDistances(t *testing.T) {
	for _, tt := range []struct {
		site     string
		lat, lon float64
		km, give float64
	}{
		{"site_5024", 28.8, 77.1, 5.4, 0.05},
		{"dwarka-sector-8", 28.59, 77.05, 3.0, 0.05},
		{"site_1430", 28.74, 77.12, 0.8, 0.05},
		{"site_301", 28.65, 77.32, 0.5, 0.05},
		{"site_301", 28.647622, 77.315809, 0.09, 0.005},
	} {
		for _, s := range Stations() {
			if string(s.Site) != tt.site {
				continue
			}
			if got := earth.Distance(s.Lat, s.Lon, tt.lat, tt.lon); math.Abs(got-tt.km) > tt.give {
				t.Errorf("%s: got %.3f km, want %.2f", s.Name, got, tt.km)
			}
		}
	}
}
