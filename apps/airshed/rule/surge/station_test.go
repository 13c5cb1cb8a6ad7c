package surge_test

import (
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// TestTheStationsAreThoseOfTheList promises fifteen border stations and five
// interior ones, each named once, with Rohini inside and Dwarka twice.
func TestTheStationsAreThoseOfTheList(t *testing.T) {
	seen, roles := map[string]bool{}, map[surge.Role]int{}
	for _, s := range surge.Stations() {
		if _, err := aqi.ParseSite(string(s.Site)); err != nil || seen[string(s.Site)] || seen[s.Name] {
			t.Errorf("%s %s: %v, or there twice", s.Site, s.Name, err)
		}
		seen[string(s.Site)], seen[s.Name] = true, true
		roles[s.Role]++
		if s.Lat < 28.4 || s.Lat > 28.9 || s.Lon < 76.9 || s.Lon > 77.4 {
			t.Errorf("%s does not lie in Delhi: %f, %f", s.Name, s.Lat, s.Lon)
		}
		if (s.Role == surge.Border) != (len(s.Faces) > 0) {
			t.Errorf("%s is %s and faces %v", s.Name, s.Role, s.Faces)
		}
	}
	if roles[surge.Border] != 15 || roles[surge.Interior] != 5 {
		t.Errorf("got %v, want 15 and 5", roles)
	}
	if s := station(t, "site_1430"); s.Role != surge.Interior {
		t.Errorf("%s is %s, and no border is near", s.Name, s.Role)
	}
}

// TestAStationIsMatchedByNumberElseByNameAndPlace promises that neither a name nor
// a place alone is enough.
func TestAStationIsMatchedByNumberElseByNameAndPlace(t *testing.T) {
	for _, tt := range []struct {
		name     string
		site     aqi.Site
		written  string
		lat, lon float64
		want     aqi.Site
	}{
		{"by number, whatever the name", "site_301", "elsewhere", 0, 0, "site_301"},
		{"as the open data feed writes it", "", "Alipur, Delhi - DPCC", 28.815329, 77.15301, "site_5024"},
		{"another spelling", "", "  ANAND  VIHAR", 28.646835, 77.316032, "site_301"},
		{"the other coordinates in circulation, 90 m off", "", "Anand Vihar, Delhi - DPCC", 28.647622, 77.315809, "site_301"},
		{"commas of its own", "", "IHBAS, Dilshad Garden, Delhi - CPCB", 28.6811736, 77.3025234, "ihbas-dilshad-garden"},
		{"an unlisted number of a station whose number we lack", "site_122", "DTU, Delhi - CPCB", 28.7500499, 77.1112615, "dtu"},
		{"another number than ours", "site_9", "Alipur, Delhi - DPCC", 28.815329, 77.15301, ""},
		{"the right name 5.4 km off", "", "Alipur", 28.8, 77.1, ""},
		{"Dwarka is two stations", "", "Dwarka", 28.59, 77.05, ""},
		{"the right place, another name", "", "Alipur Two", 28.815329, 77.15301, ""},
		{"no name", "", "", 28.815329, 77.15301, ""},
	} {
		got, ok := surge.Match(surge.Stations(), tt.site, tt.written, tt.lat, tt.lon)
		if got.Site != tt.want || ok != (tt.want != "") {
			t.Errorf("%s: got %q, want %q", tt.name, got.Site, tt.want)
		}
	}
}

// FuzzMatch promises that a match by name is never farther off than a kilometre,
// seen from its latitude alone: a degree is 111 km.
func FuzzMatch(f *testing.F) {
	f.Add("site_5024", "Alipur, Delhi - DPCC", 28.8, 77.1)
	f.Add("", "\xff,Delhi - ", 0.0, 0.0)
	f.Fuzz(func(t *testing.T, site, name string, lat, lon float64) {
		s, ok := surge.Match(surge.Stations(), aqi.Site(site), name, lat, lon)
		if ok && s.Site != aqi.Site(site) && (lat-s.Lat > 0.01 || s.Lat-lat > 0.01) {
			t.Errorf("%q at %f was taken for %s", name, lat, s.Name)
		}
	})
}
