package query

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Kept question is one whose answer a report cites: what was run, about which table. Whoever asks it again over the same file gets the
// same rows.
type Kept struct {
	View   string `json:"view"`
	SHA256 string `json:"sha256"` // of the table's file
	SQL    string `json:"sql"`    // as it was understood
}

// Answers reports whether a fact was made of an answer to the question.
func (k Kept) Answers(f fact.Fact) bool {
	return WasAsked(f) && f.Source.Snapshot == k.SHA256 && strings.HasPrefix(f.Source.Selector.Row.PK, asked+digest([]byte(k.SQL))+" ")
}

// asked begins the key of a row of an answer.
const asked = "sql "

// WasAsked reports whether a fact was made of an answer, and stands in no record of a file.
func WasAsked(f fact.Fact) bool {
	return f.Source != nil && f.Source.Selector.Row != nil && strings.HasPrefix(f.Source.Selector.Row.PK, asked)
}

// Again is what stands in an answer today where a fact that was made of one says. Rows may come in another order: a row is known by its
// digest.
func Again(f fact.Fact, a Answer) (string, error) {
	_, last, _ := strings.Cut(f.Source.Selector.Row.PK, " column ")
	column, err := strconv.Atoi(last)
	if err != nil || column < 1 || column > len(a.Columns) {
		return "", fault.New(fault.Invalid, "the answer has no column %.20q", last)
	}
	for _, row := range a.Rows {
		body, err := json.Marshal(row)
		if err != nil {
			return "", err
		}
		if digest(body) == f.Source.Selector.Row.SHA256 && row[column-1] != nil {
			return *row[column-1], nil
		}
	}
	return "", fault.New(fault.Invalid, "asked again, the table has no such row")
}
