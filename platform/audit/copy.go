package audit

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// copyPatience bounds one look at the published copy: whoever looks holds the
// log's turn meanwhile.
const copyPatience = 5 * time.Second

// whenRestored is where an operator reads on when less is here than was published.
const whenRestored = "gavel audit fsck, then docs/runbook/log-restored.md"

// An outside is the newest checkpoint that was published, and the version of the
// object it stands in. Its tree is empty where nothing was.
type outside struct {
	Checkpoint
	version blob.ETag
}

// readOutside reads it. What lies there is not believed: see fits.
func readOutside(ctx context.Context, s Shelf) (outside, error) {
	ctx, cancel := context.WithTimeout(ctx, copyPatience)
	defer cancel()
	text, version, err := s.GetNamed(ctx, latestName)
	if fault.Is(err, fault.NotFound) {
		return outside{}, nil
	}
	if err != nil {
		return outside{}, fault.From(fault.Unavailable, err, "the log's published copy cannot be read, so nothing is signed").
			WithNext("see that the blob store answers: gavel doctor")
	}
	c, err := ParseCheckpoint(string(text))
	if err != nil || c.Tree.N == 0 {
		return outside{}, noneOfOurs()
	}
	return outside{c, version}, nil
}

func noneOfOurs() error {
	return fault.New(fault.Conflict, "what is published as the log's newest checkpoint is none of ours").
		WithNext("find out who wrote %s", latestName)
}

// heldAgainst reads the published copy and proves that the tree here has grown out
// of it. Where it cannot be read or proved, nothing may be signed or published:
// another history would come to stand beside the one that others hold. Whoever
// calls knows that head is the newest there is, or has read it after the copy.
func heldAgainst(ctx context.Context, q querier, s Shelf, origin string, head tlog.Tree) (outside, error) {
	o, err := readOutside(ctx, s)
	if err != nil {
		return o, err
	}
	if o.Tree.N == 0 {
		return lookAgain(ctx, q, s)
	}
	return o, o.fits(ctx, q, origin, head)
}

// lookAgain is for a copy that is not there: if one is listed as published it has
// been there, and was written before it was listed.
func lookAgain(ctx context.Context, q querier, s Shelf) (outside, error) {
	last, err := lastPublished(ctx, q)
	if err != nil || last.N == 0 {
		return outside{}, err
	}
	o, err := readOutside(ctx, s)
	if err == nil && o.Tree.N == 0 {
		err = fault.New(fault.Conflict, "checkpoint %d was published, and the published copy is not there any more", last.Size).
			WithNext("bring it back, or name the store where it is: %s", whenDamaged)
	}
	return o, err
}

// fits proves that a tree has grown out of what is published.
func (o outside) fits(ctx context.Context, q querier, origin string, head tlog.Tree) error {
	if o.Origin != origin {
		return noneOfOurs()
	}
	if o.Tree.N > head.N {
		return fault.New(fault.Conflict,
			"a checkpoint of %d entries was published, and this database has %d. It was cut or restored from an older copy",
			o.Tree.N, head.N).WithNext("%s", whenRestored)
	}
	keys, err := ReadKeys(ctx, q)
	if err != nil {
		return err
	}
	if !o.SignedBy(keys.At(o.Tree.N)) {
		return noneOfOurs()
	}
	root, err := tlog.TreeHash(o.Tree.N, tlog.TileHashReader(head, tilesOf(ctx, q)))
	if err != nil {
		return fault.New(fault.Internal, "the log is damaged: its tiles do not yield the root of checkpoint %d: %w", head.N, err).
			WithNext("find out what was changed: gavel audit fsck")
	}
	if root != o.Tree.Hash {
		return fault.New(fault.Conflict,
			"the published checkpoint of %d entries is not of the tree in this database: there are two histories", o.Tree.N).
			WithNext("%s", whenRestored)
	}
	return nil
}

// listPublished notes that a checkpoint is out. Numbers have no gaps.
const listPublished = `insert into gavel_sys.log_published (n, size)
	select coalesce(max(n), 0) + 1, $1 from gavel_sys.log_published having coalesce(max(size), 0) < $1`

// held proves, before anything is signed, that the log has grown out of its
// published copy. It is proved at the first turn, and again whenever the tree is
// not the one that this sequencer left: another server had the turn, or the
// database is another than it was.
func (s *Sequencer) held(ctx context.Context, tx pgx.Tx, head tlog.Tree) error {
	if s.shelf == nil || s.left != nil && *s.left == head {
		return nil
	}
	_, err := heldAgainst(ctx, tx, s.shelf, s.key.Name(), head)
	return err
}
