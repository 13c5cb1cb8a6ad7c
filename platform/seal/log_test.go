package seal_test

import (
	"log/slog"
	"testing"

	"github.com/gavelhq/gavel/platform/audit"
)

// TestTheLogStaysWholeThroughAnErasure promises that everything in the log still
// verifies after an erasure, also against a checkpoint that was kept before.
func TestTheLogStaysWholeThroughAnErasure(t *testing.T) {
	r := newRig(t)
	secret, public, err := audit.NewKey("gavel.test/log")
	if err != nil {
		t.Fatal(err)
	}
	s, err := audit.NewSequencer(audit.SequencerConfig{System: r.db.System, Signer: secret, Now: r.clock,
		Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	drain := func() {
		t.Helper()
		if _, err := s.Drain(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	settle(t, r, rider("R-7"))
	drain()
	kept := column[string](r, `select note from gavel_sys.log_checkpoint order by size`)
	done := r.mustErase(rider("R-7"))
	drain()

	report, err := audit.Fsck(t.Context(), audit.FsckConfig{System: r.db.System, Trusted: []audit.Verifier{public}, Known: kept})
	if err != nil || !report.Clean() || report.Waiting != 0 {
		t.Errorf("got %+v, %v", report, err)
	}
	if seq := column[int64](r, `select seq from gavel.record_place where record_id = $1`, done.Record); len(seq) != 1 ||
		seq[0] != report.Size-1 {
		t.Errorf("the erasure is entry %v, want the last of %d", seq, report.Size)
	}
}
