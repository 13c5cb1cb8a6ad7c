package seal_test

import (
	"errors"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/seal"
)

// TestWhatHasHadItsTimeGoesUnlessItIsHeld promises that Gavel erases in its own name what an organisation keeps no longer, with a record
// of it, and that a hold keeps it without a word in the log each time it is tried.
func TestWhatHasHadItsTimeGoesUnlessItIsHeld(t *testing.T) {
	r := newRig(t)
	e := r.mustSeal(about(rider("R-7")), "x")
	h := r.mustHold(seal.Target{Subject: rider("R-7")}, time.Time{})
	for range 2 {
		if _, err := r.Expire(t.Context(), north, rider("R-7")); !fault.Is(err, fault.Conflict) {
			t.Fatalf("got %v", err)
		}
	}
	if _, err := r.open(r.Vault, e); err != nil || len(r.records(audit.Refusal)) != 0 {
		t.Fatalf("%v, %v", err, r.records(audit.Refusal))
	}
	if err := r.Release(t.Context(), admin(north), h.ID, "settled"); err != nil {
		t.Fatal(err)
	}
	done, err := r.Expire(t.Context(), north, rider("R-7"))
	if err != nil || done.By != "gavel" || done.Ground != seal.Retention {
		t.Fatalf("got %+v, %v", done, err)
	}
	if _, err := r.open(r.Vault, e); !errors.Is(err, seal.ErrErased) {
		t.Error(err)
	}
	if got := r.records(audit.Erasure); len(got) != 1 {
		t.Errorf("%d records, want one", len(got))
	}
}
