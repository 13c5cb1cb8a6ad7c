package casefile

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/seal"
)

// Staff is the type of subject whose id is an actor's: "staff:p-31". Erasing one
// takes their name off every entry they wrote. What they wrote stays: it is the
// institution's record of the case, not of them.
const Staff = "staff"

// ErasedText is what readers are shown where words were erased.
const ErasedText = "[erased]"

// The parts of a case that an erasure's record lists.
const (
	ErasedTitle   = "title"   // lists "title"
	ErasedEntries = "entries" // lists numbers and spans of them: "3", "7-12"
)

// Eraser blanks what cases say about a subject. An entry that names them, and
// every entry with a text of a case that is about them, loses its text, its salt
// and its author's name; a case that is about them loses its title. Entries
// without a text are left: their digest still holds.
func Eraser() seal.Eraser {
	return seal.Eraser{Name: "casefile", Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
		const concerned = `exists (select from gavel.case_subject s where s.case_id = e.case_id and s.seq in (0, e.seq) and s.subject = $1)`
		reach, err := blankEntries(ctx, tx, at, concerned, s.String())
		if err != nil {
			return seal.Reach{}, err
		}
		titles, err := blankTitles(ctx, tx, s, at)
		if err != nil {
			return seal.Reach{}, err
		}
		names, err := blankNames(ctx, tx, s)
		if err != nil {
			return seal.Reach{}, err
		}
		return Together(reach, titles, names), nil
	}}
}

// Together is what several steps of an eraser reached.
func Together(all ...seal.Reach) seal.Reach {
	var sum seal.Reach
	for _, r := range all {
		sum.Rows += r.Rows
		sum.Cases = append(sum.Cases, r.Cases...)
		sum.Blanked = append(sum.Blanked, r.Blanked...)
	}
	slices.Sort(sum.Cases)
	sum.Cases = slices.Compact(sum.Cases)
	return sum
}

// EraseEntries blanks the entries of a case that were made under these keys, in
// the caller's erasure: for a package whose own rows, and not the entry, say whom
// it concerns.
func EraseEntries(ctx context.Context, tx pgx.Tx, id CaseID, keys []string, at time.Time) (seal.Reach, error) {
	return blankEntries(ctx, tx, at, `e.case_id = $1 and e.key = any($3)`, string(id), keys)
}

// blankEntries blanks the entries that a condition on e picks, $1 and from $3 on
// being its own.
func blankEntries(ctx context.Context, tx pgx.Tx, at time.Time, which, first string, more ...any) (seal.Reach, error) {
	blank := `update gavel.case_entry e set body = '', salt = null, actor_name = '', erased_at = $2
		where e.erased_at is null and e.body <> '' and ` + which + ` returning e.case_id, e.seq`
	rows, _ := tx.Query(ctx, blank, append([]any{first, at}, more...)...)
	hit := map[string][]int64{}
	var id string
	var seq int64
	tag, err := pgx.ForEachRow(rows, []any{&id, &seq}, func() error {
		hit[id] = append(hit[id], seq)
		return nil
	})
	if err != nil {
		return seal.Reach{}, fmt.Errorf("blank entries: %w", err)
	}
	reach := seal.Reach{Rows: int(tag.RowsAffected())}
	for _, id := range slices.Sorted(maps.Keys(hit)) {
		reach.Cases = append(reach.Cases, id)
		for part := range slices.Chunk(spans(hit[id]), seal.MostBlanked) {
			reach.Blanked = append(reach.Blanked, seal.Blanked{Case: id, What: ErasedEntries, Listed: part})
		}
	}
	return reach, nil
}

// spans writes numbers in order, neighbours together: 3, 7, 8, 9 are "3", "7-9".
func spans(seqs []int64) []string {
	slices.Sort(seqs)
	var out []string
	for i := 0; i < len(seqs); {
		j := i
		for j+1 < len(seqs) && seqs[j+1] == seqs[j]+1 {
			j++
		}
		one := strconv.FormatInt(seqs[i], 10)
		if j > i {
			one += "-" + strconv.FormatInt(seqs[j], 10)
		}
		out = append(out, one)
		i = j + 1
	}
	return out
}

func blankTitles(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
	const blank = `update gavel.case set title = '', waiting_for = '', erased_at = $2
		where erased_at is null and id in (select case_id from gavel.case_subject where subject = $1 and seq = 0) returning id`
	rows, _ := tx.Query(ctx, blank, s.String(), at)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return seal.Reach{}, fmt.Errorf("blank titles: %w", err)
	}
	reach := seal.Reach{Rows: len(ids), Cases: ids}
	for _, id := range ids {
		reach.Blanked = append(reach.Blanked, seal.Blanked{Case: id, What: ErasedTitle, Listed: []string{ErasedTitle}})
	}
	return reach, nil
}

// blankNames takes an author's name off the entries that keep their text: those
// a member of staff wrote, and those without a text that concern the subject.
// Names are no part of the digest, so these entries still verify.
func blankNames(ctx context.Context, tx pgx.Tx, s seal.Subject) (seal.Reach, error) {
	author := ""
	if s.Type == Staff {
		author = s.ID
	}
	const blank = `update gavel.case_entry e set actor_name = ''
		where e.actor_name <> '' and e.actor_kind <> 'system' and (e.actor_id = $2 or e.erased_at is null and e.body = ''
			and exists (select from gavel.case_subject s where s.case_id = e.case_id and s.seq in (0, e.seq) and s.subject = $1))
		returning e.case_id`
	rows, _ := tx.Query(ctx, blank, s.String(), author)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return seal.Reach{}, fmt.Errorf("blank names: %w", err)
	}
	return seal.Reach{Rows: len(ids), Cases: ids}, nil
}
