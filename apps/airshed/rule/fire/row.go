package fire

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// What a row may say. What lies outside was not measured.
const (
	firstYear  = 2000
	lastYear   = 2199
	maxKelvin  = 2_000
	maxPixel   = 20 // km
	maxPower   = 100_000
	maxVersion = 12 // bytes
	maxKinds   = 64 // versions of which one copy is kept
)

// row reads one line's cells.
func (f *Reader) row(cells []string) Row {
	bad := func(why Reason, text string) Row {
		return Row{Detection: Detection{Line: f.line}, Why: why, Text: text}
	}
	if len(cells) != f.width {
		return bad(Unreadable, "it has "+strconv.Itoa(len(cells))+" cells and the heading "+strconv.Itoa(f.width)+": the file may have "+
			"been cut off")
	}
	p := parser{cells: cells, at: &f.at}
	if f.watch != nil {
		return f.look(&p, bad)
	}
	if i := p.cell(instrument); i != "" && !strings.EqualFold(i, string(f.instrument)) {
		p.fail("instrument %.20q in a table of %s", i, f.instrument)
	}
	d := Detection{
		Line: f.line, Instrument: f.instrument, Time: p.moment(), Light: p.light(), Kind: p.kind(),
		At:     Point{Lat: p.number(latitude, -90, 90), Lon: p.number(longitude, -180, 180)},
		Bright: p.number(bright, 0, maxKelvin), Background: p.number(background, 0, maxKelvin),
		Scan: p.number(scan, 0, maxPixel), Track: p.number(track, 0, maxPixel), FRP: p.number(frp, 0, maxPower),
		Version: f.share(p.version()), Country: f.share(p.country()),
	}
	d.Confidence, d.Percent = p.confidence(f.instrument)
	if p.err != nil {
		return bad(Unreadable, p.err.Text)
	}
	var known bool
	if d.Satellite, known = f.known.called(f.instrument, p.cell(satellite)); !known {
		return bad(UnknownSatellite, fault.New(fault.Invalid, "no %s satellite is called %.20q", f.instrument, p.cell(satellite)).Text)
	}
	return Row{Detection: d}
}

// share is one copy of a short text, so that a detection does not keep its line.
func (f *Reader) share(s string) string {
	if s == "" {
		return ""
	}
	kept, ok := f.versions[s]
	if !ok {
		kept = strings.Clone(s)
		if len(f.versions) < maxKinds {
			f.versions[kept] = kept
		}
	}
	return kept
}

// A parser reads the cells of one line and keeps the first thing that is wrong.
type parser struct {
	cells []string
	at    *[columns]int
	err   *fault.Error
}

func (p *parser) fail(format string, args ...any) {
	if p.err == nil {
		p.err = fault.New(fault.Invalid, format, args...)
	}
}

// cell is what a line says in a column, nothing where there is none.
func (p *parser) cell(c column) string {
	if p.at[c] < 0 {
		return ""
	}
	return p.cells[p.at[c]]
}

func (p *parser) number(c column, least, most float64) float64 {
	n, err := number(c.String(), p.cell(c), least, most)
	if err != nil && p.err == nil {
		p.err = err
	}
	return n
}

// number reads a number within bounds.
func number(name, s string, least, most float64) (float64, *fault.Error) {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(n) || n < least || n > most {
		return 0, fault.New(fault.Invalid, "%s %.20q is no number from %g to %g", name, s, least, most)
	}
	return n, nil
}

// moment reads date and time, which are told in UTC. The time has no leading
// zeros: 5 is 00:05 and 659 is 06:59.
func (p *parser) moment() time.Time {
	day, err := time.Parse(time.DateOnly, p.cell(acqDate))
	if err != nil || day.Year() < firstYear || day.Year() > lastYear {
		p.fail("acq_date %.20q is no day as 2026-11-13", p.cell(acqDate))
		return time.Time{}
	}
	s := p.cell(acqTime)
	n, ok := digits(s)
	if !ok || len(s) > 4 || n/100 > 23 || n%100 > 59 {
		p.fail("acq_time %.20q is no time as 659 or 0659", s)
		return time.Time{}
	}
	return day.Add(time.Duration(n/100)*time.Hour + time.Duration(n%100)*time.Minute)
}

// digits reads a number of digits only: no sign, no point.
func digits(s string) (int, bool) {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
	}
	n, err := strconv.Atoi(s)
	return n, err == nil
}

func (p *parser) light() Light {
	switch strings.ToUpper(p.cell(daynight)) {
	case "D":
		return Day
	case "N":
		return Night
	}
	p.fail("daynight %.20q is neither D nor N", p.cell(daynight))
	return 0
}

// confidence reads the class of VIIRS, a letter or a word, or the percentage of
// MODIS, which is sorted into the same classes. One is never taken for the other.
func (p *parser) confidence(i Instrument) (Confidence, int) {
	s := strings.ToLower(p.cell(confidence))
	if i == VIIRS {
		switch s {
		case "l", "low":
			return Low, -1
		case "n", "nominal":
			return Nominal, -1
		case "h", "high":
			return High, -1
		}
		p.fail("confidence %.20q is none of VIIRS: low, nominal or high", s)
		return 0, -1
	}
	n, ok := digits(s)
	if !ok || n > 100 {
		p.fail("confidence %.20q is none of MODIS: 0 to 100", s)
		return 0, -1
	}
	return classOf(n), n
}

// The percentages at which the classes of MODIS begin.
const (
	nominalFrom = 30
	highFrom    = 80
)

func classOf(percent int) Confidence {
	switch {
	case percent < nominalFrom:
		return Low
	case percent < highFrom:
		return Nominal
	}
	return High
}

func (p *parser) kind() Kind {
	switch p.cell(kindOf) {
	case "":
		return Unclassified
	case "0":
		return Vegetation
	case "1":
		return Volcano
	case "2":
		return Static
	case "3":
		return Offshore
	}
	p.fail("type %.20q is none of 0 to 3", p.cell(kindOf))
	return Unclassified
}

// version is a number and perhaps letters: 6.1, 6.1NRT, 2.0URT.
func (p *parser) version() string {
	s := p.cell(version)
	ok := s != "" && len(s) <= maxVersion && s[0] >= '0' && s[0] <= '9'
	for i := range len(s) {
		c := s[i]
		ok = ok && (c == '.' || c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z')
	}
	if !ok {
		p.fail("version %.20q is none as 2.0NRT", s)
		return ""
	}
	return s
}

func (p *parser) country() string {
	s := p.cell(country)
	if len(s) > 3 {
		p.fail("country_id %.20q is longer than three letters", s)
		return ""
	}
	return s
}

// String is the column's heading, for people.
func (c column) String() string {
	switch c {
	case bright:
		return "brightness"
	case background:
		return "background"
	}
	return headings[c]
}
