package terms_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/audit"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/terms"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestUnsetTermsAreThoseTheProgrammeBeganWith promises that nothing changes for a
// programme that sets nothing, to the version on each verdict.
func TestUnsetTermsAreThoseTheProgrammeBeganWith(t *testing.T) {
	s := terms.Standard()
	if got, want := s.Policy(0), audit.Standard(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	want := lifecycle.Standard()
	want.Zone = time.UTC
	if got := s.Rules(0, time.UTC); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got, err := s.Check(); err != nil || !reflect.DeepEqual(got, s) {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestAVersionIsOnEverythingJudgedByIt promises that policies and rules of a version are
// named after it.
func TestAVersionIsOnEverythingJudgedByIt(t *testing.T) {
	p := terms.Standard().Policy(3)
	got := []string{p.Shift.Version, p.Location.Version, p.Occupancy.Version, p.Badge.Version, p.Parking.Version,
		terms.Standard().Rules(3, nil).Version}
	want := []string{"shift-2026-1/v3", "location-2026-1/v3", "occupancy-2026-1/v3", "badge-2026-1/v3", "parking-2026-1/v3",
		"case-2026-1/v3"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestADistanceIsTheSameInBothUnits promises that a limit in kilometres is that in miles,
// to a hundredth, and what is told of a distance is in the unit of the programme.
func TestADistanceIsTheSameInBothUnits(t *testing.T) {
	s := terms.Standard()
	s.Farthest, s.Unit = 80, fleet.InKilometres
	if got := s.Policy(1).Location.Limit; got != 49.71 {
		t.Errorf("80 km are %v mi", got)
	}
	if got := fleet.ToMiles(49.71).In(fleet.InKilometres); got != "80" {
		t.Errorf("49.71 mi are %s km", got)
	}
	if got := fleet.ToMiles(52.5).In(fleet.InMiles); got != "52.5" {
		t.Errorf("52.5 mi are %s mi", got)
	}
	rapid.Check(t, func(t *rapid.T) {
		km := rapid.IntRange(2, 800).Draw(t, "km")
		limit := fleet.ToMiles(fleet.InKilometres.Miles(float64(km)))
		if got, want := limit.In(fleet.InKilometres), fleet.Miles(km*100).String(); got != want {
			t.Fatalf("%s km are told as %s", want, got)
		}
	})
}

// TestTermsThatCannotHoldAreRefused promises that what contradicts itself is refused, and
// that holidays are kept in one form.
func TestTermsThatCannotHoldAreRefused(t *testing.T) {
	s := terms.Standard()
	s.Holidays = []string{"2026-12-25", "2026-01-26", "2026-12-25"}
	got, err := s.Check()
	if want := []string{"2026-01-26", "2026-12-25"}; err != nil || !slices.Equal(got.Holidays, want) {
		t.Errorf("got %v, %v", got.Holidays, err)
	}
	if r := got.Rules(1, nil); !slices.Equal(r.Holidays, []fleet.Date{fleet.NewDate(2026, 1, 26), fleet.NewDate(2026, 12, 25)}) {
		t.Errorf("got %v", r.Holidays)
	}
	for name, change := range map[string]func(*terms.Terms){
		"no day":         func(s *terms.Terms) { s.Holidays = []string{"Christmas"} },
		"nobody can fit": func(s *terms.Terms) { s.Window, s.Enough = 10, 21 },
		"ends too early": func(s *terms.Terms) { s.Cap, s.Patience = 7, 8 },
	} {
		bad := terms.Standard()
		change(&bad)
		if _, err := bad.Check(); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
