package check

import (
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// An OverrideKind says in what a model was not followed.
type OverrideKind string

// The kinds.
const (
	OverVerdict    OverrideKind = "verdict"         // it said pass for fail, fail for pass, or neither
	OverConfidence OverrideKind = "confidence"      // it claimed to be surer than the code, or left the scale
	OverEvidence   OverrideKind = "evidence"        // it cited what the code did not find, or nothing
	InventedID     OverrideKind = "invented_id"     // it named somebody or something that was not put before it
	InventedNumber OverrideKind = "invented_number" // or a number
	OverLength     OverrideKind = "length"          // its reasoning has no words, or too many
	OverForm       OverrideKind = "form"            // its reasoning holds a link, an address or signs that cannot be seen
)

// An Override is one thing in which a model was not followed. Each counts as one
// model_override.
type Override struct {
	Kind OverrideKind `json:"kind"`
	Said string       `json:"said,omitempty"` // the id or the number it invented; never its prose
}

// maxOverrides bounds how many are told of one report.
const maxOverrides = 50

// Heed takes what a model said about a verdict, as far as it may count. Label,
// evidence and findings stay the code's. A confidence is only ever lowered, and
// only where it is about the same label. The reasoning is taken if every id and
// every number in it was put before the model: it stands in the verdict, or in
// shown, which is what else our own code told the model and never somebody's
// words. Else the code's own sentence stands. In what the model was not followed
// is told, to be counted.
//
// Numbers in words are known in English and Hindi. What cannot be seen from here
// is prose that argues, without a number or an id, for the other label.
func Heed(v Verdict, said Report, shown ...string) (Report, []Override) {
	own := v.Report()
	over := slices.Concat(overruled(v, said), unsightly(said.Reasoning))
	if said.Verdict == v.Label && said.Confidence >= Least {
		own.Confidence = min(own.Confidence, said.Confidence)
	}
	if len(said.Evidence) == 0 || len(said.Evidence) > maxEvidence || cites(own.Evidence, said.Evidence) {
		over = append(over, Override{Kind: OverEvidence})
	}
	known := claimsOf(written(v), strings.Join(shown, "\n"))
	known.counts(v)
	known.numbers[strconv.Itoa(int(own.Confidence))] = true
	over = append(over, known.invented(claimsOf(bounded(said.Reasoning), values(said.Evidence)))...)
	if !slices.ContainsFunc(over, func(o Override) bool { return o.Kind != OverConfidence }) {
		own.Reasoning = strings.TrimSpace(said.Reasoning)
	}
	return own, over[:min(len(over), maxOverrides)]
}

// overruled is in what label and confidence are not followed.
func overruled(v Verdict, said Report) []Override {
	var over []Override
	if said.Verdict != v.Label {
		over = append(over, Override{Kind: OverVerdict})
	}
	if said.Confidence < Least || said.Confidence > v.Confidence {
		over = append(over, Override{Kind: OverConfidence})
	}
	return over
}

// unsightly is what is wrong with a reasoning before it is understood.
func unsightly(words string) []Override {
	var over []Override
	if n := utf8.RuneCountInString(words); n > MaxReasoning || strings.TrimSpace(words) == "" {
		over = append(over, Override{Kind: OverLength})
	}
	unseen := func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' }
	if !utf8.ValidString(words) || strings.ContainsFunc(words, unseen) || linkForm.MatchString(bounded(words)) {
		over = append(over, Override{Kind: OverForm})
	}
	return over
}

// bounded is as much of a reasoning as is looked at. One that is longer is not
// taken anyway.
func bounded(words string) string { return words[:min(len(words), 4*MaxReasoning)] }

// cites reports whether somebody is cited with a type of evidence that is not
// among what was found.
func cites(found, cited []Evidence) bool {
	type claim struct{ kind, who, van string }
	of := func(e Evidence) claim {
		return claim{e.Type, e.Data.Text("employee_id"), e.Data.Text("vanpool_id")}
	}
	known := map[claim]bool{}
	for _, e := range found {
		c := of(e)
		known[c] = true
		known[claim{c.kind, c.who, ""}], known[claim{c.kind, "", c.van}], known[claim{c.kind, "", ""}] = true, true, true
	}
	return slices.ContainsFunc(cited, func(e Evidence) bool { return !known[of(e)] })
}

// Doubt is the verdict with a confidence that was lowered, in its findings, too:
// what is unsure then, a person looks at before anybody is written to.
func (v Verdict) Doubt(c Confidence) Verdict {
	v.Findings = slices.Clone(v.Findings)
	v.Confidence = min(v.Confidence, c.within())
	for i, f := range v.Findings {
		v.Findings[i].Confidence = min(f.Confidence, v.Confidence)
	}
	return v
}
