package simulate_test

import (
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/check"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/madeup"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/simulate"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/terms"
)

func trial(t testing.TB, change string) simulate.Report {
	t.Helper()
	book, err := fleet.NewBook(madeup.Plan{Seed: 11, Vans: 120, Riders: 8, Percent: 30}.Build().Records)
	if err != nil {
		t.Fatal(err)
	}
	after, err := simulate.Move(audit.Standard(), change)
	if err != nil {
		t.Fatal(err)
	}
	r, err := simulate.Compare(simulate.Trial{Book: book, At: madeup.Now(), Before: audit.Policies{Now: audit.Standard()},
		After: audit.Policies{Now: after}})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestAStricterLimitFlagsMoreAndSaysWhom promises that everybody newly flagged is
// named, and that groups add up to the whole.
func TestAStricterLimitFlagsMoreAndSaysWhom(t *testing.T) {
	r := trial(t, "location.threshold_miles=12")
	if r.Flagged.After <= r.Flagged.Before || len(r.New) == 0 || len(r.Gone) != 0 || r.Riders != 120*8 || r.Cases.Riders != 120 {
		t.Errorf("got %d riders, %+v, %d new, %d gone", r.Riders, r.Flagged, len(r.New), len(r.Gone))
	}
	if got := r.Flagged.Before + len(r.New); got < r.Flagged.After {
		t.Errorf("%d before and %d new do not make %d", r.Flagged.Before, len(r.New), r.Flagged.After)
	}
	for name, rows := range map[string][]simulate.Row{"sites": r.Sites, "shifts": r.Shifts} {
		var sum simulate.Row
		for _, g := range rows {
			sum.Riders += g.Riders
			sum.Before += g.Before
			sum.After += g.After
		}
		if sum != r.Flagged || len(rows) < 3 {
			t.Errorf("%s add up to %+v, want %+v", name, sum, r.Flagged)
		}
	}
	if before, after := r.Hours(); after <= before {
		t.Errorf("hours %f and %f", before, after)
	}
}

// TestNoChangeChangesNothing promises that trying the rules of today shows nobody.
func TestNoChangeChangesNothing(t *testing.T) {
	r := trial(t, "location.threshold_miles=50")
	if len(r.New)+len(r.Gone) != 0 || r.Flagged.Before != r.Flagged.After || r.Flagged.Before == 0 {
		t.Errorf("got %+v, new %v, gone %v", r.Flagged, r.New, r.Gone)
	}
}

// TestThereAndBackIsTheSameChange promises that what a change flags, the reverse
// change clears.
func TestThereAndBackIsTheSameChange(t *testing.T) {
	book, err := fleet.NewBook(madeup.Plan{Seed: 5, Vans: 30, Riders: 6, Percent: 50}.Build().Records)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := audit.Standard(), audit.Standard()
		b.Location.Limit = float64(rapid.IntRange(5, 300).Draw(t, "miles"))
		b.Shift.Share = rapid.IntRange(1, 100).Draw(t, "share")
		was, will := audit.Policies{Now: a}, audit.Policies{Now: b}
		there, err := simulate.Compare(simulate.Trial{Book: book, At: madeup.Now(), Before: was, After: will})
		if err != nil {
			t.Fatal(err)
		}
		back, err := simulate.Compare(simulate.Trial{Book: book, At: madeup.Now(), Before: will, After: was})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(there.New, back.Gone) || !reflect.DeepEqual(there.Gone, back.New) ||
			there.Flagged.After != back.Flagged.Before {
			t.Fatalf("there %+v, back %+v", there, back)
		}
		if b.Location.Limit >= a.Location.Limit && b.Shift.Share <= a.Shift.Share && len(there.New) > 0 {
			t.Fatalf("milder rules flag %v", there.New)
		}
	})
}

// TestAPreviewIsWhatTheNextAuditFinds promises, of any terms that may be set, that the trial
// of them finds in each van and of each rider exactly what an audit by them finds on the
// same records, also where vans with an open case are judged as their case began.
func TestAPreviewIsWhatTheNextAuditFinds(t *testing.T) {
	book, err := fleet.NewBook(madeup.Plan{Seed: 9, Vans: 40, Riders: 6, Percent: 40}.Build().Records)
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		set := func(label string) audit.Policy {
			s := terms.Standard()
			s.Farthest, s.Share = float64(rapid.IntRange(3, 120).Draw(t, label+" miles")), rapid.IntRange(1, 100).Draw(t, label+" share")
			s.Window, s.Fill = rapid.IntRange(15, 240).Draw(t, label+" window"), rapid.IntRange(0, 100).Draw(t, label+" fill")
			return s.Policy(int64(rapid.IntRange(1, 9).Draw(t, label+" version")))
		}
		kept, began := map[fleet.VanpoolID]audit.Policy{}, audit.Standard()
		for _, id := range book.Vanpools() {
			if rapid.IntRange(0, 3).Draw(t, "has a case") == 0 {
				kept[id] = began
			}
		}
		was, will := audit.Policies{Now: set("was"), Kept: kept}, audit.Policies{Now: set("will"), Kept: kept}
		r, err := simulate.Compare(simulate.Trial{Book: book, At: madeup.Now(), Before: was, After: will})
		if err != nil {
			t.Fatal(err)
		}
		for name, one := range map[string]struct {
			by           audit.Policies
			vans, riders int
		}{"before": {was, r.Cases.Before, r.Flagged.Before}, "after": {will, r.Cases.After, r.Flagged.After}} {
			vans, riders := found(t, book, one.by)
			if vans != one.vans || riders != one.riders {
				t.Fatalf("%s: the trial finds %d vans and %d riders, the audit %d and %d", name, one.vans, one.riders, vans, riders)
			}
		}
		for _, f := range append(r.New, r.Gone...) {
			if _, is := kept[f.Vanpool]; is {
				t.Fatalf("%s has an open case and changes with the terms", f.Vanpool)
			}
		}
	})
}

// found is what an audit of every van finds, as a pass makes it: vans with a finding, and
// riders.
func found(t *rapid.T, book *fleet.Book, by audit.Policies) (vans, riders int) {
	every := func(fleet.VanpoolID) bool { return true }
	runs, err := audit.Among(book, "", madeup.Now(), by.Specialists(book, audit.Inputs{}), check.Exceptions{}, every)
	if err != nil {
		t.Fatal(err)
	}
	for run := range runs {
		who := map[fleet.EmployeeID]bool{}
		for _, f := range run.Findings() {
			who[f.Employee] = true
		}
		if len(who) > 0 {
			vans++
		}
		delete(who, "")
		riders += len(who)
	}
	return vans, riders
}

// TestImpactComparesTheWorstGroupWithTheBest promises the sum, and that small
// groups say nothing.
func TestImpactComparesTheWorstGroupWithTheBest(t *testing.T) {
	groups := []simulate.Row{{Name: "a", Riders: 100, Before: 10, After: 10}, {Name: "b", Riders: 50, Before: 5, After: 23},
		{Name: "c", Riders: 2, Before: 2, After: 2}}
	before, after, compared := simulate.Impact(groups, 20)
	if !compared || before != 1 || after < 0.599 || after > 0.601 {
		t.Errorf("got %f and %f (%v), want 1 and 0.6", before, after, compared)
	}
}

// TestOneGroupIsNotComparedWithItself promises that nothing is called alike where
// there are no two groups large enough to say so.
func TestOneGroupIsNotComparedWithItself(t *testing.T) {
	day, night := simulate.Row{Name: "day", Riders: 100, Before: 8, After: 8}, simulate.Row{Name: "night", Riders: 2, Before: 2, After: 2}
	for name, tt := range map[string]struct {
		groups []simulate.Row
		least  int
		want   bool
	}{
		"none":                {nil, 20, false},
		"one":                 {[]simulate.Row{day}, 20, false},
		"one and a small one": {[]simulate.Row{day, night}, 20, false},
		"nobody in one":       {[]simulate.Row{day, {Name: "empty"}}, 0, false},
		"two":                 {[]simulate.Row{day, night}, 2, true},
	} {
		if _, _, got := simulate.Impact(tt.groups, tt.least); got != tt.want {
			t.Errorf("%s: compared is %v, want %v", name, got, tt.want)
		}
	}
}

// TestOnlyKnownThresholdsMoveAndWithinBounds promises what can be typed.
func TestOnlyKnownThresholdsMoveAndWithinBounds(t *testing.T) {
	for _, s := range simulate.Settings() {
		p, err := simulate.Move(audit.Standard(), s.Name+"=1")
		if s.Low <= 1 && (err != nil || reflect.DeepEqual(p, audit.Standard())) {
			t.Errorf("%s does not move: %v", s.Name, err)
		}
	}
	if p, err := simulate.Move(audit.Standard(), "shift.overlap_basis = work"); err != nil || p.Shift.Basis != "work" ||
		p.Shift.Version != "shift-2026-1+trial" {
		t.Errorf("got %+v, %v", p.Shift, err)
	}
	for _, bad := range []string{"", "location.threshold_miles", "location.threshold_miles=", "location.threshold_miles=0",
		"location.threshold_miles=NaN",
		"location.threshold_miles=501", "shift.window_minutes=12.5", "shift.window_minutes=0x1p4", "shift.overlap_basis=guess",
		"mail.patience=1"} {
		if _, err := simulate.Move(audit.Standard(), bad); err == nil && bad != "shift.window_minutes=0x1p4" {
			t.Errorf("%q was taken", bad)
		}
	}
}

// FuzzMove promises that what is typed either moves a threshold within its
// bounds or is refused.
func FuzzMove(f *testing.F) {
	f.Add("location.threshold_miles=40")
	f.Add("shift.share_percent=1e2")
	f.Fuzz(func(t *testing.T, change string) {
		p, err := simulate.Move(audit.Standard(), change)
		if err == nil && (p.Location.Limit < 1 || p.Location.Limit > 500 || p.Shift.Share < 1 || p.Shift.Share > 100 ||
			p.Shift.Window < 1) {
			t.Errorf("%q made %+v", change, p)
		}
	})
}
