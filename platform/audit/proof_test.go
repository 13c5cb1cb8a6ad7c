package audit_test

import (
	"encoding/json"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
)

// rootOf is RFC 6962 section 2.1, word for word, as the tests' own judge.
func rootOf(leaves []tlog.Hash) tlog.Hash {
	if len(leaves) == 1 {
		return leaves[0]
	}
	k := 1 << (bits.Len(uint(len(leaves)-1)) - 1) // the largest power of two below n
	return tlog.NodeHash(rootOf(leaves[:k]), rootOf(leaves[k:]))
}

// forge makes a checkpoint of any tree, signed with the rig's key.
func (r *rig) forge(t testing.TB, size int, root tlog.Hash) audit.Checkpoint {
	t.Helper()
	signer, err := note.NewSigner(r.secret)
	if err != nil {
		t.Fatal(err)
	}
	text, err := note.Sign(&note.Note{Text: fmt.Sprintf("%s\n%d\n%s\n", origin, size, root)}, signer)
	if err != nil {
		t.Fatal(err)
	}
	c, err := audit.ParseCheckpoint(string(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// A grown log is one whose tiles were written by many steps of different sizes.
type grown struct {
	*rig
	texts  []string
	leaves []tlog.Hash
}

func newGrown(t testing.TB, n int) grown {
	t.Helper()
	g := grown{rig: newRig(t)}
	for step, have := 1, 1; have < n; step = step*2%173 + 1 { // 1, 3, 7, 15, 31, 63, 127, 82, …
		add := min(step, n-have)
		g.fill(t, add)
		g.drain(t)
		have += add
	}
	rows, err := g.db.System.Query(t.Context(), `select r.json from gavel.record r
		join gavel.record_place p on p.org = r.org and p.record_id = r.id order by p.seq`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			t.Fatal(err)
		}
		g.texts = append(g.texts, text)
		g.leaves = append(g.leaves, audit.Leaf([]byte(text)))
	}
	if len(g.texts) != n {
		t.Fatalf("the log has %d entries, want %d", len(g.texts), n)
	}
	return g
}

// TestProofsHoldForEverySize promises an inclusion proof for every size of the
// log from 1 to 2,000: of the last entry, of those beside the borders of tiles,
// and of others here and there.
func TestProofsHoldForEverySize(t *testing.T) {
	const most = 2000
	g := newGrown(t, most)
	tiles := audit.CachedTiles(t.Context(), g.db.System)
	for size := 1; size <= most; size++ {
		c := g.forge(t, size, rootOf(g.leaves[:size]))
		beside := max(0, (size-1)/256*256-size%2) // the last tile's first entry, or the one before it
		for _, seq := range []int{size - 1, beside, size * size * 31 % 7919 % size, size * 31 / 73} {
			p, err := audit.ProveAt(tiles, int64(seq), c)
			if err != nil {
				t.Fatalf("entry %d of %d: %v", seq, size, err)
			}
			if _, err := p.Holds([]byte(g.texts[seq])); err != nil {
				t.Fatalf("entry %d of %d: %v", seq, size, err)
			}
			other := (seq + 1) % size
			if _, err := p.Holds([]byte(g.texts[other])); size > 1 && !fault.Is(err, fault.Conflict) {
				t.Fatalf("entry %d of %d: the proof also holds for entry %d", seq, size, other)
			}
		}
	}
}

// TestExtensionsHoldForEveryPairOfSizes promises a consistency proof between
// any two sizes up to 200, and none between trees of which one was changed.
func TestExtensionsHoldForEveryPairOfSizes(t *testing.T) {
	const most = 200
	g := newGrown(t, most)
	tiles := audit.CachedTiles(t.Context(), g.db.System)
	checkpoints, changed := make([]audit.Checkpoint, most+1), make([]string, most+1)
	for size := 1; size <= most; size++ {
		root := rootOf(g.leaves[:size])
		checkpoints[size] = g.forge(t, size, root)
		root[size%32] ^= 1
		changed[size] = g.forge(t, size, root).Note
	}
	for to := 1; to <= most; to++ {
		for from := 1; from <= to; from++ {
			e, err := audit.ExtendWith(tiles, checkpoints[from], checkpoints[to])
			if err != nil {
				t.Fatalf("%d to %d: %v", from, to, err)
			}
			if _, _, err := e.Holds(); err != nil {
				t.Fatalf("%d to %d: %v", from, to, err)
			}
			e.From = changed[from]
			if _, _, err := e.Holds(); !fault.Is(err, fault.Conflict) {
				t.Fatalf("%d to %d: a changed tree passes: %v", from, to, err)
			}
		}
	}
}

// TestEveryStoredCheckpointIsTheTreeItSays holds the sequencer's roots against
// the definition.
func TestEveryStoredCheckpointIsTheTreeItSays(t *testing.T) {
	g := newGrown(t, 1500)
	n := 0
	for size := int64(1); size <= 1500; n++ {
		c, err := audit.Covering(t.Context(), g.db.System, size)
		if err != nil {
			t.Fatal(err)
		}
		if want := rootOf(g.leaves[:c.Tree.N]); c.Tree.Hash != want || !c.SignedBy(g.public) {
			t.Errorf("checkpoint %d: got %s, want %s; signed %v", c.Tree.N, c.Tree.Hash, want, c.SignedBy(g.public))
		}
		size = c.Tree.N + 1
	}
	if n < 10 {
		t.Errorf("only %d checkpoints were looked at", n)
	}
}

// TestAProofProvesOnlyWhatItIsFor promises that a proof with anything changed in
// it does not hold, or is not signed.
func TestAProofProvesOnlyWhatItIsFor(t *testing.T) {
	g := newGrown(t, 600)
	ids := g.order(t)
	rapid.Check(t, func(t *rapid.T) {
		i := rapid.IntRange(0, len(ids)-1).Draw(t, "entry")
		p, err := audit.Prove(g.ctx(), g.db.System, ids[i])
		if err != nil {
			t.Fatal(err)
		}
		text := []byte(g.texts[p.Seq])
		c, err := p.Holds(text)
		if err != nil || !c.SignedBy(g.public) {
			t.Fatalf("the proof as it is: %v", err)
		}
		switch rapid.IntRange(0, 5).Draw(t, "change") {
		case 0:
			text[rapid.IntRange(0, len(text)-1).Draw(t, "byte")] ^= 1
		case 1:
			p.Seq = (p.Seq + rapid.Int64Range(1, c.Tree.N-1).Draw(t, "by")) % c.Tree.N
		case 2:
			p.Path[rapid.IntRange(0, len(p.Path)-1).Draw(t, "hash")][rapid.IntRange(0, 31).Draw(t, "byte")] ^= 1
		case 3:
			p.Path = p.Path[:len(p.Path)-1]
		case 4:
			p.Path = append(p.Path, tlog.Hash{})
		case 5:
			at := rapid.IntRange(0, len(p.Checkpoint)-2).Draw(t, "byte")
			p.Checkpoint = p.Checkpoint[:at] + string(p.Checkpoint[at]^1) + p.Checkpoint[at+1:]
		}
		if c, err := p.Holds(text); err == nil && c.SignedBy(g.public) {
			t.Fatal("the changed proof holds")
		}
	})
}

func TestAProofIsShort(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		entries int64
		most    int
	}{{1_000_000, 2048}, {1_000_000_000, 2048}} {
		c := r.forge(t, int(tt.entries), tlog.Hash{})
		p := audit.Proof{Seq: tt.entries - 1, Path: make(tlog.RecordProof, bits.Len64(uint64(tt.entries-1))), Checkpoint: c.Note}
		text, err := json.Marshal(p)
		if err != nil || len(text) > tt.most {
			t.Errorf("at %d entries: %d bytes, %v; want at most %d", tt.entries, len(text), err, tt.most)
		}
	}
}

func TestAProofSurvivesJSON(t *testing.T) {
	g := newGrown(t, 300)
	p, err := audit.Prove(t.Context(), g.db.System, g.order(t)[200])
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(p)
	if err != nil {
		t.Fatal(err)
	}
	var back audit.Proof
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	if c, err := back.Holds([]byte(g.texts[p.Seq])); err != nil || !c.SignedBy(g.public) {
		t.Errorf("read back: %v", err)
	}
}

func TestARecordThatIsNotInYetSaysSo(t *testing.T) {
	r := newRig(t)
	id := r.append(t, record(1))[0]
	if _, err := audit.Prove(t.Context(), r.db.System, id); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v, want unavailable: it will be in a moment", err)
	}
	if _, err := audit.Prove(t.Context(), r.db.System, "rec_01ARZ3NDEKTSV4RRFFQ69G5FAV"); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v, want not found", err)
	}
	r.drain(t)
	if _, err := audit.Prove(t.Context(), r.db.System, id); err != nil {
		t.Error(err)
	}
}

func TestTextThatIsNoCheckpointIsRefused(t *testing.T) {
	r := newRig(t)
	good := r.forge(t, 7, tlog.Hash{1}).Note
	for _, tt := range []struct{ name, text string }{
		{"nothing", ""},
		{"no signature", strings.SplitAfter(good, "\n\n")[0]},
		{"no origin", good[len(origin):]},
		{"a size with a sign", strings.Replace(good, "\n7\n", "\n+7\n", 1)},
		{"a size below zero", strings.Replace(good, "\n7\n", "\n-7\n", 1)},
		{"a short root", strings.Replace(good, "AQAA", "", 1)},
		{"a book", good + strings.Repeat("— x AAAAAAAA\n", 2000)},
	} {
		if _, err := audit.ParseCheckpoint(tt.text); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want invalid", tt.name, err)
		}
	}
	c, err := audit.ParseCheckpoint(good)
	if err != nil || c.Tree.N != 7 || c.Origin != origin {
		t.Errorf("the good one: %+v, %v", c, err)
	}
	_, other, _ := audit.NewKey(origin)
	for _, key := range []audit.Verifier{other, "", "nonsense"} {
		if c.SignedBy(key) {
			t.Errorf("signed by %q", key)
		}
	}
}
