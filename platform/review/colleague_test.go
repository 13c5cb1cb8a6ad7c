package review_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

func ids(all []identity.Actor) (out []string) {
	for _, who := range all {
		out = append(out, who.ID)
	}
	return out
}

// TestWhoIsOfferedCanBeAssignedAndNobodyElse promises that choosing any of the names
// works, and that nobody is missing who may decide by their own right: not who has
// approved, nor in whose stead somebody has.
func TestWhoIsOfferedCanBeAssignedAndNobodyElse(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.people["p:blind"] = person("p:blind", identity.ProgrammeManager)
	r.people["p:both"] = person("p:both", identity.ProgrammeManager, identity.Auditor)
	r.people["p:none"] = person("p:none")
	r.people["p:s"] = identity.Actor{Kind: identity.Person, ID: "p:s", Org: south, Roles: manager.Roles}
	s := r.with(t, review.Config{CanOpen: func(_ context.Context, who identity.Actor, _ review.Proposal) error {
		if who.ID == "p:blind" {
			return fault.New(fault.Refused, "may not see photographs")
		}
		return nil
	}})
	p := r.propose(t, func(p *review.Proposal) { p.Required = 3 })
	r.people["p:away"] = person("p:away", identity.ProgrammeManager)
	r.delegate(t, r.people["p:away"], deputy.ID)
	r.decide(t, deputy, r.answer(p, review.Approve))
	others, err := s.Assignable(t.Context(), second, p)
	if err != nil || len(others) < 2 {
		t.Fatalf("offered are %v, %v", ids(others), err)
	}
	for id := range r.people {
		offered := slices.Contains(ids(others), id)
		err := s.Assign(t.Context(), second, p.ID, id)
		if offered != (err == nil) {
			t.Errorf("%s: offered %t, and assigning says %v", id, offered, err)
		}
	}
}

func TestWhoCouldDecideInOnesSteadIsOfferedByName(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.people["p:none"] = person("p:none")
	got, err := r.Stand(t.Context(), manager)
	if err != nil || slices.Contains(ids(got), manager.ID) || slices.Contains(ids(got), "p:none") ||
		!slices.Contains(ids(got), officer.ID) {
		t.Errorf("offered are %v, %v; want others, and only who may decide something", ids(got), err)
	}
	_, err = r.Stand(t.Context(), person("p:nobody"))
	wantKind(t, "who decides nothing", err, fault.Refused)
	for i := range review.MostColleagues {
		id := fmt.Sprintf("p:%d", i)
		r.people[id] = person(id, identity.Officer)
	}
	if got, err := r.Stand(t.Context(), manager); err != nil || got != nil {
		t.Errorf("of very many people %d are offered, %v; want none, so that an id is asked for", len(got), err)
	}
}
