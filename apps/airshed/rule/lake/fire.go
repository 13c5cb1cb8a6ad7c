package lake

import (
	"cmp"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
)

// A Fire is one row about a fire. The first design's rows have a day and no hour;
// nothing can be said about where the smoke of such a fire went.
type Fire struct {
	Lat, Lon   float64
	Time       time.Time // UTC, to the minute; midnight where DayOnly
	DayOnly    bool
	Bright     float64 // K; 0: not given
	Confidence string  // as given: 0 to 100, or l, n, h, low, nominal, high
	State      string  // as the file says, which is no boundary's word
	District   string
	Satellite  string // as given: a code or a name
	Instrument string
	FRP        float64 // MW; 0: not given
	Light      string  // D or N; empty: not given
	Scan       float64 // km; 0: not given
	Track      float64
	Version    string
	Kind       string // 0 to 3, of the final processing only
}

// FireOf is the row that a detection makes, for whoever writes a lake object.
func FireOf(d fire.Detection) Fire {
	f := Fire{
		Lat: d.At.Lat, Lon: d.At.Lon, Time: d.Time.UTC(), Bright: d.Bright, State: d.Place.State, District: d.Place.District,
		Satellite: string(d.Satellite), Instrument: string(d.Instrument), FRP: d.FRP, Scan: d.Scan, Track: d.Track, Version: d.Version,
	}
	switch d.Light {
	case fire.Day:
		f.Light = "D"
	case fire.Night:
		f.Light = "N"
	}
	if d.Kind != fire.Unclassified {
		f.Kind = strconv.Itoa(int(d.Kind - fire.Vegetation))
	}
	f.Confidence = d.Confidence.String()
	if d.Instrument != fire.VIIRS && d.Instrument != "" {
		f.Confidence = strconv.Itoa(d.Percent)
	}
	return f
}

// earlier puts fires in an order that depends on nothing but themselves.
func (f Fire) earlier(o Fire) int {
	if c := f.Time.Compare(o.Time); c != 0 {
		return c
	}
	return cmp.Or(
		cmp.Compare(f.Satellite, o.Satellite), cmp.Compare(f.Lat, o.Lat), cmp.Compare(f.Lon, o.Lon), cmp.Compare(f.FRP, o.FRP),
		cmp.Compare(f.Bright, o.Bright), cmp.Compare(f.Confidence, o.Confidence), cmp.Compare(f.Version, o.Version),
		cmp.Compare(f.State, o.State), cmp.Compare(f.District, o.District), cmp.Compare(f.Instrument, o.Instrument),
		cmp.Compare(f.Light, o.Light), cmp.Compare(f.Scan, o.Scan), cmp.Compare(f.Track, o.Track), cmp.Compare(f.Kind, o.Kind),
		boolean(f.DayOnly)-boolean(o.DayOnly))
}

func boolean(is bool) int {
	if is {
		return 1
	}
	return 0
}
