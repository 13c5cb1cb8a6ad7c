package fact

import (
	"maps"
	"math/big"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// An Op is a way to compute a fact from others.
type Op string

// The operations. Where order matters the first input is measured against the
// second, and the first is the one the result is about.
const (
	Sum        Op = "sum"
	Difference Op = "difference"  // first − second
	Ratio      Op = "ratio"       // first ÷ second
	Percentage Op = "percentage"  // first ÷ second × 100, of one unit
	Share      Op = "share"       // first ÷ (all inputs together) × 100, all of one sign
	Mean       Op = "mean"        //
	Min        Op = "min"         //
	Max        Op = "max"         //
	Rank       Op = "rank"        // place of the first among all inputs, 1 = greatest value
	RankLow    Op = "rank_low"    // place of the first among all inputs, 1 = least value
	Count      Op = "count"       // how many inputs
	Growth     Op = "growth_rate" // yearly rate that leads from the second to the first
)

// MaxInputs bounds one derivation.
const MaxInputs = 10_000

type rule struct {
	least, most int  // inputs
	oneSubject  bool // the result is about the first input, not about all of them
	decimals    int  // of the display; -1: as many as the inputs show
	compute     func([]Fact, []*big.Rat) (*big.Rat, string, error)
}

func ruleOf(op Op) (rule, bool) {
	switch op {
	case Sum:
		return rule{1, MaxInputs, false, -1, sum}, true
	case Difference:
		return rule{2, 2, false, -1, difference}, true
	case Ratio:
		return rule{2, 2, true, 1, ratio}, true
	case Percentage:
		return rule{2, 2, true, 1, percentage}, true
	case Share:
		return rule{2, MaxInputs, true, 1, share}, true
	case Mean:
		return rule{1, MaxInputs, false, -1, mean}, true
	case Min:
		return rule{1, MaxInputs, false, -1, least}, true
	case Max:
		return rule{1, MaxInputs, false, -1, most}, true
	case Rank:
		return rule{2, MaxInputs, true, 0, rank}, true
	case RankLow:
		return rule{2, MaxInputs, true, 0, rankLow}, true
	case Count:
		return rule{1, MaxInputs, false, 0, count}, true
	case Growth:
		return rule{2, 2, true, 1, growth}, true
	}
	return rule{}, false
}

// Derive computes a new fact from facts that already have numbers and versions.
// code names the version of the program that computes, so that the result can be
// re-performed. The arithmetic is exact; only a growth rate, and whatever rests
// on one, has no exact value. The result has no number yet: a Book gives it one.
// Mixed units, a division by zero, a wrong number of inputs or one input twice
// are refused.
func Derive(op Op, code string, inputs ...Fact) (Fact, error) {
	r, ok := ruleOf(op)
	if !ok {
		return Fact{}, fault.New(fault.Invalid, "there is no operation %.40q", op)
	}
	numbers, exact, err := admit(op, r, inputs)
	if err != nil {
		return Fact{}, err
	}
	result, unit, err := r.compute(inputs, numbers)
	if err != nil {
		return Fact{}, err
	}
	f := Fact{
		Case: inputs[0].Case, Kind: Computed, Key: keyOfCalc(op, inputs),
		Value: valueOf(result), Unit: unit,
		Rounding: Rounding{Decimals: shownDecimals(r, inputs), HalfAway: true},
		AsOf:     latest(inputs), Subject: subjectOf(op, r, inputs),
		Calc: &Calc{Op: op, Code: code},
	}
	if exact && op != Growth {
		f.Exact = Rational(result.RatString())
		if len(f.Exact) > maxExactChars {
			return Fact{}, fault.New(fault.TooLarge, "the exact %s has more than %d digits: derive it in fewer steps", op, maxExactChars)
		}
	}
	for _, in := range inputs {
		f.Calc.Inputs = append(f.Calc.Inputs, in.Ref())
	}
	f.Display = Style{}.Show(f, Options{})
	return f, nil
}

// admit checks the inputs and reads their numbers; exact is false if one of them
// is only known to Digits digits.
func admit(op Op, r rule, inputs []Fact) (numbers []*big.Rat, exact bool, err error) {
	if len(inputs) < r.least || len(inputs) > r.most {
		return nil, false, fault.New(fault.Invalid, "%s takes %s, not %d", op, arity(r), len(inputs))
	}
	seen := make(map[ID]bool, len(inputs))
	exact = true
	for _, f := range inputs {
		if f.ID.Number() == 0 || f.Version < 1 {
			return nil, false, fault.New(fault.Invalid, "%s: an input has no number yet; add it to the book first", op)
		}
		if f.Case != inputs[0].Case {
			return nil, false, fault.New(fault.Invalid, "%s: %s and %s belong to different cases", op, inputs[0].ID, f.ID)
		}
		if seen[f.ID] {
			return nil, false, fault.New(fault.Invalid, "%s: %s is given twice", op, f.ID)
		}
		seen[f.ID] = true
		n, err := f.Number()
		if err != nil {
			return nil, false, err
		}
		numbers = append(numbers, n)
		exact = exact && f.Exact != ""
	}
	return numbers, exact, nil
}

func arity(r rule) string {
	switch {
	case r.least == 2 && r.most == 2:
		return "two facts"
	case r.least == 2:
		return "two facts or more"
	}
	return "one fact or more"
}

func shownDecimals(r rule, inputs []Fact) int {
	if r.decimals >= 0 {
		return r.decimals
	}
	d := 0
	for _, f := range inputs {
		d = max(d, f.Rounding.Decimals)
	}
	return d
}

func latest(inputs []Fact) time.Time {
	t := inputs[0].AsOf
	for _, f := range inputs[1:] {
		if f.AsOf.After(t) {
			t = f.AsOf
		}
	}
	return t
}

// subjectOf is what a derived fact is about: the first input, or what all inputs
// have in common. The difference of one thing at two times is a change.
func subjectOf(op Op, r rule, inputs []Fact) Subject {
	s := inputs[0].Subject
	s.IDs = maps.Clone(s.IDs)
	if r.oneSubject {
		ofChange := (op == Ratio || op == Percentage) && inputs[1].Subject.IDs[ChangeID] != ""
		if op == Rank || op == RankLow || op == Share || op == Growth || ofChange {
			delete(s.IDs, ChangeID)
		}
		return s
	}
	differ := differences(inputs)
	for id := range differ {
		delete(s.IDs, id)
	}
	for _, f := range inputs[1:] {
		if f.Subject.Type != s.Type {
			s.Type = ""
		}
	}
	if len(differ) > 0 {
		s.Names = Names{}
	}
	if op == Count {
		delete(s.IDs, ChangeID)
	}
	if base, ok := since(differ, inputs); ok && op == Difference && s.IDs[ChangeID] == "" {
		for id := range differ {
			s.IDs[id] = inputs[0].Subject.IDs[id]
		}
		s.IDs[ChangeID] = base
		s.Names = inputs[0].Subject.Names
	}
	return s
}

// differences are the ids in which the inputs' subjects are not all alike.
func differences(inputs []Fact) map[string]bool {
	differ := map[string]bool{}
	first := inputs[0].Subject.IDs
	for _, f := range inputs[1:] {
		for id, v := range f.Subject.IDs {
			if first[id] != v {
				differ[id] = true
			}
		}
		for id, v := range first {
			if f.Subject.IDs[id] != v {
				differ[id] = true
			}
		}
	}
	return differ
}

// TimeIDs are the ids that say when: facts that differ in nothing else are one
// thing at different times.
func TimeIDs() []string { return []string{YearID, "month", "week", "date", "hour"} }

// since is what a change is measured from: the second input's time, if time is
// all the inputs differ in.
func since(differ map[string]bool, inputs []Fact) (string, bool) {
	var base []string
	for _, id := range TimeIDs() {
		from, to := inputs[len(inputs)-1].Subject.IDs[id], inputs[0].Subject.IDs[id]
		if differ[id] && from != "" && to != "" {
			base = append(base, from)
		}
	}
	return strings.Join(base, " "), len(base) > 0 && len(base) == len(differ)
}
