package picture_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/picture"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/chart"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs: run with -update and read the diff", path)
	}
}

// peak is when the last hour of the made-up episode begins: 23:00 on 13 November in
// India.
var peak = time.Date(2025, 11, 13, 17, 30, 0, 0, time.UTC)

// style is all rules of our drawings on a page.
func style(t *testing.T) string {
	t.Helper()
	own, err := os.ReadFile("../../page/frame/static/css/1-picture.css")
	if err != nil {
		t.Fatal(err)
	}
	return chart.Style() + string(own)
}

func ptr[T any](v T) *T { return &v }

// episode is a made-up episode at Alipur: 72 hours of curves with a gap of three
// hours, sixteen paths from the north-west that were followed for 36 hours at 14.4
// km an hour, and fires of three days.
func episode() analysis.Picture {
	p := analysis.Picture{Key: surge.Key("site_5024@2025-11-13T02:30Z")}
	for i := range 72 {
		h := analysis.Hourly{From: peak.Add(time.Duration(i-71) * time.Hour), PM25: ptr(90 + float64(i*i)/20),
			Interior: ptr(80 + float64(i)), Index: ptr(180 + 3*i), Surging: i >= 56}
		if i >= 20 && i < 23 {
			h.PM25 = nil
		}
		if i < 10 {
			h.Index = nil
		}
		p.Series = append(p.Series, h)
	}
	for i := range 16 {
		way := analysis.Passage{Arrives: peak.Add(time.Duration(i-15)*time.Hour + 30*time.Minute), Weight: 0.05 + float64(i)/1000,
			Cut: i == 0}
		for k := range 37 {
			// A degree of latitude has 111.2 km; one of longitude here about 97.
			way.Points = append(way.Points, analysis.Waypoint{Lat: 28.815 + 10.2*float64(k)/111.2, Lon: 77.153 - 10.2*float64(k)/97,
				Width: 10 + 2.9*float64(k)})
		}
		p.Corridor = append(p.Corridor, way)
	}
	satellites := []fire.Satellite{"NOAA-21", "NOAA-20", "Terra", "Aqua", "Beyond-1"}
	for i := range 40 {
		day := i / 14
		p.Fires = append(p.Fires, analysis.Sighting{At: fire.Point{Lat: 29.4 + float64(i%8)*0.22, Lon: 76.4 - float64(i%7)*0.31},
			Time: time.Date(2025, 11, 11+day, 8, i%14, 0, 0, time.UTC), Satellite: satellites[i%5], Light: fire.Day,
			FRP: float64(1 + i*i/8), State: []string{"Punjab", "Haryana", analysis.Abroad, ""}[i%4],
			District: []string{"", "Patiala"}[i%2]})
	}
	return p
}

// shown is the stations of the made-up map.
func shown() []picture.Station {
	var out []picture.Station
	for i, s := range surge.Stations() {
		out = append(out, picture.Station{Station: s, PM25: ptr(300 - float64(i)), Silent: i == 3})
	}
	return out
}

// look is how the goldens are drawn.
func look(id string, width int) chart.Look {
	return chart.Look{ID: id, Width: width, Months: [12]string{10: "Nov"}}
}

func mapOptions(id string, width int) picture.MapOptions {
	return picture.MapOptions{Look: look(id, width), Stations: shown(), Satellites: []fire.Satellite{"NOAA-21", "NOAA-20", "Suomi-NPP"},
		Labels: mapWords()}
}

func seriesOptions(id string, width int) picture.SeriesOptions {
	return picture.SeriesOptions{Look: look(id, width), Station: "Alipur", HourlyAbove: 120, IndexAbove: 300, Labels: seriesWords(),
		Episode: chart.Span{From: peak.Add(-15 * time.Hour), To: peak.Add(time.Hour)}, Window: chart.Span{From: peak.Add(-23 * time.Hour),
			To: peak.Add(time.Hour)}}
}

func sharesOptions(id string, width int) picture.SharesOptions {
	return picture.SharesOptions{Look: look(id, width), Labels: sharesWords()}
}

func shares() []analysis.Share {
	return []analysis.Share{{State: "Punjab", Low: 51.2, Median: 63.4, High: 78, First: 26}, {State: "Haryana", Low: 14, Median: 27.5,
		High: 41.1, First: 1},
		{State: analysis.Abroad, Low: 0, Median: 4.4, High: 9.8}, {State: "", Low: 0, Median: 0, High: 0.3}}
}

// An element is one element of a drawing.
type element struct {
	name string
	attr map[string]string
	text string
	in   []string // what it stands in, with classes: "g.fires"
	hour string   // the data-hour it stands under
}

// read takes a drawing apart, and fails where it is not XML.
func read(t judge, svg chart.SVG) []element {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(string(svg)))
	var out []element
	var open []int
	for {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		if err != nil {
			t.Fatalf("not XML: %v in\n%.2000s", err, svg)
		}
		switch tok := tok.(type) {
		case xml.StartElement:
			e := element{name: tok.Name.Local, attr: map[string]string{}}
			if n := len(open); n > 0 {
				above := out[open[n-1]]
				e.hour = above.hour
				e.in = append(append(e.in, above.in...), above.name+"."+above.attr["class"])
			}
			for _, a := range tok.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			if h, ok := e.attr["data-hour"]; ok {
				e.hour = h
			}
			out = append(out, e)
			open = append(open, len(out)-1)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			if n := len(open); n > 0 {
				out[open[n-1]].text += string(tok)
			}
		default:
			t.Fatalf("a drawing has %T", tok)
		}
	}
}

// pick is the elements of which something holds.
func pick(in []element, holds func(element) bool) (out []element) {
	for _, e := range in {
		if holds(e) {
			out = append(out, e)
		}
	}
	return out
}

// within reports whether an element stands in one such as g.fires.
func (e element) within(what string) bool {
	for _, s := range e.in {
		if s == what || strings.HasPrefix(s, what+" ") {
			return true
		}
	}
	return false
}

// table finds a table of a drawing.
func table(t *testing.T, d chart.Drawing, name string) chart.Table {
	t.Helper()
	for _, x := range d.Tables {
		if x.Name == name {
			return x
		}
	}
	t.Fatalf("there is no table %s", name)
	return chart.Table{}
}

// drawings are all the drawings of the made-up episode, by name.
func drawings() map[string]chart.Drawing {
	city := mapOptions("mc", chart.Wide)
	city.Around = 30
	return map[string]chart.Drawing{
		"map":          picture.Map(episode(), mapOptions("mw", chart.Wide)),
		"map-phone":    picture.Map(episode(), mapOptions("mp", chart.Phone)),
		"map-close":    picture.Map(episode(), city),
		"series":       picture.Series(episode(), seriesOptions("sw", chart.Wide)),
		"series-phone": picture.Series(episode(), seriesOptions("sp", chart.Phone)),
		"shares":       picture.Shares(shares(), sharesOptions("hw", chart.Phone)),
	}
}
