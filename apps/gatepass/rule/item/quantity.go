package item

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Quantity is a decimal with up to three places, in thousandths, so that what went out and what came back
// can be compared without a rounding between them.
type Quantity int64

// One is a quantity of one.
const One Quantity = 1000

// mostOut is the largest quantity of one item.
const mostOut = 999_999_999 * One

var quantityForm = regexp.MustCompile(`^(\d{1,9})(?:\.(\d{1,3}))?$`)

// ParseQuantity reads a quantity above zero: "2", "0.5", "12.250".
func ParseQuantity(s string) (Quantity, error) {
	m := quantityForm.FindStringSubmatch(s)
	if m == nil {
		return 0, fault.New(fault.Invalid, "quantity %.30q: write a number above zero with at most three decimals", s)
	}
	whole, _ := strconv.ParseInt(m[1], 10, 64) // nine digits, by the form
	parts, _ := strconv.ParseInt((m[2] + "000")[:3], 10, 64)
	q := Quantity(whole)*One + Quantity(parts)
	if q == 0 {
		return 0, fault.New(fault.Invalid, "quantity %.30q: it must be above zero", s)
	}
	return q, nil
}

// String is the quantity without zeros that say nothing: "2", "0.5".
func (q Quantity) String() string {
	sign := ""
	if q < 0 {
		sign, q = "-", -q
	}
	s := strconv.FormatInt(int64(q/One), 10)
	if rest := q % One; rest != 0 {
		s += "." + strings.TrimRight(strconv.FormatInt(int64(One+rest), 10)[1:], "0")
	}
	return sign + s
}
