package aqi

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of one file.
const (
	MaxFile = 64 << 20
	maxCell = 200
)

// Columns are what a file of measured hours names in its first line, in any
// order: station, start of the hour in RFC 3339 with its offset, pollutant, value
// and unit. Other columns are left alone.
func Columns() []string { return []string{"site_id", "from", "pollutant", "value", "unit"} }

// A Batch is what a file of measured hours holds.
type Batch struct {
	Readings []Reading
	Missing  int // lines whose value is given as missing
	Negative int // lines below zero: an instrument out of order
	Excess   int // lines above MaxAmount: an instrument out of order, or a wrong unit
	Foreign  int // lines about something the index does not know
}

// ParseCSV reads a file of measured hours. A value that is missing or that no
// instrument in order gives is left out and counted; a line that cannot be read
// refuses the file, for a report must not rest on half of one.
func ParseCSV(file []byte) (Batch, error) {
	if len(file) > MaxFile {
		return Batch{}, fault.New(fault.TooLarge, "the file has more than %d MB", MaxFile>>20)
	}
	if !utf8.Valid(file) {
		return Batch{}, fault.New(fault.Invalid, "the file is not UTF-8")
	}
	r := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))))
	r.ReuseRecord = true
	header, err := r.Read()
	if err != nil {
		return Batch{}, fault.From(fault.Invalid, err, "the file has no line that names its columns")
	}
	at, err := places(header)
	if err != nil {
		return Batch{}, err
	}
	var b Batch
	for lines := 0; ; lines++ {
		cells, err := r.Read()
		if errors.Is(err, io.EOF) {
			return b, nil
		}
		if err != nil {
			return Batch{}, unreadable(err)
		}
		if lines == MaxReadings {
			return Batch{}, fault.New(fault.TooLarge, "the file has more than %d readings", MaxReadings)
		}
		if err := b.line(cells, at); err != nil {
			line, _ := r.FieldPos(0)
			text, _ := fault.Words(err)
			return Batch{}, fault.New(fault.KindOf(err), "line %d: %s", line, text)
		}
	}
}

// unreadable says where a file stops being one.
func unreadable(err error) error {
	line := 0
	if bad, ok := errors.AsType[*csv.ParseError](err); ok {
		line = bad.StartLine
	}
	return fault.From(fault.Invalid, err, "line %d cannot be read: quotes or number of cells", line)
}

func places(header []string) ([5]int, error) {
	names := make([]string, len(header))
	for i, h := range header {
		names[i] = strings.ToLower(strings.TrimSpace(h))
	}
	var at [5]int
	for i, c := range Columns() {
		if at[i] = slices.Index(names, c); at[i] < 0 {
			return at, fault.New(fault.Invalid, "there is no column %s", c).WithNext("name the columns %s in the first line",
				strings.Join(Columns(), ", "))
		}
		if slices.Contains(names[at[i]+1:], c) {
			return at, fault.New(fault.Invalid, "there are two columns %s", c)
		}
	}
	return at, nil
}

// line reads one line into the batch.
func (b *Batch) line(cells []string, at [5]int) error {
	var c [5]string
	for i, place := range at {
		if c[i] = strings.TrimSpace(cells[place]); len(c[i]) > maxCell {
			return fault.New(fault.TooLarge, "%s has more than %d bytes", Columns()[i], maxCell)
		}
	}
	p, known := pollutantNamed(c[2])
	if !known { // files list more than the index knows
		b.Foreign++
		return nil
	}
	site, err := ParseSite(c[0])
	if err != nil {
		return err
	}
	start, err := time.Parse(time.RFC3339, c[1])
	if err != nil {
		return fault.New(fault.Invalid, "from %.40q: use the form 2025-11-13T18:00:00+05:30", c[1])
	}
	hour, err := HourFrom(start)
	if err != nil {
		return err
	}
	amount, err := b.value(p, c[3], c[4])
	if err == nil && amount >= 0 {
		b.Readings = append(b.Readings, Reading{Site: site, Hour: hour, Pollutant: p, Amount: amount})
	}
	return err
}

// value reads an amount in its own unit, and None where there is none to use.
func (b *Batch) value(p Pollutant, value, unit string) (Amount, error) {
	if absent(value) {
		b.Missing++
		return None, nil
	}
	size, below := strings.CutPrefix(value, "-")
	a, err := parseDecimal(size)
	if err != nil {
		return None, err
	}
	if a, err = scaled(p, a, unit); err != nil {
		return None, err
	}
	switch {
	case below:
		b.Negative++
		return None, nil
	case a > MaxAmount:
		b.Excess++
		return None, nil
	}
	return a, nil
}

// absent reports whether a cell is one of the ways in which feeds say that they
// have no value. It is never a zero.
func absent(s string) bool {
	return slices.Contains([]string{"", "na", "n/a", "nan", "none", "null", "-"}, strings.ToLower(s))
}

// scaled turns an amount in some unit into the pollutant's own. Parts per billion
// are refused: what they weigh hangs on the temperature.
func scaled(p Pollutant, a Amount, unit string) (Amount, error) {
	plain := strings.NewReplacer("µ", "u", "μ", "u", "³", "3").Replace(strings.ToLower(unit))
	milli := traits[p].milli
	switch {
	case plain == "mg/m3" && milli, plain == "ug/m3" && !milli:
		return a, nil
	case plain == "ug/m3":
		return (a + 500) / 1000, nil
	case plain == "mg/m3":
		return a * 1000, nil
	default:
		return None, fault.New(fault.Invalid, "unit %.20q: use ug/m3 or mg/m3", unit)
	}
}
