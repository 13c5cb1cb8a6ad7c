// Package fact is for numbers that must be defended: each value carries what it
// measures, its unit, where it was read or how it was computed, and a number
// people can cite.
//
// Read Fact first, then Book, which gives facts their F-numbers and versions,
// then Derive, which computes new facts from old ones in exact arithmetic.
// Package render turns tokens such as {{F17|abs|1}} into tagged numbers, and
// package verify checks a text against the facts it cites. Everything here only
// computes: no clock, no files, no network.
package fact

import (
	"encoding/json"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Fact is one value with its unit, its subject and its source or formula.
// Once a Book has given it a version it never changes.
type Fact struct {
	Case     string    `json:"case"`
	ID       ID        `json:"id"`
	Version  int       `json:"version"`
	Key      string    `json:"key"` // digest of what it measures: the same key keeps its number
	Kind     Kind      `json:"kind"`
	Value    string    `json:"value"` // at most Digits significant digits
	Exact    Rational  `json:"exact"`
	Unit     string    `json:"unit"`
	Display  string    `json:"display"` // in the house style; a page may restyle it
	Rounding Rounding  `json:"rounding"`
	AsOf     time.Time `json:"as_of,omitzero"`
	Subject  Subject   `json:"subject"`
	Source   *Source   `json:"source,omitempty"`
	Calc     *Calc     `json:"calc,omitempty"`
}

// A Kind says how a value came to be known.
type Kind string

// The kinds of fact.
const (
	Observed Kind = "observed" // read from a snapshot
	Computed Kind = "computed" // derived from other facts by code
	Quoted   Kind = "quoted"   // another party's figure, repeated as theirs
	Assumed  Kind = "assumed"  // entered by a named person
)

// An ID is a fact's number in its case: "F" and a positive number of at most nine
// digits without leading zeros.
type ID string

// NewID is the ID of the n-th fact of a case.
func NewID(n int) ID { return ID("F" + strconv.Itoa(n)) }

// Number is the n of NewID, 0 where the ID is not well formed.
func (id ID) Number() int {
	digits, ok := strings.CutPrefix(string(id), "F")
	if !ok || digits == "" || len(digits) > 9 || digits[0] == '0' {
		return 0
	}
	n := 0
	for _, c := range []byte(digits) {
		if c < '0' || c > '9' {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// A Ref pins one version of a fact. Its text form is "F17@2".
type Ref struct {
	ID      ID
	Version int
}

// String is the text form.
func (r Ref) String() string { return string(r.ID) + "@" + strconv.Itoa(r.Version) }

// MarshalText is String.
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads the text form.
func (r *Ref) UnmarshalText(b []byte) error {
	id, version, ok := strings.Cut(string(b), "@")
	n, err := strconv.Atoi(version)
	if !ok || err != nil || n < 1 || strconv.Itoa(n) != version || ID(id).Number() == 0 {
		return fault.New(fault.Invalid, "reference %.40q is not of the form F17@2", b)
	}
	*r = Ref{ID: ID(id), Version: n}
	return nil
}

// A Rational is an exact value, "-3223/25" or "7", always in lowest terms. It is
// empty, and null in JSON, where no exact value exists.
type Rational string

// MarshalJSON writes null for the empty value.
func (r Rational) MarshalJSON() ([]byte, error) {
	if r == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(r))
}

// Rounding is how a value is shown. HalfAway is always true: half a unit rounds
// away from zero.
type Rounding struct {
	Decimals int  `json:"decimals"`
	HalfAway bool `json:"half_away"`
}

// A Subject is what a fact is about. IDs must tell apart everything that can
// differ between two facts of one source: scenario, category, year, station,
// hour, measure. Two ids have a fixed meaning, below.
type Subject struct {
	Type  string            `json:"type"`
	IDs   map[string]string `json:"ids"`
	Names Names             `json:"names"`
}

// Ids whose meaning is fixed.
const (
	YearID   = "year"   // a calendar year; growth rates take their periods from it
	ChangeID = "change" // the value is a signed change since what this id names, "2025"
)

// Names are what people call a subject.
type Names struct {
	EN []string `json:"en,omitempty"`
	HI []string `json:"hi,omitempty"`
}

// A Source is where a value was read.
type Source struct {
	Snapshot string   `json:"snapshot,omitempty"` // SHA-256 of the bytes, hex; empty if entered by a person
	Selector Selector `json:"selector"`
}

// A Selector finds the value in its snapshot. Exactly one field is set.
type Selector struct {
	CSV    *CSVCell     `json:"csv,omitempty"`
	JSON   *JSONPointer `json:"json,omitempty"`
	Row    *TableRow    `json:"row,omitempty"`
	Manual *Manual      `json:"manual,omitempty"`
}

// A CSVCell is one cell; Row counts records from 1, the header not included.
type CSVCell struct {
	Row    int    `json:"row"`
	Column string `json:"column"`
}

// A JSONPointer is an RFC 6901 pointer.
type JSONPointer struct {
	Pointer string `json:"pointer"`
}

// A TableRow is a database row with the digest of its content when it was read.
type TableRow struct {
	Table  string `json:"table"`
	PK     string `json:"pk"`
	SHA256 string `json:"sha256"`
}

// Manual is a value a person entered.
type Manual struct {
	By string `json:"by"`
}

// A Calc is how a computed fact was derived.
type Calc struct {
	Op     Op     `json:"op"`
	Inputs []Ref  `json:"inputs"`
	Code   string `json:"code_version"`
}

// Ref pins this version of the fact.
func (f Fact) Ref() Ref { return Ref{ID: f.ID, Version: f.Version} }
