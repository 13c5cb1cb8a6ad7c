package agent

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/policy"
)

// A policyFile is a file of a set as it is kept.
type policyFile struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// queuePolicies keeps the text of the set that this turn asked, in the
// transaction that records its answers. A process does so once for each set.
func (t *turn) queuePolicies(b *pgx.Batch) error {
	if !slices.ContainsFunc(t.rulings, func(r ruling) bool { return r.Policy != nil }) {
		return nil
	}
	return t.books.queueSet(b, t.policies(t.facts.App), t.began)
}

// queueSet keeps the text of a set, unless this process knows that it is kept.
func (b *books) queueSet(batch *pgx.Batch, set *policy.Set, at time.Time) error {
	if _, kept := b.kept.get(set.Digest()); kept {
		return nil
	}
	files := []policyFile{}
	for _, f := range set.Files() {
		files = append(files, policyFile{f.Name, string(f.Text)})
	}
	text, err := canonical(files)
	if err != nil {
		return err
	}
	const insert = `insert into gavel_sys.policy_set (sha256, files, first_at) values ($1, $2, $3) on conflict do nothing`
	batch.Queue(insert, set.Digest(), text, at)
	return nil
}

// rememberKept notes that the job description and the set are kept, once the
// transaction is.
func (t *turn) rememberKept() {
	t.books.kept.put(short(t.facts.Spec), true, 1)
	for _, r := range t.rulings {
		if r.Policy != nil {
			t.books.kept.put(r.Policy.Digest, true, 1)
		}
	}
}

// policyFiles reads a set as it is kept.
func policyFiles(text []byte) ([]policyFile, error) {
	var files []policyFile
	err := json.Unmarshal(text, &files)
	return files, err
}

func digestOf(files []policyFile) string {
	all := make([]policy.File, len(files))
	for i, f := range files {
		all[i] = policy.File{Name: f.Name, Text: []byte(f.Text)}
	}
	return policy.DigestOf(all...)
}
