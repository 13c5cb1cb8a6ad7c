package aqi

import (
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// An Amount is a concentration in millionths of its pollutant's unit: 350.5 µg/m³
// are 350,500,000. Decimal readings are held exactly, so that a figure that lies
// on the edge of rounding falls the same way everywhere.
type Amount int64

// Micro is one unit; MaxAmount is more than any instrument on a street can read;
// None stands for an hour without a reading, and is never added up.
const (
	Micro     Amount = 1_000_000
	MaxAmount        = 10_000 * Micro
	None      Amount = -1
)

const decimals = 6

// ParseAmount reads a decimal number without sign or exponent. Digits past the
// sixth decimal are rounded, half upwards.
func ParseAmount(s string) (Amount, error) {
	a, err := parseDecimal(s)
	if err == nil && a > MaxAmount {
		return None, notAmount(s)
	}
	return a, err
}

func notAmount(s string) error {
	return fault.New(fault.Invalid, "amount %.40q: use a number from 0 to %d such as 350.5", s, MaxAmount/Micro)
}

// parseDecimal is ParseAmount for numbers that may yet turn out too great: up to
// nine digits before the point.
func parseDecimal(s string) (Amount, error) {
	whole, part, dotted := strings.Cut(s, ".")
	if len(whole) > 9 || len(part) > 30 || whole == "" || dotted && part == "" || !digits(whole) || !digits(part) {
		return None, notAmount(s)
	}
	up := len(part) > decimals && part[decimals] >= '5'
	micro, err := strconv.ParseInt(whole+(part + "000000")[:decimals], 10, 64)
	if err != nil {
		return None, notAmount(s)
	}
	if up {
		micro++
	}
	return Amount(micro), nil
}

func digits(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r < '0' || r > '9' }) < 0
}

// AmountOf is a reading that came as a binary number, rounded to a millionth.
func AmountOf(v float64) (Amount, error) {
	if math.IsNaN(v) || v < 0 || v > float64(MaxAmount/Micro) {
		return None, fault.New(fault.Invalid, "amount %g: use a number from 0 to %d", v, MaxAmount/Micro)
	}
	return Amount(math.Floor(v*float64(Micro) + 0.5)), nil
}

// Float is the amount in units, for showing and for science that needs no more.
func (a Amount) Float() float64 { return float64(a) / float64(Micro) }

// String is the decimal number, with no more digits than it has.
func (a Amount) String() string {
	if a < 0 {
		return "none"
	}
	s := strconv.FormatInt(int64(a/Micro), 10)
	if part := a % Micro; part != 0 {
		s += "." + strings.TrimRight(strconv.FormatInt(int64(Micro+part), 10)[1:], "0")
	}
	return s
}

// MarshalText is String.
func (a Amount) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText reads what MarshalText writes.
func (a *Amount) UnmarshalText(b []byte) error {
	if string(b) == "none" {
		*a = None
		return nil
	}
	got, err := ParseAmount(string(b))
	*a = got
	return err
}

// A Mean is a sum of hourly amounts and how many there are: the mean itself is
// never rounded.
type Mean struct {
	Sum   Amount `json:"sum"`
	Hours int    `json:"hours"`
}

// Float is the mean in units.
func (m Mean) Float() float64 {
	if m.Hours == 0 {
		return 0
	}
	return m.Sum.Float() / float64(m.Hours)
}

// above reports whether the mean is greater than another. Both have few hours,
// so the products fit.
func (m Mean) above(o Mean) bool {
	return int64(m.Sum)*int64(o.Hours) > int64(o.Sum)*int64(m.Hours)
}

// Exact is a number of the index as a fraction, before rounding. It is never
// negative, and Den is never zero in a value this package gives.
type Exact struct {
	Num int64 `json:"num"`
	Den int64 `json:"den"`
}

// Rounded is the nearest whole number; a half goes up.
func (x Exact) Rounded() int {
	if x.Den == 0 {
		return 0
	}
	return int((2*x.Num + x.Den) / (2 * x.Den))
}

// Float is the nearest binary number, for showing.
func (x Exact) Float() float64 {
	if x.Den == 0 {
		return 0
	}
	return float64(x.Num) / float64(x.Den)
}

// Above reports whether the number is greater than another, exactly.
func (x Exact) Above(y Exact) bool {
	h1, l1 := bits.Mul64(uint64(x.Num), uint64(y.Den))
	h2, l2 := bits.Mul64(uint64(y.Num), uint64(x.Den))
	return h1 > h2 || h1 == h2 && l1 > l2
}
