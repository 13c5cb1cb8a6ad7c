package main

import (
	"context"
	"fmt"
	"slices"
	"sort"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
)

// A lag watches the log from outside and remembers when each checkpoint was
// first seen.
type lag struct {
	g     *ground
	stop  context.CancelFunc
	done  chan struct{}
	sizes []int64
	seen  []time.Time
}

func (g *ground) watchLag(ctx context.Context) *lag {
	ctx, stop := context.WithCancel(ctx)
	l := &lag{g: g, stop: stop, done: make(chan struct{})}
	go func() {
		defer close(l.done)
		for ctx.Err() == nil {
			c, err := audit.Newest(ctx, g.sys)
			if err == nil && (len(l.sizes) == 0 || c.Tree.N > l.sizes[len(l.sizes)-1]) {
				l.sizes, l.seen = append(l.sizes, c.Tree.N), append(l.seen, time.Now())
			}
			time.Sleep(20 * time.Millisecond)
		}
	}()
	return l
}

// report prints how long records waited, from the moment their transaction
// began to the moment that a signed checkpoint covering them could be read.
func (l *lag) report(ctx context.Context) error {
	if err := l.g.settle(ctx); err != nil {
		return err
	}
	l.stop()
	<-l.done
	rows, _ := l.g.sys.Query(ctx, `select p.seq, r.at from gavel.record_place p join gavel.record r on r.org = p.org
		and r.id = p.record_id`)
	var waits []time.Duration
	var seq int64
	var at time.Time
	_, err := pgx.ForEachRow(rows, []any{&seq, &at}, func() error {
		if i := sort.Search(len(l.sizes), func(i int) bool { return l.sizes[i] > seq }); i < len(l.sizes) {
			waits = append(waits, l.seen[i].Sub(at))
		}
		return nil
	})
	if err != nil || len(waits) == 0 {
		return err
	}
	slices.Sort(waits)
	p := func(share float64) time.Duration {
		return waits[int(share*float64(len(waits)-1))].Round(time.Millisecond)
	}
	fmt.Printf("inclusion lag: p50 %v, p99 %v, worst %v, of %d records in %d checkpoints\n", p(0.5), p(0.99), p(1), len(waits),
		len(l.sizes))
	return nil
}

// settle waits until no record waits for the tree.
func (g *ground) settle(ctx context.Context) error {
	for ; ; time.Sleep(20 * time.Millisecond) {
		rows, _ := g.sys.Query(ctx, `select count(*) from gavel_sys.log_queue`)
		waiting, err := pgx.CollectOneRow(rows, pgx.RowTo[int])
		if err != nil || waiting == 0 {
			return err
		}
	}
}
