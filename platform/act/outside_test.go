package act_test

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestWhatLeavesIsListedNewestFirst promises that acts beyond our walls are listed page
// by page, each once, and nothing else with them, nor to another organisation.
func TestWhatLeavesIsListedNewestFirst(t *testing.T) {
	r := newRig(t, durable.Clock{})
	var want []string
	at := time.Now()
	for i := range 5 {
		p := r.plan(act.Outside, `{"to":"x"}`)
		p.At = at.Add(time.Duration(i/2) * time.Second) // some at the same moment
		if err := r.commit(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		want = append(want, p.Key)
		r.planned(t, act.Write)
	}
	var got []string
	before := ""
	for range 3 {
		page, next, err := r.ListOutside(t.Context(), north, before, 2)
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range page {
			got = append(got, a.Key)
		}
		before = next
	}
	for i := range want {
		if len(got) != len(want) || got[i] != want[len(want)-1-i] {
			t.Fatalf("listed %v of %v", got, want)
		}
	}
	if before != "" {
		t.Errorf("after the last page there is one from %s", before)
	}
	if theirs, _, err := r.ListOutside(t.Context(), south, "", 10); err != nil || len(theirs) != 0 {
		t.Errorf("another organisation sees %v, %v", theirs, err)
	}
	if _, _, err := r.ListOutside(t.Context(), north, "", act.MostListed+1); !fault.Is(err, fault.Invalid) {
		t.Errorf("a page without an end: %v", err)
	}
}
