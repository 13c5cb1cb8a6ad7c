package review

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
)

// Finding is what was found, and about whom, as the document has it that a person is
// shown. Nil for a proposal from before findings were kept, one that is read without its
// words, and once it was erased.
func (p Proposal) Finding() *finding.Finding {
	f, err := finding.In(p.Shown)
	if err != nil {
		return nil // a document of another form has none
	}
	return f
}

// findingColumn is the finding of a document, as text; null where there is none. The
// document is only taken apart where it has one.
const findingColumn = `case when p.shown like '%"finding":{%' then p.shown::json ->> 'finding' end`

func readFinding(text *string) *finding.Finding {
	if text == nil {
		return nil
	}
	var f finding.Finding
	if err := json.Unmarshal([]byte(*text), &f); err != nil || f.Subject.Name == "" {
		return nil // something else that is called so
	}
	return &f
}

// Findings reads what was found, for some proposals of a list: it reads nothing else of
// their documents. One without a finding, or whose words are erased, is left out.
func (s *Store) Findings(ctx context.Context, actor identity.Actor, ids ...string) (map[string]finding.Finding, error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, err
	}
	if len(ids) > maxKeys {
		return nil, fault.New(fault.TooLarge, "at most %d findings are read at once, not %d", maxKeys, len(ids))
	}
	var found map[string]finding.Finding
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) (err error) {
		found, err = FindingsIn(ctx, tx, actor.Org, ids...)
		return err
	})
	return found, err
}

// FindingsIn is the same in a transaction that acts for the organisation, for who has
// the right to it: notices to staff are made of it.
func FindingsIn(ctx context.Context, tx pgx.Tx, org identity.Org, ids ...string) (map[string]finding.Finding, error) {
	const some = `select p.id, ` + findingColumn + ` from gavel.proposal p where p.org = $1 and p.id = any ($2)`
	found := make(map[string]finding.Finding, len(ids))
	rows, _ := tx.Query(ctx, some, org, ids)
	var id string
	var text *string
	_, err := pgx.ForEachRow(rows, []any{&id, &text}, func() error {
		if f := readFinding(text); f != nil {
			found[id] = *f
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read findings: %w", err)
	}
	return found, nil
}
