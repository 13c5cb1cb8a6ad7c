package main

import (
	"bytes"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/region"
)

// TestTheEmbeddedFileIsTheOneWeWrite promises that the outlines in the repository
// come from the source and from this program, byte for byte.
func TestTheEmbeddedFileIsTheOneWeWrite(t *testing.T) {
	got, err := outlines()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../../../apps/airshed/rule/region/outlines.bin")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Fatalf("the embedded file is another: %d bytes, and we write %d; run make regions", len(want), len(got))
	}
}

// An outline is a shape of the source with the box around it.
type outline struct {
	shape
	low, high point
}

func outlineOf(s shape) outline {
	o := outline{s, s.rings[0][0], s.rings[0][0]}
	for _, r := range s.rings {
		for _, p := range r {
			o.low = point{min(o.low.x, p.x), min(o.low.y, p.y)}
			o.high = point{max(o.high.x, p.x), max(o.high.y, p.y)}
		}
	}
	return o
}

// place is what the source's name is in package region.
func (o outline) place() region.Place {
	if o.Country == disputed {
		return region.Place{Disputed: true}
	}
	return region.Place{Country: o.Country, State: o.State}
}

// holds reports whether a place lies in the shape, by the source's own rings.
func (o outline) holds(c point) bool {
	if c.x < o.low.x || c.x > o.high.x || c.y < o.low.y || c.y > o.high.y {
		return false
	}
	in := false
	x, y := float64(c.x), float64(c.y)
	for _, r := range o.rings {
		for i, p := range r {
			q := r[(i+1)%len(r)]
			px, py, qx, qy := float64(p.x), float64(p.y), float64(q.x), float64(q.y)
			if (py > y) != (qy > y) && x < (qx-px)*(y-py)/(qy-py)+px {
				in = !in
			}
		}
	}
	return in
}

// km is how far the shape's nearest line is.
func (o outline) km(c point) float64 {
	best := math.Inf(1)
	for _, r := range o.rings {
		for i, p := range r {
			best = min(best, kilometres(c, p, r[(i+1)%len(r)]))
		}
	}
	return best
}

// TestSimplifiedLinesSayWhatTheSourceSays promises that a place lies where the
// source has it, unless it is nearer to a line than lines were moved. Places are
// within half a kilometre of the source's corners, and chosen by a fixed seed.
func TestSimplifiedLinesSayWhatTheSourceSays(t *testing.T) {
	shapes, err := read(provinces())
	if err != nil {
		t.Fatal(err)
	}
	m, err := region.India()
	if err != nil {
		t.Fatal(err)
	}
	var all []outline
	var atHome, inIndia, around []point
	for _, s := range shapes {
		all = append(all, outlineOf(s))
		for _, r := range s.rings {
			for _, p := range r {
				switch {
				case s.State == "":
					around = append(around, p)
				case home(p):
					atHome = append(atHome, p)
				default:
					inIndia = append(inIndia, p)
				}
			}
		}
	}
	r := rand.New(rand.NewPCG(9, 9))
	for _, tt := range []struct {
		name    string
		corners []point
		places  int
		limit   float64 // in km: the tolerance, and what rounding may add
	}{
		{"home", atHome, 8000, homeKM + 0.01},
		{"India", inIndia, 4000, indiaKM + 0.01},
		{"around", around, 2000, abroadKM + 0.01},
	} {
		moved := 0
		for range tt.places {
			p := tt.corners[r.IntN(len(tt.corners))]
			c := point{p.x + r.Int32N(1001) - 500, p.y + r.Int32N(1001) - 500}
			got := m.At(float64(c.y)/perDegree, float64(c.x)/perDegree)
			var want region.Place
			for _, o := range all {
				if o.holds(c) {
					want = o.place()
				}
			}
			if got == want {
				continue
			}
			moved++
			near := math.Inf(1)
			for _, o := range all {
				if p := o.place(); p == want || p == got {
					near = min(near, o.km(c))
				}
			}
			if near > tt.limit {
				t.Errorf("%s: %v: got %+v, want %+v, %.2f km from the line", tt.name, c, got, want, near)
			}
		}
		if moved == 0 || moved > tt.places/5 {
			t.Errorf("%s: %d of %d places changed sides: these places test nothing, or the lines", tt.name, moved, tt.places)
		}
		t.Logf("%s: %d of %d places within 700 m of a corner lie on another side than in the source", tt.name, moved, tt.places)
	}
}

// TestCrossingLinesAreFound promises that lines which touch anywhere but in an end
// that both have are found. Computed by hand.
func TestCrossingLinesAreFound(t *testing.T) {
	at := func(xy ...int32) line {
		var l line
		for i := 0; i < len(xy); i += 2 {
			l.points = append(l.points, point{xy[i], xy[i+1]})
		}
		return l
	}
	for _, tt := range []struct {
		name  string
		lines []line
		want  int
	}{
		{"apart", []line{at(0, 0, 10, 0), at(0, 5, 10, 5)}, 0},
		{"a cross", []line{at(0, 0, 10, 10), at(0, 10, 10, 0)}, 2},
		{"a common end", []line{at(0, 0, 10, 10), at(10, 10, 20, 0)}, 0},
		{"an end on the other's middle", []line{at(0, 0, 10, 0), at(5, 0, 5, 5)}, 2},
		{"on each other, from a common end", []line{at(0, 0, 10, 0), at(0, 0, 5, 0)}, 2},
		{"away from each other, from a common end", []line{at(0, 0, 10, 0), at(0, 0, -5, 0)}, 0},
		{"on each other, without one", []line{at(0, 0, 10, 0), at(2, 0, 8, 0)}, 2},
		{"in one line, apart", []line{at(0, 0, 10, 0), at(12, 0, 18, 0)}, 0},
		{"itself", []line{at(0, 0, 10, 0, 10, 10, 5, -5)}, 1},
		{"back on its own way", []line{at(0, 0, 10, 0, 5, 0)}, 1},
		{"over several squares", []line{at(-3*cell, -1, 3*cell, 1), at(0, -3*cell, 1, 3*cell)}, 2},
	} {
		if got := len(crossings(tt.lines)); got != tt.want {
			t.Errorf("%s: got %d lines, want %d", tt.name, got, tt.want)
		}
	}
}

// TestNeighboursShareTheirLine promises one line between two shapes, whose corners
// differ as the source's do: the second lacks one of the first's.
func TestNeighboursShareTheirLine(t *testing.T) {
	shapes := []shape{
		{Country: "India", State: "A", rings: []ring{{{0, 0}, {1000, 0}, {1000, 500}, {1000, 1000}, {0, 1000}}}},
		{Country: "B", rings: []ring{{{1000, 0}, {2000, 0}, {2000, 1000}, {1000, 1000}}}},
	}
	stitch(shapes)
	lines, err := join(shapes)
	if err != nil {
		t.Fatal(err)
	}
	if len(lines) != 3 {
		t.Fatalf("got %d lines, want 3: a border and two shores", len(lines))
	}
	for _, l := range lines {
		border := l.left != 0 && l.right != 0
		if want := (l.points[0] == point{1000, 0} && len(l.points) == 3); border != want {
			t.Errorf("%+v: %v", l.faces, l.points)
		}
	}
}

// TestShapesThatOverlapAreRefused promises that a source with two owners of one
// side is not made into a file.
func TestShapesThatOverlapAreRefused(t *testing.T) {
	square := []ring{{{0, 0}, {1000, 0}, {1000, 1000}, {0, 1000}}}
	if _, err := join([]shape{{Country: "A", rings: square}, {Country: "B", rings: square}}); err == nil {
		t.Error("both were taken")
	}
}

// TestALineKeepsItsCorners promises that thinning drops what is nearer than the
// tolerance and nothing else, and leaves an island its land. A thousandth of a degree
// is about 111 m; far from home India's tolerance is 100 m.
func TestALineKeepsItsCorners(t *testing.T) {
	shapes := []shape{{Country: "India", State: "A"}}
	of := func(points ...point) line { return line{&shapes, faces{1, 0}, points} }
	for _, tt := range []struct {
		name string
		line line
		want int
	}{
		{"a bump of 11 m", of(point{0, 0}, point{500, 10}, point{1000, 0}), 2},
		{"a bump of 220 m", of(point{0, 0}, point{500, 200}, point{1000, 0}), 3},
		{"an islet of 50 m", of(point{0, 0}, point{50, 0}, point{50, 50}, point{0, 50}, point{0, 0}), 4},
		{"the same bump near Delhi, of 66 m", of(point{7_700_000, 2_850_000}, point{7_700_500, 2_850_060}, point{7_701_000, 2_850_000}), 3},
	} {
		if got := len(tt.line.thin(1)); got != tt.want {
			t.Errorf("%s: got %d points, want %d", tt.name, got, tt.want)
		}
	}
	if got := len(of(point{0, 0}, point{500, 1}, point{1000, 0}).thin(0)); got != 3 {
		t.Errorf("without a tolerance %d of 3 points are left", got)
	}
}
