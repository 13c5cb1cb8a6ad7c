package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// A lap is one contestant's part of a round.
type lap struct {
	perSecond float64
	took      []time.Duration // each case
	wal       float64         // bytes a case that PostgreSQL wrote to its log
	cpu       cpu             // milliseconds a case, by process
}

// A table is what one number in flight gave.
type table struct {
	inFlight, cases int
	names           []string
	laps            [][]lap  // by contestant and round
	kept            []weight // by contestant, a case
}

// compare lets the contestants take turns with so many cases in flight.
func (g *ground) compare(ctx context.Context, contestants []contestant, o options, inFlight int) (table, error) {
	t := table{inFlight: inFlight, cases: min(o.cases, 50*inFlight),
		laps: make([][]lap, len(contestants)), kept: make([]weight, len(contestants))}
	for i, c := range contestants {
		t.names = append(t.names, c.name())
		kept, err := g.warm(ctx, c, t.cases, inFlight)
		if err != nil {
			return t, fmt.Errorf("%s: %w", c.name(), err)
		}
		t.kept[i] = kept
	}
	for round := range o.rounds {
		for k := range contestants {
			i := (k + round) % len(contestants) // take turns at going first
			l, err := g.lap(ctx, contestants[i], t.cases, inFlight)
			if err != nil {
				return t, fmt.Errorf("%s: %w", contestants[i].name(), err)
			}
			t.laps[i] = append(t.laps[i], l)
		}
	}
	return t, nil
}

// warm runs a lap that is not timed: it fills caches, pools and sticky queues,
// and what it leaves behind is weighed. Then its tables are analysed, as
// autovacuum does in the first minutes of an installation: until then every plan
// is one for empty tables.
func (g *ground) warm(ctx context.Context, c contestant, cases, inFlight int) (weight, error) {
	before, err := g.weigh(ctx, c.databases())
	if err != nil {
		return weight{}, err
	}
	if _, err := g.lap(ctx, c, cases, inFlight); err != nil {
		return weight{}, err
	}
	after, err := g.weigh(ctx, c.databases())
	if err != nil {
		return weight{}, err
	}
	for _, name := range c.databases() {
		if err := g.exec(ctx, name, "analyze"); err != nil {
			return weight{}, err
		}
	}
	return weight{(after.rows - before.rows) / float64(cases), (after.bytes - before.bytes) / float64(cases)}, nil
}

// lap runs cases, some at a time. Every case must have asked the model as often
// as it has to: a contestant that leaves work out has won nothing.
func (g *ground) lap(ctx context.Context, c contestant, cases, inFlight int) (lap, error) {
	asked, wal, err := g.meters(ctx)
	if err != nil {
		return lap{}, err
	}
	used, err := g.used(ctx)
	if err != nil {
		return lap{}, err
	}
	start := time.Now()
	took, err := runCases(ctx, c, cases, inFlight)
	seconds := time.Since(start).Seconds()
	if err != nil {
		return lap{}, err
	}
	usedAfter, err := g.used(ctx)
	if err != nil {
		return lap{}, err
	}
	askedAfter, walAfter, err := g.meters(ctx)
	if err != nil {
		return lap{}, err
	}
	if got, want := askedAfter-asked, c.modelCalls()*cases; got != want {
		return lap{}, fmt.Errorf("the model was asked %d times in %d cases, want %d", got, cases, want)
	}
	return lap{perSecond: float64(cases) / seconds, took: took, wal: (walAfter - wal) / float64(cases),
		cpu: usedAfter.since(used, cases)}, nil
}

// runCases returns how long each case took.
func runCases(ctx context.Context, c contestant, cases, inFlight int) ([]time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	next := make(chan int)
	took := make([]time.Duration, cases)
	errs := make(chan error, inFlight)
	var wg sync.WaitGroup
	for range inFlight {
		wg.Go(func() {
			for i := range next {
				start := time.Now()
				if err := c.oneCase(ctx); err != nil {
					errs <- err
					cancel()
					return
				}
				took[i] = time.Since(start)
			}
		})
	}
	for i := range cases {
		select {
		case next <- i:
		case <-ctx.Done():
		}
	}
	close(next)
	wg.Wait()
	select {
	case err := <-errs: // the first; the others were cancelled by it
		return nil, err
	default:
		return took, ctx.Err()
	}
}

func (t table) print() {
	fmt.Printf("\n%d in flight, %d cases a round\n%-12s %9s %9s %9s %9s %9s %9s\n", t.inFlight, t.cases,
		"", "cases/s", "p50 ms", "p99 ms", "rows", "kB kept", "kB WAL")
	for i, name := range t.names {
		var took []time.Duration
		for _, l := range t.laps[i] {
			took = append(took, l.took...)
		}
		slices.Sort(took)
		fmt.Printf("%-12s %9.1f %9.0f %9.0f %9.0f %9.1f %9.1f\n", name, median(t.laps[i], func(l lap) float64 { return l.perSecond }),
			milliseconds(took, 50), milliseconds(took, 99), t.kept[i].rows, t.kept[i].bytes/1000,
			median(t.laps[i], func(l lap) float64 { return l.wal })/1000)
	}
	printCPUHead("case")
	for i, name := range t.names {
		var c cpu
		for k := range c {
			c[k] = median(t.laps[i], func(l lap) float64 { return l.cpu[k] })
		}
		printCPU(name, c)
	}
}

// milliseconds is a percentile of sorted times.
func milliseconds(sorted []time.Duration, percent int) float64 {
	return float64(sorted[(len(sorted)-1)*percent/100].Microseconds()) / 1000
}

// ratio prints ours against another's, if both ran: the median of the ratios of
// each round, because what else happens on the machine hits both.
func (t table) ratio(other, format string) {
	us, them := slices.Index(t.names, ours), slices.Index(t.names, other)
	if us < 0 || them < 0 {
		return
	}
	ratios := make([]float64, len(t.laps[us]))
	for i := range ratios {
		ratios[i] = t.laps[us][i].perSecond / t.laps[them][i].perSecond
	}
	fmt.Printf(format, median(ratios, func(r float64) float64 { return r }))
}

func median[T any](all []T, of func(T) float64) float64 {
	s := make([]float64, len(all))
	for i, v := range all {
		s[i] = of(v)
	}
	slices.Sort(s)
	if n := len(s); n%2 == 0 {
		return (s[n/2-1] + s[n/2]) / 2
	}
	return s[len(s)/2]
}
