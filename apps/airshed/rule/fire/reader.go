package fire

import (
	"bufio"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of one file. Five days of the whole world are about a million rows of
// ninety bytes.
const (
	MaxLines = 5_000_000
	maxLine  = 2_000 // bytes
)

// A column is a thing a row can say.
type column uint8

const (
	latitude column = iota
	longitude
	bright
	background
	scan
	track
	acqDate
	acqTime
	satellite
	confidence
	version
	frp
	daynight
	needed // those above must be there, those below need not
)

const (
	instrument column = needed + iota // missing in files that need no key
	kindOf                            // only in the final processing
	country                           // only where a country was asked for
	columns
)

// headings are the columns' names where the instruments agree.
var headings = [columns]string{
	latitude: "latitude", longitude: "longitude", scan: "scan", track: "track", acqDate: "acq_date", acqTime: "acq_time",
	satellite: "satellite", confidence: "confidence", version: "version", frp: "frp", daynight: "daynight",
	instrument: "instrument", kindOf: "type", country: "country_id",
}

// A Reader reads a file of detections row by row, as the fire service's
// interface and its files without a key give them. Columns are found by name.
type Reader struct {
	lines      *bufio.Scanner
	known      Constellation
	watch      *Watch // whose rows these are; nil: those of satellites that pass
	instrument Instrument
	at         [columns]int // where each column stands; -1: nowhere
	width      int
	line       int
	versions   map[string]string // one copy of each
}

// A Row is one line of a file: a detection, or the reason why it is none.
type Row struct {
	Detection

	Why  Reason // empty: the row was read
	Text string // what is wrong with it
}

// NewReader reads the heading of a file. What is no table of detections is
// refused with the fault that fits: the service sends its errors as plain text
// with the status of success.
func NewReader(r io.Reader, known Constellation) (*Reader, error) { return newReader(r, known, nil) }

func newReader(r io.Reader, known Constellation, watch *Watch) (*Reader, error) {
	f := &Reader{watch: watch, lines: bufio.NewScanner(bufio.NewReaderSize(r, 64<<10)), known: known, versions: map[string]string{}}
	f.lines.Buffer(make([]byte, 0, maxLine), maxLine)
	head, err := f.next()
	if errors.Is(err, io.EOF) {
		return nil, fault.New(fault.Unavailable, "the fire service answered with nothing, not even a heading")
	}
	if err != nil {
		return nil, err
	}
	head = strings.TrimPrefix(head, "\ufeff")
	names := cells(head)
	for i, n := range names {
		names[i] = strings.ToLower(n)
	}
	if !slices.Contains(names, headings[latitude]) {
		return nil, refusal(head)
	}
	return f, f.heading(names)
}

// next is the next line that is not blank.
func (f *Reader) next() (string, error) {
	for f.lines.Scan() {
		if f.line++; f.line > MaxLines {
			return "", fault.New(fault.TooLarge, "the file has more than %d lines", MaxLines)
		}
		if s := strings.TrimSpace(f.lines.Text()); s != "" {
			return s, nil
		}
	}
	switch err := f.lines.Err(); {
	case err == nil:
		return "", io.EOF
	case errors.Is(err, bufio.ErrTooLong):
		return "", fault.New(fault.TooLarge, "line %d has more than %d bytes", f.line+1, maxLine)
	default:
		return "", fault.From(fault.Unavailable, err, "the answer broke off after line %d", f.line)
	}
}

// cells are the cells of a line. No cell of these files holds a comma, so quotes
// are only taken off.
func cells(line string) []string {
	out := strings.Split(line, ",")
	for i, c := range out {
		c = strings.TrimSpace(c)
		if len(c) >= 2 && c[0] == '"' && c[len(c)-1] == '"' {
			c = strings.TrimSpace(c[1 : len(c)-1])
		}
		out[i] = c
	}
	return out
}

func (f *Reader) heading(names []string) error {
	want := headings
	switch viirs, modis := slices.Contains(names, "bright_ti4"), slices.Contains(names, "brightness"); {
	case viirs && !modis:
		f.instrument, want[bright], want[background] = VIIRS, "bright_ti4", "bright_ti5"
	case modis && !viirs:
		f.instrument, want[bright], want[background] = MODIS, "brightness", "bright_t31"
	default:
		return fault.New(fault.Invalid, "the table is neither of VIIRS nor of MODIS: it needs one of the columns bright_ti4 and brightness")
	}
	f.width = len(names)
	for c, n := range want {
		f.at[c] = slices.Index(names, n)
		switch {
		case f.at[c] >= 0 && slices.Contains(names[f.at[c]+1:], n):
			return fault.New(fault.Invalid, "there are two columns %s", n)
		case f.at[c] < 0 && column(c) == acqTime:
			return fault.New(fault.Invalid, "there is no column %s: a fire without an hour can support no statement about smoke", n)
		case f.at[c] < 0 && column(c) < needed:
			return fault.New(fault.Invalid, "there is no column %s", n)
		}
	}
	return nil
}

// Next is the next row, and io.EOF behind the last one. A row that cannot be
// read is returned with the reason and does not end the file; any other error does.
func (f *Reader) Next() (Row, error) {
	line, err := f.next()
	if err != nil {
		return Row{}, err
	}
	return f.row(cells(line)), nil
}

// refusal is the fault for an answer that is no table. The text comes from
// outside: little of it is shown, and nothing that could be a key.
func refusal(text string) error {
	lower := strings.ToLower(text)
	has := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(lower, w) })
	}
	shown := withoutKeys(text)
	switch {
	case strings.HasPrefix(lower, "<"):
		return fault.New(fault.Unavailable, "the fire service answered with a page instead of a table")
	case has("limit", "exceed", "too many"):
		return fault.New(fault.TooMany, "the fire service says %.120q", shown).
			WithNext("wait ten minutes: a key may make 5000 requests in that time")
	case has("map_key", "map key", "api key"):
		return fault.New(fault.Refused, "the fire service says %.120q", shown).
			WithNext("check the key for the fire service in the settings")
	default:
		return fault.New(fault.Invalid, "the fire service says %.120q instead of sending a table", shown)
	}
}

// withoutKeys hides every run of sixteen or more letters and digits: a key for
// the service has thirty-two.
func withoutKeys(s string) string {
	const longest = 16
	var out strings.Builder
	for len(s) > 0 {
		n := strings.IndexFunc(s, func(r rune) bool {
			return !(r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z')
		})
		if n < 0 {
			n = len(s)
		}
		if n >= longest {
			out.WriteString("…")
		} else {
			out.WriteString(s[:n])
		}
		if s = s[n:]; s != "" {
			out.WriteByte(s[0])
			s = s[1:]
		}
	}
	return out.String()
}
