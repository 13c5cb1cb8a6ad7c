package picture_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/picture"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/chart"
)

// float is a number of an attribute.
func float(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// lines are the distances between the lines of the graticule that a pattern finds.
func lines(t *testing.T, svg chart.SVG, pattern string) (apart float64) {
	t.Helper()
	found := regexp.MustCompile(pattern).FindAllStringSubmatch(string(svg), 2)
	if len(found) != 2 {
		t.Fatalf("%s is there %d times", pattern, len(found))
	}
	return math.Abs(float(t, found[1][1]) - float(t, found[0][1]))
}

// TestTheMapIsToScale promises that the scale is that of the map both ways: a degree
// of latitude has 111.195 km on a sphere of 6371.0088 km, and a degree of longitude
// the cosine of the latitude in the middle of the map as many; by hand.
func TestTheMapIsToScale(t *testing.T) {
	d := picture.Map(episode(), mapOptions("a", chart.Wide))
	bar := regexp.MustCompile(`v6h([0-9.]+)v-6"/><text[^>]*>([0-9]+) km<`).FindStringSubmatch(string(d.SVG))
	if bar == nil {
		t.Fatal("there is no scale")
	}
	perKM := float(t, bar[1]) / float(t, bar[2])
	parallels, meridians := lines(t, d.SVG, `d="M0 ([0-9.]+)H680"`), lines(t, d.SVG, `d="M([0-9.]+) 0V469"`)
	if got, want := parallels/2, 111.195*perKM; math.Abs(got-want) > 0.2 { // lines are two degrees apart
		t.Errorf("a degree of latitude is %.2f long, want %.2f", got, want)
	}
	// The band goes from 28.41 to 33.15 degrees: its middle is at 30.8, of which the cosine is 0.859.
	if got, want := meridians/parallels, 0.859; math.Abs(got-want) > 0.003 {
		t.Errorf("a degree of longitude is %.4f of one of latitude, want %.3f", got, want)
	}
	for _, word := range []string{">N<", ">74° E<", ">30° N<"} {
		if !strings.Contains(string(d.SVG), word) {
			t.Errorf("the map does not say %s", word)
		}
	}
}

// TestOneCursorDrivesAll promises that what belongs to one hour has the same number
// in the map, the curves and the tables, and that everything is visible without a
// script. The fires of the last day were seen at 08:00 UTC, the hour 0 begins at
// 17:30: they lie in the hour from 07:30, ten before.
func TestOneCursorDrivesAll(t *testing.T) {
	m, s := picture.Map(episode(), mapOptions("a", chart.Wide)), picture.Series(episode(), seriesOptions("b", chart.Wide))
	all := read(t, m.SVG)
	for _, layer := range []string{"g.fires", "g.corr"} {
		if len(pick(all, func(e element) bool { return e.hour == "-10" && e.name != "g" && e.within(layer) })) == 0 {
			t.Errorf("%s has nothing in the hour -10", layer)
		}
	}
	marks := pick(all, func(e element) bool { return e.within("g.fires") && e.name != "g" && e.name != "title" })
	for _, e := range append(marks, pick(all, func(e element) bool { return e.within("g.corr") && e.name == "path" })...) {
		if _, err := strconv.Atoi(e.hour); err != nil {
			t.Fatalf("%v belongs to no hour", e)
		}
	}
	if got, want := len(marks), 40; got != want {
		t.Errorf("%d fires are drawn, want %d", got, want)
	}
	if got, want := len(pick(read(t, s.SVG), func(e element) bool { return e.attr["data-hour"] != "" })), 72; got != want {
		t.Errorf("the curves have %d hours, want %d", got, want)
	}
	for _, x := range []chart.Table{table(t, m, "fires"), table(t, m, "way"), table(t, s, "hours")} {
		if !slices.ContainsFunc(x.Rows, func(r chart.Row) bool { return r.Hour == "-10" }) {
			t.Errorf("table %s has no row of the hour -10", x.Name)
		}
	}
	last := table(t, m, "fires").Rows[39]
	if got, want := last.Cells[0], "13 Nov 13:41"; got != want || last.Hour != "-10" { // 08:11 UTC, in India
		t.Errorf("the last fire was seen at %s in the hour %s, want %s", got, last.Hour, want)
	}
	o := mapOptions("a", chart.Wide)
	o.Zero = peak.Add(-2 * time.Hour)
	if got, want := table(t, picture.Map(episode(), o), "fires").Rows[39].Hour, "-8"; got != want {
		t.Errorf("counted from two hours earlier it is the hour %s, want %s", got, want)
	}
	for _, hides := range []string{"display: none", "visibility"} {
		if strings.Contains(style(t), hides) {
			t.Errorf("the rules hide something: %s", hides)
		}
	}
}

// TestShapesTellSatellitesApart promises that without any colour satellites differ
// by shape, ages by line or filling, and power by size.
func TestShapesTellSatellitesApart(t *testing.T) {
	seen := map[string]fire.Satellite{}
	for _, name := range []fire.Satellite{"NOAA-20", "NOAA-21", "Suomi-NPP", "Terra", "Aqua", "Beyond-1"} {
		p := analysis.Picture{Key: episode().Key, Fires: []analysis.Sighting{{At: fire.Point{Lat: 30, Lon: 76}, Time: peak, Satellite: name,
			FRP: 10}}}
		marks := pick(read(t, picture.Map(p, mapOptions("a", chart.Wide)).SVG), func(e element) bool {
			return e.within("g.fire new") &&
				e.name != "title"
		})
		if len(marks) != 1 {
			t.Fatalf("%s: %d marks", name, len(marks))
		}
		key := fmt.Sprint(marks[0].name, marks[0].attr["d"])
		if other, known := seen[key]; known {
			t.Errorf("%s looks as %s", name, other)
		}
		seen[key] = name
	}
	rules := map[string]bool{}
	for _, age := range []string{"new", "aged", "old"} {
		m := regexp.MustCompile(`\.fire\.` + age + ` \{([^}]*)\}`).FindStringSubmatch(style(t))
		if m == nil {
			t.Fatalf("fires that are %s have no rule", age)
		}
		rules[regexp.MustCompile(`var\(--c2\)`).ReplaceAllString(m[1], "ink")] = true // one ink for all
	}
	if len(rules) != 3 {
		t.Error("ages differ by colour only")
	}
	p := episode()
	p.Fires = p.Fires[:2]
	p.Fires[0].FRP, p.Fires[1].FRP = 4, 100
	p.Fires[0].Satellite, p.Fires[1].Satellite = "NOAA-20", "NOAA-20"
	var r []float64
	for _, e := range pick(read(t, picture.Map(p, mapOptions("a", chart.Wide)).SVG), func(e element) bool {
		return e.within("g.fires") &&
			e.name == "circle"
	}) {
		r = append(r, float(t, e.attr["r"]))
	}
	if !slices.Equal(r, []float64{2.7, 6.3}) { // 1.8 + 0.45 × √4, 1.8 + 0.45 × √100; by hand
		t.Errorf("radii %v, want 2.7 and 6.3", r)
	}
}

// TestASatelliteThatSawNothingIsListed promises that the legend counts, that none is
// said, and that a satellite nobody looked at is not said to have seen none.
func TestASatelliteThatSawNothingIsListed(t *testing.T) {
	var texts []string
	for _, e := range picture.Map(episode(), mapOptions("a", chart.Wide)).Legend {
		texts = append(texts, e.Text)
	}
	for _, want := range []string{"fire, NOAA-20 (8)", "fire, Suomi-NPP (0)", "fire, another satellite (8)", "less than 24 h before (12)",
		"24 to 48 h before (14)", "earlier (14)",
		"border station (14)", "station inside the city (5)", "silent too long (1)", "wind not known any further (1)",
		"way of the air of 13 Nov 23:30 IST"} {
		if !slices.Contains(texts, want) {
			t.Errorf("the legend does not say %q: %q", want, texts)
		}
	}
	o := mapOptions("a", chart.Wide)
	o.Satellites = nil
	for _, e := range picture.Map(episode(), o).Legend {
		if strings.Contains(e.Text, "Suomi") {
			t.Error("a satellite nobody looked at is in the legend")
		}
	}
}

// TestAWorldOfFiresHasABound promises that the strongest are drawn and listed, that
// the rest is counted and said, and what the largest map weighs.
func TestAWorldOfFiresHasABound(t *testing.T) {
	p := episode()
	p.Fires, p.NotDrawn = nil, 500
	for i := range picture.MaxFires + 300 {
		p.Fires = append(p.Fires, analysis.Sighting{At: fire.Point{Lat: 29 + float64(i%97)*0.02, Lon: 75 + float64(i%89)*0.02},
			Time: peak.Add(-time.Duration(i) * time.Minute), Satellite: "NOAA-21", FRP: float64(i)})
	}
	p.Corridor = nil
	for i := range picture.MaxPaths + 2 {
		way := analysis.Passage{Arrives: peak.Add(-time.Duration(i) * time.Hour), Weight: 1}
		for k := range picture.MaxPoints + 9 {
			turn := float64(i) / 16 // the wind turns, and no two paths are alike
			way.Points = append(way.Points, analysis.Waypoint{Lat: 28.8 + 0.05*float64(k)*math.Sin(turn),
				Lon: 77.1 - 0.05*float64(k)*math.Cos(turn), Width: 10 + float64(k)})
		}
		p.Corridor = append(p.Corridor, way)
	}
	d := picture.Map(p, mapOptions("a", chart.Wide))
	whole(t, d)
	rows := table(t, d, "fires").Rows
	if len(rows) != picture.MaxFires || rows[len(rows)-1].Cells[2] != "300.0" { // in order of time, the weakest is the last
		t.Errorf("%d fires, the last of %s MW", len(rows), rows[len(rows)-1].Cells[2])
	}
	for _, want := range []string{"800 weaker fires are not drawn.", "2 paths are not drawn."} {
		if !slices.Contains(d.Notes, want) {
			t.Errorf("nobody says %q: %q", want, d.Notes)
		}
	}
	t.Logf("the largest map has %d bytes", len(d.SVG))
	if got, want := len(d.SVG), 260_000; got > want {
		t.Errorf("the largest map has %d bytes, want at most %d", got, want)
	}
	if n := len(table(t, d, "way").Rows); n != picture.MaxPoints {
		t.Errorf("a path has %d points, want %d", n, picture.MaxPoints)
	}
}

// TestTheMapOfAnEpisodeIsLight promises what the map of a bad day weighs as it is
// sent: 24 hours of air followed for three days through a turning wind, and as many
// fires as are drawn. A page may have 60 kB.
func TestTheMapOfAnEpisodeIsLight(t *testing.T) {
	p := episode()
	p.Fires, p.Corridor = nil, nil
	for i := range picture.MaxFires {
		// spread evenly, never twice
		at := fire.Point{Lat: 28.5 + math.Mod(float64(i)*0.618034, 1)*4, Lon: 73.5 + math.Mod(float64(i)*0.754878, 1)*4}
		p.Fires = append(p.Fires, analysis.Sighting{At: at, Time: peak.Add(-time.Duration(i/200) * 12 * time.Hour),
			Satellite: []fire.Satellite{"NOAA-21", "NOAA-20"}[i%2], FRP: float64(i % 60)})
	}
	slices.Reverse(p.Fires)
	for i := range 24 {
		way := analysis.Passage{Arrives: peak.Add(time.Duration(i-23) * time.Hour), Weight: 1}
		lat, lon := 28.815, 77.153
		for k := range 73 {
			way.Points = append(way.Points, analysis.Waypoint{Lat: lat, Lon: lon, Width: 10 + 2.9*float64(k)})
			turn := 0.8 + 0.3*math.Sin(float64(i-k)/9)
			lat, lon = lat+0.1*math.Cos(turn), lon-0.12*math.Sin(turn)
		}
		p.Corridor = append(p.Corridor, way)
	}
	var sent bytes.Buffer
	w := gzip.NewWriter(&sent)
	d := picture.Map(p, mapOptions("a", chart.Wide))
	if _, err := w.Write([]byte(d.SVG)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes, %d as sent", len(d.SVG), sent.Len())
	if got, want := sent.Len(), 40_000; got > want {
		t.Errorf("the map has %d bytes as sent, want at most %d", got, want)
	}
}

// TestWithoutWindThereIsNoBand promises that nothing stands in for the way of the
// air where it is not known, and that this is said; and that a map of nothing is a
// map.
func TestWithoutWindThereIsNoBand(t *testing.T) {
	p := episode()
	p.Corridor = nil
	d := picture.Map(p, mapOptions("a", chart.Wide))
	if strings.Contains(string(d.SVG), `class="corr"`) || strings.Contains(string(d.SVG), "backpath") ||
		!slices.Contains(d.Notes, "The wind is not known: there is no corridor.") {
		t.Errorf("a way is drawn, or nobody says why not: %q", d.Notes)
	}
	if got := len(table(t, d, "paths").Rows) + len(table(t, d, "way").Rows); got != 0 {
		t.Errorf("the tables have %d rows of paths", got)
	}
	whole(t, picture.Map(analysis.Picture{}, picture.MapOptions{}))
}

// TestWhatIsOffTheMapIsCounted promises that a fire far away does not make the map
// small, and is not forgotten.
func TestWhatIsOffTheMapIsCounted(t *testing.T) {
	p, o := episode(), mapOptions("a", chart.Wide)
	before := picture.Map(p, o)
	p.Fires = append(p.Fires, analysis.Sighting{At: fire.Point{Lat: 10, Lon: 79}, Time: peak, Satellite: "NOAA-20", FRP: 900})
	o.Stations = append(o.Stations, picture.Station{Station: surge.Station{Site: "site_9", Name: "Far", Lat: 13, Lon: 80}})
	after := picture.Map(p, o)
	if !slices.Contains(after.Notes, "1 fires lie outside the map.") || !slices.Contains(after.Notes, "1 stations are not on the map.") {
		t.Errorf("nobody says so: %q", after.Notes)
	}
	if _, a, _ := strings.Cut(string(after.SVG), "<defs>"); !strings.HasSuffix(string(before.SVG), a) {
		t.Error("the map has changed")
	}
}

// TestAStationThatIsSilentHasNoFigure promises that an old reading does not pass for
// one, on the map or in the table.
func TestAStationThatIsSilentHasNoFigure(t *testing.T) {
	o := mapOptions("a", chart.Wide)
	o.Around = 30
	d := picture.Map(episode(), o)
	hatched := pick(read(t, d.SVG), func(e element) bool { return e.within("g.stations") && strings.Contains(e.attr["class"], "st-stale") })
	if len(hatched) != 1 || hatched[0].attr["fill"] != "url(#ch-a-h)" || strings.Contains(string(d.SVG), ">297<") {
		t.Errorf("silent stations are drawn as %v", hatched)
	}
	row := table(t, d, "stations").Rows[3]
	if !slices.Equal(row.Cells[:4], []string{"Mundka, Delhi", "border station", "not known", "yes"}) {
		t.Errorf("the table says %q", row.Cells)
	}
}

// TestTheMapNamesStatesAndStations promises that states with fires and the stations stand on
// the map by name, on a desk and on a phone, and none beyond its edge.
func TestTheMapNamesStatesAndStations(t *testing.T) {
	for _, width := range []int{chart.Wide, chart.Phone} {
		svg := string(picture.Map(episode(), mapOptions("a", width)).SVG)
		for _, name := range []string{">Punjab<", ">Haryana<"} {
			if !strings.Contains(svg, name) {
				t.Errorf("%d: the map does not name %s", width, name)
			}
		}
		if strings.Contains(svg, `class="state-n">`+analysis.Abroad) {
			t.Errorf("%d: what lies abroad is named as a state", width)
		}
		if n := strings.Count(svg, `class="st-n`); n == 0 {
			t.Errorf("%d: no station is named", width)
		}
	}
}
