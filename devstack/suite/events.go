package suite

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// An event is a line of `go test -json`.
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
	Elapsed float64
}

// A test is one by its name in its package; never a subtest.
type test struct{ pkg, name string }

func (t test) String() string { return t.pkg + " " + t.name }

func (t test) compare(o test) int {
	return cmp.Or(cmp.Compare(t.pkg, o.pkg), cmp.Compare(t.name, o.name))
}

// An outcome is what became of a test and what it said.
type outcome struct {
	passed, failed, skipped, flaky bool
	raced                          bool // while it ran, two touched one thing at once
	seconds                        float64
	said                           []string
}

// ended reports whether it came to an end.
func (o *outcome) ended() bool { return o.passed || o.failed || o.skipped }

// A result is what became of all of them. Several runs add to it at once.
type result struct {
	out io.Writer

	mu      sync.Mutex // guards what follows, and out
	tests   map[test]*outcome
	seconds map[string]float64 // by package
	dead    map[string]string  // packages that ended badly by themselves, and their last words
	races   []string           // what the race detector said
	costs   []cost
}

// maxSaid bounds the lines kept of one test: of more, the last are kept.
const maxSaid = 400

// told is from how many seconds on a package is worth a line when it ends: so that who
// waits sees that it goes on.
const told = 2

// A stream is one run of `go test`, of several that may be of the same package.
type stream struct {
	loose  map[string][]string // what packages say outside of tests: panics, and what the compiler says
	racing map[string][]string // what the race detector is saying of a package
	mine   map[test]*outcome   // the tests it has named
}

// read takes the events of one run of `go test`, to its end.
func (r *result) read(from io.Reader) error {
	one := &stream{loose: map[string][]string{}, racing: map[string][]string{}, mine: map[test]*outcome{}}
	lines := bufio.NewReaderSize(from, 1<<20)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) != nil {
				e = event{Action: "output", Output: string(line)} // not of a test: said by go itself
			}
			r.take(e, one)
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read what go test says: %w", err)
		}
	}
}

// take adds one event.
func (r *result) take(e event, one *stream) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if e.Action == "output" {
		r.takeRace(e, one)
	}
	if e.Test == "" {
		r.takePackage(e, one)
		return
	}
	name, _, sub := strings.Cut(e.Test, "/")
	o := r.of(test{e.Package, name})
	one.mine[test{e.Package, name}] = o
	switch {
	case e.Action == "output":
		o.raced = o.raced || strings.Contains(e.Output, "race detected during execution of test")
		o.said = append(o.said, e.Output)
		o.said = o.said[max(0, len(o.said)-maxSaid):]
	case sub: // a test fails with its subtests
	case e.Action == "pass":
		o.passed, o.said = true, nil
		o.seconds = e.Elapsed
	case e.Action == "skip":
		o.skipped = true
	case e.Action == "fail":
		o.failed = true
	}
}

// maxRaces bounds how many reports of the race detector are kept.
const maxRaces = 10

// takeRace keeps what the race detector says, which stands with whatever test spoke last
// and would go when that passes: from its headline to its closing line.
func (r *result) takeRace(e event, one *stream) {
	said := one.racing[e.Package]
	switch {
	case strings.HasPrefix(e.Output, "WARNING: DATA RACE"), len(said) > 0 && !strings.HasPrefix(e.Output, "======"):
		one.racing[e.Package] = append(said, e.Output)
	case len(said) > 0:
		if len(r.races) < maxRaces {
			r.races = append(r.races, e.Package+"\n"+strings.Join(said, ""))
		}
		delete(one.racing, e.Package)
	}
}

func (r *result) of(t test) *outcome {
	if r.tests[t] == nil {
		r.tests[t] = &outcome{}
	}
	return r.tests[t]
}

// takePackage adds an event of a package as a whole.
func (r *result) takePackage(e event, one *stream) {
	key := cmp.Or(e.Package, "go")
	switch e.Action {
	case "output", "build-output":
		one.loose[key] = append(one.loose[key], e.Output)
	case "pass", "fail", "build-fail":
		if r.seconds == nil {
			r.seconds = map[string]float64{}
		}
		r.seconds[key] += e.Elapsed
		if e.Elapsed >= told {
			fmt.Fprintf(r.out, "%-5s %6.1f s  %s\n", e.Action, e.Elapsed, key)
		}
		if e.Action == "pass" {
			return
		}
		if lost := one.lost(e.Package); len(lost) > 0 || !one.anyFailed(e.Package) {
			r.died(key, lost, one.loose[key])
		}
	}
}

// lost are the tests of a package that began and never ended.
func (s *stream) lost(pkg string) []string {
	var all []string
	for t, o := range s.mine {
		if t.pkg == pkg && !o.ended() {
			all = append(all, t.name)
		}
	}
	slices.Sort(all)
	return all
}

func (s *stream) anyFailed(pkg string) bool {
	for t, o := range s.mine {
		if t.pkg == pkg && o.failed {
			return true
		}
	}
	return false
}

// died keeps that a package ended without its tests: by a panic, out of time, or
// before it was compiled.
func (r *result) died(pkg string, lost, said []string) {
	if r.dead == nil {
		r.dead = map[string]string{}
	}
	text := strings.Join(said[max(0, len(said)-maxSaid):], "")
	for _, name := range lost {
		words := r.tests[test{pkg, name}].said
		text += fmt.Sprintf("%s never ended; the last it said:\n%s", name, strings.Join(words[max(0, len(words)-60):], ""))
	}
	r.dead[pkg] = text
}
