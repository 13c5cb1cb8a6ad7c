package measure_test

import (
	"math"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/eval/rule/measure"
	"github.com/gavelhq/gavel/platform/eval/rule/stat"
)

// free are steps that may be done in any order, after the first.
func free(first string, rest ...string) []measure.Step {
	out := []measure.Step{{Tools: first}}
	for _, r := range rest {
		out = append(out, measure.Step{Tools: r, After: []int{0}})
	}
	return out
}

// TestAPathIsComparedWithTheNearestBestOne promises the definition, by hand: edits to the
// nearest order that the steps allow.
func TestAPathIsComparedWithTheNearestBestOne(t *testing.T) {
	best := free("audit", "mail", "note")
	for _, tt := range []struct {
		way  string
		best []measure.Step
		want float64
	}{
		{"audit mail note", best, 1}, {"audit note mail", best, 1}, {"mail audit note", best, 1. / 3}, {"audit", best, 1. / 3},
		{"", best, 0}, {"audit mail mail note", best, .75}, {"audit mail+note", best, 1. / 3}, {"", nil, 1}, {"audit", nil, 0},
		{"audit other note", best, 2. / 3}, {"note+mail", []measure.Step{{Tools: "mail+note"}}, 1},
	} {
		if got, ok := measure.Optimality(of(tt.way).Path(), tt.best); !ok || math.Abs(got-tt.want) > 1e-12 {
			t.Errorf("%q: got %v, %v, want %v", tt.way, got, ok, tt.want)
		}
	}
	for name, bad := range map[string][]measure.Step{
		"waiting for each other": {{Tools: "a", After: []int{1}}, {Tools: "b", After: []int{0}}},
		"waiting for itself":     {{Tools: "a", After: []int{0}}},
		"waiting for none":       {{Tools: "a", After: []int{7}}},
		"too many":               slices.Repeat([]measure.Step{{Tools: "a"}}, 17),
	} {
		if _, ok := measure.Optimality([]string{"a"}, bad); ok {
			t.Errorf("%s: it was measured", name)
		}
	}
}

// TestEveryOrderIsLookedAt promises that the nearest order is found, beside trying them all.
func TestEveryOrderIsLookedAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tool := rapid.SampledFrom([]string{"a", "b", "c"})
		var best []measure.Step
		for i := range rapid.IntRange(0, 4).Draw(t, "steps") {
			s := measure.Step{Tools: tool.Draw(t, "tool")}
			if i > 0 && rapid.Bool().Draw(t, "waits") {
				s.After = []int{rapid.IntRange(0, i-1).Draw(t, "for")}
			}
			best = append(best, s)
		}
		path := rapid.SliceOfN(tool, 0, 5).Draw(t, "path")
		got, ok := measure.Optimality(path, best)
		least := math.MaxInt
		orders(best, nil, map[int]bool{}, func(order []string) { least = min(least, stat.Distance(path, order)) })
		want := 1.0
		if n := max(len(path), len(best)); n > 0 {
			want -= float64(least) / float64(n)
		}
		if !ok || math.Abs(got-want) > 1e-12 {
			t.Fatalf("%v against %v: got %v, %v, want %v", path, best, got, ok, want)
		}
	})
}

func orders(best []measure.Step, so []string, done map[int]bool, each func([]string)) {
	if len(so) == len(best) {
		each(so)
	}
	for i, s := range best {
		if done[i] || slices.ContainsFunc(s.After, func(a int) bool { return !done[a] }) {
			continue
		}
		done[i] = true
		orders(best, append(slices.Clone(so), s.Tools), done, each)
		done[i] = false
	}
}

// TestAWayIsOfOneType promises the first type that holds.
func TestAWayIsOfOneType(t *testing.T) {
	best := []measure.Step{{Tools: "a"}, {Tools: "b", After: []int{0}}}
	for _, tt := range []struct {
		way  string
		end  measure.End
		want measure.Type
	}{
		{"a b", measure.Reached, measure.Optimal}, {"a b", measure.Stopped, measure.DeadEnd}, {"a b", measure.Limit, measure.DeadEnd},
		{"a b b b", measure.Reached, measure.Circle}, {"a! a b", measure.Reached, measure.Recovery},
		{"b a", measure.Reached, measure.Exploratory},
		{"a! b", measure.Handed, measure.Optimal}, {"", measure.Handed, measure.Exploratory},
	} {
		w := of(tt.way)
		w.End = tt.end
		if got := measure.TypeOf(w, best); got != tt.want {
			t.Errorf("%q, %s: got %s, want %s", tt.way, tt.end, got, tt.want)
		}
	}
	if got := measure.Efficiency(of("a b b"), 2); math.Abs(got-2./3) > 1e-12 || measure.Efficiency(of("a"), 2) != 1 ||
		measure.Efficiency(of(""), 0) != 1 || measure.Efficiency(way{End: measure.Handed}, 2) != 0 {
		t.Errorf("efficiency: %v", got)
	}
}

// TestWaysAreMatchedInFourModes promises the examples of the four modes, and of values.
func TestWaysAreMatchedInFourModes(t *testing.T) {
	modes := []measure.Mode{measure.Strict, measure.Unordered, measure.Subset, measure.Superset}
	for _, tt := range []struct {
		got, want string
		match     []bool // in the order of modes
	}{
		{"a b", "a b", []bool{true, true, true, true}},
		{"b a", "a b", []bool{false, true, true, true}},
		{"a+b", "b+a", []bool{true, true, true, true}},
		{"a+b", "a b", []bool{false, true, true, true}},
		{"a", "a b", []bool{false, false, true, false}},
		{"a b c", "a b", []bool{false, false, false, true}},
		{"a a", "a", []bool{false, false, false, true}},
		{"", "", []bool{true, true, true, true}},
		{"", "a", []bool{false, false, true, false}},
		{"a(x=1)", "a(x=2)", []bool{false, false, false, false}},
	} {
		for i, mode := range modes {
			if got := (measure.Matcher{Mode: mode}).Match(of(tt.got), of(tt.want)); got != tt.match[i] {
				t.Errorf("%q, %q, %s: got %v", tt.got, tt.want, mode, got)
			}
		}
	}
	for _, tt := range []struct {
		got, want string
		args      measure.ArgMode
		match     bool
	}{
		{"a(x=1)", "a(x=1,y=2)", measure.Exact, false}, {"a(x=1)", "a(x=1,y=2)", measure.Fewer, true},
		{"a(x=1)", "a(x=1,y=2)", measure.More, false},
		{"a(x=1,y=2)", "a(x=1)", measure.More, true}, {"a(x=1,y=2)", "a(x=1)", measure.Fewer, false},
		{"a(x=9)", "a(x=1)", measure.Ignore, true},
		{"a(x=9)", "a(x=1)", "", false}, {"a", "a", measure.Exact, true},
	} {
		if got := (measure.Matcher{Mode: measure.Unordered, Args: tt.args}).Match(of(tt.got), of(tt.want)); got != tt.match {
			t.Errorf("%q, %q, %s: got %v", tt.got, tt.want, tt.args, got)
		}
	}
	own := measure.Matcher{Mode: measure.Strict, Args: measure.Exact, Tools: map[string]measure.ArgMode{"note": measure.Ignore}}
	if !own.Match(of("note(text=a) mail(to=1)"), of("note(text=b) mail(to=1)")) || own.Match(of("mail(to=1)"), of("mail(to=2)")) {
		t.Error("a tool's own way of comparing was not used")
	}
}

// TestACallIsPutBesideTheOneThatIsLeft promises a maximum matching: the first call fits both
// of the reference, the second only the first of them.
func TestACallIsPutBesideTheOneThatIsLeft(t *testing.T) {
	m := measure.Matcher{Mode: measure.Superset, Args: measure.More}
	if !m.Match(of("a(x=1,y=2)+a(x=1)"), of("a(x=1)+a(y=2)")) {
		t.Error("whoever takes the first that fits leaves the second none")
	}
	rapid.Check(t, func(t *rapid.T) {
		some := rapid.SliceOfN(rapid.SampledFrom([]string{"a(x=1)", "a(x=2)", "a(x=1,y=1)", "a(y=1)", "b"}), 0, 4)
		var got, want way
		for _, c := range some.Draw(t, "got") {
			got.Turns = append(got.Turns, of(c).Turns...)
		}
		for _, c := range some.Draw(t, "want") {
			want.Turns = append(want.Turns, of(c).Turns...)
		}
		if a, b := m.Match(got, want), brute(got.Calls(), want.Calls()); a != b {
			t.Fatalf("%v for %v: got %v, want %v", got.Calls(), want.Calls(), a, b)
		}
		if a, b := measure.Parameters(got, want).Hits, most(got.Calls(), want.Calls()); a != b {
			t.Fatalf("%v for %v: %d values are right, want %d", got.Calls(), want.Calls(), a, b)
		}
	})
}

// brute tries every way of giving each wanted call one of its own that has its values.
func brute(got, want []call) bool {
	if len(want) == 0 {
		return true
	}
	for i, c := range got {
		fits := c.Tool == want[0].Tool
		for name, v := range want[0].Args {
			fits = fits && c.Args[name] == v
		}
		if fits && brute(slices.Delete(slices.Clone(got), i, i+1), want[1:]) {
			return true
		}
	}
	return false
}

// most tries every way of putting calls beside wanted ones, and counts the values that are
// right.
func most(got, want []call) int {
	if len(want) == 0 {
		return 0
	}
	best := most(got, want[1:])
	for i, c := range got {
		if c.Tool != want[0].Tool {
			continue
		}
		n := most(slices.Delete(slices.Clone(got), i, i+1), want[1:])
		for name, v := range c.Args {
			if want[0].Args[name] == v {
				n++
			}
		}
		best = max(best, n)
	}
	return best
}

// TestWaysThatAreAlikeAreOneGroup promises groups by edits, the way that stands for each,
// and the same groups in whatever order ways come.
func TestWaysThatAreAlikeAreOneGroup(t *testing.T) {
	paths := [][]string{of("x y").Path(), of("a b c").Path(), of("a b c d").Path(), of("a b c").Path(), of("").Path()}
	got := measure.Clusters(paths)
	want := []measure.Cluster{{Medoid: 1, Members: []int{1, 2, 3}, Sum: 1}, {Medoid: 0, Members: []int{0}}, {Medoid: 4, Members: []int{4}}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	if len(measure.Clusters(nil)) != 0 {
		t.Error("nothing is in groups")
	}
}
