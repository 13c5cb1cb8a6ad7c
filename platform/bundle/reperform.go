package bundle

import (
	"context"
	"fmt"
	"io"
	"slices"
)

// A Done is what became of doing one number, or one text, again.
type Done struct {
	Section string `json:"section"`
	Name    string `json:"name"`             // "F17@2"
	What    string `json:"what"`             // how it came to be: "observed", "sum of F1@1, F2@1"
	Outcome string `json:"outcome"`          // pass, fail, stated or unread
	Why     string `json:"why,omitempty"`    // always there unless it passed
	Stored  string `json:"stored,omitempty"` // as the bundle has it
	Again   string `json:"again,omitempty"`  // as it came out
}

// The outcomes of doing something again.
const (
	Pass   = "pass"
	Fail   = "fail"
	Stated = "stated" // a named person stated it: there is nothing to do again
	Unread = "unread" // what it rests on is sealed or not in the bundle
)

// A Reperformance is what became of all of them.
type Reperformance struct {
	Report  *Report `json:"-"` // of the bundle's own checks
	Verdict Verdict `json:"verdict"`
	Case    string  `json:"case,omitempty"`
	Done    []Done  `json:"done"`
	section string
}

// Add says what became of one number or text of the section.
func (p *Reperformance) Add(d Done) {
	d.Section = p.section
	for _, text := range []*string{&d.Name, &d.What, &d.Why, &d.Stored, &d.Again} {
		*text = tame(*text)
	}
	p.Done = append(p.Done, d)
}

// Count is how many had each outcome.
func (p *Reperformance) Count() map[string]int {
	n := map[string]int{}
	for _, d := range p.Done {
		n[d.Outcome]++
	}
	return n
}

// OK reports whether the bundle is unaltered, and nothing failed or stayed
// unread.
func (p *Reperformance) OK() bool {
	n := p.Count()
	return p.Verdict != Altered && n[Fail]+n[Unread] == 0 && n[Pass]+n[Stated] == len(p.Done)
}

// Reperform does every number of a bundle again, and every text that sections
// can render again, from its bytes alone. The bundle is verified first: numbers
// of an altered bundle are nobody's. An error says, as with Verify, that it was not
// finished.
func Reperform(ctx context.Context, src io.ReaderAt, size int64, opts Options) (*Reperformance, error) {
	rep, o, err := verify(ctx, src, size, opts)
	if err != nil {
		return nil, err
	}
	p := &Reperformance{Report: rep, Verdict: rep.Verdict(), Case: rep.Case, Done: []Done{}}
	if o == nil {
		return p, nil
	}
	for _, part := range o.manifest.Sections {
		i := slices.IndexFunc(opts.Sections, func(s Section) bool { return s.Name == part.Name })
		if i < 0 || opts.Sections[i].Reperform == nil || opts.Sections[i].Version < part.Version {
			continue
		}
		p.section = part.Name
		opts.Sections[i].Reperform(o.of(part.Name), p)
	}
	if err := o.archive.meter.spend(0); err != nil {
		return nil, fmt.Errorf("do the bundle again: %w", err)
	}
	return p, nil
}
