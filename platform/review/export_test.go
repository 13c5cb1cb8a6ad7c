package review

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// InboxStatement is what Inbox asks the database, for a test of how it answers.
func (s *Store) InboxStatement(ctx context.Context, actor identity.Actor, q InboxQuery) (string, pgx.NamedArgs, error) {
	k, err := newKeys(actor, q, s.clock.Now())
	if err != nil {
		return "", nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return s.lookUp(ctx, tx, k) })
	return k.page(), k.args, err
}
