// Package plotly is for reading a figure that Plotly drew, so that the same chart can be drawn again from its data: traces with
// their points, axes, and the titles of facets. Numbers in it are for drawing; what a report cites comes from the
// chart's table.
//
// Most arrays are not lists but bytes in base64 with a type beside them. Array reads both.
package plotly

import (
	"encoding/json"
	"html"
	"regexp"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// MaxBytes bounds one figure.
const MaxBytes = 64 << 20

// A Figure is a chart as Plotly keeps it.
type Figure struct {
	Title  string
	XTitle string
	YTitle string
	Facets []string // titles of the parts of a chart, in the order of their axes
	Traces []Trace
}

// A Trace is one line, bar or waterfall.
type Trace struct {
	Type        string   `json:"type"`
	Name        string   `json:"name"`
	X           Array    `json:"x"`
	Y           Array    `json:"y"`
	Measure     []string `json:"measure"`
	Text        Array    `json:"text"`
	StackGroup  string   `json:"stackgroup"`
	LegendGroup string   `json:"legendgroup"`
	XAxis       string   `json:"xaxis"`
	YAxis       string   `json:"yaxis"`
	Orientation string   `json:"orientation"`
	Facet       string   `json:"-"` // the title of the part it is drawn in
}

type titled struct {
	Title heading `json:"title"`
}

// A heading is a title: text, or an object that has it.
type heading struct{ Text string }

// UnmarshalJSON reads both forms.
func (h *heading) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '{' {
		var o struct{ Text string }
		if err := json.Unmarshal(b, &o); err != nil {
			return err
		}
		h.Text = o.Text
		return nil
	}
	if string(b) == "null" {
		return nil
	}
	return json.Unmarshal(b, &h.Text)
}

// Parse reads a figure.
func Parse(file []byte) (*Figure, error) {
	if len(file) > MaxBytes {
		return nil, fault.New(fault.TooLarge, "a figure of %d MB: at most %d are read", len(file)>>20, MaxBytes>>20)
	}
	var doc struct {
		Data   []Trace `json:"data"`
		Layout struct {
			Title       heading `json:"title"`
			XAxis       titled  `json:"xaxis"`
			YAxis       titled  `json:"yaxis"`
			Annotations []struct {
				Text      string `json:"text"`
				ShowArrow *bool  `json:"showarrow"`
			} `json:"annotations"`
		} `json:"layout"`
	}
	if err := json.Unmarshal(file, &doc); err != nil {
		return nil, fault.From(fault.Invalid, err, "the file is no figure of Plotly")
	}
	f := &Figure{Title: Plain(doc.Layout.Title.Text), XTitle: Plain(doc.Layout.XAxis.Title.Text),
		YTitle: Plain(doc.Layout.YAxis.Title.Text),
		Traces: doc.Data}
	for _, a := range doc.Layout.Annotations {
		if text := Plain(a.Text); text != "" && (a.ShowArrow == nil || !*a.ShowArrow) {
			_, name, named := strings.Cut(text, "=") // plotly.express writes scen=name
			if !named {
				name = text
			}
			f.Facets = append(f.Facets, strings.TrimSpace(name))
		}
	}
	f.place()
	return f, nil
}

// place finds the part of the chart each trace is drawn in: the n-th axis is under the n-th title. A chart with fewer
// titles than axes is not parted by them.
func (f *Figure) place() {
	most := 0
	for i := range f.Traces {
		most = max(most, axis(f.Traces[i].XAxis))
	}
	for i := range f.Traces {
		t := &f.Traces[i]
		t.Name = Plain(t.Name)
		if n := axis(t.XAxis); most <= len(f.Facets) && most > 0 {
			t.Facet = f.Facets[n-1]
		}
		for k := range t.Text.Items {
			t.Text.Items[k].Text = Zero(t.Text.Items[k].Text)
		}
	}
}

// axis is the number of an axis: x is 1, x2 is 2.
func axis(name string) int {
	n, err := strconv.Atoi(strings.TrimPrefix(name, "x"))
	if err != nil || n < 1 {
		return 1
	}
	return n
}

var (
	tagForm  = regexp.MustCompile(`<[^<>]*>`)
	zeroForm = regexp.MustCompile(`^[-−](0(?:\.0*)?)($|[^\d.].*)`)
)

// Plain is a title without its HTML.
func Plain(s string) string {
	return strings.Join(strings.Fields(html.UnescapeString(tagForm.ReplaceAllString(s, " "))), " ")
}

// Zero is a label without the sign of a negative zero, which means nothing.
func Zero(s string) string { return zeroForm.ReplaceAllString(s, "$1$2") }
