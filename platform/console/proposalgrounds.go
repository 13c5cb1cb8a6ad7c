package console

import (
	"context"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
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
	if v.objected = waiting[v.one.ID]; err != nil {
		return err
	}
	if v.objected {
		if v.objectedAt, err = c.Concerns.Since(ctx, actor, v.one.ID); err != nil {
			return err
		}
	}
	if v.grounds, err = c.Reviews.Grounds(ctx, v.Proposal); err != nil || c.Evidence == nil {
		return err
	}
	org := actor.Org
	then, err := c.Evidence.GroundsAt(ctx, org, v.one.ID, v.CreatedAt)
	if err != nil {
		return err
	}
	v.moved, err = c.Evidence.Moved(ctx, org, v.one.ID, then)
	return err
}

// unseenBy is what came to a case after the page was opened on which it was decided;
// nothing where that is not known. The store has refused the answer.
func (c *Console) unseenBy(ctx context.Context, actor identity.Actor, d review.Decision) []evidence.Move {
	if d.Grounds == "" || c.Evidence == nil {
		return nil
	}
	one, err := c.Reviews.Get(ctx, actor, d.Proposal)
	if err != nil {
		return nil
	}
	seen, err := evidence.ParseGrounds(d.Grounds)
	if err != nil {
		return nil
	}
	moved, err := c.Evidence.Moved(ctx, actor.Org, casefile.CaseID(one.Case), seen)
	if err != nil {
		return nil
	}
	return moved
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
