package lifecycle

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/platform/fault"
)

// sent notes that the provider accepted a mail. When the last one is accepted
// the clock begins, for the whole case: setClock.
func (w *work) sent(e Event) {
	i := w.index(e.Employee)
	if i < 0 || !e.Letter.Asks() || w.Subjects[i].Mail != Queued {
		return
	}
	s := &w.Subjects[i]
	s.Mail = Accepted
	s.Told, s.Asked = union(s.Told, s.Asked), nil
	w.Deadline, w.Left = time.Time{}, 0
}

// notDelivered is a mail that came back, or was kept by the loop guard. No clock runs
// against somebody who may not have been reached. One that was kept says nothing
// against those before it: a person sees to it that the matter goes on.
func (w *work) notDelivered(e Event) {
	i := w.index(e.Employee)
	if i < 0 || !w.Subjects[i].Open() {
		return
	}
	why, mail := Undeliverable, Bounced
	if e.Kind == MailStopped {
		why = MailHeld
		if w.Subjects[i].Mail != Bounced {
			mail = Kept
		}
	}
	w.Subjects[i].Mail, w.Subjects[i].Asked = mail, nil
	switch w.State {
	case Open, PendingReply, PreCancel:
		w.toReview(why)
	}
}

// arrived is a human mail that nobody has read yet, of whomever: it belongs to the
// case. Silence no longer counts, nothing is cancelled over it, and whoever was
// asked before it came is asked anew.
func (w *work) arrived() {
	w.Inbound++
	w.Unread++
	if w.State == PreCancel || w.State == Review {
		w.toReview(UnreadReply)
	}
}

// dismissed is a mail that a person has said is none for this case.
func (w *work) dismissed() { w.Unread = max(w.Unread-1, 0) }

// answered is what a reply that is believed proves: what came back or was kept before
// it has not kept our letters from them.
func (w *work) answered(id fleet.EmployeeID) {
	if i := w.index(id); i >= 0 && (w.Subjects[i].Mail == Bounced || w.Subjects[i].Mail == Kept) && len(w.Subjects[i].Told) > 0 {
		w.Subjects[i].Mail = Accepted
	}
}

// replied is a reply that has been read. Where the case is waiting for one it is
// acted on; elsewhere it stays unread until a person has seen it.
func (w *work) replied(e Event) error {
	if !slices.Contains(post.Buckets(), e.Bucket) {
		return fault.New(fault.Invalid, "there is no bucket %.40q", e.Bucket)
	}
	if w.Unread == 0 {
		w.arrived()
	}
	w.answered(e.Employee)
	if w.State != Open && w.State != PendingReply {
		return nil
	}
	i := w.index(e.Employee)
	if i < 0 { // somebody writes for them, or from another address
		w.toReview(UnreadReply)
		return nil
	}
	w.Unread--
	switch {
	case e.Bucket == post.Escalation:
		w.do(Action{Kind: SaveDraft, Employee: e.Employee})
		w.toReview(Escalated)
	case !w.Subjects[i].Open(): // a word of thanks from somebody whose matter is settled
	case e.Bucket == post.Question:
		w.question(i)
	case w.ReAudits >= w.rules.MaxReAudits:
		w.toReview(NoMoreAudits)
	case e.Bucket == post.Update:
		w.update(i)
	default:
		w.send(post.Rechecking, e.Employee)
		w.reAudit(ByAck, nil)
	}
	return nil
}

func (w *work) question(i int) {
	if w.Answers >= w.rules.MaxAnswers {
		w.toReview(ManyQuestions)
		return
	}
	w.Answers++
	w.Deadline, w.Left = time.Time{}, 0
	w.ask(i, post.Answer, w.Subjects[i].Asked)
}

// update waits for the records to follow what the rider says. A second such
// reply does not make the wait longer.
func (w *work) update(i int) {
	w.send(post.Portal, w.Subjects[i].Employee)
	if w.Due.IsZero() {
		w.Deadline, w.Left = time.Time{}, 0
		w.Due, w.DueTrigger = w.Now.Add(w.rules.Grace), ByUpdate
	}
}

func union(a, b []check.Name) []check.Name {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}
