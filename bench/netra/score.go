package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/gate"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// scored is what scoring all districts took.
type scored struct{ ours, named, naive time.Duration }

func (s scored) ratio() float64 { return s.naive.Seconds() / s.ours.Seconds() }

// A cell is a number by window, district, layer and class.
type cell struct{ window, lgd, layer, class int }

// A sum is what the signals of a cell come to.
type sum struct {
	weight float64
	count  int64
}

// score scores all districts for the windows of the product, in turn with the plain aggregate, at moments that cut minutes.
func (g *ground) score(ctx context.Context) (s scored, err error) {
	// It says how many rows there are, which helps the aggregate.
	if _, err := g.bare.Exec(ctx, `analyze netra.signal`); err != nil {
		return s, err
	}
	var ours, named, naive []time.Duration
	for n := range g.o.rounds + 1 { // the first warms up
		asOf := g.until.Add(-time.Duration(n)*37*time.Minute - 17*time.Second)
		a := casework.Ask{Windows: casework.Windows(), AsOf: asOf, Profile: score.V2()}
		began := time.Now()
		if _, err := g.desk.Score(ctx, who(identity.Analyst), a); err != nil {
			return s, err
		}
		took := time.Since(began)
		a.Named = true
		began = time.Now()
		if _, err := g.desk.Score(ctx, who(identity.Analyst), a); err != nil {
			return s, err
		}
		all := time.Since(began)
		began = time.Now()
		want, err := g.aggregate(ctx, asOf)
		if err != nil {
			return s, err
		}
		plain := time.Since(began)
		if err := g.equal(ctx, asOf, want); err != nil {
			return s, err
		}
		if n > 0 {
			ours, named, naive = append(ours, took), append(named, all), append(naive, plain)
		}
	}
	return scored{median(ours), median(named), median(naive)}, nil
}

// aggregate adds up every signal of each window, in the database.
func (g *ground) aggregate(ctx context.Context, asOf time.Time) (map[cell]sum, error) {
	const plain = `select s.lgd, l.layer, s.class, sum(s.severity / 5.0::float8 * s.geo * exp($1::float8 * extract(epoch
		from s.ts - $2::timestamptz)::float8 / 3600)), count(*)
		from netra.signal s join (values (1, 1), (2, 2), (3, 4)) l(layer, bit) on s.layers & l.bit <> 0
		where s.ts > $3 and s.ts <= $2 group by 1, 2, 3`
	out := map[cell]sum{}
	err := g.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, `set local statement_timeout = 0`); err != nil {
			return err
		}
		for i, w := range casework.Windows() {
			c := cell{window: i}
			var s sum
			rows, _ := tx.Query(ctx, plain, bucket.Rate, asOf, asOf.Add(-w))
			if _, err := pgx.ForEachRow(rows, []any{&c.lgd, &c.layer, &c.class, &s.weight, &s.count},
				func() error { out[c] = s; return nil }); err != nil {
				return err
			}
		}
		return nil
	})
	return out, err
}

// equal makes sure that the sums say the same as the aggregate.
func (g *ground) equal(ctx context.Context, asOf time.Time, want map[cell]sum) error {
	q := store.Question{}
	for i := 1; i <= g.o.districts; i++ {
		q.LGD = append(q.LGD, i)
	}
	for _, w := range casework.Windows() {
		q.Windows = append(q.Windows, store.Ask{Window: bucket.Window{AsOf: asOf, Span: w}})
	}
	got, err := g.store.Totals(ctx, who(identity.Analyst), q)
	if err != nil {
		return err
	}
	cells := 0
	for lgd, sums := range got {
		for w := range sums {
			for layer := 1; layer < len(sums[w]); layer++ {
				for class, n := range sums[w][layer].Count {
					s := want[cell{w, lgd, layer, class}]
					if n != s.count || math.Abs(sums[w][layer].Weight[class]-s.weight) > 1e-9*s.weight {
						return fmt.Errorf("district %d, layer %d, class %d: the sums say %v of %d, the aggregate %v of %d", lgd, layer,
							class,
							sums[w][layer].Weight[class], n, s.weight, s.count)
					}
					if n > 0 {
						cells++
					}
				}
			}
		}
	}
	if cells != len(want) {
		return fmt.Errorf("the sums have %d cells, the aggregate %d", cells, len(want))
	}
	return nil
}

// sustain brings so many signals in each second for a while, and scores all districts once a second beside it.
func (g *ground) sustain(ctx context.Context) error {
	book, err := g.store.Book(ctx, who(identity.Analyst))
	if err != nil {
		return err
	}
	door := gate.Gate{Book: book, Received: g.store.Now(), Kept: store.SignalsKept}
	began, sent, kept := time.Now(), g.o.signals, 0
	var took []time.Duration
	group, ctx := errgroup.WithContext(ctx)
	over := make(chan struct{})
	group.Go(func() error {
		defer close(over)
		for second := 0; time.Since(began) < g.o.sustain; second++ {
			p, err := g.portion(sent, g.o.perSecond, g.until, time.Microsecond*50, door)
			if err != nil {
				return err
			}
			sent += g.o.perSecond
			if err := g.take(ctx, p); err != nil {
				return err
			}
			kept += p.kept
			time.Sleep(time.Until(began.Add(time.Duration(second+1) * time.Second)))
		}
		return nil
	})
	group.Go(func() error {
		for {
			at := time.Now()
			if _, err := g.desk.Score(ctx, who(identity.Analyst), casework.Ask{Windows: casework.Windows(),
				Profile: score.V2()}); err != nil {
				return err
			}
			took = append(took, time.Since(at))
			select {
			case <-over:
				return nil
			case <-time.After(time.Until(at.Add(time.Second))):
			}
		}
	})
	if err := group.Wait(); err != nil {
		return err
	}
	fmt.Printf("  sustained for %s: %.0f signals/s of %d asked, %d scorings of all districts beside it, each %s in the middle\n",
		g.o.sustain,
		float64(kept)/time.Since(began).Seconds(), g.o.perSecond, len(took), median(took).Round(time.Millisecond))
	return nil
}
