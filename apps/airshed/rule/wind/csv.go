package wind

import (
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// MaxRows bounds the rows of a CSV: two weeks of four levels over ten degrees by
// ten at a quarter of a degree are 2.3 million.
const MaxRows = 4_000_000

// MaxBytes bounds its text, at a hundred bytes a row.
const MaxBytes = 100 * MaxRows

// columns are what a CSV must have, in any order; blh may be left out, and other
// columns are not looked at.
var columns = [...]string{"time", "lat", "lon", "level", "u", "v"}

// A row is one line of a CSV. Degrees are whole hundred-thousandths (a metre), so
// that axes can be compared.
type row struct {
	unix     int64
	lat, lon int32
	u, v     float32
	blh      float32 // NaN where nothing is said
	level    uint8   // index in Levels
}

const perDegree = 1e5

// ParseCSV reads a grid from lines of time,lat,lon,level,u,v,blh: RFC 3339 times
// with their offset, degrees, a level as Level spells it, metres a second, and
// metres. The nodes must lie on a regular lattice; nodes without a line are
// missing. An empty u or v leaves that node missing too.
func ParseCSV(r io.Reader) (*Grid, error) {
	limit := &io.LimitedReader{R: r, N: MaxBytes + 1}
	in := csv.NewReader(limit)
	in.ReuseRecord = true
	head, err := in.Read()
	if err != nil {
		return nil, fault.From(fault.Invalid, err, "the wind grid has no header line")
	}
	at, err := header(head)
	if err != nil {
		return nil, err
	}
	var rows []row
	for {
		line, err := in.Read()
		if errors.Is(err, io.EOF) && limit.N > 0 {
			return fill(rows)
		}
		if len(rows) == MaxRows || limit.N == 0 {
			return nil, fault.New(fault.TooLarge, "a wind grid of more than %d lines or %d bytes", MaxRows, MaxBytes)
		}
		if err != nil {
			return nil, fault.From(fault.Invalid, err, "the wind grid cannot be read after line %d", len(rows)+1)
		}
		w, err := parse(line, at)
		if err != nil {
			number, _ := in.FieldPos(0)
			return nil, fault.New(fault.Invalid, "line %d of the wind grid: %s", number, err.Error())
		}
		rows = append(rows, w)
	}
}

// header finds the columns; the last is blh's, -1 where there is none.
func header(names []string) ([len(columns) + 1]int, error) {
	var at [len(columns) + 1]int
	find := func(want string) int {
		return slices.IndexFunc(names, func(name string) bool {
			return strings.EqualFold(strings.TrimSpace(strings.TrimPrefix(name, "\ufeff")), want)
		})
	}
	for i, want := range columns {
		if at[i] = find(want); at[i] < 0 {
			return at, fault.New(fault.Invalid, "the wind grid has no column %q; it needs %s", want, strings.Join(columns[:], ", "))
		}
	}
	at[len(columns)] = find("blh")
	return at, nil
}

func parse(line []string, at [len(columns) + 1]int) (row, error) {
	var w row
	t, err := time.Parse(time.RFC3339, strings.TrimSpace(line[at[0]]))
	if err != nil {
		return w, fault.New(fault.Invalid, "time %.40q is not RFC 3339 with an offset", line[at[0]])
	}
	w.unix = t.Unix()
	level := slices.Index(Levels(), Level(strings.TrimSpace(line[at[3]])))
	if level < 0 {
		return w, fault.New(fault.Invalid, "level %.20q is not one of %v", line[at[3]], Levels())
	}
	w.level = uint8(level)
	lat, err1 := number(line[at[1]], -89, 89)
	lon, err2 := number(line[at[2]], -180, 180)
	u, err3 := optional(line[at[4]], -Fastest, Fastest)
	v, err4 := optional(line[at[5]], -Fastest, Fastest)
	w.lat, w.lon = int32(math.Round(lat*perDegree)), int32(math.Round(lon*perDegree))
	w.u, w.v, w.blh = float32(u), float32(v), float32(math.NaN())
	var err5 error
	if i := at[len(columns)]; i >= 0 {
		var h float64
		h, err5 = optional(line[i], 0, Highest)
		w.blh = float32(h)
	}
	return w, cmp.Or(err1, err2, err3, err4, err5)
}

// number reads a number within bounds, both included.
func number(s string, low, high float64) (float64, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(s), 64)
	if err != nil || !(f >= low && f <= high) {
		return 0, fault.New(fault.Invalid, "%.40q is not a number from %v to %v", s, low, high)
	}
	return f, nil
}

// optional is number, and NaN for nothing.
func optional(s string, low, high float64) (float64, error) {
	if strings.TrimSpace(s) == "" {
		return math.NaN(), nil
	}
	return number(s, low, high)
}
