package bundletest

import (
	"testing"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/seal"
)

// Name is what the person of Person is called.
const Name = "Zubeida Quiñonez-Ravn"

// Person puts somebody on a case: a note about them, a number they are named in,
// stated and computed, and a note about nobody after it. It returns the number of
// their note.
func (s *Stage) Person(t testing.TB, id casefile.CaseID, who seal.Subject) (seq int64) {
	t.Helper()
	ctx := t.Context()
	must(t, s.Cases.Note(ctx, Analyst, id, "", Name+" was asked and says the van was full.", who))
	c, err := s.Cases.Get(ctx, Analyst.Org, id)
	must(t, err)
	trips := func(measure, number string) fact.Fact {
		return s.read(t, fact.Reading{Kind: fact.Assumed, Number: number,
			Subject: fact.Subject{Type: who.Type, IDs: map[string]string{who.Type: who.ID, "measure": measure},
				Names: fact.Names{EN: []string{Name}}},
			Source: fact.Source{Selector: fact.Selector{Manual: &fact.Manual{By: Analyst.ID}}}})
	}
	entered, err := s.Evidence.Record(ctx, Analyst, id, trips("trips", "31"), trips("trips_at_night", "12"))
	must(t, err)
	_, err = s.Evidence.Derive(ctx, Analyst, id, fact.Ratio, entered[0].ID, entered[1].ID)
	must(t, err)
	must(t, s.Cases.Note(ctx, Analyst, id, "", "The log of the gate is still missing."))
	return c.Version
}

// Erase erases somebody.
func (s *Stage) Erase(t testing.TB, who seal.Subject) seal.Erasure {
	t.Helper()
	done, err := s.Vault.Erase(t.Context(), Admin, seal.Request{Subject: who, Ground: seal.OnRequest, Reference: "DSR-7"})
	must(t, err)
	return done
}
