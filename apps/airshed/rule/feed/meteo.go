package feed

import (
	"math"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Model is which of the weather service's tables is asked.
type Model string

// The models. Each has an address of its own.
const (
	Forecast Model = "forecast"            // up to 92 days back; pressure levels; 80 and 120 m instead of 100 m
	Archive  Model = "archive"             // ERA5, a quarter of a degree, about five days behind; no pressure levels
	Past     Model = "historical-forecast" // old forecasts, from 2021 or 2022 on
)

// MeteoBase is where a model is, path included.
func MeteoBase(m Model) string {
	switch m {
	case Forecast:
		return "https://api.open-meteo.com/v1/forecast"
	case Archive:
		return "https://archive-api.open-meteo.com/v1/archive"
	case Past:
		return "https://historical-forecast-api.open-meteo.com/v1/forecast"
	}
	return ""
}

// heights are the levels a model knows, as its columns are called.
func (m Model) heights() []string {
	switch m {
	case Archive:
		return []string{"10m", "100m"}
	case Forecast, Past:
		return []string{"10m", "80m", "120m", "925hPa", "850hPa"}
	}
	return nil
}

// columns are what a model is asked for.
func (m Model) columns() []string {
	var out []string
	for _, h := range m.heights() {
		out = append(out, "wind_speed_"+h, "wind_direction_"+h)
	}
	return append(out, mixingColumn, cloudColumn, rainColumn)
}

const (
	mixingColumn = "boundary_layer_height"
	cloudColumn  = "cloud_cover"
	rainColumn   = "precipitation"
)

// A Lattice is the places the wind is asked for.
type Lattice struct {
	South, West float64 // of the first place, in degrees
	Step        float64 // between places, both ways
	Rows, Cols  int     // northwards, eastwards; at least 2
}

// Over is the lattice that covers a box in steps of so many degrees.
func Over(b Box, step float64) (Lattice, error) {
	if err := b.check(); err != nil {
		return Lattice{}, err
	}
	if !(step >= 0.05 && step <= 5) {
		return Lattice{}, fault.New(fault.Invalid, "the places of a lattice lie 0.05 to 5 degrees apart")
	}
	count := func(low, high float64) int { return int(math.Ceil((high-low)/step-1e-9)) + 1 }
	l := Lattice{South: b.South, West: b.West, Step: step, Rows: count(b.South, b.North), Cols: count(b.West, b.East)}
	if l.Rows < 2 || l.Cols < 2 || l.Rows*l.Cols > MaxPlaces {
		return Lattice{}, fault.New(fault.TooLarge, "a lattice of %d × %d places; 2 × 2 to %d in all", l.Rows, l.Cols, MaxPlaces)
	}
	return l, nil
}

// Bounds of what the weather service is asked for.
const (
	MaxPlaces  = 5_000
	PlacesEach = 50 // in one request
	DaysEach   = 14 // in one request: more count as several
	maxHours   = 24 * (DaysEach + 2)
	MaxMeteo   = 32 << 20 // bytes of one answer
)

// A Place is one point of a lattice.
type Place struct {
	Row, Col int
	Lat, Lon float64
}

// Places lists the points, row by row from the south.
func (l Lattice) Places() []Place {
	out := make([]Place, 0, max(0, l.Rows)*max(0, l.Cols))
	for r := range l.Rows {
		for c := range l.Cols {
			out = append(out, Place{r, c, l.South + float64(r)*l.Step, l.West + float64(c)*l.Step})
		}
	}
	return out
}

// Weather makes the request for the hours of some days, both included, at some
// places. Wind is asked for in metres a second and times in UTC, for the service
// gives kilometres an hour otherwise.
func Weather(base string, m Model, places []Place, first, last time.Time) (Request, error) {
	days := int(last.Sub(first).Hours()/24) + 1
	switch {
	case m.heights() == nil:
		return Request{}, fault.New(fault.Invalid, "the weather service has no model %.40q", m)
	case len(places) == 0 || len(places) > PlacesEach:
		return Request{}, fault.New(fault.Invalid, "the weather service is asked about 1 to %d places at once", PlacesEach)
	case last.Before(first) || days > DaysEach || !believed(first.UTC()) || !believed(last.UTC()):
		return Request{}, fault.New(fault.Invalid, "the weather service is asked for 1 to %d days at once", DaysEach)
	}
	at, err := address(base, "")
	if err != nil {
		return Request{}, err
	}
	lats, lons := make([]string, len(places)), make([]string, len(places))
	for i, p := range places {
		if !onGlobe(p.Lat, p.Lon) {
			return Request{}, fault.New(fault.Invalid, "place %d is not on the globe", i+1)
		}
		lats[i], lons[i] = degrees(p.Lat), degrees(p.Lon)
	}
	at += query(map[string]string{
		"latitude": strings.Join(lats, ","), "longitude": strings.Join(lons, ","), "hourly": strings.Join(m.columns(), ","),
		"start_date": first.UTC().Format(time.DateOnly), "end_date": last.UTC().Format(time.DateOnly),
		"wind_speed_unit": "ms", "timezone": "GMT"})
	return bounded(Request{Shown: at, url: at})
}

// Cost is how many calls the service counts a request as: one for each place, and
// more where there are more than ten columns.
func Cost(m Model, places int) int {
	return int(math.Ceil(float64(places) * max(1, float64(len(m.columns()))/10)))
}

// farFrom is how far the cell of an answer may be from the place asked for, in
// steps of the lattice: further, and the answer is of somewhere else.
const farFrom = 1.0

// Shape is the grid that the cells of all places of a lattice fill. A cell is what
// the service found nearest; its wind stands at the place that was asked for, and
// offset says how far apart the two are at most, in degrees.
func (l Lattice) Shape(cells []Cell) (s wind.Shape, offset float64, err error) {
	places := l.Places()
	if len(cells) != len(places) || len(cells) == 0 {
		return wind.Shape{}, 0, fault.New(fault.Invalid, "%d answers of the weather for %d places", len(cells), len(places))
	}
	for i, c := range cells {
		p := places[i]
		if c.Hours != cells[0].Hours || !c.Start.Equal(cells[0].Start) {
			return wind.Shape{}, 0, fault.New(fault.Invalid, "the answers of the weather are not of the same hours")
		}
		apart := max(math.Abs(c.Lat-p.Lat), math.Abs(c.Lon-p.Lon))
		if !(apart <= farFrom*l.Step) {
			return wind.Shape{}, 0, fault.New(fault.Invalid, "asked about %.3f, %.3f the weather service answered of %.3f, %.3f", p.Lat,
				p.Lon, c.Lat, c.Lon)
		}
		offset = max(offset, apart)
	}
	return wind.Shape{South: l.South, West: l.West, DLat: l.Step, DLon: l.Step, Rows: l.Rows, Cols: l.Cols,
		Start: cells[0].Start, Every: time.Hour, Times: cells[0].Hours}, offset, nil
}

// Nodes are what cells are put on: a wind.Grid, or the lake's wind.
type Nodes interface {
	Set(level wind.Level, time, row, col int, u, v float64) error
	SetMixing(time, row, col int, metres float64) error
}

// Fill puts the cells of all places of a lattice on nodes of the lattice's Shape.
// Missing hours stay missing. 100 m is the mean of 80 and 120 m where the model has
// no 100 m.
func (l Lattice) Fill(cells []Cell, nodes Nodes) error {
	for i, p := range l.Places() {
		if err := cells[i].fill(nodes, p.Row, p.Col); err != nil {
			return err
		}
	}
	return nil
}
