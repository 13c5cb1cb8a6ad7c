package region

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"math"

	"github.com/gavelhq/gavel/platform/fault"
)

//go:generate go run -C ../../../../devstack/tools/regions . ../../../apps/airshed/rule/region/outlines.bin

// format is the only one that is read.
const format = "gavel.regions/1"

// Bounds of a file of outlines. Units have a bit each, and one bit is for no land.
const (
	maxUnits  = 63
	maxPoints = 1_000_000
)

// A header is the first line of the file. The generator has the same one.
type header struct {
	Format    string `json:"format"`
	Source    string `json:"source"`
	SourceSHA string `json:"source_sha256"`
	Licence   string `json:"licence"`
	Note      string `json:"note"`
	PerDegree int    `json:"per_degree"`
	Units     []unit `json:"units"`
	Lines     int    `json:"lines"`
	Points    int    `json:"points"`
	BodySHA   string `json:"body_sha256"`
}

type unit struct {
	Country  string `json:"country"`
	State    string `json:"state,omitempty"`
	Disputed bool   `json:"disputed,omitempty"`
}

// read makes a map of a file, which must be what its header says.
func read(file []byte) (*Map, error) {
	first, body, _ := bytes.Cut(file, []byte{'\n'})
	var h header
	if err := json.Unmarshal(first, &h); err != nil || h.Format != format {
		return nil, fault.From(fault.Internal, err, "the outlines are not in format %s", format)
	}
	if digest(body) != h.BodySHA {
		return nil, fault.New(fault.Internal, "the outlines are not those their header was written for")
	}
	if h.PerDegree < 1 || perDegree%h.PerDegree != 0 || len(h.Units) > maxUnits || h.Points > maxPoints {
		return nil, fault.New(fault.Internal, "the outlines have a header that cannot be used")
	}
	m := &Map{places: []Place{{}}, sources: []Source{{Name: h.Source, Licence: h.Licence, SHA256: digest(file)}}}
	for _, u := range h.Units {
		p := Place{Country: u.Country, State: u.State}
		if u.Disputed {
			p = Place{Disputed: true}
		}
		m.places = append(m.places, p)
	}
	b := &lineReader{rest: body, scale: int64(perDegree / h.PerDegree), units: uint64(len(h.Units))}
	for range h.Lines {
		m.add(b.line())
	}
	if b.bad || len(b.rest) > 0 || b.points != h.Points {
		return nil, fault.New(fault.Internal, "the outlines end too soon or too late")
	}
	m.rows, m.squares = newRows(m.edges), newSquares(m.edges)
	return m, nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// A line is a stretch of border, or of shore.
type line struct {
	left, right uint8
	points      []corner
}

// add takes a line's edges into the map.
func (m *Map) add(l line) {
	tag := uint64(1)<<l.left | uint64(1)<<l.right
	for i := 1; i < len(l.points); i++ {
		m.edges = append(m.edges, newEdge(l.points[i-1], l.points[i], tag))
		m.sides = append(m.sides, [2]uint8{l.left, l.right})
	}
}

// A lineReader reads the body. What it reads after something bad means nothing.
type lineReader struct {
	rest   []byte
	x, y   int64
	scale  int64
	units  uint64
	points int
	bad    bool
}

func (r *lineReader) line() line {
	left, right, n := r.number(r.units), r.number(r.units), r.number(maxPoints)
	l := line{left: uint8(left), right: uint8(right)}
	r.bad = r.bad || left == right || n < 2
	for i := uint64(0); i < n && !r.bad; i++ {
		r.x, r.y = r.x+r.step(), r.y+r.step()
		x, y := r.x*r.scale, r.y*r.scale
		if max(x, -x) > 180*perDegree || max(y, -y) > 90*perDegree {
			r.bad = true
			break
		}
		l.points = append(l.points, corner{int32(x), int32(y)})
		r.points++
	}
	return l
}

func (r *lineReader) number(most uint64) uint64 {
	v, n := binary.Uvarint(r.rest)
	if n <= 0 || v > most {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}

func (r *lineReader) step() int64 {
	v, n := binary.Varint(r.rest)
	if n <= 0 || max(v, -v) > math.MaxInt32 {
		r.bad = true
		return 0
	}
	r.rest = r.rest[n:]
	return v
}
