// Package oracle is a second opinion on what the specialists say, reached another
// way: by walking through the calendar minute by minute instead of by formula,
// and by geometry in space instead of on the sphere. It is slow and plain on
// purpose and shares no code with what it checks but the records' own types.
//
// Tests and datasets are checked against it; nothing that runs for people uses
// it.
package oracle

import (
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
)

// An Opinion is what the oracle says about one van's shifts.
type Opinion struct {
	Fails    bool
	Overlap  map[fleet.EmployeeID]int  // of everybody who could be compared
	Conflict map[fleet.EmployeeID]bool // whose commutes do not fit
	Reason   string                    // why, where it is not a conflict: separated, no_majority, missing, empty
}

// The programme's rule, written out once more.
const (
	window  = 30
	enough  = 30
	horizon = 14
)

// A trip is one working day: when it may begin and end, in minutes of a wall
// clock counted from some midnight.
type trip struct{ starts, ends []int }

// Shift looks at the only van of some records at a moment.
func Shift(r fleet.Records, now time.Time) Opinion {
	w := world{r, now, r.Vanpools[0]}
	o := Opinion{Overlap: map[fleet.EmployeeID]int{}, Conflict: map[fleet.EmployeeID]bool{}}
	trips := map[fleet.EmployeeID][]trip{}
	var riders, known []fleet.Employee
	for _, seat := range w.van.Riders {
		e := w.employee(seat.Employee)
		switch {
		case e.Standing == fleet.Inactive:
			o.Fails, o.Reason = true, "separated"
			continue
		case e.Standing == fleet.OnLeave:
			continue
		}
		days, away, ok := w.workingDays(e)
		if len(days) == 0 && away && ok {
			continue
		}
		riders = append(riders, e)
		if !ok || len(days) == 0 {
			o.Fails, o.Reason = true, "missing"
			continue
		}
		known, trips[e.ID] = append(known, e), days
	}
	if len(w.van.Riders) == 0 {
		return Opinion{Fails: true, Reason: "empty"}
	}
	if len(known) == 0 || len(riders) == 1 && len(w.van.Schedule) == 0 {
		return o
	}
	van, ok := w.vanDays(riders)
	if !ok {
		o.Fails, o.Reason = true, "no_majority"
		return o
	}
	for _, e := range known {
		o.Overlap[e.ID] = shareOverlap(trips[e.ID], van)
		if o.Overlap[e.ID] < enough {
			o.Fails, o.Conflict[e.ID] = true, true
		}
	}
	return o
}

// shareOverlap is the most minutes that at least 60 % of the days overlap by.
func shareOverlap(days, van []trip) int {
	for minutes := 2 * window; minutes > 0; minutes-- {
		fit := 0
		for _, d := range days {
			if bestOverlap(d, van) >= minutes {
				fit++
			}
		}
		if fit*10 >= len(days)*6 {
			return minutes
		}
	}
	return 0
}

// bestOverlap tries every start a day may have against every start the van may
// have, and counts minutes.
func bestOverlap(d trip, van []trip) int {
	best := 0
	for i := range d.starts {
		for _, v := range van {
			for j := range v.starts {
				if far(d.starts[i], v.starts[j]) {
					continue
				}
				best = max(best, min(common(d.starts[i], v.starts[j]), common(d.ends[i], v.ends[j])))
			}
		}
	}
	return best
}

func far(a, b int) bool { return a-b > 2*window || b-a > 2*window }

// common counts the minutes that lie in the windows around both moments.
func common(a, b int) int {
	n := 0
	for m := a - window; m < a+window; m++ {
		if m >= b-window && m < b+window {
			n++
		}
	}
	return n
}

// A world is the records around one van.
type world struct {
	fleet.Records

	now time.Time
	van fleet.Vanpool
}

func (w world) employee(id fleet.EmployeeID) fleet.Employee {
	for _, e := range w.Employees {
		if e.ID == id {
			return e
		}
	}
	return fleet.Employee{}
}

func (w world) slots(id fleet.ShiftID) []fleet.Slot {
	for _, s := range w.Shifts {
		if s.ID == id {
			return s.Slots
		}
	}
	return nil
}

func (w world) zone(id fleet.SiteID) *time.Location {
	for _, s := range w.Sites {
		if s.ID == id && s.Time != nil {
			return s.Time
		}
	}
	return time.UTC
}

// held is the shift somebody has on a day, the one that began last.
func held(e fleet.Employee, d fleet.Date) fleet.ShiftID {
	var id fleet.ShiftID
	var from fleet.Date
	for _, a := range e.Shifts {
		if a.From <= d && (a.Until == 0 || d <= a.Until) && a.From >= from {
			id, from = a.Shift, a.From
		}
	}
	return id
}

// workingDays walks through the next fourteen days of somebody. away says that
// some working day was a day off; ok is false where a time cannot be read.
func (w world) workingDays(e fleet.Employee) (days []trip, away, ok bool) {
	home, van := w.zone(w.van.Site), w.zone(w.van.Site)
	if e.Site != "" {
		home = w.zone(e.Site)
	}
	y, m, d := w.now.In(van).Date()
	first := fleet.NewDate(y, m, d)
	for date := first; date < first+horizon; date++ {
		t, works, readable := onDay(w.slots(held(e, date)), date, home, van)
		if !readable {
			return nil, false, false
		}
		off := false
		for _, s := range e.Away {
			off = off || s.From <= date && (s.Until == 0 || date <= s.Until)
		}
		switch {
		case works && off:
			away = true
		case works:
			days = append(days, t)
		}
	}
	return days, away, true
}

// vanDays are the days of the van, from a week before to a week after the ones
// that are looked at.
func (w world) vanDays(riders []fleet.Employee) ([]trip, bool) {
	slots := w.van.Schedule
	zone := w.zone(w.van.Site)
	y, m, d := w.now.In(zone).Date()
	today := fleet.NewDate(y, m, d)
	if len(slots) == 0 {
		votes := map[fleet.ShiftID]int{}
		for _, e := range riders {
			for date := today; date < today+horizon; date++ {
				if id := held(e, date); id != "" {
					votes[id]++
					break
				}
			}
		}
		for id, n := range votes {
			if n > len(riders)-n {
				slots = w.slots(id)
			}
		}
	}
	var out []trip
	for date := today - 7; date < today+horizon+7; date++ {
		if t, works, ok := onDay(slots, date, zone, zone); works && ok {
			out = append(out, t)
		}
	}
	return out, len(slots) > 0
}

// onDay is one day's work: from the first start to the last end, for every
// minute by which it may begin later.
func onDay(slots []fleet.Slot, date fleet.Date, own, van *time.Location) (t trip, works, ok bool) {
	day := time.Unix(int64(date)*86_400, 0).UTC()
	start, end, later := 1<<30, 0, 0
	for _, s := range slots {
		from, okFrom := minuteOf(s.Start)
		to, okTo := minuteOf(s.End)
		if !okFrom || !okTo || !isDay(s.Day) {
			return trip{}, false, false
		}
		if day.Weekday().String()[:3] != s.Day {
			continue
		}
		works = true
		if to <= from {
			to += 24 * 60
		}
		if from < start {
			start, later = from, 0
			if l, ok := minuteOf(s.LatestStart); ok {
				later = (l - from + 24*60) % (24 * 60)
			}
		}
		end = max(end, to)
	}
	if !works {
		return trip{}, false, true
	}
	at := time.Date(day.Year(), day.Month(), day.Day(), start/60, start%60, 0, 0, own).In(van)
	wall := int(time.Date(at.Year(), at.Month(), at.Day(), at.Hour(), at.Minute(), 0, 0, time.UTC).Unix() / 60)
	for late := 0; late <= later; late++ {
		t.starts, t.ends = append(t.starts, wall+late), append(t.ends, wall+late+end-start)
	}
	return t, true, true
}

// isDay reports whether some day of the week is called so.
func isDay(name string) bool {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if d.String()[:3] == name {
			return true
		}
	}
	return false
}

func minuteOf(s string) (int, bool) {
	h, m, ok := strings.Cut(s, ":")
	hours, err1 := strconv.Atoi(h)
	minutes, err2 := strconv.Atoi(m)
	return hours*60 + minutes, ok && err1 == nil && err2 == nil && len(s) == 5 && hours < 24 && minutes < 60 && hours >= 0 && minutes >= 0
}
