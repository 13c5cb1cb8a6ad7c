package feed

import (
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/platform/fault"
)

// OpenAQBase is where the archive of measurements is.
const OpenAQBase = "https://api.openaq.org"

// Bounds of one answer, and of what is read page by page.
const (
	MaxOpenAQ     = 16 << 20
	OpenAQRows    = 1000 // asked for at once
	MaxOpenAQPage = 60   // of one question: seven years of hours
	maxSensors    = 200  // of one location
)

// asked is a request of the archive: the key goes in a header.
func asked(base, key, path string, of map[string]string) (Request, error) {
	if err := checkKey("the archive of measurements", key); err != nil {
		return Request{}, err
	}
	at, err := address(base, path)
	if err != nil {
		return Request{}, err
	}
	if of != nil {
		at += query(of)
	}
	return bounded(Request{Shown: at, url: at, secret: key, header: "X-API-Key"})
}

func badPage(page int) bool { return page < 1 || page > MaxOpenAQPage }

// Locations makes the request for the stations in a box that measure PM2.5 or
// anything else, from page 1 on.
func Locations(base, key string, box Box, page int) (Request, error) {
	if err := box.check(); err != nil || badPage(page) {
		return Request{}, fault.New(fault.Invalid, "stations are asked for in a box, on pages 1 to %d", MaxOpenAQPage)
	}
	return asked(base, key, "/v3/locations", map[string]string{
		"bbox": box.String(), "limit": strconv.Itoa(OpenAQRows), "page": strconv.Itoa(page)})
}

// Latest makes the request for the last value of every sensor of a location.
func Latest(base, key string, location int64) (Request, error) {
	if location < 1 {
		return Request{}, fault.New(fault.Invalid, "%d is no location", location)
	}
	return asked(base, key, "/v3/locations/"+strconv.FormatInt(location, 10)+"/latest", nil)
}

// HourlyMeans makes the request for the hours of a sensor that end after from and
// not after to, from page 1 on.
func HourlyMeans(base, key string, sensor int64, from, to time.Time, page int) (Request, error) {
	if sensor < 1 || !from.Before(to) || !believed(from.UTC()) || !believed(to.UTC()) || badPage(page) {
		return Request{}, fault.New(fault.Invalid, "hours are asked for of a sensor, from a moment to a later one, on pages 1 to %d",
			MaxOpenAQPage)
	}
	return asked(base, key, "/v3/sensors/"+strconv.FormatInt(sensor, 10)+"/hours", map[string]string{
		"datetime_from": from.UTC().Format(time.RFC3339), "datetime_to": to.UTC().Format(time.RFC3339),
		"limit": strconv.Itoa(OpenAQRows), "page": strconv.Itoa(page)})
}

// A Location is a place the archive has measurements of.
type Location struct {
	ID             int64
	Name, Locality string
	Country        string // its two letters
	Provider       string
	Lat, Lon       float64
	Sensors        []Sensor
	First, Last    time.Time // of its measurements; zero where it never gave any
}

// A Sensor is an instrument for one thing at a location.
type Sensor struct {
	ID        int64
	Pollutant aqi.Pollutant
	Unit      string
}

// Alive reports whether the location gave anything in the time up to a moment.
// Many do not any more: the archive keeps them on its list.
func (l Location) Alive(at time.Time, within time.Duration) bool {
	return !l.Last.IsZero() && !l.Last.Before(at.Add(-within))
}

// Places are a page of locations.
type Places struct {
	Locations []Location
	Received  int // rows of the page, readable or not
}

// twice is a moment as the archive gives it.
type twice struct {
	UTC string `json:"utc"`
}

func (t *twice) moment() time.Time {
	if t == nil {
		return time.Time{}
	}
	return moment(t.UTC)
}

type place struct {
	Latitude  *float64 `json:"latitude"`
	Longitude *float64 `json:"longitude"`
}

func (p *place) at() (lat, lon float64, ok bool) {
	if p == nil || p.Latitude == nil || p.Longitude == nil || !onGlobe(*p.Latitude, *p.Longitude) {
		return 0, 0, false
	}
	return *p.Latitude, *p.Longitude, true
}

type parameter struct {
	Name  string `json:"name"`
	Units string `json:"units"`
}

type locations struct {
	Results *[]struct {
		ID       int64  `json:"id"`
		Name     string `json:"name"`
		Locality string `json:"locality"`
		Country  struct {
			Code string `json:"code"`
		} `json:"country"`
		Provider struct {
			Name string `json:"name"`
		} `json:"provider"`
		Coordinates *place `json:"coordinates"`
		Sensors     []struct {
			ID        int64     `json:"id"`
			Parameter parameter `json:"parameter"`
		} `json:"sensors"`
		First *twice `json:"datetimeFirst"`
		Last  *twice `json:"datetimeLast"`
	} `json:"results"`
}

// ParseLocations reads a page of locations. Those without a number or a place are
// left out, and so are sensors for what the index does not know.
func ParseLocations(body []byte) (Places, error) {
	var in locations
	if err := decode(body, MaxOpenAQ, "the list of locations", &in); err != nil {
		return Places{}, err
	}
	if in.Results == nil {
		return Places{}, fault.New(fault.Invalid, "the answer holds no list of locations")
	}
	if len(*in.Results) > OpenAQRows {
		return Places{}, fault.New(fault.TooLarge, "a page of more than %d locations", OpenAQRows)
	}
	out := Places{Received: len(*in.Results)}
	for _, r := range *in.Results {
		lat, lon, ok := r.Coordinates.at()
		if !ok || r.ID < 1 || len(r.Sensors) > maxSensors {
			continue
		}
		l := Location{ID: r.ID, Name: name(r.Name), Locality: name(r.Locality), Country: name(r.Country.Code),
			Provider: name(r.Provider.Name),
			Lat:      lat, Lon: lon, First: r.First.moment(), Last: r.Last.moment()}
		for _, s := range r.Sensors {
			if p, err := aqi.ParsePollutant(s.Parameter.Name); err == nil && s.ID > 0 {
				l.Sensors = append(l.Sensors, Sensor{ID: s.ID, Pollutant: p, Unit: name(s.Parameter.Units)})
			}
		}
		out.Locations = append(out.Locations, l)
	}
	return out, nil
}

// A Last is the latest value of a sensor, in the sensor's unit. The value may be
// anything: it shows that a sensor lives, and is no reading of an hour.
type Last struct {
	Sensor int64
	At     time.Time
	Value  float64
}

// ParseLatest reads the latest values of a location. Those without a moment are
// left out.
func ParseLatest(body []byte) ([]Last, error) {
	var in struct {
		Results *[]struct {
			Datetime *twice   `json:"datetime"`
			Value    *float64 `json:"value"`
			Sensor   int64    `json:"sensorsId"`
		} `json:"results"`
	}
	if err := decode(body, MaxOpenAQ, "the list of latest values", &in); err != nil {
		return nil, err
	}
	if in.Results == nil || len(*in.Results) > OpenAQRows {
		return nil, fault.New(fault.Invalid, "the answer holds no list of latest values, or more than %d", OpenAQRows)
	}
	var out []Last
	for _, r := range *in.Results {
		if at := r.Datetime.moment(); !at.IsZero() && r.Value != nil && r.Sensor > 0 {
			out = append(out, Last{Sensor: r.Sensor, At: at, Value: *r.Value})
		}
	}
	return out, nil
}
