package chart_test

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/chart"
)

var noon = time.Date(2026, 11, 13, 12, 0, 0, 0, time.UTC)

func hours(n int) (out []time.Time) {
	for i := range n {
		out = append(out, noon.Add(time.Duration(i)*time.Hour))
	}
	return out
}

// sound fails unless a drawing is well-formed and has no element that could act.
func sound(t interface{ Fatalf(string, ...any) }, svg chart.SVG) {
	harmless := strings.Fields("svg title desc g path text rect circle")
	in := xml.NewDecoder(strings.NewReader(string(svg)))
	for {
		tok, err := in.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatalf("%v in %s", err, svg)
		}
		if el, ok := tok.(xml.StartElement); ok && !slices.Contains(harmless, el.Name.Local) {
			t.Fatalf("it has an element %s", el.Name.Local)
		}
	}
}

// TestNoWordsGetOut promises that words and figures from outside stay words and figures,
// whatever they are.
func TestNoWordsGetOut(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		word, v := rapid.String().Draw(r, "word"), rapid.Float64().Draw(r, "v")
		look := chart.Look{ID: word, Class: word, Width: rapid.Int().Draw(r, "width"), Zero: noon}
		p := chart.NewPlot(look, hours(5))
		p.Canvas = look.Begin("x", 100, word, word)
		a := p.Axis(10, 90, min(max(v, 0), chart.Farthest), word)
		p.Clocks(90, 95, 99)
		p.Curve(chart.First, a, []float64{v, 1, math.NaN(), 2, v})
		p.Names(chart.Ending{Text: word, Y: a.Last([]float64{v})})
		p.Span("s", 4, chart.Span{From: noon, To: noon.Add(time.Hour)}, word)
		p.Column(noon, 10, 90, word)
		p.End()
		p.Ranges(look, []chart.Range{{Name: word, Value: word, Low: v, Median: v, High: v}}, word)
		sound(r, p.Done())
		sound(r, chart.Swatch(func(c *chart.Canvas) { c.Words("text", word) }))
	})
}

// TestAGapIsAGap promises that a line is not drawn over an hour that is not known, and
// that a value alone between two gaps is seen.
func TestAGapIsAGap(t *testing.T) {
	p := chart.NewPlot(chart.Look{}, hours(6))
	p.Canvas = &chart.Canvas{}
	p.Curve(chart.First, p.Axis(0, 100, 100, ""), []float64{1, 2, math.NaN(), 3, math.NaN(), 4})
	svg := string(p.Done())
	d := regexp.MustCompile(`class="series s1" d="([^"]+)"`).FindStringSubmatch(svg)
	if d == nil || strings.Count(d[1], "M") != 3 || strings.Count(d[1], "L") != 1 {
		t.Errorf("the line is %v, want three pieces, one of two points", d)
	}
	if got := strings.Count(svg, `class="lone series s1"`); got != 2 {
		t.Errorf("%d values are dots, want 2", got)
	}
}

// TestAMapIsToScale promises that a length on the ground is that length wherever it lies,
// north to south and east to west.
func TestAMapIsToScale(t *testing.T) {
	var b chart.Box
	b.Add(28, 77, 100)
	f := chart.Fit(b, 400, 400)
	x, y := f.At(28, 77)
	_, north := f.At(28+100/111.195, 77)
	if got, want := y-north, f.KM(100); math.Abs(got-want) > 0.1 {
		t.Errorf("100 km to the north are %.2f, by the scale %.2f", got, want)
	}
	east, _ := f.At(28, 77+100/(111.195*math.Cos(28*math.Pi/180)))
	if got, want := east-x, f.KM(100); math.Abs(got-want) > 0.1 {
		t.Errorf("100 km to the east are %.2f, by the scale %.2f", got, want)
	}
}

// TestNamesOnAMapDoNotLieOnEachOther promises that words for which there is no room are
// left out.
func TestNamesOnAMapDoNotLieOnEachOther(t *testing.T) {
	taken := chart.NewPlaces(chart.Frame{Wide: 200, High: 200})
	c := &chart.Canvas{}
	for range 9 {
		taken.Name(c, "n", 100, 100, 20, 10, "Alipur")
	}
	if got := strings.Count(string(c.Done()), "<text"); got != 4 {
		t.Errorf("%d names stand around one mark, want 4", got)
	}
}

// TestPaperHasEveryColour promises that a drawing needs nothing from outside on paper, and
// that its rules have no colour of their own.
func TestPaperHasEveryColour(t *testing.T) {
	if m := regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|rgba?\(`).FindString(chart.Style()); m != "" {
		t.Errorf("the rules have a colour of their own: %s", m)
	}
	for _, m := range regexp.MustCompile(`var\((--[a-z0-9-]+)\)`).FindAllStringSubmatch(chart.Style(), -1) {
		if !strings.Contains(chart.Paper(), m[1]+":") {
			t.Errorf("paper has no %s", m[1])
		}
	}
}

var textForm = regexp.MustCompile(`<text[^>]*>([^<]*)</text>`)

// written is every text of a drawing.
func written(svg chart.SVG) (out []string) {
	for _, m := range textForm.FindAllStringSubmatch(string(svg), -1) {
		out = append(out, m[1])
	}
	return out
}

// TestTicksFallOnFullHours promises that times below a plot are full hours of its zone, also
// where the hours of the data begin at half past.
func TestTicksFallOnFullHours(t *testing.T) {
	for name, offset := range map[string]int{"India": 19800, "Nepal": 20700, "London": 0} {
		look := chart.Look{Zone: time.FixedZone(name, offset), Zero: noon}
		p := chart.NewPlot(look, hours(30))
		p.Canvas = look.Begin("x", 100, "", "")
		p.Clocks(90, 95, 99)
		clocks := 0
		for _, text := range written(p.Done()) {
			if !strings.Contains(text, ":") {
				continue
			}
			clocks++
			if !strings.HasSuffix(text, ":00") {
				t.Errorf("%s: a tick says %s", name, text)
			}
		}
		if clocks < 3 {
			t.Errorf("%s: %d ticks", name, clocks)
		}
	}
}

// TestANameOfALineIsBrokenAndNotCut promises that a name with more words than fit in a line
// stands whole, in several, none on another.
func TestANameOfALineIsBrokenAndNotCut(t *testing.T) {
	look := chart.Look{Zero: noon, Width: chart.Phone}
	p := chart.NewPlot(look, hours(5))
	p.Canvas = look.Begin("x", 100, "", "")
	p.Names(chart.Ending{Text: "Median inside the city", Y: 40}, chart.Ending{Text: "Alipur", Y: 42})
	svg := p.Done()
	if got := strings.Join(written(svg), " "); got != "Median inside the city Alipur" {
		t.Errorf("it says %q", got)
	}
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`<text[^>]* y="([^"]*)"`).FindAllStringSubmatch(string(svg), -1) {
		if seen[m[1]] {
			t.Errorf("two lines stand at %s", m[1])
		}
		seen[m[1]] = true
	}
}
