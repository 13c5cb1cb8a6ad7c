// Package audit is for looking at every van at once: records in, and out comes
// which vans do not pass and why. No model is asked, and a van with which
// nothing is wrong costs a few microseconds.
//
// Read Policy and Inputs, then All. What a failed run leads to is decided in
// package lifecycle.
package audit

import (
	"iter"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/badge"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/occupancy"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/parking"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/roster"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Policy is the thresholds of all checks.
type Policy struct {
	Shift     shift.Policy     `json:"shift"`
	Location  location.Policy  `json:"location"`
	Occupancy occupancy.Policy `json:"occupancy"`
	Badge     badge.Policy     `json:"badge"`
	Parking   parking.Policy   `json:"parking"`
}

// Standard is the policy of the programme as it began.
func Standard() Policy {
	return Policy{shift.Standard(), location.Standard(), occupancy.Standard(), badge.Standard(), parking.Standard()}
}

// Inputs are what the specialists need besides the group itself. Feeds that are
// nil leave their specialist out: nobody is judged on a feed that is not there.
type Inputs struct {
	Roads   location.Roads
	Badges  *badge.Feed
	Permits parking.Feed
}

// Specialists lists everyone who judges, in the order their verdicts are shown.
// A new specialist is one more line here.
func Specialists(p Policy, book *fleet.Book, in Inputs) []check.Specialist {
	all := []check.Specialist{
		shift.New(p.Shift),
		location.New(p.Location, in.Roads),
		roster.New(book.Memberships()),
		occupancy.New(p.Occupancy),
	}
	if in.Badges != nil {
		all = append(all, badge.New(p.Badge, *in.Badges))
	}
	if in.Permits != nil {
		all = append(all, parking.New(p.Parking, in.Permits))
	}
	return all
}

// An Outcome is how an audit run ended.
type Outcome string

// The outcomes. The zero Outcome is no outcome.
const (
	Verified Outcome = "verified" // nothing is wrong
	Failed   Outcome = "failed"   // something is, or could not be seen
	Errored  Outcome = "error"    // there was nothing to judge: no such van, no riders, an unknown rider
)

// A Run is one van's audit.
type Run struct {
	Vanpool  fleet.VanpoolID
	Outcome  Outcome
	Verdicts []check.Verdict // empty where the outcome is an error
	Err      error           // why it is an error
}

// Of audits one van.
func Of(book *fleet.Book, id fleet.VanpoolID, at time.Time, ask []check.Specialist, granted check.Exceptions) Run {
	return of(book, id, at, ask, granted, false)
}

func of(book *fleet.Book, id fleet.VanpoolID, at time.Time, ask []check.Specialist, granted check.Exceptions, brief bool) Run {
	r := Run{Vanpool: id, Outcome: Errored}
	g, err := book.Group(id, at)
	if err != nil {
		r.Err = err
		return r
	}
	if len(g.Riders) == 0 {
		r.Err = fault.New(fault.Invalid, "vanpool %s has no riders", id)
		return r
	}
	g.Brief = brief
	r.judge(g, ask, granted)
	if brief && r.Outcome != Verified {
		g.Brief = false
		r.judge(g, ask, granted)
	}
	return r
}

// judge asks every specialist about a group with riders.
func (r *Run) judge(g fleet.Group, ask []check.Specialist, granted check.Exceptions) {
	r.Outcome = Verified
	r.Verdicts = make([]check.Verdict, len(ask))
	for i, s := range ask {
		r.Verdicts[i] = check.Run(s, g, granted)
		if r.Verdicts[i].Label != check.Pass {
			r.Outcome = Failed
		}
	}
}

// Fresh refuses records that are too old to judge anybody on. A zero time is that
// of records that never came.
func Fresh(taken, at time.Time) error {
	switch {
	case taken.IsZero():
		return fault.New(fault.Conflict, "there are no records yet").WithNext("import employees and vanpools first")
	case !(fleet.Records{Taken: taken}).Fresh(at):
		return fault.New(fault.Conflict, "the records were taken at %s; nobody is audited on records older than %d hours",
			taken.UTC().Format(time.RFC3339), int(fleet.MaxAge/time.Hour)).WithNext("import the records again")
	}
	return nil
}

// All audits every running van with an id after the given one, in order of id,
// so that an interrupted pass goes on where it stopped. It refuses records that
// are too old to judge anybody on. Most vans are in order and nobody asks why: the
// verdicts of those have no evidence; Of has it.
func All(book *fleet.Book, after fleet.VanpoolID, at time.Time, ask []check.Specialist, granted check.Exceptions) (iter.Seq[Run], error) {
	return Among(book, after, at, func(fleet.VanpoolID) []check.Specialist { return ask }, granted,
		func(fleet.VanpoolID) bool { return true })
}

// Among audits, as All does, the vans that are wanted, each by the specialists that are
// asked about it.
func Among(book *fleet.Book, after fleet.VanpoolID, at time.Time, ask func(fleet.VanpoolID) []check.Specialist, granted check.Exceptions,
	wanted func(fleet.VanpoolID) bool) (iter.Seq[Run], error) {
	if err := Fresh(book.Taken(), at); err != nil {
		return nil, err
	}
	ids := book.Vanpools()
	from, _ := slices.BinarySearch(ids, after)
	ids = slices.DeleteFunc(ids[from:], func(id fleet.VanpoolID) bool {
		v, _ := book.Vanpool(id)
		return id == after || v.Standing != fleet.Active || !wanted(id)
	})
	return func(yield func(Run) bool) {
		for some := range slices.Chunk(ids, ahead) {
			for _, r := range sideBySide(some, func(id fleet.VanpoolID) Run { return of(book, id, at, ask(id), granted, true) }) {
				if !yield(r) {
					return
				}
			}
		}
	}, nil
}

// Findings are what is wrong, each once, without what is excused and without
// gaps in the records.
func (r Run) Findings() []check.Finding {
	return r.gather(func(f check.Finding) bool { return f.Route != check.ToData })
}

// Gaps are the findings that only say the records are incomplete. They go to
// those who keep the records and accuse nobody.
func (r Run) Gaps() []check.Finding {
	return r.gather(func(f check.Finding) bool { return f.Route == check.ToData })
}

func (r Run) gather(wanted func(check.Finding) bool) []check.Finding {
	var out []check.Finding
	for _, v := range r.Verdicts {
		for _, f := range v.Findings {
			known := slices.ContainsFunc(out, func(o check.Finding) bool { return o.Key() == f.Key() })
			if f.Excused == nil && wanted(f) && !known {
				out = append(out, f)
			}
		}
	}
	return out
}

// Recheck is the first day on which somebody who was away should be looked at
// again; zero where nobody was.
func (r Run) Recheck() fleet.Date {
	var first fleet.Date
	for _, v := range r.Verdicts {
		if v.Recheck != 0 && (first == 0 || v.Recheck < first) {
			first = v.Recheck
		}
	}
	return first
}
