// Command gavel-duck answers one question about raw tables of a model run, in SQL, and ends. It is a program and a module of its own:
// DuckDB is C++, and no limit that it sets itself is a wall, so it runs where the machine can stop it, and Gavel stays free of cgo.
//
// A question comes as JSON on standard input, the answer goes to standard output. Read answer.go first; grammar.go is what may be asked,
// limit_linux.go is the wall.
package main

import (
	"encoding/json"
	"io"
	"os"
)

// maxQuestion bounds a question, in bytes.
const maxQuestion = 1 << 20

// A Question is what is asked, over which tables.
type Question struct {
	Views   []View `json:"views"`
	SQL     string `json:"sql"`
	Rows    int    `json:"rows"`         // at most so many are answered
	Memory  uint64 `json:"memory_bytes"` // of address space: the wall
	Inside  uint64 `json:"inside_bytes"` // what DuckDB limits itself to; a quarter of the wall unless set
	Threads int    `json:"threads"`
}

// A View is a table that may be asked.
type View struct {
	Name    string   `json:"name"`
	File    string   `json:"file"` // CSV with a header
	Columns []Column `json:"columns"`
}

// A Column is one of a table, in the order of the file.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"` // text, integer, decimal
}

// An Answer is rows, or why there are none.
type Answer struct {
	SQL     string      `json:"sql"` // what was run: the question as it was understood
	Columns []Answered  `json:"columns"`
	Rows    [][]*string `json:"rows"` // null is no value
	More    bool        `json:"more"` // there are more rows than were asked for
	Failed  *Failure    `json:"failed,omitempty"`
}

// An Answered column is one of the answer.
type Answered struct {
	Name   string `json:"name"`
	Number bool   `json:"number"`
	Cell   string `json:"cell,omitempty"` // the column of the table, where values are as they stand in it
}

// A Failure is why a question was not answered.
type Failure struct {
	Code string `json:"code"` // refused, invalid, overflow, data, memory
	Text string `json:"text"`
}

func main() {
	var q Question
	a := Answer{}
	if err := json.NewDecoder(io.LimitReader(os.Stdin, maxQuestion)).Decode(&q); err != nil {
		a.Failed = &Failure{"invalid", "the question is no JSON"}
	} else if err := limit(q.Memory); err != nil {
		a.Failed = &Failure{"refused", "this machine cannot limit a program's memory: " + err.Error()}
	} else {
		a = ask(q)
	}
	if json.NewEncoder(os.Stdout).Encode(a) != nil {
		os.Exit(1)
	}
}
