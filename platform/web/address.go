package web

import (
	"net/url"
	"strings"
)

// ProposalPath is the page where a person reads a proposal and decides it, or a
// part below it, such as "/edit". It is the one place that builds such an
// address: mails, MCP, the API and the command line all lead there, and opening
// it never decides anything.
func ProposalPath(id, part string) string { return "/proposals/" + url.PathEscape(id) + part }

// ProposalLink is the same page as people reach it from elsewhere, given the
// address of this installation.
func ProposalLink(public, id string) string {
	return strings.TrimSuffix(public, "/") + ProposalPath(id, "")
}
