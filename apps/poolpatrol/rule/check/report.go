package check

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Report is what a specialist agent answers: the verdict with a reasoning in
// words.
type Report struct {
	Verdict    Label      `json:"verdict"`
	Confidence Confidence `json:"confidence"`
	Reasoning  string     `json:"reasoning"`
	Evidence   []Evidence `json:"evidence"`
}

// MaxReasoning bounds the words, in characters.
const MaxReasoning = 1000

// Valid refuses a report that is not of the agreed form.
func (r Report) Valid() error {
	switch n := utf8.RuneCountInString(r.Reasoning); {
	case r.Verdict != Pass && r.Verdict != Fail:
		return fault.New(fault.Invalid, "verdict %.20q: use pass or fail", r.Verdict)
	case r.Confidence < Least || r.Confidence > Certain:
		return fault.New(fault.Invalid, "confidence %d: use 1 to 5", r.Confidence)
	case n < 1 || n > MaxReasoning || strings.TrimSpace(r.Reasoning) == "":
		return fault.New(fault.Invalid, "a reasoning has 1 to %d characters", MaxReasoning)
	case len(r.Evidence) < 1 || len(r.Evidence) > maxEvidence:
		return fault.New(fault.Invalid, "a report has 1 to %d pieces of evidence", maxEvidence)
	}
	return nil
}

// Report is the verdict with a reasoning made of its facts, for when no model is
// there to word it, or its words were refused.
func (v Verdict) Report() Report {
	r := Report{Verdict: v.Label, Confidence: v.Confidence, Evidence: v.Evidence()}
	live := v.Live()
	if v.Label == Pass {
		r.Reasoning = fmt.Sprintf("The %s check of %s found nothing that does not fit.", v.Check, v.Vanpool)
		if len(v.Findings) > 0 {
			r.Reasoning = fmt.Sprintf("What the %s check of %s found is excused by an exception that is in force.", v.Check, v.Vanpool)
		}
		return r
	}
	var said []string
	for i, f := range live {
		if i == 5 {
			said = append(said, fmt.Sprintf("and %d more", len(live)-i))
			break
		}
		who := string(f.Employee)
		if who == "" {
			who = string(v.Vanpool)
		}
		said = append(said, who+": "+strings.ReplaceAll(f.Kind, "_", " "))
	}
	r.Reasoning = fmt.Sprintf("The %s check of %s does not pass (%s).", v.Check, v.Vanpool, strings.Join(said, "; "))
	return r
}
