package console

import (
	"slices"

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

// insteadOf is the person in whose stead the reader would decide; nobody where
// they may by their own right. The page names them and its form sends their id, so
// that the record says what the page said.
func (v proposalView) insteadOf(a identity.Actor) (id, name string) {
	if len(v.instead) == 0 || slices.ContainsFunc(v.Deciders, a.Has) {
		return "", ""
	}
	return v.instead[0].From, v.instead[0].FromName
}

// signed reports whether somebody has had their voice in an open proposal.
func (v proposalView) signed(a identity.Actor) bool {
	return slices.ContainsFunc(v.voices(), func(m review.Made) bool { return m.ActorID == a.ID || m.OnBehalf == a.ID })
}
