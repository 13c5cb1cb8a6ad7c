package agent

import (
	"context"
	"encoding/json"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// Recheck asks policy again when a person edits what was proposed: the agent, or
// whoever else asked, must be allowed the edited call as well. It is what
// review.Config asks for; proposals that are no calls cannot be edited.
func Recheck(s *Store, tools *tool.Registry) func(context.Context, review.Proposal, json.RawMessage) error {
	return func(ctx context.Context, p review.Proposal, args json.RawMessage) error {
		tl, ok := tools.Find(p.App, p.Tool)
		if !ok || p.Kind != kindCall {
			return fault.New(fault.Conflict, "%s cannot be edited in this build", p.ID).WithNext("send it back with what should change")
		}
		f, tainted, err := s.asker(ctx, p)
		if err != nil {
			return err
		}
		answer := s.rules.App(p.App).Ask(policy.Question{Actor: f.actor(), For: f.For, App: p.App, Tool: tl.Name, Effect: string(tl.Effect),
			Case: p.Case,
			Args: args, Taint: tainted})
		if !answer.Call {
			return fault.New(fault.Refused, "policy does not let who asked do %s with these arguments", p.ID).
				WithNext("send it back, or reject it")
		}
		return nil
	}
}

// asker is who asked for a proposal, and whether text from outside had a part in
// it: a run, or somebody outside of any.
func (s *Store) asker(ctx context.Context, p review.Proposal) (facts, bool, error) {
	if p.Run == "" {
		f, err := s.books.facts(ctx, p.Org, p.Call)
		return f, true, err
	}
	f, err := s.books.facts(ctx, p.Org, p.Run) // never changes, and is remembered
	if err != nil {
		return f, true, err
	}
	now, err := s.books.endedOne(ctx, p.Org, p.Run) // how it stands, ended or not
	return f, now.Tainted, err
}
