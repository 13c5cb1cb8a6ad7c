package lake

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// wind reads the wind, which comes in columns or in rows.
func (r *reader) wind() error {
	var raw json.RawMessage
	if err := r.dec.Decode(&raw); err != nil {
		return unreadable(WindPart, err)
	}
	var err error
	switch {
	case string(raw) == "null":
	case raw[0] == '{':
		r.out.Wind, err = readColumns(raw)
	case raw[0] == '[':
		r.out.Wind, err = readRows(raw)
	default:
		err = fault.New(fault.Invalid, "wind_data is neither rows nor columns")
	}
	return err
}

// A lattice is a wind in columns as a file has it.
type lattice struct {
	South  float64         `json:"south"`
	West   float64         `json:"west"`
	DLat   float64         `json:"dlat"`
	DLon   float64         `json:"dlon"`
	Rows   int             `json:"rows"`
	Cols   int             `json:"cols"`
	Start  loose           `json:"start"`
	Every  int             `json:"every_minutes"`
	Times  int             `json:"times"`
	Levels []levelColumns  `json:"levels"`
	Mixing json.RawMessage `json:"blh"`
}

type levelColumns struct {
	Level wind.Level      `json:"level"`
	U     json.RawMessage `json:"u"`
	V     json.RawMessage `json:"v"`
}

func readColumns(raw json.RawMessage) (*Wind, error) {
	var l lattice
	if err := once(raw); err != nil {
		text, _ := fault.Words(err)
		return nil, fault.New(fault.Invalid, "%s: %s", WindPart, text)
	}
	if err := json.Unmarshal(raw, &l); err != nil {
		return nil, unreadable(WindPart, err)
	}
	start, err := moment("wind_data start", l.Start)
	if err != nil {
		return nil, err
	}
	if l.Every < 0 || l.Every > 24*60 {
		return nil, fault.New(fault.Invalid, "wind_data: every_minutes %d is no time between hours", l.Every)
	}
	w, err := NewWind(wind.Shape{South: l.South, West: l.West, DLat: l.DLat, DLon: l.DLon, Rows: l.Rows, Cols: l.Cols,
		Start: start, Every: time.Duration(l.Every) * time.Minute, Times: l.Times})
	if err != nil {
		return nil, err
	}
	for _, c := range l.Levels {
		if err := w.fill(c); err != nil {
			return nil, err
		}
	}
	if len(l.Mixing) > 0 && string(l.Mixing) != "null" {
		w.mixing, err = column("blh", l.Mixing, w.size(), 1, 0, wind.Highest)
	}
	return w, err
}

// fill puts one level's columns in.
func (w *Wind) fill(c levelColumns) error {
	if !slices.Contains(wind.Levels(), c.Level) || w.levels[c.Level] != nil {
		return fault.New(fault.Invalid, "wind_data: level %.20q is there twice or not one of %v", c.Level, wind.Levels())
	}
	u, err := column("u", c.U, w.size(), perMetre, -wind.Fastest, wind.Fastest)
	if err != nil {
		return err
	}
	v, err := column("v", c.V, w.size(), perMetre, -wind.Fastest, wind.Fastest)
	if err != nil {
		return err
	}
	for i := range u {
		if u[i] == missing || v[i] == missing {
			u[i], v[i] = missing, missing
		}
	}
	w.levels[c.Level] = &layer{u, v}
	return nil
}

// column reads a list of so many numbers and nulls.
func column(name string, raw json.RawMessage, size int, scale, least, most float64) ([]int16, error) {
	body, ok := bytes.CutPrefix(bytes.TrimSpace(raw), []byte("["))
	body, ok2 := bytes.CutSuffix(body, []byte("]"))
	if !ok || !ok2 {
		return nil, fault.New(fault.Invalid, "wind_data: %s is no list of numbers", name)
	}
	if n := bytes.Count(body, []byte(",")) + 1; n != size {
		return nil, fault.New(fault.Invalid, "wind_data: %s has %d values, rows × cols × times are %d", name, n, size)
	}
	out := make([]int16, 0, size)
	for cell := range bytes.SplitSeq(body, []byte(",")) {
		cell = bytes.TrimSpace(cell)
		if string(cell) == "null" {
			out = append(out, missing)
			continue
		}
		n, err := strconv.ParseFloat(string(cell), 64)
		if err != nil || !(n >= least && n <= most) {
			return nil, fault.New(fault.Invalid, "wind_data: %s of %.20q is no number from %g to %g", name, cell, least, most)
		}
		out = append(out, int16(math.Round(n*scale)))
	}
	return out, nil
}

// A windRow is the wind of one place, time and level. Degrees are whole
// hundred-thousandths, so that they can be compared.
type windRow struct {
	unix, lat, lon int64
	level          wind.Level
	u, v, mixing   float64 // NaN where nothing is said
}

const perDegree = 1e5

func readRows(raw json.RawMessage) (*Wind, error) {
	r := reader{dec: json.NewDecoder(bytes.NewReader(raw))}
	var rows []windRow
	_, err := r.each(WindPart, MaxWind, func(number int) error {
		var w struct {
			Time   loose      `json:"time"`
			Lat    loose      `json:"lat"`
			Lon    loose      `json:"lon"`
			Level  wind.Level `json:"level"`
			U      loose      `json:"u"`
			V      loose      `json:"v"`
			Mixing loose      `json:"blh"`
		}
		if err := r.decode(WindPart, number, &w); err != nil {
			return err
		}
		row := windRow{level: w.Level, u: math.NaN(), v: math.NaN(), mixing: math.NaN()}
		at, err := moment("time", w.Time)
		row.unix = at.Unix()
		number64 := func(name string, of loose, least, most float64) (n float64) {
			if err == nil {
				n, err = of.needed(name, least, most)
			}
			return n
		}
		row.lat = int64(math.Round(number64("lat", w.Lat, -89, 89) * perDegree))
		row.lon = int64(math.Round(number64("lon", w.Lon, -180, 180) * perDegree))
		if w.U != "" && w.V != "" {
			row.u, row.v = number64("u", w.U, -wind.Fastest, wind.Fastest), number64("v", w.V, -wind.Fastest, wind.Fastest)
		}
		if w.Mixing != "" {
			row.mixing = number64("blh", w.Mixing, 0, wind.Highest)
		}
		if err != nil {
			return bad(WindPart, number, err)
		}
		rows = append(rows, row)
		return nil
	})
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	return layOut(rows)
}
