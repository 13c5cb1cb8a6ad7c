package fact

import (
	"math/big"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// Digits is how many significant digits Value keeps.
const Digits = 12

// Bounds on numbers from outside. Physical and financial data lie far inside
// them; they keep one cell from costing a megabyte of arithmetic.
const (
	maxNumberChars = 64
	maxExponent    = 60
	maxExactChars  = 4096
)

// ParseNumber reads a decimal number as data files write it: an optional sign,
// digits with at most one point, an optional exponent. It refuses everything
// else a lenient reader would take: fractions, other bases, infinities,
// grouping, blanks.
func ParseNumber(s string) (*big.Rat, error) {
	if len(s) > maxNumberChars {
		return nil, fault.New(fault.TooLarge, "number of %d characters: at most %d are read", len(s), maxNumberChars)
	}
	mantissa, exponent, hasExp := strings.Cut(strings.ToLower(s), "e")
	whole, frac, _ := strings.Cut(strings.TrimLeft(mantissa, "+-"), ".")
	signs := len(mantissa) - len(strings.TrimLeft(mantissa, "+-"))
	ok := signs <= 1 && whole+frac != "" && allDigits(whole) && allDigits(frac)
	if hasExp {
		n := strings.TrimLeft(exponent, "+-")
		ok = ok && len(exponent)-len(n) <= 1 && n != "" && len(n) <= 3 && allDigits(n)
	}
	if !ok {
		return nil, fault.New(fault.Invalid, "%q is not a number", s)
	}
	if hasExp && tooWide(exponent) {
		return nil, fault.New(fault.TooLarge, "number %s: exponents go to %d", s, maxExponent)
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return nil, fault.New(fault.Invalid, "%q is not a number", s)
	}
	return r, nil
}

func allDigits(s string) bool {
	return strings.Trim(s, "0123456789") == ""
}

func tooWide(exponent string) bool {
	n := 0
	for _, c := range strings.TrimLeft(exponent, "+-") {
		n = n*10 + int(c-'0')
	}
	return n > maxExponent
}

// rational reads the text form that exact keeps.
func rational(s Rational) (*big.Rat, error) {
	if r, ok := shortRational(string(s)); ok {
		return r, nil
	}
	num, den, fraction := strings.Cut(string(s), "/")
	digits := strings.TrimPrefix(num, "-")
	if len(s) > maxExactChars || digits == "" || !allDigits(digits) || fraction && (den == "" || !allDigits(den)) {
		return nil, fault.New(fault.Invalid, "exact value %.60q is not a fraction", s)
	}
	r, ok := new(big.Rat).SetString(string(s))
	if !ok || r.RatString() != string(s) {
		return nil, fault.New(fault.Invalid, "exact value %.60q is not in lowest terms", s)
	}
	return r, nil
}

// shortRational reads a fraction in lowest terms whose two parts have at most 18 digits, which nearly all have: in a report every cell is
// read many times. What it does not take, for whatever reason, is read the long way.
func shortRational(s string) (*big.Rat, bool) {
	num, den, fraction := strings.Cut(s, "/")
	n, ok := shortInt(strings.TrimPrefix(num, "-"))
	if !ok || n == 0 && num != "0" {
		return nil, false
	}
	if strings.HasPrefix(num, "-") {
		n = -n
	}
	if !fraction {
		return new(big.Rat).SetInt64(n), true
	}
	d, ok := shortInt(den)
	if !ok || d < 2 {
		return nil, false
	}
	a, b := n, d
	for b != 0 {
		a, b = b, a%b
	}
	if a != 1 && a != -1 {
		return nil, false
	}
	return big.NewRat(n, d), true
}

// shortInt reads digits of which the first is no zero, unless it is the only one.
func shortInt(s string) (int64, bool) {
	if s == "" || len(s) > 18 || s[0] == '0' && len(s) > 1 || !allDigits(s) {
		return 0, false
	}
	n := int64(0)
	for _, c := range []byte(s) {
		n = n*10 + int64(c-'0')
	}
	return n, true
}

var (
	one = big.NewInt(1)
	ten = big.NewInt(10)
)

func pow10(n int) *big.Int {
	if n <= 18 { // what fits into 64 bits is most of what is asked
		p := int64(1)
		for range n {
			p *= 10
		}
		return big.NewInt(p)
	}
	return new(big.Int).Exp(ten, big.NewInt(int64(n)), nil)
}

// scaled is r × 10^decimals rounded to a whole number, half away from zero.
func scaled(r *big.Rat, decimals int) *big.Int {
	num, den := new(big.Int).Abs(r.Num()), new(big.Int).Set(r.Denom())
	if decimals >= 0 {
		num.Mul(num, pow10(decimals))
	} else {
		den.Mul(den, pow10(-decimals))
	}
	num.Lsh(num, 1).Add(num, den)
	num.Quo(num, den.Lsh(den, 1))
	if r.Sign() < 0 {
		num.Neg(num)
	}
	return num
}

// RoundAt rounds r to a number of decimals, half away from zero. Negative
// decimals round to tens, hundreds and so on.
func RoundAt(r *big.Rat, decimals int) *big.Rat {
	n := scaled(r, decimals)
	if decimals >= 0 {
		return new(big.Rat).SetFrac(n, pow10(decimals))
	}
	return new(big.Rat).SetInt(n.Mul(n, pow10(-decimals)))
}

// RoundTo rounds r to a number of significant digits, half away from zero.
func RoundTo(r *big.Rat, digits int) *big.Rat {
	if r.Sign() == 0 {
		return new(big.Rat)
	}
	return RoundAt(r, digits-1-magnitude(r))
}

// magnitude is the power of ten of r's first digit: 0 for 1 to 9.99, -1 for 0.1.
func magnitude(r *big.Rat) int {
	num, den := new(big.Int).Abs(r.Num()), r.Denom()
	e := len(num.Text(10)) - len(den.Text(10))
	// The two lengths leave e right or one too high.
	left, right := num, new(big.Int).Set(den)
	if e >= 0 {
		right.Mul(right, pow10(e))
	} else {
		left.Mul(left, pow10(-e))
	}
	if left.Cmp(right) < 0 {
		e--
	}
	return e
}

// decimal writes a number that terminates, without trailing zeros.
func decimal(r *big.Rat) string {
	if r.IsInt() {
		return r.Num().String()
	}
	places, _ := r.FloatPrec() // exact for every rounded number
	return r.FloatString(places)
}

// valueOf is how a fact keeps a number: Digits significant digits.
func valueOf(r *big.Rat) string {
	if places, exact := r.FloatPrec(); exact && places <= Digits { // it ends before there is anything to round
		if s := r.FloatString(places); len(strings.TrimLeft(strings.Replace(s, ".", "", 1), "-0")) <= Digits {
			return s
		}
	}
	return decimal(RoundTo(r, Digits))
}

// Number is the fact's value as a rational: exact where it is known, else the
// rounded value.
func (f Fact) Number() (*big.Rat, error) {
	if f.Exact != "" {
		return rational(f.Exact)
	}
	return ParseNumber(f.Value)
}
