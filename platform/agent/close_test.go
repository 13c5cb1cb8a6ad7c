package agent_test

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
)

// TestACaseIsClosedOnceHoweverOftenTheStepIsRepeated promises that a case which its desk
// closes keeps how it first ended, with one entry for it.
func TestACaseIsClosedOnceHoweverOftenTheStepIsRepeated(t *testing.T) {
	r := newRig(t, nil)
	c := r.idle()
	in := casefile.Input{Org: north, Case: c.ID}
	for _, status := range []string{"done", "done", "failed"} {
		if err := r.Steps.CloseCase(t.Context(), in, status, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	got, err := r.Cases.Get(t.Context(), north, c.ID)
	if err != nil || got.State != casefile.Closed || got.Status != "done" || got.Version != 2 {
		t.Errorf("got %+v, %v, want it closed as done, in its second version", got, err)
	}
	entries, err := r.Cases.Entries(t.Context(), north, c.ID, casefile.EntryQuery{})
	if err != nil || len(entries) != 2 || entries[0].Kind != "closed" || entries[0].Text != "done" {
		t.Errorf("got %+v, %v", entries, err)
	}
}
