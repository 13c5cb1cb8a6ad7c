package console

import (
	"context"
	"slices"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// mayNotDecide says why somebody may not decide a proposal, as the end of a
// message's key; empty if they may. It only chooses what a page offers: the store
// and the database have the last word.
func mayNotDecide(a identity.Actor, v proposalView) string {
	p := v.Proposal
	switch {
	case a.Kind != identity.Person:
		return "person"
	case a.Viewing != "":
		return "viewing"
	case p.Gate == review.ByOneself && a.ID == p.OnBehalfOf:
		return ""
	case p.Gate == review.ByOneself:
		return "confirm"
	case a.ID == p.RequestedBy || a.ID == p.OnBehalfOf:
		return "asked"
	case slices.Contains(p.Makers, a.ID):
		return "made"
	case !slices.ContainsFunc(p.Deciders, a.Has) && len(v.instead) == 0:
		return "role"
	case p.State == review.Open && v.signed(a):
		return "signed"
	}
	return ""
}

// insteadOf names the person in whose stead the reader would decide; empty where
// they may by their own right.
func (v proposalView) insteadOf(a identity.Actor) string {
	if len(v.instead) == 0 || slices.ContainsFunc(v.Deciders, a.Has) {
		return ""
	}
	return v.instead[0].FromName
}

// signed reports whether somebody has had their voice in an open proposal.
func (v proposalView) signed(a identity.Actor) bool {
	return slices.ContainsFunc(v.voices(), func(m review.Made) bool { return m.ActorID == a.ID || m.OnBehalf == a.ID })
}

// delegatedTo are the delegations by which somebody may decide a proposal.
func (c *Console) delegatedTo(ctx context.Context, a identity.Actor, p review.Proposal, now time.Time) ([]review.Delegation, error) {
	if c.Rules.May(a, "inbox.read") != nil || p.Gate != review.ByAnother {
		return nil, nil
	}
	all, err := c.Reviews.Delegations(ctx, a, a.ID, false)
	return slices.DeleteFunc(all, func(d review.Delegation) bool {
		return d.To != a.ID || !d.InForce(now) || d.App != "" && d.App != p.App || d.Kind != "" && d.Kind != p.Kind ||
			!slices.ContainsFunc(d.Roles, func(r identity.Role) bool { return slices.Contains(p.Deciders, r) })
	}), err
}
