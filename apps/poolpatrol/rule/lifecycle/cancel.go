package lifecycle

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/fault"
)

// onRequest is the answer to a request to cancel somebody's membership.
func (w *work) onRequest(d Decision) error {
	i := w.index(d.Employee)
	if i < 0 || w.Subjects[i].Standing != CancelPending {
		return fault.New(fault.Conflict, "no cancellation of %.60s is asked for", d.Employee)
	}
	switch d.Choice {
	case ApproveCancel:
		return w.approve(i, d)
	case RejectCancel:
		return w.reject(i, d)
	}
	return fault.New(fault.Invalid, "on a request to cancel there is no choice %.40q", d.Choice)
}

// approve takes somebody off the roster, on data looked at just now. If they
// pass by now they are cleared instead; if they fail only in what they were
// never told, the case goes back to a person.
func (w *work) approve(i int, d Decision) error {
	age := w.Now.Sub(d.Verified)
	if d.Verified.IsZero() || age < 0 || age >= w.rules.Verified {
		return fault.New(fault.Stale, "the data on %s must be looked at again first", d.Employee)
	}
	s := &w.Subjects[i]
	if s.Away {
		return fault.New(fault.Conflict, "%s is away", s.Employee)
	}
	s.Findings = live(d.Findings, s.Employee)
	switch {
	case len(s.Findings) == 0:
		w.clear(i)
		w.finish(DataFixed)
	case !s.heard(s.Findings):
		w.toReview(Unheard)
	default:
		s.Standing = SubjectCancelled
		w.do(Action{Kind: RemoveRider, Employee: s.Employee, Checks: s.FailedChecks()})
		if len(s.Told) > 0 {
			w.send(post.Removed, s.Employee)
		}
		w.finish(MembershipCancelled)
	}
	return nil
}

// reject says what is to happen instead.
func (w *work) reject(i int, d Decision) error {
	if strings.TrimSpace(d.Reason) == "" {
		return fault.New(fault.Invalid, "say why")
	}
	switch d.Next {
	case WasRight:
		w.note(d, string(d.Employee), w.Subjects[i].Findings)
		w.clear(i)
		w.finish(FalsePositive)
		return nil
	case SendDraft:
		if !slices.ContainsFunc(w.Subjects, func(s Subject) bool { return s.Open() && len(s.mailable()) > 0 }) {
			return fault.New(fault.Conflict, "there is nobody to write to on case %s", w.ID)
		}
		w.leaveReview(PendingReply)
		w.writeAgain()
		return nil
	case LookAgain:
		return w.lookAgain()
	case "": // they said no, and not what instead
		w.toReview(Declined)
		return nil
	}
	return fault.New(fault.Invalid, "after a rejection there is no choice %.40q", d.Next)
}
