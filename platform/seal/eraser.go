package seal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// An Eraser blanks what one package's own tables say about a subject. It runs
// in the erasure's transaction, inside the organisation, and is asked again when
// the erasure is: a row that is blank already does not count.
type Eraser struct {
	Name  string // of the package, for the record: "gatepass"
	Erase func(ctx context.Context, tx pgx.Tx, s Subject) (Reach, error)
}

// A Reach is how far an eraser came.
type Reach struct {
	Rows  int      // blanked just now
	Cases []string // that those rows belong to: a hold on one of them refuses the whole erasure
	Left  string   // what it had to leave and why, up to 80 bytes without quotes; goes into the log, so it names nobody
}

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

// blank has the erasers do their work, and ours. Where a hold forbids it,
// nothing is blanked and the holds are returned.
func (v *Vault) blank(ctx context.Context, tx pgx.Tx, org identity.Org, p plan, at time.Time) ([]Reached, []Hold, error) {
	holds, err := activeHolds(ctx, tx, org, p.targets(), at)
	if err != nil || len(holds) > 0 {
		return nil, holds, err
	}
	inner, err := tx.Begin(ctx) // a savepoint: the refusal itself must stay
	if err != nil {
		return nil, nil, err
	}
	reached, cases, err := v.runErasers(ctx, inner, org, p.subject)
	if err != nil {
		return nil, nil, err
	}
	targets := make([]string, len(cases))
	for i, c := range cases {
		targets[i] = Target{Case: c}.String()
	}
	if holds, err = activeHolds(ctx, inner, org, targets, at); err != nil {
		return nil, nil, err
	}
	if len(holds) > 0 {
		return nil, holds, inner.Rollback(ctx)
	}
	return reached, nil, inner.Commit(ctx)
}

func (v *Vault) runErasers(ctx context.Context, tx pgx.Tx, org identity.Org, s Subject) ([]Reached, []string, error) {
	n, err := blankHolds(ctx, tx, org, s)
	if err != nil {
		return nil, nil, fmt.Errorf("blank the reasons of holds: %w", err)
	}
	all := []Reached{{Name: ownRows, Rows: n}}
	var cases []string
	for _, e := range v.erasers {
		reach, err := e.Erase(ctx, tx, s)
		if err == nil {
			err = reach.check()
		}
		if err != nil {
			return nil, nil, fmt.Errorf("eraser %s: %w", e.Name, err)
		}
		all = append(all, Reached{Name: e.Name, Rows: reach.Rows, Left: reach.Left})
		cases = append(cases, reach.Cases...)
	}
	return all, cases, nil
}

func (r Reach) check() error {
	unfit := func(c rune) bool { return !unicode.IsPrint(c) || c == '"' || c == '\\' }
	if r.Rows < 0 || len(r.Left) > mostLeft || strings.ContainsFunc(r.Left, unfit) {
		return fault.New(fault.Internal, "said that it blanked %d rows, or left a text that is over %d bytes or has quotes", r.Rows, mostLeft)
	}
	return nil
}

func reachedAny(all []Reached) bool {
	return slices.ContainsFunc(all, func(r Reached) bool { return r.Rows > 0 })
}
