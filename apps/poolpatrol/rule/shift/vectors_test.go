package shift_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/shift"
)

const weekdays = "Mon Tue Wed Thu Fri"

// TestOverlapOfCommutes holds the programme's worked examples: what a rider's
// days overlap the van's by, and whether the rider may ride along.
func TestOverlapOfCommutes(t *testing.T) {
	day, swing, night := madeup.Day().Slots, madeup.Swing().Slots, madeup.Night().Slots
	for _, tt := range []struct {
		name    string
		rider   []fleet.Slot
		van     []fleet.Slot
		overlap int
		work    int
		label   check.Label
	}{
		{"same shift", day, day, 60, 540, check.Pass},
		{"half an hour later every day", madeup.Slots(weekdays, "07:30", "16:30"), day, 30, 510, check.Pass},
		{"one minute more than that", madeup.Slots(weekdays, "07:31", "16:31"), day, 29, 509, check.Fail},
		{"same start, ends 45 minutes later", madeup.Slots(weekdays, "07:00", "16:45"), day, 15, 540, check.Fail},
		{"two hours of work in common, starts seven hours apart", swing, day, 0, 120, check.Fail},
		{"night in a day van", night, day, 0, 0, check.Fail},
		{"night in a night van", night, night, 60, 480, check.Pass},
		{"night, twenty minutes later", madeup.Slots("Mon Tue Wed Thu", "22:20", "06:20"), night, 40, 460, check.Pass},
		{"a quarter to midnight against midnight of the next day",
			madeup.Slots(weekdays, "23:45", "07:45"), madeup.Slots("Tue Wed Thu Fri Sat", "00:00", "08:00"), 45, 465, check.Pass},
		{"Sunday night against Monday morning: the week is a circle",
			madeup.Slots("Sun", "23:50", "08:00"), madeup.Slots("Mon", "00:00", "08:00"), 50, 480, check.Pass},
		{"three days a week", madeup.Slots("Mon Tue Wed", "07:00", "16:00"), day, 60, 540, check.Pass},
		{"mostly weekends", madeup.Slots("Mon Sat Sun", "07:00", "16:00"), day, 0, 0, check.Fail},
		{"three days and two nights", madeup.Join(madeup.Slots("Mon Tue Wed", "07:00", "16:00"), madeup.Slots("Thu Fri", "22:00", "06:00")),
			day, 60, 540, check.Pass},
		{"two days and three nights", madeup.Join(madeup.Slots("Mon Tue", "07:00", "16:00"), madeup.Slots("Wed Thu Fri", "22:00", "06:00")),
			day, 0, 0, check.Fail},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := judge(t, tt.van, tt.rider)
			if v.Label != tt.label {
				t.Errorf("got %s, want %s", v.Label, tt.label)
			}
			e := about(v, "EMP-0001")
			if got := e.Data.Get("overlap_minutes"); got != tt.overlap {
				t.Errorf("commutes overlap by %v, want %d", got, tt.overlap)
			}
			if got := e.Data.Get("work_overlap_minutes"); got != tt.work {
				t.Errorf("work overlaps by %v, want %d", got, tt.work)
			}
			if want := (map[check.Label]int{check.Pass: 0, check.Fail: 1})[tt.label]; len(v.Findings) != want {
				t.Errorf("%d findings, want %d", len(v.Findings), want)
			}
		})
	}
}

// TestWorkBasisReproducesTheOldEvaluator promises that the policy's switch
// measures hours at work in common, and that both numbers are evidence anyway.
func TestWorkBasisReproducesTheOldEvaluator(t *testing.T) {
	p := shift.Standard()
	p.Basis = shift.Work
	v := judgeBy(t, p, madeup.Day().Slots, madeup.Swing().Slots)
	if v.Label != check.Pass {
		t.Errorf("got %s, want pass: two hours in common were enough then", v.Label)
	}
	if e := about(v, "EMP-0001"); e.Data.Get("overlap_minutes") != 0 || e.Data.Get("work_overlap_minutes") != 120 {
		t.Errorf("evidence holds %v", e.Data)
	}
}

// judge compares one rider with a van's schedule.
func judge(t *testing.T, van, rider []fleet.Slot) check.Verdict {
	t.Helper()
	return judgeBy(t, shift.Standard(), van, rider)
}

func judgeBy(t *testing.T, p shift.Policy, van, rider []fleet.Slot) check.Verdict {
	t.Helper()
	who := madeup.Worker(1, "SHIFT_TESTED")
	v := madeup.Van(who)
	v.Schedule = van
	return run(t, p, madeup.Records(v, []fleet.Employee{who}, fleet.Shift{ID: "SHIFT_TESTED", Name: "Tested", Slots: rider}))
}

// run judges the only van of some records.
func run(t *testing.T, p shift.Policy, r fleet.Records) check.Verdict {
	t.Helper()
	book, err := fleet.NewBook(r)
	if err != nil {
		t.Fatal(err)
	}
	g, err := book.Group(r.Vanpools[0].ID, madeup.Now())
	if err != nil {
		t.Fatal(err)
	}
	return check.Run(shift.New(p), g, check.Exceptions{})
}

// about is the evidence on somebody that carries an overlap.
func about(v check.Verdict, who fleet.EmployeeID) check.Evidence {
	all := v.Evidence()
	i := slices.IndexFunc(all, func(e check.Evidence) bool {
		return e.Data.Text("employee_id") == string(who) && e.Data.Get("overlap_minutes") != nil
	})
	if i < 0 {
		return check.Evidence{Type: fmt.Sprintf("none among %d", len(all))}
	}
	return all[i]
}
