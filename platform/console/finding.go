package console

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// readFound is the finding of a proposal's document; nil where it has none, or one that
// is none.
func readFound(text json.RawMessage) *finding.Finding {
	var f finding.Finding
	if len(text) == 0 || json.Unmarshal(text, &f) != nil || f.Subject.Name == "" {
		return nil
	}
	return &f
}

// foundTitle is the line that a page leads with: whom it is about, and what was found.
func foundTitle(p *web.Page, f finding.Finding) string {
	if f.Subject.Kind == "act" { // which is called by its tool
		if f.Subject.Of == "" {
			f.Subject.Name = actName(p, f.Subject.Name)
		} else {
			f.Subject.Of = actName(p, f.Subject.Of)
		}
	}
	return f.First(string(p.Lang))
}

// A leading is a proposal that was decided, with what was found of it.
type leading struct {
	review.Proposal
	found finding.Finding
}

// readLead reads what was found of the case where nothing waits in it: of what was decided
// last.
func (c *Console) readLead(r *http.Request, actor identity.Actor, f *caseFile) error {
	if len(f.gates) > 0 || c.Reviews == nil || c.Rules.May(actor, "proposal.read") != nil {
		return nil
	}
	made, err := c.Reviews.DecisionsIn(r.Context(), actor, string(f.ID))
	if err != nil || len(made) == 0 {
		return err
	}
	last := made[len(made)-1].Proposal
	found, err := c.Reviews.Findings(r.Context(), actor, last)
	if one, ok := found[last]; ok && err == nil {
		f.lead = &leading{found: one}
		f.lead.Proposal, err = c.Reviews.Get(r.Context(), actor, last)
	}
	return err
}

// saidIn is a text of a finding in the page's language.
func saidIn(p *web.Page, w finding.Words) string { return w.In(string(p.Lang)) }

// A saidPart is a piece of a sentence, with the fact that it is; no fact for plain words.
type saidPart struct{ text, fact string }

// saidParts parts a sentence at the facts that it cites.
func saidParts(text string, cited []finding.Cited) []saidPart {
	for i, c := range cited {
		before, after, there := strings.Cut(text, c.Text)
		if !there || c.Text == "" {
			continue
		}
		rest := cited[i+1:]
		all := saidParts(before, rest)
		all = append(all, saidPart{c.Text, c.Fact})
		return append(all, saidParts(after, rest)...)
	}
	if text == "" {
		return nil
	}
	return []saidPart{{text: text}}
}

// A foundSide is one side of a finding, as it is drawn.
type foundSide struct {
	name, icon string
	points     []finding.Point
}

// foundSides are the three sides, all alike in size: what is not known counts as much.
func foundSides(f finding.Finding) []foundSide {
	return []foundSide{{"for", "check", f.For}, {"against", "slash", f.Against}, {"unknown", "unknown", f.Unknown}}
}

// refAddress is where the evidence or fact of a point can be looked at.
func refAddress(id casefile.CaseID, ref string) string {
	if strings.HasPrefix(ref, "E") {
		return caseAddress(id, "/evidence/"+ref[1:])
	}
	return factAddress(id, ref)
}

// whatFor is what people are asked to decide about a finding, in a line.
func whatFor(p *web.Page, v proposalView) string {
	if v.doc.Question != "" {
		return p.T("proposal.was_it_done", "act", actName(p, v.doc.Tool))
	}
	if v.doc.Line != "" {
		return toolLine(p, v.doc.Tool, v.doc.Line)
	}
	return headTitle(p, v.Proposal)
}

// earlierTitle is the line of another proposal of the case.
func (v proposalView) earlierTitle(p *web.Page, one review.Proposal) string {
	if found, ok := v.before[one.ID]; ok {
		return rowTitle(p, &found, one)
	}
	return rowTitle(p, nil, one)
}

// rowTitle is the line of a proposal in a list: what was found, or what would be done
// where it was made before findings were kept.
func rowTitle(p *web.Page, f *finding.Finding, one review.Proposal) string {
	if f != nil {
		return foundTitle(p, *f)
	}
	return headTitle(p, one)
}
