package analysis

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/seedmethod"
)

// sightings are the fires of an object, made ready. Rows far from every station
// are only counted: a file may hold the whole world.
type sightings struct {
	rows      int
	elsewhere int
	dayOnly   int
	unusable  map[string]int
	raw       []fire.Detection // near enough, sure or not: what the satellites' passes are known by
	sifted    fire.Sifted      // and placed
	legacy    []seedmethod.Fire
	disagreed int
	rowPlaced int
	watched   watching // between the passes; no part of the others
}

// The reasons why a row cannot be weighed.
const (
	noSatellite      = "no_satellite"
	unknownSatellite = string(fire.UnknownSatellite)
	noPower          = "no_power"
	oddConfidence    = "confidence_of_another_instrument"
)

// sight makes detections of the rows about fires, and sifts and places them.
func (d *Dataset) sight() sightings {
	o := d.from
	s := sightings{rows: len(o.Fires), unusable: map[string]int{}}
	near := d.area()
	var doubtful []int // rows no transport claim can rest on; the circle counts them
	for i, f := range o.Fires {
		within := f.Lat >= near.South && f.Lat <= near.North && f.Lon >= near.West && f.Lon <= near.East
		if by, is := d.rules.Watch.Called(f.Satellite); is {
			s.rows--
			if within {
				s.watched.take(d.rules.look(f, by, i+1))
			}
			continue
		}
		if !within {
			s.elsewhere++
			continue
		}
		if f.DayOnly {
			s.dayOnly++
			doubtful = append(doubtful, i)
			continue
		}
		det, why := d.rules.detection(f)
		if why != "" {
			s.unusable[why]++
			doubtful = append(doubtful, i)
			continue
		}
		det.Line = i + 1
		s.raw = append(s.raw, det)
	}
	s.sifted = d.rules.Fire.Sift(s.raw, d.rules.Satellites, d.rules.Mask)
	for i := range s.sifted.Kept {
		k := &s.sifted.Kept[i]
		k.Place = d.place(&s, o.Fires[k.Line-1])
	}
	s.legacy = seedmethod.Of(s.sifted.Kept)
	for _, i := range doubtful {
		f := o.Fires[i]
		if !unsure(f.Confidence) {
			s.legacy = append(s.legacy, seedmethod.Fire{At: fire.Point{Lat: f.Lat, Lon: f.Lon}, Time: f.Time, DayOnly: f.DayOnly,
				Place: d.place(&s, f)})
		}
	}
	d.watch(&s)
	return s
}

// aroundStations is how many degrees around the stations fires are looked at where
// no wind says how far air can be followed; all of Punjab lies within.
const aroundStations = 6

// area is where fires are looked at.
func (d *Dataset) area() plume.Area {
	a := plume.Area{South: 90, North: -90, West: 180, East: -180}
	for _, s := range d.rules.Stations {
		a.South, a.North = min(a.South, s.Lat-aroundStations), max(a.North, s.Lat+aroundStations)
		a.West, a.East = min(a.West, s.Lon-aroundStations), max(a.East, s.Lon+aroundStations)
	}
	if d.grid != nil {
		r := plume.Reach(d.grid.Shape())
		a.South, a.North, a.West, a.East = min(a.South, r.South), max(a.North, r.North), min(a.West, r.West), max(a.East, r.East)
	}
	return a
}

// span is how long it is from the first fire that counts to the last.
func (s sightings) span() time.Duration {
	if len(s.sifted.Kept) == 0 {
		return 0
	}
	return s.sifted.Kept[len(s.sifted.Kept)-1].Time.Sub(s.sifted.Kept[0].Time)
}

// between is the fires that count from one moment to another, both included.
func (s sightings) between(from, to time.Time) []fire.Detection {
	kept := s.sifted.Kept
	first, _ := slices.BinarySearchFunc(kept, from, func(d fire.Detection, t time.Time) int { return d.Time.Compare(t) })
	last, _ := slices.BinarySearchFunc(kept, to.Add(time.Nanosecond), func(d fire.Detection, t time.Time) int { return d.Time.Compare(t) })
	return kept[first:max(first, last)]
}

// districts reports whether the district of any fire that was in time is known.
func (s sightings) districts(f Fires) bool {
	return slices.ContainsFunc(s.between(f.From, f.To), func(k fire.Detection) bool { return k.Place.District != "" })
}

// detection makes a detection of a row, or says why it cannot be weighed.
func (r Rules) detection(f lake.Fire) (d fire.Detection, why string) {
	sensor, ok := r.sensor(f)
	switch {
	case f.Satellite == "":
		return d, noSatellite
	case !ok:
		return d, unknownSatellite
	case !(f.FRP > 0):
		return d, noPower
	}
	d = fire.Detection{
		At: fire.Point{Lat: f.Lat, Lon: f.Lon}, Time: f.Time.UTC(), Satellite: sensor.Satellite, Instrument: sensor.Instrument,
		Bright: f.Bright, Scan: f.Scan, Track: f.Track, FRP: f.FRP, Light: light(f), Version: f.Version,
	}
	if d.Scan == 0 || d.Track == 0 {
		d.Scan, d.Track = pixel(sensor.Instrument), pixel(sensor.Instrument)
	}
	if f.Kind != "" {
		d.Kind = fire.Vegetation + fire.Kind(f.Kind[0]-'0')
	}
	if d.Confidence, d.Percent = sure(sensor.Instrument, f.Confidence); d.Confidence == 0 {
		return d, oddConfidence
	}
	return d, ""
}

// sensor finds the satellite of a row by its name or code.
func (r Rules) sensor(f lake.Fire) (fire.Sensor, bool) {
	for _, s := range r.Satellites.Sensors {
		if f.Instrument != "" && !strings.EqualFold(f.Instrument, string(s.Instrument)) {
			continue
		}
		if strings.EqualFold(f.Satellite, string(s.Satellite)) ||
			slices.ContainsFunc(s.Codes, func(c string) bool { return strings.EqualFold(c, f.Satellite) }) {
			return s, true
		}
	}
	return fire.Sensor{}, false
}

// pixel is the side of an instrument's pixel in km, straight below it.
func pixel(i fire.Instrument) float64 {
	if i == fire.VIIRS {
		return 0.375
	}
	return 1
}

// light is by day or by night, as the row says or else by the sun's mean hour
// there: six to six is day.
func light(f lake.Fire) fire.Light {
	switch f.Light {
	case "D":
		return fire.Day
	case "N":
		return fire.Night
	}
	t := f.Time.Add(time.Duration(f.Lon / 15 * float64(time.Hour))).UTC()
	if t.Hour() >= 6 && t.Hour() < 18 {
		return fire.Day
	}
	return fire.Night
}

// The percentages at which the classes of MODIS begin.
const (
	nominalFrom = 30
	highFrom    = 80
)

// sure reads how sure a detection is, VIIRS in classes and MODIS in percent. One is
// never taken for the other.
func sure(i fire.Instrument, s string) (fire.Confidence, int) {
	n, err := strconv.Atoi(s)
	switch {
	case i == fire.MODIS && err == nil && n < nominalFrom:
		return fire.Low, n
	case i == fire.MODIS && err == nil && n < highFrom:
		return fire.Nominal, n
	case i == fire.MODIS && err == nil:
		return fire.High, n
	case i == fire.MODIS || s == "":
		return 0, -1
	}
	switch s[0] {
	case 'l':
		return fire.Low, -1
	case 'n':
		return fire.Nominal, -1
	case 'h':
		return fire.High, -1
	}
	return 0, -1
}

// percentOf reads a percentage of confidence.
func percentOf(s string) (n int, ok bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 0 && n <= 100
}

// unsure reports whether a row of any kind says of itself that it is doubtful.
func unsure(s string) bool {
	n, err := strconv.Atoi(s)
	return s == "l" || s == "low" || err == nil && n < nominalFrom
}
