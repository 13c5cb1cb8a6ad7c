package paper

import (
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
)

// On sheets nothing opens: each number that is cited has one line in a table at the end instead, with its whole formula down to
// records and columns of files.

// An annex collects what a report cites, in the order in which it does.
type annex struct {
	cat      *catalogue.Catalogue
	sections []cited
}

// cited is the facts that one section cites.
type cited struct {
	entry report.Entry
	book  *fact.Book
	ids   []fact.ID
}

// line is one fact of the annex.
type line struct {
	id    fact.ID
	value string // as it is exactly
	about string
	from  string
}

// annexWords says how to read the annex.
const annexWords = "Each number of the text, and where it is from. [2050, 3] is the value in record 3 of the column 2050; the first " +
	"record is the one below the header. Every digit, and the SHA-256 of every file, is in the file of facts beside the report."

// mostFormula is how long a formula may be, in bytes; the file of facts has the rest.
const mostFormula = 400

// cite notes that a section cites a fact.
func (a *annex) cite(e report.Entry, book *fact.Book, id fact.ID) {
	n := len(a.sections)
	if n == 0 || a.sections[n-1].entry.ID != e.ID {
		a.sections = append(a.sections, cited{entry: e, book: book})
		n++
	}
	if s := &a.sections[n-1]; !slices.Contains(s.ids, id) {
		s.ids = append(s.ids, id)
	}
}

// lines are the facts of a section.
func (a *annex) lines(s cited) []line {
	var out []line
	for _, id := range s.ids {
		f, ok := s.book.Latest(id)
		if !ok {
			continue
		}
		out = append(out, line{id, f.Value + unit(f.Unit), about(withoutChart(f.Subject)), a.from(s.book, f)})
	}
	return out
}

// withoutChart is a subject without the chart, which the formula names.
func withoutChart(s fact.Subject) fact.Subject {
	ids := map[string]string{}
	for k, v := range s.IDs {
		if k != summary.ChartID {
			ids[k] = v
		}
	}
	s.IDs = ids
	return s
}

// from is the formula of a fact over cells, after the files that they stand in.
func (a *annex) from(book *fact.Book, f fact.Fact) string {
	var files []string
	formula := a.formula(book, f, &files)
	if len(formula) > mostFormula {
		formula = strings.ToValidUTF8(formula[:mostFormula], "") + " …"
	}
	return strings.Join(files, ", ") + ": " + formula
}

func (a *annex) formula(book *fact.Book, f fact.Fact, files *[]string) string {
	if f.Calc == nil {
		return a.cell(f, files)
	}
	var parts []string
	for i := 0; i < len(f.Calc.Inputs); i++ {
		in, ok := book.At(f.Calc.Inputs[i])
		if !ok {
			parts = append(parts, string(f.Calc.Inputs[i].ID))
			continue
		}
		if n := a.together(book, f.Calc.Inputs[i:]); n > 2 {
			last, _ := book.At(f.Calc.Inputs[i+n-1])
			parts = append(parts, strings.TrimSuffix(a.cell(in, files), "]")+"–"+strconv.Itoa(last.Source.Selector.CSV.Row)+"]")
			i += n - 1
			continue
		}
		parts = append(parts, a.formula(book, in, files))
	}
	return string(f.Calc.Op) + "(" + strings.Join(parts, ", ") + ")"
}

// together is how many facts in a row are records of one column that follow each other.
func (a *annex) together(book *fact.Book, refs []fact.Ref) int {
	first, n := (*fact.CSVCell)(nil), 0
	for _, r := range refs {
		f, ok := book.At(r)
		if !ok || f.Source == nil || f.Source.Selector.CSV == nil {
			break
		}
		c := f.Source.Selector.CSV
		if first == nil {
			first = c
		}
		if c.Column != first.Column || c.Row != first.Row+n {
			break
		}
		n++
	}
	return n
}

// cell is where a fact was read, and notes the file.
func (a *annex) cell(f fact.Fact, files *[]string) string {
	if f.Source == nil {
		return string(f.ID)
	}
	file := ""
	if ch, err := a.cat.Find(f.Subject.IDs[summary.ChartID]); err == nil {
		file = ch.CSV
	}
	where := ""
	switch sel := f.Source.Selector; {
	case sel.CSV != nil:
		where = sel.CSV.Column + ", " + strconv.Itoa(sel.CSV.Row)
	case sel.JSON != nil:
		file, where = "the plot spec of "+file, sel.JSON.Pointer
	}
	n := slices.Index(*files, file)
	if n < 0 {
		n = len(*files)
		*files = append(*files, file)
	}
	if n > 0 {
		where = "file " + strconv.Itoa(n+1) + ": " + where
	}
	return "[" + where + "]"
}

// cited writes the annex of a page that is printed.
func (p *page) cited() {
	if p.annex == nil {
		return
	}
	p.put(`<section id="annex" class="annex"><h2>Where every number is from</h2><p>`, annexWords, `</p>`)
	for _, s := range p.annex.sections {
		p.put(`<h3>`, text(s.entry.Title), `</h3><table><thead><tr>`, `<th>Fact</th><th>Value</th><th>About</th><th>From</th></tr></thead><tbody>`)
		for _, l := range p.annex.lines(s) {
			p.put(`<tr id="`, card(s.entry.ID, l.id), `"><td>`, string(l.id), `</td><td>`, text(l.value), `</td><td>`, text(l.about),
				`</td><td>`, text(l.from), `</td></tr>`)
		}
		p.put(`</tbody></table>`)
	}
	p.put(`</section>`)
}
