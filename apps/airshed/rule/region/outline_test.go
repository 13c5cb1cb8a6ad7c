package region

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/fault"
)

func embedded(t testing.TB) *Map {
	t.Helper()
	m, err := India()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestTheOutlinesAreWhatTheirHeaderSays promises that a stranger can tell where the
// embedded file is from: source and version, licence, digests, counts.
func TestTheOutlinesAreWhatTheirHeaderSays(t *testing.T) {
	first, body, found := bytes.Cut(outlines, []byte{'\n'})
	if !found || len(outlines) > 300_000 {
		t.Fatalf("the file has %d bytes", len(outlines))
	}
	var h header
	if err := json.Unmarshal(first, &h); err != nil {
		t.Fatal(err)
	}
	if digest(body) != h.BodySHA {
		t.Error("the body is another")
	}
	// The digest of Provinces10.gz in rgeo v1.2.0, computed with sha256sum.
	if h.SourceSHA != "8936733b4d33030e11f280cf5bcb75bb68e6033b58aff1fc6c0d6961e81ac89c" {
		t.Errorf("the source is %s", h.SourceSHA)
	}
	for _, want := range []struct{ in, words string }{
		{h.Source, "Natural Earth"}, {h.Source, "rgeo v1.2.0"}, {h.Licence, "public domain"}, {h.Note, "Never to be drawn"},
		{h.Note, "disputed"},
	} {
		if !strings.Contains(want.in, want.words) {
			t.Errorf("%q does not say %q", want.in, want.words)
		}
	}
	m := embedded(t)
	if got, want := len(m.edges), h.Points-h.Lines; got != want {
		t.Errorf("%d edges, want %d", got, want)
	}
	for _, e := range m.edges {
		if least := (ReachKM + 50) / 111; degrees(e.by) > northernmost-least || degrees(e.ay) < -northernmost+least {
			t.Fatalf("an edge at %g is within reach of %g", degrees(e.by), northernmost)
		}
	}
	if s := m.Sources(); len(s) != 1 || s[0].SHA256 != digest(outlines) || s[0].Licence != h.Licence {
		t.Errorf("the map says it is made of %+v", s)
	}
}

// TestAnAlteredFileIsRefused promises that outlines are used whole or not at all.
func TestAnAlteredFileIsRefused(t *testing.T) {
	first, body, _ := bytes.Cut(outlines, []byte{'\n'})
	head := func(change func(h *header), body []byte) []byte {
		var h header
		if err := json.Unmarshal(first, &h); err != nil {
			t.Fatal(err)
		}
		h.BodySHA = digest(body)
		change(&h)
		b, err := json.Marshal(h)
		if err != nil {
			t.Fatal(err)
		}
		return append(append(b, '\n'), body...)
	}
	if _, err := read(head(func(*header) {}, body)); err != nil {
		t.Fatalf("the file itself: %v", err)
	}
	turned := bytes.Clone(outlines)
	turned[len(turned)/2] ^= 1
	for name, file := range map[string][]byte{
		"nothing":           nil,
		"no header":         body,
		"a bit turned":      turned,
		"another format":    head(func(h *header) { h.Format = "gavel.regions/2" }, body),
		"cut":               head(func(*header) {}, body[:len(body)-1]),
		"a byte more":       head(func(*header) {}, append(bytes.Clone(body), 0)),
		"a line less":       head(func(h *header) { h.Lines-- }, body),
		"a point more":      head(func(h *header) { h.Points++ }, body),
		"no grid":           head(func(h *header) { h.PerDegree = 0 }, body),
		"a coarse grid":     head(func(h *header) { h.PerDegree = 1 }, body),
		"a unit is missing": head(func(h *header) { h.Units = h.Units[:len(h.Units)-1] }, body),
		"too many units":    head(func(h *header) { h.Units = append(h.Units, h.Units...) }, body),
	} {
		if m, err := read(file); err == nil || m != nil || !fault.Is(err, fault.Internal) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// entered is every outline that holds a place, found without any index.
func entered(m *Map, x, y int32) uint64 {
	in := uint64(1)
	for i := range m.edges {
		if m.edges[i].westOf(x, y) {
			in ^= m.edges[i].tag
		}
	}
	return in
}

// TestEveryPlaceLiesInExactlyOneOutline promises that neighbours neither overlap nor
// leave a gap: at random places, on every corner, at the middle of every edge and a
// centimetre beside it. The index gives the same answer as all edges do.
func TestEveryPlaceLiesInExactlyOneOutline(t *testing.T) {
	m := embedded(t)
	asked := 0
	check := func(x, y int32) {
		t.Helper()
		in := m.inside(x, y)
		if bits.OnesCount64(in) != 1 {
			t.Fatalf("%g, %g lies in %d outlines", degrees(y), degrees(x), bits.OnesCount64(in))
		}
		if asked++; asked%50 == 0 && in != entered(m, x, y) {
			t.Fatalf("%g, %g: %v, and another place by all edges", degrees(y), degrees(x), m.At(degrees(y), degrees(x)))
		}
	}
	for _, e := range m.edges {
		x, y := int32((int64(e.ax)+int64(e.bx))/2), int32((int64(e.ay)+int64(e.by))/2)
		check(e.ax, e.ay)
		check(x, y)
		check(x-1, y)
		check(x, y+1)
	}
	r := rand.New(rand.NewPCG(9, 1))
	for range 20_000 {
		check(int32((40+r.Float64()*100)*perDegree), int32((-5+r.Float64()*65)*perDegree))
	}
}

// TestNearFindsTheNearest promises that no border is overlooked by looking in
// squares: all edges are measured beside it.
func TestNearFindsTheNearest(t *testing.T) {
	m := embedded(t)
	r := rand.New(rand.NewPCG(9, 2))
	for range 1000 {
		lat, lon := 6+r.Float64()*32, 62+r.Float64()*38
		x, y, _ := onGrid(lat, lon)
		own := m.unit(x, y)
		h := here{lat, lon, math.Cos(lat * math.Pi / 180)}
		best, which := math.Inf(1), 0
		for i := range m.edges {
			if _, border := m.across(i, own); border {
				if d := h.flat(&m.edges[i]); d < best {
					best, which = d, i
				}
			}
		}
		want := h.km(&m.edges[which])
		switch n, found := m.Near(lat, lon); {
		case found && math.Abs(n.KM-want) > 1e-6: // edges that meet are equally far
			t.Fatalf("%g, %g: got %g km, want %g", lat, lon, n.KM, want)
		case !found && want < ReachKM:
			t.Fatalf("%g, %g: nothing found, and there is a border at %g km", lat, lon, want)
		case found && n.Place == n.Other:
			t.Fatalf("%g, %g: %+v", lat, lon, n)
		}
	}
}

// TestAStepAcrossTheNearestLineLeadsThere promises that what Near calls Other is
// what At finds beyond the line: at 200 places near a border, chosen by a fixed seed.
func TestAStepAcrossTheNearestLineLeadsThere(t *testing.T) {
	m := embedded(t)
	r := rand.New(rand.NewPCG(9, 3))
	crossed, asked := 0, 0
	for asked < 200 {
		lat, lon := 27+r.Float64()*5, 73.5+r.Float64()*6
		n, found := m.Near(lat, lon)
		if !found || n.KM > 10 || n.KM < 0.5 {
			continue
		}
		asked++
		for turn := range 360 { // some way of the distance and a little more leads there
			a := float64(turn) * math.Pi / 180
			d := (n.KM + 0.3) / 111.195
			if m.At(lat+d*math.Sin(a), lon+d*math.Cos(a)/math.Cos(lat*math.Pi/180)) == n.Other {
				crossed++
				break
			}
		}
	}
	if crossed != asked {
		t.Errorf("%d of %d times", crossed, asked)
	}
}

// TestRowsChangeNothing promises that however edges lie, a row holds all that a place
// in it is west or east of.
func TestRowsChangeNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Custom(func(t *rapid.T) corner {
			return corner{rapid.Int32Range(-1_800_000_000, 1_800_000_000).Draw(t, "x"), rapid.Int32Range(-900_000_000, 900_000_000).
				Draw(t, "y")}
		})
		corners := rapid.SliceOfN(at, 3, 30).Draw(t, "corners")
		var edges []edge
		for i, c := range corners {
			edges = append(edges, newEdge(c, corners[(i+1)%len(corners)], uint64(i)))
		}
		p := rapid.OneOf(at, rapid.SampledFrom(corners)).Draw(t, "place")
		count := func(all []edge) (n int) {
			for i := range all {
				if all[i].westOf(p.x, p.y) {
					n++
				}
			}
			return n
		}
		r := newRows(edges)
		if got, want := count(r.at(p.y)), count(edges); got != want {
			t.Fatalf("got %d edges, want %d", got, want)
		}
		if n := r.copies(edges); n > 2*len(edges) && r.step < 180*perDegree {
			t.Fatalf("%d edges are kept %d times", len(edges), n)
		}
	})
}

// TestWestOfIsExact promises the same answer at a centimetre as on paper, also at
// the ends of the numbers' range. Computed by hand.
func TestWestOfIsExact(t *testing.T) {
	long := edge{ax: -1_800_000_000, ay: -900_000_000, bx: 1_800_000_000, by: 900_000_000}
	for _, tt := range []struct {
		e    edge
		x, y int32
		want bool
	}{
		{edge{ax: 0, ay: 0, bx: 10, by: 10}, 5, 5, true}, // on it: it is passed
		{edge{ax: 0, ay: 0, bx: 10, by: 10}, 4, 5, false},
		{edge{ax: 0, ay: 0, bx: 10, by: 10}, 6, 5, true},
		{edge{ax: 0, ay: 0, bx: 10, by: 10}, 0, 0, true},    // its southern end
		{edge{ax: 0, ay: 0, bx: 10, by: 10}, 10, 10, false}, // its northern end is not its own
		{edge{ax: 0, ay: 5, bx: 10, by: 5}, 10, 5, false},   // running east it passes no latitude
		{long, 2, 1, true},
		{long, 1, 1, false},
		{long, 1_799_999_998, 899_999_999, true},
		{long, 1_799_999_997, 899_999_999, false},
	} {
		t.Run(fmt.Sprint(tt.e, tt.x, tt.y), func(t *testing.T) {
			if got := tt.e.westOf(tt.x, tt.y); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

// TestABuilderStopsAtItsBounds promises that corners and polygons are counted over
// all features of a file.
func TestABuilderStopsAtItsBounds(t *testing.T) {
	ring := [][][]float64{{{76, 29}, {77, 29}, {77, 30}, {76, 29}}}
	for _, tt := range []struct {
		name string
		b    builder
		ok   bool
	}{
		{"room for four corners", builder{count: MaxCorners - 4}, true},
		{"room for three", builder{count: MaxCorners - 3}, false},
		{"room for a polygon", builder{pieces: make([]piece, MaxPolygons-1)}, true},
		{"room for none", builder{pieces: make([]piece, MaxPolygons)}, false},
	} {
		if err := tt.b.polygon(Place{District: "D"}, ring); (err == nil) != tt.ok || err != nil && !fault.Is(err, fault.TooLarge) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}
