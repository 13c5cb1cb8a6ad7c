package report

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fact/verify"
	"github.com/gavelhq/gavel/platform/fault"
)

// byCode says that nobody but this package worded a summary.
const byCode = "code"

// Bounds of a summary that somebody else has worded.
const (
	maxSentences = 8
	maxSentence  = 600 // characters
)

// Words are a summary in both languages, a sentence each, with a token in place of
// every number.
type Words struct {
	English []string `json:"en"`
	Hindi   []string `json:"hi"`
}

// Reword is the report with a summary that an agent has worded, if that holds: its
// numbers are facts of this report, rightly used, and a result that is not conclusive
// names no state. Whatever else the report says is said by code. book is the case's.
func (r Report) Reword(w Words, run string, book *fact.Book) (Report, error) {
	if run == "" {
		return r, fault.New(fault.Internal, "a summary of no run")
	}
	texts := Both{r.Texts.English, r.Texts.Hindi}
	texts.English.Summary, texts.Hindi.Summary = w.English, w.Hindi
	for _, lang := range Langs() {
		said := texts.In(lang).Summary
		if err := r.checkWords(said, lang); err != nil {
			return r, err
		}
		parts := make([]verify.Part, len(said))
		for i, s := range said {
			parts[i] = verify.Part{Name: string(lang) + "/executive_summary", Text: s}
		}
		found, err := r.Verify(book, parts...)
		if err != nil {
			return r, err
		}
		// What a person would have to answer for is not for a model to say either.
		if found.Blocked() || len(found.Findings) > 0 {
			return r, fault.New(fault.Invalid, "the summary does not hold (%s): %v", lang, rulesOf(found))
		}
	}
	r.Texts, r.WordedBy = texts, run
	return r, r.fill()
}

// rulesOf are the rules that found something, without repetition.
func rulesOf(found verify.Report) (rules []verify.Rule) {
	for _, f := range found.Findings {
		if !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	return rules
}

// checkWords refuses words that the verifier does not judge.
func (r Report) checkWords(said []string, lang Lang) error {
	if len(said) == 0 || len(said) > maxSentences {
		return fault.New(fault.Invalid, "a summary has 1 to %d sentences, not %d", maxSentences, len(said))
	}
	for _, s := range said {
		if len([]rune(s)) > maxSentence || plainLine(s) != s || strings.TrimSpace(s) == "" {
			return fault.New(fault.Invalid, "a sentence of a summary is one line of at most %d characters", maxSentence)
		}
		if !r.Attribution.Names() && r.namesPlace(s) {
			return fault.New(fault.Invalid, "the summary (%s) names a state or a district, and the result is not conclusive", lang)
		}
	}
	return nil
}

// here is the state the stations stand in: its name says nothing of whose smoke it was.
const here = "Delhi"

// namesPlace reports whether a text has the name of a state in it, of those that the
// facts are about and of those whose names are known, or of a district that was looked at.
func (r Report) namesPlace(text string) bool {
	text = strings.ToLower(text)
	has := func(name string) bool { return name != "" && strings.Contains(text, strings.ToLower(name)) }
	for _, m := range r.states().Members {
		if m.ID != here && slices.ContainsFunc(slices.Concat(m.Names.EN, m.Names.HI), has) {
			return true
		}
	}
	for _, d := range r.Analysis.Attribution.Districts {
		if has(d.District) {
			return true
		}
	}
	for english, hindi := range hindiStates() {
		if english != here && (has(english) || has(hindi)) {
			return true
		}
	}
	return false
}
