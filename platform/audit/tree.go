package audit

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gavelhq/gavel/platform/fault"
)

// The shape of the tree's storage. Height 8 is what tlog-tiles asks for.
const (
	tileHeight = 8
	tileWidth  = 1 << tileHeight
)

// A querier reads rows: a transaction of an organisation, or the system's door.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// A spot is where a tile lies, whatever its width.
type spot struct {
	level int
	n     int64
}

func spotOf(t tlog.Tile) spot { return spot{t.L, t.N} }

// tiles reads tiles from the database for tlog, which asks no context of its
// readers; one lives no longer than the call it serves. What tlog has proved
// against a root it keeps, so that it is read once.
type tiles struct {
	read   func([]tlog.Tile) ([][]byte, error)
	proved map[spot][]byte
}

func tilesOf(ctx context.Context, q querier) *tiles {
	return &tiles{
		read:   func(ts []tlog.Tile) ([][]byte, error) { return readTiles(ctx, q, ts) },
		proved: map[spot][]byte{},
	}
}

// Height is part of tlog.TileReader.
func (*tiles) Height() int { return tileHeight }

// ReadTiles is part of tlog.TileReader.
func (t *tiles) ReadTiles(ts []tlog.Tile) ([][]byte, error) { return t.read(ts) }

// SaveTiles is part of tlog.TileReader.
func (t *tiles) SaveTiles(ts []tlog.Tile, data [][]byte) {
	for i := range ts {
		if len(data[i]) > len(t.proved[spotOf(ts[i])]) {
			t.proved[spotOf(ts[i])] = data[i]
		}
	}
}

// readTiles reads tiles as wide as asked for. A tile stored wider, because the
// tree has grown since, is cut: it only grows to the right.
func readTiles(ctx context.Context, q querier, ts []tlog.Tile) ([][]byte, error) {
	levels, ns := make([]int32, len(ts)), make([]int64, len(ts))
	for i, t := range ts {
		levels[i], ns[i] = int32(t.L), t.N
	}
	const some = `select level, n, hashes from gavel_sys.log_tile
		where (level, n) in (select * from unnest($1::int[], $2::bigint[]))`
	rows, _ := q.Query(ctx, some, levels, ns) // ForEachRow reports Query's error too
	stored := map[spot][]byte{}
	var at spot
	var hashes []byte
	_, err := pgx.ForEachRow(rows, []any{&at.level, &at.n, &hashes}, func() error {
		stored[at] = append([]byte(nil), hashes...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read tiles: %w", err)
	}
	data := make([][]byte, len(ts))
	for i, t := range ts {
		full := stored[spotOf(t)]
		if len(full) < t.W*tlog.HashSize {
			return nil, fault.New(fault.Internal, "the log is damaged: %s is not all there", t.Path()).
				WithNext("find out what else is: gavel audit fsck")
		}
		data[i] = full[:t.W*tlog.HashSize]
	}
	return data, nil
}

// A growth is the tree with new leaves on its right. Everything it takes from
// the old tree has been proved against the old root first, so nothing is ever
// signed on top of tiles that were changed.
type growth struct {
	old   tlog.Tree
	edge  *tiles      // the old tree's right edge, proved
	fresh []tlog.Hash // new hashes, in storage order from base
	base  int64
	size  int64
}

// newGrowth proves the right edge of a tree, where all of its growth happens.
func newGrowth(old tlog.Tree, edge *tiles) (*growth, error) {
	g := &growth{old: old, edge: edge, base: tlog.StoredHashIndex(0, old.N), size: old.N}
	if old.N == 0 {
		return g, nil
	}
	last := []int64{tlog.StoredHashIndex(0, old.N-1)}
	if _, err := tlog.TileHashReader(old, edge).ReadHashes(last); err != nil {
		return nil, fault.New(fault.Internal, "the log is damaged: its tiles do not yield the root of checkpoint %d: %w", old.N, err).
			WithNext("find out what was changed: gavel audit fsck")
	}
	return g, nil
}

// ReadHashes is part of tlog.HashReader.
func (g *growth) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	hashes := make([]tlog.Hash, len(indexes))
	for i, x := range indexes {
		if x >= g.base {
			hashes[i] = g.fresh[x-g.base]
			continue
		}
		t := tlog.TileForIndex(tileHeight, x)
		data := g.edge.proved[spotOf(t)]
		t.W = len(data) / tlog.HashSize
		h, err := tlog.HashFromTile(t, data, x)
		if err != nil {
			return nil, err
		}
		hashes[i] = h
	}
	return hashes, nil
}

// add puts a leaf on the tree.
func (g *growth) add(leaf tlog.Hash) error {
	hashes, err := tlog.StoredHashesForRecordHash(g.size, leaf, g)
	if err != nil {
		return fmt.Errorf("add leaf %d: %w", g.size, err)
	}
	g.fresh = append(g.fresh, hashes...)
	g.size++
	return nil
}

// tree is the grown tree's size and root.
func (g *growth) tree() (tlog.Tree, error) {
	root, err := tlog.TreeHash(g.size, g)
	return tlog.Tree{N: g.size, Hash: root}, err
}

// changed lists the tiles that are new or wider, with their hashes.
func (g *growth) changed() ([]tlog.Tile, [][]byte, error) {
	ts := tlog.NewTiles(tileHeight, g.old.N, g.size)
	data := make([][]byte, len(ts))
	for i, t := range ts {
		var err error
		if data[i], err = tlog.ReadTileData(t, g); err != nil {
			return nil, nil, err
		}
	}
	return ts, data, nil
}

// The rows that make a growth last, besides its records' places.
const (
	insertTile = `insert into gavel_sys.log_tile (level, n, hashes) values ($1, $2, $3)
		on conflict (level, n) do update set hashes = excluded.hashes`
	insertCheckpoint = `insert into gavel_sys.log_checkpoint (size, n, note)
		select $1, coalesce(max(n), 0) + 1, $2 from gavel_sys.log_checkpoint`
)
