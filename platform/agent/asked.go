package agent

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Asked reads how a proposal stands and what became of its act: for who asked
// for it, and for who may read proposals. To anybody else it is not found, as one
// of another organisation is.
func (c *Calls) Asked(ctx context.Context, a identity.Actor, proposal string) (Asked, error) {
	if !a.Known() {
		return Asked{}, fault.New(fault.SignIn, "sign in to read a proposal")
	}
	asked, err := c.asked(ctx, a.Org, proposal)
	if err == nil && asked.RequestedBy != a.ID && c.Rules.May(a, "proposal.read") != nil {
		return Asked{}, noSuchProposal(proposal)
	}
	return asked, err
}

func noSuchProposal(id string) error {
	return fault.New(fault.NotFound, "no proposal is called %.40q", id)
}

// asked puts together what the proposal, the last decision and the act say.
func (c *Calls) asked(ctx context.Context, org identity.Org, proposal string) (Asked, error) {
	var key string
	err := c.DB.InOrg(ctx, org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select key from gavel.proposal where org = $1 and id = $2`, org, proposal).Scan(&key)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return Asked{}, noSuchProposal(proposal)
	}
	if err != nil {
		return Asked{}, fmt.Errorf("read %.40s: %w", proposal, err)
	}
	found, err := c.Reviews.ByKeys(ctx, org, key)
	if err != nil {
		return Asked{}, err
	}
	o := found[key]
	p := o.Proposal
	a := Asked{Proposal: p.ID, Case: p.Case, App: p.App, Tool: p.Tool, Args: p.Args, Gate: p.Gate, Deciders: p.Deciders, State: p.State,
		RequestedBy: p.RequestedBy, ShownSHA256: p.ShownSHA256, ExpiresAt: p.ExpiresAt, EndedAt: p.EndedAt, ByName: o.ByName,
		Reason: o.Reason}
	acts, err := c.Acts.ByKeys(ctx, org, key)
	if err != nil {
		return Asked{}, err
	}
	if one, ok := acts[key]; ok {
		a.Act, a.Result, a.Why = one.State, one.Result, one.Reason
		if one.NotBefore != nil {
			a.NotBefore = *one.NotBefore
		}
	}
	return a, nil
}

// callFacts reads who asked for a call from outside any run, in the form in which
// a run's are kept, so that its act is carried out by the same step.
func (b *books) callFacts(ctx context.Context, org identity.Org, id string) (facts, error) {
	const one = `select case_id, app, by_kind, by_id, roles, scopes from gavel.call where org = $1 and id = $2`
	f := facts{Org: org, ID: id, Root: id, By: identity.Actor{Org: org}}
	err := b.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, one, org, id).Scan(&f.Case, &f.App, &f.By.Kind, &f.By.ID, &f.By.Roles, &f.By.Scopes)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return f, fault.New(fault.NotFound, "there is no call %s", id)
	}
	if err != nil {
		return f, fmt.Errorf("read call %s: %w", id, err)
	}
	if f.By.Kind == identity.Person {
		f.For = f.By
	}
	return f, nil
}
