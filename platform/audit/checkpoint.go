package audit

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Checkpoint is one signed state of the log: so many entries, this root. Note
// is the text that was signed with its signatures, in the form of C2SP
// tlog-checkpoint; who keeps it can tell later whether the log still holds
// everything it held then.
type Checkpoint struct {
	Origin string
	Tree   tlog.Tree
	Note   string
}

// maxNote bounds a checkpoint from outside. Ours have some three hundred bytes.
const maxNote = 8 << 10

// checkpointText is what is signed.
func checkpointText(origin string, t tlog.Tree) string {
	return fmt.Sprintf("%s\n%d\n%s\n", origin, t.N, t.Hash)
}

// sign makes the checkpoint of a tree.
func sign(origin string, t tlog.Tree, signers ...note.Signer) (Checkpoint, error) {
	signed, err := note.Sign(&note.Note{Text: checkpointText(origin, t)}, signers...)
	if err != nil {
		return Checkpoint{}, fmt.Errorf("sign checkpoint %d: %w", t.N, err)
	}
	return Checkpoint{Origin: origin, Tree: t, Note: string(signed)}, nil
}

// ParseCheckpoint reads what a checkpoint claims. It believes nothing: call
// SignedBy before relying on it.
func ParseCheckpoint(text string) (Checkpoint, error) {
	bad := fault.New(fault.Invalid, "this is not a checkpoint of a log")
	body, signatures, found := strings.Cut(text, "\n\n")
	if !found || len(text) > maxNote || !strings.HasPrefix(signatures, "— ") {
		return Checkpoint{}, bad
	}
	// Lines after the third are extensions that we do not know.
	lines := strings.SplitN(body, "\n", 4)
	if len(lines) < 3 || lines[0] == "" {
		return Checkpoint{}, bad
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil || size < 0 || strconv.FormatInt(size, 10) != lines[1] {
		return Checkpoint{}, bad
	}
	root, err := base64.StdEncoding.Strict().DecodeString(lines[2])
	if err != nil || len(root) != tlog.HashSize {
		return Checkpoint{}, bad
	}
	return Checkpoint{Origin: lines[0], Tree: tlog.Tree{N: size, Hash: tlog.Hash(root)}, Note: text}, nil
}

// SignedBy reports whether the holder of a key signed exactly this checkpoint.
func (c Checkpoint) SignedBy(key Verifier) bool {
	v, err := note.NewVerifier(string(key))
	if err != nil || v.Name() != c.Origin {
		return false
	}
	opened, err := note.Open([]byte(c.Note), note.VerifierList(v))
	if err != nil {
		return false
	}
	again, err := ParseCheckpoint(c.Note)
	return err == nil && again.Tree == c.Tree && strings.HasPrefix(opened.Text, checkpointText(c.Origin, c.Tree))
}

// Newest is the log's present state. A log without entries has none.
func Newest(ctx context.Context, q querier) (Checkpoint, error) {
	const newest = `select note from gavel_sys.log_checkpoint order by size desc limit 1`
	rows, _ := q.Query(ctx, newest)
	return collectCheckpoint(rows, "the log has no entry yet")
}

// Covering is the smallest checkpoint with at least size entries: the first to
// vouch for entry size-1.
func Covering(ctx context.Context, q querier, size int64) (Checkpoint, error) {
	const covering = `select note from gavel_sys.log_checkpoint where size >= $1 order by size limit 1`
	rows, _ := q.Query(ctx, covering, size)
	return collectCheckpoint(rows, fmt.Sprintf("the log has no %d entries yet", size))
}

func collectCheckpoint(rows pgx.Rows, none string) (Checkpoint, error) {
	text, err := pgx.CollectOneRow(rows, pgx.RowTo[string])
	if errors.Is(err, pgx.ErrNoRows) {
		return Checkpoint{}, fault.New(fault.NotFound, "%s", none)
	}
	if err != nil {
		return Checkpoint{}, fmt.Errorf("read checkpoint: %w", err)
	}
	return ParseCheckpoint(text)
}
