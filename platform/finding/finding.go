// Package finding is for the first thing that a person reads who is to decide: whom or
// what it is about, what was found, the value beside its limit, how sure that is, what
// speaks for it and against it, what nobody knows, and what would change it.
//
// An application computes it from its records (tool.Finds); it is part of what is shown
// and is bound by the digest of that. Nothing in here is looked up when it is read: a
// page, a mail, a terminal and the API say the same words, whatever has changed since.
//
// Read Finding, then Check. First and Says are what a list has; Plain is what may leave
// in a mail to staff.
package finding

import (
	"encoding/json"

	"github.com/gavelhq/gavel/platform/fault"
)

// Words are one text in both languages, each written in its own right.
type Words struct {
	En string `json:"en" doc:"In English."`
	Hi string `json:"hi" doc:"In Hindi."`
}

// In is the text in a language: Hindi for "hi", English for any other.
func (w Words) In(lang string) string {
	if lang == "hi" {
		return w.Hi
	}
	return w.En
}

// Same is a text that is the same in both languages: a number, a name, an id.
func Same(text string) Words { return Words{text, text} }

// Person is the kind of a subject who has a name that does not leave in a mail to staff.
const Person = "person"

// A Subject is whom or what a finding is about.
type Subject struct {
	Kind string `json:"kind" doc:"What it is: person, van, report, state, case, mail, act."`
	Name string `json:"name" doc:"What people call it."`
	Of   string `json:"of,omitempty" doc:"What it belongs to: the van of a rider."`
	Link string `json:"link,omitempty" doc:"The path of its page; empty where it has none of its own."`
}

// Title is the subject as a list names it: "Ekta Demo, VP-206".
func (s Subject) Title() string {
	if s.Of == "" {
		return s.Name
	}
	return s.Name + ", " + s.Of
}

// A Measure is a value, its limit or how sure it is, in words with their unit. Where
// there can be none it says so, with the reason: a letter has no limit.
type Measure struct {
	Words Words `json:"words" doc:"The measure, or why there is none."`
	None  bool  `json:"none,omitempty" doc:"There is none; the words say why."`
}

// Measured is a measure that there is.
func Measured(w Words) Measure { return Measure{Words: w} }

// NotApplicable is a measure that there cannot be, with the reason.
func NotApplicable(why Words) Measure { return Measure{Words: why, None: true} }

// A Point is one thing that speaks for a finding or against it, or that nobody knows.
type Point struct {
	Text Words  `json:"text" doc:"What it is."`
	Ref  string `json:"ref,omitempty" doc:"The evidence or the fact it rests on, as E3 or F12."`
}

// Say is a point with nothing to look up.
func Say(en, hi string) Point { return Point{Text: Words{en, hi}} }

// A Cited fact is a text of the sentence, as it stands there, that is a fact of the case.
type Cited struct {
	Text string `json:"text" doc:"The text, as the sentence has it."`
	Fact string `json:"fact" doc:"The fact of the case, as F12."`
}

// A Finding is what was found, as a person reads it who decides. For, Against and
// Unknown are about its own subject and about nobody else.
type Finding struct {
	Subject Subject `json:"subject" doc:"Whom or what it is about."`
	Brief   Words   `json:"brief" doc:"What was found, in a few words; with the subject it is the line of a list."`
	Says    Words   `json:"says" doc:"What was found, in one sentence."`
	Facts   []Cited `json:"facts,omitempty" doc:"The facts in that sentence."`
	Value   Measure `json:"value" doc:"What was measured."`
	Limit   Measure `json:"limit" doc:"What it is held against."`
	Sure    Measure `json:"sure" doc:"How sure it is."`
	For     []Point `json:"for,omitempty" doc:"What speaks for it."`
	Against []Point `json:"against,omitempty" doc:"What speaks against it."`
	Unknown []Point `json:"unknown,omitempty" doc:"What nobody knows."`
	Change  Words   `json:"change" doc:"What would change it."`
	Plain   Words   `json:"plain" doc:"The same without names and homes, for a mail to staff."`

	Personal bool `json:"personal,omitempty" doc:"It says something about people: of it a mail to staff has plain alone."`
}

// First is the line of a list: the subject, then what was found.
func (f Finding) First(lang string) string { return f.Subject.Title() + ": " + f.Brief.In(lang) }

// In reads the finding of a document that was shown: its member "finding". Nil where the
// document has none, which is one from before findings were kept, or one that was erased.
func In(shown []byte) (*Finding, error) {
	if len(shown) == 0 {
		return nil, nil
	}
	var doc struct {
		Finding *Finding `json:"finding"`
	}
	if err := json.Unmarshal(shown, &doc); err != nil {
		return nil, fault.From(fault.Invalid, err, "what was shown has no finding that can be read")
	}
	return doc.Finding, nil
}

// Unmeasured is a finding without value, limit and certainty, for one reason.
func (f Finding) Unmeasured(why Words) Finding {
	f.Value, f.Limit, f.Sure = NotApplicable(why), NotApplicable(why), NotApplicable(why)
	return f
}
