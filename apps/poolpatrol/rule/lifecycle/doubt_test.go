package lifecycle_test

import (
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
)

// TestDoubtBringsAPersonInAndKeepsNobodyOut promises that who is less sure than the
// rules can stop a clock, and nothing else.
func TestDoubtBringsAPersonInAndKeepsNobodyOut(t *testing.T) {
	doubt := lifecycle.Event{Kind: lifecycle.Doubted}
	s := begin(t, shiftOf(ana)).on(doubt)
	if s.c.State != lifecycle.Review || s.c.Why != lifecycle.Triage || !s.c.Deadline.IsZero() {
		t.Errorf("a doubted case is %s (%s), due %s", s.c.State, s.c.Why, s.c.Deadline)
	}
	s.wait(8 * day).tick()
	if s.c.State != lifecycle.Review {
		t.Errorf("silence led on to %s, though a person was to look", s.c.State)
	}
	asked := toPreCancel(t)
	before := asked.c.State
	if asked.on(doubt); asked.c.State != before || len(asked.last) > 0 {
		t.Errorf("a request that a person has before them is %s, with %v to do", asked.c.State, asked.last)
	}
}
