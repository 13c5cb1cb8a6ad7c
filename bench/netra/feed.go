package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/rule/feed"
	"github.com/gavelhq/gavel/apps/netra/rule/gate"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// lanes is how many parts are on their way at one time, on both sides.
const lanes = 2

// stoppedOf is one line of so many that holds personal data.
const stoppedOf = 200

var told = []string{
	"Shopkeepers kept their shutters down in the main market as the call for a bandh went on for the second day and buses stayed off " +
		"the road",
	"Villagers blocked the highway for three hours and dispersed after talks with officials of the administration, who promised to look " +
		"into their demands",
	"Two groups threw stones at each other near the weekly market; the situation was brought under control by the evening and shops " +
		"opened again",
	"बाज़ार में दूसरे दिन भी दुकानें बंद रहीं और सड़क पर बसें नहीं चलीं; शाम तक स्थिति सामान्य बताई गई",
	"A peace meeting of several organisations was held at the community hall and it was decided to appeal to all for calm in the coming " +
		"days",
	"Weapons and ammunition were recovered during a search operation by security forces in the hills, officials said in a statement on " +
		"Tuesday",
}

var types = []string{"bandh", "blockade", "riot", "bandh", "dialogue", "arms_recovery"}

// A portion is one part of the feed: its lines, and the rows that a bare COPY writes for those that pass.
type portion struct {
	body []byte
	rows [][]any
	kept int
}

// portion makes signals from the n-th on, in the order of time.
func (g *ground) portion(n, size int, from time.Time, step time.Duration, at gate.Gate) (portion, error) {
	lot := rand.New(rand.NewPCG(25, uint64(n))) //nolint:gosec // the same each time
	var b strings.Builder
	for i := range size {
		k := lot.IntN(len(told))
		text := told[k]
		if lot.IntN(stoppedOf) == 0 {
			text = "Call 98765" + fmt.Sprintf("%05d", lot.IntN(100_000)) + " for details"
		}
		fmt.Fprintf(&b, `{"event_id":"feed-%010d","source":"desk-%d","source_type":"public_open_source","event_type":%q,"timestamp":%q,"district_lgd":%d,"severity":%d,"event_summary":%q}`+"\n",
			n+i, lot.IntN(50), types[k], from.Add(time.Duration(i)*step).Format(time.RFC3339Nano), 1+lot.IntN(g.o.districts), 1+lot.IntN(5),
			text)
	}
	p := portion{body: []byte(b.String())}
	err := feed.Read(feed.NDJSON, p.body, nil, func(l feed.Line) error {
		if s, kinds, why := at.Pass(l.Report); kinds == nil && why == "" {
			p.rows = append(p.rows, store.Columns(org, 0, s))
			p.kept++
		} else if why != "" {
			return fmt.Errorf("line %d of our own feed is refused: %s", l.N, why)
		}
		return nil
	})
	return p, err
}

// ingested is what bringing signals in took.
type ingested struct {
	ours, bare    time.Duration
	kept, stopped int
}

func (i ingested) ratio() float64 { return i.bare.Seconds() / i.ours.Seconds() }
func (i ingested) rate() float64  { return float64(i.kept) / i.ours.Seconds() }

// ingest brings all signals in, as many parts at a time as there are lanes, in turn with the bare COPY of the same rows.
func (g *ground) ingest(ctx context.Context) (in ingested, err error) {
	book, err := g.store.Book(ctx, who(identity.Analyst))
	if err != nil {
		return in, err
	}
	door := gate.Gate{Book: book, Received: g.store.Now(), Kept: store.SignalsKept}
	span := time.Duration(g.o.days) * 24 * time.Hour
	step := span / time.Duration(g.o.signals)
	for n := 0; n < g.o.signals; {
		var some []portion
		for range lanes {
			size := min(g.o.part, g.o.signals-n)
			if size == 0 {
				break
			}
			p, err := g.portion(n, size, g.until.Add(-span).Add(time.Duration(n)*step), step, door)
			if err != nil {
				return in, err
			}
			some, n = append(some, p), n+size
			in.stopped += size - p.kept
			in.kept += p.kept
		}
		took, err := side(ctx, some, g.take)
		if err != nil {
			return in, err
		}
		in.ours += took
		if took, err = side(ctx, some, g.copy); err != nil {
			return in, err
		}
		in.bare += took
	}
	return in, g.counted(ctx, in.kept)
}

// side does something with parts side by side.
func side(ctx context.Context, some []portion, do func(context.Context, portion) error) (time.Duration, error) {
	began := time.Now()
	group, ctx := errgroup.WithContext(ctx)
	for _, p := range some {
		group.Go(func() error { return do(ctx, p) })
	}
	err := group.Wait()
	return time.Since(began), err
}

func (g *ground) take(ctx context.Context, p portion) error {
	i, err := g.desk.Take(ctx, who(identity.Analyst), casework.Bundle{Name: "bench", Format: feed.NDJSON, Body: p.body})
	if err == nil && int(i.Taken) != p.kept {
		err = fmt.Errorf("%d of %d signals were taken", i.Taken, p.kept)
	}
	return err
}

// copy writes rows as the driver does.
func (g *ground) copy(ctx context.Context, p portion) error {
	_, err := g.bare.CopyFrom(ctx, pgx.Identifier{"bare", "signal"}, append([]string{"org"}, store.ColumnNames()...),
		pgx.CopyFromRows(p.rows))
	return err
}

// counted makes sure that every signal is there once, in the table and in the sums.
func (g *ground) counted(ctx context.Context, want int) error {
	return g.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		var n int
		if _, err := tx.Exec(ctx, `set local statement_timeout = 0`); err != nil {
			return err
		}
		if err := tx.QueryRow(ctx, `select count(*) from netra.signal`).Scan(&n); err != nil || n == want {
			return err
		}
		return fmt.Errorf("%d signals are in the table, %d were sent", n, want)
	})
}
