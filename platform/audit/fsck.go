package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/postgres"
)

// maxFindings is how many findings a report lists; the rest are counted. One
// change usually makes one finding, a rewritten log makes them all.
const maxFindings = 1000

// An FsckConfig says what to check and what to hold it against. The more of it
// comes from outside, the more the answer is worth: a log that was rewritten
// from end to end, by someone with the key, contradicts only what others kept.
type FsckConfig struct {
	System   *postgres.System
	Trusted  []Verifier              // keys the person checking was given; none means that the log's own word is taken
	Known    []string                // checkpoints kept from earlier, by a witness, in a bundle, in a mail
	Shelf    Shelf                   // where checkpoints are published; leave it out to leave that out
	Again    <-chan time.Time        // when to look again at what a server may be publishing this moment; nil looks once
	Progress func(done, total int64) // called now and then with numbers of entries; may be nil
}

// A Finding is one thing that is not as it was written.
type Finding struct {
	What string `json:"what"` // record, place, tile, checkpoint, key, queue, published or known
	Text string `json:"text"` // a sentence that names it
}

// A Report says what was checked and what was found. An empty list of findings
// means that everything checked is as it was written.
type Report struct {
	Size        int64      `json:"size"`           // entries of the tree
	Root        string     `json:"root"`           // as rebuilt from the records, base64
	Records     int64      `json:"records"`        // whose text was hashed
	Tiles       int64      `json:"tiles"`          // compared
	Checkpoints int64      `json:"checkpoints"`    // compared, with their signatures
	Published   int64      `json:"published"`      // copies compared
	Waiting     int64      `json:"waiting"`        // records that the tree has yet to take in
	Keys        []Verifier `json:"keys"`           // in the order they were in force
	Lost        []Lost     `json:"lost,omitempty"` // entries that were lost in a restore, which is on record; no finding
	Findings    []Finding  `json:"findings"`
	More        int        `json:"more,omitempty"` // findings that are not listed
}

// Clean reports whether nothing was found.
func (r Report) Clean() bool { return len(r.Findings) == 0 }

func (r *Report) find(what, format string, args ...any) {
	if len(r.Findings) >= maxFindings {
		r.More++
		return
	}
	r.Findings = append(r.Findings, Finding{what, fmt.Sprintf(format, args...)})
}

// Fsck re-checks the whole log from outside: every record's text against its
// leaf, every tile and every signed checkpoint against a tree rebuilt from the
// records, every key, every record that is in no tree, every published copy. It
// only reads, in pages, while the log goes on growing; memory does not grow with
// the log. The error is for what could not be read, not for what was found.
//
// Two checkpoints are consistent if both have the roots of one rebuilt tree, so
// no proofs between them are needed.
func Fsck(ctx context.Context, c FsckConfig) (Report, error) {
	var r Report
	k, err := newKeyCheck(ctx, c, &r)
	if err != nil {
		return r, err
	}
	known, err := parseKnown(c.Known)
	if err != nil {
		return r, err
	}
	x, err := readExtent(ctx, c.System)
	if err != nil {
		return r, err
	}
	x.check(&r)
	lost, err := newLossCheck(ctx, c.System, &r)
	if err != nil {
		return r, err
	}
	w := walk{sys: c.System, r: &r, keys: k, losses: lost, known: known, upto: x.walkable(), progress: c.Progress}
	if err := w.run(ctx); err != nil {
		return r, err
	}
	k.finish(&r)
	if err := checkQueue(ctx, c.System, &r); err != nil {
		return r, err
	}
	if err := checkAstray(ctx, c.System, &r); err != nil {
		return r, err
	}
	if err := checkUnplaced(ctx, c.System, &r); err != nil {
		return r, err
	}
	return r, checkPublished(ctx, c.System, c, &r)
}

// parseKnown reads the checkpoints that someone kept, smallest first.
func parseKnown(notes []string) ([]Checkpoint, error) {
	known := make([]Checkpoint, len(notes))
	for i, n := range notes {
		c, err := ParseCheckpoint(n)
		if err != nil {
			return nil, fmt.Errorf("checkpoint %d of those you kept: %w", i+1, err)
		}
		known[i] = c
	}
	slices.SortFunc(known, func(a, b Checkpoint) int { return cmp.Compare(a.Tree.N, b.Tree.N) })
	return known, nil
}

// An extent is how far each part of the log reaches, at one moment.
type extent struct {
	checkpoint int64   // size of the newest
	places     int64   // highest number and one, of a record or of an entry that was lost
	levels     []int64 // hashes on each level of tiles
}

func readExtent(ctx context.Context, q querier) (extent, error) {
	const ends = `
		select (select coalesce(max(size), 0) from gavel_sys.log_checkpoint),
			greatest((select coalesce(max(seq) + 1, 0) from gavel.record_place),
			(select coalesce(max(to_size), 0) from gavel_sys.log_lost)),
			array(select coalesce((select n * 256 + length(hashes) / 32 from gavel_sys.log_tile
				where level = l order by n desc limit 1), 0) from generate_series(0, 7) l order by l)`
	rows, _ := q.Query(ctx, ends)
	x, err := pgx.CollectOneRow(rows, func(row pgx.CollectableRow) (x extent, err error) {
		err = row.Scan(&x.checkpoint, &x.places, &x.levels)
		return x, err
	})
	if err != nil {
		return extent{}, fmt.Errorf("read how far the log reaches: %w", err)
	}
	return x, nil
}

// check compares the ends: a log whose end was cut, or to which something was
// added beside the sequencer, has parts that reach differently far.
func (x extent) check(r *Report) {
	r.Size = x.checkpoint
	if x.places != x.checkpoint {
		r.find("place", "the newest checkpoint vouches for %d entries, and the numbered records reach to %d", x.checkpoint, x.places)
	}
	for level, got := range x.levels {
		if want := x.checkpoint >> (tileHeight * level); got != want {
			r.find("tile", "level %d of the tiles reaches to %d hashes, and a tree of %d entries has %d", level, got, x.checkpoint, want)
		}
	}
}

// walkable is as far as there is anything to compare.
func (x extent) walkable() int64 { return min(x.checkpoint, max(x.places, x.levels[0])) }

// checkBeyond looks at checkpoints that someone kept and the log does not reach
// any more.
func checkBeyond(known []Checkpoint, size int64, r *Report) {
	for _, c := range known {
		if c.Tree.N > size {
			r.find("known", "you kept a checkpoint of %d entries, and the log has %d: it was cut", c.Tree.N, size)
		}
	}
}
