// Package list is a list of things, declared once and read in parts.
//
// A part of a list begins after a Cursor and has so many rows; Part reads one, and says where
// the next begins. What narrows a list is a struct whose fields have tags:
//
//	type CaseFilter struct {
//		Van  fleet.VanpoolID `query:"vanpool_id" page:"van" maxLength:"15"`
//		Open bool            `query:"open" doc:"Only those that have not ended."`
//	}
//
// The input of the API's address embeds it, and so does the question to the store. A page
// reads it from its address with Read and writes it there with Pairs, and leads to the same
// rows as a file with Queries. A field whose page is "-" narrows no page. A command asks the
// API: see platform.Terminal.ListCommand.
package list

import (
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// How many rows a part has where nobody says, and at most.
const (
	Usual = 50
	Most  = 200
)

// Size is how many rows a part has, of a number that may be missing or too large.
func Size(limit int) int {
	if limit <= 0 {
		return Usual
	}
	return min(limit, Most)
}

// A Cursor is where a list goes on: after the thing of that moment and id. The zero cursor
// is its beginning.
type Cursor struct {
	At time.Time
	ID string
}

// String is the cursor as a token; empty for the beginning.
func (c Cursor) String() string {
	if c.At.IsZero() {
		return ""
	}
	return c.At.UTC().Format(time.RFC3339Nano) + " " + c.ID
}

// maxID bounds the id in a cursor.
const maxID = 100

// ParseCursor reads what String writes.
func ParseCursor(token string) (Cursor, error) {
	if token == "" {
		return Cursor{}, nil
	}
	moment, id, _ := strings.Cut(token, " ")
	at, err := time.Parse(time.RFC3339Nano, moment)
	if err != nil || id == "" || len(id) > maxID || !sound(id) {
		return Cursor{}, fault.New(fault.Invalid, "the list has no page that begins there").WithNext("begin the list anew").
			Because("no_such_page_of_list")
	}
	return Cursor{at, id}, nil
}

// Moment is the cursor's for a statement: none at the beginning.
func (c Cursor) Moment() *time.Time {
	if c.At.IsZero() {
		return nil
	}
	return &c.At
}

// sound reports whether a database takes a text.
func sound(s string) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
}

// Part reads the rows of a list that follow a token, so many at most, and the token of what
// follows them, empty after the last. at is where a row stands in the list.
func Part[R any](after string, limit int, at func(R) Cursor, read func(from Cursor, most int) ([]R, error)) (
	rows []R, next string, err error,
) {
	from, err := ParseCursor(after)
	if err != nil {
		return nil, "", err
	}
	limit = Size(limit)
	if rows, err = read(from, limit+1); err != nil {
		return nil, "", err
	}
	rows, next = Cut(rows, limit, func(last R) string { return at(last).String() })
	return rows, next, nil
}

// Cut is the first so many of rows that were read one too far, and the token of what follows
// them.
func Cut[R any](rows []R, limit int, token func(last R) string) ([]R, string) {
	if len(rows) <= limit {
		return rows, ""
	}
	return rows[:limit], token(rows[limit-1])
}

// Each is every row as something else.
func Each[R, B any](rows []R, as func(R) B) []B {
	out := make([]B, 0, len(rows))
	for _, r := range rows {
		out = append(out, as(r))
	}
	return out
}
