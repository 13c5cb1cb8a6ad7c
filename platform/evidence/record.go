package evidence

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence/reperform"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// maxDrafts bounds one entry of facts.
const maxDrafts = 20_000

// Vetted are drafts that were found to follow from their bytes. Only Vet makes
// them.
type Vetted struct {
	actor  identity.Actor
	drafts []fact.Fact
}

// Record enters facts that were read, entered or computed, and returns them with
// their numbers and versions, in the order of the drafts. What is already there
// with the same value is returned as it was. Each reading is done again from its
// bytes first; one draft that does not follow from them refuses all.
func (s *Store) Record(ctx context.Context, actor identity.Actor, id casefile.CaseID, drafts ...fact.Fact) (out []fact.Fact, err error) {
	v, err := s.Vet(ctx, actor, drafts...)
	if err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		out, err = s.Mint(ctx, tx, id, v)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("record facts of %s: %w", id, err)
	}
	return out, nil
}

// Vet checks drafts before they are minted, outside any transaction, because it
// reads their snapshots. A draft that a person stated must be of the person who
// is acting: neither a program nor an agent can put a number into somebody's
// mouth.
func (s *Store) Vet(ctx context.Context, actor identity.Actor, drafts ...fact.Fact) (Vetted, error) {
	if err := s.mayKeep(actor); err != nil {
		return Vetted{}, err
	}
	if len(drafts) == 0 || len(drafts) > maxDrafts {
		return Vetted{}, fault.New(fault.TooLarge, "1 to %d facts are recorded at once, not %d", maxDrafts, len(drafts))
	}
	v := Vetted{actor: actor, drafts: slices.Clone(drafts)}
	var readings reperform.Batch
	var at []int
	for i := range v.drafts {
		f := &v.drafts[i]
		f.ID, f.Version = "", 0
		f.AsOf = f.AsOf.UTC().Truncate(time.Microsecond)
		if err := vetForm(actor, *f); err != nil {
			return Vetted{}, fmt.Errorf("draft %d of %d: %w", i+1, len(drafts), err)
		}
		if f.Calc == nil {
			readings.Add(*f)
			at = append(at, i)
		}
	}
	for i, verdict := range readings.Check(s.opener(ctx, actor.Org)) {
		if err := vetOutcome(verdict); err != nil {
			return Vetted{}, fmt.Errorf("draft %d of %d: %w", at[i]+1, len(drafts), err)
		}
	}
	return v, ctx.Err()
}

// vetForm checks what can be seen in the draft alone.
func vetForm(actor identity.Actor, f fact.Fact) error {
	if y := f.AsOf.Year(); y < 1 || y > 9999 {
		return fault.New(fault.Invalid, "a fact's time lies in the years 1 to 9999, not %d", y)
	}
	texts := []string{f.Unit, f.Display, f.Subject.Type}
	texts = append(append(texts, f.Subject.Names.EN...), f.Subject.Names.HI...)
	for id, v := range f.Subject.IDs {
		texts = append(texts, id, v)
	}
	if f.Source != nil {
		texts = append(texts, selectorTexts(f.Source.Selector)...)
	}
	if !slices.ContainsFunc(texts, func(s string) bool { return !storable(s) }) {
		return vetSource(actor, f)
	}
	return fault.New(fault.Invalid, "a text of the fact holds a character that cannot be stored")
}

func selectorTexts(s fact.Selector) []string {
	switch {
	case s.CSV != nil:
		return []string{s.CSV.Column}
	case s.JSON != nil:
		return []string{s.JSON.Pointer}
	case s.Row != nil:
		return []string{s.Row.Table, s.Row.PK}
	case s.Manual != nil:
		return []string{s.Manual.By}
	}
	return nil
}

// vetSource holds readings to their kind: what was observed has bytes, and what
// a person stated has that person.
func vetSource(actor identity.Actor, f fact.Fact) error {
	if f.Source == nil {
		return nil // a computed one; anything else is refused when it is done again
	}
	m := f.Source.Selector.Manual
	switch {
	case m == nil && f.Source.Snapshot == "":
		return fault.New(fault.Invalid, "the fact names no snapshot it was read from")
	case m == nil:
		return nil
	case f.Kind == fact.Observed:
		return fault.New(fault.Invalid, "what a person enters is assumed or quoted, not observed")
	case actor.Kind != identity.Person || m.By != actor.ID:
		return fault.New(fault.Refused, "a value is entered by the person who states it, and by nobody else")
	}
	return nil
}

func vetOutcome(v reperform.Verdict) error {
	switch v.Outcome {
	case reperform.Pass, reperform.Stated:
		return nil
	case reperform.Unread:
		return fault.New(fault.NotFound, "the bytes it was read from are not to be had: %s", v.Why)
	}
	return fault.New(fault.Invalid, "it does not follow from its source: %s", v.Why)
}
