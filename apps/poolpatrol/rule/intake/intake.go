// Package intake declares the tables that other systems hand over, and what of them counts
// for the programme. How such a file is read, compared and confirmed is the platform's
// package of the same name, which is called table here.
//
// # Files
//
// A file is CSV in UTF-8 whose first line names its columns, in any order. Those
// marked * every file has. A column that is not there leaves what is on record as
// it is; a cell that is empty empties it. Columns of other names are left alone
// and listed. Days are written 2026-11-02, times 07:05.
//
//	sites      site_id* name tz* lat lng
//	shifts     shift_id* name day* start_time* end_time* latest_start
//	employees  employee_id* status* time_type site_id manager_id name email language
//	           home_address home_zip home_lat home_lng zip_only zip_radius_miles
//	           shift_id effective_from effective_until pto_dates
//	vanpools   vanpool_id* site_id* status* pickup_lat pickup_lng capacity coordinator_id
//	           day start_time end_time latest_start
//	riders     vanpool_id* employee_id* participant_id since removed
//	badges     employee_id* site_id* date*
//	permits    permit_id* employee_id* kind* from* until
//
// tz is an IANA name. The status of an employee is active, inactive or on_leave,
// of a van active, inactive or suspended; time_type is full_time, part_time or
// contract; zip_only (yes or no) says that the coordinates are the middle of the
// ZIP area. Coordinates stand together, and 0,0 is none.
//
// One line is one stretch of a shift or of a van's schedule, and one shift of an
// employee: more lines of the same id add to it, and agree in everything else.
// pto_dates is days and spans of days, 2026-11-02;2026-11-09..2026-11-13, where
// 2026-11-09.. has no end; more lines add to it. Who is listed among the riders
// rides until the day in removed; a day that has not come yet counts when it has,
// if the file is handed over again then.
//
// # Whole files
//
// A whole file lists everybody. Employees and vans missing from it become
// inactive, riders are removed as of today, permits go, and so do badge readings
// of the days that the file covers. Sites and shifts stay: others refer to them.
package intake

import (
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/fault"
	table "github.com/gavelhq/gavel/platform/intake"
)

// A Kind is what a file lists.
type Kind string

// The kinds.
const (
	Sites     Kind = "sites"
	Shifts    Kind = "shifts"
	Employees Kind = "employees"
	Vanpools  Kind = "vanpools"
	Riders    Kind = "riders"
	Badges    Kind = "badges"
	Permits   Kind = "permits"
)

// Kinds lists all of them in the order in which they can be handed over to an
// empty record: what others refer to comes first.
func Kinds() []Kind { return []Kind{Sites, Shifts, Employees, Vanpools, Riders, Badges, Permits} }

// ParseKind checks that a kind is one we know.
func ParseKind(s string) (Kind, error) {
	if k := Kind(s); slices.Contains(Kinds(), k) {
		return k, nil
	}
	return "", fault.New(fault.Invalid, "no records are called %.40q", s).
		WithNext("use sites, shifts, employees, vanpools, riders, badges or permits")
}

// Bounds of a file, and of what one thing in it may have.
const (
	MaxBytes    = table.MaxBytes
	maxAssigned = 200
	maxAway     = 400
)

// A Table says how the rows of one kind are read, written and compared.
type Table[T any] struct {
	table.Table[T]

	check  func(*T) error               // of a thing all of whose lines are read; may be nil
	known  func(*T, Known) error        // whether what it refers to is there; may be nil
	leaves func(*T, fleet.Date) bool    // makes of it what it is once a whole file leaves it out; false where it stays
	keeps  func(was, now *T) bool       // whether what is on record stands against the file; may be nil
	today  func(*T, fleet.Date)         // makes of it what it is today; may be nil
	about  func(*T) fleet.EmployeeID    // whom it is about; nil where it is nobody
	crowds func(all map[string]*T) bool // whether these are too many together; may be nil
}

// of is a table of a kind, without what it means to the programme.
func of[T any](k Kind, key func(*T) string, fields ...table.Field[T]) table.Table[T] {
	return table.Table[T]{Name: string(k), Key: key, Fields: fields}
}

// Kind is what the table lists.
func (t Table[T]) Kind() Kind { return Kind(t.Name) }

// Known is what rows may refer to.
type Known struct {
	Sites    map[fleet.SiteID]bool
	Vanpools map[fleet.VanpoolID]bool
	Zone     func(name string) bool // whether there is a time zone of that name

	// Erased are those who were forgotten. Nothing about them is taken from a file.
	Erased map[fleet.EmployeeID]bool
}

type (
	// File is a table as the platform reads it.
	File[T any] = table.File[T]
	// Row is one of its rows.
	Row[T any] = table.Row[T]
	// Difference is what a table changes.
	Difference[T any] = table.Difference[T]
	// Change is one value that it changes.
	Change = table.Change
	// Refusal is why a row is not taken.
	Refusal = table.Refusal
)

// Read makes rows of a file.
func Read[T any](t Table[T], file []byte) (File[T], error) {
	t.Check = t.check
	return table.Read(t.Table, file)
}

// Write writes rows as the file that Read reads them from.
func Write[T any](t Table[T], rows ...T) []byte { return table.Write(t.Table, rows...) }

// Digest names a file together with what it was compared with.
func Digest[T any](t Table[T], was []T, file []byte, whole bool) string {
	return table.Digest(t.Table, was, file, whole)
}

// Terms are how a file is taken.
type Terms struct {
	Whole bool       // it lists everything: what is missing from it goes
	Today fleet.Date // the day riders are removed who go
	Known Known
}

// Compare says what a file would change in what is on record.
func Compare[T any](t Table[T], was []T, f File[T], terms Terms) Difference[T] {
	in := table.Terms[T]{Whole: terms.Whole, Keeps: t.keeps, Leaves: func(v *T) bool { return t.leaves(v, terms.Today) },
		Stands: func(v *T) bool { return t.about != nil && terms.Known.Erased[t.about(v)] }}
	if t.today != nil {
		in.Today = func(v *T) { t.today(v, terms.Today) }
	}
	if t.known != nil {
		in.Known = func(v *T) error { return t.known(v, terms.Known) }
	}
	if t.crowds != nil {
		in.Together = func(all map[string]*T) error {
			if t.crowds(all) {
				return fault.New(fault.Invalid, "a van would have more than %d riders", fleet.MaxRiders)
			}
			return nil
		}
	}
	return table.Compare(t.Table, was, f, in)
}
