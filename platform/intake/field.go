package intake

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Field is one thing a row says: usually one column, a place two, a shift with its days
// three. Most are made with Single and what is made of it; the members are for the others.
type Field[T any] struct {
	Name    string   // as previews call it
	Columns []string // the first says whether a file has the field; at most four
	Must    bool     // every file has it
	Spare   int      // how many of the last columns may be missing
	Implied bool     // a file without it says that it is empty
	Read    func(*T, []string) error
	Write   func(*T) [][]string // the cells that Read makes it of, by line
	Take    func(to, from *T)
	Join    func(to, from *T) // nil where all lines of one thing agree
}

// maxColumns is the most columns a field has.
const maxColumns = 4

// text is the field in one string, to compare it.
func (f Field[T]) text(v *T) string {
	lines := f.Write(v)
	if len(lines) == 1 && len(lines[0]) == 1 {
		return lines[0][0]
	}
	var b strings.Builder
	for _, l := range lines {
		for _, c := range l {
			b.WriteString(c)
			b.WriteByte(0)
		}
		b.WriteByte(1)
	}
	return b.String()
}

// Required marks a field that every file has.
func Required[T any](f Field[T]) Field[T] {
	f.Must = true
	return f
}

// Implied marks a field that a file without it says is empty.
func Implied[T any](f Field[T]) Field[T] {
	f.Implied = true
	return f
}

// Single is a field of one column.
func Single[T, V any](name string, at func(*T) *V, read func(string) (V, error), write func(V) string) Field[T] {
	return Field[T]{Name: name, Columns: []string{name},
		Read: func(t *T, cells []string) error {
			v, err := read(cells[0])
			if err != nil {
				return err
			}
			*at(t) = v
			return nil
		},
		Write: func(t *T) [][]string { return [][]string{{write(*at(t))}} },
		Take:  func(to, from *T) { *at(to) = *at(from) },
	}
}

// Ident is an id that a row must have.
func Ident[T any, S ~string](name string, parse func(string) (S, error), at func(*T) *S) Field[T] {
	return Required(Single(name, at, parse, func(s S) string { return string(s) }))
}

// Reference is an id that may be missing.
func Reference[T any, S ~string](name string, parse func(string) (S, error), at func(*T) *S) Field[T] {
	return Single(name, at, func(s string) (S, error) {
		if s == "" {
			return "", nil
		}
		return parse(s)
	}, func(s S) string { return string(s) })
}

// Words is text of at most so many characters. It may be somebody's name, so
// what is refused is not quoted.
func Words[T any](name string, most int, at func(*T) *string) Field[T] {
	return Single(name, at, func(s string) (string, error) {
		if utf8.RuneCountInString(s) > most {
			return "", fault.New(fault.Invalid, "%s has more than %d characters", name, most)
		}
		return s, nil
	}, func(s string) string { return s })
}

// Choice is one of some words.
func Choice[T any, S ~string](name string, at func(*T) *S, among ...S) Field[T] {
	return Single(name, at, func(s string) (S, error) {
		if slices.Contains(among, S(s)) {
			return S(s), nil
		}
		all := make([]string, 0, len(among))
		for _, a := range among {
			if a != "" {
				all = append(all, string(a))
			}
		}
		return "", fault.New(fault.Invalid, "%s %.40q: use one of %s", name, s, strings.Join(all, ", "))
	}, func(s S) string { return string(s) })
}

// Count is a whole number; none is 0.
func Count[T any](name string, most int, at func(*T) *int) Field[T] {
	return Single(name, at, func(s string) (int, error) {
		if s == "" {
			return 0, nil
		}
		n, err := strconv.Atoi(s)
		if err != nil || n < 0 || n > most {
			return 0, fault.New(fault.Invalid, "%s %.20q: use a whole number from 0 to %d", name, s, most)
		}
		return n, nil
	}, func(n int) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(n)
	})
}

// Measure is a number from nothing up; none is 0.
func Measure[T any](name string, most float64, at func(*T) *float64) Field[T] {
	return Single(name, at, func(s string) (float64, error) {
		if s == "" {
			return 0, nil
		}
		return Decimal(name, s, 0, most)
	}, func(f float64) string {
		if f == 0 {
			return ""
		}
		return Decimals(f)
	})
}

// Claim is yes or no; none is no.
func Claim[T any](name string, at func(*T) *bool) Field[T] {
	return Single(name, at, func(s string) (bool, error) {
		switch strings.ToLower(s) {
		case "yes", "true", "1":
			return true, nil
		case "", "no", "false", "0":
			return false, nil
		}
		return false, fault.New(fault.Invalid, "%s: use yes or no", name)
	}, func(b bool) string {
		if b {
			return "yes"
		}
		return "no"
	})
}

// Named is a text that a row must have, of at most so many bytes on one line.
func Named[T any](name string, most int, at func(*T) *string) Field[T] {
	return Ident(name, func(s string) (string, error) {
		if s == "" || len(s) > most {
			return "", fault.New(fault.Invalid, "%s: use 1 to %d bytes", name, most)
		}
		return s, nil
	}, at)
}

// Matches is a text that a row must have, of a form.
func Matches[T any](name string, form *regexp.Regexp, at func(*T) *string) Field[T] {
	return Ident(name, func(s string) (string, error) {
		if !form.MatchString(s) {
			return "", fault.New(fault.Invalid, "%s %.60q: use the form %s", name, s, form)
		}
		return s, nil
	}, at)
}

// Number is a number within bounds that a row must have.
func Number[T any](name string, least, most float64, at func(*T) *float64) Field[T] {
	return Required(Single(name, at, func(s string) (float64, error) { return Decimal(name, s, least, most) }, Decimals))
}

// Day is a day from 1900 on that a row must have.
func Day[T any](name string, at func(*T) *time.Time) Field[T] {
	return Required(Single(name, at, func(s string) (time.Time, error) {
		day, err := time.Parse(time.DateOnly, s)
		if err != nil || day.Year() < 1900 {
			return day, fault.New(fault.Invalid, "%s %.20q: use a day as 2026-01-31", name, s)
		}
		return day, nil
	}, func(day time.Time) string { return day.Format(time.DateOnly) }))
}

// Again lets a line be there twice that says the same.
func Again[T any](f Field[T]) Field[T] {
	f.Join = func(*T, *T) {}
	return f
}

// Decimal reads a number within bounds. What is refused is not quoted: it may be where
// somebody lives.
func Decimal(name, s string, least, most float64) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= least && f <= most) { // also catches NaN
		return 0, fault.New(fault.Invalid, "%s: use a number from %g to %g", name, least, most)
	}
	return f + 0, nil // -0 is 0
}

// Decimals is a number as Decimal reads it.
func Decimals(f float64) string { return strconv.FormatFloat(f+0, 'f', -1, 64) } // -0 is 0

// clean refuses what no cell may hold.
func clean(cells []string) error {
	for _, c := range cells {
		if strings.ContainsFunc(c, unicode.IsControl) {
			return fault.New(fault.Invalid, "a cell holds a control character, such as a line break")
		}
	}
	return nil
}
