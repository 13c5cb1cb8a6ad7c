package table

import (
	"cmp"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/platform/fact"
)

// record takes one record; one that does not fit the header is left out.
func (r *reader) record(n int, record []string) {
	r.t.Records = n
	if len(record) != len(r.t.Columns) {
		r.told.Add("D002", diagnostic.Error, 0, "record %d has %d fields, the header %d: it is left out", n, len(record), len(r.t.Columns))
		r.t.Dropped++
		return
	}
	r.row(n, record)
}

// finish puts the series in order and says what there is to say.
func (r *reader) finish() {
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
func (r *reader) dimensions(said preamble) error {
	for _, name := range r.hints.Dimensions {
		i := slices.IndexFunc(r.t.Columns, func(c string) bool { return strings.EqualFold(strings.TrimSpace(c), name) })
		if i >= 0 && r.free(i) && !slices.Contains(r.dims, i) {
			r.dims = append(r.dims, i)
		}
	}
	if len(r.dims) == 0 && r.t.Form == Veda {
		if err := r.vedaDimensions(said); err != nil {
			return err
		}
	} else if len(r.dims) == 0 {
		words := make([]bool, len(r.t.Columns))
		err := each(said, func(_ int, record []string) {
			for i := 0; i < len(words) && len(record) == len(words); i++ {
				words[i] = words[i] || r.free(i) && isWord(record[i])
			}
		})
		if err != nil {
			return err
		}
		for i, is := range words {
			if is {
				r.dims = append(r.dims, i)
			}
		}
	}
	for _, i := range r.dims {
		r.t.Dimensions = append(r.t.Dimensions, strings.TrimSpace(r.t.Columns[i]))
	}
	return nil
}

// free reports whether a column has no other purpose.
func (r *reader) free(i int) bool {
	return !slices.Contains([]int{r.scenario, r.unit, r.measure, r.year, r.value}, i) && !slices.Contains(r.years, i) &&
		!denominator(r.t.Columns[i])
}

// isWord reports whether a field holds something that is no number.
func isWord(field string) bool {
	text := strings.TrimSpace(field)
	if text == "" {
		return false
	}
	_, err := fact.ParseNumber(text)
	return err != nil
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
	if name := cmp.Or(cell(record, r.scenario), r.all); name != "" {
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
	if r.t.Form == Veda && (text == "" || text == none) {
		r.timeless++
		r.t.Dropped++
		return
	}
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
	r.t.Decimals = max(r.t.Decimals, min(decimals(text), fact.MaxDecimals))
	return text
}

// decimals is how many a number has, written out: 1.25e-3 has five.
func decimals(text string) int {
	mantissa, power, scaled := strings.Cut(strings.ToLower(text), "e")
	_, frac, _ := strings.Cut(mantissa, ".")
	n := len(frac)
	if by, err := strconv.Atoi(power); scaled && err == nil {
		n -= by
	}
	return max(n, 0)
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
		r.told.Add("D006", diagnostic.Warning, 0, "there are several units (%s): nothing is added up across them",
			strings.Join(t.Units, ", "))
	}
	if r.empty > 0 {
		r.told.Add("D007", diagnostic.Info, 0, "%d cells are empty: they count as no value, not as zero", r.empty)
	}
	if r.timeless > 0 {
		r.told.Add("D013", diagnostic.Info, 0, "%d records have no period: they are left out", r.timeless)
	}
	if r.severalAttributes() {
		t.mixed = true
		r.told.Add("D014", diagnostic.Warning, 0, "there are several attributes and no units: nothing is compared across them")
	}
	if r.scenario < 0 && r.all == "" {
		r.told.Add("D008", diagnostic.Info, 0, "there is no column for the scenario: it is called %s", AllScenario)
	}
	if len(t.Units) == 0 && len(t.Series) > 0 {
		r.told.Add("D009", diagnostic.Warning, 0, "no unit is known")
	}
}
