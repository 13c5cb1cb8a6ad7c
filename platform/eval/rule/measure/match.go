package measure

// A Mode is how two ways are compared.
type Mode string

// The modes.
const (
	Strict    Mode = "strict"    // the same turns in the same order; calls of one turn in any
	Unordered Mode = "unordered" // the same calls, in any order
	Subset    Mode = "subset"    // no call that the reference does not have
	Superset  Mode = "superset"  // every call that the reference has
)

// An ArgMode is how the values of two calls are compared.
type ArgMode string

// The modes of values.
const (
	Exact  ArgMode = "exact"
	Ignore ArgMode = "ignore"
	Fewer  ArgMode = "subset"   // no value that the reference does not have
	More   ArgMode = "superset" // every value that the reference has
)

// A Matcher compares ways. Tools may have a way of comparing values of their own.
type Matcher struct {
	Mode  Mode
	Args  ArgMode            // empty: exact
	Tools map[string]ArgMode // by tool
}

// Match reports whether a way is the reference's.
func (m Matcher) Match(got, want Trajectory) bool {
	a, b := got.Calls(), want.Calls()
	switch m.Mode {
	case Subset:
		return m.pairs(a, b) == len(a)
	case Superset:
		return m.pairs(a, b) == len(b)
	case Unordered:
		return len(a) == len(b) && m.pairs(a, b) == len(a)
	}
	if len(got.Turns) != len(want.Turns) {
		return false
	}
	for i := range got.Turns {
		a, b := got.Turns[i].Calls, want.Turns[i].Calls
		if len(a) != len(b) || m.pairs(a, b) != len(a) {
			return false
		}
	}
	return true
}

// pairs is how many calls can be put beside one of the other way, each beside one at most:
// a maximum matching (Kuhn). Taking the first that fits would miss some, where a call fits
// two and another only one of them.
func (m Matcher) pairs(a, b []Call) int {
	with := make([]int, len(b)) // with[j] is one more than the index of b[j]'s partner
	n := 0
	for i := range a {
		if m.augment(a, b, with, make([]bool, len(b)), i) {
			n++
		}
	}
	return n
}

// augment finds a partner for a[i], moving others to another of theirs if need be.
func (m Matcher) augment(a, b []Call, with []int, tried []bool, i int) bool {
	for j := range b {
		if tried[j] || !m.fits(a[i], b[j]) {
			continue
		}
		tried[j] = true
		if with[j] == 0 || m.augment(a, b, with, tried, with[j]-1) {
			with[j] = i + 1
			return true
		}
	}
	return false
}

// fits reports whether a call may stand for one of the reference.
func (m Matcher) fits(got, want Call) bool {
	if got.Tool != want.Tool {
		return false
	}
	mode, own := m.Tools[got.Tool]
	if !own {
		mode = m.Args
	}
	switch mode {
	case Ignore:
		return true
	case Fewer:
		return within(got.Args, want.Args)
	case More:
		return within(want.Args, got.Args)
	}
	return len(got.Args) == len(want.Args) && within(got.Args, want.Args)
}

// within reports whether all of some values are among others.
func within(some, others map[string]any) bool {
	for name, v := range some {
		w, there := others[name]
		if !there || !equal(v, w) {
			return false
		}
	}
	return true
}
