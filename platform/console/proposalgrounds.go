package console

import (
	"context"
	"net/http"
	"strings"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/web"
)

// readGrounds finds what the case rests on now, what came to it since the proposal
// was made, and whether the person concerned objected.
func (c *Console) readGrounds(ctx context.Context, actor identity.Actor, v *proposalView) error {
	if v.State != review.Open {
		return nil
	}
	waiting, err := c.objected(ctx, actor, v.one.ID)
	if v.objected = waiting[v.one.ID]; err != nil || c.Evidence == nil {
		return err
	}
	org := actor.Org
	if v.grounds, err = c.Evidence.Grounds(ctx, org, v.one.ID); err != nil {
		return err
	}
	then, err := c.Evidence.GroundsAt(ctx, org, v.one.ID, v.CreatedAt)
	if err != nil {
		return err
	}
	v.moved, err = c.Evidence.Moved(ctx, org, v.one.ID, then)
	return err
}

// sameGrounds refuses an answer from a page on which the case rested on less than
// it does now: what came since is what the person has not seen. A form that does
// not say is bound by the digest of what was shown alone.
func (c *Console) sameGrounds(r *http.Request, actor identity.Actor, one review.Proposal) ([]evidence.Move, error) {
	sent := r.PostForm.Get("grounds")
	if sent == "" || c.Evidence == nil {
		return nil, nil
	}
	seen, err := evidence.ParseGrounds(sent)
	if err != nil {
		return nil, err
	}
	moved, err := c.Evidence.Moved(r.Context(), actor.Org, casefile.CaseID(one.Case), seen)
	if err != nil || len(moved) == 0 {
		return nil, err
	}
	return moved, fault.New(fault.Stale, "%s came to the case after you opened this page; nothing was done", names(moved)).
		WithNext("see what changed, then decide again")
}

// names lists what moved: "E4, F17".
func names(moved []evidence.Move) string {
	const most = 6
	all := make([]string, 0, most)
	for i, m := range moved {
		if i == most {
			return strings.Join(all, ", ") + " and more"
		}
		all = append(all, m.Name())
	}
	return strings.Join(all, ", ")
}

// lastMoved is the latest of what came.
func lastMoved(moved []evidence.Move) (last evidence.Move) {
	for _, m := range moved {
		if m.At.After(last.At) {
			last = m
		}
	}
	return last
}

// movedWords says in one line that something changed, and when.
func movedWords(p *web.Page, moved []evidence.Move) string {
	last := lastMoved(moved)
	if len(moved) == 1 {
		return p.T("bar.changed_one", "what", last.Name(), "time", p.Moment(last.At), "zone", p.Zone())
	}
	return p.T("bar.changed", "what", last.Name(), "n", web.Numeral(int64(len(moved)-1)), "time", p.Moment(last.At), "zone", p.Zone())
}

// objectionAddress is where the reader finds what the person concerned wrote.
func (v proposalView) objectionAddress(p *web.Page) string {
	if p.May("case.link") {
		return caseAddress(v.one.ID, "/concerned#objections")
	}
	return caseAddress(v.one.ID, "")
}
