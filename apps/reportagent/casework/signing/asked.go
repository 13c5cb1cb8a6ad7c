package signing

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// An Asked question is the newest about signing a section.
type Asked struct {
	Proposal string
	Open     bool           // it is before people, or on its way
	Verdict  review.Verdict // of who decided; empty where nobody did
	By       string
	Reason   string
}

// AskedOf are the questions about the sections of a report's case, by section: the newest of each.
func (c *Clerk) AskedOf(ctx context.Context, actor identity.Actor, id casefile.CaseID) (map[string]Asked, error) {
	if err := c.store.May(actor, store.ActRead); err != nil {
		return nil, err
	}
	out := map[string]Asked{}
	err := c.store.In(ctx, actor.Org, func(tx pgx.Tx) error {
		all, err := review.QuestionsBy(ctx, tx, actor.Org, id, store.Name, toolSign, "section_id")
		for section, q := range all {
			out[section] = Asked{Proposal: q.Proposal.ID, Open: q.Under(), Verdict: q.Made.Verdict, By: q.Made.ActorID,
				Reason: q.Made.Reason}
		}
		return err
	})
	return out, err
}
