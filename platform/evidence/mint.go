package evidence

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence/reperform"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Mint gives vetted facts their numbers and keeps them, in the caller's
// transaction. It locks the case until that transaction ends, so numbers are
// given one writer after another and have no gaps. The rules are those of
// fact.Book; a Book is not used, because it would have to be read whole, and
// a test holds the two to the same answers.
func (s *Store) Mint(ctx context.Context, tx pgx.Tx, id casefile.CaseID, v Vetted) ([]fact.Fact, error) {
	if _, err := openCase(ctx, tx, id); err != nil {
		return nil, err
	}
	if err := recompute(ctx, tx, id, v.drafts); err != nil {
		return nil, err
	}
	return s.mint(ctx, tx, v.actor, id, v.drafts)
}

// recompute does the computed drafts again from the versions they pin.
func recompute(ctx context.Context, tx pgx.Tx, id casefile.CaseID, drafts []fact.Fact) error {
	var refs []fact.Ref
	for _, f := range drafts {
		if f.Calc != nil {
			refs = append(refs, f.Calc.Inputs...)
		}
	}
	if len(refs) == 0 {
		return nil
	}
	slices.SortFunc(refs, func(x, y fact.Ref) int { return strings.Compare(x.String(), y.String()) })
	found, err := factsAt(ctx, tx, id, slices.Compact(refs))
	if err != nil {
		return err
	}
	inputs := pin(found)
	for _, f := range drafts {
		if f.Calc == nil {
			continue
		}
		if v := reperform.Computed(f, inputs.find); v.Outcome != reperform.Pass {
			return fault.New(fault.Invalid, "a computed fact does not follow from its inputs: %s", v.Why)
		}
		if err := wellFormed(f); err != nil {
			return err
		}
	}
	return nil
}

// wellFormed checks the parts of a computed draft that do not follow from its
// inputs, its subject above all: a reading with the same parts must be allowed.
func wellFormed(f fact.Fact) error {
	_, err := fact.Read(fact.Reading{
		Kind: fact.Assumed, Number: "1", Unit: f.Unit, Decimals: f.Rounding.Decimals, Subject: f.Subject,
		Source: fact.Source{Selector: fact.Selector{Manual: &fact.Manual{By: "check"}}},
	})
	if err == nil && f.Source != nil {
		err = fault.New(fault.Invalid, "a computed fact has a calculation with inputs, and no source")
	}
	return err
}

// A ledger is as much of a case's register as one minting needs.
type ledger struct {
	latest  map[string]fact.Fact // by key
	numbers int                  // F-numbers given so far
	entered int                  // versions entered so far
	fresh   []fact.Fact          // new here, in order
}

func openLedger(ctx context.Context, tx pgx.Tx, id casefile.CaseID, drafts []fact.Fact) (*ledger, error) {
	l := &ledger{latest: make(map[string]fact.Fact, len(drafts))}
	const counts = `select coalesce(max(numbers), 0), coalesce(max(entered), 0) from gavel.fact_count where case_id = $1`
	if err := tx.QueryRow(ctx, counts, id).Scan(&l.numbers, &l.entered); err != nil {
		return nil, err
	}
	keys := make([]string, len(drafts))
	for i, f := range drafts {
		keys[i] = f.Key
	}
	slices.Sort(keys)
	const known = `gavel.fact f where f.case_id = $1 and f.key = any($2) order by f.version`
	versions, err := facts(ctx, tx, known, id, slices.Compact(keys))
	for _, f := range versions {
		l.latest[f.Key] = f
	}
	return l, err
}

// enter is fact.Book.Add for a draft that has been checked already.
func (l *ledger) enter(id casefile.CaseID, f fact.Fact) (fact.Fact, error) {
	old, known := l.latest[f.Key]
	if known && same(old, f) {
		return old, nil
	}
	if l.entered+len(l.fresh) >= fact.MaxFacts {
		return fact.Fact{}, fault.New(fault.TooLarge, "a case has at most %d facts", fact.MaxFacts)
	}
	f.Case, f.ID, f.Version = string(id), old.ID, old.Version+1
	if !known {
		l.numbers++
		f.ID = fact.NewID(l.numbers)
	}
	l.latest[f.Key] = f
	l.fresh = append(l.fresh, f)
	return f, nil
}

// same reports whether f says nothing new, as fact.Book sees it: a recomputation
// from newer inputs is new even where the value stays.
func same(old, f fact.Fact) bool {
	if old.Value != f.Value || old.Exact != f.Exact || !fact.SameUnit(old.Unit, f.Unit) {
		return false
	}
	if old.Calc == nil || f.Calc == nil {
		return old.Calc == f.Calc
	}
	return slices.Equal(sorted(old.Calc.Inputs), sorted(f.Calc.Inputs))
}

func sorted(refs []fact.Ref) []string {
	out := make([]string, len(refs))
	for i, r := range refs {
		out[i] = r.String()
	}
	slices.Sort(out)
	return out
}

// mint enters drafts that have been checked. The case is locked.
func (s *Store) mint(ctx context.Context, tx pgx.Tx, actor identity.Actor, id casefile.CaseID, drafts []fact.Fact) ([]fact.Fact, error) {
	l, err := openLedger(ctx, tx, id, drafts)
	if err != nil {
		return nil, err
	}
	out := make([]fact.Fact, len(drafts))
	for i, f := range drafts {
		if f.Case != "" && f.Case != string(id) {
			return nil, fault.New(fault.Invalid, "the fact belongs to case %.60s, not %.60s", f.Case, id)
		}
		if out[i], err = l.enter(id, f); err != nil {
			return nil, err
		}
	}
	if len(l.fresh) == 0 {
		return out, nil
	}
	at := s.clock.Now().Truncate(time.Microsecond)
	record, err := logFacts(ctx, tx, actor, id, at, l.fresh)
	if err != nil {
		return nil, err
	}
	if err := insertFacts(ctx, tx, actor, l, at, record); err != nil {
		return nil, fmt.Errorf("insert facts: %w", err)
	}
	if err := l.count(ctx, tx, actor.Org, id); err != nil {
		return nil, fmt.Errorf("count facts: %w", err)
	}
	return out, insertUses(ctx, tx, actor.Org, id, l.fresh)
}

// count keeps where the next number follows.
func (l *ledger) count(ctx context.Context, tx pgx.Tx, org identity.Org, id casefile.CaseID) error {
	const upsert = `insert into gavel.fact_count (org, case_id, numbers, entered) values ($1, $2, $3, $4)
		on conflict (org, case_id) do update set numbers = excluded.numbers, entered = excluded.entered`
	_, err := tx.Exec(ctx, upsert, org, id, l.numbers, l.entered+len(l.fresh))
	return err
}

// logFacts puts the digest of new facts into the log: a formula or a selector
// that is changed behind our back still re-performs, but no longer matches it.
func logFacts(ctx context.Context, tx pgx.Tx, actor identity.Actor, id casefile.CaseID, at time.Time,
	fresh []fact.Fact) (audit.RecordID, error) {
	sum, err := reperform.BatchDigest(fresh)
	if err != nil {
		return "", err
	}
	body := map[string]any{"facts": len(fresh), "first": fresh[0].Ref(), "last": fresh[len(fresh)-1].Ref(), "sha256": sum}
	return audit.Append(ctx, tx, audit.Record{At: at, Kind: RecordFacts, Actor: actor, Subject: string(id), Body: body})
}

// factArrays are the columns of new facts, for one insert of all.
type factArrays struct {
	ids, keys, kinds, values, units, displays []string
	versions, numbers, nths, decimals         []int
	exacts, subjects, snapshots               []*string
	sources, calcs                            []*string
	asOfs                                     []*time.Time
}

func arrays(l *ledger) (factArrays, error) {
	var a factArrays
	for i, f := range l.fresh {
		a.ids, a.keys, a.kinds = append(a.ids, string(f.ID)), append(a.keys, f.Key), append(a.kinds, string(f.Kind))
		a.values, a.units, a.displays = append(a.values, f.Value), append(a.units, f.Unit), append(a.displays, f.Display)
		a.versions, a.numbers = append(a.versions, f.Version), append(a.numbers, f.ID.Number())
		a.nths, a.decimals = append(a.nths, l.entered+i+1), append(a.decimals, f.Rounding.Decimals)
		a.exacts = append(a.exacts, orNull(string(f.Exact)))
		subject, err := json.Marshal(f.Subject)
		if err != nil {
			return a, err
		}
		a.subjects = append(a.subjects, orNull(string(subject)))
		var asOf *time.Time
		if !f.AsOf.IsZero() {
			asOf = &f.AsOf
		}
		a.asOfs = append(a.asOfs, asOf)
		var snapshot string
		var source, calc []byte
		if f.Source != nil {
			snapshot = f.Source.Snapshot
			source, err = json.Marshal(f.Source)
		} else {
			calc, err = json.Marshal(f.Calc)
		}
		if err != nil {
			return a, err
		}
		a.snapshots = append(a.snapshots, orNull(snapshot))
		a.sources, a.calcs = append(a.sources, orNull(string(source))), append(a.calcs, orNull(string(calc)))
	}
	return a, nil
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func insertFacts(ctx context.Context, tx pgx.Tx, actor identity.Actor, l *ledger, at time.Time, record audit.RecordID) error {
	a, err := arrays(l)
	if err != nil {
		return err
	}
	const insert = `
		insert into gavel.fact (org, case_id, id, version, number, nth, key, kind, value, exact, unit, display, decimals, as_of,
			subject, snapshot, source, calc, at, actor_kind, actor_id, record_id)
		select $1, $2, n.id, n.version, n.number, n.nth, n.key, n.kind, n.value::numeric, n.exact, n.unit, n.display, n.decimals, n.as_of,
			n.subject::jsonb, n.snapshot, n.source::jsonb, n.calc::jsonb, $3, $4, $5, $6
		from unnest($7::text[], $8::int[], $9::int[], $10::int[], $11::text[], $12::text[], $13::text[], $14::text[], $15::text[],
			$16::text[], $17::int[], $18::timestamptz[], $19::text[], $20::text[], $21::text[], $22::text[])
			n(id, version, number, nth, key, kind, value, exact, unit, display, decimals, as_of, subject, snapshot, source, calc)`
	_, err = tx.Exec(ctx, insert, actor.Org, l.fresh[0].Case, at, actor.Kind, actor.ID, record,
		a.ids, a.versions, a.numbers, a.nths, a.keys, a.kinds, a.values, a.exacts, a.units,
		a.displays, a.decimals, a.asOfs, a.subjects, a.snapshots, a.sources, a.calcs)
	return err
}
