// Package suite runs tests and tells luck from fault. What failed is run once more,
// alone: passing then, it is called FLAKY and shown with what it said, and more than
// two of those fail the run all the same. A test that guards a wall (see walls.go), and one
// during which the race detector spoke, is never given a second chance.
//
// Read Run first. What `go test` says comes in as events (events.go); what a person
// reads goes out in report.go.
package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// Tolerated is how many tests may fail beside others and pass alone.
const Tolerated = 2

// A Plan says what is run.
type Plan struct {
	Packages []string      // as `go test` takes them; none to run the grouped one alone
	Flags    []string      // more for `go test`: -race, -short
	Grouped  string        // a package's folder whose tests are run, and their cost told, by application; empty for none
	Groups   []string      // the applications: a group is the tests in files that begin with its name
	Only     []string      // the groups to run, "platform" for those of no application; all when it is empty
	Deadline time.Duration // after which a package's tests are ended, and what they wait for is told
	Out      io.Writer
}

// ErrFailed is a run that did not pass; what failed has been said.
var ErrFailed = errors.New("tests failed")

// Run runs a plan. The grouped package runs beside all the others: it mostly waits.
func Run(ctx context.Context, p Plan) error {
	began := time.Now()
	r := &result{tests: map[test]*outcome{}, out: p.Out}
	groups, err := p.groups()
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- p.runGroups(ctx, r, groups) }()
	err = errors.Join(p.runRest(ctx, r), <-done)
	if err != nil {
		return err
	}
	if err := r.again(ctx, p); err != nil {
		return err
	}
	return r.verdict(time.Since(began))
}

// again runs what failed once more, one by one.
func (r *result) again(ctx context.Context, p Plan) error {
	failed := r.failed()
	if len(failed) > 4*Tolerated {
		fmt.Fprintf(p.Out, "\n%d tests failed: that is no luck, and none is run again\n", len(failed))
		return nil
	}
	for _, t := range failed {
		wall, err := guardsAWall(t)
		if err != nil {
			return err
		}
		if wall || r.tests[t].raced {
			why := map[bool]string{true: "guards a wall", false: "was there when two touched one thing at once"}[wall]
			fmt.Fprintf(p.Out, "\n%s %s and is not run again\n", t, why)
			continue
		}
		fmt.Fprintf(p.Out, "\nonce more, alone: %s\n", t)
		one := &result{tests: map[test]*outcome{}, out: p.Out}
		if err := p.runAlone(ctx, one, t); err != nil {
			return err
		}
		if o := one.tests[t]; o != nil && o.passed && !one.broken() {
			r.tests[t].flaky = true
		}
	}
	return nil
}

// failed are the tests that failed, without those whose subtests they are.
func (r *result) failed() []test {
	var all []test
	for t, o := range r.tests {
		if o.failed {
			all = append(all, t)
		}
	}
	slices.SortFunc(all, test.compare)
	return all
}

// verdict says how it ended.
func (r *result) verdict(took time.Duration) error {
	var passed, failed, skipped, flaky int
	for _, o := range r.tests {
		switch {
		case o.flaky:
			flaky++
		case o.failed:
			failed++
		case o.skipped:
			skipped++
		case o.passed:
			passed++
		}
	}
	r.summary(took)
	if flaky > Tolerated {
		failed += flaky
		fmt.Fprintf(r.out, "%d tests were FLAKY, and no more than %d are borne with\n", flaky, Tolerated)
	} else {
		passed += flaky
	}
	failed += len(r.dead)
	fmt.Fprintf(r.out, "%d passed, %d failed, %d skipped\n", passed, failed, skipped)
	if failed > 0 {
		return ErrFailed
	}
	return nil
}

// broken reports whether a package ended without its tests having done so.
func (r *result) broken() bool { return len(r.dead) > 0 }

// packages are those that were run, slowest first.
func (r *result) slowest() []string {
	return slices.SortedFunc(maps.Keys(r.seconds), func(a, b string) int { return int(r.seconds[b]*1000) - int(r.seconds[a]*1000) })
}
