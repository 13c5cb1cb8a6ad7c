package pattern_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/pattern"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

func episode(site, start string, v plume.Verdict, state, district string, satellites ...fire.Satellite) pattern.Episode {
	at, err := time.Parse(time.RFC3339, start)
	if err != nil {
		panic(err)
	}
	return pattern.Episode{Site: site, Station: "at " + site, Start: at, Verdict: v, State: state, District: district,
		Satellites: satellites}
}

// TestWhatIsNotSettledNamesNobody promises that a state and a district are counted for
// conclusive episodes only, and that the others are counted, apart.
func TestWhatIsNotSettledNamesNobody(t *testing.T) {
	p := pattern.Of([]pattern.Episode{
		episode("a", "2025-11-02T10:30:00Z", plume.Conclusive, "Punjab", "Sangrur, Punjab", "NOAA-20"),
		episode("a", "2025-11-04T10:30:00Z", plume.Conclusive, "Punjab", "", "NOAA-20"),
		episode("b", "2025-11-06T10:30:00Z", plume.Inconclusive, "Haryana", "Jind, Haryana", "NOAA-20"),
		episode("b", "2025-11-08T10:30:00Z", plume.Unattributed, "", "", "NOAA-20"),
	}, after, aqi.India())
	if want := (pattern.Tally{Episodes: 4, Conclusive: 2, Inconclusive: 1, Unattributed: 1}); p.All != want {
		t.Errorf("got %+v, want %+v", p.All, want)
	}
	if got := fmt.Sprint(p.States); got != "[{Punjab  {2 2 0 0}}]" {
		t.Errorf("states: got %s", got)
	}
	if got := fmt.Sprint(p.Districts); got != "[{Sangrur, Punjab  {1 1 0 0}}]" || p.Undivided != 1 {
		t.Errorf("districts: got %s, and %d without", got, p.Undivided)
	}
	if got := fmt.Sprint(p.Stations); got != "[{a at a {2 2 0 0}} {b at b {2 0 1 1}}]" {
		t.Errorf("stations: got %s", got)
	}
}

// TestHoursAndMonthsGoByTheClockOfTheZone promises that an episode counts in the hour
// and the month people saw on the wall.
func TestHoursAndMonthsGoByTheClockOfTheZone(t *testing.T) {
	p := pattern.Of([]pattern.Episode{episode("a", "2025-10-31T19:30:00Z", plume.Inconclusive, "", "")}, after, aqi.India())
	if len(p.Hours) != 24 || len(p.Months) != 12 || p.Hours[1].Episodes != 1 || p.Months[10].Episodes != 1 || p.Hours[1].Key != "1" ||
		p.Months[10].Key != "11" {
		t.Errorf("01:00 on 1 November in India: got %v, %v", p.Hours, p.Months)
	}
}

// TestSeasonsUnderOtherSatellitesSaySo promises that a season is marked whose
// satellites are not those of the one before it, and one of which nobody noted them.
func TestSeasonsUnderOtherSatellitesSaySo(t *testing.T) {
	p := pattern.Of([]pattern.Episode{
		episode("a", "2023-10-20T10:30:00Z", plume.Conclusive, "Punjab", "", "NOAA-20", "Suomi-NPP"),
		episode("a", "2024-10-20T10:30:00Z", plume.Conclusive, "Punjab", "", "Suomi-NPP", "NOAA-20"),
		episode("a", "2025-09-14T10:30:00Z", plume.Conclusive, "Punjab", "", "NOAA-21"),
		episode("a", "2025-09-15T10:30:00Z", plume.Conclusive, "Punjab", "", "NOAA-20"),
		episode("a", "2025-11-30T10:30:00Z", plume.Conclusive, "Punjab", "", "NOAA-21"),
		episode("a", "2026-10-20T10:30:00Z", plume.Conclusive, "Punjab", ""),
		episode("a", "2026-04-20T10:30:00Z", plume.Conclusive, "Haryana", "", "NOAA-21"),
	}, after, aqi.India())
	var got []string
	for _, s := range p.Seasons {
		got = append(got, fmt.Sprintf("%d %s %d %v %t", s.Year, s.Kind, s.Episodes, s.Satellites, s.Other))
	}
	want := []string{"2026 paddy 1 [] true", "2026 wheat 1 [NOAA-21] false", "2025 paddy 2 [NOAA-20 NOAA-21] true",
		"2025 rest 1 [NOAA-21] false",
		"2024 paddy 1 [NOAA-20 Suomi-NPP] false", "2023 paddy 1 [NOAA-20 Suomi-NPP] false"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
	if got := fmt.Sprint(p.Watched()); got != "[NOAA-20 NOAA-21 Suomi-NPP]" {
		t.Errorf("watched by %s", got)
	}
}
