package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// MostOfCase bounds what DecisionsIn reads.
const MostOfCase = 200

// DecisionsIn reads the newest decisions on the proposals of a case, oldest
// first, for who may read proposals.
func (s *Store) DecisionsIn(ctx context.Context, actor identity.Actor, caseID string) (made []Made, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	const newest = `select ` + madeColumns + ` from gavel.proposal p join gavel.decision d on d.org = p.org and d.proposal = p.id
		where p.org = $1 and p.case_id = $2 order by d.at desc, d.id desc limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, newest, actor.Org, caseID, MostOfCase)
		made, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Made])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("decisions in %s: %w", caseID, err)
	}
	slices.Reverse(made)
	return made, nil
}
