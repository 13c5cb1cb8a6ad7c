package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/outside/duck"
	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/query"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
)

// onView is a contest over a raw table.
type onView struct {
	contest
	peak, barePeak int64
}

const asked = "select scenario, year, sum(val), count(*) from project_view group by scenario, year"

func viewed(ctx context.Context, o options, dir string) (onView, error) {
	var v onView
	view, err := writeView(filepath.Join(dir, "project_view_1.csv"), o.rows)
	if err != nil {
		return v, err
	}
	defer os.Remove(view.File)
	program, err := duck.Find(o.program)
	if err != nil {
		return v, err
	}
	client := duck.New(duck.Config{Program: program, Limit: 30 * time.Minute})
	for range o.rounds {
		start := time.Now()
		a, err := client.Ask(ctx, query.Question{Views: []query.View{view}, SQL: asked, Rows: 1000})
		if err != nil {
			return v, err
		}
		book := fact.NewBook("bench")
		if _, err := query.Facts(book, view, a, "PJ"); err != nil {
			return v, err
		}
		v.our = append(v.our, time.Since(start))
		if v.peak == 0 { // so far no other child has ended: it is gavel-duck's
			if v.peak, err = peakOfChildren(); err != nil {
				return v, err
			}
		}
		r, err := bareDuck(ctx, o.bare, "select scenario, year, sum(val), count(*) from read_csv('"+view.File+"') group by scenario, year")
		if err != nil {
			return v, err
		}
		if r.rows != len(a.Rows) || len(book.All()) != 2*r.rows {
			return v, fmt.Errorf("DuckDB has %d rows, we have %d and %d facts", r.rows, len(a.Rows), len(book.All()))
		}
		v.bare, v.barePeak = append(v.bare, r.took), max(v.barePeak, r.peak)
	}
	fmt.Printf("raw table of %d rows, %d sums: %s, bare DuckDB %s\n", o.rows, len(v.our), v.ours().Round(time.Millisecond),
		median(v.bare).Round(time.Millisecond))
	return v, nil
}

// peakOfChildren is the most memory that a child which has ended had.
func peakOfChildren() (int64, error) {
	var used syscall.Rusage
	err := syscall.Getrusage(syscall.RUSAGE_CHILDREN, &used)
	return used.Maxrss << 10, err
}

// onCharts is a contest over chart tables.
type onCharts struct {
	contest
	charts, facts int
}

func charted(ctx context.Context, o options, dir string) (onCharts, error) {
	var c onCharts
	if err := writeCharts(dir, o.charts); err != nil {
		return c, err
	}
	for range o.rounds {
		start := time.Now()
		cat, err := catalogue.Discover(os.DirFS(dir))
		if err != nil {
			return c, err
		}
		listed := time.Since(start)
		c.charts, c.facts = len(cat.Charts), 0
		for i := range cat.Charts {
			book := fact.NewBook(cat.Charts[i].Key)
			if _, err := summary.Summarise(book, &cat.Charts[i]); err != nil {
				return c, err
			}
			c.facts += len(book.All())
		}
		c.our = append(c.our, time.Since(start))
		r, err := bareDuck(ctx, o.bare, "select filename, count(*) from read_csv('"+dir+"/*/*.csv', union_by_name = true, filename = true, "+
			"all_varchar = true) group by filename")
		if err != nil {
			return c, err
		}
		c.bare = append(c.bare, r.took)
		if len(c.our) == o.rounds {
			fmt.Printf("%d charts: listed in %s, %d facts in all in %s; bare DuckDB scans %d files in %s\n", c.charts,
				listed.Round(time.Millisecond), c.facts, c.ours().Round(time.Millisecond), r.rows, median(c.bare).Round(time.Millisecond))
		}
	}
	if c.charts != o.charts {
		return c, fmt.Errorf("%d charts of %d were found", c.charts, o.charts)
	}
	return c, nil
}
