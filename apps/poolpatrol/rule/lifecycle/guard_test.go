package lifecycle_test

import (
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// TestWhoMayNotDecideIsRefused promises that a cancellation needs a person with
// the role and without a tie, who saw the latest, on data looked at just now.
func TestWhoMayNotDecideIsRefused(t *testing.T) {
	by := func(change func(*lifecycle.Decider)) lifecycle.Decider {
		d := manager()
		change(&d)
		return d
	}
	fresh := begun.Add(7*day - time.Hour)
	for _, tt := range []struct {
		name string
		d    lifecycle.Decision
		kind fault.Kind
	}{
		{"an agent", lifecycle.Decision{By: by(func(d *lifecycle.Decider) { d.Kind = identity.Agent })}, fault.Refused},
		{"a machine", lifecycle.Decision{By: by(func(d *lifecycle.Decider) { d.Kind = identity.Machine })}, fault.Refused},
		{"without the role", lifecycle.Decision{By: by(func(d *lifecycle.Decider) { d.Roles = []identity.Role{identity.OrgAdmin} })},
			fault.Refused},
		{"looking through another's eyes", lifecycle.Decision{By: by(func(d *lifecycle.Decider) { d.Viewing = identity.ProgrammeManager })},
			fault.Refused},
		{"tied to the subject", lifecycle.Decision{By: by(func(d *lifecycle.Decider) { d.Ties = []fleet.EmployeeID{ana} })}, fault.Refused},
		{"without having seen the reply", lifecycle.Decision{Seen: 7}, fault.Stale},
		{"on data nobody looked at", lifecycle.Decision{Verified: time.Unix(0, 0)}, fault.Stale},
		{"on data a day old", lifecycle.Decision{Verified: begun.Add(6 * day)}, fault.Stale},
		{"on data from the future", lifecycle.Decision{Verified: begun.Add(8 * day)}, fault.Stale},
		{"about somebody else", lifecycle.Decision{Employee: ben}, fault.Conflict},
		{"something that is no choice here", lifecycle.Decision{Choice: lifecycle.SendDraft}, fault.Invalid},
		{"rejected with a way on that is none", lifecycle.Decision{Choice: lifecycle.RejectCancel, Reason: "no",
			Next: lifecycle.AskToCancel}, fault.Invalid},
	} {
		d := tt.d
		if d.Choice == "" {
			d.Choice = lifecycle.ApproveCancel
		}
		if d.Employee == "" {
			d.Employee = ana
		}
		if d.Verified.IsZero() {
			d.Verified = fresh
		}
		d.Findings = []check.Finding{shiftOf(ana)}
		s := toPreCancel(t)
		before := s.c
		if err := s.tryDecide(d); !fault.Is(err, tt.kind) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.kind)
		}
		if s.c.State != before.State || s.c.Steps != before.Steps {
			t.Errorf("%s: a refused decision changed the case", tt.name)
		}
	}
}

// TestNobodyIsCancelledUnheard promises that a person cannot go on to a
// cancellation over a mail that came back, over leave, or before the rider was
// told; and that somebody who has left the employer need not be.
func TestNobodyIsCancelledUnheard(t *testing.T) {
	proceed := lifecycle.Decision{Choice: lifecycle.AskToCancel}
	for name, s := range map[string]*tale{
		"a bounce":      begin(t, shiftOf(ana)).on(lifecycle.Event{Kind: lifecycle.MailBounced, Employee: ana}),
		"never written": begin(t, finding(ana, "shift", 2)),
		"on leave": begin(t, shiftOf(ana)).sent(ana).on(lifecycle.Event{Kind: lifecycle.WentAway, Employee: ana}).
			reply(ana, post.Escalation),
		"about the van": begin(t, check.Finding{Check: "occupancy", Kind: "low_occupancy", Confidence: 5}),
	} {
		if err := s.tryDecide(proceed); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
	s := begin(t, finding(gone, "roster", 5)).decide(proceed)
	if err := s.approve(gone, finding(gone, "roster", 5)); err != nil || s.c.State != lifecycle.Cancelled {
		t.Errorf("who has left: %s, %v", s.c.State, err)
	}
	s.want(lifecycle.Cancelled, "remove_rider", "withdraw_asks", "close_case")
}

// TestSomebodyWithoutAnAddressCanBeReachedInAnotherWay promises that a bounce is
// no way out: told in person, they have the full time, and then silence counts.
func TestSomebodyWithoutAnAddressCanBeReachedInAnotherWay(t *testing.T) {
	s := begin(t, shiftOf(ana)).on(lifecycle.Event{Kind: lifecycle.MailBounced, Employee: ana}).wait(day)
	s.decide(lifecycle.Decision{Choice: lifecycle.WasReached, Employee: ana, Reason: "by telephone"})
	if want := s.now.Add(7 * day); s.c.State != lifecycle.PendingReply || !s.c.Deadline.Equal(want) {
		t.Errorf("got %s until %s, want %s", s.c.State, s.c.Deadline, want)
	}
	s.wait(7*day).tick().reAudit(shiftOf(ana)).want(lifecycle.PreCancel, "ask_cancel")
}

// TestAMailThatWasKeptIsNoBounce promises that who answers five times in a day was
// heard: the letter that the loop guard keeps brings a person in, and takes back
// nothing of the letters before it. Whom no letter reached at all is unheard still.
func TestAMailThatWasKeptIsNoBounce(t *testing.T) {
	kept := lifecycle.Event{Kind: lifecycle.MailStopped, Employee: ana, Letter: post.Again}
	chatty := func() *tale {
		s := begin(t, shiftOf(ana)).sent(ana).reply(ana, post.Acknowledgment).reAudit(shiftOf(ana)).sent(ana)
		s.reply(ana, post.Acknowledgment).reAudit(shiftOf(ana)).on(kept)
		s.want(lifecycle.Review, "ask_person:mail_held")
		return s.reply(ana, post.Acknowledgment).reply(ana, post.Question).reply(ana, post.Update)
	}
	s := chatty().decide(lifecycle.Decision{Choice: lifecycle.AskToCancel})
	s.want(lifecycle.PreCancel, "withdraw_asks", "ask_cancel")
	s = chatty().decide(lifecycle.Decision{Choice: lifecycle.LookAgain}).reAudit(shiftOf(ana))
	s.want(lifecycle.PreCancel, "ask_cancel") // the third look, and not "undeliverable"

	s = begin(t, shiftOf(ana)).on(kept) // no letter before it
	if err := s.tryDecide(lifecycle.Decision{Choice: lifecycle.AskToCancel}); !fault.Is(err, fault.Conflict) {
		t.Errorf("never told: got %v, want a refusal", err)
	}
	s = begin(t, shiftOf(ana)).sent(ana).on(lifecycle.Event{Kind: lifecycle.MailBounced, Employee: ana}).on(kept)
	if err := s.tryDecide(lifecycle.Decision{Choice: lifecycle.AskToCancel}); !fault.Is(err, fault.Conflict) {
		t.Errorf("kept after a bounce: got %v, want a refusal", err)
	}
}

// TestWhoRepliesWasHeard promises that an answer which came after a bounce proves that
// the letter was read; one that came before it does not, and neither does an answer of
// somebody whom no letter was accepted for.
func TestWhoRepliesWasHeard(t *testing.T) {
	bounce := lifecycle.Event{Kind: lifecycle.MailBounced, Employee: ana}
	arrived := lifecycle.Event{Kind: lifecycle.Arrived, Employee: ana}
	proceed := lifecycle.Decision{Choice: lifecycle.AskToCancel}
	s := begin(t, shiftOf(ana)).sent(ana).on(bounce).reply(ana, post.Escalation)
	s.decide(proceed).want(lifecycle.PreCancel, "withdraw_asks", "ask_cancel")
	for name, s := range map[string]*tale{
		"an answer before the bounce":   begin(t, shiftOf(ana)).sent(ana).reply(ana, post.Escalation).on(bounce),
		"never accepted":                begin(t, shiftOf(ana)).on(bounce).reply(ana, post.Escalation),
		"a mail that nobody has read":   begin(t, shiftOf(ana)).sent(ana).on(bounce).on(arrived),
		"an answer of somebody else's ": begin(t, shiftOf(ana), shiftOf(ben)).sent(ana, ben).on(bounce).reply(ben, post.Escalation),
	} {
		if err := s.tryDecide(proceed); !fault.Is(err, fault.Conflict) {
			t.Errorf("%s: got %v, want a refusal", name, err)
		}
	}
}

// TestTheClockStandsWhileSomebodyIsAway promises that leave is not silence, and
// that who comes back has three working days at least.
func TestTheClockStandsWhileSomebodyIsAway(t *testing.T) {
	away := func(after time.Duration) *tale {
		return begin(t, shiftOf(ana)).sent(ana).wait(after).on(lifecycle.Event{Kind: lifecycle.WentAway, Employee: ana})
	}
	back := lifecycle.Event{Kind: lifecycle.CameBack, Employee: ana}
	s := away(2 * day).wait(10 * day).tick()
	if s.c.State != lifecycle.PendingReply {
		t.Fatalf("leave was taken for silence: %s", s.c.State)
	}
	s.on(back)
	if want := s.now.Add(5 * day); !s.c.Deadline.Equal(want) { // five of seven days were left
		t.Errorf("deadline %s, want %s", s.c.Deadline, want)
	}
	s = away(6*day + 23*time.Hour).wait(4*day + time.Hour) // back on Friday 13 March at 09:00, an hour left
	s.on(back)
	if want := time.Date(2026, 3, 18, 9, 0, 0, 0, time.UTC); !s.c.Deadline.Equal(want) { // Monday, Tuesday, Wednesday
		t.Errorf("deadline %s, want %s", s.c.Deadline, want)
	}
	s = away(6*day + 23*time.Hour).wait(4*day + time.Hour)
	s.rules.Holidays = []fleet.Date{fleet.NewDate(2026, 3, 16)}
	s.on(back)
	if want := time.Date(2026, 3, 19, 9, 0, 0, 0, time.UTC); !s.c.Deadline.Equal(want) {
		t.Errorf("with a holiday: deadline %s, want %s", s.c.Deadline, want)
	}
}

// TestAnOldCaseGoesBeforeAPerson promises the cap of thirty days, and that a case
// a person sends on has its time again.
func TestAnOldCaseGoesBeforeAPerson(t *testing.T) {
	s := begin(t, shiftOf(ana)).sent(ana).on(lifecycle.Event{Kind: lifecycle.WentAway, Employee: ana})
	if got, want := s.c.Wake(s.rules), begun.Add(30*day); !got.Equal(want) {
		t.Errorf("wakes at %s, want %s", got, want)
	}
	s.wait(30*day).tick().want(lifecycle.Review, "ask_person:cap")
	s.decide(lifecycle.Decision{Choice: lifecycle.SendDraft, Employee: ana}).wait(day).tick()
	if s.c.State != lifecycle.PendingReply {
		t.Errorf("sent on by a person, it is back in %s", s.c.State)
	}
}

// TestARequestNobodyAnswersExpires promises that approval is good for seven days.
func TestARequestNobodyAnswersExpires(t *testing.T) {
	s := toPreCancel(t).wait(7*day - time.Second).tick()
	s.want(lifecycle.PreCancel)
	s.wait(time.Second).tick().want(lifecycle.Review, "withdraw_asks", "ask_person:expired")
}

// TestThereIsNoFourthReAudit promises that after three a person decides, silence
// or not.
func TestThereIsNoFourthReAudit(t *testing.T) {
	third := func() *tale {
		s := begin(t, shiftOf(ana)).sent(ana)
		for range 2 {
			s.reply(ana, post.Acknowledgment).reAudit(shiftOf(ana)).sent(ana)
		}
		s.reply(ana, post.Acknowledgment).reAudit(shiftOf(ana))
		return s.decide(lifecycle.Decision{Choice: lifecycle.RejectCancel, Employee: ana, Next: lifecycle.SendDraft}).sent(ana)
	}
	third().wait(7*day).tick().want(lifecycle.PreCancel, "ask_cancel")
	third().reply(ana, post.Update).want(lifecycle.Review, "ask_person:limit")
	s := third().reply(ana, post.Escalation)
	if err := s.tryDecide(lifecycle.Decision{Choice: lifecycle.LookAgain}); !fault.Is(err, fault.Conflict) {
		t.Errorf("a fourth re-audit: %v", err)
	}
}

// TestWhatIsNewDuringACaseIsToldFirst promises that a bulk pass adds riders and
// findings to a case, and that the clock begins again for them.
func TestWhatIsNewDuringACaseIsToldFirst(t *testing.T) {
	s := begin(t, shiftOf(ana)).sent(ana).wait(5 * day)
	s.on(lifecycle.Event{Kind: lifecycle.Audited, Findings: []check.Finding{shiftOf(ana), shiftOf(ben)}})
	s.want(lifecycle.PendingReply, "send_mail:first", "upsert_case")
	s.wait(3 * day).tick().want(lifecycle.PendingReply)
	s.sent(ben)
	if want := s.now.Add(7 * day); !s.c.Deadline.Equal(want) {
		t.Errorf("deadline %s, want %s", s.c.Deadline, want)
	}
	s.on(lifecycle.Event{Kind: lifecycle.Audited, Findings: []check.Finding{shiftOf(ana), shiftOf(ben)}})
	s.want(lifecycle.PendingReply, "upsert_case") // nothing new, nobody is written to again
}

// Who is away was not looked at, and a letter would say nothing new to them.
func TestWhoIsAwayIsNotWrittenToAgain(t *testing.T) {
	s := begin(t, shiftOf(ana), shiftOf(ben)).sent(ana, ben).on(lifecycle.Event{Kind: lifecycle.WentAway, Employee: ana})
	s.reply(ben, post.Acknowledgment).reAudit(shiftOf(ana), shiftOf(ben))
	s.want(lifecycle.PendingReply, "send_mail:again")
	if to := s.last[0].Employee; to != ben {
		t.Errorf("%s is written to, want %s", to, ben)
	}
}
