// Package number is what passes are called: the number that people read out, GP-2026-0001, and
// the short code that a guard types.
//
// A number is a name and never a credential: numbers follow each other, so anybody can guess one. They have
// no gaps, because an auditor who meets one asks what was taken out. Next says which comes after another; that two
// who ask at once get two is the database's part, which counts in the transaction that writes the pass.
package number

import (
	"cmp"
	"fmt"
	"regexp"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Number is a pass's number: GP, the year it was made in at its site, and how many the organisation had
// made by then in that year.
type Number string

// Form is what a number looks like in the API's document. A number of more than four digits begins
// with none that is zero, which the form alone does not say; Parse does.
const Form = `^GP-\d{4}-\d{4,6}$`

// Most is the last number of a year. It is never reached: it is there so that counting on has an
// end that is an error and not a second GP-2026-0001.
const Most = 999_999

var form = regexp.MustCompile(`^GP-(\d{4})-(\d{4}|[1-9]\d{4,5})$`)

// Parse checks the form of a number. Each pass has exactly one: GP-2026-00012 is none.
func Parse(s string) (Number, error) {
	n := Number(s)
	if _, _, ok := n.parts(); !ok {
		return "", fault.New(fault.Invalid, "pass number %.40q: it looks like GP-2026-0001", s).On("pass_number", "bad_number", "")
	}
	return n, nil
}

// Of is the number of the nth pass of a year.
func Of(year, n int) (Number, error) {
	if year < 1000 || year > 9999 || n < 1 || n > Most {
		return "", fault.New(fault.Conflict, "there is no pass number %d of the year %d", n, year)
	}
	return Number(fmt.Sprintf("GP-%04d-%04d", year, n)), nil
}

// Year is the year a pass made at a moment counts in, at the site where it is made.
func Year(at time.Time, site *time.Location) int { return at.In(site).Year() }

// A Count is how many passes an organisation has made in a year.
type Count struct {
	Year int
	Last int // zero before the first
}

// Next is the number after the last one, and the count with it.
func (c Count) Next() (Number, Count, error) {
	n, err := Of(c.Year, c.Last+1)
	if err != nil {
		return "", c, err
	}
	return n, Count{c.Year, c.Last + 1}, nil
}

// Year is the year a number says; zero where it is no number.
func (n Number) Year() int { y, _, _ := n.parts(); return y }

// Serial is which of its year's passes it is; zero where it is no number.
func (n Number) Serial() int { _, s, _ := n.parts(); return s }

// Compare orders numbers as they were given: by year and count, not as text.
func Compare(a, b Number) int {
	ay, as, _ := a.parts()
	by, bs, _ := b.parts()
	return cmp.Or(cmp.Compare(ay, by), cmp.Compare(as, bs))
}

func (n Number) parts() (year, serial int, ok bool) {
	m := form.FindStringSubmatch(string(n))
	if m == nil {
		return 0, 0, false
	}
	year, _ = strconv.Atoi(m[1]) // digits, by the form
	serial, _ = strconv.Atoi(m[2])
	return year, serial, year >= 1000 && serial > 0
}
