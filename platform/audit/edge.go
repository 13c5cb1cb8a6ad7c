package audit

import (
	"slices"

	"golang.org/x/mod/sumdb/tlog"
)

// An edge is a tree being built from its leaves in order, of which only the
// right edge is kept: one hash for each complete subtree, at most 63. It shares
// no code with the sequencer's way of growing the tree, because it is there to
// check it.
type edge struct {
	size  int64
	peaks []tlog.Hash // of the complete subtrees, the largest first
	heads []node      // roots of the tiles that were completed since the last take
}

// A node is one hash of a level of tiles: the n-th that covers 256^level leaves.
type node struct {
	level int
	n     int64
	hash  tlog.Hash
}

// add puts a leaf on the right.
func (e *edge) add(leaf tlog.Hash) {
	h := leaf
	height := 0
	for at := e.size; at&1 == 1; at >>= 1 { // a subtree of this height is waiting for its right half
		h = tlog.NodeHash(e.peaks[len(e.peaks)-1], h)
		e.peaks = e.peaks[:len(e.peaks)-1]
		height++
		if height%tileHeight == 0 {
			e.heads = append(e.heads, node{height / tileHeight, e.size >> height, h})
		}
	}
	e.peaks = append(e.peaks, h)
	e.size++
}

// root is the root of the tree so far, which has at least one leaf.
func (e *edge) root() tlog.Hash {
	h := e.peaks[len(e.peaks)-1]
	for _, left := range slices.Backward(e.peaks[:len(e.peaks)-1]) {
		h = tlog.NodeHash(left, h)
	}
	return h
}

// take returns the roots of the tiles completed since the last take.
func (e *edge) take() []node {
	heads := e.heads
	e.heads = nil
	return heads
}

// become makes this edge the same as another.
func (e *edge) become(other *edge) {
	e.size, e.peaks, e.heads = other.size, slices.Clone(other.peaks), slices.Clone(other.heads)
}
