package agent_test

import (
	"fmt"
	"testing"

	"github.com/gavelhq/gavel/platform/agent/agenttest"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// TestAFloodLeavesNoEmptyCases: who has as many proposals waiting as people look at
// gets no new case either, and still finds what they have asked for before.
func TestAFloodLeavesNoEmptyCases(t *testing.T) {
	r := newRig(t, nil)
	for i := range 100 {
		r.proposes(asha, "letter", fmt.Sprint("word ", i), "")
	}
	cases := func() int { return query[int](t, r.db, `select count(*) from gavel.case`) }
	before := cases()
	for i := range 5 {
		if _, err := r.call(asha, "letter", fmt.Sprint("one more ", i), ""); !fault.Is(err, fault.TooMany) {
			t.Errorf("got %v, want too many", err)
		}
	}
	if n := cases() - before; n != 0 {
		t.Errorf("%d cases were opened in which nothing waits", n)
	}
	if a := r.proposes(asha, "letter", "word 7", ""); !a.Waiting() || cases() != before {
		t.Errorf("what waits is not found again: %+v", a)
	}
}

// TestRefusalsOverAndOverDoNotFillTheLog: the first are on record each, the others
// are counted in the next one; another caller's are their own.
func TestRefusalsOverAndOverDoNotFillTheLog(t *testing.T) {
	r := newRig(t, nil)
	c := r.idle()
	for range 200 {
		if _, err := r.call(machine("read:"+r.app), "letter", "a", string(c.ID)); !fault.Is(err, fault.Refused) {
			t.Fatalf("got %v, want it refused", err)
		}
	}
	if n := r.records("refusal"); n != 10 {
		t.Errorf("200 refusals left %d records, want 10", n)
	}
	for range 200 {
		if err := r.Calls.Refuse(t.Context(), asha, "verify_record", "mcp"); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.records("refusal"); n != 20 {
		t.Errorf("with those of another caller there are %d records, want 20", n)
	}
}

// TestWhatAProgramAskedForIsConfirmedInABrowser: where the person themselves is to
// confirm, the program that asked may hold their terminal's sign-in, too.
func TestWhatAProgramAskedForIsConfirmedInABrowser(t *testing.T) {
	r := newRig(t, func(c *agenttest.Config) {
		c.ChangeTool = func(t *tool.Tool) {
			if t.Name == "note" {
				t.Gate, t.Deciders = tool.Confirm, nil
			}
		}
	})
	a := r.proposes(asha, "note", "mine", string(r.idle().ID))
	if a.Gate != review.ByOneself {
		t.Fatalf("it is for %s to decide", a.Gate)
	}
	for _, way := range []identity.Way{"", identity.ByTerminal, identity.ByTools, identity.ByShift} {
		by := asha
		by.Way = way
		if err := r.verdict(by, a, review.Approve, ""); !fault.Is(err, fault.Refused) {
			t.Errorf("by %q: %v, want it refused", way, err)
		}
	}
	by := asha
	by.Way = identity.ByBrowser
	if err := r.verdict(by, a, review.Approve, ""); err != nil {
		t.Errorf("in a browser: %v", err)
	}
}
