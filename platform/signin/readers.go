package signin

import (
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// mostInRole is how many people one notice to a role reaches.
const mostInRole = 500

// To finds whom "person:<id>" or "role:<role>" names, in a transaction of the
// caller's: for word that reaches people while they are away. A role counts as of
// the last sign-in. Nobody is no fault.
func To(ctx context.Context, tx pgx.Tx, to string) ([]Person, error) {
	kind, name, _ := strings.Cut(to, ":")
	where := map[string]string{"person": `id = $1`, "role": `$1 = any(roles)`}[kind]
	if where == "" || name == "" {
		return nil, nil
	}
	rows, _ := tx.Query(ctx, `select `+personColumns+` from gavel.person where erased_at is null and `+where+` order by id limit $2`, name,
		mostInRole)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[personRow])
	if err != nil {
		return nil, fmt.Errorf("find people: %w", err)
	}
	all := make([]Person, len(found))
	for i, r := range found {
		all[i] = r.person()
	}
	return all, nil
}
