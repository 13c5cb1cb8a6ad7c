package console

import (
	"net/http"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/search"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// SearchPath is where the box at the top of every page leads, which sends q, and
// SearchAct what one must be allowed to see it.
const (
	SearchPath = "/search"
	SearchAct  = "case.read"
)

// A searchView is what was searched for and what was found.
type searchView struct {
	text  string
	found search.Found
	fault error
}

// search is the page of what was found. Opening it with one hit that was named by
// its id or reference does not lead on by itself: a page says what it shows.
func (c *Console) search(w http.ResponseWriter, r *http.Request) error {
	actor, err := signin.Require(r.Context())
	if err != nil {
		return err
	}
	if c.Finder == nil {
		return fault.New(fault.Unavailable, "the search is not set up on this server").Because("not_set_up")
	}
	v, status := searchView{text: strings.TrimSpace(r.URL.Query().Get("q"))}, http.StatusOK
	if v.text != "" {
		v.found, err = c.Finder.Find(r.Context(), actor, v.text)
	}
	if err != nil && !onField(err) {
		return err
	}
	if v.fault = err; err != nil {
		v.text, status = clipped(v.text, 4*search.MaxText), web.Status(fault.KindOf(err))
	}
	p := c.site.Page(r)
	p.Title, p.Section = p.T("search.title"), ""
	return c.site.Render(w, r, status, p, searchBody(p, v))
}

// kinds are the parts of what was found, in their order.
func (v searchView) kinds() []search.Kind {
	var all []search.Kind
	for _, h := range v.found.Hits {
		if !slices.Contains(all, h.Kind) {
			all = append(all, h.Kind)
		}
	}
	return all
}

// of are the hits of a kind.
func (v searchView) of(kind search.Kind) []search.Hit {
	var all []search.Hit
	for _, h := range v.found.Hits {
		if h.Kind == kind {
			all = append(all, h)
		}
	}
	return all
}

// hitAddress is the page of what was found.
func hitAddress(h search.Hit) string {
	switch h.Kind {
	case search.Case:
		return "/cases/" + h.ID
	case search.Proposal:
		return web.ProposalPath(h.ID, "")
	case search.Run:
		return runAddress(h.ID, "")
	}
	return h.Address
}

// hitTitle is what was found, as people read it.
func hitTitle(p *web.Page, h search.Hit) string {
	switch {
	case h.Kind == search.Run:
		return upperFirst(p.Word("agent.", h.Title))
	case h.Says != "":
		return p.T(h.Says)
	case h.Title == "":
		return h.ID
	case h.Kind == search.Case:
		return p.Titled(h.Title)
	}
	return strings.TrimSuffix(h.Title, ".")
}

// hitName is what people call what was found.
func hitName(h search.Hit) string {
	if h.Kind == search.Case {
		return h.Ref
	}
	return h.ID
}

// hitState is the state of what was found, in its own words.
func hitState(p *web.Page, h search.Hit) string {
	switch h.Kind {
	case search.Case:
		return p.Word("state.", h.State)
	case search.Proposal:
		return p.T("proposal.state." + h.State)
	case search.Run:
		return p.Word("run.state.", h.State)
	}
	return p.T(h.State)
}
