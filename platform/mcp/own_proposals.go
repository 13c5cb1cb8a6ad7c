package mcp

import (
	"context"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// A proposalLine is a proposal in a list, without its words.
type proposalLine struct {
	Proposal  string          `json:"proposal"`
	Case      string          `json:"case"`
	App       string          `json:"app"`
	Tool      string          `json:"tool"`
	Effect    string          `json:"effect"`
	Gate      string          `json:"gate"`
	Deciders  []identity.Role `json:"deciders"`
	AskedBy   string          `json:"asked_by"`
	CreatedAt time.Time       `json:"created_at"`
	ExpiresAt *time.Time      `json:"expires_at,omitempty"`
	Link      string          `json:"link"`
}

func (s *Server) proposalLine(p review.Proposal) proposalLine {
	return proposalLine{Proposal: p.ID, Case: p.Case, App: p.App, Tool: p.Tool, Effect: p.Effect, Gate: string(p.Gate),
		Deciders: append([]identity.Role{}, p.Deciders...), AskedBy: p.RequestedBy, CreatedAt: p.CreatedAt.UTC(),
		ExpiresAt: moment(p.ExpiresAt), Link: s.link(p.ID)}
}

// moment is a time, or nothing for the zero one.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return utc(&t)
}

type inboxIn struct {
	Page string `json:"page_token,omitempty" jsonschema:"next_page_token of the page before"`
}

type inboxOut struct {
	Items []inboxLine `json:"items"`
	Next  string      `json:"next_page_token,omitempty"`
}

// An inboxLine is a proposal that waits for the caller, and why for them.
type inboxLine struct {
	Proposal proposalLine `json:"proposal"`
	// what was found, and about whom; none for a proposal from before findings were kept
	Finding *finding.Finding `json:"finding,omitempty"`
	Does    string           `json:"does"` // the first line of that, or the tool's own words
	CaseRef string           `json:"case_ref"`
	Title   string           `json:"case_title"`
	Why     string           `json:"why"` // role, assigned, confirm or delegated
	For     string           `json:"in_stead_of,omitempty"`
	Overdue bool             `json:"overdue"`
}

// listInbox tells what waits for the caller. Deciding is for the pages.
func (s *Server) listInbox(ctx context.Context, a identity.Actor, in inboxIn) (inboxOut, error) {
	page, err := s.Reviews.Inbox(ctx, a, review.InboxQuery{After: in.Page, Limit: proposalsTold})
	if err != nil {
		return inboxOut{}, err
	}
	out := inboxOut{Items: []inboxLine{}, Next: page.Next}
	for _, i := range page.Items {
		out.Items = append(out.Items, inboxLine{Proposal: s.proposalLine(i.Proposal), Finding: i.Finding, Does: i.Line, CaseRef: i.CaseRef,
			Title: i.Case, Why: string(i.Why),
			For: i.For, Overdue: i.Overdue})
	}
	return out, nil
}

type proposalIn struct {
	Proposal string `json:"proposal" jsonschema:"its name, P-17"`
}

type proposalOut struct {
	Proposal  string           `json:"proposal"`
	Finding   *finding.Finding `json:"finding,omitempty"` // what was found, for who may read proposals
	Status    string           `json:"status"`            // as a call's
	Says      string           `json:"says"`
	Case      string           `json:"case"`
	App       string           `json:"app"`
	Tool      string           `json:"tool"`
	Args      string           `json:"args_json,omitempty"`   // as JSON text; left out once erased
	Result    string           `json:"result_json,omitempty"` // as JSON text, once it was carried out
	Gate      string           `json:"gate"`
	Deciders  []identity.Role  `json:"deciders"`
	AskedBy   string           `json:"asked_by"`
	DecidedBy string           `json:"decided_by,omitempty"`
	Reason    string           `json:"reason,omitempty"`
	EndedAt   *time.Time       `json:"decided_at,omitempty"`
	ExpiresAt *time.Time       `json:"expires_at,omitempty"`
	Link      string           `json:"link"`
}

// getProposal tells how a proposal stands, to who asked for it and to who may
// read proposals.
func (s *Server) getProposal(ctx context.Context, a identity.Actor, in proposalIn) (proposalOut, error) {
	p, err := s.Calls.Asked(ctx, a, in.Proposal)
	if err != nil {
		return proposalOut{}, err
	}
	how, says := standing(p)
	found, err := s.Reviews.Findings(ctx, a, p.Proposal)
	if err != nil && !fault.Is(err, fault.Refused) { // who asked for it need not read what the record says
		return proposalOut{}, err
	}
	var first *finding.Finding
	if f, ok := found[p.Proposal]; ok {
		first = &f
	}
	return proposalOut{Proposal: p.Proposal, Finding: first, Status: string(how), Says: says, Case: p.Case, App: p.App, Tool: p.Tool,
		Args: string(p.Args), Result: string(p.Result),
		Gate: string(p.Gate), Deciders: append([]identity.Role{}, p.Deciders...), AskedBy: p.RequestedBy, DecidedBy: p.ByName,
		Reason: p.Reason, EndedAt: moment(p.EndedAt), ExpiresAt: moment(p.ExpiresAt), Link: s.link(p.Proposal)}, nil
}
