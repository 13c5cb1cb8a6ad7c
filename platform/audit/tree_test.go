package audit

import (
	"crypto/sha256"
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"
)

// stored is tiles in memory, as the database keeps them.
type stored map[spot][]byte

func (s stored) tiles() *tiles {
	return &tiles{proved: map[spot][]byte{}, read: func(ts []tlog.Tile) ([][]byte, error) {
		data := make([][]byte, len(ts))
		for i, t := range ts {
			data[i] = s[spotOf(t)]
			if len(data[i]) < t.W*tlog.HashSize {
				return nil, fmt.Errorf("%s is not there", t.Path())
			}
			data[i] = data[i][:t.W*tlog.HashSize]
		}
		return data, nil
	}}
}

// TestTheTreeIsTheSameHoweverItGrows promises that steps of any sizes, the
// checker's own way of building, and the definition yield one root, and that
// tiles only grow.
func TestTheTreeIsTheSameHoweverItGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		kept := stored{}
		var tree tlog.Tree
		var e edge
		for range rapid.IntRange(1, 8).Draw(t, "steps") {
			g, err := newGrowth(tree, kept.tiles())
			if err != nil {
				t.Fatal(err)
			}
			for range rapid.IntRange(1, 700).Draw(t, "entries") {
				leaf := tlog.Hash(sha256.Sum256(fmt.Append(nil, g.size)))
				if err := g.add(leaf); err != nil {
					t.Fatal(err)
				}
				e.add(leaf)
			}
			if tree, err = g.tree(); err != nil {
				t.Fatal(err)
			}
			ts, data, err := g.changed()
			if err != nil {
				t.Fatal(err)
			}
			for i, tile := range ts {
				if old := kept[spotOf(tile)]; string(data[i][:len(old)]) != string(old) || len(data[i]) <= len(old) {
					t.Fatalf("%s did not grow", tile.Path())
				}
				kept[spotOf(tile)] = data[i]
			}
			if tree.N != e.size || tree.Hash != e.root() {
				t.Fatalf("size %d: got %s, the checker has %s", tree.N, tree.Hash, e.root())
			}
		}
		for _, h := range e.take() {
			if got, ok := hashAt(kept[spot{h.level, h.n / tileWidth}], h.n%tileWidth); !ok || got != h.hash {
				t.Fatalf("level %d, hash %d: got %s, want %s", h.level, h.n, got, h.hash)
			}
		}
	})
}

// TestNothingGrowsOnAChangedEdge promises that one flipped bit anywhere in the
// tiles on the right edge stops the next step.
func TestNothingGrowsOnAChangedEdge(t *testing.T) {
	kept := stored{}
	g, err := newGrowth(tlog.Tree{}, kept.tiles())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 66_000 { // three levels
		if err := g.add(tlog.Hash(sha256.Sum256(fmt.Append(nil, i)))); err != nil {
			t.Fatal(err)
		}
	}
	tree, err := g.tree()
	if err != nil {
		t.Fatal(err)
	}
	ts, data, err := g.changed()
	if err != nil {
		t.Fatal(err)
	}
	for i, tile := range ts {
		kept[spotOf(tile)] = data[i]
	}
	edgeTiles := []spot{{0, 66_000 / 256}, {1, 1}, {2, 0}}
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.SampledFrom(edgeTiles).Draw(t, "tile")
		i := rapid.IntRange(0, len(kept[at])-1).Draw(t, "byte")
		kept[at][i] ^= 1
		if _, err := newGrowth(tree, kept.tiles()); err == nil {
			t.Fatal("a changed tile was built upon")
		}
		kept[at][i] ^= 1
		if _, err := newGrowth(tree, kept.tiles()); err != nil {
			t.Fatal(err)
		}
	})
}
