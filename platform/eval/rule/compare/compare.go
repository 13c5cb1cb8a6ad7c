// Package compare says whether one version is better than another, from what both scored
// on the same cases, and refuses where they did not.
//
// Read Unlike, then Of; Gate is what stops a release.
package compare

import (
	"cmp"
	"maps"
	"slices"

	"github.com/gavelhq/gavel/platform/eval/rule/stat"
)

// A Side is one of the two that are compared: what answered, on what, and who scored it.
type Side struct {
	Name      string // "v12"
	Dataset   string // name and version
	Digest    string // of the dataset's cases
	Evaluator string // digest of how it was scored
	Repeats   int
	Subject   string // digest of what was tested: an agent's brief, a release
	Route     string // the model
}

// Why two sides cannot be compared, as a code; pages have the words.
type Why string

// The reasons.
const (
	OtherCases     Why = "other_cases"
	OtherEvaluator Why = "other_evaluator"
	OtherRepeats   Why = "other_repeats"
	NoCommonItem   Why = "no_common_item"
)

// Words say a reason to people in a terminal.
func (w Why) Words() string {
	return map[Why]string{
		OtherCases:     "they were asked other cases: the digests of the datasets differ",
		OtherEvaluator: "they were scored in different ways: the digests of the evaluators differ",
		OtherRepeats:   "one was asked more often than the other",
		NoCommonItem:   "no case has a score in both",
	}[w]
}

// Unlike lists why two sides cannot be compared; none where they can. What was tested may
// differ, that is the question.
func Unlike(a, b Side) []Why {
	var out []Why
	if a.Digest != b.Digest {
		out = append(out, OtherCases)
	}
	if a.Evaluator != b.Evaluator {
		out = append(out, OtherEvaluator)
	}
	if a.Repeats != b.Repeats {
		out = append(out, OtherRepeats)
	}
	return out
}

// An Item is a case with what both sides scored on it: from 0 to 1, the mean where it was
// asked several times.
type Item struct {
	Case          string
	Tags          map[string]string // what slices are made of: language, district
	Before, After float64
}

func (i Item) change() float64 { return i.After - i.Before }

// A Share is a mean score. It has Wilson's interval where every score is 0 or 1.
type Share struct {
	Mean     float64
	Interval *stat.Interval
}

// A Part is a comparison over all items, or over a slice of them.
type Part struct {
	Tag, Value    string // of a slice: "language", "hi"; empty for all
	Items         int
	Before, After Share
	Change        stat.Interval // of the difference, by bootstrap
	By            float64       // the difference itself
	Worse, Better int           // items
	P             float64       // exact, for as many parts as were looked at (Holm)
	Few           bool          // too few items to say anything: it is shown, and not looked at
}

// Significance is below which P a difference is no chance. One gate in twenty that has
// nothing to stop does so at most.
const Significance = 0.05

// Least is how many items a slice has at least to be looked at.
const Least = 30

// A Verdict is what a part comes to.
type Verdict string

// The verdicts.
const (
	Better  Verdict = "better"
	Worse   Verdict = "worse"
	Unshown Verdict = "unshown" // no difference is shown, which is not: there is none
)

// Verdict says what the part comes to.
func (p Part) Verdict() Verdict {
	switch {
	case p.Few || p.P >= Significance || p.Worse == p.Better:
		return Unshown
	case p.Worse > p.Better:
		return Worse
	}
	return Better
}

// A Result is what comparing two sides by one metric comes to.
type Result struct {
	Metric       string
	All          Part
	Slices       []Part // those that got worse first
	Regressions  []Item // the greatest fall first
	Improvements []Item // the greatest rise first
}

// maxValues bounds the slices of a tag: one with more values, as a case's number, makes none.
const maxValues = 50

// Of compares item by item. Slices are those of each tag that has several values.
func Of(metric string, items []Item) Result {
	r := Result{Metric: metric, All: part(items)}
	for tag, values := range tags(items) {
		if len(values) < 2 || len(values) > maxValues {
			continue
		}
		for _, v := range values {
			p := part(slices.DeleteFunc(slices.Clone(items), func(i Item) bool { return i.Tags[tag] != v }))
			p.Tag, p.Value, p.Few = tag, v, p.Items < Least
			r.Slices = append(r.Slices, p)
		}
	}
	r.correct()
	slices.SortStableFunc(r.Slices, func(a, b Part) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.P, b.P), cmp.Compare(a.By, b.By),
			cmp.Compare(a.Tag, b.Tag), cmp.Compare(a.Value, b.Value))
	})
	for _, i := range items {
		switch c := i.change(); {
		case c < 0:
			r.Regressions = append(r.Regressions, i)
		case c > 0:
			r.Improvements = append(r.Improvements, i)
		}
	}
	slices.SortStableFunc(r.Regressions, func(a, b Item) int {
		return cmp.Or(cmp.Compare(a.change(), b.change()), cmp.Compare(a.Case, b.Case))
	})
	slices.SortStableFunc(r.Improvements, func(a, b Item) int {
		return cmp.Or(cmp.Compare(b.change(), a.change()), cmp.Compare(a.Case, b.Case))
	})
	return r
}

// rank puts what got worse before what got better, and what cannot be said last.
func rank(p Part) int {
	switch p.Verdict() {
	case Worse:
		return 0
	case Better:
		return 1
	}
	if p.Few {
		return 3
	}
	return 2
}

// tags are the values of each tag, in order; the tags are in order too, so that a result
// is the same every time.
func tags(items []Item) func(yield func(string, []string) bool) {
	found := map[string]map[string]bool{}
	for _, i := range items {
		for tag, v := range i.Tags {
			if found[tag] == nil {
				found[tag] = map[string]bool{}
			}
			found[tag][v] = true
		}
	}
	return func(yield func(string, []string) bool) {
		for _, tag := range slices.Sorted(maps.Keys(found)) {
			if !yield(tag, slices.Sorted(maps.Keys(found[tag]))) {
				return
			}
		}
	}
}

// part compares some items.
func part(items []Item) Part {
	p := Part{Items: len(items)}
	before, after, each := make([]float64, len(items)), make([]float64, len(items)), make([]float64, len(items))
	for k, i := range items {
		before[k], after[k], each[k] = i.Before, i.After, i.change()
		switch c := i.change(); {
		case c < 0:
			p.Worse++
		case c > 0:
			p.Better++
		}
	}
	p.Before, p.After, p.By = share(before), share(after), stat.Mean(each)
	p.Change, p.P = stat.Difference(each), stat.McNemar(p.Worse, p.Better)
	return p
}

func share(scores []float64) Share {
	s, right := Share{Mean: stat.Mean(scores)}, 0
	for _, x := range scores {
		if x != 0 && x != 1 {
			return s
		}
		right += int(x)
	}
	i := stat.Wilson(right, len(scores))
	s.Interval = &i
	return s
}

// correct raises the probabilities for how many parts are looked at.
func (r *Result) correct() {
	at := []*Part{&r.All}
	for i := range r.Slices {
		if !r.Slices[i].Few {
			at = append(at, &r.Slices[i])
		}
	}
	p := make([]float64, len(at))
	for i, one := range at {
		p[i] = one.P
	}
	for i, q := range stat.Holm(p) {
		at[i].P = q
	}
}
