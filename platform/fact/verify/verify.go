// Package verify is for refusing a text that its facts do not carry. It is
// deterministic: the same text, facts and profile give the same findings,
// whether a model, a template or a person wrote the text.
//
// A Verifier is made from a Profile; Check judges a document against a book of
// facts. The rules are V1 to V10, listed with their constants. What the checker
// cannot place it refuses: a number is unverified until its clause names its
// subject, its direction and its fact.
package verify

import (
	"fmt"
	"slices"
	"sort"
	"strconv"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/ledger"
	"github.com/gavelhq/gavel/platform/fact/prose"
	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds on one check. Within them the work grows with the text's length times
// the length of its longest sentence, which prose.MaxNodes bounds.
const (
	MaxText     = 512 << 10 // bytes of all parts
	MaxParts    = 500
	MaxFacts    = 50_000
	MaxFindings = 1_000
)

// A Document is a draft: parts that must agree with each other, such as the
// sections of a report or its English and Hindi versions.
type Document struct {
	Parts []Part
	Pins  map[fact.ID]int // versions the draft used; nil: the newest of each
}

// A Part is one text.
type Part struct {
	Name string
	Text string
}

// A Verifier judges texts by one profile. It may be shared.
type Verifier struct {
	profile Profile
	figures map[string]bool
	names   *prose.Reader
}

// New prepares a profile.
func New(p Profile) (*Verifier, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	v := &Verifier{profile: p, figures: map[string]bool{}}
	for _, f := range p.Figures {
		name := prose.FigureName(f)
		if name == "" {
			return nil, fault.New(fault.Invalid, "profile %s: %q is not the name of a figure or table", p.Name, f)
		}
		v.figures[name] = true
	}
	reader, err := prose.NewReader(prose.Vocabulary{Dimensions: p.Dimensions, Units: p.Units, Allow: p.Allow})
	if err != nil {
		return nil, err
	}
	v.names = reader
	return v, nil
}

// years are those a text may type: the profile's and those of the facts.
func (v *Verifier) years(facts []fact.Fact) []int {
	years := slices.Clone(v.profile.Years)
	for _, f := range facts {
		for _, id := range []string{fact.YearID, fact.ChangeID} {
			if y, err := strconv.Atoi(f.Subject.IDs[id]); err == nil {
				years = append(years, y)
			}
		}
	}
	return years
}

// Check judges a document. An error means that it could not be judged at all: too
// long, too many facts.
func (v *Verifier) Check(doc Document, book *fact.Book) (Report, error) {
	size := 0
	for _, p := range doc.Parts {
		size += len(p.Text)
	}
	if size > MaxText || len(doc.Parts) > MaxParts {
		return Report{}, fault.New(fault.TooLarge, "a document of %d bytes in %d parts: at most %d bytes in %d parts are checked", size,
			len(doc.Parts), MaxText, MaxParts)
	}
	facts := book.Newest()
	if len(facts) > MaxFacts {
		return Report{}, fault.New(fault.TooLarge, "%d facts: at most %d are checked against", len(facts), MaxFacts)
	}
	dims := make([]string, len(v.profile.Dimensions))
	for i, d := range v.profile.Dimensions {
		dims[i] = d.Name
	}
	c := &check{Verifier: v, reader: v.names.WithYears(v.years(facts)), doc: doc, ledger: ledger.New(book, dims),
		shown: map[fact.ID]string{}, named: map[string]map[string]bool{}}
	for i := 0; i < len(doc.Parts) && !c.cut; i++ {
		c.part(i)
	}
	c.complete()
	return c.report(), nil
}

// A check is the state of one Check.
type check struct {
	*Verifier
	reader *prose.Reader
	doc    Document
	ledger *ledger.Ledger
	found  []Finding
	shown  map[fact.ID]string
	named  map[string]map[string]bool // dimension → ids mentioned anywhere
	tokens int
	cut    bool
}

// part judges one text.
func (c *check) part(i int) {
	for _, s := range c.reader.Read(c.doc.Parts[i].Text) {
		if c.cut {
			return // the draft is blocked; more would only cost time
		}
		j := &judge{check: c, Sentence: &s, part: i}
		j.facts()
		j.numbers()
		if s.TooLong {
			j.find(V2, Block, s.Start, s.End, "", say("too_long"))
			continue
		}
		j.align()
		j.subjects()
		j.directions()
		j.told()
		j.comparisons()
		j.extremes()
		j.universals()
		j.dangling()
		j.standing()
		j.wording()
		j.mentions()
	}
}

// find records a finding.
func (c *check) find(part int, rule Rule, severity Severity, start, end int, id fact.ID, why remark) {
	if len(c.found) >= MaxFindings {
		c.cut = true
		return
	}
	text := c.doc.Parts[part].Text
	shown := text[start:end]
	for len(shown) > 120 {
		shown = shown[:120]
		for !utf8.ValidString(shown) && len(shown) > 110 {
			shown = shown[:len(shown)-1]
		}
	}
	en, hi := why.words()
	c.found = append(c.found, Finding{Rule: rule, Severity: severity, Part: part, Start: start, End: end, Text: shown, Fact: id,
		Code: why.code, Words: en, Hindi: hi})
}

// report sorts the findings and counts characters once, from the start of each
// part on.
func (c *check) report() Report {
	sort.SliceStable(c.found, func(i, j int) bool {
		a, b := c.found[i], c.found[j]
		if a.Part != b.Part {
			return a.Part < b.Part
		}
		return a.Start < b.Start
	})
	part, at, runes := -1, 0, 0
	for i := range c.found {
		f := &c.found[i]
		if f.Part != part {
			part, at, runes = f.Part, 0, 0
		}
		text := c.doc.Parts[f.Part].Text
		runes += utf8.RuneCountInString(text[at:f.Start])
		at = f.Start
		f.RuneStart = runes
		f.RuneEnd = runes + utf8.RuneCountInString(text[f.Start:f.End])
	}
	return Report{Findings: c.found, Truncated: c.cut, Numbers: c.tokens}
}

// A Rule is one of the checks.
type Rule string

// The rules. V1 to V4, V7 and V8 always block; V5, V6 and V10 do what the profile
// says; V9 asks a person.
const (
	V1  Rule = "V1"  // every token names a fact, in its newest version
	V2  Rule = "V2"  // no number is typed
	V3  Rule = "V3"  // words of direction agree with the sign
	V4  Rule = "V4"  // superlatives and universals rest on facts
	V5  Rule = "V5"  // unit and subject are named where the fact is cited
	V6  Rule = "V6"  // everything that must be mentioned is
	V7  Rule = "V7"  // figures and tables exist
	V8  Rule = "V8"  // a fact looks the same everywhere
	V9  Rule = "V9"  // a cause or an unsupported claim is for a person to judge
	V10 Rule = "V10" // no forbidden kind of sentence
)

// A Severity says what a finding does to a draft.
type Severity string

// The severities.
const (
	Block Severity = "block" // the draft cannot go on
	Ask   Severity = "ask"   // a person must answer
)

// A Finding is one thing wrong with a text, and where.
type Finding struct {
	Rule      Rule     `json:"rule"`
	Severity  Severity `json:"severity"`
	Part      int      `json:"part"`  // index of the part
	Start     int      `json:"start"` // bytes
	End       int      `json:"end"`
	RuneStart int      `json:"rune_start"` // the same in characters
	RuneEnd   int      `json:"rune_end"`
	Text      string   `json:"text"`     // what stands there, at most 120 bytes
	Code      string   `json:"code"`     // what is wrong, by a code with words in each language
	Words     string   `json:"words"`    // what is wrong and what to do, for a person or a model
	Hindi     string   `json:"words_hi"` // the same in Hindi
	Fact      fact.ID  `json:"fact,omitempty"`
}

// String is the finding in one line.
func (f Finding) String() string {
	return fmt.Sprintf("%s %s at %d–%d %q: %s", f.Rule, f.Severity, f.Start, f.End, f.Text, f.Words)
}

// A Report is what Check found, in the order of the text.
type Report struct {
	Findings  []Finding `json:"findings"`
	Truncated bool      `json:"truncated"` // there were more than MaxFindings
	Numbers   int       `json:"numbers"`   // tokens seen
}

// Blocked reports whether the draft cannot go on. A list cut short blocks: what
// was not listed was not judged harmless.
func (r Report) Blocked() bool {
	for _, f := range r.Findings {
		if f.Severity == Block {
			return true
		}
	}
	return r.Truncated
}

// Rules lists the rules that blocked, without repetition.
func (r Report) Rules() []Rule {
	var out []Rule
	seen := map[Rule]bool{}
	for _, f := range r.Findings {
		if f.Severity == Block && !seen[f.Rule] {
			seen[f.Rule] = true
			out = append(out, f.Rule)
		}
	}
	return out
}
