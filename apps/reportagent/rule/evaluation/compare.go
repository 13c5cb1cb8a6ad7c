package evaluation

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/platform/fault"
)

// FewSections is below how many rated sections a difference says little.
const FewSections = 10

// A Comparison is one run against another before it.
type Comparison struct {
	Run      string                 `json:"run_id"`
	Against  string                 `json:"against"`
	Deltas   map[string]json.Number `json:"aggregate"` // by dimension, and overall: this run less the other
	Sections []Delta                `json:"sections"`
	Gone     []string               `json:"sections_gone,omitempty"` // rated before, and not now
	New      []string               `json:"sections_new,omitempty"`
	Warnings []string               `json:"warnings"`
	Worse    bool                   `json:"worse"` // overall, it is rated lower
}

// A Delta is how one section is rated against before.
type Delta struct {
	ID     string                 `json:"section_id"`
	Deltas map[string]json.Number `json:"ratings"`
}

// ParseRecord reads a record.
func ParseRecord(file []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(file, &r); err != nil || r.RunID == "" {
		return r, fault.New(fault.Invalid, "this is no record of an evaluation")
	}
	return r, nil
}

// Compare sets a run against one before it.
func Compare(now, before Record) Comparison {
	out := Comparison{Run: now.RunID, Against: before.RunID, Deltas: deltas(now.Aggregate, before.Aggregate), Sections: []Delta{},
		Warnings: []string{}}
	out.Worse = len(out.Deltas[Overall]) > 0 && out.Deltas[Overall][0] == '-'
	find := func(r Record, id string) int {
		return slices.IndexFunc(r.Sections, func(s Section) bool { return s.ID == id })
	}
	for _, s := range now.Sections {
		if i := find(before, s.ID); i < 0 {
			out.New = append(out.New, s.ID)
		} else if d := deltas(s.Ratings, before.Sections[i].Ratings); len(d) > 0 {
			out.Sections = append(out.Sections, Delta{s.ID, d})
		}
	}
	for _, s := range before.Sections {
		if find(now, s.ID) < 0 {
			out.Gone = append(out.Gone, s.ID)
		}
	}
	var few []string
	for _, dim := range outline.Dimensions() {
		if n := min(now.Rated[dim], before.Rated[dim]); n > 0 && n < FewSections {
			few = append(few, strings.ReplaceAll(dim, "_", " "))
		}
	}
	if len(few) > 0 {
		out.Warnings = append(out.Warnings, "fewer than ten sections are rated in one of the runs, so a difference says little: "+
			strings.Join(few, ", "))
	}
	if now.Catalogue != before.Catalogue {
		out.Warnings = append(out.Warnings, "the two runs rest on different data")
	}
	return out
}

// deltas are the differences of what both have.
func deltas(now, before map[string]json.Number) map[string]json.Number {
	out := map[string]json.Number{}
	for dim, n := range now {
		a, ok := new(big.Rat).SetString(n.String())
		b, okay := new(big.Rat).SetString(before[dim].String())
		if ok && okay {
			out[dim] = rounded(a.Sub(a, b), 3)
		}
	}
	return out
}
