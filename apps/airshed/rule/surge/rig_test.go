package surge_test

import (
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// first is the hour the tests' series begin with: midnight in India.
const first aqi.Hour = 979_189 // 2025-11-07T18:30Z

func station(t testing.TB, site aqi.Site) surge.Station {
	t.Helper()
	s, ok := surge.Match(surge.Stations(), site, "", 0, 0)
	if !ok {
		t.Fatalf("no station %s", site)
	}
	return s
}

// measured is a track of fine particles in whole units, -1 for none. PM10 and NO2
// are there and low, so that the fine particles make the index.
func measured(t testing.TB, site aqi.Site, pm25 ...int) surge.Track {
	t.Helper()
	var readings []aqi.Reading
	for i, v := range pm25 {
		at := first.Plus(i)
		readings = append(readings, aqi.Reading{Site: site, Hour: at, Pollutant: aqi.PM10, Amount: aqi.Micro},
			aqi.Reading{Site: site, Hour: at, Pollutant: aqi.NO2, Amount: aqi.Micro})
		if v >= 0 {
			readings = append(readings, aqi.Reading{Site: site, Hour: at, Pollutant: aqi.PM25, Amount: aqi.Amount(v) * aqi.Micro})
		}
	}
	return track(t, site, readings)
}

func track(t testing.TB, site aqi.Site, readings []aqi.Reading) surge.Track {
	t.Helper()
	all, err := aqi.Collect(readings)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d stations, %v", len(all), err)
	}
	out, err := surge.FromHours(station(t, site), all[0])
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// published is a track of a feed's indices, -1 for none.
func published(t testing.TB, site aqi.Site, indices ...int) surge.Track {
	t.Helper()
	var reports []aqi.Report
	for i, v := range indices {
		reports = append(reports, aqi.Report{Last: first.Plus(i), Index: aqi.Index{Value: v}})
	}
	out, err := surge.FromReports(station(t, site), reports)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func times(n, value int) []int { return slices.Repeat([]int{value}, n) }

func series(parts ...[]int) []int { return slices.Concat(parts...) }

func after(hours int) time.Time { return first.Plus(hours).Start() }
