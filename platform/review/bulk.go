package review

import (
	"context"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// MostAtOnce is how many proposals are decided in one go.
const MostAtOnce = 100

// A Result is what became of one decision of several.
type Result struct {
	Proposal string
	State    State // after it; empty where Err says why there is none
	Err      error
}

// DecideAll decides several proposals the same way, one after the other, each as
// Decide does and whatever becomes of the others: what has changed meanwhile is
// skipped and says so, and so is a case to which the person concerned has objected,
// or whose evidence is not what the decision names, or what was there when it was
// proposed where it names none. Only proposals of one kind and tool are decided together,
// only routine ones or weighty ones, and only approved or rejected: anything else is
// refused before the first. A weighty one that does not say whom it is about is skipped.
func (s *Store) DecideAll(ctx context.Context, actor identity.Actor, all []Decision) ([]Result, error) {
	if err := s.rules.May(actor, actDecide); err != nil {
		return nil, err
	}
	if err := s.checkBulk(ctx, actor.Org, all); err != nil {
		return nil, err
	}
	results := make([]Result, len(all))
	for i, d := range all {
		results[i].Proposal = d.Proposal
		if results[i].Err = ctx.Err(); results[i].Err != nil {
			continue
		}
		d.several = true
		p, err := s.Decide(ctx, actor, d)
		results[i].State, results[i].Err = p.State, err
	}
	return results, nil
}

func (s *Store) checkBulk(ctx context.Context, org identity.Org, all []Decision) error {
	if len(all) == 0 || len(all) > MostAtOnce {
		return fault.New(fault.TooLarge, "1 to %d proposals are decided at once, not %d", MostAtOnce, len(all)).
			Because("too_many_ticked", "n", strconv.Itoa(MostAtOnce))
	}
	ids, seen := make([]string, len(all)), map[string]bool{}
	for i, d := range all {
		if d.Verdict != all[0].Verdict || d.Verdict != Approve && d.Verdict != Reject {
			return fault.New(fault.Invalid, "several proposals are all approved or all rejected")
		}
		if seen[d.Proposal] || seen[d.ID] {
			return fault.New(fault.Invalid, "%.40s stands there twice, or two decisions have one id", d.Proposal)
		}
		ids[i], seen[d.Proposal], seen[d.ID] = d.Proposal, true, true
	}
	const heads = `select ` + headColumns + ` from gavel.proposal p where p.org = $1 and p.id = any ($2)`
	var found []Proposal
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(ctx, heads, org, ids)
		found, err = pgx.CollectRows(rows, scanProposal)
		return err
	})
	if err != nil {
		return fmt.Errorf("decide several: %w", err)
	}
	for _, p := range found { // what is not there is told by Decide
		first := found[0]
		if p.Kind != first.Kind || p.App != first.App || p.Tool != first.Tool {
			return fault.New(fault.Conflict, "%s and %s are not of one kind", first.ID, p.ID).WithNext("decide each kind by itself").
				Because("not_one_kind", "id", first.ID, "other", p.ID)
		}
		if !s.classOf(p).Together() {
			return fault.New(fault.Conflict, "%s is decided by itself", p.ID).WithNext("open %s, then decide it", p.ID).
				Because("by_itself", "id", p.ID)
		}
	}
	return nil
}
