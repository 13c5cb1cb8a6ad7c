// Package evals holds the cases Pool Patrol is measured on, and measures the code
// on them. Everybody and everything in the cases is made up.
//
// A dataset is a folder: dataset.json says its name, version and the digest of
// its cases; cases.jsonl has one case a line, {id, inputs, expected, metadata}.
// What is expected was not computed by the code that is measured: for shifts it
// was counted minute by minute (package oracle) and labelled by hand, for
// locations, the case manager and replies it was written by hand. None of it is
// a recording.
//
// Read Specialist, Manager and Outreach for how a case is measured, and Lie for
// what a model that lies would say of it.
package evals

import (
	"embed"
	"encoding/json"
	"io/fs"

	"github.com/gavelhq/gavel/platform/fault"
)

//go:embed shift location manager outreach
var files embed.FS

//go:embed gate.json
var gate []byte

// Gate is what a release has to keep to.
func Gate() []byte { return gate }

// The datasets.
const (
	Shift    = "shift"
	Location = "location"
	Stories  = "manager"
	Replies  = "outreach"
)

// Files is the folder of a dataset.
func Files(name string) (fs.FS, error) {
	sub, err := fs.Sub(files, name)
	if err != nil {
		return nil, fault.From(fault.NotFound, err, "dataset %.60q", name)
	}
	return sub, nil
}

// A Case is one line of a dataset.
type Case struct {
	ID       string          `json:"id"`
	Inputs   json.RawMessage `json:"inputs"`
	Expected json.RawMessage `json:"expected"`
	Metadata Metadata        `json:"metadata"`
}

// Metadata says what kind of case it is.
type Metadata struct {
	ScenarioType string `json:"scenario_type"`
	Group        string `json:"group"`
	Complexity   string `json:"complexity"`         // simple or edge
	Language     string `json:"language,omitempty"` // of a reply: "en", "es", two for a mixture
	MadeUp       bool   `json:"made_up"`
}

// read decodes what a case asks and what is expected.
func (c Case) read(inputs, expected any) error {
	if err := json.Unmarshal(c.Inputs, inputs); err != nil {
		return fault.From(fault.Invalid, err, "inputs of %.60q", c.ID)
	}
	if err := json.Unmarshal(c.Expected, expected); err != nil {
		return fault.From(fault.Invalid, err, "what is expected of %.60q", c.ID)
	}
	return nil
}

// A Result is what came of one case.
type Result struct {
	Differences []string // from what is expected; none where all is well
	Open        bool     // only a model could say the rest, and there was none
	Marks       []Mark
}

// A Mark is what one case adds to one metric: so many hits of so many.
type Mark struct {
	Metric   string
	Hits, Of int
}

func (r *Result) mark(metric string, hit bool) {
	n := 0
	if hit {
		n = 1
	}
	r.Marks = append(r.Marks, Mark{metric, n, 1})
}
