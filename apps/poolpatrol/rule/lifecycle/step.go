package lifecycle

import (
	"fmt"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/fault"
)

// Step is what an event makes of a case: the case afterwards, and what is to be
// done. What comes too late to matter changes nothing. A decision that may not
// be taken, now or by this person, is refused, and the case stays as it was.
func Step(c Case, e Event, r Rules) (Case, []Action, error) {
	if c.State.Ended() {
		if e.Kind == Decided {
			return c, nil, fault.New(fault.Conflict, "case %s has ended", c.ID)
		}
		return c, nil, nil
	}
	w := &work{Case: c.clone(), rules: r}
	if e.At.After(w.Now) {
		w.Now = e.At
	}
	if err := w.handle(e); err != nil {
		return c, nil, err
	}
	w.setClock()
	w.Steps++
	w.setKeys()
	return w.Case, w.todo, nil
}

// work is a case while a step is made.
type work struct {
	Case

	rules Rules
	todo  []Action
}

func (w *work) handle(e Event) error {
	switch e.Kind {
	case Audited:
		w.audited(e)
	case Sent:
		w.sent(e)
	case MailBounced, MailStopped:
		w.notDelivered(e)
	case Arrived:
		w.arrived()
	case Dismissed:
		w.dismissed()
	case Replied:
		return w.replied(e)
	case Ticked:
		w.ticked()
	case ReAudited:
		w.reAudited(e)
	case Changed:
		w.changed(e)
	case WentAway, CameBack:
		w.presence(e)
	case RiderGone:
		w.riderGone(e)
	case VanClosed:
		w.vanClosed()
	case Doubted:
		w.doubted()
	case Decided:
		return w.decided(e)
	default:
		return fault.New(fault.Invalid, "there is no event %.40q", e.Kind)
	}
	return nil
}

// setKeys gives every action its key: the case, the step and its place in it.
func (w *work) setKeys() {
	for i := range w.todo {
		w.todo[i].Key = fmt.Sprintf("%s/%d/%d", w.ID, w.Steps, i)
	}
}

func (w *work) do(a Action) { w.todo = append(w.todo, a) }

func (w *work) send(k post.Kind, to fleet.EmployeeID) {
	w.do(Action{Kind: SendMail, Letter: k, Employee: to})
}

// ask writes to a subject about checks and waits for the mail to be accepted.
func (w *work) ask(i int, k post.Kind, checks []check.Name) {
	w.Subjects[i].Mail, w.Subjects[i].Asked = Queued, checks
	w.do(Action{Kind: SendMail, Letter: k, Employee: w.Subjects[i].Employee, Checks: checks})
}

// toReview puts the case before a person. All clocks stand; requests to cancel
// are no longer valid.
func (w *work) toReview(why Why) {
	w.withdraw()
	w.stopClocks()
	w.State, w.Why = Review, why
	w.do(Action{Kind: AskPerson, Why: why})
}

func (w *work) stopClocks() {
	w.Deadline, w.Left = time.Time{}, 0
	w.Due, w.DueTrigger, w.DueChecks = time.Time{}, "", nil
}

// withdraw takes back what waits for a person.
func (w *work) withdraw() {
	if w.State != PreCancel && w.State != Review {
		return
	}
	w.do(Action{Kind: WithdrawAsks})
	w.AskedAt = time.Time{}
	for i := range w.Subjects {
		if w.Subjects[i].Standing == CancelPending {
			w.Subjects[i].Standing = SubjectOpen
		}
	}
}

// clear takes a subject off the case, and tells them if they were ever told of
// it.
func (w *work) clear(i int) {
	s := &w.Subjects[i]
	s.Standing = SubjectCleared
	if len(s.Told) > 0 && s.Mail != Bounced {
		w.send(post.Closing, s.Employee)
	}
}

// finish ends the case if nobody on it is open any more. It reports whether it
// did.
func (w *work) finish(how SubReason) bool {
	if w.someone(func(Subject) bool { return true }) {
		return false
	}
	to := Resolved
	if slices.ContainsFunc(w.Subjects, func(s Subject) bool { return s.Standing == SubjectCancelled }) {
		to, how = Cancelled, MembershipCancelled
	}
	w.withdraw()
	w.stopClocks()
	w.State, w.SubReason, w.EndedAt, w.Why = to, how, w.Now, ""
	w.do(Action{Kind: CloseCase})
	return true
}

// clearAll ends the case well for everybody still on it.
func (w *work) clearAll(how SubReason) {
	for i, s := range w.Subjects {
		if s.Open() {
			w.clear(i)
		}
	}
	w.Van = nil
	w.finish(how)
}

// setClock makes the clock fit the case at the end of a step: it begins when the
// last mail was accepted, stands while somebody is away, and goes on when they
// are back.
func (w *work) setClock() {
	queued := w.someone(func(s Subject) bool { return s.Mail == Queued })
	if w.State == Open && !queued {
		w.State = PendingReply
	}
	if w.State != PendingReply {
		return
	}
	if !queued && w.Deadline.IsZero() && w.Left == 0 && w.Due.IsZero() {
		w.Deadline = w.rules.Deadline(w.Now)
	}
	switch away := w.someone(func(s Subject) bool { return s.Away }); {
	case away && !w.Deadline.IsZero():
		w.Left = max(w.Deadline.Sub(w.Now), time.Second)
		w.Deadline = time.Time{}
	case !away && w.Left > 0:
		w.Deadline, w.Left = w.rules.afterReturn(w.Now, w.Left), 0
	}
}

// live are the findings of somebody, or of the van where id is empty, that
// count: not excused, and more than a gap in the records.
func live(all []check.Finding, id fleet.EmployeeID) []check.Finding {
	var out []check.Finding
	for _, f := range all {
		if f.Employee == id && f.Excused == nil && f.Route != check.ToData {
			out = append(out, f)
		}
	}
	return out
}
