package client

import (
	"context"
	"strings"
)

// A Suggestion is an id that a shell may offer, and what it stands for.
type Suggestion struct{ ID, Title string }

// A Suggester names ids of one kind. It gives the first page of them: who has to
// search uses a list.
type Suggester func(ctx context.Context, c *Client) ([]Suggestion, error)

// suggested is how many ids of a kind are offered.
const suggested = 50

// SuggestCases offers the newest cases.
func SuggestCases(ctx context.Context, c *Client) ([]Suggestion, error) {
	page, err := c.Cases(ctx, Filter{PageSize: suggested})
	return each(page.Items, func(k Case) Suggestion { return Suggestion{k.ID, k.Ref + " " + k.Title} }), err
}

// SuggestRuns offers the newest runs.
func SuggestRuns(ctx context.Context, c *Client) ([]Suggestion, error) {
	page, err := c.Runs(ctx, RunFilter{PageSize: suggested})
	return each(page.Items, func(r Run) Suggestion {
		return Suggestion{r.ID, strings.Join([]string{r.CaseRef, r.Agent, r.State}, " ")}
	}), err
}

// SuggestInbox offers what needs the person.
func SuggestInbox(ctx context.Context, c *Client) ([]Suggestion, error) {
	page, err := c.Inbox(ctx, InboxFilter{PageSize: suggested})
	return each(page.Items, titled), err
}

// SuggestUndo offers what the person decided and can still undo.
func SuggestUndo(ctx context.Context, c *Client) ([]Suggestion, error) {
	page, err := c.Inbox(ctx, InboxFilter{View: "done", PageSize: suggested})
	var undoable []Item
	for _, item := range page.Items {
		if item.UndoUntil != nil {
			undoable = append(undoable, item)
		}
	}
	return each(undoable, titled), err
}

func titled(i Item) Suggestion { return Suggestion{i.Proposal.ID, i.CaseRef + " " + i.Line} }

// SuggestProposals offers the open proposals that are due first.
func SuggestProposals(ctx context.Context, c *Client) ([]Suggestion, error) {
	page, err := c.Proposals(ctx, ProposalFilter{PageSize: suggested})
	return each(page.Items, func(p Proposal) Suggestion { return Suggestion{p.ID, p.App + " " + p.Tool} }), err
}

// SuggestDelegations offers the person's own delegations.
func SuggestDelegations(ctx context.Context, c *Client) ([]Suggestion, error) {
	all, err := c.Delegations(ctx, DelegationFilter{})
	return each(all, func(d Delegation) Suggestion { return Suggestion{d.ID, d.FromName + " to " + d.ToName} }), err
}

// SuggestPeople offers who is known in the organisation, to who may see that.
func SuggestPeople(ctx context.Context, c *Client) ([]Suggestion, error) {
	all, err := c.People(ctx)
	return each(all, func(p Person) Suggestion { return Suggestion{p.ID, p.Name + " " + strings.Join(p.Roles, " ")} }), err
}

func each[T any](items []T, as func(T) Suggestion) []Suggestion {
	var all []Suggestion
	for _, item := range items {
		all = append(all, as(item))
	}
	return all
}
