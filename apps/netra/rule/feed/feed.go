// Package feed reads what sources publish as reports of events: our own lines as NDJSON and CSV, the published forms of ACLED,
// UCDP GED and GDELT, and any table that a mapping file describes.
//
// Read Read first, then the mappings: acled.go, ucdp.go, gdelt.go, mapping.go. Free text of a source that may name persons
// (notes, actors) is not mapped, nor is a place below the district. A problem with a line is said without its words: what was
// not looked at for personal data must not be repeated.
package feed

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Format is a form in which reports come.
type Format string

// The formats.
const (
	NDJSON Format = "ndjson"
	CSV    Format = "csv"
	ACLED  Format = "acled"
	UCDP   Format = "ucdp"
	GDELT  Format = "gdelt"
	Mapped Format = "mapped" // as a mapping file says
)

// A Line is what one line of a feed says, or what is wrong with it.
type Line struct {
	N       int // in what was read, from 1
	Report  signal.Report
	Problem string // why it is no report; empty where it is one
}

// The problems that are the form's own.
const (
	notJSON    = "the line is no JSON object"
	notFields  = "the line has a field that is not of its type"
	notTable   = "the line has another number of cells than the first, or a quote too many"
	notTime    = "its time cannot be read"
	notNumber  = "a number cannot be read"
	notCounted = "it is of a kind that is not counted"
	notHere    = "its place is no district of India"
)

// Read shows each line of a feed. A mapping is needed for the format mapped, and no other. It fails where nothing can be read at
// all, and where show does.
func Read(f Format, body []byte, m *Mapping, show func(Line) error) error {
	if (f == Mapped) != (m != nil) {
		return fault.New(fault.Invalid, "a mapping file goes with the format %s, and no other", Mapped)
	}
	if !utf8.Valid(body) {
		return fault.New(fault.Invalid, "the feed is not UTF-8")
	}
	body = bytes.TrimPrefix(body, []byte("\xef\xbb\xbf"))
	switch f {
	case NDJSON:
		return eachLine(body, func(n int, line []byte) error { return show(own(n, line)) })
	case CSV:
		return eachRecord(body, ',', show, ownRecord)
	case ACLED:
		if bytes.HasPrefix(bytes.TrimSpace(body), []byte("{")) {
			return eachOfAnswer(body, show, acled)
		}
		return eachRecord(body, ',', show, acled)
	case UCDP:
		return eachRecord(body, ',', show, ucdp)
	case GDELT:
		return eachLine(body, func(n int, line []byte) error { return show(gdelt(n, line)) })
	case Mapped:
		return m.each(body, show)
	}
	return fault.New(fault.Invalid, "there is no format %.40q", f).WithNext("use one of ndjson, csv, acled, ucdp, gdelt and mapped")
}

// eachLine shows the lines of a text that are not empty.
func eachLine(body []byte, show func(n int, line []byte) error) error {
	for n := 1; len(body) > 0; n++ {
		line, rest, _ := bytes.Cut(body, []byte("\n"))
		body = rest
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		if err := show(n, line); err != nil {
			return err
		}
	}
	return nil
}

// own reads a line of our own form.
func own(n int, line []byte) Line {
	l := Line{N: n}
	if readPlain(line, &l.Report) {
		return l
	}
	l.Report = signal.Report{}
	if err := json.Unmarshal(line, &l.Report); err != nil {
		l.Report, l.Problem = signal.Report{}, notFields
		if _, broken := errors.AsType[*json.SyntaxError](err); broken {
			l.Problem = notJSON
		}
	}
	return l
}

// A cell gives what a record says under a name, without spaces around it.
type cell func(name string) string

// A mapping makes a report of a record, or says why it is none.
type mapping func(at cell) (r signal.Report, problem string)

// eachRecord shows the records of a table whose first line names its columns.
func eachRecord(body []byte, comma rune, show func(Line) error, read mapping) error {
	r := csv.NewReader(bytes.NewReader(body))
	r.Comma, r.ReuseRecord = comma, true
	header, err := r.Read()
	if err != nil {
		return fault.From(fault.Invalid, err, "the feed has no line that names its columns")
	}
	at := map[string]int{}
	for i, name := range header {
		at[strings.ToLower(strings.TrimSpace(name))] = i
	}
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var l Line
		if bad, broken := errors.AsType[*csv.ParseError](err); broken {
			l = Line{N: bad.StartLine, Problem: notTable}
		} else if err != nil {
			return err
		} else {
			l.N, _ = r.FieldPos(0)
			l.Report, l.Problem = read(func(name string) string {
				if i, ok := at[name]; ok && i < len(record) {
					return strings.TrimSpace(record[i])
				}
				return ""
			})
		}
		if err := show(l); err != nil {
			return err
		}
	}
}

// eachOfAnswer shows the records of an answer of an API, {"data":[{…}]}.
func eachOfAnswer(body []byte, show func(Line) error, read mapping) error {
	var answer struct {
		Data []map[string]any `json:"data"`
	}
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&answer); err != nil || answer.Data == nil {
		return fault.New(fault.Invalid, "the feed is no answer with a list of data")
	}
	for i, record := range answer.Data {
		l := Line{N: i + 1}
		l.Report, l.Problem = read(cellOf(record))
		if err := show(l); err != nil {
			return err
		}
	}
	return nil
}

// cellOf is the texts and numbers of an object.
func cellOf(record map[string]any) cell {
	return func(name string) string {
		switch v := record[name].(type) {
		case string:
			return strings.TrimSpace(v)
		case json.Number:
			return v.String()
		}
		return ""
	}
}
