// Package due is what a pass's clocks say: when whoever must approve it is reminded, when others are asked instead, when
// it is about to end, and when somebody who is out should be back. It gives steps with their moments, on times that it is
// handed; a workflow waits for them. No step decides anything: a pass that nobody approves stays unapproved.
package due

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/notice"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
)

// A Rung is one step of a ladder before its moment is known.
type Rung struct {
	After    time.Duration
	To       []notice.Reader
	Severity notice.Severity
}

// A Step is something to tell at a moment.
type Step struct {
	At   time.Time
	Tell notice.Notice
}

// Rules are the ladders of an organisation.
type Rules struct {
	Overdue  []Rung        // after somebody was due back, by the clock
	Approval []Rung        // after a pass was made, in the hours of its site
	Expiring time.Duration // before its end HR hears of a pass that nobody has used; zero for never
}

// Standard is Within half an hour.
func Standard() Rules { return Within(30 * time.Minute) }

// Within reminds when somebody is due, half an hour and two hours later, the last time as critical; and of a pass that waits
// after half the time that an approval may take, asks the delegate after all of it and the head of the department after twice as long.
func Within(approval time.Duration) Rules {
	back := []notice.Reader{notice.Creator, notice.HR, notice.Admin}
	return Rules{
		Overdue: []Rung{
			{0, back, notice.Warn},
			{30 * time.Minute, back, notice.Warn},
			{2 * time.Hour, back, notice.Critical},
		},
		Approval: []Rung{
			{approval / 2, []notice.Reader{notice.Admin}, notice.Info},
			{approval, []notice.Reader{notice.Admin, notice.Delegate}, notice.Warn},
			{2 * approval, []notice.Reader{notice.Admin, notice.Delegate, notice.Head}, notice.Critical},
		},
		Expiring: 30 * time.Minute,
	}
}

// Steps is everything that a pass's clocks still have to say if nothing else happens to it, in order. A pass at its end has
// none.
func (r Rules) Steps(p pass.Pass, hours Hours) []Step {
	var steps []Step
	switch {
	case p.Ended():
	case p.Status == pass.Pending:
		for i, rung := range r.Approval {
			steps = append(steps, step(p, notice.SLABreach, i, rung, hours.After(p.CreatedAt, rung.After)))
		}
	case p.Status == pass.Approved:
		if at := p.ValidUntil.Add(-r.Expiring); r.Expiring > 0 && at.After(p.ApprovedAt) {
			k, _ := notice.Of(notice.Expiring) // of the table
			steps = append(steps, step(p, notice.Expiring, 0, Rung{To: k.To, Severity: k.Severity}, at))
		}
	case p.Status == pass.Exited:
		for i, rung := range r.Overdue {
			steps = append(steps, step(p, notice.Overdue, i, rung, p.DueBack().Add(rung.After)))
		}
	}
	slices.SortStableFunc(steps, func(a, b Step) int { return a.At.Compare(b.At) })
	return steps
}

func step(p pass.Pass, t notice.Type, i int, rung Rung, at time.Time) Step {
	n := notice.New(t, p.Number, p.Version)
	n.Step, n.To, n.Severity = i, rung.To, rung.Severity
	return Step{At: at, Tell: n}
}

// Next is the first step after those whose moment has come, and all of those, at a moment. Who sleeps until Next and then tells
// what is due, each under its key, tells each once and leaves out none, however late it wakes.
func Next(steps []Step, now time.Time) (dueNow []Step, next Step, more bool) {
	i := slices.IndexFunc(steps, func(s Step) bool { return s.At.After(now) })
	if i < 0 {
		return steps, Step{}, false
	}
	return steps[:i], steps[i], true
}
