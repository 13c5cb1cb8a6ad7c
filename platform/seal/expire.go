package seal

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// Expire erases a subject whose time is over. Nobody asks for it: it is what the
// organisation has set, and Gavel does it in its own name. Everything else is as
// Erase says, but that what a legal hold is on stays without a record each time:
// whoever calls tries again later.
func (v *Vault) Expire(ctx context.Context, org identity.Org, s Subject) (Erasure, error) {
	req := Request{Subject: s, Ground: Retention}
	if err := req.check(); err != nil {
		return Erasure{}, err
	}
	var holds []Hold
	err := v.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		holds, err = v.holdsOn(ctx, tx, org, s)
		return err
	})
	if err != nil {
		return Erasure{}, fmt.Errorf("look for holds on %s: %w", s, err)
	}
	if len(holds) > 0 {
		return Erasure{}, held(s, holds)
	}
	return v.erase(ctx, identity.Gavel(org), req)
}

// holdsOn are the holds that stand in the way of a subject's erasure.
func (v *Vault) holdsOn(ctx context.Context, tx pgx.Tx, org identity.Org, s Subject) ([]Hold, error) {
	at := v.now().UTC().Truncate(time.Microsecond)
	p, err := makePlan(ctx, tx, org, s)
	if err != nil {
		return nil, err
	}
	did, err := v.tryErasers(ctx, tx, org, &p, at)
	if err != nil {
		return nil, err
	}
	return activeHolds(ctx, tx, org, append(p.targets(), caseTargets(did.cases)...), at)
}
