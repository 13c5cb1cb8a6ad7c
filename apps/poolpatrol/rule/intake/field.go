package intake

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/fault"
)

// A field is one thing a row says: usually one column, a place two, a shift
// with its days three.
type field[T any] struct {
	name    string   // as previews call it
	columns []string // the first says whether a file has the field
	must    bool     // every file has it
	spare   int      // how many of the last columns may be missing
	implied bool     // a file without it says that it is empty
	read    func(*T, []string) error
	write   func(*T) [][]string // the cells that read makes it of, by line
	take    func(to, from *T)
	join    func(to, from *T) // nil where all lines of one thing agree
}

// text is the field in one string, to compare it.
func (f field[T]) text(v *T) string {
	lines := f.write(v)
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

// required marks a field that every file has.
func required[T any](f field[T]) field[T] {
	f.must = true
	return f
}

// implied marks a field that a file without it says is empty.
func implied[T any](f field[T]) field[T] {
	f.implied = true
	return f
}

// single is a field of one column.
func single[T, V any](name string, at func(*T) *V, read func(string) (V, error), write func(V) string) field[T] {
	return field[T]{name: name, columns: []string{name},
		read: func(t *T, cells []string) error {
			v, err := read(cells[0])
			if err != nil {
				return err
			}
			*at(t) = v
			return nil
		},
		write: func(t *T) [][]string { return [][]string{{write(*at(t))}} },
		take:  func(to, from *T) { *at(to) = *at(from) },
	}
}

// ident is an id that a row must have.
func ident[T any, S ~string](name string, parse func(string) (S, error), at func(*T) *S) field[T] {
	return required(single(name, at, parse, func(s S) string { return string(s) }))
}

// reference is an id that may be missing.
func reference[T any, S ~string](name string, parse func(string) (S, error), at func(*T) *S) field[T] {
	return single(name, at, func(s string) (S, error) {
		if s == "" {
			return "", nil
		}
		return parse(s)
	}, func(s S) string { return string(s) })
}

// words is text of at most so many characters. It may be somebody's name, so
// what is refused is not quoted.
func words[T any](name string, most int, at func(*T) *string) field[T] {
	return single(name, at, func(s string) (string, error) {
		if utf8.RuneCountInString(s) > most {
			return "", fault.New(fault.Invalid, "%s has more than %d characters", name, most)
		}
		return s, nil
	}, func(s string) string { return s })
}

// choice is one of some words.
func choice[T any, S ~string](name string, at func(*T) *S, among ...S) field[T] {
	return single(name, at, func(s string) (S, error) {
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

// day is a date that may be missing.
func day[T any](name string, at func(*T) *fleet.Date) field[T] {
	return single(name, at, func(s string) (fleet.Date, error) {
		if s == "" {
			return 0, nil
		}
		return fleet.ParseDate(s)
	}, fleet.Date.String)
}

// count is a whole number; none is 0.
func count[T any](name string, most int, at func(*T) *int) field[T] {
	return single(name, at, func(s string) (int, error) {
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

// miles is a distance; none is 0.
func miles[T any](name string, most float64, at func(*T) *float64) field[T] {
	return single(name, at, func(s string) (float64, error) {
		if s == "" {
			return 0, nil
		}
		return decimal(name, s, 0, most)
	}, func(f float64) string {
		if f == 0 {
			return ""
		}
		return number(f)
	})
}

// claim is yes or no; none is no.
func claim[T any](name string, at func(*T) *bool) field[T] {
	return single(name, at, func(s string) (bool, error) {
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

// place is a point in two columns. It may be somebody's home: what is refused is
// not quoted.
func place[T any](name, lat, lng string, at func(*T) **fleet.Point) field[T] {
	return field[T]{name: name, columns: []string{lat, lng},
		read: func(t *T, cells []string) error {
			if cells[0] == "" && cells[1] == "" {
				*at(t) = nil
				return nil
			}
			y, err := decimal(lat, cells[0], -90, 90)
			if err != nil {
				return err
			}
			x, err := decimal(lng, cells[1], -180, 180)
			if err != nil {
				return err
			}
			*at(t) = nil
			if p := (fleet.Point{Lat: y, Lng: x}); p.Valid() {
				*at(t) = &p
			}
			return nil
		},
		write: func(t *T) [][]string {
			if p := *at(t); p != nil && p.Valid() {
				return [][]string{{number(p.Lat), number(p.Lng)}}
			}
			return [][]string{{"", ""}}
		},
		take: func(to, from *T) { *at(to) = *at(from) },
	}
}

func decimal(name, s string, least, most float64) (float64, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(f >= least && f <= most) { // also catches NaN
		return 0, fault.New(fault.Invalid, "%s: use a number from %g to %g", name, least, most)
	}
	return f + 0, nil // -0 is 0
}

func number(f float64) string { return strconv.FormatFloat(f+0, 'f', -1, 64) } // -0 is 0

// slots is a schedule, one line a stretch.
func slots[T any](at func(*T) *[]fleet.Slot) field[T] {
	return field[T]{name: "schedule", columns: []string{"day", "start_time", "end_time", "latest_start"}, spare: 1,
		read: func(t *T, c []string) error {
			if c[0] == "" && c[1] == "" && c[2] == "" && c[3] == "" {
				return nil
			}
			s := fleet.Slot{Day: c[0], Start: c[1], End: c[2], LatestStart: c[3]}
			if _, err := fleet.ReadWeek([]fleet.Slot{s}); err != nil {
				return err
			}
			*at(t) = []fleet.Slot{s}
			return nil
		},
		write: func(t *T) [][]string {
			var lines [][]string
			for _, s := range *at(t) {
				lines = append(lines, []string{s.Day, s.Start, s.End, s.LatestStart})
			}
			return lines
		},
		take: func(to, from *T) { *at(to) = *at(from) },
		join: func(to, from *T) {
			for _, s := range *at(from) {
				if !slices.Contains(*at(to), s) {
					*at(to) = append(*at(to), s)
				}
			}
		},
	}
}

// clean refuses what no cell may hold.
func clean(cells []string) error {
	for _, c := range cells {
		if strings.ContainsFunc(c, unicode.IsControl) {
			return fault.New(fault.Invalid, "a cell holds a control character, such as a line break")
		}
	}
	return nil
}
