package console

import (
	"cmp"
	"net/url"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// here is the page on which the bar stands, with this proposal open in it.
func (v proposalView) here() string {
	switch {
	case v.back == "":
		return web.ProposalPath(v.ID, "")
	case caseBack(v.back) != "":
		return addTo(v.back, "proposal", v.ID)
	}
	return addTo(v.back, "open", v.ID)
}

// asking is the same page, with the bar asking why.
func (v proposalView) asking(verdict review.Verdict) string {
	return addTo(v.here(), "answer", string(verdict))
}

// editAddress is the form of the arguments, which leads back to where the bar
// stands.
func (v proposalView) editAddress() string {
	return web.ProposalPath(v.ID, withQuery("/edit", v.place()))
}

// place is where the bar stands, for an address that leads back there.
func (v proposalView) place() string {
	q := url.Values{}
	if v.back != "" {
		q.Set("back", v.back)
	}
	if v.next != "" {
		q.Set("next", v.next)
	}
	return q.Encode()
}

// whyAddress leads to who decides and why people are asked, in words; from there to
// the policy's answer on record.
func (v proposalView) whyAddress() string { return web.ProposalPath(v.ID, "#facts-h") }

// slotName is who signed.
func slotName(s review.Slot) string {
	if s.Name == "" {
		return s.By
	}
	return s.Name
}

// openSlot is whose signature is wanted: the reader's own for the next, where it can be;
// nobody signs twice.
func openSlot(p *web.Page, v proposalView, next bool) string {
	if v.mayNot == "" && next {
		return p.T("bar.you")
	}
	return upperFirst(whom(p, v.Deciders, confirmer(v.Proposal)))
}

// askedBy is who proposed it, as people know them.
func askedBy(v proposalView) string {
	if v.RequestedBy == identity.Gavel(v.Org).ID {
		return identity.Gavel(v.Org).Name
	}
	return cmp.Or(v.names[v.RequestedBy], v.RequestedBy)
}
