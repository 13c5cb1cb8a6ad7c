package audit

import (
	"context"

	"golang.org/x/mod/sumdb/tlog"
)

// CachedTiles reads every tile from the database once, for tests that prove
// thousands of things over one log.
func CachedTiles(ctx context.Context, q querier) tlog.TileReader {
	cache := map[spot][]byte{}
	t := tilesOf(ctx, q)
	read := t.read
	t.read = func(ts []tlog.Tile) ([][]byte, error) {
		data := make([][]byte, len(ts))
		for i, tile := range ts {
			if len(cache[spotOf(tile)]) < tile.W*tlog.HashSize {
				got, err := read([]tlog.Tile{tile})
				if err != nil {
					return nil, err
				}
				cache[spotOf(tile)] = got[0]
			}
			data[i] = cache[spotOf(tile)][:tile.W*tlog.HashSize]
		}
		return data, nil
	}
	return t
}

// ProveAt and ExtendWith are Prove and Extend over tiles at hand; Share says how
// many of each stratum are drawn.
var (
	ProveAt    = proveAt
	ExtendWith = extendWith
	Share      = share
)

// The conditions that find a file which left.
const (
	LeftAs     = leftAs
	LeftReport = leftReport
)
