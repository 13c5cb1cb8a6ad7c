package evidence

import (
	"context"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

const factColumns = `f.case_id, f.id, f.version, f.key, f.kind, f.value::text, coalesce(f.exact, ''), f.unit, f.display,
	f.decimals, f.as_of, f.subject, f.source, f.calc`

// factRow is a fact as its table has it.
func factRow(row pgx.CollectableRow) (fact.Fact, error) {
	f := fact.Fact{Rounding: fact.Rounding{HalfAway: true}}
	var asOf *time.Time
	err := row.Scan(&f.Case, &f.ID, &f.Version, &f.Key, &f.Kind, &f.Value, &f.Exact, &f.Unit, &f.Display,
		&f.Rounding.Decimals, &asOf, &f.Subject, &f.Source, &f.Calc)
	if asOf != nil {
		f.AsOf = asOf.UTC()
	}
	return f, err
}

func facts(ctx context.Context, tx pgx.Tx, from string, args ...any) ([]fact.Fact, error) {
	rows, _ := tx.Query(ctx, `select `+factColumns+` from `+from, args...)
	return pgx.CollectRows(rows, factRow)
}

// read runs a query for facts in a transaction of its own.
func (s *Store) read(ctx context.Context, org identity.Org, from string, args ...any) (out []fact.Fact, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		out, err = facts(ctx, tx, from, args...)
		return err
	})
	return out, err
}

// A FactQuery pages through a case's facts.
type FactQuery struct {
	After fact.ID // facts after this one; empty for the first
	Limit int     // 1 to 1000; zero means 200
}

// Facts lists the newest version of a case's facts, by number.
func (s *Store) Facts(ctx context.Context, org identity.Org, id casefile.CaseID, q FactQuery) ([]fact.Fact, error) {
	if q.Limit < 0 || q.Limit > 1000 {
		return nil, fault.New(fault.Invalid, "a page has 1 to 1000 facts, not %d", q.Limit)
	}
	if q.Limit == 0 {
		q.Limit = 200
	}
	const newest = `(select distinct on (number) * from gavel.fact where case_id = $1 and number > $2 order by number, version desc
		limit $3) f
		order by f.number`
	return s.read(ctx, org, newest, id, q.After.Number(), q.Limit)
}

// Fact reads one version of a fact. Version 0 is the newest.
func (s *Store) Fact(ctx context.Context, org identity.Org, id casefile.CaseID, ref fact.Ref) (fact.Fact, error) {
	const one = `gavel.fact f where f.case_id = $1 and f.id = $2 and ($3 = 0 or f.version = $3) order by f.version desc limit 1`
	found, err := s.read(ctx, org, one, id, ref.ID, ref.Version)
	switch {
	case err != nil:
		return fact.Fact{}, err
	case len(found) == 0 && ref.Version > 0:
		return fact.Fact{}, fault.New(fault.NotFound, "there is no fact %.40s in this case", ref)
	case len(found) == 0:
		return fact.Fact{}, fault.New(fault.NotFound, "there is no fact %.40s in this case", ref.ID)
	}
	return found[0], nil
}

// Versions lists every version of one fact, the oldest first.
func (s *Store) Versions(ctx context.Context, org identity.Org, id casefile.CaseID, n fact.ID) ([]fact.Fact, error) {
	return s.read(ctx, org, `gavel.fact f where f.case_id = $1 and f.id = $2 order by f.version`, id, n)
}

// Book reads all facts of a case at one moment, for rendering and verifying.
func (s *Store) Book(ctx context.Context, org identity.Org, id casefile.CaseID) (*fact.Book, error) {
	all, err := s.all(ctx, org, id)
	if err != nil {
		return nil, err
	}
	return fact.OpenBook(string(id), all)
}

func (s *Store) all(ctx context.Context, org identity.Org, id casefile.CaseID) ([]fact.Fact, error) {
	return s.read(ctx, org, `gavel.fact f where f.case_id = $1 order by f.number, f.version`, id)
}

// Entered lists the facts that one record of the log is about, in the order of
// their entry: reperform.BatchDigest of them is what the record holds.
func (s *Store) Entered(ctx context.Context, org identity.Org, rec audit.RecordID) ([]fact.Fact, error) {
	return s.read(ctx, org, `gavel.fact f where f.record_id = $1 order by f.nth`, rec)
}

// Basis lists what a fact rests on, through all its inputs, itself first: the
// formula opened down to the readings. most bounds the answer.
func (s *Store) Basis(ctx context.Context, org identity.Org, id casefile.CaseID, ref fact.Ref, most int) ([]fact.Fact, error) {
	out := []fact.Fact{}
	seen := map[fact.Ref]bool{ref: true}
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		for next := []fact.Ref{ref}; len(next) > 0; {
			level, err := factsAt(ctx, tx, id, next)
			if err != nil {
				return err
			}
			next = nil
			for _, f := range level {
				out = append(out, f)
				if f.Calc == nil {
					continue
				}
				for _, in := range f.Calc.Inputs {
					if !seen[in] {
						seen[in], next = true, append(next, in)
					}
				}
			}
			if len(seen) > most {
				return fault.New(fault.TooLarge, "%s rests on more than %d facts", ref, most)
			}
		}
		return nil
	})
	if err == nil && len(out) == 0 {
		err = fault.New(fault.NotFound, "there is no fact %.40s in this case", ref)
	}
	return out, err
}

// pinned are facts by number and version.
type pinned map[fact.Ref]fact.Fact

func (p pinned) find(ref fact.Ref) (fact.Fact, bool) {
	f, ok := p[ref]
	return f, ok
}

func pin(facts []fact.Fact) pinned {
	p := pinned{}
	for _, f := range facts {
		p[f.Ref()] = f
	}
	return p
}

// At reads the named versions of a case's facts; what is not there is left out.
func (s *Store) At(ctx context.Context, org identity.Org, id casefile.CaseID, refs []fact.Ref) (found map[fact.Ref]fact.Fact, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		facts, err := factsAt(ctx, tx, id, refs)
		found = pin(facts)
		return err
	})
	return found, err
}

// factsAt reads the named versions, by number and version. All versions of their
// facts are fetched, because a set of ids is looked up in one pass however the
// planner goes about it.
func factsAt(ctx context.Context, tx pgx.Tx, id casefile.CaseID, refs []fact.Ref) ([]fact.Fact, error) {
	ids, wanted := make([]string, 0, len(refs)), make(map[fact.Ref]bool, len(refs))
	for _, r := range refs {
		wanted[r] = true
		ids = append(ids, string(r.ID))
	}
	slices.Sort(ids)
	found, err := facts(ctx, tx, `gavel.fact f where f.case_id = $1 and f.id = any($2) order by f.number, f.version`, id,
		slices.Compact(ids))
	return slices.DeleteFunc(found, func(f fact.Fact) bool { return !wanted[f.Ref()] }), err
}

// newest reads the newest version of each named fact.
func newest(ctx context.Context, tx pgx.Tx, id casefile.CaseID, ids []fact.ID) (map[fact.ID]fact.Fact, error) {
	found, err := facts(ctx, tx, `gavel.fact f where f.case_id = $1 and f.id = any($2) order by f.version`, id, ids)
	if err != nil {
		return nil, err
	}
	out := make(map[fact.ID]fact.Fact, len(ids))
	for _, f := range found {
		out[f.ID] = f
	}
	for _, n := range ids {
		if _, ok := out[n]; !ok {
			return nil, fault.New(fault.NotFound, "there is no fact %.40s in this case", n)
		}
	}
	return out, nil
}
