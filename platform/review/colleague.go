package review

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// MostColleagues is how many people are offered by their names. In an organisation
// with more, somebody is named by their id.
const MostColleagues = 300

// Assignable lists by name who could be assigned a proposal by their own right. Who
// decides in somebody's stead is not among them: what is assigned to that one is in
// their inbox, too. The list is nil where people are not kept here, and where there are
// over MostColleagues of them.
func (s *Store) Assignable(ctx context.Context, actor identity.Actor, p Proposal) ([]identity.Actor, error) {
	if refused := s.rules.May(actor, actDecide); refused != nil && s.rules.May(actor, actAssign) != nil {
		return nil, refused
	}
	var voices []string
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) (err error) {
		voices, err = heard(ctx, tx, p)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("who has approved %.40s: %w", p.ID, err)
	}
	return s.colleagues(ctx, actor.Org, func(who identity.Actor) bool {
		return who.ID != p.AssignedTo && !slices.Contains(voices, who.ID) && barredFrom(who, p) == nil && ownRight(who, p) == nil &&
			s.checkOpen(ctx, who, p) == nil
	})
}

// Stand lists by name who could decide in the actor's stead. It is nil where
// Assignable's is.
func (s *Store) Stand(ctx context.Context, actor identity.Actor) ([]identity.Actor, error) {
	if err := s.rules.May(actor, actDelegate); err != nil {
		return nil, err
	}
	return s.colleagues(ctx, actor.Org, func(who identity.Actor) bool { return who.ID != actor.ID })
}

// colleagues lists those of an organisation who may decide something at all and are to
// be kept.
func (s *Store) colleagues(ctx context.Context, org identity.Org, keep func(identity.Actor) bool) ([]identity.Actor, error) {
	if s.people == nil {
		return nil, nil
	}
	var all []identity.Actor
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		all, err = s.people(ctx, tx, org, MostColleagues+1)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list colleagues: %w", err)
	}
	if len(all) > MostColleagues {
		return nil, nil
	}
	kept, may := []identity.Actor{}, map[string]bool{} // the policy looks at roles, and many hold the same
	for _, who := range all {
		roles := strings.Join(texts(who.Roles), " ")
		if _, asked := may[roles]; !asked {
			may[roles] = s.rules.May(who, actDecide) == nil
		}
		if may[roles] && keep(who) {
			kept = append(kept, who)
		}
	}
	return kept, nil
}
