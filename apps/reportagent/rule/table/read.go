package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/platform/fault"
)

// MaxBytes bounds a file that is read here. Larger ones are for a database.
const MaxBytes = 200 << 20

// Hints are what is known of a file from elsewhere.
type Hints struct {
	Dimensions []string // columns a chart was grouped by; those the file does not have are left out
	Unit       string   // of a file that has no column for it
}

var yearForm = regexp.MustCompile(`^(19|20|21)\d\d$`)

// Read reads a CSV file (RFC 4180, UTF-8, with a header). The error is for a file that is no such table; what is wrong with
// single rows is in the diagnostics, and those rows are left out.
func Read(file []byte, hints Hints) (*Table, diagnostic.List, error) {
	said := preambleOf(bytes.TrimPrefix(file, []byte("\xef\xbb\xbf")))
	rows, err := open(said.records)
	if err != nil {
		return nil, nil, err
	}
	header := said.columns
	if header == nil {
		if header, err = rows.Read(); err != nil {
			return nil, nil, fault.New(fault.Invalid, "the file has no line that names its columns")
		}
	}
	r := &reader{hints: hints, t: &Table{Columns: slices.Clone(header)}, index: map[string]int{}, all: said.scenario}
	if err := r.columns(header); err != nil {
		return nil, nil, err
	}
	if err := r.dimensions(said); err != nil {
		return nil, nil, err
	}
	if err := each(said, r.record); err != nil {
		return nil, nil, err
	}
	r.finish()
	return r.t, r.told, nil
}

// open prepares a file. The platform finds cells again with a delimiter it guesses from the header; a file for which it
// would guess another is refused, so that both count the same columns.
func open(file []byte) (*csv.Reader, error) {
	if len(file) > MaxBytes {
		return nil, fault.New(fault.TooLarge, "a file of %d MB: at most %d are read", len(file)>>20, MaxBytes>>20)
	}
	if !utf8.Valid(file) {
		return nil, fault.New(fault.Invalid, "the file is not UTF-8 text")
	}
	seen := separators(file)
	for _, other := range []byte{';', '\t', '|'} {
		if seen[other] > seen[','] {
			return nil, fault.New(fault.Invalid, "the columns are parted by %q: a comma is wanted", other)
		}
	}
	rows := csv.NewReader(bytes.NewReader(file))
	rows.FieldsPerRecord = -1
	return rows, nil
}

// separators counts the bytes of the header that stand outside quotes.
func separators(file []byte) map[byte]int {
	seen, quoted := map[byte]int{}, false
	for _, c := range bytes.TrimLeft(file, "\r\n") {
		if c == '\n' && !quoted {
			break
		}
		if quoted = quoted != (c == '"'); !quoted {
			seen[c]++
		}
	}
	return seen
}

// each shows every record of a file behind the header, and its number.
func each(said preamble, show func(n int, record []string)) error {
	rows, err := open(said.records)
	if err != nil {
		return err
	}
	rows.ReuseRecord = true
	n := 0
	if said.columns != nil {
		n = 1 // there is no header among the records
	}
	for ; ; n++ {
		record, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fault.From(fault.Invalid, err, "record %d cannot be read", n)
		}
		if n > 0 {
			show(n, record)
		}
	}
}

// A reader is one reading of a file.
type reader struct {
	hints                                Hints
	t                                    *Table
	told                                 diagnostic.List
	scenario, unit, measure, year, value int   // columns, -1 where there is none
	years                                []int // columns of years
	dims                                 []int
	index                                map[string]int // series by what they are
	empty                                int            // cells
	timeless                             int            // records of VEDA without a period
	all                                  string         // the scenario of the whole file, where it says one
}

// columns finds out what the columns are for.
func (r *reader) columns(header []string) error {
	at := map[string]int{}
	for i, name := range header {
		folded := strings.ToLower(strings.TrimSpace(name))
		if _, twice := at[folded]; twice || folded == "" {
			return fault.New(fault.Invalid, "column %q is there twice, or has no name", name)
		}
		at[folded] = i
		if yearForm.MatchString(folded) {
			r.years = append(r.years, i)
		}
	}
	find := func(names ...string) int {
		for _, n := range names {
			if i, ok := at[n]; ok {
				return i
			}
		}
		return -1
	}
	r.scenario, r.unit, r.measure = find("scen", "scenario"), find("unit"), find("measure")
	r.year, r.value = find("year"), find("val", "value")
	has := func(names []string) bool {
		return !slices.ContainsFunc(names, func(n string) bool { return find(n) < 0 })
	}
	if value := find("pv", "val", "value"); has(vedaNames) && find("period") >= 0 && value >= 0 {
		r.t.Form, r.year, r.value, r.years = Veda, find("period"), value, nil
		return nil
	}
	return r.form(has([]string{"model", "scenario", "region", "variable"}))
}

// form says how the file lays out its values.
func (r *reader) form(iamc bool) error {
	switch {
	case iamc && len(r.years) > 0:
		r.t.Form = IAMCWide
	case iamc && r.year >= 0 && r.value >= 0:
		r.t.Form = IAMCLong
	case len(r.years) > 0:
		r.t.Form = Wide
	case r.year >= 0 && r.value >= 0:
		r.t.Form = View
	case r.value >= 0:
		r.t.Form = Long
	default:
		return fault.New(fault.Invalid, "no column holds values: neither a year such as 2030, nor val")
	}
	if len(r.years) > 0 {
		r.year, r.value = -1, -1
	}
	return nil
}
