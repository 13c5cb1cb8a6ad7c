package aqi

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of one page of the open data feed. The whole country is some 3,500 rows.
const (
	MaxPage = 16 << 20
	MaxRows = 20_000
	maxName = 200
)

// A Drop is a reason why a row of the feed is not used.
type Drop string

// The drops. NoValue is the feed's own "NA".
const (
	NoValue  Drop = "no_value"
	OffScale Drop = "off_scale" // below 0, above 500, or the 999 that stands for an error
	Fraction Drop = "fraction"  // sub-indices are whole: this may be a concentration
	Foreign  Drop = "not_in_the_index"
	BadTime  Drop = "bad_time"
	BadName  Drop = "bad_name"
)

// A Row is one pollutant at one station: a sub-index of the 24 (or 8) hours up to
// a moment, and never a concentration.
type Row struct {
	State, City, Station string
	Lat, Lon             float64
	Placed               bool // the feed says where the station is
	Last                 Hour // the last hour the sub-index covers
	Pollutant            Pollutant
	Index                int
	Low, High            int // the least and greatest of the period, Unknown where not given
}

// A Page is one answer of the feed.
type Page struct {
	Total    int // rows the feed says it has, Unknown where it does not
	Received int // rows on this page, whatever was asked for: the next page begins after them
	Updated  string
	Rows     []Row
	Dropped  map[Drop]int
}

// loose is a field that comes as a string or a number.
type loose string

// UnmarshalJSON takes a string, a number or null.
func (l *loose) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && (b[0] == '"' || b[0] == 'n') {
		var s string
		err := json.Unmarshal(b, &s)
		*l = loose(strings.TrimSpace(s))
		return err
	}
	var n json.Number
	err := json.Unmarshal(b, &n)
	*l = loose(n)
	return err
}

type envelope struct {
	Total   loose     `json:"total"`
	Updated loose     `json:"updated_date"`
	Records *[]record `json:"records"`
}

// record is a row as the feed writes it, under its present names or the older ones.
type record struct {
	State     loose `json:"state"`
	City      loose `json:"city"`
	Station   loose `json:"station"`
	Updated   loose `json:"last_update"`
	Latitude  loose `json:"latitude"`
	Longitude loose `json:"longitude"`
	Pollutant loose `json:"pollutant_id"`
	Min       loose `json:"min_value"`
	Max       loose `json:"max_value"`
	Avg       loose `json:"avg_value"`
	OldMin    loose `json:"pollutant_min"`
	OldMax    loose `json:"pollutant_max"`
	OldAvg    loose `json:"pollutant_avg"`
}

// ParsePage reads a JSON page of the feed. A row that cannot be used is counted
// by reason; an answer that is no page at all is an error.
func ParsePage(body []byte) (Page, error) {
	if len(body) > MaxPage {
		return Page{}, fault.New(fault.TooLarge, "the page has more than %d MB", MaxPage>>20)
	}
	var e envelope
	if err := json.Unmarshal(body, &e); err != nil {
		return Page{}, fault.From(fault.Invalid, err, "the answer is no page of the air quality feed")
	}
	if e.Records == nil {
		return Page{}, fault.New(fault.Invalid, "the answer holds no records")
	}
	if len(*e.Records) > MaxRows {
		return Page{}, fault.New(fault.TooLarge, "the page has more than %d rows", MaxRows)
	}
	p := Page{Total: Unknown, Received: len(*e.Records), Updated: clip(e.Updated), Dropped: map[Drop]int{}}
	if n, err := strconv.Atoi(string(e.Total)); err == nil && n >= 0 {
		p.Total = n
	}
	for _, r := range *e.Records {
		row, drop := r.read()
		if drop != "" {
			p.Dropped[drop]++
			continue
		}
		p.Rows = append(p.Rows, row)
	}
	return p, nil
}

// read makes a row of a record, or says why not.
func (r record) read() (Row, Drop) {
	p, known := pollutantNamed(string(r.Pollutant))
	if !known {
		return Row{}, Foreign
	}
	if r.Station == "" || len(r.Station) > maxName || len(r.State) > maxName || len(r.City) > maxName {
		return Row{}, BadName
	}
	at, err := ParseIndian(string(r.Updated))
	if err != nil {
		return Row{}, BadTime
	}
	last, err := HourUntil(at)
	if err != nil {
		return Row{}, BadTime
	}
	row := Row{State: spaced(r.State), City: spaced(r.City), Station: string(r.Station), Last: last, Pollutant: p}
	var drop Drop
	if row.Index, drop = either(r.Avg, r.OldAvg); drop != "" {
		return Row{}, drop
	}
	row.Low, _ = either(r.Min, r.OldMin)
	row.High, _ = either(r.Max, r.OldMax)
	lat, err1 := strconv.ParseFloat(string(r.Latitude), 64)
	lon, err2 := strconv.ParseFloat(string(r.Longitude), 64)
	if err1 == nil && err2 == nil && lat >= -90 && lat <= 90 && lon >= -180 && lon <= 180 && (lat != 0 || lon != 0) {
		row.Lat, row.Lon, row.Placed = lat, lon, true
	}
	return row, ""
}

// either reads a sub-index under its present name, else under the older one.
func either(now, before loose) (int, Drop) {
	s := string(now)
	if s == "" {
		s = string(before)
	}
	if absent(s) {
		return Unknown, NoValue
	}
	n, err := strconv.Atoi(s)
	if err != nil {
		whole, part, _ := strings.Cut(s, ".")
		if strings.Trim(part, "0") != "" {
			return Unknown, Fraction
		}
		if n, err = strconv.Atoi(whole); err != nil {
			return Unknown, OffScale
		}
	}
	if n < 0 || n > Top {
		return Unknown, OffScale
	}
	return n, ""
}

func spaced(l loose) string { return strings.ReplaceAll(string(l), "_", " ") }

func clip(l loose) string {
	if len(l) > maxName {
		return ""
	}
	return string(l)
}
