// Package correction takes what a district says is wrong with a signal: it did not happen so, another signal tells of the same, or it
// happened in another district. An officer who did not file it decides; where it is accepted the scores are computed again, and what they
// were and are is kept.
//
// Read File, then tool.go, which people decide about, and advance.go, the life of its case.
package correction

import (
	"context"
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// Config is what a Clerk stands on, beside the store.
type Config struct {
	Reviews *review.Store
	Calls   *agent.Calls
}

// A Clerk takes corrections. It is made before anything it stands on is there, and opened once.
type Clerk struct {
	store *store.Store
	desk  *casework.Desk

	reviews *review.Store
	calls   *agent.Calls
}

// New makes a clerk that is not opened yet.
func New(s *store.Store, d *casework.Desk) *Clerk { return &Clerk{store: s, desk: d} }

// Open tells it what it stands on.
func (c *Clerk) Open(o Config) { c.reviews, c.calls = o.Reviews, o.Calls }

// A Filing is what somebody says is wrong with a signal.
type Filing struct {
	LGD     int
	EventID string
	Kind    store.CorrectionKind
	Other   string // of a duplicate
	ToLGD   int    // of a wrong district
	Reason  string
}

// maxReason bounds a reason, in characters.
const maxReason = 2000

// check refuses what says too little, too much, or names somebody.
func (f *Filing) check() error {
	f.Reason = strings.TrimSpace(f.Reason)
	switch {
	case !slices.Contains([]store.CorrectionKind{store.WrongSignal, store.DuplicateSignal, store.WrongDistrict}, f.Kind):
		return fault.New(fault.Invalid, "say what is wrong: wrong, duplicate or district").Because("no_choice", "value", string(f.Kind))
	case f.Reason == "":
		return fault.New(fault.Invalid, "give a reason").WithNext("say in a sentence why").On("reason", "netra_reason", "")
	case len([]rune(f.Reason)) > maxReason:
		return fault.New(fault.TooLarge, "the reason has more than %d characters", maxReason)
	case (f.Kind == store.DuplicateSignal) != (f.Other != "") || f.Other == f.EventID:
		return fault.New(fault.Invalid, "a duplicate names the other signal, and nothing else does").On("other", "netra_other", "")
	case (f.Kind == store.WrongDistrict) != (f.ToLGD != 0) || f.ToLGD == f.LGD:
		return fault.New(fault.Invalid, "a wrong district names the right one, and nothing else does").On("to_lgd", "netra_to", "")
	}
	return store.Impersonal(f.Reason)
}

// File writes a correction down and opens its case, on which people are asked.
func (c *Clerk) File(ctx context.Context, actor identity.Actor, f Filing) (store.Correction, error) {
	var out store.Correction
	if err := c.store.May(actor, store.ActCorrect); err != nil {
		return out, err
	}
	if err := f.check(); err != nil {
		return out, err
	}
	if c.store.CaseStore() == nil {
		return out, fault.New(fault.Unavailable, "no cases are kept here").Because("not_set_up")
	}
	book, err := c.store.Book(ctx, actor)
	if err != nil {
		return out, err
	}
	e, ok := book.Find(f.LGD, c.store.Now())
	if !ok {
		return out, fault.New(fault.NotFound, "no district has the code %d", f.LGD).WithNext("see the list of districts")
	}
	if _, ok := book.Find(f.ToLGD, c.store.Now()); f.ToLGD != 0 && !ok {
		return out, fault.New(fault.NotFound, "no district has the code %d", f.ToLGD).WithNext("see the list of districts")
	}
	role := identity.Analyst
	if actor.Has(identity.Officer) {
		role = identity.Officer
	}
	return c.store.FileCorrection(ctx, actor, store.Correction{LGD: f.LGD, EventID: f.EventID, Kind: f.Kind, Other: f.Other, ToLGD: f.ToLGD,
		Reason: f.Reason, FiledRole: role}, e.Name+", "+e.State+": correction of a signal")
}
