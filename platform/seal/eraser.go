package seal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// An Eraser blanks what one package's own tables say about a subject. It runs
// in the erasure's transaction, inside the organisation, and is asked again when
// the erasure is: a row that is blank already does not count. A preview runs it
// too, and undoes it.
type Eraser struct {
	Name string // of the package, for the record: "gatepass"
	// Erase blanks; at is the time of the erasure, as its records will say it.
	Erase func(ctx context.Context, tx pgx.Tx, s Subject, at time.Time) (Reach, error)
}

// A Reach is how far an eraser came.
type Reach struct {
	Rows    int       // blanked just now
	Cases   []string  // that those rows belong to: a hold on one of them refuses the whole erasure
	Blanked []Blanked // parts of cases that bundles show: each is put on record, so that a gap can be told from a forgery
	Left    string    // what it had to leave and why, up to 80 bytes without quotes; goes into the log, so it names nobody
}

// Blanked is parts of one case that lost their words. In JSON it is in the body
// of a record about the case, which goes into every later bundle of it.
type Blanked struct {
	Case   string   `json:"-"`
	What   string   `json:"what"`   // the kind of part: "entries"
	Listed []string `json:"listed"` // which of them, in their order; at most MostBlanked
	// Left is a digest of what remains of them, where the log holds one of what
	// they were.
	Left string `json:"left_sha256,omitempty"`
}

// MostBlanked is how many parts one Blanked may list; an eraser that blanked
// more returns several.
const MostBlanked = 200

// mostPart is the length of a part's name, in bytes: with MostBlanked of them a
// record still fits.
const mostPart = 30

// Reached is what one eraser did, as the record says it.
type Reached struct {
	Name string `json:"name"`
	Rows int    `json:"rows"`
	Left string `json:"left,omitempty"`
}

func checkErasers(all []Eraser) error {
	if len(all) > mostErasers {
		return fault.New(fault.Internal, "at most %d erasers, not %d", mostErasers, len(all))
	}
	seen := map[string]bool{ownRows: true}
	for _, e := range all {
		if !purposeForm.MatchString(e.Name) || e.Erase == nil || seen[e.Name] {
			return fault.New(fault.Internal, "eraser %.40q has no function, a malformed name, or one that is taken", e.Name)
		}
		seen[e.Name] = true
	}
	return nil
}

// ownRows is the name under which this package's own rows are counted.
const ownRows = "seal.holds"

// reached is what all erasers together did.
type reached struct {
	rows    []Reached
	cases   []string
	blanked []Blanked
}

// blank has the erasers do their work, and ours. Where a hold forbids it,
// nothing is blanked and the holds are returned.
func (v *Vault) blank(ctx context.Context, tx pgx.Tx, org identity.Org, p plan, at time.Time) (reached, []Hold, error) {
	holds, err := activeHolds(ctx, tx, org, p.targets(), at)
	if err != nil || len(holds) > 0 {
		return reached{}, holds, err
	}
	inner, err := tx.Begin(ctx) // a savepoint: the refusal itself must stay
	if err != nil {
		return reached{}, nil, err
	}
	did, err := v.runErasers(ctx, inner, org, p.subject, at)
	if err != nil {
		return reached{}, nil, err
	}
	if holds, err = activeHolds(ctx, inner, org, caseTargets(did.cases), at); err != nil {
		return reached{}, nil, err
	}
	if len(holds) > 0 {
		return reached{}, holds, inner.Rollback(ctx)
	}
	return did, nil, inner.Commit(ctx)
}

func caseTargets(cases []string) []string {
	targets := make([]string, len(cases))
	for i, c := range cases {
		targets[i] = Target{Case: c}.String()
	}
	return targets
}

// runErasers blanks what every package has, and notes in which cases.
func (v *Vault) runErasers(ctx context.Context, tx pgx.Tx, org identity.Org, s Subject, at time.Time) (did reached, err error) {
	for _, e := range v.erasers {
		reach, err := e.Erase(ctx, tx, s, at)
		if err == nil {
			err = reach.check()
		}
		if err != nil {
			return did, fmt.Errorf("eraser %s: %w", e.Name, err)
		}
		did.rows = append(did.rows, Reached{Name: e.Name, Rows: reach.Rows, Left: reach.Left})
		did.cases = append(did.cases, reach.Cases...)
		did.blanked = append(did.blanked, reach.Blanked...)
	}
	slices.Sort(did.cases)
	did.cases = slices.Compact(did.cases)
	n, err := blankHolds(ctx, tx, org, append(caseTargets(did.cases), s.String()), at)
	if err != nil {
		return did, fmt.Errorf("blank the reasons of holds: %w", err)
	}
	did.rows = slices.Insert(did.rows, 0, Reached{Name: ownRows, Rows: n})
	const note = `insert into gavel.erasure_case (org, subject, case_id) select $1, $2, c from unnest($3::text[]) c on conflict do nothing`
	if _, err := tx.Exec(ctx, note, org, s.String(), did.cases); err != nil {
		return did, fmt.Errorf("note the cases of an erasure: %w", err)
	}
	return did, nil
}

func (r Reach) check() error {
	unfit := func(c rune) bool { return !unicode.IsPrint(c) || c == '"' || c == '\\' }
	if r.Rows < 0 || len(r.Left) > mostLeft || strings.ContainsFunc(r.Left, unfit) {
		return fault.New(fault.Internal, "said that it blanked %d rows, or left a text that is over %d bytes or has quotes", r.Rows,
			mostLeft)
	}
	long := func(s string) bool { return s == "" || len(s) > mostPart }
	for _, b := range r.Blanked {
		if !slices.Contains(r.Cases, b.Case) || b.Case == "" || !purposeForm.MatchString(b.What) ||
			len(b.Listed) == 0 || len(b.Listed) > MostBlanked || slices.ContainsFunc(b.Listed, long) {
			return fault.New(fault.Internal, "said that it blanked %d parts of a case. They are not listed, badly named, or more than %d",
				len(b.Listed), MostBlanked)
		}
	}
	return nil
}

// A CaseErasure is the body of a record about a case: which of its parts an
// erasure blanked. It names no person; the record of the erasure does, by id.
type CaseErasure struct {
	Erasure audit.RecordID `json:"erasure"`
	Ground  Ground         `json:"ground"`
	Blanked
}

// recordBlanked puts on record, for each case, what an erasure took out of it.
func recordBlanked(ctx context.Context, tx pgx.Tx, actor identity.Actor, all []Blanked, e Erasure) error {
	batch := &pgx.Batch{}
	for _, b := range all {
		_, err := audit.AppendLater(batch, audit.Record{At: e.At, Kind: audit.Erasure, Actor: actor, Subject: b.Case,
			Body: CaseErasure{Erasure: e.Record, Ground: e.Ground, Blanked: b}})
		if err != nil {
			return err
		}
	}
	if batch.Len() == 0 {
		return nil
	}
	return tx.SendBatch(ctx, batch).Close()
}

func reachedAny(all []Reached) bool {
	return slices.ContainsFunc(all, func(r Reached) bool { return r.Rows > 0 })
}
