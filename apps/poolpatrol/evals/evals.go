// Package evals holds the cases Pool Patrol is measured on, and measures the code
// on them. Everybody and everything in the cases is made up.
//
// A dataset is a folder: dataset.json says its name, version and the digest of
// its cases; cases.jsonl has one case a line, {id, inputs, expected, metadata}.
// What is expected was not computed by the code that is measured: for shifts it
// was counted minute by minute (package oracle) and labelled by hand, for
// locations and the case manager it was written by hand.
package evals

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"io/fs"
	"path"

	"github.com/gavelhq/gavel/platform/fault"
)

//go:embed shift location manager
var files embed.FS

// Files are the datasets as they lie here.
func Files() fs.FS { return files }

// Names lists the datasets.
func Names() []string { return []string{"shift", "location", "manager"} }

// A Dataset says what its cases are.
type Dataset struct {
	Name    string `json:"name"`
	Version string `json:"version"`
	SHA256  string `json:"sha256"` // of cases.jsonl
	About   string `json:"about"`
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
	Complexity   string `json:"complexity"` // simple or edge
	MadeUp       bool   `json:"made_up"`
}

// Bounds of a dataset.
const (
	maxLine  = 1 << 20
	maxCases = 10_000
)

// Load reads a dataset and refuses cases that are not the ones its digest is of.
func Load(from fs.FS, name string) (Dataset, []Case, error) {
	head, err := fs.ReadFile(from, path.Join(name, "dataset.json"))
	if err != nil {
		return Dataset{}, nil, fault.From(fault.NotFound, err, "dataset %.60s", name)
	}
	var d Dataset
	if err := json.Unmarshal(head, &d); err != nil {
		return Dataset{}, nil, fault.From(fault.Invalid, err, "dataset %.60s: dataset.json cannot be read", name)
	}
	body, err := fs.ReadFile(from, path.Join(name, "cases.jsonl"))
	if err != nil {
		return Dataset{}, nil, fault.From(fault.NotFound, err, "cases of dataset %.60s", name)
	}
	if sum := sha256.Sum256(body); hex.EncodeToString(sum[:]) != d.SHA256 {
		return Dataset{}, nil, fault.New(fault.Conflict, "the cases of dataset %.60s are not those of version %.60s", name, d.Version)
	}
	cases, err := parse(body)
	return d, cases, err
}

func parse(body []byte) ([]Case, error) {
	var out []Case
	seen := map[string]bool{}
	lines := bufio.NewScanner(bytes.NewReader(body))
	lines.Buffer(nil, maxLine)
	for lines.Scan() {
		var c Case
		dec := json.NewDecoder(bytes.NewReader(lines.Bytes()))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&c); err != nil || c.ID == "" || seen[c.ID] || len(out) == maxCases {
			return nil, fault.From(fault.Invalid, err, "case %d cannot be read, has no id, or has one that was there before", len(out)+1)
		}
		seen[c.ID] = true
		out = append(out, c)
	}
	if err := lines.Err(); err != nil {
		return nil, fault.From(fault.Invalid, err, "case %d is too long", len(out)+1)
	}
	return out, nil
}
