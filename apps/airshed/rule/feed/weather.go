package feed

import (
	"bytes"
	"encoding/json"
	"math"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// A SpeedUnit is what wind speeds are given in.
type SpeedUnit string

// The units that can be read. Any other is refused.
const (
	MetresASecond    SpeedUnit = "m/s"
	KilometresAnHour SpeedUnit = "km/h"
)

const (
	perMetreASecond = 3.6  // kilometres an hour
	fullCircle      = 360  // degrees
	mostRain        = 1000 // mm in an hour
)

// A Wind is where the air goes, hour by hour, in metres a second. What is missing
// is not a number.
type Wind struct {
	U, V []float64
}

// A Cell is the weather of one place, hour by hour in UTC. Its place is that of
// the model's cell, not the one that was asked for.
type Cell struct {
	Lat, Lon float64
	Start    time.Time
	Hours    int
	Wind     map[wind.Level]Wind
	Mixing   []float64 // m; nil where the model has none
	Cloud    []float64 // 0 to 1
	Rain     []float64 // mm
	Between  bool      // 100 m is the mean of 80 and 120 m
	Refused  int       // values that no weather has, taken as missing
}

type meteo struct {
	Error     bool                       `json:"error"`
	Reason    string                     `json:"reason"`
	Latitude  *float64                   `json:"latitude"`
	Longitude *float64                   `json:"longitude"`
	Offset    int                        `json:"utc_offset_seconds"`
	Units     map[string]string          `json:"hourly_units"`
	Hourly    map[string]json.RawMessage `json:"hourly"`
}

// ParseWeather reads the answer for one place or for many, in their order. The
// answer must say that its speeds are in the unit declared: who forgot to ask for
// metres a second is given kilometres an hour, which look like a storm.
func ParseWeather(body []byte, declared SpeedUnit) ([]Cell, error) {
	if declared != MetresASecond && declared != KilometresAnHour {
		return nil, fault.New(fault.Invalid, "wind speeds are read in m/s or, where that is declared, in km/h")
	}
	if len(body) > MaxMeteo {
		return nil, fault.New(fault.TooLarge, "the weather has more than %d MB", MaxMeteo>>20)
	}
	var in []meteo
	if trimmed := bytes.TrimLeft(body, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '[' {
		if err := decode(body, MaxMeteo, "the weather", &in); err != nil {
			return nil, err
		}
	} else {
		in = make([]meteo, 1)
		if err := decode(body, MaxMeteo, "the weather", &in[0]); err != nil {
			return nil, err
		}
	}
	if len(in) == 0 || len(in) > MaxPlaces {
		return nil, fault.New(fault.Invalid, "the weather of %d places; 1 to %d can be read", len(in), MaxPlaces)
	}
	out := make([]Cell, 0, len(in))
	for i := range in {
		c, err := in[i].cell(declared)
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

func (m *meteo) cell(declared SpeedUnit) (Cell, error) {
	if m.Error {
		return Cell{}, fault.New(fault.Invalid, "the weather service says %.120q", name(m.Reason))
	}
	if m.Latitude == nil || m.Longitude == nil || !onGlobe(*m.Latitude, *m.Longitude) {
		return Cell{}, fault.New(fault.Invalid, "the weather is of no place on the globe")
	}
	c := Cell{Lat: *m.Latitude, Lon: *m.Longitude, Wind: map[wind.Level]Wind{}}
	if err := m.hours(&c); err != nil {
		return Cell{}, err
	}
	if err := m.winds(&c, declared); err != nil {
		return Cell{}, err
	}
	var err error
	if c.Mixing, err = m.column(&c, mixingColumn, "m", wind.Highest); err != nil {
		return Cell{}, err
	}
	if c.Rain, err = m.column(&c, rainColumn, "mm", mostRain); err != nil {
		return Cell{}, err
	}
	if c.Cloud, err = m.column(&c, cloudColumn, "%", 100); err != nil {
		return Cell{}, err
	}
	for i := range c.Cloud {
		c.Cloud[i] /= 100
	}
	return c, nil
}

// hours reads the times, which must be every full hour from the first on.
func (m *meteo) hours(c *Cell) error {
	var times []string
	if err := json.Unmarshal(m.Hourly["time"], &times); err != nil || len(times) == 0 || len(times) > maxHours {
		return fault.New(fault.Invalid, "the weather has no hours, more than %d, or times that are no text", maxHours)
	}
	if m.Offset < -24*3600 || m.Offset > 24*3600 {
		return fault.New(fault.Invalid, "the weather is in the time of no place")
	}
	for i, s := range times {
		t, err := time.Parse("2006-01-02T15:04", s)
		if err != nil || !believed(t) {
			return fault.New(fault.Invalid, "hour %d of the weather is %.40q", i+1, s)
		}
		t = t.Add(-time.Duration(m.Offset) * time.Second)
		if i == 0 {
			c.Start = t
		}
		if !t.Equal(c.Start.Add(time.Duration(i) * time.Hour)) {
			return fault.New(fault.Invalid, "the hours of the weather do not follow each other at %.40q", s)
		}
	}
	c.Hours = len(times)
	return nil
}

// winds reads every level there is.
func (m *meteo) winds(c *Cell, declared SpeedUnit) error {
	read := map[string]Wind{}
	for _, h := range []string{"10m", "80m", "100m", "120m", "925hPa", "850hPa"} {
		top := float64(wind.Fastest)
		if declared == KilometresAnHour {
			top *= perMetreASecond
		}
		speed, err := m.column(c, "wind_speed_"+h, string(declared), top)
		if err != nil {
			return err
		}
		from, err := m.column(c, "wind_direction_"+h, "°", fullCircle)
		if err != nil {
			return err
		}
		if (speed == nil) != (from == nil) {
			return fault.New(fault.Invalid, "the wind at %s has a speed without a direction, or a direction without a speed", h)
		}
		if speed == nil {
			continue
		}
		w := Wind{U: make([]float64, c.Hours), V: make([]float64, c.Hours)}
		for i := range speed {
			if declared == KilometresAnHour {
				speed[i] /= perMetreASecond
			}
			w.U[i], w.V[i] = wind.FromDirection(speed[i], from[i]) // not a number, if either is not
		}
		read[h] = w
	}
	for _, l := range wind.Levels() {
		if w, ok := read[string(l)]; ok {
			c.Wind[l] = w
		}
	}
	low, ok1 := read["80m"]
	high, ok2 := read["120m"]
	if _, ok := c.Wind[wind.M100]; !ok && ok1 && ok2 {
		c.Wind[wind.M100], c.Between = between(low, high), true
	}
	if len(c.Wind) == 0 {
		return fault.New(fault.Invalid, "the weather has no wind")
	}
	return nil
}

// between is the wind halfway between two heights. Directions are never averaged,
// only where the air goes.
func between(a, b Wind) Wind {
	out := Wind{U: make([]float64, len(a.U)), V: make([]float64, len(a.V))}
	for i := range a.U {
		out.U[i], out.V[i] = (a.U[i]+b.U[i])/2, (a.V[i]+b.V[i])/2
	}
	return out
}

// column reads a column of numbers and nulls in a unit that is the expected one,
// nil where there is none. A value below nought or above the most there can be is
// missing, and counted.
func (m *meteo) column(c *Cell, of, unit string, most float64) ([]float64, error) {
	raw, ok := m.Hourly[of]
	if !ok {
		return nil, nil
	}
	if got := m.Units[of]; got != unit {
		return nil, fault.New(fault.Invalid, "the weather gives %s in %.20q, not in %s", of, name(got), unit)
	}
	var in []*float64
	if err := json.Unmarshal(raw, &in); err != nil || len(in) != c.Hours {
		return nil, fault.New(fault.Invalid, "the weather's %s is not one number for each hour", of)
	}
	out := make([]float64, len(in))
	for i, v := range in {
		switch {
		case v == nil:
			out[i] = math.NaN()
		case !(*v >= 0 && *v <= most):
			out[i], c.Refused = math.NaN(), c.Refused+1
		default:
			out[i] = *v
		}
	}
	return out, nil
}

// fill sets what the cell knows at one node.
func (c Cell) fill(g Nodes, row, col int) error {
	for _, l := range wind.Levels() {
		w, ok := c.Wind[l]
		if !ok {
			continue
		}
		for t := range c.Hours {
			if math.IsNaN(w.U[t]) || math.IsNaN(w.V[t]) {
				continue
			}
			if err := g.Set(l, t, row, col, w.U[t], w.V[t]); err != nil {
				return err
			}
		}
	}
	for t, h := range c.Mixing {
		if math.IsNaN(h) {
			continue
		}
		if err := g.SetMixing(t, row, col, h); err != nil {
			return err
		}
	}
	return nil
}
