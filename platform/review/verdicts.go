package review

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Verdicts reads what code found, where the documents of some proposals say so:
// their member "verdict", as it stands. Lists show it beside what would be done,
// and read nothing else of a document. A proposal without one, or whose words are
// erased, is left out.
func (s *Store) Verdicts(ctx context.Context, actor identity.Actor, ids ...string) (map[string]json.RawMessage, error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	if len(ids) > maxKeys {
		return nil, fault.New(fault.TooLarge, "at most %d verdicts are read at once, not %d", maxKeys, len(ids))
	}
	const some = `select p.id, p.shown::jsonb ->> 'verdict' from gavel.proposal p
		where p.org = $1 and p.id = any ($2) and p.shown like '%"verdict":{%'`
	found := make(map[string]json.RawMessage, len(ids))
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, some, actor.Org, ids)
		var id string
		var verdict *string
		_, err := pgx.ForEachRow(rows, []any{&id, &verdict}, func() error {
			if verdict != nil {
				found[id] = json.RawMessage(*verdict)
			}
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read verdicts: %w", err)
	}
	return found, nil
}
