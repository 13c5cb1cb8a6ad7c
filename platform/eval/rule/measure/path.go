package measure

// A Step is one step of the best way, and which steps have to come before it, by index.
type Step struct {
	Tools string `json:"tools"` // as Path has them: "audit" or "audit+mail"
	After []int  `json:"after,omitempty"`
}

// maxSteps bounds a best way: all its orders are looked at, through sets of steps.
const maxSteps = 16

// Optimality is how near a way comes to the nearest of the best ones: 1 less its edits, by
// the longer of both. The best ways are all orders that the steps allow. ok is false where
// there are more than 16 steps, or they wait for each other.
func Optimality(path []string, best []Step) (near float64, ok bool) {
	edits, ok := edits(path, best)
	if !ok {
		return 0, false
	}
	if longest := max(len(path), len(best)); longest > 0 {
		return 1 - float64(edits)/float64(longest), true
	}
	return 1, true
}

// edits is the least number of edits from a path to any order of the steps. Row i holds, for
// each set of steps that may have been done, the edits after i elements of the path.
func edits(path []string, best []Step) (int, bool) {
	if len(best) > maxSteps {
		return 0, false
	}
	const far = 1 << 30
	sets := 1 << len(best)
	before := make([]int, len(best))
	for s, step := range best {
		for _, a := range step.After {
			if a < 0 || a >= len(best) {
				return 0, false
			}
			before[s] |= 1 << a
		}
	}
	row := make([]int, sets)
	for set := range row {
		row[set] = far
	}
	row[0] = 0
	reach(row, before)
	for _, tool := range path {
		next := make([]int, sets)
		for set, cost := range row {
			next[set] = min(far, cost+1) // the path has one too many
		}
		for set, cost := range row {
			for s := range best {
				if set&(1<<s) == 0 && before[s]&^set == 0 {
					if c := cost + differ(best[s].Tools, tool); c < next[set|1<<s] {
						next[set|1<<s] = c
					}
				}
			}
		}
		reach(next, before)
		row = next
	}
	return row[sets-1], row[sets-1] < far
}

// reach adds steps that the path does not have, smaller sets first.
func reach(row, before []int) {
	for set := range row {
		for s := range before {
			if set&(1<<s) == 0 && before[s]&^set == 0 {
				row[set|1<<s] = min(row[set|1<<s], row[set]+1)
			}
		}
	}
}

func differ(a, b string) int {
	if a == b {
		return 0
	}
	return 1
}

// Efficiency is how much shorter the best way is, where the end was reached, else nought.
func Efficiency(got Trajectory, best int) float64 {
	n := len(got.Path())
	switch {
	case got.End != Reached:
		return 0
	case n <= best:
		return 1
	}
	return float64(best) / float64(n)
}

// Redundant is how many calls were made before, with the same values and nothing changed
// since.
func Redundant(t Trajectory) Tally {
	seen, out := map[string]bool{}, Tally{}
	for _, c := range t.Calls() {
		out.Of++
		if seen[c.same()] {
			out.Hits++
		}
		seen[c.same()] = true
		if c.Changed {
			clear(seen)
		}
	}
	return out
}

// repeats is how often the same call in the same state makes a circle: a second time is a
// retry, or one call too many.
const repeats = 3

// Circular reports whether a way goes round: a call that was made three times, with the
// same values, while things stood the same.
func Circular(t Trajectory) bool {
	seen := map[string]int{}
	for _, c := range t.Calls() {
		key := c.State + " " + c.same()
		if seen[key]++; seen[key] >= repeats {
			return true
		}
	}
	return false
}

// A Type is what kind of way it was.
type Type string

// The types, the first that holds.
const (
	DeadEnd     Type = "dead_end"
	Circle      Type = "circular"
	Recovery    Type = "recovery"
	Optimal     Type = "optimal"
	Exploratory Type = "exploratory"
)

// TypeOf is what kind of way it was, beside the best steps.
func TypeOf(t Trajectory, best []Step) Type {
	failed := false
	for _, c := range t.Calls() {
		failed = failed || c.Failed != ""
	}
	n, ok := edits(t.Path(), best)
	switch {
	case t.End == Stopped || t.End == Limit:
		return DeadEnd
	case Circular(t):
		return Circle
	case failed && t.End == Reached:
		return Recovery
	case ok && n == 0:
		return Optimal
	}
	return Exploratory
}

// A Gain is how what is needed came to be known.
type Gain struct {
	Steps []float64 // the share of it that each turn brought
	Known int       // the turn, from 1, after which all of it was known; 0: never
	After int       // turns after that
}

// Information is what each turn brought of the facts that an oracle needs. ok is false where
// it needs none.
func Information(t Trajectory, needed []string) (g Gain, ok bool) {
	missing := map[string]bool{}
	for _, f := range needed {
		missing[f] = true
	}
	of := len(missing)
	if of == 0 {
		return Gain{}, false
	}
	for i, turn := range t.Turns {
		n := 0
		for _, f := range turn.Facts {
			if missing[f] {
				delete(missing, f)
				n++
			}
		}
		g.Steps = append(g.Steps, float64(n)/float64(of))
		if len(missing) == 0 && g.Known == 0 {
			g.Known, g.After = i+1, len(t.Turns)-i-1
		}
	}
	return g, true
}
