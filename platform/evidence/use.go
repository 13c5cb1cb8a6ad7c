package evidence

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Use is something that relies on a version of a fact.
type Use struct {
	Kind  UseKind
	By    string // "F9@1", or the id of the text
	Label string // what people call it: "Table 2"; empty for a fact
	Steps int    // 1 if it names the fact itself, 2 if through another, and so on
}

// A UseKind says what relies on a fact.
type UseKind string

// The kinds of use.
const (
	ByFact UseKind = "fact" // a computed fact
	ByText UseKind = "text" // a draft, a report, a letter
)

// insertUses notes on which facts new computed ones rest.
func insertUses(ctx context.Context, tx pgx.Tx, org identity.Org, id casefile.CaseID, fresh []fact.Fact) error {
	var ids, users []string
	var versions []int
	for _, f := range fresh {
		if f.Calc == nil {
			continue
		}
		for _, in := range f.Calc.Inputs {
			ids, versions, users = append(ids, string(in.ID)), append(versions, in.Version), append(users, f.Ref().String())
		}
	}
	if len(ids) == 0 {
		return nil
	}
	const insert = `insert into gavel.fact_use (org, case_id, id, version, kind, used_by, label)
		select $1, $2, u.id, u.version, 'fact', u.used_by, '' from unnest($3::text[], $4::int[], $5::text[]) u(id, version, used_by)`
	if _, err := tx.Exec(ctx, insert, org, id, ids, versions, users); err != nil {
		return fmt.Errorf("note uses of facts: %w", err)
	}
	return nil
}

// Pin notes, in the caller's transaction, that a text cites these versions of
// facts. by is the text's id, unique in the case; label is what people call the
// place. Doing it again changes nothing.
func Pin(ctx context.Context, tx pgx.Tx, org identity.Org, id casefile.CaseID, by, label string, refs ...fact.Ref) error {
	by, err := checkText("the id of the text", by, 200)
	if err != nil {
		return err
	}
	if label, err = checkText("the label", label, 300); err != nil {
		return err
	}
	if by == "" || len(refs) > maxDrafts {
		return fault.New(fault.Invalid, "a text with an id pins up to %d facts", maxDrafts)
	}
	ids, versions := make([]string, len(refs)), make([]int, len(refs))
	for i, r := range refs {
		ids[i], versions[i] = string(r.ID), r.Version
	}
	const insert = `insert into gavel.fact_use (org, case_id, id, version, kind, used_by, label)
		select distinct $1, $2, f.id, f.version, 'text', $3, $4 from unnest($5::text[], $6::int[]) u(id, version)
		join gavel.fact f on f.case_id = $2 and f.id = u.id and f.version = u.version
		on conflict do nothing`
	if _, err := tx.Exec(ctx, insert, org, id, by, label, ids, versions); err != nil {
		return fmt.Errorf("pin facts of %s: %w", id, err)
	}
	return missingPins(ctx, tx, id, by, refs)
}

// missingPins refuses a text that cites what is not there.
func missingPins(ctx context.Context, tx pgx.Tx, id casefile.CaseID, by string, refs []fact.Ref) error {
	const pins = `select id, version from gavel.fact_use where case_id = $1 and kind = 'text' and used_by = $2`
	rows, _ := tx.Query(ctx, pins, id, by)
	there, err := pgx.CollectRows(rows, pgx.RowToStructByPos[fact.Ref])
	if err != nil {
		return err
	}
	pinned := map[fact.Ref]bool{}
	for _, r := range there {
		pinned[r] = true
	}
	for _, r := range refs {
		if !pinned[r] {
			return fault.New(fault.NotFound, "there is no fact %.40s in this case", r)
		}
	}
	return nil
}

// maxUses bounds a list of uses, maxSteps how far one is followed.
const (
	maxUses  = 1000
	maxSteps = 64
)

// Uses lists what relies on a version of a fact, directly or through computed
// facts, the nearest first.
func (s *Store) Uses(ctx context.Context, org identity.Org, id casefile.CaseID, ref fact.Ref) (out []Use, err error) {
	const reach = `
		with recursive use (kind, used_by, label, steps) as (
			select kind, used_by, label, 1 from gavel.fact_use where case_id = $1 and id = $2 and version = $3
			union
			select u.kind, u.used_by, u.label, use.steps + 1 from use join gavel.fact_use u
				on use.kind = 'fact' and use.steps < $5 and u.case_id = $1
				and u.id = split_part(use.used_by, '@', 1)
				and u.version = case use.kind when 'fact' then split_part(use.used_by, '@', 2)::int end)
		select kind, used_by, label, min(steps) from use group by 1, 2, 3 order by 4, 1, length(used_by), 2 limit $4`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, reach, id, ref.ID, ref.Version, maxUses, maxSteps)
		out, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Use])
		return err
	})
	return out, err
}
