package audit_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
)

// rotate makes a new key of the same log and a sequencer that puts it in force.
func (r *rig) rotate(t testing.TB, vouch bool) *audit.Sequencer {
	t.Helper()
	old := r.secret
	var err error
	if r.secret, r.public, err = audit.NewKey(origin); err != nil {
		t.Fatal(err)
	}
	if vouch {
		return r.sequencerWith(t, r.secret, old)
	}
	return r.sequencerWith(t, r.secret, "")
}

func (r *rig) sequencerWith(t testing.TB, secret, previous string) *audit.Sequencer {
	t.Helper()
	s, err := audit.NewSequencer(audit.SequencerConfig{System: r.db.System, Signer: secret, Previous: previous, Now: time.Now,
		Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// accept is an operator's word for a key that the one before does not vouch for.
func (r *rig) accept(t testing.TB, key audit.Verifier) audit.RecordID {
	t.Helper()
	id, _, err := audit.AcceptKey(t.Context(), r.db.System, key, "the one before is lost", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

func drain(t testing.TB, s *audit.Sequencer) {
	t.Helper()
	if _, err := s.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// TestAChangeOfKeysIsItselfInTheLog promises that checkpoints after a change are
// signed by the new key, that older ones still verify, and that who holds only
// the old key can follow the change if the old key vouched for it.
func TestAChangeOfKeysIsItselfInTheLog(t *testing.T) {
	for _, vouch := range []bool{true, false} {
		r := newRig(t)
		first := r.public
		r.append(t, record(1), record(2))
		r.drain(t)
		before, err := audit.Newest(t.Context(), r.db.System)
		if err != nil {
			t.Fatal(err)
		}
		s := r.rotate(t, vouch)
		if !vouch {
			r.accept(t, r.public)
		}
		drain(t, s)
		var turn audit.Checkpoint
		if turn, err = audit.Covering(t.Context(), r.db.System, before.Tree.N+1); err != nil || turn.Tree.N != before.Tree.N+1 ||
			!turn.SignedBy(r.public) || turn.SignedBy(first) != vouch {
			t.Errorf("vouch %v: checkpoint %d, signed by new %v, by old %v, %v", vouch, turn.Tree.N, turn.SignedBy(r.public),
				turn.SignedBy(first), err)
		}
		r.append(t, record(3))
		drain(t, s)
		after, err := audit.Newest(t.Context(), r.db.System)
		if err != nil || !after.SignedBy(r.public) || after.SignedBy(first) {
			t.Errorf("vouch %v: the checkpoint after the change: %v", vouch, err)
		}
		keys, err := audit.ReadKeys(t.Context(), r.db.System)
		if err != nil || keys.At(before.Tree.N) != first || keys.At(turn.Tree.N) != r.public || keys.Newest() != r.public ||
			keys.At(0) != "" {
			t.Errorf("vouch %v: keys %v, %v", vouch, keys, err)
		}
		if !before.SignedBy(keys.At(before.Tree.N)) {
			t.Error("an old checkpoint no longer verifies")
		}
		for trusted, clean := range map[audit.Verifier]bool{r.public: true, first: vouch} {
			report, err := audit.Fsck(t.Context(), audit.FsckConfig{System: r.db.System, Trusted: []audit.Verifier{trusted},
				Known: []string{before.Note}})
			if err != nil || report.Clean() != clean || len(report.Keys) != 2 {
				t.Errorf("vouch %v, trusting %s: %v, %v", vouch, trusted, report.Findings, err)
			}
		}
	}
}

// TestAStrayKeyDoesNotTakeTheLogOver promises that a server whose settings name
// another key of the same log signs nothing, and that the others go on.
func TestAStrayKeyDoesNotTakeTheLogOver(t *testing.T) {
	r := newRig(t)
	good := r.sequencer(t)
	r.append(t, record(0))
	drain(t, good)
	secret, public, err := audit.NewKey(origin)
	if err != nil {
		t.Fatal(err)
	}
	elsewhere, _, err := audit.NewKey(origin)
	if err != nil {
		t.Fatal(err)
	}
	for _, previous := range []string{"", elsewhere} { // one that is not in force vouches for nothing
		stray := r.sequencerWith(t, secret, previous)
		r.append(t, record(1))
		if n, err := stray.Drain(t.Context()); n != 0 || !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(),
			"nobody vouches") {
			t.Errorf("the stray key's server took in %d, %v; want a conflict", n, err)
		}
		if n, err := good.Drain(t.Context()); n != 1 || err != nil {
			t.Errorf("the log's own server took in %d, %v; want 1", n, err)
		}
	}
	keys, err := audit.ReadKeys(t.Context(), r.db.System)
	if err != nil || keys.Newest() != r.public {
		t.Errorf("the key in force is %s, %v", keys.Newest(), err)
	}
	if newest, err := audit.Newest(t.Context(), r.db.System); err != nil || newest.SignedBy(public) || !newest.SignedBy(r.public) {
		t.Errorf("the newest checkpoint is signed by the stray key: %v, %v", newest.SignedBy(public), err)
	}
	r.expectClean(t, 4)
}

// TestAnOperatorLetsAKeyInWhoseLastOneIsLost promises that this takes a reason,
// is in the log itself, and opens the door to that one key.
func TestAnOperatorLetsAKeyInWhoseLastOneIsLost(t *testing.T) {
	r := newRig(t)
	accept := func(key audit.Verifier, reason string) error {
		_, _, err := audit.AcceptKey(t.Context(), r.db.System, key, reason, time.Now())
		return err
	}
	if err := accept(r.public, "x"); !fault.Is(err, fault.Conflict) {
		t.Errorf("before the log has a key: %v", err)
	}
	r.append(t, record(0))
	r.drain(t)
	first := r.public
	next := r.rotate(t, false)
	stray, _, err := audit.NewKey(origin)
	if err != nil {
		t.Fatal(err)
	}
	_, foreign, err := audit.NewKey("elsewhere.test/log")
	if err != nil {
		t.Fatal(err)
	}
	for name, bad := range map[string]error{"no reason": accept(r.public, " "), "the first key": accept(first, "x"),
		"another log's": accept(foreign, "x"),
		"no key":        accept("gavel.test/log+x", "x")} {
		if bad == nil {
			t.Errorf("%s was accepted", name)
		}
	}
	id := r.accept(t, r.public)
	if n, err := r.sequencerWith(t, stray, "").Drain(t.Context()); n != 0 || !fault.Is(err, fault.Conflict) {
		t.Errorf("another stray key took in %d, %v", n, err)
	}
	drain(t, next)
	if text := one[string](t, r, `select r.json from gavel.record r join gavel.record_place p on p.org = r.org and p.record_id = r.id
		where r.id = $1`, id); !strings.Contains(text, `"reason":"the one before is lost"`) {
		t.Errorf("in the log: %s", text)
	}
	r.expectClean(t, 4)
}

func TestAKeyThatWasReplacedDoesNotComeBack(t *testing.T) {
	r := newRig(t)
	old := r.sequencer(t)
	r.append(t, record(1))
	drain(t, old)
	drain(t, r.rotate(t, true))
	r.append(t, record(2))
	if n, err := old.Drain(t.Context()); n != 0 || !fault.Is(err, fault.Conflict) {
		t.Errorf("the old key's server took in %d, %v; want a conflict", n, err)
	}
	r.drain(t)
	r.expectClean(t, 4)
}

func TestAKeyOfAnotherLogIsRefused(t *testing.T) {
	r := newRig(t)
	r.append(t, record(1))
	r.drain(t)
	other, public, err := audit.NewKey("other.test/log")
	if err != nil {
		t.Fatal(err)
	}
	s, err := audit.NewSequencer(audit.SequencerConfig{System: r.db.System, Signer: other, Now: time.Now, Logger: quiet})
	if err != nil || s.Verifier() != public {
		t.Fatalf("got %s, %v; want %s", s.Verifier(), err, public)
	}
	if _, err := s.Drain(t.Context()); !fault.Is(err, fault.Conflict) {
		t.Errorf("got %v, want a conflict", err)
	}
	_, err = audit.NewSequencer(audit.SequencerConfig{System: r.db.System, Signer: r.secret, Previous: other, Now: time.Now, Logger: quiet})
	if !fault.Is(err, fault.Invalid) {
		t.Errorf("a previous key of another log: %v", err)
	}
}

func TestAMalformedKeyIsRefusedAndStaysSecret(t *testing.T) {
	good, _, err := audit.NewKey(origin)
	if err != nil {
		t.Fatal(err)
	}
	secret := strings.SplitN(good, "+", 5)[4] // "+" is of its alphabet too
	for _, key := range []string{"", "x", good[:len(good)-3], strings.Replace(good, "gavel.test", "Gavel Test", 1),
		strings.Replace(good, "gavel.test", "gavel2.test", 1)} {
		_, err := audit.NewSequencer(audit.SequencerConfig{Signer: key})
		if !fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), secret) {
			t.Errorf("%.20q: got %v", key, err)
		}
	}
	for _, bad := range []string{"", "x", "Gavel.test", "gavel test", "gavel.test/", "gavel.test/a+b", strings.Repeat("x", 200)} {
		if _, _, err := audit.NewKey(bad); !fault.Is(err, fault.Invalid) {
			t.Errorf("origin %q: got %v, want invalid", bad, err)
		}
	}
}
