// Package intake takes in the tables that other systems hand over as CSV: a declared table
// makes rows of a file, lines that cannot be taken are refused by number with the reason, the
// rest is compared with what is on record, and what a person has previewed is what is done. It
// only computes; who calls it reads and writes.
//
// Read Table and Field first, then Read, which makes rows of a file, then Compare, which says
// what they would change, and Preview, which a person confirms by its digest. Lines is for who
// needs the cells of some columns and nothing else.
//
// A file is in UTF-8, and its first line names its columns, in any order and any case. A column
// that is not there leaves what is on record as it is; a cell that is empty empties it. Columns
// of other names are left alone and listed.
package intake

import "github.com/gavelhq/gavel/platform/fault"

// Bounds of a file, and of what is told about it.
const (
	MaxRows    = 1_000_000 // of a table
	mostListed = 100       // refused lines and changes; all are counted
)

// A Table says how the rows of one kind are read, written and known again.
type Table[T any] struct {
	Name   string // what it lists: "riders"
	Fields []Field[T]
	Key    func(*T) string
	Check  func(*T) error // of a thing all of whose lines are read; may be nil
}

// A Row is one thing of a file and the first line about it.
type Row[T any] struct {
	Line  int
	Value T
}

// A File is what was read.
type File[T any] struct {
	Rows    []Row[T]
	Lines   int      // without the header
	Ignored []string // columns of other names
	Refusals

	has []bool // by field
}

// A Refusal is a line that cannot be taken. The reason may quote the line: it is
// for who handed it over, not for logs.
type Refusal struct {
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

// Refusals are refused lines: all are counted, the first are listed.
type Refusals struct {
	Count int
	List  []Refusal
}

func (r *Refusals) add(line int, err error) {
	r.Count++
	if len(r.List) < mostListed {
		text, _ := fault.Words(err)
		r.List = append(r.List, Refusal{Line: line, Reason: text})
	}
}
