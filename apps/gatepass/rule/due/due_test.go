package due_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // zones, whatever the machine has

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/gatepass/rule/due"
	"github.com/gavelhq/gavel/apps/gatepass/rule/notice"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
)

var (
	india  = time.FixedZone("IST", 5*3600+1800)
	monday = time.Date(2026, 11, 16, 9, 0, 0, 0, india)
)

// office is nine to one and two to half past five, Monday to Friday, and Saturday morning.
func office(zone *time.Location) due.Hours {
	day := []due.Span{{9 * time.Hour, 13 * time.Hour}, {14 * time.Hour, 17*time.Hour + 30*time.Minute}}
	return due.Hours{Zone: zone, Week: [7][]due.Span{nil, day, day, day, day, day, day[:1]}}
}

// TestTheApprovalLadderCountsTheHoursOfTheSite promises who is told when, over lunch, a night and a week's end.
func TestTheApprovalLadderCountsTheHoursOfTheSite(t *testing.T) {
	for made, want := range map[string]string{
		"Mon 09:00": "Mon 09:15 admin, Mon 09:30 admin delegate, Mon 10:00 admin delegate head",
		"Mon 12:50": "Mon 14:05 admin, Mon 14:20 admin delegate, Mon 14:50 admin delegate head",
		"Mon 17:20": "Tue 09:05 admin, Tue 09:20 admin delegate, Tue 09:50 admin delegate head",
		"Sat 12:45": "Sat 13:00 admin, Mon 09:15 admin delegate, Mon 09:45 admin delegate head",
		"Sun 20:00": "Mon 09:15 admin, Mon 09:30 admin delegate, Mon 10:00 admin delegate head",
	} {
		at := monday
		for at.Format("Mon 15:04") != made {
			at = at.Add(time.Minute)
		}
		p := pass.Pass{Number: "GP-2026-0001", Version: 1, Status: pass.Pending, CreatedAt: at}
		if got := told(due.Standard().Steps(p, office(india)), "Mon 15:04"); got != want {
			t.Errorf("made %s: got %s, want %s", made, got, want)
		}
	}
	p := pass.Pass{Status: pass.Pending, CreatedAt: monday.Add(-6 * time.Hour)}
	if got := told(due.Standard().Steps(p, due.Hours{}), "15:04"); got != "03:15 admin, 03:30 admin delegate, 04:00 admin delegate head" {
		t.Errorf("where no hours are set: %s", got)
	}
}

func told(steps []due.Step, layout string) string {
	var all []string
	for _, s := range steps {
		all = append(all, s.At.In(india).Format(layout)+" "+strings.Trim(fmt.Sprint(s.Tell.To), "[]"))
	}
	return strings.Join(all, ", ")
}

// TestTheOverdueLadderHasThreeStepsAndTheLastIsCritical promises the moments, the readers and the gravity, under a key each.
func TestTheOverdueLadderHasThreeStepsAndTheLastIsCritical(t *testing.T) {
	p := pass.Pass{Number: "GP-2026-0001", Version: 3, Status: pass.Exited, IsReturnable: true, ValidUntil: monday}
	steps := due.Standard().Steps(p, office(india))
	if got := told(steps, "15:04"); got != "09:00 creator hr admin, 09:30 creator hr admin, 11:00 creator hr admin" {
		t.Errorf("got %s", got)
	}
	keys := map[string]bool{}
	for i, s := range steps {
		if want := []notice.Severity{notice.Warn, notice.Warn, notice.Critical}[i]; s.Tell.Severity != want ||
			s.Tell.Type != notice.Overdue {
			t.Errorf("step %d is %s %s", i, s.Tell.Severity, s.Tell.Type)
		}
		keys[s.Tell.Once()] = true
	}
	if len(keys) != 3 {
		t.Errorf("three steps have the keys %v", keys)
	}
	p.ExpectedReturnAt = monday.Add(-2 * time.Hour)
	if got := due.Standard().Steps(p, due.Hours{})[0].At; !got.Equal(p.ExpectedReturnAt) {
		t.Errorf("who said when they are back is reminded at %s", got)
	}
}

// TestWhatIsAtItsEndHasNoClock promises that nobody is reminded of what is over, and of an unused pass once.
func TestWhatIsAtItsEndHasNoClock(t *testing.T) {
	until := monday.Add(8 * time.Hour)
	for name, tt := range map[string]struct {
		p    pass.Pass
		want string
	}{
		"rejected":          {pass.Pass{Status: pass.Rejected, CreatedAt: monday}, ""},
		"returned":          {pass.Pass{Status: pass.Returned, IsReturnable: true, ValidUntil: until}, ""},
		"out for good":      {pass.Pass{Status: pass.Exited, ValidUntil: until}, ""},
		"revoked":           {pass.Pass{Status: pass.Approved, ApprovedAt: monday, ValidUntil: until, DeletedAt: monday}, ""},
		"not used":          {pass.Pass{Status: pass.Approved, ApprovedAt: monday, ValidUntil: until}, "16:30 creator hr"},
		"approved too late": {pass.Pass{Status: pass.Approved, ApprovedAt: until.Add(-20 * time.Minute), ValidUntil: until}, ""},
	} {
		if got := told(due.Standard().Steps(tt.p, due.Hours{}), "15:04"); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// TestWhoWakesLateLeavesNothingOut promises that a clock that is read at any moments, in order, tells each step once.
func TestWhoWakesLateLeavesNothingOut(t *testing.T) {
	p := pass.Pass{Number: "GP-2026-0001", Version: 3, Status: pass.Exited, IsReturnable: true, ValidUntil: monday}
	rapid.Check(t, func(t *rapid.T) {
		steps := due.Standard().Steps(p, due.Hours{})
		toldOnce := map[string]int{}
		now := monday.Add(-time.Hour)
		for more := true; more; {
			var dueNow []due.Step
			var next due.Step
			dueNow, next, more = due.Next(steps, now)
			for _, s := range dueNow {
				if s.At.After(now) {
					t.Fatalf("%s was told at %s", s.At, now)
				}
				toldOnce[s.Tell.Once()] = 1
			}
			if more && !next.At.After(now) {
				t.Fatalf("at %s the next is at %s", now, next.At)
			}
			now = now.Add(time.Duration(rapid.IntRange(1, 200).Draw(t, "minutes")) * time.Minute)
		}
		if len(toldOnce) != 3 {
			t.Fatalf("%d of 3 were told", len(toldOnce))
		}
	})
}

// TestTimeAtWorkIsCountedForthAndBack promises that After and Worked agree, whatever the hours, also where clocks change.
func TestTimeAtWorkIsCountedForthAndBack(t *testing.T) {
	zones := []*time.Location{india, time.UTC}
	for _, name := range []string{"Europe/Berlin", "America/Sao_Paulo", "Australia/Lord_Howe"} {
		if z, err := time.LoadLocation(name); err == nil {
			zones = append(zones, z)
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		h := due.Hours{Zone: rapid.SampledFrom(zones).Draw(t, "zone")}
		for d := range h.Week {
			at := time.Duration(0)
			for range rapid.IntRange(0, 3).Draw(t, "spans") {
				from := at + time.Duration(rapid.IntRange(0, 300).Draw(t, "from"))*time.Minute
				until := from + time.Duration(rapid.IntRange(1, 300).Draw(t, "long"))*time.Minute
				if until <= 24*time.Hour {
					h.Week[d] = append(h.Week[d], due.Span{From: from, Until: until})
				}
				at = until
			}
		}
		if err := h.Check(); err != nil {
			t.Fatal(err)
		}
		start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(rapid.IntRange(0, 366*24*60).Draw(t, "start")) * time.Minute)
		worked := time.Duration(rapid.IntRange(1, 5000).Draw(t, "worked")) * time.Minute
		end := h.After(start, worked)
		if got := h.Worked(start, end); got != worked {
			t.Fatalf("%s after %s is %s, and %s was worked until then", worked, start, end, got)
		}
		if got := h.Worked(start, end.Add(-time.Second)); got >= worked {
			t.Fatalf("%s was worked a second before", got)
		}
	})
}

// TestAnHourIsWhatTheClockOnTheWallSays promises opening hours on the days on which clocks are changed.
func TestAnHourIsWhatTheClockOnTheWallSays(t *testing.T) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	nineToFive := []due.Span{{9 * time.Hour, 17 * time.Hour}}
	h := due.Hours{Zone: berlin, Week: [7][]due.Span{nineToFive, nineToFive, nineToFive, nineToFive, nineToFive, nineToFive, nineToFive}}
	for _, day := range []time.Time{
		time.Date(2026, 3, 29, 0, 0, 0, 0, berlin), time.Date(2026, 10, 25, 0, 0, 0, 0, berlin), time.Date(2026, 7, 1, 0, 0, 0, 0, berlin),
	} {
		if got := h.After(day, time.Hour).In(berlin).Format("15:04"); got != "10:00" {
			t.Errorf("%s: an hour after opening it is %s", day.Format(time.DateOnly), got)
		}
		if got := h.Worked(day, day.AddDate(0, 0, 1)); got != 8*time.Hour {
			t.Errorf("%s has %s", day.Format(time.DateOnly), got)
		}
	}
}

// TestHoursThatContradictThemselvesAreRefused promises a word for each.
func TestHoursThatContradictThemselvesAreRefused(t *testing.T) {
	for name, spans := range map[string][]due.Span{
		"back":    {{5 * time.Hour, 4 * time.Hour}},
		"empty":   {{5 * time.Hour, 5 * time.Hour}},
		"overlap": {{5 * time.Hour, 7 * time.Hour}, {6 * time.Hour, 8 * time.Hour}},
		"long":    {{5 * time.Hour, 25 * time.Hour}},
		"before":  {{-time.Hour, time.Hour}},
	} {
		if err := (due.Hours{Zone: india, Week: [7][]due.Span{3: spans}}).Check(); err == nil || !strings.Contains(err.Error(),
			"Wednesday") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if (due.Hours{}).Check() == nil {
		t.Error("hours of no zone")
	}
}
