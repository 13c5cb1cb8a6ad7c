package audit

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Proof shows that the log holds a record: the hashes beside the way from its
// leaf to the root, and the checkpoint that signs the root. It grows with the
// logarithm of the log: under 1.5 KB of JSON at a million entries, under 2 KB at
// a billion.
type Proof struct {
	Seq        int64            `json:"seq"`
	Path       tlog.RecordProof `json:"path"`
	Checkpoint string           `json:"checkpoint"`
}

// An Extension shows that a later state of the log holds everything that an
// earlier one did, in the same order.
type Extension struct {
	From string         `json:"from"` // both are checkpoints
	To   string         `json:"to"`
	Path tlog.TreeProof `json:"path"`
}

// maxPath bounds a proof from outside: twice what the largest tree needs.
const maxPath = 128

// Place is a record's number in the log. One that was committed a moment ago
// may have none yet; then the error is Unavailable, and a second helps.
func Place(ctx context.Context, q querier, id RecordID) (int64, error) {
	const one = `select p.seq from gavel.record r
		left join gavel.record_place p on p.org = r.org and p.record_id = r.id where r.id = $1 and ` + anyOrg
	rows, _ := q.Query(ctx, one, id)
	seq, err := pgx.CollectOneRow(rows, pgx.RowTo[*int64])
	switch {
	case errors.Is(err, pgx.ErrNoRows):
		return 0, fault.New(fault.NotFound, "no record is called %.60q", id)
	case err != nil:
		return 0, fmt.Errorf("find record %s: %w", id, err)
	case seq == nil:
		return 0, fault.New(fault.Unavailable, "record %s is committed and not in the tree yet", id).
			WithNext("try again in two seconds")
	}
	return *seq, nil
}

// Prove shows that the log holds a record, under the first checkpoint that
// vouches for it, so that everyone who asks gets the same proof. The tiles it
// reads are checked against the checkpoint's root on the way.
func Prove(ctx context.Context, q querier, id RecordID) (Proof, error) {
	seq, err := Place(ctx, q, id)
	if err != nil {
		return Proof{}, err
	}
	c, err := Covering(ctx, q, seq+1)
	if err != nil {
		return Proof{}, err
	}
	return proveAt(tilesOf(ctx, q), seq, c)
}

func proveAt(t tlog.TileReader, seq int64, c Checkpoint) (Proof, error) {
	path, err := tlog.ProveRecord(c.Tree.N, seq, tlog.TileHashReader(c.Tree, t))
	if err != nil {
		return Proof{}, damaged(err, "prove entry %d under checkpoint %d", seq, c.Tree.N)
	}
	return Proof{Seq: seq, Path: path, Checkpoint: c.Note}, nil
}

// Holds checks that the tree of the proof's checkpoint holds a record of these
// bytes at the proof's number. Whether the checkpoint is genuine is another
// question: ask SignedBy of the one it returns.
func (p Proof) Holds(canonical []byte) (Checkpoint, error) {
	c, err := ParseCheckpoint(p.Checkpoint)
	if err != nil {
		return Checkpoint{}, err
	}
	if len(p.Path) > maxPath || tlog.CheckRecord(p.Path, c.Tree.N, c.Tree.Hash, p.Seq, Leaf(canonical)) != nil {
		return Checkpoint{}, fault.New(fault.Conflict, "the tree of checkpoint %d does not hold this record as entry %d", c.Tree.N, p.Seq)
	}
	return c, nil
}

// Extend shows that the checkpoint to extends the checkpoint from. Both may come
// from outside; the tiles are checked against the root of to.
func Extend(ctx context.Context, q querier, from, to Checkpoint) (Extension, error) {
	return extendWith(tilesOf(ctx, q), from, to)
}

func extendWith(t tlog.TileReader, from, to Checkpoint) (Extension, error) {
	if from.Tree.N > to.Tree.N {
		return Extension{}, fault.New(fault.Invalid, "checkpoint %d cannot extend the larger %d", to.Tree.N, from.Tree.N)
	}
	e := Extension{From: from.Note, To: to.Note}
	if from.Tree.N == 0 || from.Tree.N == to.Tree.N {
		return e, nil // nothing to show; Holds compares the roots
	}
	path, err := tlog.ProveTree(to.Tree.N, from.Tree.N, tlog.TileHashReader(to.Tree, t))
	if err != nil {
		return Extension{}, damaged(err, "prove that checkpoint %d extends %d", to.Tree.N, from.Tree.N)
	}
	e.Path = path
	return e, nil
}

// Holds checks the proof and returns its two checkpoints, whose signatures are
// another question.
func (e Extension) Holds() (from, to Checkpoint, err error) {
	if from, err = ParseCheckpoint(e.From); err != nil {
		return from, to, err
	}
	if to, err = ParseCheckpoint(e.To); err != nil {
		return from, to, err
	}
	rewritten := fault.New(fault.Conflict, "checkpoint %d does not extend checkpoint %d: the log was rewritten, or these are two logs",
		to.Tree.N, from.Tree.N)
	switch {
	case from.Origin != to.Origin || from.Tree.N > to.Tree.N || len(e.Path) > maxPath:
		return from, to, rewritten
	case from.Tree.N == 0:
		return from, to, nil
	case from.Tree.N == to.Tree.N:
		if from.Tree.Hash != to.Tree.Hash {
			return from, to, rewritten
		}
		return from, to, nil
	}
	if tlog.CheckTree(e.Path, to.Tree.N, to.Tree.Hash, from.Tree.N, from.Tree.Hash) != nil {
		return from, to, rewritten
	}
	return from, to, nil
}

// damaged tells tiles that contradict a signed root from a database that is
// away.
func damaged(err error, format string, args ...any) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	return fault.From(fault.Internal, err, "%s: the log is damaged", fmt.Sprintf(format, args...)).
		WithNext("find out what was changed: gavel audit fsck")
}
