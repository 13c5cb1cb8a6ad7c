package docx

import (
	"strconv"
	"strings"
)

// The breadth of the text on a sheet of A4, in twentieths of a point and in the units of drawings.
const (
	breadth      = 9638
	drawnBreadth = 6120000
)

func (h Heading) block(w *writer) {
	sheet := ""
	if h.Sheet {
		sheet = `<w:pageBreakBefore/>`
	}
	w.put(`<w:p><w:pPr><w:pStyle w:val="Heading`, strconv.Itoa(min(max(h.Level, 1), 6)), `"/>`, sheet, `</w:pPr>`, w.mark(h.Mark),
		run(h.Text), `</w:p>`)
}

func (p Paragraph) block(w *writer) {
	w.put(`<w:p>`)
	if p.Style != Body {
		w.put(`<w:pPr><w:pStyle w:val="`, string(p.Style), `"/></w:pPr>`)
	}
	for _, r := range p.Runs {
		if r.To == "" {
			w.put(run(r.Text))
			continue
		}
		w.put(`<w:hyperlink w:anchor="`, Mark(r.To), `" w:history="1">`, leading(r.Text), `</w:hyperlink>`)
	}
	w.put(`</w:p>`)
}

// run is text, its blanks kept.
func run(text string) string {
	return `<w:r><w:t xml:space="preserve">` + escaped(text) + `</w:t></w:r>`
}

// leading is text that leads somewhere, as it looks on the screen and on paper.
func leading(text string) string {
	return `<w:r><w:rPr><w:u w:val="dotted" w:color="85827A"/></w:rPr><w:t xml:space="preserve">` + escaped(text) + `</w:t></w:r>`
}

func (t Table) block(w *writer) {
	widths := t.widths()
	w.put(`<w:tbl><w:tblPr><w:tblStyle w:val="Lines"/><w:tblW w:w="`, strconv.Itoa(breadth), `" w:type="dxa"/><w:tblLayout w:type="fixed"/>`,
		`<w:tblLook w:val="0020" w:firstRow="1" w:lastRow="0" w:firstColumn="0" w:lastColumn="0" w:noHBand="1" w:noVBand="1"/></w:tblPr><w:tblGrid>`)
	for _, n := range widths {
		w.put(`<w:gridCol w:w="`, strconv.Itoa(n), `"/>`)
	}
	w.put(`</w:tblGrid>`)
	w.row(widths, `<w:trPr><w:cantSplit/><w:tblHeader/></w:trPr>`, Row{Cells: t.Head})
	for _, r := range t.Rows {
		w.row(widths, `<w:trPr><w:cantSplit/></w:trPr>`, r)
	}
	w.put(`</w:tbl><w:p/>`) // two tables with nothing between them would be one
}

func (w *writer) row(widths []int, kind string, r Row) {
	w.put(`<w:tr>`, kind)
	for i, n := range widths {
		text, mark := "", ""
		if i < len(r.Cells) {
			text = r.Cells[i]
		}
		if i == 0 {
			mark = w.mark(r.Mark)
		}
		w.put(`<w:tc><w:tcPr><w:tcW w:w="`, strconv.Itoa(n), `" w:type="dxa"/></w:tcPr><w:p><w:pPr><w:pStyle w:val="Cell"/></w:pPr>`, mark,
			run(text), `</w:p></w:tc>`)
	}
	w.put(`</w:tr>`)
}

// widths shares the breadth among the columns.
func (t Table) widths() []int {
	all, left := 0, breadth
	for _, s := range t.Shares {
		all += s
	}
	out := make([]int, len(t.Shares))
	for i, s := range t.Shares {
		out[i] = breadth * s / max(all, 1)
		left -= out[i]
	}
	if len(out) > 0 {
		out[len(out)-1] += left
	}
	return out
}

// document is the part with the text.
func (w *writer) document() string {
	return `<w:document ` + spaces + `><w:body>` + w.body.String() +
		`<w:sectPr><w:footerReference w:type="default" r:id="rFooter"/><w:pgSz w:w="11906" w:h="16838"/>` +
		`<w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" w:header="567" w:footer="567" w:gutter="0"/></w:sectPr></w:body></w:document>`
}

// links is what the text refers to by an id.
func (w *writer) links() string {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="` + packageSpace + `relationships">` +
		`<Relationship Id="rStyles" Type="` + officeSpace + `styles" Target="styles.xml"/>` +
		`<Relationship Id="rSettings" Type="` + officeSpace + `settings" Target="settings.xml"/>` +
		`<Relationship Id="rFooter" Type="` + officeSpace + `footer" Target="footer1.xml"/>`)
	for i := range w.charts {
		b.WriteString(`<Relationship Id="` + chartLink(i) + `" Type="` + officeSpace + `chart" Target="` +
			strings.TrimPrefix(chartPart(i), "word/") + `"/>`)
	}
	b.WriteString(`</Relationships>`)
	return b.String()
}

// types says what each part is.
func (w *writer) types() string {
	const word = `application/vnd.openxmlformats-officedocument.wordprocessingml.`
	var b strings.Builder
	b.WriteString(`<Types xmlns="` + packageSpace + `content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/docProps/core.xml" ContentType="application/vnd.openxmlformats-package.core-properties+xml"/>`)
	for part, kind := range [...]string{"document.main", "styles", "settings", "footer"} {
		name := [...]string{"document", "styles", "settings", "footer1"}[part]
		b.WriteString(`<Override PartName="/word/` + name + `.xml" ContentType="` + word + kind + `+xml"/>`)
	}
	for i := range w.charts {
		b.WriteString(`<Override PartName="/` + chartPart(i) + `" ContentType="application/vnd.openxmlformats-officedocument.drawingml.chart+xml"/>`)
	}
	b.WriteString(`</Types>`)
	return b.String()
}
