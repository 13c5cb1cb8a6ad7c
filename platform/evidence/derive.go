package evidence

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Formula asks for a fact: an operation over the newest versions of facts.
type Formula struct {
	Op     fact.Op   `json:"op"`
	Inputs []fact.ID `json:"inputs"`
}

// Derive computes a fact from the newest versions of others and enters it. Asked
// again, with nothing changed, it returns the same fact.
func (s *Store) Derive(ctx context.Context, actor identity.Actor, id casefile.CaseID, op fact.Op, inputs ...fact.ID) (fact.Fact, error) {
	out, err := s.DeriveAll(ctx, actor, id, Formula{Op: op, Inputs: inputs})
	if err != nil {
		return fact.Fact{}, err
	}
	return out[0], nil
}

// DeriveAll computes several facts in one transaction; all are entered or none.
// A formula cannot use the result of another of the same call.
func (s *Store) DeriveAll(ctx context.Context, actor identity.Actor, id casefile.CaseID, formulas ...Formula) (out []fact.Fact, err error) {
	if err := s.mayKeep(actor); err != nil {
		return nil, err
	}
	ids, err := inputsOf(formulas)
	if err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := openCase(ctx, tx, id); err != nil {
			return err
		}
		known, err := newest(ctx, tx, id, ids)
		if err != nil {
			return err
		}
		drafts := make([]fact.Fact, len(formulas))
		for i, f := range formulas {
			if drafts[i], err = s.compute(f, known); err != nil {
				return err
			}
		}
		out, err = s.mint(ctx, tx, actor, id, drafts)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("derive facts of %s: %w", id, err)
	}
	return out, nil
}

func (s *Store) compute(f Formula, known map[fact.ID]fact.Fact) (fact.Fact, error) {
	inputs := make([]fact.Fact, len(f.Inputs))
	for i, n := range f.Inputs {
		inputs[i] = known[n]
	}
	return fact.Derive(f.Op, s.code, inputs...)
}

// inputsOf lists the facts that formulas use, each once.
func inputsOf(formulas []Formula) ([]fact.ID, error) {
	var ids []fact.ID
	for _, f := range formulas {
		if len(f.Inputs) > fact.MaxInputs {
			return nil, fault.New(fault.TooLarge, "a derivation has at most %d inputs, not %d", fact.MaxInputs, len(f.Inputs))
		}
		ids = append(ids, f.Inputs...)
	}
	if len(formulas) == 0 || len(formulas) > maxDrafts || len(ids) > 10*fact.MaxInputs {
		return nil, fault.New(fault.TooLarge, "1 to %d formulas with %d inputs in all are computed at once", maxDrafts, 10*fact.MaxInputs)
	}
	for _, n := range ids {
		if n.Number() == 0 {
			return nil, fault.New(fault.Invalid, "%.40q is not the number of a fact", n)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids), nil
}
