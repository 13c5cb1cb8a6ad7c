package evidence

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence/reperform"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// The parts of a case that an erasure's record lists.
const (
	ErasedPieces = "evidence" // lists "E3"
	ErasedNames  = "facts"    // lists "F7@1"; the digest is reperform.BatchDigest of them as they are left
)

// Eraser blanks what evidence says about a subject in plain: title and note of
// every piece of bytes that were sealed for them, or on a case that is about them,
// with the entry that put it there; and the names in facts that were read from
// such bytes, are of such a case, or have the subject's id among theirs; and the
// reasons that people gave for looking at it. The bytes themselves are gone with
// their key.
func Eraser() seal.Eraser {
	return seal.Eraser{Name: "evidence", Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
		pieces, err := blankPieces(ctx, tx, s, at)
		if err != nil {
			return seal.Reach{}, fmt.Errorf("blank evidence: %w", err)
		}
		names, err := blankNames(ctx, tx, s, at)
		if err != nil {
			return seal.Reach{}, fmt.Errorf("blank names in facts: %w", err)
		}
		looks, err := blankDisclosures(ctx, tx, s, at)
		if err != nil {
			return seal.Reach{}, fmt.Errorf("blank reasons for looking: %w", err)
		}
		return casefile.Together(pieces, names, looks), nil
	}}
}

const (
	sealedForThem = `(select object from gavel.sealed where subject = $1)`
	casesOfTheirs = `(select case_id from gavel.case_subject where subject = $1 and seq = 0)`
)

func blankPieces(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
	const blank = `update gavel.evidence set title = '', note = '', erased_at = $2
		where erased_at is null and (sha256 in ` + sealedForThem + ` or case_id in ` + casesOfTheirs + `) returning case_id, number, key`
	rows, _ := tx.Query(ctx, blank, s.String(), at)
	numbers, keys := map[string][]int{}, map[string][]string{}
	var id, key string
	var number int
	tag, err := pgx.ForEachRow(rows, []any{&id, &number, &key}, func() error {
		numbers[id], keys[id] = append(numbers[id], number), append(keys[id], entryKey(key))
		return nil
	})
	if err != nil {
		return seal.Reach{}, err
	}
	reach := seal.Reach{Rows: int(tag.RowsAffected())}
	for _, id := range slices.Sorted(maps.Keys(numbers)) {
		entries, err := casefile.EraseEntries(ctx, tx, casefile.CaseID(id), keys[id], at)
		if err != nil {
			return seal.Reach{}, err
		}
		mine := seal.Reach{Cases: []string{id}}
		slices.Sort(numbers[id])
		for part := range slices.Chunk(numbers[id], seal.MostBlanked) {
			listed := make([]string, len(part))
			for i, n := range part {
				listed[i] = "E" + strconv.Itoa(n)
			}
			mine.Blanked = append(mine.Blanked, seal.Blanked{Case: id, What: ErasedPieces, Listed: listed})
		}
		reach = casefile.Together(reach, mine, entries)
	}
	return reach, nil
}

// blankNames takes the names out of facts. A computed fact that has the very
// names of one of them, in the same case, took them over from it.
func blankNames(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
	const theirs = `gavel.fact f
		where f.subject -> 'names' <> '{}' and (
			f.snapshot in ` + sealedForThem + ` or f.case_id in ` + casesOfTheirs + `
			or f.subject -> 'ids' ->> $2 = $3
			or f.subject ->> 'type' = $2 and exists (select from jsonb_each_text(f.subject -> 'ids') i where i.value = $3))`
	const concerned = `gavel.fact f
		where f.subject -> 'names' <> '{}' and (
			(f.case_id, f.id, f.version) in (select f.case_id, f.id, f.version from ` + theirs + `)
			or f.calc is not null and (f.case_id, f.subject -> 'names') in (select f.case_id, f.subject -> 'names' from ` + theirs + `))
		order by f.case_id, f.number, f.version`
	found, err := facts(ctx, tx, concerned, s.String(), s.Type, s.ID)
	if err != nil {
		return seal.Reach{}, err
	}
	byCase := map[string][]fact.Fact{}
	for _, f := range found {
		byCase[f.Case] = append(byCase[f.Case], f)
	}
	reach := seal.Reach{Rows: len(found)}
	for _, id := range slices.Sorted(maps.Keys(byCase)) {
		reach.Cases = append(reach.Cases, id)
		for part := range slices.Chunk(byCase[id], seal.MostBlanked) {
			b, err := blankSome(ctx, tx, id, part, at)
			if err != nil {
				return seal.Reach{}, err
			}
			reach.Blanked = append(reach.Blanked, b)
		}
	}
	return reach, nil
}

// blankSome blanks facts of one case and says what is left of them.
func blankSome(ctx context.Context, tx pgx.Tx, id string, part []fact.Fact, at time.Time) (seal.Blanked, error) {
	b := seal.Blanked{Case: id, What: ErasedNames}
	batch := &pgx.Batch{}
	const blank = `update gavel.fact set subject = jsonb_set(subject, '{names}', '{}'), erased_at = $4, entered_sha256 = $5
		where case_id = $1 and id = $2 and version = $3`
	left := slices.Clone(part)
	for i, f := range part {
		was, err := reperform.Digest(f)
		if err != nil {
			return b, err
		}
		left[i].Subject.Names = fact.Names{}
		b.Listed = append(b.Listed, f.Ref().String())
		batch.Queue(blank, id, f.ID, f.Version, at, was)
	}
	var err error
	if b.Left, err = reperform.BatchDigest(left); err != nil {
		return b, err
	}
	return b, tx.SendBatch(ctx, batch).Close()
}

// An ErasedFact is one that lost its names, and the digest it was entered under.
type ErasedFact struct {
	Ref    fact.Ref
	SHA256 string
	At     time.Time
}

// ErasedFacts lists the facts of a case that lost their names, by number and
// version.
func (s *Store) ErasedFacts(ctx context.Context, org identity.Org, id casefile.CaseID) (out []ErasedFact, err error) {
	const all = `select id, version, entered_sha256, erased_at from gavel.fact
		where case_id = $1 and erased_at is not null order by number, version`
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, all, id)
		out, err = pgx.CollectRows(rows, func(row pgx.CollectableRow) (ErasedFact, error) {
			var e ErasedFact
			err := row.Scan(&e.Ref.ID, &e.Ref.Version, &e.SHA256, &e.At)
			e.At = e.At.UTC()
			return e, err
		})
		return err
	})
	return out, err
}
