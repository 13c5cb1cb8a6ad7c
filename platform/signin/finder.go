package signin

import (
	"context"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Finder finds a person of an organisation by their id, with the roles they had
// when they last signed in, in a transaction of the caller's. In development it
// knows those of the development tokens, too, whose ids say all there is to know.
func Finder(development bool) func(ctx context.Context, tx pgx.Tx, org identity.Org, id string) (identity.Actor, error) {
	return func(ctx context.Context, tx pgx.Tx, org identity.Org, id string) (identity.Actor, error) {
		if said, dev := strings.CutPrefix(id, "dev:"); dev && development {
			return devPerson(org, said)
		}
		found, err := personByID(ctx, tx, id)
		if err != nil {
			return identity.Actor{}, err
		}
		return found.Actor(org), nil
	}
}

// devPerson is who "role@org", or "role-2@org", names.
func devPerson(org identity.Org, said string) (identity.Actor, error) {
	who, where, _ := strings.Cut(said, "@")
	actor, err := devActor(org, who)
	if err != nil || where != string(org) {
		return identity.Actor{}, fault.New(fault.NotFound, "nobody here has the id dev:%.60s", said)
	}
	return actor, nil
}
