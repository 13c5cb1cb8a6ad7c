package table

import (
	"bytes"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
)

// A preamble is what a file of VEDA says before its records: lines with an asterisk, of which "*Dimensions- A;B;C" names the columns
// and "*ImportID- Scenario:X" the scenario. The platform finds cells again by the same rule.
type preamble struct {
	columns  []string // nil where the file has none: then its first record names them
	scenario string
	records  []byte
}

func preambleOf(file []byte) preamble {
	p := preamble{records: file}
	for bytes.HasPrefix(p.records, []byte("*")) {
		line, rest, ended := bytes.Cut(p.records[1:], []byte("\n"))
		if !ended {
			return preamble{records: file}
		}
		p.records = rest
		text := strings.TrimSpace(string(line))
		if said, is := after(text, "dimensions-"); is && said != "" {
			p.columns = strings.Split(strings.Trim(said, "; \t"), ";")
		}
		if said, is := after(text, "importid-"); is {
			for _, pair := range strings.Split(said, ";") {
				if name, is := after(strings.TrimSpace(pair), "scenario:"); is {
					p.scenario = name
				}
			}
		}
	}
	if p.columns == nil {
		return preamble{records: file}
	}
	for i, c := range p.columns {
		p.columns[i] = strings.TrimSpace(c)
	}
	return p
}

// after is what stands behind the beginning of a text, whatever its capitals.
func after(text, begins string) (string, bool) {
	if len(text) < len(begins) || !strings.EqualFold(text[:len(begins)], begins) {
		return "", false
	}
	return strings.TrimSpace(text[len(begins):]), true
}

// vedaNames are the columns that tell rows of VEDA apart, besides region and period.
var vedaNames = []string{"attribute", "commodity", "process"}

// none is what VEDA writes where a dimension does not apply.
const none = "-"

// denominator reports whether a column holds what a value was divided by: it is no value, and no name either.
func denominator(column string) bool {
	return strings.HasSuffix(strings.ToLower(strings.TrimSpace(column)), "~den")
}

// vedaDimensions are the columns of a file of VEDA that say what a value is of, those left out that say nothing in any row. A vintage is
// a year and still a name.
func (r *reader) vedaDimensions(said preamble) error {
	used := make([]bool, len(r.t.Columns))
	err := each(said, func(_ int, record []string) {
		for i := 0; i < len(used) && len(record) == len(used); i++ {
			text := strings.TrimSpace(record[i])
			used[i] = used[i] || text != "" && text != none
		}
	})
	for i, c := range r.t.Columns {
		switch {
		case denominator(c):
			r.told.Add("D012", diagnostic.Info, 0, "column %s is what values were divided by: it is left out", c)
		case used[i] && r.free(i):
			r.dims = append(r.dims, i)
		}
	}
	return err
}

// severalAttributes reports whether a file of VEDA that names no unit holds values of different kinds: capacities beside flows.
func (r *reader) severalAttributes() bool {
	at := slices.IndexFunc(r.t.Dimensions, func(d string) bool { return strings.EqualFold(d, "attribute") })
	if r.t.Form != Veda || r.unit >= 0 || at < 0 {
		return false
	}
	return slices.ContainsFunc(r.t.Series, func(s Series) bool { return s.Labels[at] != r.t.Series[0].Labels[at] })
}
