// Package plotspec is for plot_specs.json, in which a model's plotting program writes down how it made each chart: its title,
// what it was grouped by, in which unit, and which targets are drawn into it.
//
// The file is no JSON document but one object after the other. Parse reads that, and an array, a map from titles, or one
// object to a line. What a spec says beyond what is known here is kept in Raw, byte for byte.
package plotspec

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds on one file.
const (
	MaxBytes = 64 << 20
	MaxSpecs = 20_000
)

// A Spec is how one chart was made. Only what this application goes by has a field.
type Spec struct {
	Title       string
	Category    string
	GroupBy     []string
	Unit        string // si_unit
	YAxis       string // yaxis_title
	Total       string // total_category_name: the series that is the sum of the others
	BaseYear    int
	FinalYear   int
	Precision   int                               // csv_precision; -1 where it is not said
	Threshold   json.Number                       // category_significance_threshold: smaller categories were dropped
	ExtraPoints map[string]map[string]json.Number // targets by name and year
	Scenarios   []string                          // scenario_list
	Raw         json.RawMessage
	Line        int // where it begins in the file
}

// SHA256 names the bytes of the spec. The file as a whole is no JSON document, so a value of a spec is cited in this one.
func (s Spec) SHA256() string {
	sum := sha256.Sum256(s.Raw)
	return hex.EncodeToString(sum[:])
}

// Parse reads a file. Objects before a place that cannot be read are kept.
func Parse(file []byte) ([]Spec, diagnostic.List, error) {
	if len(file) > MaxBytes {
		return nil, nil, fault.New(fault.TooLarge, "plot specs of %d MB: at most %d are read", len(file)>>20, MaxBytes>>20)
	}
	file = bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
	p := &parser{file: file, lines: map[string]int{}}
	dec := json.NewDecoder(bytes.NewReader(file))
	for {
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			p.told.Add("S001", diagnostic.Error, p.lineAt(int(dec.InputOffset())), "this is not JSON: what follows is not read (%v)", err)
			break
		}
		p.value(raw, int(dec.InputOffset())-len(raw))
		if len(p.specs) > MaxSpecs {
			return nil, nil, fault.New(fault.TooLarge, "more than %d plot specs", MaxSpecs)
		}
	}
	return p.specs, p.told, nil
}

type parser struct {
	file  []byte
	specs []Spec
	lines map[string]int // of titles
	told  diagnostic.List
}

func (p *parser) lineAt(offset int) int {
	offset = min(max(offset, 0), len(p.file))
	return 1 + bytes.Count(p.file[:offset], []byte("\n"))
}

// value takes an object, an array of them, or a map from titles to them.
func (p *parser) value(raw json.RawMessage, offset int) {
	line := p.lineAt(offset)
	if raw[0] == '[' {
		var items []json.RawMessage
		if json.Unmarshal(raw, &items) == nil {
			for _, item := range items {
				p.value(item, offset)
			}
		}
		return
	}
	var fields map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil {
		p.told.Add("S001", diagnostic.Error, line, "a plot spec is an object, this is %.20s", raw)
		return
	}
	if !ofTitles(fields) {
		p.spec(raw, fields, "", line)
		return
	}
	for _, title := range slices.Sorted(maps.Keys(fields)) {
		var inner map[string]json.RawMessage
		if json.Unmarshal(fields[title], &inner) == nil {
			p.spec(fields[title], inner, title, line)
		}
	}
}

// ofTitles reports whether an object maps titles to specs rather than being one.
func ofTitles(fields map[string]json.RawMessage) bool {
	if fields["title"] != nil || len(fields) == 0 {
		return false
	}
	for _, v := range fields {
		if v[0] != '{' {
			return false
		}
	}
	return true
}

// spec reads one spec. A field of another type than it should have is left out and told.
func (p *parser) spec(raw json.RawMessage, fields map[string]json.RawMessage, title string, line int) {
	s := Spec{Title: title, Precision: -1, Raw: raw, Line: line}
	var threshold *json.Number
	for _, f := range []struct {
		name     string
		into     any
		required bool
	}{
		{"title", &s.Title, title == ""}, {"category", &s.Category, true}, {"groupby", &s.GroupBy, true},
		{"si_unit", &s.Unit, false}, {"yaxis_title", &s.YAxis, false}, {"total_category_name", &s.Total, false},
		{"base_year", &s.BaseYear, false}, {"final_year", &s.FinalYear, false}, {"csv_precision", &s.Precision, false},
		{"category_significance_threshold", &threshold, false}, {"extra_points", &s.ExtraPoints, false},
		{"scenario_list", &s.Scenarios, false},
	} {
		value, given := fields[f.name]
		if !given || string(value) == "null" {
			if f.required {
				p.told.Add("S002", diagnostic.Error, line, "plot spec %.60q has no %s", s.Title, f.name)
			}
			continue
		}
		if err := json.Unmarshal(value, f.into); err != nil {
			p.told.Add("S003", diagnostic.Warning, line,
				"plot spec %.60q: %s is %.40s, which is not what is expected there: it is left out", s.Title, f.name, value)
		}
	}
	if threshold != nil {
		s.Threshold = *threshold
	}
	if strings.TrimSpace(s.Title) == "" {
		return // told above; nothing can be found by it
	}
	if first := p.lines[Normal(s.Title)]; first > 0 {
		p.told.Add("S004", diagnostic.Warning, line, "plot spec %.60q is there twice: the one on line %d counts", s.Title, first)
		return
	}
	p.lines[Normal(s.Title)] = line
	p.specs = append(p.specs, s)
}

// Normal is a title or a file's stem without anything but letters and digits, as both are compared: "CO₂ emissions" and
// co2_emissions are one.
func Normal(s string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(norm.NFKC.String(s)))
}

// Pointer is where a target stands in a spec, as RFC 6901 writes it.
func Pointer(target, year string) string {
	esc := strings.NewReplacer("~", "~0", "/", "~1")
	return fmt.Sprintf("/extra_points/%s/%s", esc.Replace(target), esc.Replace(year))
}
