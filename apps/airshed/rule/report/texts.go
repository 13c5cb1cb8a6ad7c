package report

import (
	"strconv"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/platform/fact/verify"
)

// Texts is all that a report says in one language. Every number in it is a token,
// {{F17}}, that names a fact.
type Texts struct {
	Summary         []string  `json:"executive_summary"`
	Reasoning       []string  `json:"reasoning"` // IF, AND …, THEN
	Reasons         []Doubt   `json:"reasons"`   // why it is not conclusive
	LowerBound      []string  `json:"lower_bound_statement"`
	Alternatives    []string  `json:"alternatives"`
	Band            string    `json:"band"`
	Stubble         []string  `json:"stubble"`
	Legacy          string    `json:"legacy"`
	Gaps            []Missing `json:"gaps"`
	Warnings        []string  `json:"warnings"`
	Request         string    `json:"enforcement_request"`
	Recommendations []string  `json:"recommendations"`
	Notices         []Notice  `json:"notices"`
}

// A Doubt is one reason why a result is not conclusive, and what would settle it.
type Doubt struct {
	Code   plume.Code `json:"code"`
	Text   string     `json:"text"`
	Settle string     `json:"would_settle"`
}

// A Missing is something that was not there, and what that costs.
type Missing struct {
	Code  analysis.GapCode `json:"code"`
	Text  string           `json:"text"`
	Costs string           `json:"costs"`
}

// A Notice is the letter to one state that is named.
type Notice struct {
	State   string   `json:"state"`
	Subject string   `json:"subject"`
	Body    []string `json:"body"`
}

// Parts lists every text, for the verifier and for whoever renders them.
func (t Texts) Parts(lang Lang) []verify.Part {
	var out []verify.Part
	add := func(name string, texts ...string) {
		for i, s := range texts {
			out = append(out, verify.Part{Name: string(lang) + "/" + name + "/" + strconv.Itoa(i), Text: s})
		}
	}
	add("executive_summary", t.Summary...)
	add("reasoning", t.Reasoning...)
	for _, d := range t.Reasons {
		add("reasons", d.Text, d.Settle)
	}
	add("lower_bound_statement", t.LowerBound...)
	add("alternatives", t.Alternatives...)
	add("band", t.Band)
	add("stubble", t.Stubble...)
	add("legacy", t.Legacy)
	for _, g := range t.Gaps {
		add("gaps", g.Text, g.Costs)
	}
	add("warnings", t.Warnings...)
	add("enforcement_request", t.Request)
	add("recommendations", t.Recommendations...)
	for _, n := range t.Notices {
		add("notices", append([]string{n.Subject}, n.Body...)...)
	}
	return out
}
