// Package report is for a whole report: an outline whose sections are filled with drafts, the facts those cite, and what
// became of each section. It only computes; who calls it reads and writes the files.
//
// Read Generate first, then Ledger, which is kept beside a report and makes everything else possible: whose words a section
// holds (keep.go), whether an edited report is still carried by its facts (check.go), what a new run of the model changes
// (changes.go), and what was not told (coverage.go).
package report

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/mapping"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/query"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// Format names the form of a ledger.
const Format = "gavel.report.facts.1"

// NoModel is what a report says of its model where templates wrote it.
const NoModel = "none"

// Meta is what a report says of itself, in a comment on its first line.
type Meta struct {
	RunID     string    `json:"run_id"`
	Model     string    `json:"model"`
	Prompt    string    `json:"prompt_version"`
	Tool      string    `json:"tool_version"`
	Catalogue string    `json:"catalog_version"`
	Outline   string    `json:"outline_sha256"`
	Generated time.Time `json:"generated_at"`
}

var nameForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:/-]{0,119}$`)

// Check refuses names that do not fit on a line of a file.
func (m Meta) Check() error {
	for what, name := range map[string]string{"run id": m.RunID, "model": m.Model, "prompt version": m.Prompt} {
		if !nameForm.MatchString(name) {
			return fault.New(fault.Invalid, "%s %.60q: letters, digits and . _ : / - are allowed, up to 120", what, name)
		}
	}
	return nil
}

// A Ledger is what is kept beside a report: for each section what was written, from what, and every fact it cites.
type Ledger struct {
	Format   string  `json:"format"`
	Version  int     `json:"version"`                   // of the report, from 1
	Previous string  `json:"previous_sha256,omitempty"` // of the ledger of the version before: each names the one it follows
	Meta     Meta    `json:"meta"`
	Sections []Entry `json:"sections"`
}

// An Entry is one section of a ledger.
type Entry struct {
	ID         string            `json:"section_id"`
	Title      string            `json:"title"`
	Level      int               `json:"level"`
	Status     Status            `json:"status"`
	Why        string            `json:"why,omitempty"`
	Hash       string            `json:"content_sha256,omitempty"` // of the text that was written; empty for a person's
	Inputs     string            `json:"inputs_sha256,omitempty"`  // of what it was written from
	Charts     []string          `json:"charts"`
	Paragraphs []draft.Paragraph `json:"paragraphs"`
	Facts      []fact.Fact       `json:"facts"`
	Questions  []query.Kept      `json:"questions,omitempty"` // about raw tables, whose answers are among the facts
	Dropped    int               `json:"dropped,omitempty"`   // sentences that the verifier did not let through
	History    []Reviewed        `json:"history,omitempty"`
}

// A Status says what became of a section.
type Status string

// The statuses.
const (
	Written   Status = "written"
	Unchanged Status = "unchanged" // it rests on what it rested on last time: its text stays
	Kept      Status = "kept"      // it holds a person's words: they stay
	Blocked   Status = "blocked"   // it cannot be written
	Left      Status = "left"      // it was not asked for
)

// Reviewed is the reviews of a text that was replaced.
type Reviewed struct {
	RunID   string           `json:"run_id"`
	Reviews []outline.Review `json:"reviews"`
}

// Find is the entry of a section, nil where there is none.
func (l *Ledger) Find(id string) *Entry {
	if l == nil {
		return nil
	}
	if i := slices.IndexFunc(l.Sections, func(e Entry) bool { return e.ID == id }); i >= 0 {
		return &l.Sections[i]
	}
	return nil
}

// ParseLedger reads a ledger.
func ParseLedger(file []byte) (*Ledger, error) {
	var l Ledger
	if err := json.Unmarshal(file, &l); err != nil || l.Format != Format {
		return nil, fault.New(fault.Invalid, "this is no ledger of a report: its format is %.40q, not %s", l.Format, Format)
	}
	for _, e := range l.Sections {
		if _, err := fact.OpenBook(e.ID, e.Facts); err != nil {
			return nil, fault.From(fault.Invalid, err, "the facts of section %.60s cannot be read: %v", e.ID, err)
		}
	}
	return &l, nil
}

// Book is the register of a section's facts.
func (e Entry) Book() (*fact.Book, error) { return fact.OpenBook(e.ID, e.Facts) }

// A Trace is how a report came about: which charts each section was given and why, and what was found on the way.
type Trace struct {
	Meta     Meta            `json:"meta"`
	Sections []Traced        `json:"sections"`
	Unmapped []string        `json:"unmapped_charts"`
	Dead     []string        `json:"dead_ids"`
	Told     diagnostic.List `json:"diagnostics"`
}

// Traced is one section of a trace.
type Traced struct {
	ID      string          `json:"section_id"`
	Status  Status          `json:"status"`
	Why     string          `json:"why,omitempty"`
	Picks   []mapping.Pick  `json:"charts"`
	Numbers int             `json:"numbers"`
	Dropped []draft.Dropped `json:"dropped,omitempty"`
	Missing []string        `json:"scenarios_not_mentioned,omitempty"`
}

// A Problem is something that was found, under what kind of thing it is about: outline, data, verifier or model.
type Problem struct {
	Code    string `json:"code"`
	Section string `json:"section,omitempty"`
	Text    string `json:"text"`
}

// The codes of problems.
const (
	AboutOutline  = "outline"
	AboutData     = "data"
	AboutVerifier = "verifier"
)

var metaForm = regexp.MustCompile(`^(\x{FEFF})?<!-- report-meta: (\{.*\}) -->\n?`)

// ReadMeta is what a report says of itself; ok is false where it says nothing.
func ReadMeta(file []byte) (m Meta, ok bool) {
	match := metaForm.FindSubmatch(file)
	if match == nil || json.Unmarshal(match[2], &m) != nil {
		return Meta{}, false
	}
	return m, true
}

// withMeta is the file with what it says of itself on its first line.
func withMeta(file []byte, m Meta) ([]byte, error) {
	text, err := json.Marshal(m) // which writes > as an escape: the comment cannot be closed from within
	if err != nil {
		return nil, err
	}
	mark := ""
	if rest, cut := strings.CutPrefix(string(file), "\ufeff"); cut {
		mark, file = "\ufeff", []byte(rest)
	}
	file = metaForm.ReplaceAll(file, nil)
	return slices.Concat([]byte(mark+"<!-- report-meta: "+string(text)+" -->\n"), file), nil
}
