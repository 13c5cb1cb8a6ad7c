package lifecycle

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// decided is a person's decision, first whether it may be taken at all.
func (w *work) decided(e Event) error {
	d := e.Decision
	if d == nil {
		return fault.New(fault.Invalid, "a decision says what was decided")
	}
	if w.State != Review && w.State != PreCancel {
		return fault.New(fault.Conflict, "case %s is not waiting for a person", w.ID)
	}
	if err := w.mayDecide(*d); err != nil {
		return err
	}
	if d.Seen != w.Inbound {
		return fault.New(fault.Stale, "case %s has %d replies; you were shown %d", w.ID, w.Inbound, d.Seen)
	}
	if len(d.Reason) > check.MaxReason {
		return fault.New(fault.TooLarge, "a reason has at most %d bytes", check.MaxReason)
	}
	if d.Employee != "" && !w.isOpen(d.Employee) {
		return fault.New(fault.Conflict, "%.60s is not open on case %s", d.Employee, w.ID).
			WithNext("name somebody the case is about, or leave the rider out").On("employee_id", "settle_not_open", short(d.Employee))
	}
	w.Unread = 0
	if w.State == PreCancel {
		return w.onRequest(*d)
	}
	return w.inReview(*d)
}

// short is an id in a length that fits a message, whatever was typed for it.
func short(id fleet.EmployeeID) string { return fmt.Sprintf("%.60s", string(id)) }

func (w *work) isOpen(id fleet.EmployeeID) bool {
	return w.someone(func(s Subject) bool { return s.Employee == id })
}

// mayDecide refuses who has not the role and who is too near to somebody the
// decision is about.
func (w *work) mayDecide(d Decision) error {
	if d.By.Kind != identity.Person || !d.By.Known() || !d.By.Has(identity.ProgrammeManager) || d.By.Viewing != "" {
		return fault.New(fault.Refused, "only a programme manager decides on case %s", w.ID)
	}
	tied := w.someone(func(s Subject) bool {
		return (d.Employee == "" || d.Employee == s.Employee) && slices.Contains(d.By.Ties, s.Employee)
	})
	if tied {
		return fault.New(fault.Refused, "nobody decides about themselves, who they report to, or who reports to them").
			WithNext("ask another programme manager")
	}
	return nil
}

func (w *work) inReview(d Decision) error {
	switch d.Choice {
	case SendDraft, WasReached:
		return w.reach(d)
	case RejectDraft:
		return nil // the card stays; the reviewer writes another or closes
	case GrantUntil, WasRight:
		return w.forgive(d)
	case LookAgain:
		return w.lookAgain()
	case AskToCancel:
		return w.proceed()
	}
	return fault.New(fault.Invalid, "in review there is no choice %.40q", d.Choice)
}

// reach sends an approved draft, or notes that somebody was told in another way.
// Either way they have the full time to answer.
func (w *work) reach(d Decision) error {
	i := w.index(d.Employee)
	if i < 0 {
		return fault.New(fault.Invalid, "the rider is missing: say who was told").WithNext("fill in the rider").
			On("employee_id", "settle_whom", "")
	}
	s := w.Subjects[i]
	if d.Choice == WasReached && strings.TrimSpace(d.Reason) == "" {
		return fault.New(fault.Invalid, "the reason is missing: say how they were told").WithNext("give a reason").
			On("reason", "settle_how", "")
	}
	w.leaveReview(PendingReply)
	if d.Choice == SendDraft {
		w.ask(i, post.Draft, nil) // what they were told before they stay told of
		return nil
	}
	w.Subjects[i].Mail, w.Subjects[i].Asked = Accepted, nil
	w.Subjects[i].Told = union(s.Told, s.FailedChecks())
	return nil
}

// leaveReview moves on; a case that was too old has its time again.
func (w *work) leaveReview(to State) {
	w.withdraw()
	w.State, w.Why = to, ""
	if !w.Now.Before(w.CapAt) {
		w.CapAt = w.Now.Add(w.rules.Cap)
	}
}

// forgive clears one subject, or all and the van: for a time, or because nothing
// was wrong.
func (w *work) forgive(d Decision) error {
	if strings.TrimSpace(d.Reason) == "" {
		return fault.New(fault.Invalid, "a reason is missing").WithNext("give a reason").On("reason", "settle_reason", "")
	}
	how := FalsePositive
	if d.Choice == GrantUntil {
		how = ExceptionGranted
		if d.Until <= fleet.DateAt(w.Now, w.zone()) {
			return fault.New(fault.Invalid, "the last day is missing or has passed: an exception ends on a day to come").
				WithNext("fill in the last day").On("until", "settle_until", "")
		}
	}
	for i, s := range w.Subjects {
		if s.Open() && (d.Employee == "" || d.Employee == s.Employee) {
			w.note(d, string(s.Employee), s.Findings)
			w.clear(i)
		}
	}
	if d.Employee == "" {
		w.note(d, string(w.Vanpool), w.Van)
		w.Van = nil
	}
	if len(w.Van) == 0 {
		w.finish(how)
	}
	return nil
}

func (w *work) zone() *time.Location {
	if w.rules.Zone == nil {
		return time.UTC
	}
	return w.rules.Zone
}

// note keeps what a person said about findings: an exception for each check, or
// that these very findings were none.
func (w *work) note(d Decision, subject string, findings []check.Finding) {
	var done []check.Name
	for _, f := range findings {
		if d.Choice != GrantUntil {
			w.WasRight = append(w.WasRight[:len(w.WasRight):len(w.WasRight)], f.Key())
			continue
		}
		if slices.Contains(done, f.Check) {
			continue
		}
		done = append(done, f.Check)
		w.do(Action{Kind: StoreException, Exception: &check.Exception{
			Subject: subject, Check: f.Check, Until: d.Until, Reason: d.Reason, By: d.By.ID,
		}})
	}
}

func (w *work) lookAgain() error {
	if w.ReAudits >= w.rules.MaxReAudits {
		return fault.New(fault.Conflict, "case %s has been looked at again %d times already", w.ID, w.ReAudits).
			WithNext("choose something else: an exception, nothing was wrong, or a request to cancel").
			On("choice", "settle_looked", strconv.Itoa(w.ReAudits))
	}
	w.leaveReviewTo(ByPerson)
	return nil
}

func (w *work) leaveReviewTo(why Trigger) {
	if !w.Now.Before(w.CapAt) {
		w.CapAt = w.Now.Add(w.rules.Cap)
	}
	w.reAudit(why, nil)
}

// proceed asks for cancellations, if everybody still open may be judged.
func (w *work) proceed() error {
	if !w.allCancellable() {
		for _, s := range w.Subjects {
			if s.Open() && !s.cancellable() {
				return fault.New(fault.Conflict, "%s has not been heard, could not be reached, or is away", s.Employee).
					WithNext("choose something else: look again, or say how they were told").
					On("choice", "settle_unheard", short(s.Employee))
			}
		}
		return fault.New(fault.Conflict, "case %s is about the van and nobody in it", w.ID).
			WithNext("close the van, grant an exception, or look again").On("choice", "settle_nobody", "")
	}
	w.withdraw()
	w.preCancelOr(Unheard)
	return nil
}

// doubted brings a person in: findings that somebody doubts are looked at before
// anything follows from silence. Where people are asked already nothing changes.
func (w *work) doubted() {
	if w.State == Open || w.State == PendingReply {
		w.toReview(Triage)
	}
}
