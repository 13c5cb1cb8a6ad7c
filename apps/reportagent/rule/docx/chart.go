package docx

import (
	"strconv"
	"strings"
)

// A Chart is drawn by whoever opens the file, from the values in it.
type Chart struct {
	Title string // stands above it
	Alt   string // what it shows, for who does not see it
	Unit  string
	X     []int    // years; empty for bars
	Names []string // of the bars; empty for lines
	Lines []Line   // bars have one
	Tied  bool     // to what stands below it: they are on one sheet
}

// A Line is a value for each year or bar, as digits; "" is none.
type Line struct {
	Name   string
	Values []string
}

// How high drawings are, in units of drawings: lines, so that three of them stand on a sheet below the text about them; bars by how many
// they are.
const (
	linesHigh = 2050000
	barsHead  = 700000
	barHigh   = 230000
	mostHigh  = 8000000
)

func (c Chart) high() int {
	if len(c.X) > 0 {
		return linesHigh
	}
	return min(barsHead+barHigh*len(c.Names), mostHigh)
}

func (c Chart) block(w *writer) {
	n := len(w.charts)
	id := strconv.Itoa(n + 1)
	tied := ""
	if c.Tied {
		tied = `<w:pPr><w:keepNext/></w:pPr>`
	}
	w.put(`<w:p>`, tied, `<w:r><w:drawing>`, `<wp:inline distT="0" distB="0" distL="0" distR="0">`,
		`<wp:extent cx="`, strconv.Itoa(drawnBreadth), `" cy="`, strconv.Itoa(c.high()), `"/><wp:docPr id="`, id, `" name="Chart `, id,
		`" descr="`, escaped(c.Alt), `"/><wp:cNvGraphicFramePr/><a:graphic><a:graphicData uri="`, chartSpace, `"><c:chart r:id="`,
		chartLink(n), `"/></a:graphicData></a:graphic></wp:inline></w:drawing></w:r></w:p>`)
	w.charts = append(w.charts, c.part())
}

func chartPart(i int) string { return "word/charts/chart" + strconv.Itoa(i+1) + ".xml" }
func chartLink(i int) string { return "rChart" + strconv.Itoa(i+1) }

// part is the part with the chart. Years are numbers on an axis, not names beside each other: they need not be evenly apart.
func (c Chart) part() string {
	var b strings.Builder
	b.WriteString(`<c:chartSpace xmlns:c="` + chartSpace + `" xmlns:a="` + drawingSpace + `" xmlns:r="` + officeSpaceR +
		`"><c:roundedCorners val="0"/><c:chart><c:title>` + words(c.Title, 1000, true) +
		`<c:overlay val="0"/></c:title><c:autoTitleDeleted val="0"/><c:plotArea><c:layout/>`)
	if len(c.X) > 0 {
		c.scatter(&b)
	} else {
		c.bars(&b)
	}
	b.WriteString(`</c:plotArea>`)
	if len(c.Lines) > 1 {
		b.WriteString(`<c:legend><c:legendPos val="r"/><c:overlay val="0"/></c:legend>`)
	}
	b.WriteString(`<c:plotVisOnly val="1"/><c:dispBlanksAs val="gap"/></c:chart><c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>` +
		`<c:txPr><a:bodyPr/><a:lstStyle/><a:p><a:pPr><a:defRPr sz="800"/></a:pPr><a:endParaRPr lang="en-GB"/></a:p></c:txPr></c:chartSpace>`)
	return b.String()
}

func (c Chart) scatter(b *strings.Builder) {
	b.WriteString(`<c:scatterChart><c:scatterStyle val="lineMarker"/><c:varyColors val="0"/>`)
	years := make([]string, len(c.X))
	for i, y := range c.X {
		years[i] = strconv.Itoa(y)
	}
	for i, l := range c.Lines {
		series(b, i, l.Name, `<c:spPr>`+stroke(i)+`</c:spPr><c:marker><c:symbol val="circle"/><c:size val="3"/><c:spPr>`+fill(i)+
			`<a:ln><a:noFill/></a:ln></c:spPr></c:marker>`)
		b.WriteString(`<c:xVal>` + numbers(years) + `</c:xVal><c:yVal>` + numbers(l.Values) + `</c:yVal><c:smooth val="0"/></c:ser>`)
	}
	b.WriteString(`<c:axId val="1"/><c:axId val="2"/></c:scatterChart>`)
	first, last := years[0], years[len(years)-1]
	b.WriteString(`<c:valAx><c:axId val="1"/><c:scaling><c:orientation val="minMax"/><c:max val="` + last + `"/><c:min val="` + first +
		`"/></c:scaling><c:delete val="0"/><c:axPos val="b"/><c:numFmt formatCode="0" sourceLinked="0"/><c:majorTickMark val="out"/>` +
		`<c:minorTickMark val="none"/><c:tickLblPos val="low"/><c:crossAx val="2"/><c:crosses val="autoZero"/><c:crossBetween val="midCat"/><c:majorUnit val="5"/></c:valAx>`)
	b.WriteString(`<c:valAx><c:axId val="2"/>` + upright + `<c:axPos val="l"/>` + grid + c.axisTitle() + general +
		`<c:crossAx val="1"/><c:crosses val="min"/><c:crossBetween val="midCat"/></c:valAx>`)
}

func (c Chart) bars(b *strings.Builder) {
	b.WriteString(`<c:barChart><c:barDir val="bar"/><c:grouping val="clustered"/><c:varyColors val="0"/>`)
	for i, l := range c.Lines {
		series(b, i, l.Name, `<c:spPr>`+fill(i)+`</c:spPr><c:invertIfNegative val="0"/>`)
		b.WriteString(`<c:cat>` + names(c.Names) + `</c:cat><c:val>` + numbers(l.Values) + `</c:val></c:ser>`)
	}
	b.WriteString(`<c:gapWidth val="40"/><c:axId val="1"/><c:axId val="2"/></c:barChart>` +
		`<c:catAx><c:axId val="1"/><c:scaling><c:orientation val="maxMin"/></c:scaling><c:delete val="0"/><c:axPos val="l"/>` +
		`<c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/><c:crossAx val="2"/>` +
		`<c:crosses val="autoZero"/></c:catAx>` +
		`<c:valAx><c:axId val="2"/>` + upright + `<c:axPos val="b"/>` + grid + c.axisTitle() + general +
		`<c:crossAx val="1"/><c:crosses val="max"/><c:crossBetween val="between"/></c:valAx>`)
}

// Pieces of an axis.
const (
	upright = `<c:scaling><c:orientation val="minMax"/></c:scaling><c:delete val="0"/>`
	grid    = `<c:majorGridlines><c:spPr><a:ln w="6350"><a:solidFill><a:srgbClr val="DCD9D1"/></a:solidFill></a:ln></c:spPr></c:majorGridlines>`
	general = `<c:numFmt formatCode="General" sourceLinked="0"/><c:majorTickMark val="none"/><c:minorTickMark val="none"/><c:tickLblPos val="low"/>`
)

func (c Chart) axisTitle() string {
	if c.Unit == "" {
		return ""
	}
	return `<c:title>` + words(c.Unit, 800, false) + `<c:overlay val="0"/></c:title>`
}

// words is text in a drawing, in hundredths of a point.
func words(text string, size int, bold bool) string {
	weight := "0"
	if bold {
		weight = "1"
	}
	look := ` sz="` + strconv.Itoa(size) + `" b="` + weight + `"/>`
	return `<c:tx><c:rich><a:bodyPr/><a:lstStyle/><a:p><a:pPr><a:defRPr` + look + `</a:pPr><a:r><a:rPr lang="en-GB"` + look + `<a:t>` + escaped(text) + `</a:t></a:r></a:p></c:rich></c:tx>`
}

func series(b *strings.Builder, i int, name, look string) {
	n := strconv.Itoa(i)
	b.WriteString(`<c:ser><c:idx val="` + n + `"/><c:order val="` + n + `"/><c:tx><c:v>` + escaped(name) + `</c:v></c:tx>` + look)
}

// Three colours that are told apart by those who see few, and four strokes for who prints without any.
var (
	colours = [...]string{"0B3D6B", "D4620F", "AE47A1"}
	strokes = [...]string{"solid", "dash", "sysDot", "dashDot"}
)

func fill(i int) string {
	return `<a:solidFill><a:srgbClr val="` + colours[i%len(colours)] + `"/></a:solidFill>`
}

func stroke(i int) string {
	return `<a:ln w="19050">` + fill(i) + `<a:prstDash val="` + strokes[i/len(colours)%len(strokes)] + `"/></a:ln>`
}

// numbers are values as digits; one that is missing has no point.
func numbers(values []string) string {
	var b strings.Builder
	b.WriteString(`<c:numLit><c:formatCode>General</c:formatCode><c:ptCount val="` + strconv.Itoa(len(values)) + `"/>`)
	for i, v := range values {
		if v != "" {
			b.WriteString(`<c:pt idx="` + strconv.Itoa(i) + `"><c:v>` + escaped(v) + `</c:v></c:pt>`)
		}
	}
	b.WriteString(`</c:numLit>`)
	return b.String()
}

func names(all []string) string {
	var b strings.Builder
	b.WriteString(`<c:strLit><c:ptCount val="` + strconv.Itoa(len(all)) + `"/>`)
	for i, n := range all {
		b.WriteString(`<c:pt idx="` + strconv.Itoa(i) + `"><c:v>` + escaped(n) + `</c:v></c:pt>`)
	}
	b.WriteString(`</c:strLit>`)
	return b.String()
}
