package audit_test

import (
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/badge"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/parking"
	"github.com/gavelhq/gavel/platform/fault"
)

func book(t testing.TB, r fleet.Records) *fleet.Book {
	t.Helper()
	b, err := fleet.NewBook(r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func all(t testing.TB, b *fleet.Book, after fleet.VanpoolID, granted check.Exceptions) []audit.Run {
	t.Helper()
	runs, err := audit.All(b, after, madeup.Now(), audit.Specialists(audit.Standard(), b, audit.Inputs{}), granted)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(runs)
}

// TestAllThatWasMadeWrongIsFoundAndNothingElse promises that the bulk pass over a
// town finds exactly what was put into it.
func TestAllThatWasMadeWrongIsFoundAndNothingElse(t *testing.T) {
	town := madeup.Plan{Seed: 1, Vans: 1200, Riders: 8, Percent: 30}.Build()
	var got []madeup.Fault
	for _, run := range all(t, book(t, town.Records), "", check.Exceptions{}) {
		if (run.Outcome == audit.Failed) != (len(run.Findings()) > 0) || run.Err != nil {
			t.Fatalf("%s: %s with %d findings, %v", run.Vanpool, run.Outcome, len(run.Findings()), run.Err)
		}
		for _, f := range run.Findings() {
			got = append(got, madeup.Fault{Vanpool: run.Vanpool, Employee: f.Employee, Check: string(f.Check)})
		}
	}
	if !slices.Equal(got, town.Wrong) {
		t.Errorf("found %d things, %d were made wrong", len(got), len(town.Wrong))
	}
	if n := len(town.Wrong); n < 300 || n > 420 {
		t.Errorf("%d of 1,200 vans were made wrong, want about 360", n)
	}
}

// TestAnInterruptedPassGoesOnWhereItStopped promises that two halves are the
// whole.
func TestAnInterruptedPassGoesOnWhereItStopped(t *testing.T) {
	b := book(t, madeup.Plan{Seed: 2, Vans: 50, Riders: 4, Percent: 30}.Build().Records)
	whole := all(t, b, "", check.Exceptions{})
	rest := all(t, b, whole[19].Vanpool, check.Exceptions{})
	if len(whole) != 50 || len(rest) != 30 || rest[0].Vanpool != whole[20].Vanpool {
		t.Errorf("%d vans, %d after the twentieth, which goes on with %s", len(whole), len(rest), rest[0].Vanpool)
	}
}

// TestNobodyIsAuditedOnOldRecords promises the limit of 48 hours.
func TestNobodyIsAuditedOnOldRecords(t *testing.T) {
	b := book(t, madeup.Plan{Seed: 2, Vans: 1, Riders: 4}.Build().Records)
	for age, ok := range map[time.Duration]bool{0: true, 48 * time.Hour: true, 48*time.Hour + time.Second: false, -time.Second: false} {
		_, err := audit.All(b, "", madeup.Now().Add(age), nil, check.Exceptions{})
		if (err == nil) != ok || err != nil && !fault.Is(err, fault.Conflict) {
			t.Errorf("records %s old: %v", age, err)
		}
	}
}

// TestVansThatCannotBeJudgedAreErrors promises that a missing van, an unknown
// rider and an empty roster accuse nobody and stop nobody else's audit.
func TestVansThatCannotBeJudgedAreErrors(t *testing.T) {
	town := madeup.Plan{Seed: 2, Vans: 4, Riders: 4}.Build()
	town.Vanpools[0].Riders = nil
	town.Vanpools[1].Riders[0].Employee = "EMP-777777"
	town.Vanpools[2].Standing = fleet.Suspended
	b := book(t, town.Records)
	runs := all(t, b, "", check.Exceptions{})
	if len(runs) != 3 || runs[0].Outcome != audit.Errored || runs[1].Outcome != audit.Errored || runs[2].Outcome != audit.Verified {
		t.Errorf("got %+v", runs)
	}
	run := audit.Of(b, "VP-999", madeup.Now(), nil, check.Exceptions{})
	if run.Outcome != audit.Errored || !fault.Is(run.Err, fault.NotFound) {
		t.Errorf("a van that does not exist: %+v", run)
	}
}

// TestAnExceptionHoldsUntilItsDay promises that what a person excused is not
// found again, for that person, that check and that long.
func TestAnExceptionHoldsUntilItsDay(t *testing.T) {
	riders := []fleet.Employee{madeup.Worker(1, "SHIFT_DAY"), madeup.Worker(2, "SHIFT_DAY"), madeup.Worker(3, "SHIFT_NIGHT")}
	b := book(t, madeup.Records(madeup.Van(riders...), riders))
	today := fleet.NewDate(2026, 3, 2)
	for _, tt := range []struct {
		name string
		e    check.Exception
		ok   bool
	}{
		{"for the rider", check.Exception{Subject: "EMP-0003", Check: "shift", Until: today}, true},
		{"for the van", check.Exception{Subject: "VP-101", Check: "shift", Until: today + 30}, true},
		{"over since yesterday", check.Exception{Subject: "EMP-0003", Check: "shift", Until: today - 1}, false},
		{"for another check", check.Exception{Subject: "EMP-0003", Check: "location", Until: today}, false},
		{"for another rider", check.Exception{Subject: "EMP-0001", Check: "shift", Until: today}, false},
	} {
		tt.e.Reason, tt.e.By = "agreed", "p-1"
		granted, err := check.NewExceptions([]check.Exception{tt.e})
		if err != nil {
			t.Fatal(err)
		}
		run := all(t, b, "", granted)[0]
		if (run.Outcome == audit.Verified) != tt.ok || (len(run.Findings()) == 0) != tt.ok {
			t.Errorf("%s: %s with %v", tt.name, run.Outcome, run.Findings())
		}
	}
}

// TestSomebodyWhoLeftIsOneFinding promises that two specialists who see the same
// thing report one thing.
func TestSomebodyWhoLeftIsOneFinding(t *testing.T) {
	riders := []fleet.Employee{madeup.Worker(1, "SHIFT_DAY"), madeup.Worker(2, "SHIFT_DAY"), madeup.Worker(3, "SHIFT_DAY"),
		madeup.Worker(4, "SHIFT_DAY")}
	riders[3].Standing = fleet.Inactive
	run := all(t, book(t, madeup.Records(madeup.Van(riders...), riders)), "", check.Exceptions{})[0]
	if f := run.Findings(); len(f) != 1 || f[0].Check != "roster" || len(run.Gaps()) != 0 {
		t.Errorf("got %+v", f)
	}
}

// TestFeedsThatAreNotThereAreNotAsked promises that nobody is judged on a feed
// the programme does not have.
func TestFeedsThatAreNotThereAreNotAsked(t *testing.T) {
	b := book(t, madeup.Plan{Vans: 1, Riders: 4}.Build().Records)
	if n := len(audit.Specialists(audit.Standard(), b, audit.Inputs{})); n != 4 {
		t.Errorf("%d specialists without feeds, want 4", n)
	}
	if n := len(audit.Specialists(audit.Standard(), b, audit.Inputs{Badges: &badge.Feed{}, Permits: parking.Feed{}})); n != 6 {
		t.Errorf("%d specialists with feeds, want 6", n)
	}
}

func BenchmarkPass(b *testing.B) {
	for name, vans := range map[string]int{"1200 vans": 1200, "12000 vans": 12000} {
		b.Run(name, func(b *testing.B) {
			bk := book(b, madeup.Plan{Seed: 1, Vans: vans, Riders: 8, Percent: 30}.Build().Records)
			b.ReportAllocs()
			for b.Loop() {
				runs, err := audit.All(bk, "", madeup.Now(), audit.Specialists(audit.Standard(), bk, audit.Inputs{}), check.Exceptions{})
				if err != nil {
					b.Fatal(err)
				}
				for run := range runs {
					if run.Outcome == audit.Errored {
						b.Fatal(run.Err)
					}
				}
			}
			b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N*vans), "µs/van")
		})
	}
}
