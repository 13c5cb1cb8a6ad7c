package lifecycle

import (
	"slices"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
)

// ticked is time passing: the oldest case goes before a person first, then what
// is due is begun, then silence is taken for an answer.
func (w *work) ticked() {
	now := w.Now
	switch w.State {
	case Open, PendingReply:
		switch {
		case !now.Before(w.CapAt):
			w.toReview(TooOld)
		case !w.Due.IsZero() && !now.Before(w.Due):
			w.reAudit(w.DueTrigger, w.DueChecks)
		case w.running() && !now.Before(w.Deadline):
			w.timeout()
		}
	case PreCancel:
		if !now.Before(w.AskedAt.Add(w.rules.Approval)) {
			w.toReview(Expired)
		}
	}
}

// timeout is silence until the deadline. The van is looked at once more, in case
// the matter was put right without a word; where that has been done as often as
// is allowed, a person is asked.
func (w *work) timeout() {
	if w.ReAudits < w.rules.MaxReAudits {
		w.reAudit(ByTimeout, nil)
		return
	}
	w.preCancelOr(Unheard)
}

// reAudit has the van looked at again: the checks named, or all.
func (w *work) reAudit(why Trigger, checks []check.Name) {
	from := w.State
	if from == PreCancel {
		from = Review
	}
	w.withdraw()
	w.stopClocks()
	w.State, w.Before, w.Trigger = ReAudit, from, why
	w.do(Action{Kind: StartReAudit, Checks: checks})
}

// changed is news that the records changed.
func (w *work) changed(e Event) {
	switch w.State {
	case PreCancel:
		w.toReview(DataChanged)
	case Open, PendingReply:
		if !w.Due.IsZero() {
			w.reAudit(w.DueTrigger, e.Checks)
			return
		}
		w.do(Action{Kind: Recheck})
	case Review:
		w.do(Action{Kind: Recheck})
	}
}

// reAudited is the answer of a re-audit.
func (w *work) reAudited(e Event) {
	if w.State != ReAudit {
		return
	}
	if e.Failed {
		w.notDone()
		return
	}
	failing := w.look(e)
	if !e.Full && failing == 0 {
		w.do(Action{Kind: StartReAudit}) // what was changed fits; before closing, all is looked at
		return
	}
	w.ReAudits++
	for i, s := range w.Subjects {
		if s.Open() && len(s.Findings) == 0 {
			w.clear(i)
		}
	}
	if failing == 0 {
		w.clearAll(fixed(w.Trigger))
		return
	}
	w.stillFails()
}

func fixed(t Trigger) SubReason {
	if t == ByTimeout {
		return SilentFix
	}
	return DataFixed
}

// look takes over what was found about those on the case, and counts who and
// what still fails. A look at some checks says nothing about the others.
func (w *work) look(e Event) (failing int) {
	for i, s := range w.Subjects {
		if !s.Open() {
			continue
		}
		now := live(e.Findings, s.Employee)
		if e.Full || len(now) > 0 {
			w.Subjects[i].Findings = now
		}
		if len(now) > 0 {
			failing++
		}
	}
	van := live(e.Findings, "")
	if e.Full {
		w.Van = van
	}
	if len(van) > 0 {
		failing++
	}
	return failing
}

// notDone goes back to where the re-audit began; it is not counted, and tried
// again later.
func (w *work) notDone() {
	w.State = w.Before
	if w.State == Review {
		w.do(Action{Kind: AskPerson, Why: w.Why})
		return
	}
	w.Due, w.DueTrigger = w.Now.Add(w.rules.Retry), w.Trigger
}

// stillFails is a re-audit in which somebody did not pass. A person looks at
// what the code is not sure of, at a reply that came meanwhile, and at somebody
// who could not be reached. Silence leads to a request to cancel, and so does
// the last re-audit; otherwise the rider is written to again.
func (w *work) stillFails() {
	last := w.ReAudits >= w.rules.MaxReAudits
	mailable := w.someone(func(s Subject) bool { return len(s.mailable()) > 0 })
	switch {
	case w.Unread > 0:
		w.toReview(UnreadReply)
	case w.someone(func(s Subject) bool { return s.Mail == Bounced }):
		w.toReview(Undeliverable)
	case !mailable:
		w.toReview(Triage)
	case w.Trigger == ByTimeout && w.allCancellable(), last:
		w.preCancelOr(Unheard)
	case w.Trigger == ByTimeout && !w.news(): // somebody else on the case needs a person
		w.toReview(Unheard)
	default:
		w.writeAgain()
	}
}

// news reports whether somebody fails in what they have not been written to about,
// and may be.
func (w *work) news() bool {
	return w.someone(func(s Subject) bool {
		return slices.ContainsFunc(s.mailable(), func(n check.Name) bool { return !slices.Contains(s.Told, n) })
	})
}

// writeAgain tells everybody who still fails and is there. Who is away was not
// looked at, and has their time when they are back.
func (w *work) writeAgain() {
	w.State = PendingReply
	for i, s := range w.Subjects {
		if checks := s.mailable(); s.Open() && !s.Away && len(checks) > 0 {
			w.ask(i, post.Again, checks)
		}
	}
}

func (w *work) allCancellable() bool {
	return w.someone(func(Subject) bool { return true }) && !w.someone(func(s Subject) bool { return !s.cancellable() })
}

// preCancelOr asks a person to cancel the membership of everybody still open, or
// puts the case before one where somebody may not be judged yet.
func (w *work) preCancelOr(why Why) {
	if !w.allCancellable() {
		w.toReview(why)
		return
	}
	w.stopClocks()
	w.State, w.AskedAt, w.Why = PreCancel, w.Now, ""
	for i, s := range w.Subjects {
		if s.Open() {
			w.Subjects[i].Standing = CancelPending
			w.do(Action{Kind: AskCancel, Employee: s.Employee, Checks: s.FailedChecks()})
		}
	}
}

// presence is leave or days off that begin or end. Nobody's membership is
// cancelled while they are away.
func (w *work) presence(e Event) {
	i := w.index(e.Employee)
	if i < 0 {
		return
	}
	w.Subjects[i].Away = e.Kind == WentAway
	if w.Subjects[i].Away && w.Subjects[i].Standing == CancelPending {
		w.toReview(OnLeave)
	}
}

// riderGone is a rider who left the van by themselves.
func (w *work) riderGone(e Event) {
	i := w.index(e.Employee)
	if i < 0 || !w.Subjects[i].Open() {
		return
	}
	w.clear(i)
	w.leftOver(RiderLeft)
}

// vanClosed is the end of the van.
func (w *work) vanClosed() { w.clearAll(VanpoolClosed) }
