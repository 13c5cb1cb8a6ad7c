package madeup

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// A Cut is the part of a season that an analyst has before them.
type Cut struct {
	City     int       // whose stations
	Since    time.Time // from when on there are readings; the season's beginning where it is zero
	At       time.Time // when it was put together, and until when there are readings
	Wind     *lake.Wind
	From, To time.Time // while fires were looked for
	Sparse   int       // of so many days one has passes, and nothing came of the others; 0 and 1: all have
}

// came reports whether the rows of a moment's passes came.
func (c Cut) came(at time.Time) bool {
	day := int(at.Sub(Begin()) / (24 * time.Hour))
	return c.Sparse < 2 || day%c.Sparse == 0
}

// cloudEvery is how many degrees the figures of cloud lie apart.
const cloudEvery = 1.0

// Object is a cut of the season as a file of the data lake, which is what the
// analysis reads. No stubble forecast is made for a land that does not exist.
func (s *Season) Object(c Cut) (*lake.Object, error) {
	readings, err := s.Readings(c.City, c.Since, c.At)
	if err != nil {
		return nil, err
	}
	o := &lake.Object{Time: c.At, Air: s.rows(c.City, readings), Fires: []lake.Fire{}, Looked: lake.Span{From: c.From, To: c.To},
		Wind: c.Wind}
	for _, d := range s.Detections(c.From, c.To) {
		if c.came(d.Time) {
			o.Fires = append(o.Fires, lake.FireOf(d))
		}
	}
	for day := c.From.Truncate(24 * time.Hour); day.Before(c.To); day = day.AddDate(0, 0, 1) {
		for _, pass := range []float64{afternoon, midnight} {
			o.Cloud = append(o.Cloud, s.cloudAt(day.Add(time.Duration(pass*float64(time.Hour))).Truncate(time.Minute))...)
		}
	}
	return o, nil
}

// rows puts the readings of a station's hour together; they follow each other.
func (s *Season) rows(city int, readings []aqi.Reading) (out []lake.Air) {
	for _, r := range readings {
		if n := len(out); n > 0 && out[n-1].Site == r.Site && out[n-1].Time.Equal(r.Hour.End()) {
			out[n-1].Values = append(out[n-1].Values, lake.Value{Pollutant: r.Pollutant, Amount: r.Amount})
			continue
		}
		stations := s.Cities[city].Stations
		st := stations[slices.IndexFunc(stations, func(st surge.Station) bool { return st.Site == r.Site })]
		out = append(out, lake.Air{Station: st.Name, Site: st.Site, Time: r.Hour.End(), Lat: st.Lat, Lon: st.Lon, Basis: lake.Measured,
			Values: []lake.Value{{Pollutant: r.Pollutant, Amount: r.Amount}}})
	}
	return out
}

// cloudAt is what part of every cell of the land was under cloud at a moment.
func (s *Season) cloudAt(at time.Time) (out []lake.Cloud) {
	for lat := south + cloudEvery/2; lat < north; lat += cloudEvery {
		for lon := west + cloudEvery/2; lon < east; lon += cloudEvery {
			const n = 4
			covered := 0
			for i := range n * n {
				y, x := (float64(i/n)+0.5)/n-0.5, (float64(i%n)+0.5)/n-0.5
				if s.weather.overcast(lat+cloudEvery*y, lon+cloudEvery*x, since(at)) {
					covered++
				}
			}
			out = append(out, lake.Cloud{Time: at, Lat: lat, Lon: lon, Fraction: float64(covered) / (n * n)})
		}
	}
	return out
}
