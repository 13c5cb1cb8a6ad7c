package store

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // a short name, and no secret
	"encoding/binary"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/gavelhq/gavel/apps/netra/rule/alert"
	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// A voice is a source by a short name.
type voice [8]byte

// A hearing is in which seconds of a day a source was heard first and last.
type hearing struct{ first, last int32 }

// A chorus is the sources that were heard of a district on a day.
type chorus map[voice]hearing

// mostVoices is how many sources are told apart of a district and day; of more, those whose short names come first.
const (
	mostVoices  = 1000
	voiceLength = 16
)

// chorusIn reads what bytes wrote.
func chorusIn(packed []byte) chorus {
	c := make(chorus, len(packed)/voiceLength)
	for b := range slices.Chunk(packed, voiceLength) {
		c[voice(b)] = hearing{int32(binary.BigEndian.Uint32(b[8:])), int32(binary.BigEndian.Uint32(b[12:]))}
	}
	return c
}

// bytes is the sources as they are kept, in their order.
func (c chorus) bytes() []byte {
	out := make([]byte, 0, len(c)*voiceLength)
	for _, v := range slices.SortedFunc(maps.Keys(c), func(a, b voice) int { return bytes.Compare(a[:], b[:]) }) {
		out = binary.BigEndian.AppendUint32(append(out, v[:]...), uint32(c[v].first))
		out = binary.BigEndian.AppendUint32(out, uint32(c[v].last))
	}
	return out[:min(len(out), mostVoices*voiceLength)]
}

// hear notes that sources were heard.
func (c chorus) hear(more chorus) {
	for v, h := range more {
		if was, ok := c[v]; ok {
			h = hearing{min(h.first, was.first), max(h.last, was.last)}
		}
		c[v] = h
	}
}

// choruses are the sources of signals, by the row of the sums of their day.
func choruses(fresh []signal.Signal) map[place]chorus {
	names := map[string]voice{}
	out := map[place]chorus{}
	for i := range fresh {
		s := &fresh[i]
		v, ok := names[s.Source]
		if !ok {
			sum := md5.Sum([]byte(s.Source)) //nolint:gosec // a short name, and no secret
			v = voice(sum[:8])
			names[s.Source] = v
		}
		from := s.At.UTC().Truncate(day)
		p := place{from: from.Unix(), lgd: int32(s.LGD)}
		if out[p] == nil {
			out[p] = chorus{}
		}
		at := int32(s.At.Sub(from) / time.Second)
		out[p].hear(chorus{v: {at, at}})
	}
	return out
}

// HeardIn is what was heard of each district in the 24 hours up to a moment, beside what is usual. signals is how many it was of
// each, which the sums know. A district of which nothing was ever heard is not among them.
func HeardIn(ctx context.Context, tx pgx.Tx, at time.Time, signals map[int]int64) (map[int]alert.Heard, error) {
	today := at.UTC().Truncate(day)
	const now = `select day::timestamptz, lgd, heard from netra.day where layer = 0 and day in ($1::date - 1, $1::date)`
	second := int32(at.UTC().Sub(today) / time.Second)
	heard := map[int]chorus{}
	var from time.Time
	var lgd int
	var packed pgtype.DriverBytes
	rows, _ := tx.Query(ctx, now, today)
	_, err := pgx.ForEachRow(rows, []any{&from, &lgd, &packed}, func() error {
		c := chorusIn(packed)
		maps.DeleteFunc(c, func(_ voice, h hearing) bool {
			if from.UTC().Equal(today) {
				return h.first > second
			}
			return h.last <= second
		})
		if heard[lgd] == nil {
			heard[lgd] = chorus{}
		}
		heard[lgd].hear(c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := map[int]alert.Heard{}
	for lgd, c := range heard {
		if len(c) > 0 {
			out[lgd] = alert.Heard{Sources: len(c), Signals: signals[lgd]}
		}
	}
	usual, err := usualDays(ctx, tx, today)
	if err != nil {
		return nil, err
	}
	for lgd, days := range usual {
		h := out[lgd]
		h.Signals = signals[lgd]
		out[lgd] = h.Usually(days)
	}
	return out, nil
}

// usualDays is what was heard of each district on each of the days before one, from the first on which anything was.
func usualDays(ctx context.Context, tx pgx.Tx, today time.Time) (map[int][]alert.Day, error) {
	const before = `select lgd, day::timestamptz, length(heard), sums from netra.day where layer = 0 and heard <> ''
		and day >= $1::date - $2::integer and day < $1::date order by lgd, day`
	out := map[int][]alert.Day{}
	var lgd, length int
	var at time.Time
	var sums pgtype.DriverBytes
	rows, _ := tx.Query(ctx, before, today, alert.UsualDays)
	_, err := pgx.ForEachRow(rows, []any{&lgd, &at, &length, &sums}, func() error {
		cells, err := bucket.ReadCells(sums)
		if err != nil {
			return err
		}
		if out[lgd] == nil {
			out[lgd] = make([]alert.Day, int(today.Sub(at.UTC())/day))
		}
		days := out[lgd]
		d := alert.Day{Sources: length / voiceLength}
		for _, c := range cells {
			d.Signals += c.Count
		}
		days[len(days)-int(today.Sub(at.UTC())/day)] = d
		return nil
	})
	return out, err
}
