package lifecycle_test

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
)

// look checks the promises after a step.
func (w *walk) look(e lifecycle.Event, todo []lifecycle.Action) {
	for _, a := range todo {
		if w.keys[a.Key] {
			w.Fatalf("key %s is used twice", a.Key)
		}
		w.keys[a.Key] = true
		w.lookAt(e, a)
	}
	c := *w.c
	w.seen[string(c.State)]++
	switch {
	case c.ReAudits > 3:
		w.Fatalf("%d re-audits", c.ReAudits)
	case c.State == lifecycle.ReAudit && !w.auditing:
		w.Fatal("a re-audit is waited for that nobody began")
	case c.State == lifecycle.PreCancel && (w.unread > 0 || c.Unread > 0):
		w.Fatal("a cancellation is asked for over an unread reply")
	case (c.State == lifecycle.Open || c.State == lifecycle.PendingReply || c.State == lifecycle.PreCancel) && c.Wake(w.rules).IsZero():
		w.Fatalf("nothing would ever wake a case in %s", c.State)
	}
	if c.State.Ended() {
		w.ended(c)
	}
}

func (w *walk) lookAt(e lifecycle.Event, a lifecycle.Action) {
	w.seen[string(a.Kind)]++
	who := a.Employee
	if _, on := w.c.Subject(who); who != "" && !on {
		w.Fatalf("%s concerns %s, who is not on the case", a.Kind, who)
	}
	switch a.Kind {
	case lifecycle.SendMail:
		if a.Letter.Asks() {
			w.queued[who] = true
		}
	case lifecycle.AskPerson:
		w.seen["ask_person:"+string(a.Why)]++
	case lifecycle.StartReAudit:
		w.auditing = true
	case lifecycle.WithdrawAsks:
		w.asked = map[fleet.EmployeeID]bool{}
	case lifecycle.AskCancel:
		w.mayJudge(who, "a cancellation is asked for")
		w.asked[who] = true
	case lifecycle.RemoveRider:
		w.mayJudge(who, "somebody is taken off the roster")
		d := e.Decision
		switch {
		case e.Kind != lifecycle.Decided || d.Choice != lifecycle.ApproveCancel || d.Employee != who:
			w.Fatalf("%s is removed without an approval", who)
		case !w.asked[who]:
			w.Fatalf("%s is removed on a request that was withdrawn or never made", who)
		case d.By.Kind != "person" || len(d.By.Roles) == 0 || slices.Contains(d.By.Ties, who):
			w.Fatalf("%s is removed by %+v", who, d.By)
		case e.At.Sub(d.Verified) >= 24*time.Hour:
			w.Fatalf("%s is removed on old data", who)
		case !slices.ContainsFunc(d.Findings, func(f check.Finding) bool { return f.Employee == who }):
			w.Fatalf("%s is removed and passes", who)
		}
	}
}

// mayJudge checks that somebody was heard: told by a mail that arrived, nothing
// of theirs unread, and not away. Who has left the employer need not be told.
func (w *walk) mayJudge(who fleet.EmployeeID, what string) {
	switch {
	case w.unread > 0:
		w.Fatalf("%s over an unread reply", what)
	case w.away[who]:
		w.Fatalf("%s while %s is away", what, who)
	case who != gone && (w.dead[who] || !w.told[who]):
		w.Fatalf("%s of %s unheard: told %v, dead %v", what, who, w.told[who], w.dead[who])
	}
}

func (w *walk) ended(c lifecycle.Case) {
	w.seen[string(c.SubReason)]++
	removed := slices.ContainsFunc(c.Subjects, func(s lifecycle.Subject) bool { return s.Standing == lifecycle.SubjectCancelled })
	if removed != (c.State == lifecycle.Cancelled) || c.SubReason == "" || c.EndedAt.IsZero() {
		w.Fatalf("ended as %s, %s at %s with somebody removed: %v", c.State, c.SubReason, c.EndedAt, removed)
	}
	w.past, w.c = append(w.past, c), nil
}

// comeToAnEnd lets no more mail in, has everybody come back and every card
// answered for good, and counts how often the case moves on before it ends.
func (w *walk) comeToAnEnd() {
	const bound = 1 + 3*2 + 1 // the mail; three times reply and re-audit; the decision
	moves := 0
	for turn := 0; w.c != nil; turn++ {
		if turn > 200 {
			w.Fatalf("the case does not end: %s", w.c.State)
		}
		before := w.c.State
		w.push()
		if w.c == nil || w.c.State != before && w.c.State != lifecycle.Review {
			moves++
		}
	}
	if moves > bound {
		w.Fatalf("the case moved on %d times before it ended, more than %d", moves, bound)
	}
}

// push does what the case waits for.
func (w *walk) push() {
	w.now = w.now.Add(time.Minute)
	c := *w.c
	for _, s := range c.Subjects {
		if s.Away {
			w.step(lifecycle.Event{Kind: lifecycle.CameBack, At: w.now, Employee: s.Employee})
			return
		}
		if s.Mail == lifecycle.Queued && (s.Standing == lifecycle.SubjectOpen) && c.State != lifecycle.Review &&
			c.State != lifecycle.ReAudit {
			w.step(lifecycle.Event{Kind: lifecycle.Sent, At: w.now, Employee: s.Employee, Letter: post.First})
			return
		}
	}
	switch c.State {
	case lifecycle.Review:
		w.answer(lifecycle.Decision{Choice: []lifecycle.Choice{lifecycle.AskToCancel, lifecycle.WasRight,
			lifecycle.GrantUntil}[w.oneOf("final", 3)]})
	case lifecycle.PreCancel:
		i := slices.IndexFunc(c.Subjects, func(s lifecycle.Subject) bool { return s.Standing == lifecycle.CancelPending })
		w.answer(lifecycle.Decision{Choice: []lifecycle.Choice{lifecycle.ApproveCancel, lifecycle.RejectCancel}[w.oneOf("verdict", 2)],
			Employee: c.Subjects[i].Employee, Next: lifecycle.WasRight, Verified: w.now, Findings: c.Subjects[i].Findings})
	case lifecycle.ReAudit:
		w.step(lifecycle.Event{Kind: lifecycle.ReAudited, At: w.now, Full: true, Findings: w.findings()})
	default:
		if c.Unread > 0 { // what arrived before the mail stopped is read
			w.step(lifecycle.Event{Kind: lifecycle.Replied, At: w.now, Employee: c.Subjects[0].Employee, Bucket: post.Escalation})
			return
		}
		w.now = c.Wake(w.rules)
		w.step(lifecycle.Event{Kind: lifecycle.Ticked, At: w.now})
	}
}

// answer is a person's final answer; where it may not be given, that nothing was
// wrong.
func (w *walk) answer(d lifecycle.Decision) {
	d.By, d.Reason, d.Seen, d.Until = manager(), "for good", w.c.Inbound, fleet.DateAt(w.now, time.UTC)+30
	steps := w.c.Steps
	w.step(lifecycle.Event{Kind: lifecycle.Decided, At: w.now, Decision: &d})
	if w.c != nil && w.c.Steps == steps {
		d.Choice, d.Employee = lifecycle.WasRight, ""
		w.step(lifecycle.Event{Kind: lifecycle.Decided, At: w.now, Decision: &d})
	}
}
