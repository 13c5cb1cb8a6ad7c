package paper

import (
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/docx"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/rule/table"
	"github.com/gavelhq/gavel/platform/chart"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/render"
	"github.com/gavelhq/gavel/platform/fault"
)

// Word is a report as it stands, as a Word file: every number leads to its line in the annex, charts are Word's own, drawn from their
// tables. The same report and data make the same bytes.
func Word(document []byte, l *report.Ledger, cat *catalogue.Catalogue) ([]byte, error) {
	doc, err := outline.Parse(document)
	if err != nil {
		return nil, err
	}
	w := &wordFile{doc: doc, ledger: l, cat: cat, annex: annex{cat: cat}, drawn: map[string]bool{}}
	w.add(docx.Text(docx.Name, chart.Plain(title(doc))), docx.Text(docx.Quiet, chart.Plain(headline(l.Meta))))
	for _, s := range doc.Sections {
		w.add(docx.Paragraph{Style: docx.Item, Runs: []docx.Run{{Text: strings.Repeat("    ", s.Level-1)}, {Text: chart.Plain(s.Title),
			To: w.mark(s.ID, "")}}})
	}
	for i, s := range doc.Sections {
		w.add(docx.Heading{Level: s.Level, Text: chart.Plain(s.Title), Mark: w.mark(s.ID, ""), Sheet: i == 0}) // before it are the contents
		if err := w.section(s); err != nil {
			return nil, err
		}
	}
	if err := w.appendix(); err != nil {
		return nil, err
	}
	w.cited()
	return docx.Document{Title: chart.Plain(title(doc)), Made: l.Meta.Generated, Footer: "Draft, run " + chart.Plain(l.Meta.RunID),
		Blocks: w.blocks}.Bytes()
}

// wordFile is a Word file being written.
type wordFile struct {
	doc    *outline.Document
	ledger *report.Ledger
	cat    *catalogue.Catalogue
	blocks []docx.Block
	annex  annex
	drawn  map[string]bool
}

func (w *wordFile) add(b ...docx.Block) { w.blocks = append(w.blocks, b...) }

// mark is the name of a section, or of a fact of one. Word's names are short and have no signs: a section is called by its number.
func (w *wordFile) mark(section string, id fact.ID) string {
	for i, s := range w.doc.Sections {
		if s.ID == section {
			return "s" + strconv.Itoa(i+1) + "_" + string(id)
		}
	}
	return "s0_" + string(id)
}

func (w *wordFile) section(s outline.Section) error {
	e := w.ledger.Find(s.ID)
	if e == nil {
		e = &report.Entry{ID: s.ID}
	}
	if e.Hash != s.Hash() && s.Prose != "" {
		w.add(docx.Text(docx.Quiet, editedWords))
	}
	parts, err := report.Parts(w.doc, s, *e)
	if err != nil {
		return err
	}
	if words := unwritten(*e, parts); words != "" {
		w.add(docx.Text(docx.Quiet, chart.Plain(words)))
	}
	book, err := e.Book()
	if err != nil {
		return err
	}
	for i, part := range parts {
		if part.Title {
			w.add(docx.Text(docx.Above, chart.Plain(part.Text)))
			continue
		}
		if err := w.paragraph(*e, book, part.Text); err != nil {
			return err
		}
		if last := i+1 == len(parts) || parts[i+1].Title; last && part.Chart != "" {
			w.figure(part.Chart)
		}
	}
	return nil
}

// paragraph adds a text; each number in it leads to the annex.
func (w *wordFile) paragraph(e report.Entry, book *fact.Book, template string) error {
	var runs []docx.Run
	for _, piece := range render.Parse(template) {
		if piece.Kind != render.Fact {
			runs = append(runs, docx.Run{Text: chart.Plain(piece.Text)})
			continue
		}
		f, ok := book.Latest(piece.Token.ID)
		if !ok {
			return fault.New(fault.Invalid, "section %s cites %s, which is no fact of it", e.ID, piece.Token.ID)
		}
		w.annex.cite(e, book, f.ID)
		runs = append(runs, docx.Run{Text: fact.Style{}.Show(f, piece.Token.Options), To: w.mark(e.ID, f.ID)})
	}
	w.add(docx.Paragraph{Runs: runs})
	return nil
}

// figure adds a chart, once in a file: a drawing for each scenario.
func (w *wordFile) figure(key string) {
	ch, err := w.cat.Find(key)
	if err != nil || !ch.Citable() || w.drawn[key] {
		return
	}
	w.drawn[key] = true
	var all []docx.Chart
	for _, scenario := range ch.Table.Scenarios {
		d := docx.Chart{Title: chart.Plain(ch.Title + ", " + scenario), Unit: chart.Plain(strings.Join(ch.Units, ", ")), X: ch.Table.Years}
		d.Alt = d.Title + ". The numbers are in " + ch.CSV + "."
		if len(d.X) == 0 {
			bars(&d, ch.Table, scenario)
		} else {
			overYears(&d, ch.Table, scenario)
		}
		if len(d.Lines) > 0 {
			all = append(all, d)
		}
	}
	for i, d := range all {
		d.Tied = i+1 == len(all) // to the words below it
		w.add(d)
	}
	w.add(docx.Text(docx.Quiet, chart.Plain(ch.Title)+". Drawn from "+ch.CSV+"."))
}

func overYears(d *docx.Chart, t *table.Table, scenario string) {
	for _, s := range t.Series {
		if s.Scenario != scenario || len(d.Lines) == mostLines {
			continue
		}
		l := docx.Line{Name: chart.Plain(s.Label())}
		for _, y := range t.Years {
			l.Values = append(l.Values, digits(s.At(y)))
		}
		d.Lines = append(d.Lines, l)
	}
}

func bars(d *docx.Chart, t *table.Table, scenario string) {
	l := docx.Line{Name: scenario}
	for _, s := range t.Series {
		if s.Scenario == scenario && len(s.Cells) == 1 {
			d.Names, l.Values = append(d.Names, chart.Plain(s.Label())), append(l.Values, digits(s.Cells[0]))
		}
	}
	if len(d.Names) > 0 {
		d.Lines = []docx.Line{l}
	}
}

// digits is a cell as a number that every program reads; "" where there is none.
func digits(c table.Cell) string {
	n, err := fact.ParseNumber(c.Text)
	if c.Empty() || err != nil {
		return ""
	}
	return n.FloatString(12)
}
