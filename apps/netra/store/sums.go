package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

const (
	day           = 24 * time.Hour
	hoursOfDay    = 24
	minutesOfHour = 60
)

// A place is a row of sums: a district and layer, and when its day or hour begins, in seconds. Layer 0 is each signal once.
type place struct {
	from  int64
	lgd   int32
	layer int16
}

func (p place) start() time.Time { return time.Unix(p.from, 0).UTC() }

func byPlace(a, b place) int {
	return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(a.lgd, b.lgd), cmp.Compare(a.layer, b.layer))
}

// placed is the rows of signals by where their sums are kept, in a grain.
func placed(all []signal.Signal, grain time.Duration) map[place][]bucket.Row {
	out := map[place][]bucket.Row{}
	for i := range all {
		s := &all[i]
		r := bucket.RowOf(*s)
		r.ID, r.At = refText(refOf(s.ID)), s.At.UTC()
		p := place{from: r.At.Truncate(grain).Unix(), lgd: int32(s.LGD)}
		out[p] = append(out[p], r)
		for _, l := range s.Layers {
			p.layer = layerOf(l)
			out[p] = append(out[p], r)
		}
	}
	return out
}

// layerOf is the number of a layer's sums.
func layerOf(l signal.Layer) int16 { return int16(slices.Index(signal.Layers(), l) + 1) }

// refText is a ref as the id of a row.
func refText(ref uint64) string { return string(binary.BigEndian.AppendUint64(nil, ref)) }

// ShortName is how sums call an event.
func ShortName(id string) string { return refText(refOf(id)) }

// refIn is the ref of a row's id.
func refIn(id string) int64 { return int64(binary.BigEndian.Uint64([]byte(id))) }

// A column is the places and bytes of rows of sums, as they travel.
type column struct {
	places  []place
	strings [packed][][]byte
}

// packed is how many strings of bytes a row of sums has at most.
const packed = 4

func (c *column) add(p place, strings ...[]byte) {
	c.places = append(c.places, p)
	for i := range c.strings {
		b := []byte{}
		if i < len(strings) && strings[i] != nil {
			b = strings[i]
		}
		c.strings[i] = append(c.strings[i], b)
	}
}

// keys are the places as arrays: when, which district, which layer.
func keys(all []place) (from []time.Time, lgd []int32, layer []int16) {
	for _, p := range all {
		from, lgd, layer = append(from, p.start()), append(lgd, p.lgd), append(layer, p.layer)
	}
	return from, lgd, layer
}

// sparse is how many signals of a district an hour may have without sums of its minutes: so few are read one by one where a window
// ends in that hour. Most hours of most districts have fewer, and a row of sums for each signal would cost more than it saves.
const sparse = 64

// A crowd is how many signals of a district an hour had before, and has now.
type crowd struct{ before, after int64 }

// addSums counts signals in the sums of their days, hours and minutes. The caller holds the organisation's lock: nobody else
// changes sums meanwhile.
func addSums(ctx context.Context, tx pgx.Tx, fresh []signal.Signal) error {
	if len(fresh) == 0 {
		return nil
	}
	crowds, err := addDays(ctx, tx, placed(fresh, day), choruses(fresh))
	if err != nil {
		return err
	}
	var crowded []place // that were not before: sums of all that they hold are made
	for p, c := range crowds {
		if c.before <= sparse && c.after > sparse {
			crowded = append(crowded, p)
		}
	}
	known, err := signalsOf(ctx, tx, crowded)
	if err != nil {
		return err
	}
	for i := range fresh {
		if crowds[hourOf(&fresh[i])].before > sparse {
			known = append(known, fresh[i])
		}
	}
	if len(known) == 0 {
		return nil
	}
	return addHours(ctx, tx, placed(known, time.Hour))
}

// hourOf is the place of a signal's hour, of all layers.
func hourOf(s *signal.Signal) place {
	return place{from: s.At.UTC().Truncate(time.Hour).Unix(), lgd: int32(s.LGD)}
}

// signalsOf reads all signals of hours.
func signalsOf(ctx context.Context, tx pgx.Tx, hours []place) (all []signal.Signal, err error) {
	if len(hours) == 0 {
		return nil, nil
	}
	const read = `select ` + signalColumns + ` from unnest($1::timestamptz[], $2::integer[]) k(hour, lgd)
		join netra.signal s on s.lgd = k.lgd and s.ts >= k.hour and s.ts < k.hour + interval '1 hour'`
	slices.SortFunc(hours, byPlace)
	from, lgd, _ := keys(hours)
	var one signalRow
	rows, _ := tx.Query(ctx, read, from, lgd)
	_, err = pgx.ForEachRow(rows, one.into(), func() error { all = append(all, one.signal()); return nil })
	return all, err
}

// putDays writes sums of days in place of those that are there. Who was heard stays where nothing is said of that.
const putDays = `insert into netra.day as d (org, day, lgd, layer, sums, hours, tops, heard) select current_setting('gavel.org'), k.* from
	unnest($1::date[], $2::integer[], $3::smallint[], $4::bytea[], $5::bytea[], $6::bytea[], $7::bytea[]) k
	on conflict (org, day, lgd, layer) do update set sums = excluded.sums, hours = excluded.hours, tops = excluded.tops,
		heard = case when excluded.heard = '' then d.heard else excluded.heard end`

// addDays counts rows in the sums of days and of their hours, notes who was heard, and says how many each of the hours has.
func addDays(ctx context.Context, tx pgx.Tx, rows map[place][]bucket.Row, voices map[place]chorus) (map[place]crowd, error) {
	const read = `select d.day::timestamptz, d.lgd, d.layer, d.sums, d.hours, d.tops, d.heard from netra.day d
		join unnest($1::date[], $2::integer[], $3::smallint[]) k(day, lgd, layer) using (day, lgd, layer)`
	places := slices.SortedFunc(maps.Keys(rows), byPlace)
	was, err := readSums(ctx, tx, read, places, 4)
	if err != nil {
		return nil, err
	}
	var out column
	crowds := map[place]crowd{}
	for _, p := range places {
		strip, whole := bucket.NewStrip(p.start(), bucket.Hour, hoursOfDay), bucket.Bucket{Start: p.start()}
		if b, ok := was[p]; ok {
			if whole.Cells, err = bucket.ReadCells(b[0]); err != nil {
				return nil, err
			}
			if err := strip.Unpack(b[1], b[2]); err != nil {
				return nil, err
			}
		}
		before := strip.Counts()
		for _, r := range rows[p] {
			whole.Sum(r)
		}
		count(strip, p, rows[p])
		if p.layer == 0 {
			for i, n := range strip.Counts() {
				if n != before[i] {
					crowds[place{from: p.from + int64(i)*3600, lgd: p.lgd}] = crowd{before[i], n}
				}
			}
		}
		hours, tops := pack(strip, p)
		heard := chorusIn(was[p][3])
		heard.hear(voices[p])
		out.add(p, bucket.AppendCells(nil, whole.Cells), hours, tops, heard.bytes())
	}
	return crowds, out.putDays(ctx, tx)
}

// putDays writes the rows of days.
func (c *column) putDays(ctx context.Context, tx pgx.Tx) error {
	from, lgd, layer := keys(c.places)
	_, err := tx.Exec(ctx, putDays, from, lgd, layer, c.strings[0], c.strings[1], c.strings[2], c.strings[3])
	return err
}

// count adds rows to a strip. Over all layers together nobody is ever named, and so nobody is remembered.
func count(to *bucket.Strip, p place, rows []bucket.Row) {
	for _, r := range rows {
		if p.layer == 0 {
			to.Sum(r)
		} else {
			to.Add(r)
		}
	}
}

// pack is a strip as it is kept.
func pack(s *bucket.Strip, p place) (sums, tops []byte) {
	sums, tops = s.Pack()
	if p.layer == 0 {
		return sums, nil
	}
	return sums, tops
}

// addHours counts rows in the sums of the minutes of hours.
func addHours(ctx context.Context, tx pgx.Tx, rows map[place][]bucket.Row) error {
	const read = `select h.hour, h.lgd, h.layer, h.minutes, h.tops from netra.hour h
		join unnest($1::timestamptz[], $2::integer[], $3::smallint[]) k(hour, lgd, layer) using (hour, lgd, layer)`
	const write = `insert into netra.hour (org, hour, lgd, layer, minutes, tops) select current_setting('gavel.org'), k.* from
		unnest($1::timestamptz[], $2::integer[], $3::smallint[], $4::bytea[], $5::bytea[]) k
		on conflict (org, hour, lgd, layer) do update set minutes = excluded.minutes, tops = excluded.tops`
	places := slices.SortedFunc(maps.Keys(rows), byPlace)
	was, err := readSums(ctx, tx, read, places, 2)
	if err != nil {
		return err
	}
	var out column
	for _, p := range places {
		strip := bucket.NewStrip(p.start(), bucket.Minute, minutesOfHour)
		if b, ok := was[p]; ok {
			if err := strip.Unpack(b[0], b[1]); err != nil {
				return err
			}
		}
		count(strip, p, rows[p])
		minutes, tops := pack(strip, p)
		out.add(p, minutes, tops)
	}
	from, lgd, layer := keys(out.places)
	_, err = tx.Exec(ctx, write, from, lgd, layer, out.strings[0], out.strings[1])
	return err
}

// readSums reads the sums of places, as they are kept, in so many strings each.
func readSums(ctx context.Context, tx pgx.Tx, query string, places []place, n int) (map[place][packed][]byte, error) {
	from, lgd, layer := keys(places)
	out := make(map[place][packed][]byte, len(places))
	var at time.Time
	var p place
	var b [packed][]byte
	into := []any{&at, &p.lgd, &p.layer, &b[0], &b[1], &b[2], &b[3]}
	rows, _ := tx.Query(ctx, query, from, lgd, layer)
	_, err := pgx.ForEachRow(rows, into[:3+n], func() error {
		p.from = at.Unix()
		out[p] = b
		b = [packed][]byte{}
		return nil
	})
	return out, err
}
