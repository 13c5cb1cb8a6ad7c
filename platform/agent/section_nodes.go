package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// The files of the section: what each node follows, and the nodes themselves as
// they are kept, under their SHA-256. A sealed one is an envelope that only the
// institution can open, for as long as its key exists.
const (
	nodesFile   = "nodes.ndjson"
	nodesFolder = "nodes/"
	plainNode   = ".json"
	sealedNode  = ".sealed"
)

// A bundledNode is a line of nodes.ndjson, in the order of the digests.
type bundledNode struct {
	SHA256 string `json:"sha256"`
	Parent string `json:"parent_sha256,omitempty"`
	Key    string `json:"sealed_under,omitempty"`
}

func (n bundledNode) file() string {
	if n.Key != "" {
		return nodesFolder + n.SHA256 + sealedNode
	}
	return nodesFolder + n.SHA256 + plainNode
}

// inHand is how large a node may be to be held in memory while the bundle is
// made.
const inHand = 1 << 20

func (s *Store) exportNodes(ctx context.Context, w *bundle.Writer, req bundle.Request) error {
	steps, err := s.earlierSteps(w)
	if err != nil {
		return err
	}
	heads := map[string]bool{}
	for _, one := range steps {
		heads[one.Head] = true
	}
	var index []bundledNode
	for part := range slices.Chunk(slices.Sorted(maps.Keys(heads)), 100) {
		nodes, err := s.putNodes(ctx, w, req.Org, part)
		if err != nil {
			return err
		}
		index = append(index, nodes...)
	}
	if len(index) != len(heads) {
		return fault.New(fault.Internal, "a part of the transcripts of %s is missing", req.Case)
	}
	return bundle.Lines(w, nodesFile, index)
}

// A weighedNode is a node's row, without its body where that is long.
type weighedNode struct {
	SHA256, Parent string
	Sealed         bool
	Size           int64
	Start          []byte // of the body: all of it up to inHand
}

// putNodes puts some nodes in, in the order of their digests.
func (s *Store) putNodes(ctx context.Context, w *bundle.Writer, org identity.Org, digests []string) ([]bundledNode, error) {
	const some = `select encode(sha256, 'hex'), coalesce(encode(parent, 'hex'), ''), sealed, length(body), substring(body for $2::int)
		from gavel.node where sha256 in (select decode(d, 'hex') from unnest($1::text[]) d) order by sha256`
	var rows []weighedNode
	err := s.books.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		found, _ := tx.Query(ctx, some, digests, inHand)
		rows, err = pgx.CollectRows(found, pgx.RowToStructByPos[weighedNode])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read transcripts: %w", err)
	}
	var index []bundledNode
	for _, row := range rows {
		one := bundledNode{SHA256: row.SHA256, Parent: row.Parent}
		if row.Sealed {
			if one.Key, err = s.sealedUnder(ctx, w, org, row); err != nil {
				return nil, err
			}
		}
		if err := s.putNode(w, org, one, row); err != nil {
			return nil, err
		}
		index = append(index, one)
	}
	return index, nil
}

// sealedUnder is the key of a sealed node, which leaves with the bundle.
func (s *Store) sealedUnder(ctx context.Context, w *bundle.Writer, org identity.Org, row weighedNode) (string, error) {
	d, err := blob.Parse(row.SHA256)
	if err != nil {
		return "", err
	}
	body := row.Start
	if int64(len(body)) < row.Size {
		if body, err = s.body(ctx, org, row.SHA256); err != nil {
			return "", err
		}
	}
	e, err := seal.ParseEnvelope(body)
	if err != nil {
		return "", err
	}
	w.Sealed(d)
	return string(e.Key()), nil
}

func (s *Store) putNode(w *bundle.Writer, org identity.Org, one bundledNode, row weighedNode) error {
	if int64(len(row.Start)) == row.Size {
		return w.Text(one.file(), row.Start)
	}
	d, err := blob.Parse(one.SHA256)
	if err != nil {
		return err
	}
	return w.Blob(one.file(), d, row.Size, func(ctx context.Context) (io.ReadCloser, error) {
		body, err := s.body(ctx, org, one.SHA256)
		return io.NopCloser(bytes.NewReader(body)), err
	})
}

// body reads one node's bytes.
func (s *Store) body(ctx context.Context, org identity.Org, digest string) (body []byte, err error) {
	err = s.books.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select body from gavel.node where sha256 = decode($1, 'hex')`, digest).Scan(&body)
	})
	if err != nil {
		return nil, fmt.Errorf("read node %.12s: %w", digest, err)
	}
	return body, nil
}

func verifyNodes(r *bundle.Reader, rep *bundle.Report) {
	c := rep.Check("the transcripts are whole and unchanged",
		"what was said to each model and what it answered is what the log has the digest of, turn after turn, from the beginning",
		"what stands in sealed turns: only the institution can open those, and nobody once their key is destroyed")
	path := r.Path(nodesFile)
	index, err := bundle.ReadLines[bundledNode](r, nodesFile)
	if err != nil {
		c.Found(path, "%s cannot be read: %s.", path, words(err))
		return
	}
	known, sealed := map[string]bundledNode{}, 0
	for i, n := range index {
		if i > 0 && n.SHA256 <= index[i-1].SHA256 {
			c.Found(path, "Line %d of %s is out of order or there twice.", i+1, path)
		}
		if wrong := n.wrong(r); wrong != "" {
			c.Found(r.Path(n.file()), "Node %.16s… (%s) %s.", n.SHA256, r.Path(n.file()), wrong)
		}
		known[n.SHA256] = n
		if n.Key != "" {
			sealed++
		}
	}
	used := checkChains(r, c, known)
	for _, name := range r.Names() {
		sum, isNode := strings.CutPrefix(name, nodesFolder)
		sum, _, _ = strings.Cut(sum, ".")
		if isNode && (!used[sum] || known[sum].file() != name) {
			c.Found(r.Path(name), "%s belongs to no step in this bundle.", r.Path(name))
		}
	}
	c.Saw("%d turns, %d of them sealed", len(index), sealed)
	leftOver(r, rep, func(name string) bool { return name == nodesFile || strings.HasPrefix(name, nodesFolder) })
}

// wrong says what is wrong with a node by itself, or nothing.
func (n bundledNode) wrong(r *bundle.Reader) string {
	text, err := r.Text(n.file())
	if err != nil {
		return "is not in the bundle"
	}
	if sum := sha256.Sum256(text); hex.EncodeToString(sum[:]) != n.SHA256 {
		return "is not what its name, its SHA-256, says: it was changed"
	}
	if n.Key != "" {
		if e, err := seal.ParseEnvelope(text); err != nil || string(e.Key()) != n.Key {
			return "is not sealed under the key that " + r.Path(nodesFile) + " names"
		}
		return ""
	}
	var body node
	if json.Unmarshal(text, &body) != nil {
		return "is no part of a transcript"
	}
	if body.Parent != "" && body.Parent != inLog(n.Parent) || body.Parent == "" && n.Parent != "" {
		return "follows another node than " + r.Path(nodesFile) + " says"
	}
	return ""
}

// checkChains follows every run from its first step to its last, and returns the
// nodes that were met.
func checkChains(r *bundle.Reader, c *bundle.Check, known map[string]bundledNode) map[string]bool {
	used := map[string]bool{}
	_, steps := readRuns(r)
	run, before := "", ""
	for _, s := range steps {
		if s.Run != run {
			run, before = s.Run, ""
		}
		n, ok := known[s.Head]
		switch {
		case !ok:
			c.Found(r.Path(nodesFile), "What was said in step %d of run %.40s is missing from %s.", s.Seq, s.Run, r.Path(nodesFile))
		case n.Parent != before:
			c.Found(r.Path(nodesFile), "Node %.16s… (%s), of step %d of run %.40s, does not follow the step before.", n.SHA256,
				r.Path(nodesFile), s.Seq, s.Run)
		}
		used[s.Head], before = true, s.Head
	}
	return used
}
