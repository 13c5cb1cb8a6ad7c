package bucket

import (
	"encoding/binary"
	"math"
	"slices"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Strip is the buckets of one grain that follow each other: the hours of a day, the minutes of an hour. A store keeps it as two
// strings of bytes, sums and tops, because a score that names nobody needs no tops.
type Strip struct {
	Start   time.Time
	Grain   Grain     // of its buckets
	Buckets []*Bucket // nil where nothing fell
}

// NewStrip is a strip of n buckets of which nothing is known.
func NewStrip(start time.Time, g Grain, n int) *Strip {
	return &Strip{Start: start, Grain: g, Buckets: make([]*Bucket, n)}
}

// Add counts a signal that falls into the strip.
func (s *Strip) Add(r Row) { s.at(int(r.At.Sub(s.Start) / time.Duration(s.Grain))).Add(r) }

// Sum counts a signal without remembering whether it is among the heaviest.
func (s *Strip) Sum(r Row) { s.at(int(r.At.Sub(s.Start) / time.Duration(s.Grain))).Sum(r) }

// at is a bucket of the strip, which is made where it is missing.
func (s *Strip) at(i int) *Bucket {
	if s.Buckets[i] == nil {
		s.Buckets[i] = &Bucket{Start: s.Start.Add(time.Duration(i) * time.Duration(s.Grain))}
	}
	return s.Buckets[i]
}

// Counts is how many signals fell into each bucket.
func (s *Strip) Counts() []int64 {
	out := make([]int64, len(s.Buckets))
	for i, b := range s.Buckets {
		if b != nil {
			for _, c := range b.Cells {
				out[i] += c.Count
			}
		}
	}
	return out
}

// Pack is the sums of the strip and its tops, as bytes.
func (s *Strip) Pack() (sums, tops []byte) {
	for i, b := range s.Buckets {
		if b == nil {
			continue
		}
		sums = AppendCells(append(sums, byte(i)), b.Cells)
		tops = appendTop(append(tops, byte(i)), b)
	}
	return sums, tops
}

// Unpack reads what Pack wrote into the strip; tops may be nil, and then none are known. What no strip of this
// length wrote is refused.
func (s *Strip) Unpack(sums, tops []byte) error {
	r := reader{b: sums}
	for len(r.b) > 0 && !r.bad {
		if i := int(r.byte()); i < len(s.Buckets) {
			s.at(i).Cells = r.cells()
		} else {
			r.bad = true
		}
	}
	t := reader{b: tops}
	for len(t.b) > 0 && !t.bad {
		if i := int(t.byte()); i < len(s.Buckets) {
			b := s.at(i)
			b.Top = t.top(b.Start)
		} else {
			t.bad = true
		}
	}
	if r.bad || t.bad {
		return fault.New(fault.Internal, "the sums from %s on are damaged", s.Start.Format(time.RFC3339))
	}
	return nil
}

// EachSum shows the sums that Pack wrote, by their place in the strip, without making buckets of them. What is shown holds until the next.
func EachSum(sums []byte, show func(i int, cells *[Classes]Cell)) error {
	r := reader{b: sums}
	var cells [Classes]Cell
	for len(r.b) > 0 && !r.bad {
		i := int(r.byte())
		cells = r.cells()
		if !r.bad {
			show(i, &cells)
		}
	}
	if r.bad {
		return fault.New(fault.Internal, "the sums of a strip are damaged")
	}
	return nil
}

// AppendCells writes the sums of a bucket behind what is there. Classes of which nothing was heard take no room.
func AppendCells(to []byte, cells [Classes]Cell) []byte {
	mask := byte(0)
	for c, cell := range cells {
		if cell != (Cell{}) {
			mask |= 1 << c
		}
	}
	to = append(to, mask)
	for c, cell := range cells {
		if mask&(1<<c) != 0 {
			to = binary.AppendVarint(to, int64(cell.Fading))
			to = binary.AppendVarint(to, int64(cell.Plain))
			to = binary.AppendVarint(to, cell.Count)
			to = binary.AppendVarint(to, cell.Severity)
		}
	}
	return to
}

// ReadCells reads what AppendCells wrote, and nothing behind it.
func ReadCells(from []byte) ([Classes]Cell, error) {
	r := reader{b: from}
	cells := r.cells()
	if r.bad || len(r.b) > 0 {
		return cells, fault.New(fault.Internal, "the sums of a day are damaged")
	}
	return cells, nil
}

// appendTop writes the heaviest of each class, once where both orders are one.
func appendTop(to []byte, b *Bucket) []byte {
	for c := range Classes {
		fading, plain := b.Top.Fading[c], b.Top.Plain[c]
		same := equalRows(fading, plain)
		head := byte(len(fading)) << 3
		if !same {
			head |= 4 | byte(len(plain))
		}
		to = append(to, head)
		to = appendRows(to, b.Start, fading)
		if !same {
			to = appendRows(to, b.Start, plain)
		}
	}
	return to
}

func equalRows(a, b []Row) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i].ID != b[i].ID || !a[i].At.Equal(b[i].At) {
			return false
		}
	}
	return true
}

func appendRows(to []byte, start time.Time, rows []Row) []byte {
	for _, r := range rows {
		to = append(to, byte(len(r.ID)))
		to = append(to, r.ID...)
		to = binary.AppendUvarint(to, uint64(r.At.Sub(start)/time.Microsecond))
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(r.Weight))
		to = append(to, byte(r.Severity))
	}
	return to
}

// A reader takes values off the front of bytes; bad is set once they do not hold what they should.
type reader struct {
	b   []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if len(r.b) < n {
		r.bad = true
		return make([]byte, n)
	}
	out := r.b[:n]
	r.b = r.b[n:]
	return out
}

func (r *reader) byte() byte { return r.take(1)[0] }

func (r *reader) varint() int64 {
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.bad = true
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) cells() (cells [Classes]Cell) {
	mask := r.byte()
	r.bad = r.bad || mask >= 1<<Classes
	for c := range cells {
		if mask&(1<<c) != 0 {
			cells[c] = Cell{Fading: Amount(r.varint()), Plain: Amount(r.varint()), Count: r.varint(), Severity: r.varint()}
		}
	}
	return cells
}

func (r *reader) top(start time.Time) (t Top) {
	for c := range Class(Classes) {
		head := r.byte()
		t.Fading[c] = r.rows(int(head>>3), start, c)
		if head&4 != 0 {
			t.Plain[c] = r.rows(int(head&3), start, c)
		} else {
			t.Plain[c] = slices.Clone(t.Fading[c]) // each grows by itself
		}
	}
	return t
}

func (r *reader) rows(n int, start time.Time, c Class) (out []Row) {
	if n > Kept {
		r.bad = true
		return nil
	}
	for range n {
		id := string(r.take(int(r.byte())))
		since, used := binary.Uvarint(r.b)
		if used <= 0 {
			r.bad = true
			return nil
		}
		r.b = r.b[used:]
		weight := math.Float64frombits(binary.LittleEndian.Uint64(r.take(8)))
		out = append(out, Row{ID: id, At: start.Add(time.Duration(since) * time.Microsecond), Weight: weight, Severity: int(r.byte()),
			Class: c})
	}
	return out
}
