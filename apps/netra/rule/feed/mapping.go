package feed

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Mapping describes a table of somebody else's: which of its columns is which of our fields.
type Mapping struct {
	Format  string            `json:"format"`            // csv, tsv or ndjson
	Columns map[string]string `json:"columns"`           // our field to their column; several with + between are joined by /
	Fixed   map[string]string `json:"fixed,omitempty"`   // our field to what it always is
	Values  map[string]values `json:"values,omitempty"`  // our field to their value to ours
	Time    string            `json:"time,omitempty"`    // how a time is written, as Go writes 2 January 2006 15:04:05; left out: RFC 3339
	Offset  string            `json:"offset,omitempty"`  // of a time that has none, "+05:30"; left out: India's
	Comment string            `json:"comment,omitempty"` // for people
}

type values map[string]string

// fields are what a mapping may fill.
var fields = []string{"event_id", "source", "source_type", "event_type", "timestamp", "district_lgd", "district", "state", "severity",
	"polarity",
	"layers", "event_summary", "fatalities"}

// ReadMapping reads a mapping file and refuses what cannot work.
func ReadMapping(file []byte) (*Mapping, error) {
	var m Mapping
	d := json.NewDecoder(bytes.NewReader(file))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		return nil, fault.From(fault.Invalid, err, "the mapping file is not of its form: %v", err)
	}
	if !slices.Contains([]string{"csv", "tsv", "ndjson"}, m.Format) {
		return nil, fault.New(fault.Invalid, "a mapping is of the format csv, tsv or ndjson")
	}
	for _, all := range [][]string{slices.Collect(maps.Keys(m.Columns)), slices.Collect(maps.Keys(m.Fixed)),
		slices.Collect(maps.Keys(m.Values))} {
		for _, name := range all {
			if !slices.Contains(fields, name) {
				return nil, fault.New(fault.Invalid, "a mapping fills no field %.40q", name).WithNext("use %s", strings.Join(fields, ", "))
			}
		}
	}
	for _, name := range []string{"event_id", "timestamp", "source", "event_type"} {
		if m.Columns[name] == "" && m.Fixed[name] == "" {
			return nil, fault.New(fault.Invalid, "the mapping does not say where %s comes from", name)
		}
	}
	if _, err := m.zone(); err != nil {
		return nil, fault.New(fault.Invalid, "the offset %.20q is none like +05:30", m.Offset)
	}
	return &m, nil
}

// zone is where a time is that does not say so itself.
func (m *Mapping) zone() (*time.Location, error) {
	if m.Offset == "" {
		return signal.India(), nil
	}
	t, err := time.Parse("-07:00", m.Offset)
	if err != nil {
		return nil, err
	}
	_, seconds := t.Zone()
	return time.FixedZone(m.Offset, seconds), nil
}

// each shows the reports of a table.
func (m *Mapping) each(body []byte, show func(Line) error) error {
	switch m.Format {
	case "csv":
		return eachRecord(body, ',', show, m.report)
	case "tsv":
		return eachRecord(body, '\t', show, m.report)
	}
	return eachLine(body, func(n int, line []byte) error {
		l := Line{N: n}
		var record map[string]any
		d := json.NewDecoder(bytes.NewReader(line))
		d.UseNumber()
		if err := d.Decode(&record); err != nil {
			l.Problem = notJSON
		} else {
			l.Report, l.Problem = m.report(cellOf(record))
		}
		return show(l)
	})
}

// report fills our fields by theirs, and reads them as our own.
func (m *Mapping) report(at cell) (signal.Report, string) {
	moment := ""
	if m.Time != "" {
		zone, err := m.zone()
		if err != nil {
			return signal.Report{}, notTime
		}
		t, err := time.ParseInLocation(m.Time, m.field("timestamp", at), zone)
		if err != nil {
			return signal.Report{}, notTime
		}
		moment = t.Format(time.RFC3339Nano)
	}
	return ownRecord(func(name string) string {
		if name == "timestamp" && moment != "" {
			return moment
		}
		return m.field(name, at)
	})
}

// field is one of ours.
func (m *Mapping) field(name string, at cell) string {
	text := m.Fixed[name]
	if column := m.Columns[name]; column != "" {
		var parts []string
		for c := range strings.SplitSeq(column, "+") {
			name := strings.TrimSpace(c)
			if m.Format != "ndjson" { // headings of tables are read in small letters
				name = strings.ToLower(name)
			}
			if part := at(name); part != "" {
				parts = append(parts, part)
			}
		}
		if len(parts) > 0 {
			text = strings.Join(parts, "/")
		}
	}
	if ours, ok := m.Values[name][text]; ok {
		return ours
	}
	return text
}
