package fact

import (
	"math/big"
	"strings"
)

// A Style is how an organisation writes numbers. The zero value is the house
// style: Indian grouping, a true minus, the unit after a no-break space.
type Style struct {
	Grouping Grouping
	Units    map[string]string // what to write for a unit, by its folded name; others as they are
}

// Grouping is where the separators of a long number stand.
type Grouping uint8

// The groupings.
const (
	Lakh      Grouping = iota // 1,23,45,678
	Thousands                 // 12,345,678
	Plain                     // 12345678
)

// MaxDecimals bounds the decimals of a display.
const MaxDecimals = 12

// Options are what a single place may ask of a number's display.
type Options struct {
	Abs      bool // without its sign; the words around it must say which way
	Decimals int  // used if Set
	Set      bool
	NoUnit   bool
}

// Show is the fact as people read it, "−128.9 Mt CO₂-e". A fact whose value
// cannot be read shows as an empty string; Check refuses such a fact.
func (s Style) Show(f Fact, o Options) string {
	n, err := f.Number()
	if err != nil {
		return ""
	}
	decimals := f.Rounding.Decimals
	if o.Set {
		decimals = o.Decimals
	}
	if o.Abs {
		n = new(big.Rat).Abs(n)
	}
	if f.Unit == Year {
		return Style{Grouping: Plain}.Number(n, 0)
	}
	number := s.Number(n, decimals)
	if o.NoUnit || f.Unit == "" {
		return number
	}
	unit, ok := s.Units[FoldUnit(f.Unit)]
	if !ok {
		unit = PrettyUnit(f.Unit)
	}
	if before(unit) {
		sign, digits := "", number
		if d, negative := strings.CutPrefix(number, "−"); negative {
			sign, digits = "−", d
		}
		return sign + unit + digits
	}
	return number + "\u00a0" + strings.ReplaceAll(unit, " ", "\u00a0")
}

// before reports whether a unit stands before its number.
func before(unit string) bool {
	return unit == "₹" || unit == "$" || unit == "€" || unit == "£" || unit == "A$" || unit == "US$"
}

// Number writes n with a number of decimals, rounded half away from zero. What
// rounds to zero has no sign.
func (s Style) Number(n *big.Rat, decimals int) string {
	decimals = min(max(decimals, 0), MaxDecimals)
	digits := scaled(n, decimals)
	sign := ""
	if digits.Sign() < 0 {
		sign = "−"
	}
	text := digits.Abs(digits).String()
	if len(text) <= decimals {
		text = strings.Repeat("0", decimals+1-len(text)) + text
	}
	whole, frac := text[:len(text)-decimals], text[len(text)-decimals:]
	if decimals > 0 {
		frac = "." + frac
	}
	return sign + s.group(whole) + frac
}

func (s Style) group(whole string) string {
	if s.Grouping == Plain || len(whole) <= 3 {
		return whole
	}
	size := 3
	if s.Grouping == Lakh {
		size = 2
	}
	head, out := whole[:len(whole)-3], whole[len(whole)-3:]
	for len(head) > size {
		out = head[len(head)-size:] + "," + out
		head = head[:len(head)-size]
	}
	return head + "," + out
}

var pretty = strings.NewReplacer(
	"CO2", "CO₂", "N2O", "N₂O", "CH4", "CH₄", "NO2", "NO₂", "SO2", "SO₂", "NH3", "NH₃",
	"/m3", "/m³", "/m2", "/m²", "km2", "km²", "μ", "µ",
)

// PrettyUnit is a unit as it is printed: "Mt CO2-e" as "Mt CO₂-e".
func PrettyUnit(u string) string {
	switch u {
	case "m2":
		return "m²"
	case "m3":
		return "m³"
	}
	return pretty.Replace(u)
}
