package review

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A DelegationQuery narrows a list of delegations.
type DelegationQuery struct {
	Person string // who gave or has them; empty for everybody's
	Over   bool   // those that are over, too
	After  string // page token: the last delegation of the page before
	Limit  int    // 1 to 200; zero means 50
}

// Delegations reads what a person has delegated and what is delegated to them,
// the newest first, and the token of the next page, empty when there is none.
// Those of others are for who may see who has which role.
func (s *Store) Delegations(ctx context.Context, actor identity.Actor, q DelegationQuery) (list []Delegation, next string, err error) {
	if err := s.rules.May(actor, actInbox); err != nil && s.rules.May(actor, actSeePeople) != nil {
		return nil, "", err
	}
	if q.Person != actor.ID {
		if err := s.rules.May(actor, actSeePeople); err != nil {
			return nil, "", err
		}
	}
	if q.Limit == 0 {
		q.Limit = 50
	}
	if q.Limit < 0 || q.Limit > 200 {
		return nil, "", fault.New(fault.Invalid, "a page has 1 to 200 items, not %d", q.Limit)
	}
	const page = `select ` + delegationColumns + ` from gavel.delegation
		where org = $1 and ($2 = '' or from_id = $2 or to_id = $2) and ($3 or ended_at is null and ends_at > $4) and ($5 = '' or id < $5)
		order by id desc limit $6`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, actor.Org, q.Person, q.Over, s.clock.Now(), q.After, q.Limit+1)
		list, err = pgx.CollectRows(rows, scanDelegation)
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("list delegations: %w", err)
	}
	if len(list) > q.Limit {
		list = list[:q.Limit]
		next = list[q.Limit-1].ID
	}
	return list, next, nil
}

// Leaves are the delegations under which an actor may decide a proposal now, in
// the order in which Decide takes them: the first is the one it would use. Who may
// by their own right needs none, and may have some all the same.
func (s *Store) Leaves(ctx context.Context, actor identity.Actor, p Proposal) (list []Delegation, err error) {
	if s.rules.May(actor, actDecide) != nil || barredFrom(actor, p) != nil || p.Gate != ByAnother {
		return nil, nil
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		voices, err := heard(ctx, tx, p)
		if err != nil {
			return err
		}
		all, err := inForce(ctx, tx, p.Org, actor.ID, s.clock.Now())
		if err != nil {
			return err
		}
		for _, d := range all {
			covers, err := s.covers(ctx, tx, d, p)
			if err != nil {
				return err
			}
			if covers && (p.State != Open || !slices.Contains(voices, d.From)) {
				list = append(list, d)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("by whose leave %.40s is decided: %w", p.ID, err)
	}
	return list, nil
}

// heard are those who have approved a proposal, and those in whose stead somebody has.
func heard(ctx context.Context, tx pgx.Tx, p Proposal) ([]string, error) {
	const voices = `select distinct unnest(array[actor_id, on_behalf]) from gavel.decision where org = $1 and proposal = $2
		and verdict = 'approve'`
	rows, _ := tx.Query(ctx, voices, p.Org, p.ID)
	return pgx.CollectRows(rows, pgx.RowTo[string])
}

// DelegationsOf reads delegations by their ids in the caller's transaction: for
// bundles, which show by whose leave somebody decided.
func DelegationsOf(ctx context.Context, tx pgx.Tx, org identity.Org, ids ...string) ([]Delegation, error) {
	if len(ids) > MaxOfCase {
		return nil, fault.New(fault.TooLarge, "at most %d delegations are read at once", MaxOfCase)
	}
	const all = `select ` + delegationColumns + ` from gavel.delegation where org = $1 and id = any ($2) order by id`
	rows, _ := tx.Query(ctx, all, org, ids)
	return pgx.CollectRows(rows, scanDelegation)
}
