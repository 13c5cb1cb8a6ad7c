package measure

import (
	"maps"
	"slices"
)

// Choice is how many decisions were right: a step whose tools are those that are wanted at
// its place. Steps that are missing and steps too many are wrong ones.
func Choice(got, want Trajectory) Tally {
	a, b := got.Path(), want.Path()
	out := Tally{Of: max(len(a), len(b))}
	for i := range min(len(a), len(b)) {
		if a[i] == b[i] {
			out.Hits++
		}
	}
	return out
}

// Precision is how many calls were wanted, Recall how many of the wanted ones were made. A
// tool that is wanted twice has to be called twice.
func Precision(got, want Trajectory) Tally {
	a := got.Calls()
	return Tally{Matcher{Args: Ignore}.pairs(a, want.Calls()), len(a)}
}

// Recall is the other half.
func Recall(got, want Trajectory) Tally {
	b := want.Calls()
	return Tally{Matcher{Args: Ignore}.pairs(got.Calls(), b), len(b)}
}

// PrecisionOf is the same of one tool, as of cancellations: how many calls of it were wanted.
func PrecisionOf(tool string, got, want Trajectory) Tally {
	only := func(t Trajectory) []Call {
		return slices.DeleteFunc(t.Calls(), func(c Call) bool { return c.Tool != tool })
	}
	a := only(got)
	return Tally{Matcher{Args: Ignore}.pairs(a, only(want)), len(a)}
}

// Parameters is how many values are right in calls of tools that were rightly chosen: name,
// type and value. A value too many is wrong, as is one that is missing. Calls of one tool
// are put beside those of the reference so that the most values are right, and then the
// fewest wrong.
func Parameters(got, want Trajectory) Tally {
	var out Tally
	for tool, a := range byTool(got) {
		b := byTool(want)[tool]
		gain := make([][]int, len(a))
		for i := range a {
			gain[i] = make([]int, len(b))
			for j := range b {
				gain[i][j] = right(a[i], b[j])<<16 - union(a[i].Args, b[j].Args)
			}
		}
		for i, j := range assign(gain) {
			if j >= 0 {
				out.Hits += right(a[i], b[j])
				out.Of += union(a[i].Args, b[j].Args)
			}
		}
	}
	return out
}

func byTool(t Trajectory) map[string][]Call {
	out := map[string][]Call{}
	for _, c := range t.Calls() {
		out[c.Tool] = append(out[c.Tool], c)
	}
	return out
}

func right(got, want Call) int {
	n := 0
	for name, v := range got.Args {
		if w, there := want.Args[name]; there && equal(v, w) {
			n++
		}
	}
	return n
}

func union(a, b map[string]any) int {
	names := maps.Clone(a)
	if names == nil {
		names = map[string]any{}
	}
	maps.Copy(names, b)
	return len(names)
}

// assign gives each row a column of its own, or -1 where there are not enough, so that the
// gains are greatest together.
func assign(gain [][]int) []int {
	rows, columns := len(gain), 0
	if rows > 0 {
		columns = len(gain[0])
	}
	out := slices.Repeat([]int{-1}, rows)
	n := max(rows, columns)
	cost := func(i, j int) int {
		if i >= rows || j >= columns {
			return 0
		}
		return -gain[i][j]
	}
	for j, i := range hungarian(n, cost) {
		if i < rows && j < columns {
			out[i] = j
		}
	}
	return out
}

// hungarian gives each of n columns the row of the cheapest assignment, with potentials
// (Jonker and Volgenant's form of it); rows and columns count from 1 inside.
func hungarian(n int, cost func(i, j int) int) []int {
	const far = 1 << 40
	u, v, row, from := make([]int, n+1), make([]int, n+1), make([]int, n+1), make([]int, n+1)
	for i := 1; i <= n; i++ {
		row[0] = i
		least, used := slices.Repeat([]int{far}, n+1), make([]bool, n+1)
		j := 0
		for row[j] != 0 {
			used[j] = true
			step, next := far, 0
			for k := 1; k <= n; k++ {
				if used[k] {
					continue
				}
				if c := cost(row[j]-1, k-1) - u[row[j]] - v[k]; c < least[k] {
					least[k], from[k] = c, j
				}
				if least[k] < step {
					step, next = least[k], k
				}
			}
			for k := range n + 1 {
				if used[k] {
					u[row[k]] += step
					v[k] -= step
				} else {
					least[k] -= step
				}
			}
			j = next
		}
		for j != 0 {
			row[j] = row[from[j]]
			j = from[j]
		}
	}
	out := make([]int, n)
	for j := 1; j <= n; j++ {
		out[j-1] = row[j] - 1
	}
	return out
}
