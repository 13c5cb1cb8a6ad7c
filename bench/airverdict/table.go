package main

import (
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// The goals, on data that are not low. They were fixed before the first run.
const (
	dominant  = 0.60 // one state dominates where it brought more of the smoke
	half      = 0.50
	said      = 0.90 // P that is "very likely"
	leastSaid = 0.50
	leastTrue = 0.90
	mostFalse = 0.10
	leastIn   = 0.85 // ranges that hold the truth
	mostIn    = 0.95
	fewest    = 10 // events of a band that can be judged
	resamples = 2000
)

// A count is how many of how many, by event, so that it can be drawn anew.
type count struct{ n, of map[string]int }

func newCount() count { return count{map[string]int{}, map[string]int{}} }

func (c count) add(s sample, is bool) {
	c.of[s.Event]++
	if is {
		c.n[s.Event]++
	}
}

func (c count) sums() (n, of int) {
	for e := range c.of {
		n, of = n+c.n[e], of+c.of[e]
	}
	return n, of
}

func (c count) part() float64 {
	n, of := c.sums()
	return float64(n) / float64(max(1, of))
}

// interval is where 95 % of the shares lie, when events are drawn anew.
func (c count) interval() (low, high float64) {
	names := slices.Sorted(maps.Keys(c.of))
	if len(names) == 0 {
		return 0, 1
	}
	r := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // events, the same each time
	all := make([]float64, resamples)
	for i := range all {
		n, of := 0, 0
		for range names {
			e := names[r.IntN(len(names))]
			n, of = n+c.n[e], of+c.of[e]
		}
		all[i] = float64(n) / float64(max(1, of))
	}
	slices.Sort(all)
	return plume.Quantile(all, 0.025), plume.Quantile(all, 0.975)
}

func (c count) String() string {
	n, of := c.sums()
	if of == 0 {
		return "of none"
	}
	low, high := c.interval()
	return fmt.Sprintf("%.0f %% (%d of %d; %.0f–%.0f)", 100*c.part(), n, of, 100*low, 100*high)
}

// figures are what a list of episodes shows.
type figures struct {
	said, right, false, in, smoke count
	bands                         [5]band
	brier                         float64
	n                             int
}

// A band is the answers of some probabilities: what they said and what was so.
type band struct {
	from  float64
	p     float64 // their sum
	n     int
	right count
}

func figure(all []sample) (f figures) {
	f.said, f.right, f.false, f.in, f.smoke = newCount(), newCount(), newCount(), newCount(), newCount()
	for i, from := range []float64{0, 0.33, 0.66, 0.90, 0.99} {
		f.bands[i] = band{from: from, right: newCount()}
	}
	for _, s := range all {
		is := s.True > half
		if s.P >= said {
			f.right.add(s, is)
		}
		if s.Share > dominant {
			f.said.add(s, s.P >= said)
		}
		if s.Share <= half {
			f.false.add(s, s.P >= said)
		}
		if s.High > 0 {
			f.in.add(s, 100*s.True >= s.Low && 100*s.True <= s.High)
		}
		if s.M >= said {
			f.smoke.add(s, s.Smoke > (s.Smoke+s.Other)/10)
		}
		if s.Named == "" {
			continue
		}
		truth := 0.0
		if is {
			truth = 1
		}
		f.brier += (s.P - truth) * (s.P - truth)
		f.n++
		for i := len(f.bands) - 1; i >= 0; i-- {
			if b := &f.bands[i]; s.P >= b.from {
				b.p, b.n = b.p+s.P, b.n+1
				b.right.add(s, is)
				break
			}
		}
	}
	if f.n > 0 {
		f.brier /= float64(f.n)
	}
	return f
}

// events are the different pieces of weather that episodes belong to.
func events(all []sample) map[string]bool {
	out := map[string]bool{}
	for _, s := range all {
		out[s.Event] = true
	}
	return out
}

// table prints one difficulty, and says how many of its goals were kept.
func table(w io.Writer, all []sample) string {
	var good, low []sample
	for _, s := range all {
		if s.Grade == likelihood.Low {
			low = append(low, s)
		} else {
			good = append(good, s)
		}
	}
	f, g := figure(good), figure(low)
	p := func(format string, a ...any) { _, _ = fmt.Fprintf(w, format, a...) }
	p("%d episodes (%.0f %%) have data that are low\n", len(low), 100*float64(len(low))/float64(len(all)))
	p("%-64s %-30s %-30s\n", "", "data not low", "data low (not judged)")
	kept, of := 0, 0
	line := func(what string, a, b count, is bool) {
		word := "NOT kept"
		if is {
			word = "kept"
			kept++
		}
		of++
		p("%-64s %-30s %-30s %s\n", what, a, b, word)
	}
	trueLow, _ := f.right.interval()
	_, sayings := f.right.sums()
	line("one state dominates, and P is 0.90 or more: at least 50 %", f.said, g.said, f.said.part() >= leastSaid)
	line("P is 0.90 or more, and so it was: at least 90 % at the lower end", f.right, g.right, sayings > 0 && trueLow >= leastTrue)
	line("no state brought half, and P is 0.90 or more: at most 10 %", f.false, g.false, f.false.part() <= mostFalse)
	line("the range of the named state holds the truth: 85 to 95 %", f.in, g.in, f.in.part() >= leastIn && f.in.part() <= mostIn)
	calm := true
	for _, b := range f.bands {
		if b.n == 0 {
			continue
		}
		mean := b.p / float64(b.n)
		_, high := b.right.interval()
		judged := len(b.right.of) >= fewest
		if judged && mean > high {
			calm = false
		}
		p("  P from %.2f: said %.2f on average, and so it was in %s, of %d events\n", b.from, mean, b.right, len(b.right.of))
	}
	of++
	if calm {
		kept++
	}
	p("  no band says more than is so: %v; Brier %.3f (low data %.3f)\n", calm, f.brier, g.brier)
	p("  M is 0.90 or more, and smoke was over a tenth of the particles: %s (low data %s)\n", f.smoke, g.smoke)
	return fmt.Sprintf("%d of %d goals kept", kept, of)
}
