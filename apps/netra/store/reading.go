package store

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
)

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
	rows    map[int64][]use // of the minutes that windows cut, by the hour's start
	summed  map[place]bool  // districts and hours of which minutes have sums
}

func newReading(q Question) *reading {
	r := &reading{q: q, out: make(map[int]Sums, len(q.LGD)), days: map[int64][]use{}, hours: map[int64][]use{}, minutes: map[int64][]use{},
		rows: map[int64][]use{}, summed: map[place]bool{}}
	for _, lgd := range q.LGD {
		r.out[lgd] = make(Sums, len(q.Windows))
	}
	for i, w := range q.Windows {
		for _, p := range bucket.Plan(w.Window, w.Floor) {
			switch p.Grain {
			case bucket.Day:
				want(r.days, use{i, p}, day)
			case bucket.Hour:
				want(r.hours, use{i, p}, day)
			case bucket.Minute:
				want(r.minutes, use{i, p}, time.Hour)
			default:
				want(r.rows, use{i, p}, time.Hour)
			}
		}
	}
	return r
}

// want notes that a piece needs what begins within it, or in which it begins.
func want(in map[int64][]use, u use, row time.Duration) {
	for at := u.From.UTC().Truncate(row); at.Before(u.To); at = at.Add(row) {
		in[at.Unix()] = append(in[at.Unix()], u)
	}
}

// read adds up what the question needs, day by day and hour by hour: sums of floats depend on the order, and this one is always the same.
// Within a day or an hour there is one row for each district and layer, so that nothing has to be sorted. All sums are asked for at
// once, and then the signals that no sum holds.
func (r *reading) read(ctx context.Context, tx pgx.Tx) error {
	var sums, rows pgx.Batch
	for _, at := range both(r.days, r.hours) {
		r.askDay(&sums, time.Unix(at, 0).UTC())
	}
	for _, at := range both(r.minutes, nil) {
		r.askHour(&sums, time.Unix(at, 0).UTC())
	}
	if err := tx.SendBatch(ctx, &sums).Close(); err != nil {
		return err
	}
	for _, at := range both(r.minutes, r.rows) {
		r.askRows(&rows, at)
	}
	return tx.SendBatch(ctx, &rows).Close()
}

// both is the keys of two maps, in order.
func both(a, b map[int64][]use) []int64 {
	all := slices.AppendSeq(slices.Collect(maps.Keys(a)), maps.Keys(b))
	slices.Sort(all)
	return slices.Compact(all)
}

// askDay asks for the sums of a day: the whole of it, or some of its hours, or both.
func (r *reading) askDay(to *pgx.Batch, at time.Time) {
	whole, hours := r.days[at.Unix()], r.hours[at.Unix()]
	query := `select lgd, layer, ` + orNone(`sums`, len(whole) > 0) + orNone(`hours`, len(hours) > 0) + r.tops() +
		` from netra.day where day = $1::date`
	ofDay, ofHours := r.parts(whole, at, bucket.Day, 1), r.parts(hours, at, bucket.Hour, hoursOfDay)
	both := slices.Concat(whole, hours)
	r.ask(to, query, at, func(to Sums, row sumsRow) error {
		if len(whole) > 0 {
			cells, err := bucket.ReadCells(row.sums)
			if err != nil {
				return err
			}
			add(to, row.layer, ofDay[0], &cells)
		}
		if err := addStrip(to, row, ofHours); err != nil {
			return err
		}
		return r.addTops(to, row, at, both, bucket.Hour, hoursOfDay) // the heaviest of a day are among those of its hours
	})
}

// askHour asks for the sums of the minutes of an hour, which districts have of which much was heard then.
func (r *reading) askHour(to *pgx.Batch, at time.Time) {
	uses := r.minutes[at.Unix()]
	query := `select lgd, layer, null::bytea, minutes, ` + r.tops() + ` from netra.hour where hour = $1`
	ofMinutes := r.parts(uses, at, bucket.Minute, minutesOfHour)
	r.ask(to, query, at, func(to Sums, row sumsRow) error {
		r.summed[place{from: at.Unix(), lgd: int32(row.lgd)}] = true
		if err := addStrip(to, row, ofMinutes); err != nil {
			return err
		}
		return r.addTops(to, row, at, uses, bucket.Minute, minutesOfHour)
	})
}

// askRows asks for the signals of an hour that are in no sum: those in the minutes that windows cut, and of districts whose minutes have
// no sums, because so little was heard, those in the minutes besides.
func (r *reading) askRows(to *pgx.Batch, hour int64) {
	var summed, other []int
	for _, lgd := range r.q.LGD {
		if r.summed[place{from: hour, lgd: int32(lgd)}] {
			summed = append(summed, lgd)
		} else {
			other = append(other, lgd)
		}
	}
	r.askSignals(to, summed, slices.Clone(r.rows[hour]))
	r.askSignals(to, other, slices.Concat(r.minutes[hour], r.rows[hour]))
}

// A part is what a bucket adds to a window.
type part struct {
	window int
	once   bool
	left   bucket.Left
}

// parts are what the buckets that follow a time add to which windows: worked out once for all districts.
func (r *reading) parts(uses []use, from time.Time, grain bucket.Grain, n int) [][]part {
	out := make([][]part, n)
	for i := range out {
		at := from.Add(time.Duration(i) * time.Duration(grain))
		for _, u := range uses {
			if !at.Before(u.From) && at.Before(u.To) {
				w := r.q.Windows[u.window]
				out[i] = append(out[i], part{u.window, w.Once, bucket.LeftOf(w.Window, w.Floor, u.Piece, at)})
			}
		}
	}
	return out
}

// add counts a bucket of a layer in the windows it is part of.
func add(to Sums, layer int16, parts []part, cells *[bucket.Classes]bucket.Cell) {
	for i := range parts {
		if p := &parts[i]; layer == 0 || !p.once {
			to[p.window][layer].AddCells(p.left, cells)
		}
	}
}

// addStrip counts the buckets of a row in the windows they are part of.
func addStrip(to Sums, row sumsRow, parts [][]part) error {
	return bucket.EachSum(row.strip, func(i int, cells *[bucket.Classes]bucket.Cell) { add(to, row.layer, parts[i], cells) })
}

// orNone is a column of bytes with a comma behind it, or nothing in its place.
func orNone(name string, wanted bool) string {
	if !wanted {
		name = `null::bytea`
	}
	return name + `, `
}

// tops is the column of the heaviest, where they are wanted.
func (r *reading) tops() string {
	if !r.q.Named {
		return `null::bytea`
	}
	return `tops`
}

// fewDistricts is how many are looked up one by one; of more, all are read.
const fewDistricts = 64

// A sumsRow is a row of sums as it is read; what it holds is good until the next.
type sumsRow struct {
	lgd               int
	layer             int16
	sums, strip, tops pgtype.DriverBytes
}

// ask asks for the rows of sums that begin at a time, to be shown one by one.
func (r *reading) ask(to *pgx.Batch, query string, at time.Time, show func(Sums, sumsRow) error) {
	args := []any{at}
	if len(r.q.LGD) <= fewDistricts {
		query, args = query+` and lgd = any($2::integer[])`, append(args, r.q.LGD)
	}
	to.Queue(query, args...).Query(func(rows pgx.Rows) error {
		var row sumsRow
		_, err := pgx.ForEachRow(rows, []any{&row.lgd, &row.layer, &row.sums, &row.strip, &row.tops}, func() error {
			if to, ok := r.out[row.lgd]; ok {
				return show(to, row)
			}
			return nil
		})
		return err
	})
}

// addTops puts the heaviest signals of a row's buckets among the heaviest, where they are wanted.
func (r *reading) addTops(to Sums, row sumsRow, from time.Time, uses []use, grain bucket.Grain, n int) error {
	if !r.q.Named || row.layer == 0 {
		return nil
	}
	strip := bucket.NewStrip(from, grain, n)
	if err := strip.Unpack(nil, row.tops); err != nil {
		return err
	}
	for _, b := range strip.Buckets {
		if b == nil {
			continue
		}
		for _, u := range uses {
			w := r.q.Windows[u.window]
			if !w.Silent && !w.Once && !b.Start.Before(u.From) && b.Start.Before(u.To) {
				to[u.window][row.layer].AddTop(w.Window, w.Floor, u.Piece, &b.Top)
			}
		}
	}
	return nil
}
