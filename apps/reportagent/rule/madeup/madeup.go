// Package madeup is a model run that nobody made: three scenarios of an energy system that does not exist, drawn as 51 charts in
// 14 categories, with every trap that real runs of this kind have been seen to hold. The demonstration shows it, and
// tests know its truth, because they see the numbers before they become files.
//
// Make draws the numbers: whole hundredths, no floats, the same for the same seed. Files writes them as a plotting program
// would. The table of charts is in charts.go, what is written by hand in traps.go.
package madeup

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// A Run is one run of the model.
type Run struct {
	Scenarios []string
	Years     []int
	Charts    []Chart
}

// A Chart is one chart before it became files.
type Chart struct {
	Category string
	ID       string
	Title    string
	Column   string // of what its series are called
	Unit     string // as the file writes it
	Total    string // the series that is the sum of the others, "" where there is none
	Long     bool   // one value to a row: a waterfall
	NoScen   bool   // no column for the scenario
	Series   []Series
	Targets  map[string]map[string]string // drawn into it: by name and year

	specUnit  string // what the spec says, if not Unit
	finalYear int    // what the spec says
	noSpec    bool
}

// A Series is one row of a wide chart, or one bar of a waterfall.
type Series struct {
	Scenario string
	Written  string // how the file spells the scenario
	Label    string
	Values   []Value // by year; one for a waterfall
}

// A Value is a number in hundredths.
type Value struct {
	Cents int64
	Empty bool
}

// BaseYear is where every scenario starts from.
const BaseYear = 2025

// The scenarios, from the deepest cuts to the least.
const (
	Deep  = "Harbour-1p5DS"
	Mild  = "Harbour-2p5DS"
	House = "Harbour-House-View"
)

// Make draws a run.
func Make(seed uint64) Run {
	r := Run{Scenarios: []string{Deep, Mild, House}}
	for y := BaseYear; y <= 2035; y++ {
		r.Years = append(r.Years, y)
	}
	r.Years = append(r.Years, 2040, 2045, 2050)
	for i, p := range plans() {
		r.Charts = append(r.Charts, r.draw(p, cast(seed, uint64(i))))
	}
	r.lay()
	return r
}

// A plan is what a chart is to look like.
type plan struct {
	category, title, column string
	pool                    []string // what its series are called, the first n of them
	n                       int
	unit                    string
	shape                   shape
	size                    int64 // hundredths a series begins with, more or less
}

// A shape is how series move from the first year to the last.
type shape uint8

const (
	falls shape = iota
	rises
	stays
	flips // from above zero to below
)

// Stem is a title as the name of a file.
func Stem(title string) string {
	var b strings.Builder
	gap := false
	for _, r := range strings.ToLower(norm.NFKC.String(title)) {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			if gap {
				b.WriteByte('_')
			}
			gap = false
			b.WriteRune(r)
		} else {
			gap = b.Len() > 0
		}
	}
	return b.String()
}

// draw makes the numbers of a chart. All scenarios begin alike and end apart.
func (r Run) draw(p plan, d dice) Chart {
	c := Chart{Category: p.category, ID: Stem(p.title), Title: p.title, Column: p.column, Unit: p.unit}
	starts := make([]int64, p.n)
	for k := range starts {
		starts[k] = p.size/2 + d.below(p.size)
	}
	for s, scenario := range r.Scenarios {
		for k, label := range p.pool[:p.n] {
			end := p.shape.end(starts[k], int64(s), &d)
			c.Series = append(c.Series, Series{Scenario: scenario, Written: scenario, Label: label, Values: r.path(starts[k], end, &d)})
		}
	}
	return c
}

// end is where a series ends; scenario 0 goes farthest.
func (s shape) end(start, scenario int64, d *dice) int64 {
	switch s {
	case falls:
		return start * (2 + 25*scenario + d.below(20)) / 100
	case rises:
		return start * (400 - 90*scenario + d.below(60)) / 100
	case flips:
		return -start * (90 - 35*scenario + d.below(20)) / 100
	}
	return start * (95 + d.below(12)) / 100
}

// path goes from start to end, a little off the straight line between.
func (r Run) path(start, end int64, d *dice) []Value {
	out := make([]Value, len(r.Years))
	last := len(r.Years) - 1
	span := int64(r.Years[last] - r.Years[0])
	for i, y := range r.Years {
		way := int64(y - r.Years[0])
		out[i].Cents = start + (end-start)*way/span
		if i > 0 && i < last {
			out[i].Cents += d.below(start/50+2) - start/100
		}
	}
	return out
}

// A dice is a small generator (splitmix64): a made-up run needs to be the same tomorrow, not to be hard to guess.
type dice uint64

// cast makes a dice for one purpose, so that drawing more of one thing changes nothing about another.
func cast(seed, purpose uint64) dice {
	d := dice(seed)
	d = dice(d.bits() ^ purpose*0x9e3779b97f4a7c15)
	return d
}

func (d *dice) bits() uint64 {
	*d += 0x9e3779b97f4a7c15
	z := uint64(*d)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// below is a whole number from 0 up to n.
func (d *dice) below(n int64) int64 {
	if n < 1 {
		return 0
	}
	return int64(d.bits() % uint64(n))
}
