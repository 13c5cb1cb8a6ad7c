package store

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/identity"
)

// rowsOfLayers is how many rows of sums a district has for a day: each signal once, and one for each layer.
const rowsOfLayers = 4

// A Question is for what the signals of districts come to.
type Question struct {
	LGD     []int // whose
	Windows []Ask
	Named   bool // whether the heaviest signals are wanted, too
}

// An Ask is one window of a question.
type Ask struct {
	bucket.Window

	Floor  bucket.Floor
	Silent bool // nobody of it is to be named
}

// Sums are what the signals of a district come to, by window of the question and layer: at 0 each signal once, then by the
// order of signal.Layers.
type Sums [][rowsOfLayers]bucket.Totals

// Layers are the totals of a window by layer.
func (s Sums) Layers(window int) map[signal.Layer]bucket.Totals {
	out := map[signal.Layer]bucket.Totals{}
	for _, l := range signal.Layers() {
		out[l] = s[window][layerOf(l)]
	}
	return out
}

// Totals answers a question from one state of the tables: from sums, and from rows in the minutes that windows cut. What it
// costs does not depend on how many signals there are. The heaviest signals go by short names; Named tells who they are.
func (s *Store) Totals(ctx context.Context, actor identity.Actor, q Question) (out map[int]Sums, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `set transaction isolation level repeatable read, read only`); err != nil {
			return err
		}
		r := newReading(q)
		if err := r.read(ctx, tx); err != nil {
			return err
		}
		out = r.out
		return nil
	})
	return out, err
}

// A use is a piece of a window for which something is read.
type use struct {
	window int
	bucket.Piece
}

// A reading is a question while it is answered.
type reading struct {
	q       Question
	out     map[int]Sums
	days    map[int64][]use // whole, by their start in seconds
	hours   map[int64][]use // whose hours are wanted, by the day's start
	minutes map[int64][]use // whose minutes are wanted, by the hour's start
	rows    map[span][]use  // of the minutes that windows cut
}

// A span is a stretch of time as rows have it: from, and up to but without.
type span struct{ from, to time.Time }

func bySpan(a, b span) int { return cmp.Or(a.from.Compare(b.from), a.to.Compare(b.to)) }

func newReading(q Question) *reading {
	r := &reading{q: q, out: make(map[int]Sums, len(q.LGD)), days: map[int64][]use{}, hours: map[int64][]use{}, minutes: map[int64][]use{},
		rows: map[span][]use{}}
	for _, lgd := range q.LGD {
		r.out[lgd] = make(Sums, len(q.Windows))
	}
	for i, w := range q.Windows {
		for _, p := range bucket.Plan(w.Window, w.Floor) {
			u := use{i, p}
			switch p.Grain {
			case bucket.Day:
				r.want(r.days, u, day)
			case bucket.Hour:
				r.want(r.hours, u, day)
			case bucket.Minute:
				r.want(r.minutes, u, time.Hour)
			default:
				cut := span{ceil(p.From), ceil(p.To)}
				r.rows[cut] = append(r.rows[cut], u)
			}
		}
	}
	return r
}

// want notes that a piece needs the rows of sums that begin within it, or in which it begins.
func (r *reading) want(in map[int64][]use, u use, row time.Duration) {
	for at := u.From.UTC().Truncate(row); at.Before(u.To); at = at.Add(row) {
		in[at.Unix()] = append(in[at.Unix()], u)
	}
}

// read adds up what the question needs, always in the same order.
func (r *reading) read(ctx context.Context, tx pgx.Tx) error {
	tops := `null::bytea`
	if r.q.Named {
		tops = `tops`
	}
	whole := `select day::timestamptz, lgd, layer, sums, ` + tops + ` from netra.day where day = any($1::date[])`
	hours := `select day::timestamptz, lgd, layer, hours, ` + tops + ` from netra.day where day = any($1::date[])`
	minutes := `select hour, lgd, layer, minutes, ` + tops + ` from netra.hour where hour = any($1::timestamptz[])`
	if err := r.each(ctx, tx, whole+r.those()+` order by day`, r.days, r.addDay); err != nil {
		return err
	}
	if err := r.each(ctx, tx, hours+r.those()+` order by day`, r.hours, r.strips(bucket.Hour, hoursOfDay)); err != nil {
		return err
	}
	summed := map[place]bool{}
	count := r.strips(bucket.Minute, minutesOfHour)
	err := r.each(ctx, tx, minutes+r.those()+` order by hour`, r.minutes, func(to Sums, row sumsRow, uses []use) error {
		summed[place{from: row.from, lgd: row.lgd}] = true
		return count(to, row, uses)
	})
	if err != nil {
		return err
	}
	if err := r.addSparse(ctx, tx, summed); err != nil {
		return err
	}
	for _, cut := range slices.SortedFunc(maps.Keys(r.rows), bySpan) {
		if err := r.addRows(ctx, tx, r.q.LGD, cut, r.rows[cut]); err != nil {
			return err
		}
	}
	return nil
}

// fewDistricts is how many are looked up one by one; of more, all are read.
const fewDistricts = 64

func (r *reading) those() string {
	if len(r.q.LGD) > fewDistricts {
		return ` and cardinality($2::integer[]) >= 0`
	}
	return ` and lgd = any($2::integer[])`
}

// A sumsRow is a row of sums as it is read.
type sumsRow struct {
	place
	sums, tops []byte
}

// each shows the rows of sums that begin at the times wanted, with what they are wanted for.
func (r *reading) each(ctx context.Context, tx pgx.Tx, query string, wanted map[int64][]use, add func(Sums, sumsRow, []use) error) error {
	if len(wanted) == 0 {
		return nil
	}
	var from []time.Time
	for at := range wanted {
		from = append(from, time.Unix(at, 0).UTC())
	}
	var at time.Time
	var row sumsRow
	var sums, tops pgtype.DriverBytes
	rows, _ := tx.Query(ctx, query, from, r.q.LGD)
	_, err := pgx.ForEachRow(rows, []any{&at, &row.lgd, &row.layer, &sums, &tops}, func() error {
		district, ok := r.out[int(row.lgd)]
		if !ok {
			return nil
		}
		row.from, row.sums, row.tops = at.Unix(), sums, tops
		return add(district, row, wanted[row.from])
	})
	return err
}

// addDay counts a whole day. Its heaviest signals are among those of its hours.
func (r *reading) addDay(to Sums, row sumsRow, uses []use) error {
	cells, err := bucket.ReadCells(row.sums)
	if err != nil {
		return err
	}
	for _, u := range uses {
		w := r.q.Windows[u.window]
		to[u.window][row.layer].AddCells(w.Window, w.Floor, u.Piece, row.start(), &cells)
	}
	return r.addTops(to, row, uses, bucket.Hour, hoursOfDay)
}

// strips counts the hours of a day, or the minutes of an hour, that lie in the pieces they are wanted for.
func (r *reading) strips(grain bucket.Grain, n int) func(Sums, sumsRow, []use) error {
	return func(to Sums, row sumsRow, uses []use) error {
		start := row.start()
		err := bucket.EachSum(row.sums, func(i int, cells *[bucket.Classes]bucket.Cell) {
			at := start.Add(time.Duration(i) * time.Duration(grain))
			for _, u := range uses {
				if !at.Before(u.From) && at.Before(u.To) {
					w := r.q.Windows[u.window]
					to[u.window][row.layer].AddCells(w.Window, w.Floor, u.Piece, at, cells)
				}
			}
		})
		if err != nil {
			return err
		}
		return r.addTops(to, row, uses, grain, n)
	}
}

// addTops puts the heaviest signals of a row's buckets among the heaviest, where they are wanted.
func (r *reading) addTops(to Sums, row sumsRow, uses []use, grain bucket.Grain, n int) error {
	if !r.q.Named || row.layer == 0 {
		return nil
	}
	strip := bucket.NewStrip(row.start(), grain, n)
	if err := strip.Unpack(nil, row.tops); err != nil {
		return err
	}
	for _, b := range strip.Buckets {
		if b == nil {
			continue
		}
		for _, u := range uses {
			if !b.Start.Before(u.From) && b.Start.Before(u.To) {
				w := r.q.Windows[u.window]
				if w.Silent {
					continue
				}
				to[u.window][row.layer].AddTop(w.Window, w.Floor, u.Piece, &b.Top)
			}
		}
	}
	return nil
}

// ceil is a time to the microsecond that rows have, upwards.
func ceil(t time.Time) time.Time {
	if short := t.Truncate(time.Microsecond); short.Before(t) {
		return short.Add(time.Microsecond)
	}
	return t
}
