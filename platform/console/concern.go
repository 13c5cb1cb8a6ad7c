package console

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// A concernView is where an officer tells the person whom a case concerns, and
// answers them.
type concernView struct {
	casefile.Case
	links     []concern.Link
	heard     []concern.Objection
	facts     []fact.Fact       // that may be shown
	decided   []review.Proposal // likewise
	made      *concern.Link     // just now
	address   string            // of the link just made; never shown again
	typed     concern.NewLink
	fault     error
	answering string // the objection whose answer was refused
	answer    string // what was typed
	done      string // revoke or answer
}

// concernRoutes registers what an officer tells the person concerned, and what
// that person sees.
func (c *Console) concernRoutes(m *web.Mux) {
	m.Handle("GET /cases/{id}/concerned", c.concernPage, web.Needs("case.link"))
	m.Handle("POST /cases/{id}/concerned", c.makeLink, web.Needs("case.link"), web.MaxBody(maxForm))
	m.Handle("POST /cases/{id}/concerned/{link}/revoke", c.revokeLink, web.Needs("case.link"), web.MaxBody(maxForm))
	m.Handle("POST /cases/{id}/objections/{objection}/answer", c.answerObjection, web.Needs("case.link"), web.MaxBody(maxForm))
	const why = "the person whom a case concerns has a signed link and no account"
	m.Handle("GET /c/{ref}", c.concerned, web.Public(why))
	m.Handle("POST /c/{ref}/objection", c.object, web.Public(why), web.MaxBody(maxForm))
}

// lives are for how many days a link can be made.
func lives() []int { return []int{14, 30, 90, 180} }

func (c *Console) concernPage(w http.ResponseWriter, r *http.Request) error {
	v, _, err := c.readConcern(r)
	if err != nil {
		return err
	}
	if done := r.URL.Query().Get("done"); done == "revoke" || done == "answer" {
		v.done = done
	}
	return c.showConcern(w, r, http.StatusOK, v)
}

func (c *Console) showConcern(w http.ResponseWriter, r *http.Request, status int, v concernView) error {
	p := c.filePage(r, v.Case)
	p.Title = p.T("concern.of", "ref", v.Ref)
	return c.site.Render(w, r, status, p, concernBody(p, v))
}

func (c *Console) readConcern(r *http.Request) (v concernView, actor identity.Actor, err error) {
	if v.Case, actor, err = c.readCase(r); err != nil {
		return v, actor, err
	}
	if c.Concerns == nil {
		return v, actor, fault.New(fault.Unavailable, "links for the people concerned are not set up on this server").Because("not_set_up")
	}
	ctx := r.Context()
	if v.links, err = c.Concerns.Links(ctx, actor, v.ID); err != nil {
		return v, actor, err
	}
	if v.heard, err = c.Concerns.Objections(ctx, actor, v.ID); err != nil {
		return v, actor, err
	}
	if v.facts, err = c.theirFacts(r, actor, v.Case); err != nil || c.Reviews == nil {
		return v, actor, err
	}
	for _, state := range []review.State{review.Approved, review.Edited, review.Rejected} {
		some, _, err := c.Reviews.List(ctx, actor, review.Query{State: state, Case: string(v.ID), Limit: concern.MaxProposals})
		if err != nil {
			return v, actor, err
		}
		v.decided = append(v.decided, some...)
	}
	slices.SortFunc(v.decided, func(a, b review.Proposal) int { return b.EndedAt.Compare(a.EndedAt) })
	v.decided = v.decided[:min(len(v.decided), concern.MaxProposals)]
	return v, actor, nil
}

// theirFacts are the facts that may be shown to the person concerned: what the
// application marks as theirs, or all of the case where it says nothing.
func (c *Console) theirFacts(r *http.Request, actor identity.Actor, one casefile.Case) ([]fact.Fact, error) {
	if c.Evidence == nil {
		return nil, nil
	}
	all, err := c.Evidence.Facts(r.Context(), actor.Org, one.ID, evidence.FactQuery{Limit: factsOnFile})
	if err != nil {
		return nil, err
	}
	theirs, said, err := c.Concerns.Theirs(r.Context(), one)
	if err != nil || !said {
		return all, err
	}
	return slices.DeleteFunc(all, func(f fact.Fact) bool { return !slices.Contains(theirs, f.ID) }), nil
}

// Theirs is what applications say of the facts that the people concerned may see,
// for concern.Config.
func Theirs(parts map[string][]Part) func(context.Context, casefile.Case) ([]fact.ID, bool, error) {
	return func(ctx context.Context, one casefile.Case) (all []fact.ID, said bool, err error) {
		for _, part := range parts[one.App] {
			if part.Theirs == nil {
				continue
			}
			some, err := part.Theirs(ctx, one)
			if err != nil {
				return nil, false, err
			}
			all, said = append(all, some...), true
		}
		return all, said, nil
	}
}

// makeLink makes a link and shows it, this once.
func (c *Console) makeLink(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	v, actor, err := c.readConcern(r)
	if err != nil {
		return err
	}
	days, _ := strconv.Atoi(r.PostForm.Get("days")) // the store refuses what is none
	v.typed = concern.NewLink{Summary: r.PostForm.Get("summary"), Proposals: r.PostForm["proposal"],
		Life: time.Duration(min(days, 1000)) * 24 * time.Hour}
	for _, id := range r.PostForm["fact"] {
		v.typed.Facts = append(v.typed.Facts, fact.ID(id))
	}
	link, token, err := c.Concerns.Make(r.Context(), actor, v.ID, v.typed)
	v.fault = err
	switch {
	case v.fault != nil && !mendable(v.fault):
		return v.fault
	case v.fault != nil:
		return c.showConcern(w, r, web.Status(fault.KindOf(v.fault)), v)
	}
	made, _, err := c.readConcern(r)
	if err != nil {
		return err
	}
	made.made, made.address = &link, c.Public+ConcernPath(v.Ref, token)
	return c.showConcern(w, r, http.StatusOK, made)
}

// ConcernPath is the page of the person concerned. The token is a secret: it
// stands in this address and nowhere else.
func ConcernPath(ref, token string) string {
	return "/c/" + url.PathEscape(ref) + "?k=" + url.QueryEscape(token)
}

func (c *Console) revokeLink(w http.ResponseWriter, r *http.Request) error {
	v, actor, err := c.readConcern(r)
	if err != nil {
		return err
	}
	if err := c.Concerns.Revoke(r.Context(), actor, v.ID, r.PathValue("link")); err != nil {
		return err
	}
	http.Redirect(w, r, c.site.Page(r).Href(caseAddress(v.ID, "/concerned?done=revoke")), http.StatusSeeOther)
	return nil
}

func (c *Console) answerObjection(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	v, actor, err := c.readConcern(r)
	if err != nil {
		return err
	}
	v.answering, v.answer = r.PathValue("objection"), strings.TrimSpace(r.PostForm.Get("answer"))
	v.fault = c.Concerns.Answer(r.Context(), actor, v.ID, v.answering, v.answer)
	switch {
	case v.fault == nil:
		http.Redirect(w, r, c.site.Page(r).Href(caseAddress(v.ID, "/concerned?done=answer")), http.StatusSeeOther)
		return nil
	case !mendable(v.fault):
		return v.fault
	}
	return c.showConcern(w, r, web.Status(fault.KindOf(v.fault)), v)
}

// ticked reports whether a fact or a decision was chosen on a form that was
// refused.
func (v concernView) ticked(name string) bool {
	return slices.Contains(v.typed.Facts, fact.ID(name)) || slices.Contains(v.typed.Proposals, name)
}

// linkLook is the class and icon of a link's state, and its name.
func linkLook(l concern.Link, now time.Time) (class, icon, state string) {
	switch {
	case l.RevokedAt != nil:
		return "bad", "slash", "revoked"
	case l.ErasedAt != nil:
		return "plain", "lock", "erased"
	case !l.Good(now):
		return "plain", "clock", "ended"
	}
	return "ok", "link", "good"
}

// objected says of which cases the person concerned waits for an answer; of none
// where the reader may not read cases.
func (c *Console) objected(ctx context.Context, actor identity.Actor, ids ...casefile.CaseID) (map[casefile.CaseID]bool, error) {
	if c.Concerns == nil || len(ids) == 0 || c.Rules.May(actor, "case.read") != nil {
		return nil, nil
	}
	return c.Concerns.Waiting(ctx, actor, ids...)
}
