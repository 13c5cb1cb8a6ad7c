package audit

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"
)

// readLeaves reads the tiles of the lowest level that cover a page, and reports
// those that are missing or cut.
func (w *walk) readLeaves(ctx context.Context, lo, hi int64) (map[int64][]byte, error) {
	leaves, err := readLeafTiles(ctx, w.sys, lo, hi)
	if err != nil {
		return nil, err
	}
	for n := lo / tileWidth; n < (hi+tileWidth-1)/tileWidth; n++ {
		w.complete(0, n, leaves[n], min(tileWidth, hi-n*tileWidth))
	}
	return leaves, nil
}

// readLeafTiles reads the tiles that hold the leaves from lo to hi, by number.
func readLeafTiles(ctx context.Context, q querier, lo, hi int64) (map[int64][]byte, error) {
	const some = `select n, hashes from gavel_sys.log_tile where level = 0 and n >= $1 and n < $2`
	first, end := lo/tileWidth, (hi+tileWidth-1)/tileWidth
	rows, _ := q.Query(ctx, some, first, end) // ForEachRow reports Query's error too
	leaves := map[int64][]byte{}
	var n int64
	var hashes []byte
	_, err := pgx.ForEachRow(rows, []any{&n, &hashes}, func() error {
		leaves[n] = append([]byte(nil), hashes...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the tiles of entries %d to %d: %w", lo, hi-1, err)
	}
	return leaves, nil
}

// complete reports a tile that has fewer hashes than it must.
func (w *walk) complete(level int, n int64, data []byte, want int64) {
	w.r.Tiles++
	switch got := int64(len(data)) / tlog.HashSize; {
	case got == 0:
		w.r.find("tile", "tile %d of level %d is missing", n, level)
	case got < want:
		w.r.find("tile", "tile %d of level %d is cut: it has %d hashes, and needs %d", n, level, got, want)
	}
}

// leafOf is the stored hash of an entry.
func leafOf(leaves map[int64][]byte, seq int64) (tlog.Hash, bool) {
	return hashAt(leaves[seq/tileWidth], seq%tileWidth)
}

func hashAt(data []byte, i int64) (h tlog.Hash, ok bool) {
	if int64(len(data)) < (i+1)*tlog.HashSize {
		return h, false
	}
	copy(h[:], data[i*tlog.HashSize:])
	return h, true
}

// A storedCheckpoint is a row, which may say anything.
type storedCheckpoint struct {
	size, n int64
	note    string
}

func (w *walk) readCheckpoints(ctx context.Context, lo, hi int64) ([]storedCheckpoint, error) {
	const some = `select size, n, note from gavel_sys.log_checkpoint where size > $1 and size <= $2 order by size`
	rows, _ := w.sys.Query(ctx, some, lo, hi)
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (c storedCheckpoint, err error) {
		err = row.Scan(&c.size, &c.n, &c.note)
		return c, err
	})
	if err != nil {
		return nil, fmt.Errorf("read checkpoints %d to %d: %w", lo, hi, err)
	}
	return all, nil
}

// readBeyond reports checkpoints that are larger than everything there is, and
// says what their signatures are worth.
func (w *walk) readBeyond(ctx context.Context) error {
	beyond, err := w.readCheckpoints(ctx, w.upto, w.r.Size)
	if err != nil || len(beyond) == 0 {
		return err
	}
	signed := 0
	for _, s := range beyond {
		w.r.Checkpoints++
		if c, err := ParseCheckpoint(s.note); err == nil && c.Tree.N == s.size && w.keys.signed(c) {
			signed++
		}
	}
	w.r.find("checkpoint", "%d checkpoints, %d of them signed, vouch for up to %d entries, and the log ends at %d: entries were removed",
		len(beyond), signed, w.r.Size, w.upto)
	return nil
}

// checkpoint holds a checkpoint against the tree that its entries yield.
func (w *walk) checkpoint(ctx context.Context, s storedCheckpoint) error {
	w.r.Checkpoints++
	if s.n != w.counted+1 {
		w.r.find("checkpoint", "checkpoint %d is the %d., and follows the %d.: some are missing or were moved", s.size, s.n, w.counted)
	}
	w.counted = s.n
	c, err := ParseCheckpoint(s.note)
	switch {
	case err != nil:
		w.r.find("checkpoint", "checkpoint %d is not one: its text was changed", s.size)
		return nil
	case c.Tree.N != s.size:
		w.r.find("checkpoint", "checkpoint %d says that it is for %d entries: it was changed or moved", s.size, c.Tree.N)
		return nil
	case !w.keys.signed(c):
		w.r.find("checkpoint", "checkpoint %d is not signed by the key in force: its text or signature was changed", s.size)
		return nil
	}
	return w.settle(ctx, c)
}

// settle decides, by a signed root, which of the two trees is as it was, and
// goes on from that one.
func (w *walk) settle(ctx context.Context, c Checkpoint) error {
	byContent, byTiles := w.content.root() == c.Tree.Hash, w.tiled.root() == c.Tree.Hash
	switch {
	case byContent:
		w.blame("tiles")
		w.tiled.become(&w.content)
	case byTiles:
		w.blame("records")
		w.content.become(&w.tiled)
	default:
		w.blame("neither")
		if w.broken > 0 {
			w.lost++
		} else {
			w.broken = c.Tree.N
			w.r.find("checkpoint", "checkpoint %d is signed for another tree than the records and the tiles yield: something from entry "+
				"%d to entry %d was changed",
				c.Tree.N, w.good, c.Tree.N-1)
		}
		w.content.take()
		w.tiled.take()
		return nil
	}
	w.good = c.Tree.N
	w.tiled.take()
	return w.compareUpper(ctx, w.content.take())
}

// compareUpper compares hashes of whole tiles with where they stand one level
// up.
func (w *walk) compareUpper(ctx context.Context, heads []node) error {
	for _, h := range heads {
		n, i := h.n/tileWidth, h.n%tileWidth
		at, read := w.upper[h.level]
		if !read || at.n != n {
			var err error
			if at, err = w.readUpper(ctx, h.level, n); err != nil {
				return err
			}
			w.upper[h.level] = at
		}
		got, there := hashAt(at.data, i)
		switch {
		case !there && i == 0:
			w.complete(h.level, n, nil, 1)
		case !there && int64(len(at.data)) == i*tlog.HashSize:
			w.complete(h.level, n, at.data, i+1)
		case there && got != h.hash:
			w.r.find("tile", "tile %d of level %d holds another hash for tile %d below it than that one has: the upper tile was changed", n,
				h.level, h.n)
		}
	}
	return nil
}

func (w *walk) readUpper(ctx context.Context, level int, n int64) (storedTile, error) {
	const one = `select hashes from gavel_sys.log_tile where level = $1 and n = $2`
	rows, _ := w.sys.Query(ctx, one, level, n)
	found, err := pgx.CollectRows(rows, pgx.RowTo[[]byte])
	if err != nil {
		return storedTile{}, fmt.Errorf("read tile %d of level %d: %w", n, level, err)
	}
	t := storedTile{n: n}
	if len(found) > 0 {
		t.data = found[0]
		w.r.Tiles++
	}
	return t, nil
}

// compareKnown holds checkpoints that someone kept against the tree.
func (w *walk) compareKnown(size int64) {
	for len(w.known) > 0 && w.known[0].Tree.N <= size {
		c := w.known[0]
		w.known = w.known[1:]
		switch {
		case !w.keys.signed(c):
			w.r.find("known", "the checkpoint of %d entries that you kept is not signed by a key of this log", c.Tree.N)
		case c.Tree.N == size && w.content.root() != c.Tree.Hash && w.tiled.root() != c.Tree.Hash:
			w.r.find("known", "you kept a checkpoint of %d entries with another root: the log was rewritten", c.Tree.N)
		}
	}
}
