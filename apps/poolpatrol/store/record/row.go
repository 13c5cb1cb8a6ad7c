package record

import (
	"context"
	"encoding/binary"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/fault"
)

// Every pass reads every record, so rows are taken here as they come over the wire,
// column after column, instead of through the driver's scanning: most of what that
// would allocate is the same few words (a status, a shift, a site) again and again.

// A row is one row of a result. Its columns are taken in order, each by the method
// for its type.
type row struct {
	raw   [][]byte
	n     int // of the next column
	last  []string
	words map[string]string
	spare []fleet.Point
}

// eachRow goes over a result. What do takes from the row is its own.
func eachRow(ctx context.Context, tx pgx.Tx, query string, args []any, do func(*row) error) error {
	rows, err := tx.Query(ctx, query, append([]any{pgx.QueryResultFormats{pgx.BinaryFormatCode}}, args...)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns := rows.FieldDescriptions()
	r := row{last: make([]string, len(columns)), words: map[string]string{}}
	for rows.Next() {
		if columns[0].Format != pgx.BinaryFormatCode {
			return fault.New(fault.Internal, "the database answers in text; it is asked in a mode that these reads do not know")
		}
		r.raw, r.n = rows.RawValues(), 0
		if err := do(&r); err != nil {
			return err
		}
	}
	return rows.Err()
}

func (r *row) next() []byte {
	b := r.raw[r.n]
	r.n++
	return b
}

// text is a text of its own; empty for null.
func (r *row) text() string { return string(r.next()) }

// word is a text that many rows have: all share one.
func (r *row) word() string {
	b := r.next()
	if last := r.last[r.n-1]; last == string(b) {
		return last
	}
	s, ok := r.words[string(b)]
	if !ok {
		s = string(b)
		r.words[s] = s
	}
	r.last[r.n-1] = s
	return s
}

// flag is a boolean; false for null.
func (r *row) flag() bool {
	b := r.next()
	return len(b) == 1 && b[0] == 1
}

// number is an int4; 0 for null.
func (r *row) number() int {
	b := r.next()
	if len(b) != 4 {
		return 0
	}
	return int(int32(binary.BigEndian.Uint32(b)))
}

// epoch is the database's first day, 1 January 2000, as a fleet.Date.
const epoch = 10_957

// day is a date; 0 for null.
func (r *row) day() fleet.Date {
	b := r.next()
	if len(b) != 4 {
		return 0
	}
	return fleet.Date(int32(binary.BigEndian.Uint32(b))) + epoch
}

// float is a float8 and whether there is one.
func (r *row) float() (float64, bool) {
	b := r.next()
	if len(b) != 8 {
		return 0, false
	}
	return math.Float64frombits(binary.BigEndian.Uint64(b)), true
}

// point is a latitude and a longitude; nil where one is null.
func (r *row) point() *fleet.Point {
	lat, known := r.float()
	lng, both := r.float()
	if !known || !both {
		return nil
	}
	if len(r.spare) == 0 {
		r.spare = make([]fleet.Point, 256)
	}
	p := &r.spare[0]
	r.spare = r.spare[1:]
	*p = fleet.Point{Lat: lat, Lng: lng}
	return p
}

// blocks is a list whose length is not known before: what is in it is not moved
// while it grows.
type blocks[T any] struct{ all [][]T }

// next is one more, to be filled in.
func (b *blocks[T]) next() *T {
	n := len(b.all) - 1
	if n < 0 || len(b.all[n]) == cap(b.all[n]) {
		b.all, n = append(b.all, make([]T, 0, 512)), n+1
	}
	b.all[n] = b.all[n][:len(b.all[n])+1]
	return &b.all[n][len(b.all[n])-1]
}

// list is all of them; never nil.
func (b *blocks[T]) list() []T {
	if len(b.all) == 1 {
		return b.all[0]
	}
	if len(b.all) == 0 {
		return []T{}
	}
	return slices.Concat(b.all...)
}

// A pile is things that were read for many owners, who are numbered.
type pile[T any] struct {
	owners []int32
	things []T
}

func (p *pile[T]) add(owner int, thing T) {
	p.owners, p.things = append(p.owners, int32(owner)), append(p.things, thing)
}

// share gives each of n owners what is theirs, in the order it was read: parts of
// one list, which do not run into each other when somebody adds to them.
func (p *pile[T]) share(n int, give func(owner int, theirs []T)) {
	ends := make([]int32, n+1)
	for _, o := range p.owners {
		ends[o+1]++
	}
	for i := range n {
		ends[i+1] += ends[i]
	}
	sorted, at := make([]T, len(p.things)), append([]int32(nil), ends[:n]...)
	for i, o := range p.owners {
		sorted[at[o]] = p.things[i]
		at[o]++
	}
	for i := range n {
		if from, to := ends[i], ends[i+1]; from < to {
			give(i, sorted[from:to:to])
		}
	}
}
