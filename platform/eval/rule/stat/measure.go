package stat

// A Runs is what came of the repeats of one case: how often it was tried and how often
// that succeeded.
type Runs struct{ Tries, Right int }

// PassK is how probable it is that k tries of a case all succeed, in the mean over cases,
// without bias: C(c,k) ÷ C(n,k). Cases with fewer than k tries cannot say; left is how
// many those are. ok is false where no case can.
func PassK(cases []Runs, k int) (p float64, left int, ok bool) {
	sum, n := 0.0, 0
	for _, c := range cases {
		if c.Tries < k || k < 1 {
			left++
			continue
		}
		all := 1.0
		for i := range k {
			all *= float64(max(0, c.Right-i)) / float64(c.Tries-i)
		}
		sum, n = sum+all, n+1
	}
	if n == 0 {
		return 0, left, false
	}
	return sum / float64(n), left, true
}

// A Said is an answer with how sure it was, in five steps, and whether it was right.
type Said struct {
	Confidence int // 1 to 5
	Right      bool
}

// nominal is what each step of confidence should mean for a question of yes or no.
var nominal = map[int]float64{1: .55, 2: .65, 3: .75, 4: .85, 5: .95}

// A Calibration says how far confidence is to be believed.
type Calibration struct {
	ECE    float64 // expected calibration error: how far each step is from its share, weighted
	Brier  float64 // mean square of what was claimed less what was so
	Over   []int   // which answers were sure (4, 5) and wrong
	Under  []int   // which were unsure (1, 2) and right
	Rises  bool    // who is surer is not less often right
	Steps  []Step  // of those that were used, from 1 to 5
	Judged int     // answers with a confidence of 1 to 5; others are in no figure
}

// A Step is what became of the answers of one confidence.
type Step struct {
	Confidence, Right, Of int
	Nominal               float64
}

// Calibrate compares confidence with what was right.
func Calibrate(said []Said) Calibration {
	out := Calibration{Rises: true}
	var steps [6]Step
	for i, s := range said {
		p, known := nominal[s.Confidence]
		if !known {
			continue
		}
		out.Judged++
		right := one(s.Right)
		out.Brier += (p - right) * (p - right)
		steps[s.Confidence].Of++
		steps[s.Confidence].Right += int(right)
		switch {
		case s.Confidence >= 4 && !s.Right:
			out.Over = append(out.Over, i)
		case s.Confidence <= 2 && s.Right:
			out.Under = append(out.Under, i)
		}
	}
	if out.Judged == 0 {
		return out
	}
	out.Brier /= float64(out.Judged)
	for c := 1; c <= 5; c++ {
		if steps[c].Of > 0 {
			steps[c].Confidence, steps[c].Nominal = c, nominal[c]
			out.add(steps[c])
		}
	}
	return out
}

// add takes the next step of confidence into account.
func (c *Calibration) add(s Step) {
	gap := float64(s.Right)/float64(s.Of) - s.Nominal
	c.ECE += float64(s.Of) / float64(c.Judged) * max(gap, -gap)
	if n := len(c.Steps); n > 0 && s.Right*c.Steps[n-1].Of < c.Steps[n-1].Right*s.Of {
		c.Rises = false
	}
	c.Steps = append(c.Steps, s)
}

// Kappa is how far two judges agree on marks from 1 to top beyond what chance gives, where
// being two marks apart counts four times as much as one (quadratic weights). It is 1 where
// they agree on everything, also if there is only one mark. ok is false where they have
// judged nothing together, or a mark is none.
func Kappa(a, b []int, top int) (k float64, ok bool) {
	if len(a) == 0 || len(a) != len(b) || top < 1 {
		return 0, false
	}
	ofA, ofB := make([]float64, top+1), make([]float64, top+1)
	seen, expected := 0.0, 0.0
	for i := range a {
		if a[i] < 1 || a[i] > top || b[i] < 1 || b[i] > top {
			return 0, false
		}
		ofA[a[i]]++
		ofB[b[i]]++
		seen += square(a[i] - b[i])
	}
	for x := 1; x <= top; x++ {
		for y := 1; y <= top; y++ {
			expected += square(x-y) * ofA[x] * ofB[y] / float64(len(a))
		}
	}
	if expected == 0 {
		return 1, true
	}
	return 1 - seen/expected, true
}

func square(x int) float64 { return float64(x * x) }

// Distance is how many elements have to be put in, taken out or replaced to make one
// sequence of another (Levenshtein).
func Distance[T comparable](a, b []T) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, x := range a {
		before := row[0]
		row[0] = i + 1
		for j, y := range b {
			cost := before
			if x != y {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(cost, row[j]+1, before+1)
		}
	}
	return row[len(b)]
}

// Medoid is the one of a group that is nearest to all others, the first of equals, and how
// far they are from it together. Of an empty group it is -1.
func Medoid[T comparable](group [][]T) (which, sum int) {
	which = -1
	for i, a := range group {
		far := 0
		for _, b := range group {
			far += Distance(a, b)
		}
		if which < 0 || far < sum {
			which, sum = i, far
		}
	}
	return which, sum
}
