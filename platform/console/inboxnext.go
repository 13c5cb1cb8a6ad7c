package console

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

var proposalForm = regexp.MustCompile(`^P-[1-9][0-9]{0,17}$`)

// leaves reports whether an act goes out of the organisation: only that can be
// undone for a time.
func leaves(p review.Proposal) bool { return p.Effect == effect.Outside }

// inboxBack is an address of the inbox that a form or a link came from; empty for
// anything else, so that nobody is sent elsewhere.
func inboxBack(address string) string {
	local := web.LocalPath(address)
	path, query, _ := strings.Cut(local, "?")
	if path != inboxPath {
		return ""
	}
	q, err := url.ParseQuery(query)
	if err != nil {
		return ""
	}
	f, err := readFilter(q)
	if err != nil {
		return ""
	}
	return f.address(inboxPath, "after", q.Get("after"))
}

// addTo is an address with one more value in its query.
func addTo(address, name, value string) string {
	sep := "?"
	if strings.Contains(address, "?") {
		sep = "&"
	}
	return address + sep + name + "=" + url.QueryEscape(value)
}

// afterDeciding is where a person goes once their answer is on record: from the
// inbox to the next row in it, whose heading takes the focus; otherwise back to
// the proposal.
func afterDeciding(r *http.Request, proposal, done string) string {
	back := inboxBack(r.PostForm.Get("back"))
	if back == "" {
		return web.ProposalPath(proposal, "?done="+done)
	}
	if next := r.PostForm.Get("next"); proposalForm.MatchString(next) {
		back = addTo(back, "open", next)
	}
	return addTo(back, "did", proposal) + "#open-h"
}

// afterAttending is the same for what decides nothing: putting off and assigning
// take a row out of the list, looking leaves it.
func afterAttending(r *http.Request, proposal, done string) string {
	back := inboxBack(r.PostForm.Get("back"))
	switch {
	case back == "":
		return web.ProposalPath(proposal, "?done="+done)
	case done == "claim" || done == "unclaim" || done == "unsnooze":
		return addTo(back, "open", proposal) + "#open-h"
	}
	if next := r.PostForm.Get("next"); proposalForm.MatchString(next) {
		back = addTo(back, "open", next)
	}
	return addTo(back, "done", done) + "#open-h"
}

// openAddress is the inbox with a proposal open in it.
func (in inbox) openAddress(id string) string {
	return in.address(inboxPath, "after", in.after, "open", id) + "#open-h"
}

// undoneHere is the reason on record of who undoes with one click. The record is read in
// every language, so it is not in the reader's.
const undoneHere = "Undone from the inbox; no reason was written."

// didWords says what the reader has just decided.
func didWords(p *web.Page, it review.Item) string {
	if it.Verdict == review.Approve && it.Proposal.State == review.Open { // one signature of several
		return p.T("inbox.did.sign", "what", itemTitle(p, it), "id", it.Proposal.ID)
	}
	return p.T("inbox.did."+string(it.Verdict), "what", itemTitle(p, it), "id", it.Proposal.ID)
}
