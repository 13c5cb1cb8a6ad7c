package signin

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// EmailOf is the mailbox of somebody who has signed in, as their office says it; empty where
// it is not known. It reads in the caller's transaction.
func EmailOf(ctx context.Context, tx pgx.Tx, org identity.Org, id string) (email string, err error) {
	err = tx.QueryRow(ctx, `select email from gavel.person where org = $1 and id = $2`, org, id).Scan(&email)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return email, err
}
