package analysis

import (
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// air is what is known of the stations.
type air struct {
	stations     []surge.Station
	tracks       []surge.Track
	hours        map[aqi.Site]aqi.Hours  // of stations with measured hours
	rows         map[aqi.Site][]lake.Air // by time
	left         []Left
	others       int // rows of stations that are not on the list
	contradicted int // readings left out because others of the same hour disagree
}

// readAir makes tracks of rows, in the order of the stations. One without rows has
// an empty track, so that the scan lists it as left out.
func readAir(rows []lake.Air, stations []surge.Station) (air, error) {
	a := air{stations: stations, hours: map[aqi.Site]aqi.Hours{}, rows: map[aqi.Site][]lake.Air{}}
	type name struct {
		site     aqi.Site
		station  string
		lat, lon float64
	}
	known := map[name]aqi.Site{} // a name comes again every hour
	for _, r := range rows {
		n := name{r.Site, r.Station, r.Lat, r.Lon}
		site, again := known[n]
		if !again {
			site = match(stations, r)
			known[n] = site
		}
		if site == "" {
			a.others++
			continue
		}
		a.rows[site] = append(a.rows[site], r)
	}
	hourly := false
	for _, role := range []surge.Role{surge.Border, surge.Interior} {
		for _, s := range stations {
			if s.Role != role {
				continue
			}
			t, err := a.track(s, hourly)
			if err != nil {
				return air{}, err
			}
			a.tracks = append(a.tracks, t)
		}
		hourly = slices.ContainsFunc(a.tracks, func(t surge.Track) bool { return t.Basis() == surge.Concentration })
	}
	return a, nil
}

// match finds the station of a row, none where it is not on the list. The first
// design puts Alipur 5.4 km from where it stands; that very point under that very
// name is meant, and no other liberty is taken.
func match(stations []surge.Station, r lake.Air) aqi.Site {
	if s, ok := surge.Match(stations, r.Site, r.Station, r.Lat, r.Lon); ok {
		return s.Site
	}
	if r.Site == "" && r.Station == "Alipur" && r.Lat == 28.8 && r.Lon == 77.1 {
		if s, ok := surge.Match(stations, "site_5024", "", 0, 0); ok {
			return s.Site
		}
	}
	return ""
}

// track makes the track of one station: of its measured hours if these allow an
// index at all, else of the indices its rows give. An interior station needs no
// index to be compared with by the hour: then hourly is true, because some border
// station has measured hours.
func (a *air) track(s surge.Station, hourly bool) (surge.Track, error) {
	rows := a.rows[s.Site]
	measured, err := a.measured(s, rows)
	if err == nil && measured.hours.Length() > 0 && (hourly || indexed(measured)) {
		return measured.track, nil
	}
	reports := reportsOf(rows)
	given, err2 := surge.FromReports(s, reports)
	switch {
	case err == nil && err2 == nil && len(reports) > 0:
		return given, nil
	case err != nil || err2 != nil:
		a.leave(s, OutOfStep, rows)
	case len(rows) > 0:
		a.leave(s, NoIndex, rows)
	}
	return surge.FromReports(s, nil)
}

func (a *air) leave(s surge.Station, why Why, rows []lake.Air) {
	l := Left{Site: s.Site, Name: s.Name, Role: s.Role, Why: why}
	for _, r := range rows {
		if h, err := aqi.HourUntil(r.Time); err == nil && h > l.Last {
			l.Last = h
		}
	}
	a.left = append(a.left, l)
}

// A series is a track and the hours it was made of.
type series struct {
	track surge.Track
	hours aqi.Hours
}

// measured makes a track of the rows that were measured; it is empty where none
// was.
func (a *air) measured(s surge.Station, rows []lake.Air) (series, error) {
	var readings []aqi.Reading
	for _, r := range rows {
		hour, err := aqi.HourUntil(r.Time)
		if r.Basis != lake.Measured || err != nil {
			continue
		}
		for _, v := range r.Values {
			readings = append(readings, aqi.Reading{Site: s.Site, Hour: hour, Pollutant: v.Pollutant, Amount: v.Amount})
		}
	}
	all, err := aqi.Collect(readings)
	if err != nil || len(all) == 0 {
		return series{}, err
	}
	t, err := surge.FromHours(s, all[0])
	if err != nil {
		return series{}, err
	}
	a.hours[s.Site] = all[0]
	a.contradicted += all[0].Contradicted()
	return series{t, all[0]}, nil
}

// indexed reports whether any hour of a series has an index.
func indexed(s series) bool {
	for i := range s.hours.Length() {
		if s.track.Index(s.hours.First().Plus(i)) >= 0 {
			return true
		}
	}
	return false
}

// reportsOf is the indices that rows give.
func reportsOf(rows []lake.Air) []aqi.Report {
	var out []aqi.Report
	for _, r := range rows {
		hour, err := aqi.HourUntil(r.Time)
		if err == nil && r.Index > 0 {
			out = append(out, aqi.Report{Station: r.Station, Last: hour, Index: aqi.Index{Value: r.Index}})
		}
	}
	return out
}

// station is a station of the list by its site.
func (a *air) station(site aqi.Site) surge.Station {
	for _, s := range a.stations {
		if s.Site == site {
			return s
		}
	}
	return surge.Station{Site: site}
}

// trackOf is a station's track.
func (a *air) trackOf(site aqi.Site) surge.Track {
	for _, t := range a.tracks {
		if t.Station().Site == site {
			return t
		}
	}
	return surge.Track{}
}

// rowAt is the row of a station that gives an index for an hour.
func (a *air) rowAt(site aqi.Site, at aqi.Hour) (lake.Air, bool) {
	for _, r := range a.rows[site] {
		if hour, err := aqi.HourUntil(r.Time); err == nil && hour == at && r.Index > 0 {
			return r, true
		}
	}
	return lake.Air{}, false
}
