package shift

import (
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// A riding is one rider with the working days that count.
type riding struct {
	m     *fleet.Member
	shift *fleet.Pattern // the one held today, or the first to come
	days  []day
	week  bool // days are those of the shift's week, as for everybody who has it

	seen                  []fleet.ShiftID // different shifts inside the horizon
	rotating, flex, split bool
	awayDays              int // working days of the horizon off work

	skipped bool       // off work on every working day of the horizon
	back    fleet.Date // when to look again

	missing, problem string // the field the records lack, and how
}

// read finds somebody's working days in the horizon: each day by the shift that
// is in force on it, days off left out.
//
// Somebody with one shift throughout, no days off and the van's own clock is
// read from the week itself: every day of it comes twice in two weeks, which
// changes no share.
func (p Policy) read(g fleet.Group, m *fleet.Member) riding {
	r := riding{m: m}
	if m.Standing == fleet.OnLeave {
		r.away(g.Today, p.Horizon)
		return r
	}
	var last fleet.ShiftID
	for d := g.Today; d < g.Today+fleet.Date(p.Horizon); d++ {
		id, ok := m.ShiftOn(d)
		if !ok {
			continue
		}
		if id != last {
			if !r.take(g, id) {
				return r
			}
			last = id
		}
	}
	if r.shift == nil {
		r.missing, r.problem = "shift", "no shift is in force in the days looked at"
		return r
	}
	r.rotating = len(r.seen) > 1
	if r.week = r.plain(g, p); r.week {
		return r
	}
	r.walk(g, p)
	if len(r.days) == 0 && r.awayDays > 0 {
		r.away(g.Today, p.Horizon)
	} else if len(r.days) == 0 {
		r.missing, r.problem = "shift", "no working day falls into the days looked at"
	}
	return r
}

// take notes one more shift of the horizon. It reports false where its times
// are not known.
func (r *riding) take(g fleet.Group, id fleet.ShiftID) bool {
	pattern, ok := g.Shift(id)
	if !ok {
		r.missing, r.problem = "shift", "the shift is not among the records"
		return false
	}
	if r.shift == nil {
		r.shift = pattern
	}
	if pattern.Unreadable != nil {
		r.missing, r.problem = "schedule", "a time or day of the shift cannot be read"
		return false
	}
	if !slices.Contains(r.seen, id) {
		r.seen = append(r.seen, id)
	}
	r.flex = r.flex || pattern.Week.Flex
	r.split = r.split || pattern.Week.Split
	return true
}

// plain reports whether the rider's week alone says all.
func (r *riding) plain(g fleet.Group, p Policy) bool {
	last := g.Today + fleet.Date(p.Horizon) - 1
	if r.rotating || r.m.Zone() != g.Zone() || p.Horizon%7 != 0 {
		return false
	}
	for _, s := range r.m.Away {
		if s.From <= last && (s.Until == 0 || s.Until >= g.Today) {
			return false
		}
	}
	for _, a := range r.m.Shifts {
		if a.Shift == r.shift.ID && a.From <= g.Today && (a.Until == 0 || a.Until >= last) {
			return true
		}
	}
	return false
}

// working is the rider's working days, in the order of the week or of the horizon.
func (r *riding) working() []day {
	if !r.week {
		return r.days
	}
	days := make([]day, len(r.shift.Week.Blocks))
	for i, b := range r.shift.Week.Blocks {
		days[i] = day{b.From(), b.Length, b.Band}
	}
	return days
}

// walk goes through the horizon day by day.
func (r *riding) walk(g fleet.Group, p Policy) {
	for d := g.Today; d < g.Today+fleet.Date(p.Horizon); d++ {
		id, ok := r.m.ShiftOn(d)
		if !ok {
			continue
		}
		pattern, _ := g.Shift(id)
		for _, b := range pattern.Week.Blocks {
			if b.Day != d.Weekday() {
				continue
			}
			if r.m.AwayOn(d) {
				r.awayDays++
				continue
			}
			r.days = append(r.days, day{vanClock(d, b.Start, r.m.Zone(), g.Zone()), b.Length, b.Band})
		}
	}
}

// vanClock is the minute of the week, by the van's clock, of a time of day by
// the rider's. Both sites' clocks may be changed for summer, and not on the same
// day; within one zone nothing has to be changed, because van and rider live by
// the same clock on the night it jumps.
func vanClock(d fleet.Date, minute int, own, van *time.Location) int {
	if own == van || own.String() == van.String() {
		return d.Weekday()*fleet.DayMinutes + minute
	}
	y, m, dd := d.Day().Date()
	t := time.Date(y, m, dd, minute/60, minute%60, 0, 0, own).In(van)
	return fleet.DateAt(t, van).Weekday()*fleet.DayMinutes + t.Hour()*60 + t.Minute()
}

func (r *riding) away(today fleet.Date, horizon int) {
	r.skipped = true
	if r.back = r.m.BackAfter(today); r.back <= today {
		r.back = today + fleet.Date(horizon) // no end is known
	}
}

// confidence is how plain the rider's pattern of work is.
func (r riding) confidence() check.Confidence {
	switch {
	case r.rotating || r.flex:
		return 3
	case r.split:
		return 4
	}
	return check.Certain
}

func weekConfidence(w fleet.Week) check.Confidence {
	return riding{flex: w.Flex, split: w.Split}.confidence()
}

func readable(all []riding) []riding {
	if !slices.ContainsFunc(all, func(r riding) bool { return r.missing != "" }) {
		return all
	}
	var out []riding
	for _, r := range all {
		if r.missing == "" {
			out = append(out, r)
		}
	}
	return out
}
