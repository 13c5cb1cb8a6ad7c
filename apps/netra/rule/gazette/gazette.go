// Package gazette says which districts there are, by the codes of India's local government directory, and while when: districts
// are split and renamed every year, and a signal belongs to the one that there was at its time.
//
// Read Entry first, then Book.Find and Book.Named. Read reads a file.
package gazette

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/intake"
)

// An Entry is a district for as long as it was one under this name.
type Entry struct {
	LGD        int
	Name       string
	State      string
	From       time.Time // its first day, and To the first on which it no longer is; zero while it is
	To         time.Time
	Tags       []signal.Tag // why its signals weigh more; none without somebody who signed
	ReviewedBy string
	ReviewedOn time.Time
}

// Holds reports whether it is a district at a time. A day begins in India.
func (e Entry) Holds(at time.Time) bool {
	return !at.Before(e.From) && (e.To.IsZero() || at.Before(e.To))
}

// A Book is the districts an organisation knows.
type Book struct {
	byCode map[int][]Entry
	byName map[string][]Entry
	table  signal.Table
}

// NewBook is a book of entries. Two that hold at one time under one code are refused.
func NewBook(all []Entry) (Book, error) {
	b := Book{byCode: map[int][]Entry{}, byName: map[string][]Entry{}, table: signal.Table{}}
	for _, e := range all {
		for _, other := range b.byCode[e.LGD] {
			if e.Holds(other.From) || other.Holds(e.From) {
				return b, fault.New(fault.Invalid, "district %d is there twice at one time", e.LGD)
			}
		}
		b.byCode[e.LGD] = append(b.byCode[e.LGD], e)
		key := fold(e.Name, e.State)
		b.byName[key] = append(b.byName[key], e)
		if e.ReviewedBy != "" {
			b.table[e.LGD] = append(b.table[e.LGD], signal.District{LGD: e.LGD, From: e.From, To: e.To, Tags: e.Tags,
				ReviewedBy: e.ReviewedBy,
				ReviewedOn: e.ReviewedOn})
		}
	}
	return b, nil
}

// Table is what was reviewed, for the weights.
func (b Book) Table() signal.Table { return b.table }

// Codes lists the districts that there are at a time, by their codes.
func (b Book) Codes(at time.Time) (all []int) {
	for code := range b.byCode {
		if _, ok := b.Find(code, at); ok {
			all = append(all, code)
		}
	}
	slices.Sort(all)
	return all
}

// Find is the district of a code at a time.
func (b Book) Find(lgd int, at time.Time) (Entry, bool) { return holding(b.byCode[lgd], at) }

// Named is the district of a name in a state at a time. Case, spaces and the words "district" and "state" make no difference.
func (b Book) Named(district, state string, at time.Time) (Entry, bool) {
	return holding(b.byName[fold(district, state)], at)
}

func holding(all []Entry, at time.Time) (Entry, bool) {
	for _, e := range all {
		if e.Holds(at) {
			return e, true
		}
	}
	return Entry{}, false
}

// fold is names as they are compared.
func fold(district, state string) string {
	one := func(name, word string) string {
		return strings.TrimSuffix(strings.Join(strings.Fields(strings.ToLower(name)), " "), " "+word)
	}
	return one(district, "district") + "\x00" + one(state, "state")
}

// Columns are those of a file of districts, in the order of the examples.
var Columns = []string{"lgd", "name", "state", "valid_from", "valid_to", "tags", "reviewed_by", "reviewed_on"}

// most is how many districts a file may hold.
const most = 10_000

// Read reads a CSV file of districts, all of it or nothing.
func Read(file []byte) ([]Entry, error) {
	lines, err := intake.Lines(file, Columns...)
	if err != nil {
		return nil, err
	}
	if len(lines) == 0 || len(lines) > most {
		return nil, fault.New(fault.Invalid, "a file of districts has 1 to %d of them", most)
	}
	all := make([]Entry, 0, len(lines))
	for _, l := range lines {
		e, err := read(l.Cells)
		if err != nil {
			return nil, l.At(err)
		}
		all = append(all, e)
	}
	_, err = NewBook(all)
	return all, err
}

func read(cells []string) (e Entry, err error) {
	if e.LGD, err = strconv.Atoi(cells[0]); err != nil || e.LGD <= 0 || e.LGD > 999_999 {
		return e, fault.New(fault.Invalid, "%.20q is no code of a district", cells[0])
	}
	if e.Name, e.State = cells[1], cells[2]; e.Name == "" || e.State == "" || len(e.Name) > 100 || len(e.State) > 100 {
		return e, fault.New(fault.Invalid, "a district has a name and a state, of at most 100 bytes each")
	}
	for _, d := range []struct {
		text string
		at   *time.Time
		must bool
	}{{cells[3], &e.From, true}, {cells[4], &e.To, false}, {cells[7], &e.ReviewedOn, cells[5] != ""}} {
		if d.text == "" && !d.must {
			continue
		}
		if *d.at, err = time.ParseInLocation(time.DateOnly, d.text, signal.India()); err != nil {
			return e, fault.New(fault.Invalid, "%.20q is no day", d.text)
		}
	}
	if !e.To.IsZero() && !e.From.Before(e.To) {
		return e, fault.New(fault.Invalid, "it ends before it begins")
	}
	for _, tag := range strings.Fields(cells[5]) {
		if !signal.Tag(tag).Known() {
			return e, fault.New(fault.Invalid, "there is no tag %.40q", tag)
		}
		e.Tags = append(e.Tags, signal.Tag(tag))
	}
	if e.ReviewedBy = cells[6]; len(e.ReviewedBy) > 100 || e.ReviewedBy == "" && len(e.Tags) > 0 {
		return e, fault.New(fault.Invalid, "nobody has signed for its tags")
	}
	return e, nil
}
