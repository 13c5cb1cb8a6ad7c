package picture_test

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/picture"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/chart"
	"pgregory.net/rapid"
)

// TestTheSameValuesGiveTheSameBytes promises what the drawings of the made-up
// episode are, to the byte, with their legends, notes and tables.
func TestTheSameValuesGiveTheSameBytes(t *testing.T) {
	for name, d := range drawings() {
		var b strings.Builder
		b.WriteString(strings.ReplaceAll(string(d.SVG), "><", ">\n<") + "\n")
		for _, e := range d.Legend {
			fmt.Fprintf(&b, "legend: %s\n%s\n", e.Text, e.Mark)
		}
		for _, n := range d.Notes {
			fmt.Fprintf(&b, "note: %s\n", n)
		}
		for _, x := range d.Tables {
			fmt.Fprintf(&b, "table %s: %s %v\n", x.Name, x.Title, x.Columns)
			for _, r := range x.Rows {
				fmt.Fprintf(&b, "%s|%s\n", r.Hour, strings.Join(r.Cells, "|"))
			}
		}
		golden(t, name+".txt", []byte(b.String()))
		if again := drawings()[name]; !reflect.DeepEqual(again, d) {
			t.Errorf("%s is drawn otherwise the second time", name)
		}
	}
}

// What a drawing may be made of: nothing that runs, fetches or styles, and nothing
// that an outline of a country could be drawn with but short lines and marks.
var (
	elements   = strings.Fields("svg title desc defs pattern g path circle rect text")
	attributes = strings.Fields("class viewBox role aria-labelledby aria-hidden focusable id d x y cx cy r rx width height text-anchor " +
		"data-hour stroke-width fill patternUnits patternTransform")
)

var ground = regexp.MustCompile(`^url\(#ch-[A-Za-z0-9-]*\)$`)

// A judge is a test or one try of a property.
type judge interface {
	Helper()
	Fatalf(format string, args ...any)
}

// sound fails where a drawing has what no drawing may have.
func sound(t judge, svg chart.SVG) {
	t.Helper()
	for _, e := range read(t, svg) {
		if !slices.Contains(elements, e.name) {
			t.Fatalf("there is an element %s", e.name)
		}
		for name, v := range e.attr {
			if !slices.Contains(attributes, name) {
				t.Fatalf("%s has an attribute %s", e.name, name)
			}
			if name == "fill" && !ground.MatchString(v) {
				t.Fatalf("%s is filled with %s", e.name, v)
			}
			if name != "class" && (strings.Contains(v, "NaN") || strings.Contains(v, "Inf")) {
				t.Fatalf("%s: %s is %s", e.name, name, v)
			}
		}
		if strings.ContainsFunc(e.text, func(c rune) bool { return c < ' ' || c == 0x7f || c == 0x202e || c == 0xfffd }) {
			t.Fatalf("%s has the text %q", e.name, e.text)
		}
	}
}

// whole fails where any part of a drawing is not sound.
func whole(t judge, d chart.Drawing) {
	t.Helper()
	sound(t, d.SVG)
	for _, e := range d.Legend {
		sound(t, e.Mark)
	}
	for _, x := range d.Tables {
		for _, r := range x.Rows {
			if len(r.Cells) != len(x.Columns) {
				t.Fatalf("table %s has %d columns and a row of %d", x.Name, len(x.Columns), len(r.Cells))
			}
		}
	}
}

var hostile = []string{`<script>alert(1)</script>`, `"><svg onload=x>`, `' onclick='x`, "]]>", "<!--", "&lt;b&gt;&amp;",
	"a\nb\x00c\x1b[31m", "\u202eevil", "\xff\xfe", "\uffff",
	"{station}", "{n}", "url(#x)", strings.Repeat("अ", 5_000), strings.Repeat("W", 5_000), " ", ""}

// TestNoNameGetsOut promises that whatever a station, state, district, satellite or
// label is called, it is text and nothing else.
func TestNoNameGetsOut(t *testing.T) {
	for _, bad := range hostile {
		p := episode()
		for i := range p.Fires {
			p.Fires[i].State, p.Fires[i].District, p.Fires[i].Satellite = bad, bad, fire.Satellite(bad)
		}
		o := mapOptions(bad, chart.Wide)
		o.Class, o.Around, o.Satellites = bad, 30, []fire.Satellite{fire.Satellite(bad)}
		for i := range o.Stations {
			o.Stations[i].Name = bad
		}
		fillWith(reflect.ValueOf(&o.Labels).Elem(), func() string { return bad })
		whole(t, picture.Map(p, o))
		so := seriesOptions(bad, chart.Phone)
		so.Station = bad
		fillWith(reflect.ValueOf(&so.Labels).Elem(), func() string { return bad })
		fillWith(reflect.ValueOf(&so.Months).Elem(), func() string { return bad })
		whole(t, picture.Series(p, so))
		ho := sharesOptions(bad, chart.Phone)
		fillWith(reflect.ValueOf(&ho.Labels).Elem(), func() string { return bad })
		whole(t, picture.Shares([]analysis.Share{{State: bad, District: bad, High: 1}, {State: bad}}, ho))
	}
	o := mapOptions("a", chart.Wide)
	o.Stations[0].Name = "A & B <c>"
	if svg := string(picture.Map(episode(), o).SVG); !strings.Contains(svg, "A &amp; B &lt;c&gt;, 300 µg/m³</text>") {
		t.Error("a name with signs is not shown as it is")
	}
}

// fillWith sets every string of a value.
func fillWith(v reflect.Value, word func() string) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(word())
	case reflect.Struct:
		for i := range v.NumField() {
			fillWith(v.Field(i), word)
		}
	case reflect.Array:
		for i := range v.Len() {
			fillWith(v.Index(i), word)
		}
	default:
		panic(v.Kind().String())
	}
}

// TestEveryLabelIsUsed promises that no word a page translates is thrown away.
func TestEveryLabelIsUsed(t *testing.T) {
	n := 0
	var made []string
	word := func() string {
		n++
		made = append(made, fmt.Sprintf("w%dw", n))
		return made[len(made)-1]
	}
	p := episode()
	p.NotDrawn = 3
	p.Fires[0].At = fire.Point{Lat: 10, Lon: 79}
	p.Series = append(slices.Clone(p.Series[:1]), p.Series...)
	for range picture.MaxHours {
		p.Series = append([]analysis.Hourly{{From: p.Series[0].From.Add(-time.Hour)}}, p.Series...)
	}
	for range picture.MaxPaths {
		p.Corridor = append(p.Corridor, p.Corridor[0])
	}
	o := mapOptions("a", chart.Wide)
	o.Stations = append(o.Stations, picture.Station{Station: surge.Station{Site: "site_1", Lat: -33, Lon: -70}})
	fillWith(reflect.ValueOf(&o.Labels).Elem(), word)
	so := seriesOptions("a", chart.Wide)
	fillWith(reflect.ValueOf(&so.Labels).Elem(), word)
	ho := sharesOptions("a", chart.Wide)
	fillWith(reflect.ValueOf(&ho.Labels).Elem(), word)
	ho.Each = [][]float64{{50}}
	many := slices.Repeat(shares(), 20)
	all := fmt.Sprint(picture.Map(p, o), picture.Series(p, so), picture.Shares(many, ho), picture.Shares(nil, ho))
	p.Corridor, p.Key = nil, "site_1@2025-11-13T02:30Z" // south and west of nothing
	all += fmt.Sprint(picture.Map(p, o))
	for _, w := range made {
		if !strings.Contains(all, w) {
			t.Errorf("the label %s of %d is not used", w, n)
		}
	}
}

// number is a figure of any kind, broken ones too.
func number(t *rapid.T) float64 {
	return rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1),
		math.MaxFloat64, 1e-300}),
		rapid.Float64Range(-200, 200), rapid.Float64Range(20, 40), rapid.Float64Range(60, 90)).Draw(t, "number")
}

// TestNoFigureBreaksADrawing promises that values that cannot be are left out, and
// neither stop the program nor reach a page.
func TestNoFigureBreaksADrawing(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		some := func(name string) int { return rapid.IntRange(0, 5).Draw(r, name) }
		when := func() time.Time { return peak.Add(time.Duration(rapid.Int64().Draw(r, "when"))) }
		p := analysis.Picture{Key: "site_5024@2025-11-13T02:30Z", NotDrawn: rapid.Int().Draw(r, "left")}
		for range some("hours") {
			p.Series = append(p.Series, analysis.Hourly{From: when(), PM25: ptr(number(r)), Interior: ptr(number(r)),
				Index: ptr(rapid.Int().Draw(r, "index"))})
		}
		for range some("paths") {
			way := analysis.Passage{Arrives: when(), Weight: number(r), Cut: true}
			for range some("points") {
				way.Points = append(way.Points, analysis.Waypoint{Lat: number(r), Lon: number(r), Width: number(r)})
			}
			p.Corridor = append(p.Corridor, way)
		}
		for range some("fires") {
			p.Fires = append(p.Fires, analysis.Sighting{At: fire.Point{Lat: number(r), Lon: number(r)}, Time: when(), FRP: number(r),
				Satellite: "Aqua"})
		}
		o := mapOptions("a", rapid.Int().Draw(r, "width"))
		o.Around = number(r)
		for i := range o.Stations {
			o.Stations[i].Lat, o.Stations[i].Lon, o.Stations[i].PM25 = number(r), number(r), ptr(number(r))
		}
		so := seriesOptions("a", o.Width)
		so.HourlyAbove, so.Episode = number(r), chart.Span{From: when(), To: when()}
		for _, d := range []chart.Drawing{picture.Map(p, o), picture.Series(p, so),
			picture.Shares([]analysis.Share{{Low: number(r), Median: number(r), High: number(r)}},
				each(sharesOptions("a", o.Width), number(r)))} {
			if len(d.SVG) > 300_000 {
				r.Fatalf("a drawing of a few things has %d bytes", len(d.SVG))
			}
			whole(r, d)
		}
	})
}

// TestColoursComeByClass promises that every class of a drawing has its rule, that
// the rules have no colour of their own, and that paper has all the tokens.
func TestColoursComeByClass(t *testing.T) {
	own := style(t)
	if m := regexp.MustCompile(`#[0-9a-fA-F]{3,8}\b|rgba?\(`).FindString(own); m != "" {
		t.Errorf("the rules have a colour of their own: %s", m)
	}
	for _, m := range regexp.MustCompile(`var\((--[a-z0-9-]+)\)`).FindAllStringSubmatch(own, -1) {
		if !strings.Contains(chart.Paper(), m[1]+":") {
			t.Errorf("paper has no %s", m[1])
		}
	}
	all := chart.Paper() + own
	groups := strings.Fields("fires stations hours share seriessvg sharessvg") // have no look of their own
	for name, d := range drawings() {
		svgs := []chart.SVG{d.SVG}
		for _, e := range d.Legend {
			svgs = append(svgs, e.Mark)
		}
		for _, svg := range svgs {
			for _, e := range read(t, svg) {
				for _, class := range strings.Fields(e.attr["class"]) {
					if !slices.Contains(groups, class) && !regexp.MustCompile(`\.`+class+`\b`).MatchString(all) {
						t.Errorf("%s: there is no rule for %s", name, class)
					}
				}
			}
		}
	}
}

// TestTwoDrawingsOnAPageAreApart promises that no two of a page have the same id,
// and that a drawing refers only to ids it has.
func TestTwoDrawingsOnAPageAreApart(t *testing.T) {
	seen := map[string]bool{}
	for name, d := range drawings() {
		has := map[string]bool{}
		all := read(t, d.SVG)
		for _, e := range all {
			if id := e.attr["id"]; id != "" {
				if seen[id] {
					t.Errorf("%s: %s is there twice", name, id)
				}
				seen[id], has[id] = true, true
			}
		}
		for _, id := range strings.Fields(all[0].attr["aria-labelledby"]) {
			if !has[id] {
				t.Errorf("%s is named by %s, which it has not", name, id)
			}
		}
		if all[1].name != "title" || all[2].name != "desc" || all[1].text == "" || all[2].text == "" ||
			strings.Contains(all[1].text+all[2].text, "{") {
			t.Errorf("%s is called %q, %q", name, all[1].text, all[2].text)
		}
		for _, e := range all {
			if ref := strings.TrimSuffix(strings.TrimPrefix(e.attr["fill"], "url(#"), ")"); ref != "" && !has[ref] {
				t.Errorf("%s is filled with %s, which it has not", name, ref)
			}
		}
	}
}
