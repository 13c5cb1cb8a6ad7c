package suite

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// summary says what a person has to know: what failed and what it said, what was
// flaky, where the time went, and what an application costs.
func (r *result) summary(took time.Duration) {
	for _, t := range r.failed() {
		word := "FAIL"
		if r.tests[t].flaky {
			word = "FLAKY"
		}
		fmt.Fprintf(r.out, "\n== %s %s\n%s", word, t, strings.Join(r.tests[t].said, ""))
	}
	for _, race := range r.races {
		fmt.Fprintf(r.out, "\n== FAIL two touched one thing at once in %s", race)
	}
	for pkg, said := range r.dead {
		fmt.Fprintf(r.out, "\n== FAIL %s ended badly\n%s", pkg, said)
	}
	fmt.Fprintf(r.out, "\nslowest of %d packages, in %s:\n", len(r.seconds), took.Round(time.Second))
	for _, pkg := range r.slowest()[:min(8, len(r.seconds))] {
		fmt.Fprintf(r.out, "  %6.1f s  %s\n", r.seconds[pkg], pkg)
	}
	r.longest()
	if len(r.costs) > 0 {
		fmt.Fprintf(r.out, "what each application costs:\n")
	}
	for _, c := range r.costs {
		fmt.Fprintf(r.out, "  %-12s %4d tests, %6.1f CPU-seconds, %6.1f s\n", c.group, c.tests, c.cpu.Seconds(), c.took.Seconds())
	}
	for _, t := range r.failed() {
		if r.tests[t].flaky {
			fmt.Fprintf(r.out, "FLAKY %s\n", t)
		} else {
			fmt.Fprintf(r.out, "FAIL %s\n", t)
		}
	}
}

// longest says which tests took longest.
func (r *result) longest() {
	all := slices.SortedFunc(maps.Keys(r.tests), func(a, b test) int { return cmp.Compare(r.tests[b].seconds, r.tests[a].seconds) })
	fmt.Fprintf(r.out, "slowest of %d tests:\n", len(all))
	for _, t := range all[:min(12, len(all))] {
		fmt.Fprintf(r.out, "  %6.1f s  %s\n", r.tests[t].seconds, t)
	}
}

// A cost is what one application's tests of the program took.
type cost struct {
	group     string
	tests     int
	cpu, took time.Duration
	began     time.Time
}

// paid adds one; what a group took is from its first part's beginning to its last one's end.
func (r *result) paid(c cost) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, found := slices.BinarySearchFunc(r.costs, c, func(a, b cost) int { return strings.Compare(a.group, b.group) })
	if found {
		sum := &r.costs[at]
		sum.tests, sum.cpu = sum.tests+c.tests, sum.cpu+c.cpu
		if c.began.Before(sum.began) {
			sum.began, sum.took = c.began, sum.took+sum.began.Sub(c.began)
		}
		sum.took = max(sum.took, c.began.Add(c.took).Sub(sum.began))
	} else {
		r.costs = slices.Insert(r.costs, at, c)
	}
	if c.took >= told*time.Second {
		fmt.Fprintf(r.out, "%s: %d tests of the program in %s\n", c.group, c.tests, c.took.Round(time.Second))
	}
}
