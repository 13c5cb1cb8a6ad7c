package report

import (
	"cmp"
	"math/big"
	"regexp"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/draft"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
)

// A Coverage says what a report tells and what it leaves out: whoever reads it can see whether the cherries were picked.
type Coverage struct {
	Told    int      `json:"changes_told"`
	Changes int      `json:"changes"`
	Untold  []Untold `json:"largest_untold"`
	Unused  []string `json:"charts_not_used"`
}

// An Untold change is one that no section cites.
type Untold struct {
	Chart    string `json:"chart"`
	Scenario string `json:"scenario"`
	Name     string `json:"name"`
	Change   string `json:"change"` // as people read it
	Share    int    `json:"share_of_largest"`
}

// MostUntold is how many are listed.
const MostUntold = 20

// Cover compares what a report cites with every change that its charts show. Changes in different units are set side by side
// by how large they are against the largest of their chart, in per cent.
func Cover(l *Ledger, cat *catalogue.Catalogue) (Coverage, error) {
	cited := map[string]bool{}
	used := map[string]bool{}
	for _, e := range l.Sections {
		for _, p := range e.Paragraphs {
			used[p.Chart] = true
			for _, s := range p.Sentences {
				for _, id := range s.Facts {
					if n := id.Number(); n > 0 && n <= len(e.Facts) {
						cited[e.Facts[n-1].Key] = true
					}
				}
			}
		}
	}
	out := Coverage{Untold: []Untold{}, Unused: []string{}}
	charts := draft.NewCharts(cat)
	for _, meta := range cat.Charts {
		if !used[meta.Key] {
			out.Unused = append(out.Unused, meta.Key)
			continue
		}
		ch, err := charts.Open(meta.Key)
		if err != nil {
			return out, err
		}
		out.chart(ch, cited)
	}
	slices.SortStableFunc(out.Untold, func(a, b Untold) int { return cmp.Compare(b.Share, a.Share) })
	out.Untold = out.Untold[:min(len(out.Untold), MostUntold)]
	return out, nil
}

// chart adds the changes of one chart.
func (c *Coverage) chart(ch *draft.Chart, cited map[string]bool) {
	type change struct {
		scenario, name string
		fact           fact.Fact
		size           *big.Rat
	}
	var all []change
	largest := new(big.Rat)
	for _, scenario := range ch.Summary.Body.Scenarios {
		for _, n := range changesOf(ch.Summary.Body.ByScenario[scenario]) {
			f, _ := ch.Book.Latest(n.Fact)
			v, err := f.Number()
			if err != nil || v.Sign() == 0 {
				continue
			}
			size := v.Abs(v)
			if size.Cmp(largest) > 0 {
				largest = size
			}
			all = append(all, change{scenario, n.Name, f, size})
		}
	}
	for _, one := range all {
		c.Changes++
		if cited[one.fact.Key] {
			c.Told++
			continue
		}
		share := new(big.Rat).Quo(new(big.Rat).Mul(one.size, big.NewRat(100, 1)), largest)
		whole := fact.RoundAt(share, 0).Num().Int64()
		c.Untold = append(c.Untold, Untold{ch.Key, one.scenario, one.name, one.fact.Display, int(whole)})
	}
}

// changesOf are the changes of the series of a scenario, and of the whole.
func changesOf(s *summary.Scenario) []summary.Named {
	var out []summary.Named
	trends := s.Series
	if s.Total != nil {
		trends = append(slices.Clone(trends), *s.Total)
	}
	for _, t := range trends {
		if t.Change != nil {
			out = append(out, summary.Named{Name: t.Name, Number: *t.Change})
		}
	}
	return append(append(out, s.TopReductions...), s.Notable...)
}

// Assumptions is what a report rests on, for the appendix that says so.
type Assumptions struct {
	Scenarios []string        `json:"scenarios"`
	First     int             `json:"first_year"`
	Last      int             `json:"final_year"`
	Inputs    []AssumedInput  `json:"inputs"`
	Notes     []AssumedAnswer `json:"notes"`
	Warnings  []string        `json:"warnings"`
}

// An AssumedInput is a table that the report cites.
type AssumedInput struct {
	Chart  string   `json:"chart"`
	Title  string   `json:"title"`
	File   string   `json:"file"`
	SHA256 string   `json:"sha256"`
	Units  []string `json:"units"`
}

// An AssumedAnswer is something about a file that a reader of its numbers must know.
type AssumedAnswer struct {
	File string `json:"file"`
	Text string `json:"text"`
}

// Scenarios that such a report must have: one of 1.5 °C, and one well above 2 °C.
var (
	deepForm = regexp.MustCompile(`(?i)1[.p]5`)
	hotForm  = regexp.MustCompile(`(?im)(?:^|[^0-9.p])(?:2[.p][5-9]|[3-9](?:[.p]\d)?)\s*(?:ds|°|c\b|deg)`)
)

// What is warned of: a standard asks for scenarios that a run does not have.
const (
	NoDeepScenario = "no scenario is named for 1.5 °C: AASB S2 asks for one"
	NoHotScenario  = "no scenario is named for a warming well above 2 °C: AASB S2 asks for one"
)

// Assume gathers what a report rests on.
func Assume(l *Ledger, cat *catalogue.Catalogue) Assumptions {
	out := Assumptions{Scenarios: cat.Scenarios, Inputs: []AssumedInput{}, Notes: []AssumedAnswer{}, Warnings: []string{}}
	used := map[string]bool{}
	for _, e := range l.Sections {
		for _, p := range e.Paragraphs {
			used[p.Chart] = true
		}
	}
	for _, ch := range cat.Charts {
		if !used[ch.Key] || !ch.Citable() {
			continue
		}
		out.Inputs = append(out.Inputs, AssumedInput{ch.Key, ch.Title, ch.CSV, ch.Digest, ch.Units})
		if n := len(ch.Table.Years); n > 0 {
			if out.First == 0 || ch.Table.Years[0] < out.First {
				out.First = ch.Table.Years[0]
			}
			out.Last = max(out.Last, ch.Table.Years[n-1])
		}
		for _, d := range ch.Diagnostics {
			out.Notes = append(out.Notes, AssumedAnswer{d.File, d.Message})
		}
	}
	all := strings.Join(cat.Scenarios, "\n")
	if !deepForm.MatchString(all) {
		out.Warnings = append(out.Warnings, NoDeepScenario)
	}
	if !hotForm.MatchString(all) {
		out.Warnings = append(out.Warnings, NoHotScenario)
	}
	return out
}
