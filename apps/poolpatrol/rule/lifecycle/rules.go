package lifecycle

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

const day = 24 * time.Hour

// Rules are the terms of a case. Times are of the world, not of the process: a
// scaled clock shortens all of them alike.
type Rules struct {
	Version     string        `json:"version"`
	Patience    time.Duration `json:"patience"`      // to answer, from when the last mail was accepted
	Grace       time.Duration `json:"grace"`         // for records to follow what a rider says was changed
	Cap         time.Duration `json:"cap"`           // a case older than this goes before a person
	Approval    time.Duration `json:"approval"`      // a request to cancel is good for this long
	Verified    time.Duration `json:"verified"`      // data this old may still be acted on
	CoolDown    time.Duration `json:"cool_down"`     // after a false alarm, for the same finding
	Retry       time.Duration `json:"retry"`         // after a re-audit that could not be done
	ReturnDays  int           `json:"return_days"`   // working days to answer after coming back
	MaxReAudits int           `json:"max_re_audits"` //
	MaxAnswers  int           `json:"max_answers"`   // questions answered automatically

	Zone     *time.Location `json:"-"` // of the van's site; nil counts as UTC
	Holidays []fleet.Date   `json:"holidays,omitempty"`
}

// Standard is the rules of the programme as it began.
func Standard() Rules {
	return Rules{
		Version: "case-2026-1", Patience: 7 * day, Grace: 72 * time.Hour, Cap: 30 * day, Approval: 7 * day,
		Verified: day, CoolDown: 30 * day, Retry: time.Hour, ReturnDays: 3, MaxReAudits: 3, MaxAnswers: 2,
	}
}

// Deadline is when a reply to a mail accepted at a moment is due. Letters print
// it and the clock runs to it: there is no other place that knows.
func (r Rules) Deadline(accepted time.Time) time.Time { return accepted.Add(r.Patience) }

// afterReturn is the deadline of somebody who comes back at a moment with some
// time left: never less than the working days the rules give.
func (r Rules) afterReturn(back time.Time, left time.Duration) time.Time {
	zone := r.Zone
	if zone == nil {
		zone = time.UTC
	}
	t := back.In(zone)
	for n := 0; n < r.ReturnDays; {
		t = t.AddDate(0, 0, 1)
		if d := fleet.DateAt(t, zone); d.Weekday() < 5 && !slices.Contains(r.Holidays, d) {
			n++
		}
	}
	if run := back.Add(left); run.After(t) {
		return run
	}
	return t
}

// Wake is the next moment at which time alone may change a case; zero where none
// will.
func (c Case) Wake(r Rules) time.Time {
	var at []time.Time
	switch c.State {
	case Open:
		at = append(at, c.CapAt, c.Due)
	case PendingReply:
		at = append(at, c.CapAt, c.Due)
		if c.running() {
			at = append(at, c.Deadline)
		}
	case PreCancel:
		at = append(at, c.AskedAt.Add(r.Approval))
	}
	at = slices.DeleteFunc(at, time.Time.IsZero)
	if len(at) == 0 {
		return time.Time{}
	}
	return slices.MinFunc(at, time.Time.Compare)
}

// running reports whether silence counts: everybody's mail has been accepted,
// nothing lies unread, nobody is away, and no re-audit is due anyway.
func (c Case) running() bool {
	if c.State != PendingReply || c.Deadline.IsZero() || c.Unread > 0 || !c.Due.IsZero() {
		return false
	}
	return !c.someone(func(s Subject) bool { return s.Mail == Queued || s.Away })
}

// someone reports whether it holds for any subject that is still open.
func (c Case) someone(is func(Subject) bool) bool {
	return slices.ContainsFunc(c.Subjects, func(s Subject) bool { return s.Open() && is(s) })
}
