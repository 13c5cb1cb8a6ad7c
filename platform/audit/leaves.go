package audit

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/tlog"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// maxLeaves bounds the hashes beside one published checkpoint: 4 MiB.
const maxLeaves = 1 << 17

// Beside each published checkpoint lie the leaf hashes of the entries that are new
// in it, so that a restored log can go on with the tree that others hold. The
// records themselves are not published: they are the organisations' own.
//
// A leaves is that object: a line that says which tree it continues, and hashes.
type leaves struct {
	before tlog.Tree // with an empty hash where the chain begins here
	hashes []tlog.Hash
}

// leavesName holds a part of the root: what was written for a tree that then came
// to nothing is in nobody's way.
func leavesName(t tlog.Tree) string { return fmt.Sprintf("log/leaves/%d-%x", t.N, t.Hash[:8]) }

func (l leaves) encode() []byte {
	root := "-"
	if l.before.Hash != (tlog.Hash{}) {
		root = l.before.Hash.String()
	}
	b := fmt.Appendf(nil, "%d %s\n", l.before.N, root)
	for _, h := range l.hashes {
		b = append(b, h[:]...)
	}
	return b
}

func parseLeaves(data []byte) (l leaves, err error) {
	bad := fault.New(fault.Conflict, "the leaves beside a published checkpoint are damaged")
	line, rest, ok := bytes.Cut(data, []byte("\n"))
	size, root, two := strings.Cut(string(line), " ")
	n, err := strconv.ParseInt(size, 10, 64)
	if !ok || !two || err != nil || n < 0 || len(rest)%tlog.HashSize != 0 || len(rest) == 0 {
		return l, bad
	}
	l.before.N = n
	if root != "-" {
		raw, err := base64.StdEncoding.DecodeString(root)
		if err != nil || len(raw) != tlog.HashSize {
			return l, bad
		}
		l.before.Hash = tlog.Hash(raw)
	}
	for part := range slices.Chunk(rest, tlog.HashSize) {
		l.hashes = append(l.hashes, tlog.Hash(part))
	}
	return l, nil
}

// putLeaves publishes the leaves of a tree that are new since what was published
// before.
func putLeaves(ctx context.Context, q querier, s Shelf, before, now tlog.Tree) error {
	l := leaves{before: before}
	if now.N-before.N > maxLeaves {
		l.before = tlog.Tree{N: now.N - maxLeaves}
	}
	indexes := make([]int64, 0, now.N-l.before.N)
	for i := l.before.N; i < now.N; i++ {
		indexes = append(indexes, tlog.StoredHashIndex(0, i))
	}
	var err error
	if l.hashes, err = tlog.TileHashReader(now, tilesOf(ctx, q)).ReadHashes(indexes); err != nil {
		return fmt.Errorf("read the leaves of checkpoint %d: %w", now.N, err)
	}
	_, err = s.PutNamed(ctx, leavesName(now), l.encode(), blob.Absent)
	if fault.Is(err, fault.Conflict) { // another server was here first
		return nil
	}
	return err
}

// readBack reads the leaves of a published tree from one entry on, as far back as
// the copy holds them. It believes nothing: who uses them compares the root.
func readBack(ctx context.Context, s Shelf, published tlog.Tree, from int64) ([]tlog.Hash, error) {
	var parts [][]tlog.Hash
	for at := published; at.N > from; {
		data, _, err := s.GetNamed(ctx, leavesName(at))
		if fault.Is(err, fault.NotFound) {
			return nil, fault.New(fault.Conflict, "the published copy does not hold the hashes of entries %d to %d", from, at.N-1).
				WithNext("restore a newer copy of the database: docs/runbook/log-restored.md")
		}
		if err != nil {
			return nil, fmt.Errorf("read what was published: %w", err)
		}
		l, err := parseLeaves(data)
		if err != nil {
			return nil, err
		}
		if l.before.N+int64(len(l.hashes)) != at.N {
			return nil, fault.New(fault.Conflict, "the leaves beside the published checkpoint of %d entries are not as many", at.N)
		}
		parts = append(parts, l.hashes[max(0, from-l.before.N):])
		at = l.before
	}
	slices.Reverse(parts)
	return slices.Concat(parts...), nil
}
