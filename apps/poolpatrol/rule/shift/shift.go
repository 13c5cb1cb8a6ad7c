// Package shift decides whether the people in a van can share the way to work.
//
// What must overlap is not their working hours but their commutes: two people
// with two hours of work in common may still start seven hours apart. Each
// working day has a window around its start and one around its end; the day
// fits the van as far as both windows overlap the van's. Read overlap.go for
// the sum, reference.go for what "the van's" hours are, rider.go for which days
// count, and Judge for what follows.
package shift

import (
	"fmt"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/roster"
)

// Name is the check's name.
const Name check.Name = "shift"

// Version changes whenever a verdict could.
const Version = "shift/1"

// The kinds of finding.
const (
	Mismatch   = "shift_mismatch"
	NoMajority = "shift_no_majority"
)

// A Basis says what must overlap.
type Basis string

// The bases. Work is how the programme's first evaluator measured: hours at work
// in common. It is kept for comparison.
const (
	Commute Basis = "commute"
	Work    Basis = "work"
)

// A Policy is the thresholds of the check.
type Policy struct {
	Version string `json:"version"`
	Window  int    `json:"window_minutes"`  // before and after each start and end
	Enough  int    `json:"enough_minutes"`  // overlap with which a day fits
	Share   int    `json:"share_percent"`   // of working days that must fit
	Horizon int    `json:"horizon_days"`    // days ahead that are looked at
	Basis   Basis  `json:"overlap_basis"`   //
	Strong  int    `json:"strong_majority"` // percent of riders from which a majority is as good as a schedule
}

// Standard is the policy of the programme as it began.
func Standard() Policy {
	return Policy{Version: "shift-2026-1", Window: 30, Enough: 30, Share: 60, Horizon: 14, Basis: Commute, Strong: 75}
}

// New is the specialist.
func New(p Policy) check.Specialist {
	return check.Specialist{Name: Name, Version: Version, Judge: p.judge}
}

func (p Policy) judge(g fleet.Group) check.Verdict {
	t := &check.Tally{}
	if !g.Brief {
		t.Expect(len(g.Riders))
	}
	v := p.compare(g, t, p.sortOut(g, t))
	v.Policy = p.Version
	return v
}

// sortOut reads every rider's days and sets apart those who cannot be judged:
// who has left, who is away throughout, and whose shift is not known.
func (p Policy) sortOut(g fleet.Group, t *check.Tally) []riding {
	present := make([]riding, 0, len(g.Riders))
	for i := range g.Riders {
		m := &g.Riders[i]
		if m.Standing == fleet.Inactive {
			f, e := roster.Separated(g, *m)
			t.Found(f, e)
			continue
		}
		r := p.read(g, m)
		switch {
		case r.skipped:
			t.Unknown(check.NewEvidence("pto", "employee_id", m.ID, "back", r.back.String(), "whole_horizon", true))
			t.Recheck(r.back)
		case r.missing != "":
			t.Missing(Name, m.ID, r.missing, r.problem)
			present = append(present, r) // counts as a rider when a majority is sought
		default:
			present = append(present, r)
		}
	}
	return present
}

func (p Policy) compare(g fleet.Group, t *check.Tally, present []riding) check.Verdict {
	if g.Unreadable != nil {
		t.Missing(Name, "", "schedule", "the van's schedule cannot be read")
		return t.Conclude(check.Least)
	}
	readable := readable(present)
	if len(readable) == 0 {
		return t.Conclude(check.Unsure) // everybody away: look again when they are back
	}
	if len(present) == 1 && g.Week == nil {
		r := readable[0]
		t.Clean(check.NewEvidence("single_rider", "employee_id", r.m.ID, "shift_id", r.shift.ID, "vanpool_id", g.Van.ID))
		return t.Conclude(4)
	}
	ref, ok := p.reference(g, present)
	if !ok {
		t.Found(check.Finding{Check: Name, Kind: NoMajority, Confidence: check.Unsure, Mark: ref.held,
			WouldChange: "a schedule for the van, or one shift held by more than half of its riders"},
			check.NewEvidence(NoMajority, "vanpool_id", g.Van.ID, "largest_group", ref.holders, "riders", ref.of))
		return t.Conclude(check.Unsure)
	}
	if ref.week == nil { // held by most and unreadable: its holders are findings already
		return t.Conclude(check.Least)
	}
	if !g.Brief {
		t.Context(ref.evidence(g))
	}
	sure := check.Certain
	same := like{van: g.Van.ID}
	for i := range readable {
		sure = min(sure, p.weigh(g, t, &readable[i], ref, &same))
	}
	return t.Conclude(sure)
}

// like is what holds alike for the next rider if they have the same week: riders of
// one van nearly always do, and a pass weighs everybody.
type like struct {
	week                *fleet.Pattern // of the rider before, where it says all about them
	commute, work, days int
	van                 any
	id, name, workWord  any // as evidence says them
}

// measure sees how far a rider's days overlap the van's.
func (p Policy) measure(r *riding, ref reference, same *like) {
	if r.week && r.shift == same.week {
		return
	}
	days := r.working()
	same.commute, same.work = p.overlap(days, ref.week.Blocks)
	same.days, same.id, same.name, same.workWord = len(days), r.shift.ID, r.shift.Name, same.work
	same.week = nil
	if r.week {
		same.week = r.shift
	}
}

// weigh compares one rider with the van and gives the confidence of the
// comparison.
func (p Policy) weigh(g fleet.Group, t *check.Tally, r *riding, ref reference, same *like) check.Confidence {
	p.measure(r, ref, same)
	commute, work := same.commute, same.work
	sure := min(r.confidence(), weekConfidence(*ref.week))
	doubt := check.Confidence(0)
	if r.awayDays > 0 {
		doubt = 1
	}
	p.remark(t, r)
	counts := commute
	if p.Basis == Work {
		counts = work
	}
	if counts >= p.Enough && g.Brief {
		return sure - doubt
	}
	who := any(r.m.ID)
	if counts >= p.Enough {
		t.Clean(check.NewEvidence("employee_shift", "employee_id", who, "shift_id", same.id, "vanpool_id", same.van,
			"employee_shift", same.name, "overlap_minutes", commute, "work_overlap_minutes", same.workWord))
		return sure - doubt
	}
	t.Found(check.Finding{
		Employee: r.m.ID, Check: Name, Kind: Mismatch, Route: check.ToRider,
		Confidence: min(sure, ref.sure) - doubt,
		Mark:       string(r.shift.ID) + " in " + ref.held,
		WouldChange: fmt.Sprintf("a start and an end of work within %d minutes of %s on at least %d %% of working days",
			2*p.Window-p.Enough, ref.hours, p.Share),
	}, check.NewEvidence(Mismatch, "employee_id", who, "shift_id", same.id, "vanpool_id", same.van,
		"employee_shift", same.name, "employee_hours", r.shift.Hours, "expected_shift", ref.name, "expected_hours", ref.hours,
		"tz", g.Site.Zone, "overlap_minutes", commute, "work_overlap_minutes", same.workWord, "working_days", same.days))
	return sure - doubt
}

// remark puts down what makes a rider's case less plain than most.
func (p Policy) remark(t *check.Tally, r *riding) {
	if r.rotating {
		t.Context(check.NewEvidence("rotation", "employee_id", r.m.ID, "shifts", len(r.seen), "horizon_days", p.Horizon,
			"working_days", len(r.days)))
	}
	if r.flex {
		t.Context(check.NewEvidence("flex", "employee_id", r.m.ID, "shift_id", r.shift.ID, "hours", r.shift.Hours))
	}
	if r.split {
		t.Context(check.NewEvidence("split", "employee_id", r.m.ID, "shift_id", r.shift.ID, "hours", r.shift.Hours))
	}
	if r.awayDays > 0 {
		t.Unknown(check.NewEvidence("pto", "employee_id", r.m.ID, "away_days", r.awayDays, "horizon_days", p.Horizon))
	}
}
