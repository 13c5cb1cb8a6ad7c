package fact

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// Units with a meaning of their own. The empty unit is a bare number: a ratio, a
// rank, a count.
const (
	Percent       = "%"
	Points        = "percentage points" // what two percentages differ by
	PercentYearly = "% per year"
	Year          = "year" // shown as 2043: no grouping, no unit
)

// spelling folds the ways one unit is written into one: CO₂ and CO2, m³ and m3,
// the two micro signs.
var spelling = strings.NewReplacer(
	"₀", "0", "₁", "1", "₂", "2", "₃", "3", "₄", "4", "₅", "5", "₆", "6", "₇", "7", "₈", "8", "₉", "9",
	"²", "2", "³", "3", "¹", "1", "µ", "μ", "\u00a0", " ", "\u202f", " ", "×", "·", "⋅", "·",
)

// FoldUnit is the form in which units are compared. Case is kept: Mt and MT are
// different units.
func FoldUnit(u string) string {
	return strings.Join(strings.Fields(spelling.Replace(u)), " ")
}

// SameUnit reports whether two spellings name one unit.
func SameUnit(a, b string) bool { return FoldUnit(a) == FoldUnit(b) }

// oneUnit is the unit all facts share, or a refusal that names the two that
// differ.
func oneUnit(op Op, facts []Fact) (string, error) {
	for _, f := range facts[1:] {
		if !SameUnit(f.Unit, facts[0].Unit) {
			return "", fault.New(fault.Invalid, "%s mixes units: %s is in %s, %s is in %s",
				op, facts[0].ID, unitName(facts[0].Unit), f.ID, unitName(f.Unit))
		}
	}
	return facts[0].Unit, nil
}

func unitName(u string) string {
	if u == "" {
		return "no unit"
	}
	return u
}

// perUnit is the unit of a quotient. Equal factors cancel.
func perUnit(a, b string) (string, error) {
	if SameUnit(a, b) {
		return "", nil
	}
	for _, u := range []string{a, b} {
		if u == Percent || u == Points || u == PercentYearly || u == Year {
			return "", fault.New(fault.Invalid, "a ratio of %s to %s has no meaning", unitName(a), unitName(b))
		}
	}
	aTop, aBottom := factors(a)
	bTop, bBottom := factors(b)
	top, bottom := cancel(append(aTop, bBottom...), append(aBottom, bTop...))
	switch {
	case len(bottom) == 0:
		return strings.Join(top, "·"), nil
	case len(top) == 0:
		top = []string{"1"}
	}
	return strings.Join(top, "·") + "/" + strings.Join(bottom, "/"), nil
}

// factors splits "t·km/PJ" into what stands above and below the line.
func factors(u string) (top, bottom []string) {
	for i, part := range strings.Split(u, "/") {
		for _, f := range strings.FieldsFunc(part, func(r rune) bool { return r == '·' || r == '⋅' }) {
			f = strings.TrimSpace(f)
			switch {
			case f == "" || f == "1":
			case i == 0:
				top = append(top, f)
			default:
				bottom = append(bottom, f)
			}
		}
	}
	return top, bottom
}

func cancel(top, bottom []string) ([]string, []string) {
	var left []string
	for _, f := range top {
		i := slices.IndexFunc(bottom, func(g string) bool { return SameUnit(f, g) })
		if i < 0 {
			left = append(left, f)
			continue
		}
		bottom = slices.Delete(bottom, i, i+1)
	}
	return left, bottom
}
