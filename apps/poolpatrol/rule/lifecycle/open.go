package lifecycle

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
)

// A Found is a van in which an audit run found something.
type Found struct {
	ID       fleet.CaseID // the new case's, should there be one
	Vanpool  fleet.VanpoolID
	Findings []check.Finding
	At       time.Time
	Earlier  []Case // the van's ended cases, in any order
}

// Begin opens a case on what an audit found. There is none where nothing counts:
// findings that are excused, gaps in the records, and what a person said a short
// while ago was nothing. It is for a van that has no open case; where there is
// one, the audit is an event of that case.
//
// If somebody may be written to, the case begins with their mails. If the code
// is not sure, or there is nobody to write to, it begins before a person and
// nobody is written to.
func Begin(f Found, r Rules) (c Case, todo []Action, opened bool) {
	w := &work{rules: r, Case: Case{
		ID: f.ID, Vanpool: f.Vanpool, Opened: f.At, Now: f.At, CapAt: f.At.Add(r.Cap), Steps: 1, State: Open,
	}}
	for _, e := range f.Earlier {
		if w.Previous == "" || e.EndedAt.After(previous(f.Earlier, w.Previous).EndedAt) {
			w.Previous = e.ID
		}
	}
	fresh := slices.DeleteFunc(slices.Clone(f.Findings), func(x check.Finding) bool { return cooling(x, f, r) })
	w.add(fresh)
	if w.Van = live(fresh, ""); len(w.Van)+len(w.Subjects) == 0 {
		return Case{}, nil, false
	}
	w.do(Action{Kind: UpsertCase, Checks: w.FailedChecks()})
	for i, s := range w.Subjects {
		if checks := s.mailable(); len(checks) > 0 {
			w.ask(i, post.First, checks)
		}
	}
	if !w.someone(func(s Subject) bool { return s.Mail == Queued }) {
		w.toReview(Triage)
	}
	w.setKeys()
	return w.Case, w.todo, true
}

func previous(all []Case, id fleet.CaseID) Case {
	return all[slices.IndexFunc(all, func(c Case) bool { return c.ID == id })]
}

// cooling reports whether a person said of this very finding, not long ago, that
// it was none.
func cooling(x check.Finding, f Found, r Rules) bool {
	return slices.ContainsFunc(f.Earlier, func(c Case) bool {
		return f.At.Before(c.EndedAt.Add(r.CoolDown)) && slices.Contains(c.WasRight, x.Key())
	})
}

// add puts everybody with findings on the case who is not on it yet. It gives
// the places of the new ones.
func (w *work) add(all []check.Finding) []int {
	var added []int
	for _, f := range all {
		if f.Employee == "" || w.index(f.Employee) >= 0 || len(live(all, f.Employee)) == 0 {
			continue
		}
		added = append(added, len(w.Subjects))
		w.Subjects = append(w.Subjects, Subject{Employee: f.Employee, Standing: SubjectOpen, Findings: live(all, f.Employee)})
	}
	return added
}

// audited is a bulk pass that looked at a van with an open case. A van with which
// nothing is wrong any more needs no case, wherever it stands. While mails are
// being exchanged, what is new is added and written about; later on the case
// goes its way, and the next pass after it finds the rest.
func (w *work) audited(e Event) {
	if e.Failed || w.State == ReAudit {
		return
	}
	if clean := !slices.ContainsFunc(e.Findings, func(f check.Finding) bool { return len(live(e.Findings, f.Employee)) > 0 }); clean {
		w.clearAll(SilentFix)
		return
	}
	if w.State != Open && w.State != PendingReply {
		return
	}
	w.Van = live(e.Findings, "")
	for i, s := range w.Subjects {
		if !s.Open() {
			continue
		}
		now := live(e.Findings, s.Employee)
		if len(now) == 0 {
			w.clear(i)
			continue
		}
		w.Subjects[i].Findings = now
		w.tellNews(i, post.Again)
	}
	for _, i := range w.add(e.Findings) {
		w.tellNews(i, post.First)
	}
	w.do(Action{Kind: UpsertCase, Checks: w.FailedChecks()})
	w.leftOver(SilentFix)
}

// tellNews writes to a subject if something fails that they have not been
// written to about.
func (w *work) tellNews(i int, k post.Kind) {
	s, checks := w.Subjects[i], w.Subjects[i].mailable()
	news := slices.ContainsFunc(checks, func(n check.Name) bool {
		return !slices.Contains(s.Told, n) && !slices.Contains(s.Asked, n)
	})
	if news {
		w.Deadline, w.Left = time.Time{}, 0
		w.ask(i, k, checks)
	}
}

// leftOver looks after a case from which somebody was taken off: it ends with
// the last of them, and goes before a person if nobody is left to wait for.
func (w *work) leftOver(how SubReason) {
	if (len(w.Van) == 0 || w.State == PreCancel) && w.finish(how) {
		return
	}
	waits := w.someone(func(s Subject) bool { return s.Mail == Queued || s.reached() })
	if !waits && (w.State == Open || w.State == PendingReply) {
		w.toReview(Triage)
	}
}
