package table

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/platform/fact"
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
	rows, err := open(file)
	if err != nil {
		return nil, nil, err
	}
	header, err := rows.Read()
	if err != nil {
		return nil, nil, fault.New(fault.Invalid, "the file has no line that names its columns")
	}
	r := &reader{hints: hints, t: &Table{Columns: slices.Clone(header)}, index: map[string]int{}}
	if err := r.columns(header); err != nil {
		return nil, nil, err
	}
	for {
		record, err := rows.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, nil, fault.From(fault.Invalid, err, "record %d cannot be read", r.t.Records+1)
		}
		r.t.Records++
		if len(record) != len(header) {
			r.told.Add("D002", diagnostic.Error, 0, "record %d has %d fields, the header %d: it is left out", r.t.Records, len(record), len(header))
			r.t.Dropped++
			continue
		}
		r.records = append(r.records, record)
		r.numbers = append(r.numbers, r.t.Records)
	}
	r.fill()
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
	file = bytes.TrimPrefix(file, []byte("\xef\xbb\xbf"))
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

// A reader is one reading of a file.
type reader struct {
	hints                                Hints
	t                                    *Table
	told                                 diagnostic.List
	scenario, unit, measure, year, value int   // columns, -1 where there is none
	years                                []int // columns of years
	dims                                 []int
	records                              [][]string
	numbers                              []int          // of the records
	index                                map[string]int // series by what they are
	empty, longest                       int
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
	iamc := find("model") >= 0 && find("scenario") >= 0 && find("region") >= 0 && find("variable") >= 0
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

// fill makes series of the records.
func (r *reader) fill() {
	r.dimensions()
	for i, record := range r.records {
		r.row(r.numbers[i], record)
	}
	r.records = nil
	t := r.t
	for i := range t.Series {
		slices.SortStableFunc(t.Series[i].Cells, func(a, b Cell) int { return a.Year - b.Year })
		for _, c := range t.Series[i].Cells {
			if c.Year != 0 && !slices.Contains(t.Years, c.Year) {
				t.Years = append(t.Years, c.Year)
			}
		}
	}
	slices.Sort(t.Years)
	r.fractions()
	t.settle(&r.told)
	r.tell()
}

// dimensions are the columns a chart was grouped by, or else the columns that hold words.
func (r *reader) dimensions() {
	for _, name := range r.hints.Dimensions {
		i := slices.IndexFunc(r.t.Columns, func(c string) bool { return strings.EqualFold(strings.TrimSpace(c), name) })
		if i >= 0 && r.free(i) && !slices.Contains(r.dims, i) {
			r.dims = append(r.dims, i)
		}
	}
	if len(r.dims) == 0 {
		for i := range r.t.Columns {
			if r.free(i) && r.words(i) {
				r.dims = append(r.dims, i)
			}
		}
	}
	for _, i := range r.dims {
		r.t.Dimensions = append(r.t.Dimensions, strings.TrimSpace(r.t.Columns[i]))
	}
}

// free reports whether a column has no other purpose.
func (r *reader) free(i int) bool {
	return !slices.Contains([]int{r.scenario, r.unit, r.measure, r.year, r.value}, i) && !slices.Contains(r.years, i)
}

// words reports whether a column holds anything that is no number.
func (r *reader) words(i int) bool {
	for _, record := range r.records {
		if text := strings.TrimSpace(record[i]); text != "" {
			if _, err := fact.ParseNumber(text); err != nil {
				return true
			}
		}
	}
	return false
}

// cell is a field as text of one form, "" where the file has no such column.
func cell(record []string, i int) string {
	if i < 0 {
		return ""
	}
	return norm.NFC.String(strings.TrimSpace(record[i]))
}

// row adds one record.
func (r *reader) row(n int, record []string) {
	s := Series{Scenario: AllScenario, Unit: ParseUnit(cell(record, r.unit)).percent(), Measure: cell(record, r.measure)}
	if name := cell(record, r.scenario); name != "" {
		s.Scenario = name
	}
	if r.unit < 0 {
		s.Unit = ParseUnit(r.hints.Unit).percent()
	}
	for _, i := range r.dims {
		s.Labels = append(s.Labels, cell(record, i))
	}
	switch r.t.Form {
	case Wide, IAMCWide:
		for _, i := range r.years {
			y, _ := strconv.Atoi(strings.TrimSpace(r.t.Columns[i])) // its form was looked at
			s.Cells = append(s.Cells, Cell{Year: y, Text: r.number(n, i, record[i]), Record: n, Column: r.t.Columns[i]})
		}
		r.t.Series = append(r.t.Series, s)
	case Long:
		s.Cells = []Cell{{Text: r.number(n, r.value, record[r.value]), Record: n, Column: r.t.Columns[r.value]}}
		r.t.Series = append(r.t.Series, s)
	default:
		r.dated(n, record, s)
	}
}

// dated adds a record that names its year to the series it belongs to.
func (r *reader) dated(n int, record []string, s Series) {
	text := strings.TrimSpace(record[r.year])
	y, err := strconv.Atoi(text)
	if err != nil || !yearForm.MatchString(text) {
		r.told.Add("D003", diagnostic.Error, 0, "record %d: %q is not a year: it is left out", n, text)
		r.t.Dropped++
		return
	}
	key := strings.Join(append([]string{s.Scenario, s.Unit.String()}, s.Labels...), "\x00")
	i, known := r.index[key]
	if !known {
		i = len(r.t.Series)
		r.index[key] = i
		r.t.Series = append(r.t.Series, s)
	}
	c := Cell{Year: y, Text: r.number(n, r.value, record[r.value]), Record: n, Column: r.t.Columns[r.value]}
	r.t.Series[i].Cells = append(r.t.Series[i].Cells, c)
}

// number is a field that holds a number, "" where it holds none.
func (r *reader) number(n, column int, text string) string {
	text = strings.TrimSpace(text)
	if text == "" || strings.EqualFold(text, "nan") {
		r.empty++
		return ""
	}
	if _, err := fact.ParseNumber(text); err != nil {
		r.told.Add("D003", diagnostic.Error, 0,
			"record %d, column %s: %.40q is not a number: it counts as no value", n, r.t.Columns[column], text)
		return ""
	}
	if _, frac, ok := strings.Cut(strings.ToLower(text), "."); ok {
		digits, _, _ := strings.Cut(frac, "e")
		r.t.Decimals = max(r.t.Decimals, min(len(digits), fact.MaxDecimals))
	}
	return text
}

// fractions calls a fraction that goes far above one what it is: per cent.
func (r *reader) fractions() {
	limit := big.NewRat(3, 2)
	above := false
	for _, s := range r.t.Series {
		if len(s.Unit.names) != 1 || !isFraction(s.Unit.names[0]) {
			continue
		}
		for _, c := range s.Cells {
			if v, err := fact.ParseNumber(c.Text); err == nil && v.Cmp(limit) > 0 {
				above = true
			}
		}
	}
	if !above {
		return
	}
	for i := range r.t.Series {
		if u := &r.t.Series[i].Unit; len(u.names) == 1 && isFraction(u.names[0]) {
			u.names = []string{fact.Percent}
		}
	}
	r.told.Add("D004", diagnostic.Warning, 0, "the unit is a fraction, and values go above 1.5: they are read as per cent")
}

// tell says what a reader of the numbers must know.
func (r *reader) tell() {
	t := r.t
	if t.ManyUnits() {
		r.told.Add("D006", diagnostic.Warning, 0, "there are several units (%s): nothing is added up across them", strings.Join(t.Units, ", "))
	}
	if r.empty > 0 {
		r.told.Add("D007", diagnostic.Info, 0, "%d cells are empty: they count as no value, not as zero", r.empty)
	}
	if r.scenario < 0 {
		r.told.Add("D008", diagnostic.Info, 0, "there is no column for the scenario: it is called %s", AllScenario)
	}
	if len(t.Units) == 0 && len(t.Series) > 0 {
		r.told.Add("D009", diagnostic.Warning, 0, "no unit is known")
	}
}
