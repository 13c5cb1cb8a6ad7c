package reperform

import (
	"fmt"
	"strings"

	"github.com/gavelhq/gavel/platform/evidence/selector"
	"github.com/gavelhq/gavel/platform/fact"
)

// Computed does a computed fact again from its direct inputs, which are taken as
// lookup has them.
func Computed(f fact.Fact, lookup func(fact.Ref) (fact.Fact, bool)) Verdict {
	if f.Calc == nil {
		return failed(f, "it is computed, and nothing says how")
	}
	inputs := make([]fact.Fact, len(f.Calc.Inputs))
	for i, ref := range f.Calc.Inputs {
		in, ok := lookup(ref)
		if !ok {
			return failed(f, "it rests on "+ref.String()+", which is not there")
		}
		inputs[i] = in
	}
	again, err := fact.Derive(f.Calc.Op, f.Calc.Code, inputs...)
	if err != nil {
		return failed(f, "it cannot be computed again: "+words(err))
	}
	return compare(f, again)
}

// Reading does a fact again that was read, from the text at its selector.
func Reading(f fact.Fact, raw string) Verdict {
	again, err := fact.Read(fact.Reading{
		Kind: f.Kind, Number: selector.Number(raw), Unit: f.Unit, Decimals: f.Rounding.Decimals,
		AsOf: f.AsOf, Subject: f.Subject, Source: *f.Source,
	})
	if err != nil {
		return failed(f, fmt.Sprintf("%.80q stands there: %s", raw, words(err)))
	}
	return compare(f, again)
}

// stated judges a fact that a person entered: there are no bytes to read, but
// its own parts must agree. Entering it into an empty register checks that.
func stated(f fact.Fact) Verdict {
	if _, err := fact.NewBook(f.Case).Add(f); err != nil {
		return failed(f, words(err))
	}
	v := compare(f, f)
	if v.Outcome == Pass {
		v.Outcome, v.Why, v.Again = Stated, "entered by "+f.Source.Selector.Manual.By, ""
	}
	return v
}

// compare names the first thing in which a kept fact and the same fact done
// again differ.
func compare(f, again fact.Fact) Verdict {
	v := Verdict{Fact: f.Ref(), Outcome: Pass, Stored: f.Value, Again: again.Value}
	switch {
	case f.Value != again.Value:
		v.Why = fmt.Sprintf("it says %s; done again it is %s", f.Value, again.Value)
	case f.Exact != again.Exact:
		v.Why = fmt.Sprintf("its exact value is %s; done again it is %s", orNone(string(f.Exact)), orNone(string(again.Exact)))
	case !fact.SameUnit(f.Unit, again.Unit):
		v.Why = fmt.Sprintf("it is in %s; done again it is in %s", orNone(f.Unit), orNone(again.Unit))
	case f.Key != again.Key:
		v.Why = "its key is not that of what it measures"
	case f.Kind != again.Kind:
		v.Why = fmt.Sprintf("it is called %s and was %s", f.Kind, again.Kind)
	case !showsItself(f):
		v.Why = fmt.Sprintf("it is shown as %.60q, which is not %s with %d decimals", f.Display, f.Value, f.Rounding.Decimals)
	default:
		return v
	}
	v.Outcome = Fail
	return v
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}

// showsItself reports whether a fact's display has its number in it, rounded as
// it says, in one of the house's groupings. The words around the number are left
// to the style, which may change over the years.
func showsItself(f fact.Fact) bool {
	n, err := f.Number()
	if err != nil || !f.Rounding.HalfAway || f.Rounding.Decimals < 0 || f.Rounding.Decimals > fact.MaxDecimals {
		return false
	}
	decimals := f.Rounding.Decimals
	if f.Unit == fact.Year {
		decimals = 0
	}
	for _, g := range []fact.Grouping{fact.Lakh, fact.Thousands, fact.Plain} {
		number := fact.Style{Grouping: g}.Number(n, decimals)
		digits, negative := strings.CutPrefix(number, "−")
		before, after, found := strings.Cut(f.Display, digits)
		if found && negative == strings.Contains(before, "−") && !strings.ContainsAny(before, "0123456789.,") && !startsNumber(after) {
			return true
		}
	}
	return false
}

// startsNumber reports whether the number goes on after it was thought to end.
func startsNumber(rest string) bool {
	rest = strings.TrimLeft(rest, ".,")
	return rest != "" && rest[0] >= '0' && rest[0] <= '9'
}
