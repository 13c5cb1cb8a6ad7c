// Package evaluation is for what reviewers thought of a report: it reads the ratings in a reviewed file, and keeps one record for
// a run, so that two runs can be set side by side.
//
// Read Evaluate first, then Compare. All means are computed exactly and rounded once, half away from zero.
package evaluation

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diagnostic"
	"github.com/gavelhq/gavel/apps/reportagent/rule/outline"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Record is what came of one run. Its names are those of the first design, and some more.
type Record struct {
	RunID       string                 `json:"run_id"`
	Timestamp   time.Time              `json:"timestamp"`
	Model       string                 `json:"model"`
	Prompt      string                 `json:"prompt_version"`
	Catalogue   string                 `json:"catalog_version,omitempty"`
	Sections    []Section              `json:"sections"`
	Aggregate   map[string]json.Number `json:"aggregate"`
	Rated       map[string]int         `json:"n_per_dim"`
	Unrated     int                    `json:"unrated_sections"`
	Agreement   *Agreement             `json:"agreement,omitempty"`
	Diagnostics diagnostic.List        `json:"diagnostics"`
}

// A Section is one section that somebody reviewed.
type Section struct {
	ID       string                 `json:"section_id"`
	Title    string                 `json:"title"`
	Length   int                    `json:"draft_length"` // in words, as draft_words
	Words    int                    `json:"draft_words"`
	Chars    int                    `json:"draft_chars"`
	Ratings  map[string]json.Number `json:"ratings"` // the mean of its reviewers
	Notes    string                 `json:"notes"`
	Reviews  []Review               `json:"review"`
	Faithful *Faithfulness          `json:"faithfulness,omitempty"` // where the report's ledger is at hand
}

// A Review is one reviewer's.
type Review struct {
	Author  string         `json:"author,omitempty"`
	Ratings map[string]int `json:"ratings"`
	Notes   string         `json:"notes"`
}

// Faithfulness says how many numbers a section shows, and how many of them are facts of its ledger.
type Faithfulness struct {
	Numbers  int `json:"numbers"`
	Cited    int `json:"cited"`
	Blocked  int `json:"blocked"`  // sentences that the verifier did not let through
	Repaired int `json:"repaired"` // sentences that were worded again
}

// Overall is the aggregate over all dimensions.
const Overall = "overall"

// Evaluate reads the reviews of a report. An outline with errors is refused: a rating that could not be read would be missing
// from a mean that looks complete.
func Evaluate(doc *outline.Document, m report.Meta, l *report.Ledger) (Record, error) {
	out := Record{RunID: m.RunID, Timestamp: m.Generated, Model: m.Model, Prompt: m.Prompt, Catalogue: m.Catalogue,
		Sections: []Section{}, Aggregate: map[string]json.Number{}, Rated: map[string]int{}, Diagnostics: doc.Diagnostics}
	if doc.Diagnostics.Has(diagnostic.Error) {
		return out, fault.New(fault.Invalid, "the outline has errors: ratings that cannot be read would be missing from the means")
	}
	means := map[string][]*big.Rat{}
	var all []*big.Rat
	for _, s := range doc.Sections {
		one, rated := section(s)
		if len(rated) == 0 {
			out.Unrated++
		}
		if len(s.Reviews) == 0 {
			continue
		}
		for dim, mean := range rated {
			means[dim] = append(means[dim], mean)
		}
		for _, r := range s.Reviews {
			for _, score := range r.Ratings {
				all = append(all, big.NewRat(int64(score), 1))
			}
		}
		var err error
		if one.Faithful, err = faithful(s, l.Find(s.ID)); err != nil {
			return out, err
		}
		out.Sections = append(out.Sections, one)
	}
	for dim, list := range means {
		out.Aggregate[dim], out.Rated[dim] = rounded(mean(list), 2), len(list)
	}
	if len(all) > 0 {
		out.Aggregate[Overall] = rounded(mean(all), 3)
	}
	out.Agreement = agreement(doc)
	return out, nil
}

// section is one section and the exact means of its ratings.
func section(s outline.Section) (Section, map[string]*big.Rat) {
	words := len(strings.Fields(s.Prose))
	out := Section{ID: s.ID, Title: s.Title, Length: words, Words: words, Chars: utf8.RuneCountInString(s.Prose),
		Ratings: map[string]json.Number{}}
	means := map[string]*big.Rat{}
	var notes []string
	for _, dim := range outline.Dimensions() {
		var scores []*big.Rat
		for _, r := range s.Reviews {
			if score, ok := r.Ratings[dim]; ok {
				scores = append(scores, big.NewRat(int64(score), 1))
			}
		}
		if len(scores) > 0 {
			means[dim] = mean(scores)
			out.Ratings[dim] = rounded(means[dim], 2)
		}
	}
	for _, r := range s.Reviews {
		out.Reviews = append(out.Reviews, Review{r.Author, r.Ratings, r.Notes})
		if r.Notes != "" {
			notes = append(notes, r.Notes)
		}
	}
	out.Notes = strings.Join(notes, "\n")
	return out, means
}

func faithful(s outline.Section, e *report.Entry) (*Faithfulness, error) {
	if e == nil {
		return nil, nil
	}
	numbers, cited, err := e.Cited(s.Prose)
	return &Faithfulness{Numbers: numbers, Cited: cited, Blocked: e.Dropped}, err
}

func mean(all []*big.Rat) *big.Rat {
	sum := new(big.Rat)
	for _, r := range all {
		sum.Add(sum, r)
	}
	return sum.Quo(sum, big.NewRat(int64(len(all)), 1))
}

// rounded is a number with at most so many decimals, and at least one where it is no whole.
func rounded(r *big.Rat, decimals int) json.Number {
	text := fact.RoundAt(r, decimals).FloatString(decimals)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" || text == "" {
		text = "0"
	}
	return json.Number(text)
}

// An Agreement is how far two reviewers agree beyond chance: Cohen's kappa over everything that both rated.
type Agreement struct {
	Authors []string    `json:"authors"`
	Items   int         `json:"items"`
	Kappa   json.Number `json:"kappa"`
}

// agreement is that of the two reviewers who rated most things together; nil where no two did.
func agreement(doc *outline.Document) *Agreement {
	scores := map[string]map[string]int{} // by author, then what was rated
	var authors []string
	for _, s := range doc.Sections {
		for _, r := range s.Reviews {
			if r.Author == "" {
				continue
			}
			if scores[r.Author] == nil {
				scores[r.Author] = map[string]int{}
				authors = append(authors, r.Author)
			}
			for dim, score := range r.Ratings {
				scores[r.Author][s.ID+" "+dim] = score
			}
		}
	}
	slices.Sort(authors)
	var best *Agreement
	for i, a := range authors {
		for _, b := range authors[i+1:] {
			if k := kappa(scores[a], scores[b]); k != nil && (best == nil || k.Items > best.Items) {
				k.Authors = []string{a, b}
				best = k
			}
		}
	}
	return best
}

// kappa is (agreement − chance) ÷ (1 − chance); nil where the two rated nothing together, or chance alone makes them agree.
func kappa(a, b map[string]int) *Agreement {
	var n, same int64
	var left, right [6]int64
	for item, x := range a {
		y, both := b[item]
		if !both {
			continue
		}
		n++
		left[x]++
		right[y]++
		if x == y {
			same++
		}
	}
	if n == 0 {
		return nil
	}
	chance := new(big.Rat)
	for i := range left {
		chance.Add(chance, big.NewRat(left[i]*right[i], n*n))
	}
	one := big.NewRat(1, 1)
	if chance.Cmp(one) == 0 {
		return nil
	}
	k := new(big.Rat).Sub(big.NewRat(same, n), chance)
	return &Agreement{Items: int(n), Kappa: rounded(k.Quo(k, one.Sub(one, chance)), 3)}
}
