package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Step is one thing that was checked about a record, in words. It holds (OK),
// is open, or fails: the zero value fails.
type Step struct {
	Name    string `json:"name"` // content, place, inclusion, signature or published
	OK      bool   `json:"ok"`
	Open    bool   `json:"open,omitempty"` // not OK, and nothing contradicts: it cannot be decided yet
	Found   string `json:"found"`
	Proves  string `json:"proves"`
	DoesNot string `json:"does_not_prove"`
	Repeat  string `json:"repeat,omitempty"` // a shell line that does the same without Gavel
}

// A Verification is a record with everything that shows it to be genuine.
type Verification struct {
	Entry Entry  `json:"-"`
	Proof Proof  `json:"proof"`
	Steps []Step `json:"steps"`
}

// OK reports whether every step held. An open one does not.
func (v Verification) OK() bool {
	return !slices.ContainsFunc(v.Steps, func(s Step) bool { return !s.OK })
}

// Failed counts the steps that contradict the record; open ones do not.
func (v Verification) Failed() int {
	n := 0
	for _, s := range v.Steps {
		if !s.OK && !s.Open {
			n++
		}
	}
	return n
}

// Verify checks one record step by step, each with what it proves and what not.
// Trusted keys are those the person was given; with none, the log's own word is
// taken, and the step says so. A nil shelf leaves out the last step.
func Verify(ctx context.Context, q querier, id RecordID, trusted []Verifier, s Shelf) (Verification, error) {
	entry, err := Get(ctx, q, id)
	if err != nil {
		return Verification{}, err
	}
	v := Verification{Entry: entry}
	leaf := Leaf([]byte(entry.JSON))
	v.add(Step{Name: "content", OK: true,
		Found:   fmt.Sprintf("the record's text is canonical and hashes to %x", leaf[:]),
		Proves:  "which bytes are being spoken of",
		DoesNot: "that these bytes were there before: that is the next steps' work",
		Repeat:  `{ printf '\000'; cat record.json; } | sha256sum`})
	v.Proof, err = Prove(ctx, q, id)
	if f, ok := errors.AsType[*fault.Error](err); ok && f.Kind == fault.Internal {
		v.add(Step{Name: "inclusion", Found: f.Text,
			Proves:  "that what is stored of the tree contradicts its signed checkpoint",
			DoesNot: "which of the two was changed: gavel audit fsck finds that out"})
		return v, nil
	}
	if err != nil {
		return v, err
	}
	c, err := ParseCheckpoint(v.Proof.Checkpoint)
	if err != nil {
		return v, err
	}
	v.add(Step{Name: "place", OK: v.Proof.Seq < c.Tree.N,
		Found:   fmt.Sprintf("it is entry %d; the first checkpoint that vouches for it is that of %d entries", v.Proof.Seq, c.Tree.N),
		Proves:  "where the log claims to hold it",
		DoesNot: "that it does"})
	_, err = v.Proof.Holds([]byte(entry.JSON))
	v.add(Step{Name: "inclusion", OK: err == nil,
		Found:   said(err, "%d hashes lead from it to the root %s", len(v.Proof.Path), c.Tree.Hash),
		Proves:  "that the root stands for a tree with exactly this record at this place",
		DoesNot: "who vouches for the root"})
	if err := v.signature(ctx, q, c, trusted); err != nil {
		return v, err
	}
	if s == nil {
		return v, nil
	}
	return v, v.published(ctx, q, c, s)
}

func (v *Verification) add(s Step) { v.Steps = append(v.Steps, s) }

// said is a sentence, or what went wrong instead.
func said(err error, format string, args ...any) string {
	if err != nil {
		text, _ := fault.Words(err)
		return text
	}
	return fmt.Sprintf(format, args...)
}

func (v *Verification) signature(ctx context.Context, q querier, c Checkpoint, trusted []Verifier) error {
	keys, err := ReadKeys(ctx, q)
	if err != nil {
		return err
	}
	key := keys.At(c.Tree.N)
	step := Step{Name: "signature", OK: c.SignedBy(key),
		Found:   fmt.Sprintf("checkpoint %d is signed by %s, which the log itself names", c.Tree.N, key),
		Proves:  "that the holder of the key vouched for this root",
		DoesNot: "that they vouch for no other: that takes a copy which they cannot change"}
	for _, t := range trusted {
		if c.SignedBy(t) {
			step.OK, key = true, t
			step.Found = fmt.Sprintf("checkpoint %d is signed by %s, a key that you trust", c.Tree.N, key)
		}
	}
	switch {
	case !step.OK:
		step.Found = fmt.Sprintf("checkpoint %d is not signed by the key in force", c.Tree.N)
	case len(trusted) > 0 && !slices.Contains(trusted, key):
		step.OK = false
		step.Found += "; it is none that you trust"
	}
	v.add(step)
	return nil
}

// published looks for the first copy outside that covers the checkpoint, and
// checks that it extends it.
func (v *Verification) published(ctx context.Context, q querier, c Checkpoint, s Shelf) error {
	step := Step{Name: "published",
		Proves:  "that the log has not been rewritten since that copy was made",
		DoesNot: "more than the keeper of the copy could have changed in both places"}
	const first = `select size from gavel_sys.log_published where size >= $1 order by size limit 1`
	rows, _ := q.Query(ctx, first, c.Tree.N)
	size, err := pgx.CollectOneRow(rows, pgx.RowTo[int64])
	if errors.Is(err, pgx.ErrNoRows) {
		step.Open = true
		step.Found = "no checkpoint that covers it has been published yet"
		v.add(step)
		return nil
	}
	if err != nil {
		return fmt.Errorf("find the published checkpoint: %w", err)
	}
	found, _, err := s.GetNamed(ctx, checkpointName(size))
	if err != nil && !fault.Is(err, fault.NotFound) {
		return fmt.Errorf("read the published checkpoint: %w", err)
	}
	if err == nil {
		err = extends(ctx, q, c, string(found))
	}
	step.OK = err == nil
	step.Found = said(err, "the published checkpoint of %d entries extends this one", size)
	v.add(step)
	return nil
}

// extends checks that a checkpoint from outside extends one of ours.
func extends(ctx context.Context, q querier, c Checkpoint, outside string) error {
	to, err := ParseCheckpoint(outside)
	if err != nil {
		return err
	}
	keys, err := ReadKeys(ctx, q)
	if err != nil {
		return err
	}
	if !to.SignedBy(keys.At(to.Tree.N)) {
		return fault.New(fault.Conflict, "the published checkpoint of %d entries is not signed by a key of this log", to.Tree.N)
	}
	e, err := Extend(ctx, q, c, to)
	if err != nil {
		return err
	}
	_, _, err = e.Holds()
	return err
}
