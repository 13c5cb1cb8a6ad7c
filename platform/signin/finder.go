package signin

import (
	"context"
	"fmt"
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

// Lister lists up to a number of people of an organisation who held a role when they
// last signed in, by name. In development those of the development tokens come first.
func Lister(development bool) func(ctx context.Context, tx pgx.Tx, org identity.Org, most int) ([]identity.Actor, error) {
	return func(ctx context.Context, tx pgx.Tx, org identity.Org, most int) (all []identity.Actor, err error) {
		if development {
			all = devPeople(org)
		}
		const holding = `select ` + personColumns + ` from gavel.person where erased_at is null and roles <> '{}' order by name, id
			limit $1`
		rows, _ := tx.Query(ctx, holding, most)
		found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[personRow])
		if err != nil {
			return nil, fmt.Errorf("list people: %w", err)
		}
		for _, r := range found {
			all = append(all, r.person().Actor(org))
		}
		return all[:min(len(all), most)], nil
	}
}

// devPeople are the two people of each role.
func devPeople(org identity.Org) (all []identity.Actor) {
	for _, role := range identity.Roles() {
		for _, who := range []string{string(role), string(role) + second} {
			if actor, err := devActor(org, who); err == nil {
				all = append(all, actor)
			}
		}
	}
	return all
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
