package lifecycle_test

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
)

// TestNoCaseWithoutAFinding promises the first and the fourth row: a van that
// passes, or of which nothing is known, gets no case.
func TestNoCaseWithoutAFinding(t *testing.T) {
	excused := shiftOf(ana)
	excused.Excused = &check.Exception{}
	for name, findings := range map[string][]check.Finding{
		"all pass":                  nil,
		"empty roster":              {{Check: "shift", Kind: check.EmptyRoster, Confidence: 1, Route: check.ToData}},
		"records incomplete":        {{Employee: ana, Check: "shift", Kind: check.DataMissing, Confidence: 1, Route: check.ToData}},
		"excused by an exception":   {excused},
		"excused and an incomplete": {excused, {Employee: ben, Check: "shift", Confidence: 1, Route: check.ToData}},
	} {
		if c, todo, opened := lifecycle.Begin(lifecycle.Found{Findings: findings, At: begun}, lifecycle.Standard()); opened ||
			len(todo) > 0 {
			t.Errorf("%s: opened %v with %v", name, c, todo)
		}
	}
}

// TestAPassEndsAnOpenCaseWhereverItStands promises that a bulk pass over a van
// that is well closes its case.
func TestAPassEndsAnOpenCaseWhereverItStands(t *testing.T) {
	pass := lifecycle.Event{Kind: lifecycle.Audited}
	for name, s := range map[string]*tale{
		"open":          begin(t, shiftOf(ana)),
		"pending_reply": begin(t, shiftOf(ana)).sent(ana),
		"hitl_review":   begin(t, shiftOf(ana)).sent(ana).reply(ana, post.Escalation),
		"pre_cancel":    toPreCancel(t),
	} {
		if s.on(pass); s.c.State != lifecycle.Resolved || s.c.SubReason != lifecycle.SilentFix {
			t.Errorf("%s: got %s, %s", name, s.c.State, s.c.SubReason)
		}
	}
}

// TestAFindingOpensACase promises the second and the third row: who may be
// written to is, and where the code is not sure a person looks and nobody is.
func TestAFindingOpensACase(t *testing.T) {
	van := check.Finding{Check: "shift", Kind: "shift_no_majority", Confidence: 2}
	for _, tt := range []struct {
		name     string
		findings []check.Finding
		state    lifecycle.State
		did      []string
	}{
		{"sure", []check.Finding{shiftOf(ana)}, lifecycle.Open, []string{"upsert_case", "send_mail:first"}},
		{"two riders, one letter each", []check.Finding{shiftOf(ana), finding(ben, "location", 4), finding(ben, "shift", 4)},
			lifecycle.Open,
			[]string{"upsert_case", "send_mail:first", "send_mail:first"}},
		{"one sure, one not: only the sure one is written to", []check.Finding{shiftOf(ana), finding(ben, "location", 2)}, lifecycle.Open,
			[]string{"upsert_case", "send_mail:first"}},
		{"not sure", []check.Finding{finding(ana, "shift", 2)}, lifecycle.Review, []string{"upsert_case", "ask_person:triage"}},
		{"the van itself", []check.Finding{van}, lifecycle.Review, []string{"upsert_case", "ask_person:triage"}},
		{"nobody left to write to", []check.Finding{finding(gone, "roster", 5)}, lifecycle.Review,
			[]string{"upsert_case", "ask_person:triage"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := begin(t, tt.findings...)
			s.want(tt.state, tt.did...)
		})
	}
}

// TestTheClockBeginsWhenTheLastMailIsAccepted promises that no time runs before
// everybody has been written to.
func TestTheClockBeginsWhenTheLastMailIsAccepted(t *testing.T) {
	s := begin(t, shiftOf(ana), shiftOf(ben)).sent(ana)
	if s.c.State != lifecycle.Open || !s.c.Deadline.IsZero() {
		t.Errorf("after one of two mails: %s, deadline %s", s.c.State, s.c.Deadline)
	}
	s.wait(5 * time.Hour).sent(ben)
	if want := begun.Add(5*time.Hour + 7*day); s.c.State != lifecycle.PendingReply || !s.c.Deadline.Equal(want) {
		t.Errorf("got %s until %s, want pending_reply until %s", s.c.State, s.c.Deadline, want)
	}
	if got := s.c.Wake(s.rules); !got.Equal(s.c.Deadline) {
		t.Errorf("the case wakes at %s, want the deadline", got)
	}
}

// TestWaitingForAReply holds the rows of a case that has been written about.
func TestWaitingForAReply(t *testing.T) {
	waiting := func() *tale { return begin(t, shiftOf(ana)).sent(ana).wait(day) }
	t.Run("a bounce goes to a person and stops the clock", func(t *testing.T) {
		for _, s := range []*tale{begin(t, shiftOf(ana)), waiting()} {
			s.on(lifecycle.Event{Kind: lifecycle.MailBounced, Employee: ana})
			s.want(lifecycle.Review, "ask_person:undeliverable")
			if got := s.c.Wake(s.rules); !got.IsZero() {
				t.Errorf("a clock runs until %s", got)
			}
		}
	})
	t.Run("acknowledgment: looked at again at once", func(t *testing.T) {
		waiting().reply(ana, post.Acknowledgment).want(lifecycle.ReAudit, "send_mail:rechecking", "start_re_audit")
	})
	t.Run("update: the records have 72 hours", func(t *testing.T) {
		s := waiting().reply(ana, post.Update)
		s.want(lifecycle.PendingReply, "send_mail:portal")
		s.wait(72*time.Hour - time.Second).tick().want(lifecycle.PendingReply)
		s.wait(time.Second).tick().want(lifecycle.ReAudit, "start_re_audit")
		if s.c.Trigger != lifecycle.ByUpdate {
			t.Errorf("trigger %s", s.c.Trigger)
		}
	})
	t.Run("update: or until they change", func(t *testing.T) {
		s := waiting().reply(ana, post.Update).wait(time.Hour).on(lifecycle.Event{Kind: lifecycle.Changed, Checks: []check.Name{"shift"}})
		s.want(lifecycle.ReAudit, "start_re_audit")
		s.on(lifecycle.Event{Kind: lifecycle.ReAudited}).want(lifecycle.ReAudit, "start_re_audit") // all of it, before closing
		s.reAudit().want(lifecycle.Resolved, "send_mail:closing", "close_case")
		if s.c.ReAudits != 1 {
			t.Errorf("counted %d re-audits, want 1", s.c.ReAudits)
		}
	})
	t.Run("question: answered, with the full time again", func(t *testing.T) {
		s := waiting().reply(ana, post.Question)
		s.want(lifecycle.PendingReply, "send_mail:answer")
		s.wait(time.Hour).on(lifecycle.Event{Kind: lifecycle.Sent, Employee: ana, Letter: post.Answer})
		if want := s.now.Add(7 * day); !s.c.Deadline.Equal(want) {
			t.Errorf("deadline %s, want %s", s.c.Deadline, want)
		}
		s.reply(ana, post.Question).reply(ana, post.Question).want(lifecycle.Review, "ask_person:questions")
	})
	t.Run("escalation: a person answers", func(t *testing.T) {
		waiting().reply(ana, post.Escalation).want(lifecycle.Review, "save_draft", "ask_person:escalation")
	})
	t.Run("silence: looked at again", func(t *testing.T) {
		s := waiting().wait(6*day - time.Second).tick()
		s.want(lifecycle.PendingReply)
		s.wait(time.Second).tick().want(lifecycle.ReAudit, "start_re_audit")
	})
	t.Run("an unread reply is not silence", func(t *testing.T) {
		waiting().on(lifecycle.Event{Kind: lifecycle.Arrived, Employee: ana}).wait(8 * day).tick().want(lifecycle.PendingReply)
	})
}

// TestTheReAuditDecides holds the rows of a van that was looked at again.
func TestTheReAuditDecides(t *testing.T) {
	acked := func() *tale { return begin(t, shiftOf(ana)).sent(ana).reply(ana, post.Acknowledgment) }
	silent := func() *tale { return begin(t, shiftOf(ana)).sent(ana).wait(7 * day).tick() }
	for name, tt := range map[string]struct {
		s   *tale
		how lifecycle.SubReason
	}{
		"after a reply": {acked(), lifecycle.DataFixed},
		"in silence":    {silent(), lifecycle.SilentFix},
	} {
		tt.s.reAudit().want(lifecycle.Resolved, "send_mail:closing", "close_case")
		if tt.s.c.SubReason != tt.how {
			t.Errorf("passes %s: %s, want %s", name, tt.s.c.SubReason, tt.how)
		}
	}
	t.Run("fails in silence: a person is asked to cancel", func(t *testing.T) {
		silent().reAudit(shiftOf(ana)).want(lifecycle.PreCancel, "ask_cancel")
	})
	t.Run("fails after a reply: written to again", func(t *testing.T) {
		s := acked().reAudit(shiftOf(ana))
		s.want(lifecycle.PendingReply, "send_mail:again")
		if !s.c.Deadline.IsZero() {
			t.Error("the clock runs before the mail is accepted")
		}
	})
	t.Run("fails the third time: a person is asked to cancel", func(t *testing.T) {
		s := acked().reAudit(shiftOf(ana)).sent(ana).reply(ana, post.Acknowledgment).reAudit(shiftOf(ana)).sent(ana)
		s.reply(ana, post.Acknowledgment).reAudit(shiftOf(ana)).want(lifecycle.PreCancel, "ask_cancel")
		if s.c.ReAudits != 3 {
			t.Errorf("counted %d", s.c.ReAudits)
		}
	})
	t.Run("cannot be done: back, not counted, tried again in an hour", func(t *testing.T) {
		s := silent().on(lifecycle.Event{Kind: lifecycle.ReAudited, Failed: true})
		s.want(lifecycle.PendingReply)
		if s.c.ReAudits != 0 {
			t.Errorf("counted %d", s.c.ReAudits)
		}
		s.wait(time.Hour).tick().want(lifecycle.ReAudit, "start_re_audit")
		s.reAudit(shiftOf(ana)).want(lifecycle.PreCancel, "ask_cancel") // still the silence it began with
	})
	t.Run("fails and the code is not sure: a person looks", func(t *testing.T) {
		silent().reAudit(finding(ana, "shift", 2)).want(lifecycle.Review, "ask_person:triage")
	})
	t.Run("fails in something new: told before anything else", func(t *testing.T) {
		silent().reAudit(finding(ana, "location", 5)).want(lifecycle.PendingReply, "send_mail:again")
	})
	t.Run("fails while a reply lies unread: a person looks", func(t *testing.T) {
		silent().on(lifecycle.Event{Kind: lifecycle.Arrived, Employee: ana}).reAudit(shiftOf(ana)).
			want(lifecycle.Review, "ask_person:unread_reply")
		silent().reply(ana, post.Update).reAudit(shiftOf(ana)).want(lifecycle.Review, "ask_person:unread_reply")
	})
	t.Run("fails after the mail came back: a person looks", func(t *testing.T) {
		silent().on(lifecycle.Event{Kind: lifecycle.MailBounced, Employee: ana}).reAudit(shiftOf(ana)).
			want(lifecycle.Review, "ask_person:undeliverable")
	})
	t.Run("one passes, one fails", func(t *testing.T) {
		s := begin(t, shiftOf(ana), shiftOf(ben)).sent(ana, ben).wait(7 * day).tick().reAudit(shiftOf(ben))
		s.want(lifecycle.PreCancel, "send_mail:closing", "ask_cancel")
		if a, _ := s.c.Subject(ana); a.Standing != lifecycle.SubjectCleared {
			t.Errorf("who passes is %s", a.Standing)
		}
	})
}
