package console

import (
	"context"
	"crypto/rand"
	"net/http"
	"net/url"
	"slices"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// readProposal reads all that a proposal's page shows.
func (c *Console) readProposal(r *http.Request) (v proposalView, err error) {
	if v, err = c.readToDecide(r, r.PathValue("id")); err != nil {
		return v, err
	}
	actor, err := c.proposalReader(r)
	if err != nil {
		return v, err
	}
	return v, c.readAround(r.Context(), actor, &v)
}

// readToDecide reads what a decision bar and the words above it need of a
// proposal, wherever they stand.
func (c *Console) readToDecide(r *http.Request, id string) (v proposalView, err error) {
	actor, err := c.proposalReader(r)
	if err != nil {
		return v, err
	}
	ctx := r.Context()
	if v.Proposal, err = c.Reviews.Get(ctx, actor, id); err != nil {
		return v, err
	}
	if v.one, err = c.cases.Get(ctx, actor.Org, casefile.CaseID(v.Case)); err != nil {
		return v, err
	}
	if v.made, err = c.Reviews.Decisions(ctx, actor.Org, v.ID); err != nil {
		return v, err
	}
	if err := c.readActs(ctx, actor.Org, &v); err != nil {
		return v, err
	}
	if err := c.readGrounds(ctx, actor, &v); err != nil {
		return v, err
	}
	if err := c.readPapers(r, &v); err != nil {
		return v, err
	}
	v.class = c.Reviews.ClassOf(v.Proposal)
	v.open(c.Editing)
	if v.instead, err = c.Reviews.Leaves(ctx, actor, v.Proposal); err != nil {
		return v, err
	}
	v.stead, _ = v.insteadOf(actor)
	v.mayNot = mayNotDecide(actor, v)
	v.away = c.engineAway(ctx)
	v.undo, _ = undoable(c.site.Page(r), v.act, v.away)
	v.once = "page-" + rand.Text()
	v.stand(r.URL.Query())
	return v, c.readChoices(r, &v, nil)
}

// assignable reports whether the reader may say who is to decide.
func (v proposalView) assignable(p *web.Page) bool {
	return v.State == review.Open && v.Gate == review.ByAnother && (v.mayNot == "" && p.May("proposal.decide") || p.May("proposal.assign"))
}

// readOthers finds to whom a proposal could be handed over, for a page that asks.
func (c *Console) readOthers(r *http.Request, v *proposalView) error {
	if !v.assignable(c.site.Page(r)) {
		return nil
	}
	actor, err := c.proposalReader(r)
	if err == nil {
		v.others, err = c.Reviews.Assignable(r.Context(), actor, v.Proposal)
	}
	return err
}

// stand takes from an address where the bar stands and what it asks.
func (v *proposalView) stand(q url.Values) {
	v.stale = q.Get("stale") == "1"
	if answer := q.Get("answer"); v.asksWhy(review.Verdict(answer)) {
		v.answer = answer
	}
	v.back = barBack(q.Get("back"))
	if next := q.Get("next"); v.back != "" && proposalForm.MatchString(next) {
		v.next = next
	}
}

// proposalReader is who asks, and may read proposals.
func (c *Console) proposalReader(r *http.Request) (identity.Actor, error) {
	actor, err := signin.Require(r.Context())
	if err == nil && c.Reviews == nil {
		err = fault.New(fault.Unavailable, "proposals are not set up on this server").Because("not_set_up")
	}
	return actor, err
}

// readActs finds what came of the proposal.
func (c *Console) readActs(ctx context.Context, org identity.Org, v *proposalView) error {
	if c.Acts == nil || v.State == review.Open {
		return nil
	}
	found, err := c.Acts.ByKeys(ctx, org, v.Key)
	if a, ok := found[v.Key]; ok {
		v.act = &a
	}
	return err
}

// readPapers asks the application what can be read of what is proposed.
func (c *Console) readPapers(r *http.Request, v *proposalView) error {
	p := c.site.Page(r)
	for _, part := range c.Parts[v.App] {
		if part.Papers == nil || v.Args == nil {
			continue
		}
		some, err := part.Papers(r.Context(), p, v.one, v.Proposal)
		if err != nil {
			return err
		}
		v.papers = append(v.papers, some...)
	}
	return nil
}

// readAround finds what stands beside a proposal: others of its case, and the
// facts that it cites.
func (c *Console) readAround(ctx context.Context, actor identity.Actor, v *proposalView) error {
	for _, state := range []review.State{review.Open, review.Approved, review.Edited, review.Rejected, review.SentBack, review.Expired,
		review.Withdrawn, review.Superseded} {
		some, _, err := c.Reviews.List(ctx, actor, review.Query{State: state, Case: v.Case, Limit: maxEarlier})
		if err != nil {
			return err
		}
		v.earlier = append(v.earlier, some...)
	}
	v.earlier = slices.DeleteFunc(v.earlier, func(o review.Proposal) bool { return o.ID == v.ID })
	slices.SortFunc(v.earlier, func(a, b review.Proposal) int { return b.CreatedAt.Compare(a.CreatedAt) })
	v.earlier = v.earlier[:min(len(v.earlier), maxEarlier)]
	ids := make([]string, len(v.earlier))
	for i, o := range v.earlier {
		ids[i] = o.ID
	}
	var err error
	if v.before, err = c.Reviews.Findings(ctx, actor, ids...); err != nil {
		return err
	}
	v.names = map[string]string{}
	for _, id := range append([]string{v.RequestedBy, v.OnBehalfOf, v.AssignedTo}, v.Makers...) {
		v.names[id] = c.nameOf(ctx, actor.Org, id)
	}
	if c.Evidence == nil {
		return nil
	}
	for _, id := range citedIn(v.Shown) {
		f, err := c.Evidence.Fact(ctx, actor.Org, v.one.ID, fact.Ref{ID: id})
		if fault.Is(err, fault.NotFound) {
			continue // the words name a fact there is not; they are shown as they are
		}
		if err != nil {
			return err
		}
		v.cited = append(v.cited, f)
	}
	return nil
}
