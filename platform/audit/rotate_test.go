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
	c := audit.SequencerConfig{System: r.db.System, Signer: r.secret, Now: time.Now, Logger: quiet}
	if vouch {
		c.Previous = old
	}
	s, err := audit.NewSequencer(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
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
		drain(t, s) // with nothing waiting
		turn, err := audit.Newest(t.Context(), r.db.System)
		if err != nil || turn.Tree.N != before.Tree.N+1 || !turn.SignedBy(r.public) || turn.SignedBy(first) != vouch {
			t.Errorf("vouch %v: checkpoint %d, signed by new %v, by old %v, %v", vouch, turn.Tree.N, turn.SignedBy(r.public), turn.SignedBy(first), err)
		}
		r.append(t, record(3))
		drain(t, s)
		after, err := audit.Newest(t.Context(), r.db.System)
		if err != nil || !after.SignedBy(r.public) || after.SignedBy(first) {
			t.Errorf("vouch %v: the checkpoint after the change: %v", vouch, err)
		}
		keys, err := audit.ReadKeys(t.Context(), r.db.System)
		if err != nil || keys.At(before.Tree.N) != first || keys.At(turn.Tree.N) != r.public || keys.Newest() != r.public || keys.At(0) != "" {
			t.Errorf("vouch %v: keys %v, %v", vouch, keys, err)
		}
		if !before.SignedBy(keys.At(before.Tree.N)) {
			t.Error("an old checkpoint no longer verifies")
		}
		for trusted, clean := range map[audit.Verifier]bool{r.public: true, first: vouch} {
			report, err := audit.Fsck(t.Context(), audit.FsckConfig{System: r.db.System, Trusted: []audit.Verifier{trusted}, Known: []string{before.Note}})
			if err != nil || report.Clean() != clean || len(report.Keys) != 2 {
				t.Errorf("vouch %v, trusting %s: %v, %v", vouch, trusted, report.Findings, err)
			}
		}
	}
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
	for _, key := range []string{"", "x", good[:len(good)-3], strings.Replace(good, "gavel.test", "Gavel Test", 1), strings.Replace(good, "gavel.test", "gavel2.test", 1)} {
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
