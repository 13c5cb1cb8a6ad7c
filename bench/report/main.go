// Command report measures the Report Agent's reading of data that is made up, in turn with bare DuckDB over the same files.
//
//   - Charts: a folder of chart tables is listed and each is summed up, as facts. DuckDB scans the same files.
//   - Raw tables: a project view is summed by scenario and year, by gavel-duck behind its wall, in exact decimals, and the sums become
//     facts. DuckDB does the same in floats, with all the memory it wants.
//
// The last line is the ratios of their throughput, ours to DuckDB's, and the most memory that gavel-duck had.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"time"
)

type options struct {
	charts, rows, rounds int
	program, bare        string
}

// What is asked.
const (
	barRatio  = 0.7
	barMemory = 1 << 30
)

func main() {
	var o options
	flag.IntVar(&o.charts, "charts", 5_000, "how many chart tables")
	flag.IntVar(&o.rows, "rows", 20_000_000, "how many rows the project view has")
	flag.IntVar(&o.rounds, "rounds", 3, "how often each is measured")
	flag.StringVar(&o.program, "program", "bin/gavel-duck", "the program for raw tables")
	flag.StringVar(&o.bare, "bare", "bin/bare-duck", "bare DuckDB")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench report:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "gavel-bench-report")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	v, err := viewed(ctx, o, dir)
	if err != nil {
		return err
	}
	c, err := charted(ctx, o, filepath.Join(dir, "charts"))
	if err != nil {
		return err
	}
	fmt.Printf("raw table %.2f of bare DuckDB's throughput, at least %.2f asked: %s; gavel-duck had %d MB, at most %d asked: %s; DuckDB had %d MB\n",
		v.ratio(), barRatio, kept(v.ratio() >= barRatio), v.peak>>20, barMemory>>20, kept(v.peak <= barMemory), v.barePeak>>20)
	fmt.Printf("charts %.3f of bare DuckDB's throughput, at least %.2f asked: %s; %.1f ms a chart, %.0f µs a fact\n", c.ratio(), barRatio,
		kept(c.ratio() >= barRatio), c.ours().Seconds()*1000/float64(c.charts), c.ours().Seconds()*1e6/float64(c.facts))
	fmt.Printf("ratio=%.2f charts=%.3f peak=%dMB\n", v.ratio(), c.ratio(), v.peak>>20)
	return nil
}

// A contest is the same work done by both, in turn.
type contest struct {
	our, bare []time.Duration
}

func (c contest) ours() time.Duration { return median(c.our) }
func (c contest) ratio() float64      { return median(c.bare).Seconds() / median(c.our).Seconds() }

func median(all []time.Duration) time.Duration { return slices.Sorted(slices.Values(all))[len(all)/2] }

func kept(ok bool) string {
	if ok {
		return "kept"
	}
	return "NOT kept"
}
