// Package eval is for measuring what an application's code and models answer, on
// cases whose right answers are known.
//
// A dataset is a folder: dataset.json has its name, its version and the digest of
// its cases; cases.jsonl has one case a line, {id, inputs, expected, metadata}.
// An application declares its Sets: a dataset, who answers its cases, and what is
// counted. Run tallies; it does no statistics.
//
// What only a model can answer is measured only with one. A scripted model says
// what its script says, so its marks would be the script's: they are not given.
package eval

import (
	"context"
	"encoding/json"
	"io/fs"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
)

// A Set is one dataset with what is measured on it.
type Set struct {
	Name    string // short and stable: "shift"
	Words   string // what is measured, in a line
	Files   fs.FS  // the folder of the dataset
	Route   string // of the model that some measures need; empty where none does
	Answer  Subject
	Metrics []Metric
	// Scoring is the version of how answers are scored: it is raised whenever the same
	// answer could be scored otherwise. Subject is the digest of the brief that is tested,
	// in hex; empty where code alone is.
	Scoring, Subject string
}

// A Subject answers one case and compares its answer with what is expected.
type Subject func(ctx context.Context, c Case, with Models) (Outcome, error)

// Models are what a subject may ask: nil where there is no real one.
type Models struct {
	Real *model.Route
}

// An Outcome is what came of one case.
type Outcome struct {
	Differences []string // from what is expected, for people; none where the case passed
	Open        bool     // nobody was there who could answer all of it: it has not passed
	Marks       []Mark
}

// A Mark is what one case adds to one metric: so many hits of so many.
type Mark struct {
	Metric   string
	Hits, Of int
}

// A Metric is one thing that is counted over all cases: hits ÷ of.
type Metric struct {
	Name  string
	Goal  *Goal // nil: reported, and nothing is asked of it
	Model bool  // only a real model's answers count
	Judge bool  // and only as somebody else judges them
	Count bool  // a number of things, not a share of them
}

// A Goal is a bound of a share, in thousandths, so that no rounding decides.
type Goal struct {
	Most     bool // at most; else at least
	PerMille int
}

// AtLeast is a goal to be reached.
func AtLeast(perMille int) *Goal { return &Goal{PerMille: perMille} }

// AtMost is a goal not to be passed.
func AtMost(perMille int) *Goal { return &Goal{Most: true, PerMille: perMille} }

// Met reports whether a share keeps the goal.
func (g Goal) Met(hits, of int) bool {
	if g.Most {
		return hits*1000 <= g.PerMille*of
	}
	return hits*1000 >= g.PerMille*of
}

// A Case is one line of a dataset.
type Case struct {
	ID       string          `json:"id"`
	Inputs   json.RawMessage `json:"inputs"`
	Expected json.RawMessage `json:"expected"`
	Metadata json.RawMessage `json:"metadata"`
}

// A Dataset says what its cases are.
type Dataset struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"` // of cases.jsonl, in hex
	About   string `json:"about,omitempty"`
}

// Find is the set of a name.
func Find(sets []Set, name string) (Set, error) {
	for _, s := range sets {
		if s.Name == name {
			return s, nil
		}
	}
	return Set{}, fault.New(fault.NotFound, "there is no set %.60q", name).WithNext("gavel eval list")
}
