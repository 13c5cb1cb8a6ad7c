package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
)

// race sends scans as fast as they are answered, ours and the bare ones in turn, a round of each before it counts. The worker has
// ended by then: what it draws is drawn later, whoever scanned.
func race(ctx context.Context, g *ground, o options) error {
	g.rest()
	b, err := g.bare(ctx, o.atOnce)
	if err != nil {
		return err
	}
	defer b.close()
	var ours, theirs []float64
	for round := range o.rounds + 1 {
		mine, rows, err := g.counted(ctx, o.scans, func(passes []pass) (time.Duration, error) {
			return storm(ctx, len(passes), o.atOnce, func(ctx context.Context, i int) error { return g.scan(ctx, "scan-exit", passes[i]) })
		})
		if err != nil {
			return err
		}
		bare, same, err := g.counted(ctx, o.scans, func(passes []pass) (time.Duration, error) {
			return storm(ctx, len(passes), o.atOnce, func(ctx context.Context, i int) error { return b.scan(ctx, passes[i]) })
		})
		if err != nil {
			return err
		}
		if !maps.Equal(rows, same) {
			return fmt.Errorf("a scan of ours leaves %v, a bare one %v: they do not do the same", rows, same)
		}
		if round > 0 {
			ours, theirs = append(ours, perSecond(o.scans, mine)), append(theirs, perSecond(o.scans, bare))
		}
	}
	slices.Sort(ours)
	slices.Sort(theirs)
	mine, bare := ours[len(ours)/2], theirs[len(theirs)/2]
	fmt.Printf("as fast as they are answered, %d at once, median of %d rounds: %.0f scans a second, bare %.0f; at least %.1f asked: %s\n",
		o.atOnce, o.rounds, mine, bare, goal, kept(mine/bare >= goal))
	fmt.Printf("ratio=%.2f\n", mine/bare)
	return nil
}

func perSecond(n int, took time.Duration) float64 { return float64(n) / took.Seconds() }

// written are the tables that a scan writes to.
var written = []string{"gatepass.event", "gatepass.notice", "gatepass.photo", "gatepass.scan", "gavel.record", "gavel.sealed",
	"gavel.seal_key"}

// counted runs a round over passes of its own, and says how many rows it added to each table.
func (g *ground) counted(ctx context.Context, n int, round func([]pass) (time.Duration, error)) (time.Duration, map[string]int, error) {
	before, err := g.rows(ctx)
	if err != nil {
		return 0, nil, err
	}
	took, err := round(g.take(n))
	if err != nil {
		return took, nil, err
	}
	after, err := g.rows(ctx)
	for table := range after {
		after[table] -= before[table]
	}
	return took, after, err
}

func (g *ground) rows(ctx context.Context) (map[string]int, error) {
	conn, err := pgx.Connect(ctx, g.inside)
	if err != nil {
		return nil, err
	}
	defer conn.Close(ctx)
	all := map[string]int{}
	for _, table := range written {
		var n int
		if err := conn.QueryRow(ctx, "select count(*) from "+table).Scan(&n); err != nil {
			return nil, err
		}
		all[table] = n
	}
	return all, nil
}

// drawing is how far the worker is with what is handed out of photos.
type drawing struct{ done, all int }

func (g *ground) drawn(ctx context.Context) (d drawing, lag time.Duration, err error) {
	conn, err := pgx.Connect(ctx, g.inside)
	if err != nil {
		return d, 0, err
	}
	defer conn.Close(ctx)
	var seconds float64
	err = conn.QueryRow(ctx, `select count(drawn_at), count(*), coalesce(extract(epoch from now() - min(taken_at)
		filter (where drawn_at is null and trouble = '')), 0)::float8 from gatepass.photo`).Scan(&d.done, &d.all, &seconds)
	return d, time.Duration(seconds * float64(time.Second)), err
}
