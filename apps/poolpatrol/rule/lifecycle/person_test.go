package lifecycle_test

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestAPersonInReview holds the rows of a case before a person.
func TestAPersonInReview(t *testing.T) {
	escalated := func() *tale { return begin(t, shiftOf(ana)).sent(ana).reply(ana, post.Escalation) }
	t.Run("the draft is sent", func(t *testing.T) {
		s := escalated().decide(lifecycle.Decision{Choice: lifecycle.SendDraft, Employee: ana})
		s.want(lifecycle.PendingReply, "withdraw_asks", "send_mail:draft")
		s.wait(time.Hour).sent(ana)
		if want := s.now.Add(7 * day); !s.c.Deadline.Equal(want) {
			t.Errorf("deadline %s, want %s", s.c.Deadline, want)
		}
	})
	t.Run("the draft is rejected", func(t *testing.T) {
		escalated().decide(lifecycle.Decision{Choice: lifecycle.RejectDraft}).want(lifecycle.Review)
	})
	t.Run("an exception", func(t *testing.T) {
		s := escalated().decide(lifecycle.Decision{Choice: lifecycle.GrantUntil, Until: fleet.NewDate(2026, 9, 30), Reason: "school run"})
		s.want(lifecycle.Resolved, "store_exception", "send_mail:closing", "withdraw_asks", "close_case")
		want := check.Exception{Subject: string(ana), Check: "shift", Until: fleet.NewDate(2026, 9, 30), Reason: "school run", By: "p-1"}
		if got := *s.last[0].Exception; got != want || got.Valid() != nil {
			t.Errorf("got %+v, want %+v", got, want)
		}
		if s.c.SubReason != lifecycle.ExceptionGranted {
			t.Errorf("ended as %s", s.c.SubReason)
		}
	})
	t.Run("a false alarm", func(t *testing.T) {
		s := escalated().decide(lifecycle.Decision{Choice: lifecycle.WasRight})
		if s.c.State != lifecycle.Resolved || s.c.SubReason != lifecycle.FalsePositive {
			t.Errorf("got %s, %s", s.c.State, s.c.SubReason)
		}
	})
	t.Run("go on: cancel", func(t *testing.T) {
		escalated().decide(lifecycle.Decision{Choice: lifecycle.AskToCancel}).want(lifecycle.PreCancel, "withdraw_asks", "ask_cancel")
	})
	t.Run("go on: look again", func(t *testing.T) {
		escalated().decide(lifecycle.Decision{Choice: lifecycle.LookAgain}).want(lifecycle.ReAudit, "withdraw_asks", "start_re_audit")
	})
}

// TestARequestToCancel holds the rows of a case that waits for a cancellation.
func TestARequestToCancel(t *testing.T) {
	t.Run("approved", func(t *testing.T) {
		s := toPreCancel(t)
		if err := s.approve(ana, shiftOf(ana)); err != nil {
			t.Fatal(err)
		}
		s.want(lifecycle.Cancelled, "remove_rider", "send_mail:removed", "withdraw_asks", "close_case")
	})
	t.Run("approved for one of two", func(t *testing.T) {
		s := begin(t, shiftOf(ana), shiftOf(ben)).sent(ana, ben).wait(7*day).tick().reAudit(shiftOf(ana), shiftOf(ben))
		if err := s.approve(ana, shiftOf(ana)); err != nil {
			t.Fatal(err)
		}
		s.want(lifecycle.PreCancel, "remove_rider", "send_mail:removed")
		s.decide(lifecycle.Decision{Choice: lifecycle.RejectCancel, Employee: ben, Next: lifecycle.WasRight})
		s.want(lifecycle.Cancelled, "send_mail:closing", "withdraw_asks", "close_case")
	})
	t.Run("approved, and it passes by now", func(t *testing.T) {
		s := toPreCancel(t)
		if err := s.approve(ana); err != nil {
			t.Fatal(err)
		}
		s.want(lifecycle.Resolved, "send_mail:closing", "withdraw_asks", "close_case")
	})
	t.Run("approved, and it fails only in what was never told", func(t *testing.T) {
		s := toPreCancel(t)
		if err := s.approve(ana, finding(ana, "location", 5)); err != nil {
			t.Fatal(err)
		}
		s.want(lifecycle.Review, "withdraw_asks", "ask_person:unheard")
	})
	for next, want := range map[lifecycle.Choice]lifecycle.State{
		lifecycle.WasRight: lifecycle.Resolved, lifecycle.SendDraft: lifecycle.PendingReply, lifecycle.LookAgain: lifecycle.ReAudit,
		"": lifecycle.Review, // they said no, and not what instead
	} {
		s := toPreCancel(t).decide(lifecycle.Decision{Choice: lifecycle.RejectCancel, Employee: ana, Next: next})
		if s.c.State != want {
			t.Errorf("rejected for %s: got %s, want %s", next, s.c.State, want)
		}
	}
	for name, e := range map[string]lifecycle.Event{
		"a reply arrives":    {Kind: lifecycle.Arrived, Employee: ana},
		"the records change": {Kind: lifecycle.Changed},
		"a mail comes back":  {Kind: lifecycle.MailBounced, Employee: ana},
		"leave begins":       {Kind: lifecycle.WentAway, Employee: ana},
	} {
		s := toPreCancel(t).on(e)
		if s.c.State != lifecycle.Review || s.did()[0] != "withdraw_asks" {
			t.Errorf("%s: got %s, %v", name, s.c.State, s.did())
		}
		if err := s.approve(ana, shiftOf(ana)); err == nil || s.c.State == lifecycle.Cancelled {
			t.Errorf("%s: an old approval was still taken", name)
		}
	}
}

// TestWhoLeavesEndsTheirPart promises the row of riders and vans that go.
func TestWhoLeavesEndsTheirPart(t *testing.T) {
	for name, start := range map[string]func() *tale{
		"open":          func() *tale { return begin(t, shiftOf(ana)) },
		"pending_reply": func() *tale { return begin(t, shiftOf(ana)).sent(ana) },
		"re_audit":      func() *tale { return begin(t, shiftOf(ana)).sent(ana).wait(7 * day).tick() },
		"hitl_review":   func() *tale { return begin(t, shiftOf(ana)).sent(ana).reply(ana, post.Escalation) },
		"pre_cancel":    func() *tale { return toPreCancel(t) },
	} {
		left := start().on(lifecycle.Event{Kind: lifecycle.RiderGone, Employee: ana})
		closed := start().on(lifecycle.Event{Kind: lifecycle.VanClosed})
		if left.c.SubReason != lifecycle.RiderLeft || closed.c.SubReason != lifecycle.VanpoolClosed ||
			left.c.State != lifecycle.Resolved || closed.c.State != lifecycle.Resolved {
			t.Errorf("%s: got %s %s and %s %s", name, left.c.State, left.c.SubReason, closed.c.State, closed.c.SubReason)
		}
	}
}

// TestALaterFindingIsANewCase promises the last row: it names the case before,
// and a false alarm is not raised again within thirty days.
func TestALaterFindingIsANewCase(t *testing.T) {
	s := begin(t, shiftOf(ana)).sent(ana).reply(ana, post.Escalation).decide(lifecycle.Decision{Choice: lifecycle.WasRight})
	again := func(after time.Duration, f check.Finding) (lifecycle.Case, bool) {
		c, _, opened := lifecycle.Begin(lifecycle.Found{ID: "CASE-00000002", Vanpool: "VP-101", At: s.c.EndedAt.Add(after),
			Findings: []check.Finding{f}, Earlier: []lifecycle.Case{s.c}}, s.rules)
		return c, opened
	}
	if _, opened := again(30*day-time.Second, shiftOf(ana)); opened {
		t.Error("the same false alarm was raised within thirty days")
	}
	if c, opened := again(30*day, shiftOf(ana)); !opened || c.Previous != s.c.ID {
		t.Errorf("after thirty days: opened %v, previous %q", opened, c.Previous)
	}
	other := shiftOf(ana)
	other.Mark = "another shift"
	if _, opened := again(day, other); !opened {
		t.Error("another finding about the same rider was not raised")
	}
	if _, _, err := lifecycle.Step(s.c, lifecycle.Event{Kind: lifecycle.Decided, At: s.now, Decision: &lifecycle.Decision{}},
		s.rules); !fault.Is(err, fault.Conflict) {
		t.Errorf("an ended case took a decision: %v", err)
	}
}
