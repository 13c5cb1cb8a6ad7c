package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"
)

// A keyCheck knows which key signs which checkpoints, from the list of keys and
// from the log's own records of their changes, which must agree.
type keyCheck struct {
	listed, recorded Keys
	trusted          []Verifier
	accepted         map[Acceptance]RecordID
	vouched          map[int64]bool // by the first size of a term: the key before signed for the new one
}

func newKeyCheck(ctx context.Context, c FsckConfig, r *Report) (*keyCheck, error) {
	k := &keyCheck{trusted: c.Trusted, vouched: map[int64]bool{}}
	var err error
	if k.listed, err = ReadKeys(ctx, c.System); err != nil {
		return nil, err
	}
	if k.recorded, err = recordedKeys(ctx, c.System); err != nil {
		return nil, err
	}
	if k.accepted, err = acceptances(ctx, c.System); err != nil {
		return nil, err
	}
	for _, t := range k.recorded.terms {
		if !slices.Contains(k.listed.terms, t) {
			r.find("key", "entry %d, record %s, puts a key of the log in force, and the list of keys says otherwise", t.From, t.Record)
		}
	}
	for _, t := range k.listed.terms {
		r.Keys = append(r.Keys, t.Key)
		if !slices.Contains(k.recorded.terms, t) {
			r.find("key", "the list of keys puts %s in force from entry %d, and the log has no record of that", t.Key, t.From)
		}
	}
	return k, nil
}

// recordedKeys reads the changes of keys that stand in the log itself.
func recordedKeys(ctx context.Context, q querier) (Keys, error) {
	const changes = `
		select p.seq, r.id, r.json from gavel.record r
		join gavel.record_place p on p.org = r.org and p.record_id = r.id
		where r.org = $1 and r.kind = $2 order by p.seq`
	rows, _ := q.Query(ctx, changes, Installation, LogKey)
	terms, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (t term, err error) {
		var text string
		if err := row.Scan(&t.From, &t.Record, &text); err != nil {
			return t, err
		}
		var said struct {
			Body keyChange `json:"body"`
		}
		// A text that is not JSON any more names no key, and is found as changed.
		if json.Unmarshal([]byte(text), &said) == nil {
			t.Key = said.Body.Key
		}
		return t, nil
	})
	if err != nil {
		return Keys{}, fmt.Errorf("read the changes of the log's key: %w", err)
	}
	return Keys{terms}, nil
}

// signed reports whether the key in force signed a checkpoint. Where list and
// records disagree, which is a finding of its own, either will do.
func (k *keyCheck) signed(c Checkpoint) bool {
	by := k.recorded.At(c.Tree.N)
	if !c.SignedBy(by) {
		if by = k.listed.At(c.Tree.N); !c.SignedBy(by) {
			return false
		}
	}
	if before := k.recorded.At(c.Tree.N - 1); before != "" && before != by && c.SignedBy(before) {
		k.vouched[c.Tree.N] = true
	}
	return true
}

// finish says whether the keys can be traced to one that the person checking
// was given. A key vouches for the next by signing its first checkpoint too, and
// for those before by signing a tree in which their changes stand.
func (k *keyCheck) finish(r *Report) {
	for i, t := range k.recorded.terms {
		if i == 0 || k.vouched[t.From+1] {
			continue
		}
		if _, ok := k.accepted[Acceptance{Key: t.Key, Previous: k.recorded.terms[i-1].Key}]; !ok {
			r.find("key", "entry %d puts %s in force; the key before does not vouch for it, and no operator accepted it", t.From, t.Key)
		}
	}
	if len(k.trusted) == 0 || len(k.recorded.terms) == 0 {
		return
	}
	trusted := false
	for _, t := range k.recorded.terms {
		trusted = slices.Contains(k.trusted, t.Key) || trusted && k.vouched[t.From+1]
	}
	if !trusted {
		r.find("key", "%s signs the newest checkpoints; it is not a key that you trust, and none that you trust vouches for it",
			k.recorded.Newest())
	}
}
