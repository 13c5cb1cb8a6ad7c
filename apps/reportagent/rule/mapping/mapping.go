// Package mapping is for which charts a section of a report is written from: those that a curated map names, or where it names
// none, those that match the section best, each with the reasons. A section that nothing matches is blocked: it has no data,
// and is not written from nothing.
//
// Parse reads the map, Lint says what is wrong with it, Assign gives every section its charts.
package mapping

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"path"
	"slices"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/platform/fault"
)

// MaxBytes bounds a map.
const MaxBytes = 16 << 20

// A Map is a curated map from sections to charts.
type Map struct {
	Entries     []Entry
	Diagnostics diagnostic.List // what could not be read
}

// An Entry is the charts of one section; their order is their priority.
type Entry struct {
	Section     string
	Description string
	Max         int // most charts; 0 for no bound
	Items       []Item
	Line        int
}

// An Item names charts: one by its id, some by a pattern, or those that match best.
type Item struct {
	ID      string
	Pattern string
	Auto    bool
	Max     int
	Sort    string // of a pattern: "id" or "title"
}

// Parse reads section_chart_map.json. Nothing, or only blanks, is an empty map.
func Parse(file []byte) (*Map, error) {
	if len(file) > MaxBytes {
		return nil, fault.New(fault.TooLarge, "a section map of %d MB: at most %d are read", len(file)>>20, MaxBytes>>20)
	}
	m := &Map{}
	file = bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(file)) == 0 {
		return m, nil
	}
	dec := json.NewDecoder(bytes.NewReader(file))
	if t, err := dec.Token(); err != nil || t != json.Delim('{') {
		return nil, fault.New(fault.Invalid, "the section map is not a JSON object")
	}
	for dec.More() {
		t, err := dec.Token()
		if err != nil {
			return nil, fault.From(fault.Invalid, err, "the section map cannot be read")
		}
		line := 1 + bytes.Count(file[:dec.InputOffset()], []byte("\n"))
		var raw json.RawMessage
		if err := dec.Decode(&raw); err != nil {
			return nil, fault.From(fault.Invalid, err, "the section map cannot be read")
		}
		name, _ := t.(string) // a name is text, or the decoder says so
		m.entry(name, raw, line)
	}
	if _, err := dec.Token(); err != nil {
		return nil, fault.From(fault.Invalid, err, "the section map is not closed")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fault.New(fault.Invalid, "something follows the section map")
	}
	return m, nil
}

// entry reads what the map says of one section.
func (m *Map) entry(name string, raw json.RawMessage, line int) {
	if slices.ContainsFunc(m.Entries, func(e Entry) bool { return e.Section == name }) {
		m.Diagnostics.Add("M002", diagnostic.Error, line, "section %q is there twice: the first counts", name)
		return
	}
	var fields struct {
		Description string            `json:"description"`
		Max         int               `json:"max_charts"`
		Charts      []json.RawMessage `json:"charts"`
	}
	if err := strictly(raw, &fields); err != nil {
		m.Diagnostics.Add("M003", diagnostic.Error, line, "section %q: %v", name, err)
		return
	}
	if fields.Max < 0 {
		m.Diagnostics.Add("M003", diagnostic.Error, line, "section %q: max_charts is %d", name, fields.Max)
	}
	e := Entry{Section: name, Description: fields.Description, Max: max(fields.Max, 0), Line: line}
	for _, c := range fields.Charts {
		i, err := readItem(c)
		if err != nil {
			m.Diagnostics.Add("M003", diagnostic.Error, line, "section %q: %v", name, err)
			continue
		}
		e.Items = append(e.Items, i)
	}
	m.Entries = append(m.Entries, e)
}

// strictly reads an object and refuses what it does not know: a name that is misspelled would be ignored for ever.
func strictly(raw json.RawMessage, into any) error {
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	return dec.Decode(into)
}

func readItem(raw json.RawMessage) (Item, error) {
	if raw[0] == '"' {
		var i Item
		err := json.Unmarshal(raw, &i.ID)
		if err == nil && i.ID == "" {
			err = fault.New(fault.Invalid, "a chart has no name")
		}
		return i, err
	}
	var fields struct {
		ID      string `json:"id"`
		Pattern string `json:"pattern"`
		Auto    bool   `json:"auto"`
		Max     int    `json:"max"`
		Sort    string `json:"sort"`
	}
	if err := strictly(raw, &fields); err != nil {
		return Item{}, err
	}
	i := Item(fields)
	kinds := 0
	for _, is := range []bool{i.ID != "", i.Pattern != "", i.Auto} {
		if is {
			kinds++
		}
	}
	_, bad := path.Match(i.Pattern, "")
	switch {
	case kinds != 1:
		return i, fault.New(fault.Invalid, "an item has one of id, pattern and auto: %.80s", raw)
	case bad != nil:
		return i, fault.New(fault.Invalid, "%q is not a pattern", i.Pattern)
	case i.Max < 0 || i.ID != "" && i.Max > 0:
		return i, fault.New(fault.Invalid, "max does not fit here: %.80s", raw)
	case i.Sort != "" && (i.Pattern == "" || i.Sort != "id" && i.Sort != "title"):
		return i, fault.New(fault.Invalid, "sort is id or title, of a pattern: %.80s", raw)
	}
	return i, nil
}
