package page

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/validate"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// worth keeps a comparison in which so many of a hundred alarms at each threshold were right.
func (s *stage) worth(t *testing.T, right int, noSkill bool) {
	t.Helper()
	r := validate.Report{N: 5000, Events: 100, BaseRate: 0.02, Brier: 0.0181, NoSkill: noSkill, AUPR: 0.19,
		OverBase: validate.Skill{Value: 0.09, Error: 0.01}, Decomposition: validate.Decomposition{Uncertainty: 0.0196},
		Reliability: []validate.Bin{{N: 4500, From: 0, To: 0.01, P: 0.008, Observed: 0.009},
			{N: 500, From: 0.01, To: 0.4, P: 0.11, Observed: 0.12}}}
	if noSkill {
		r.OverBase = validate.Skill{Value: 0.002, Error: 0.01}
	}
	for _, threshold := range []float64{30, 60, 75, 90} {
		r.Alarms = append(r.Alarms, validate.Alarms{Threshold: threshold, Raised: 100, Right: right, PPV: float64(right) / 100, Events: 40,
			Caught: 11, MedianLead: 50 * time.Hour, DistrictMonths: 240, FalsePerDistMonth: 0.35})
	}
	north := r
	north.State = "State 1"
	if _, err := s.Store.KeepValidation(t.Context(), netratest.Person(identity.Officer), store.Validation{WindowHours: 24, Events: 100,
		Scores: 5000, Source: "ucdp-2026.csv", Reports: []validate.Report{r, north, north}}); err != nil {
		t.Fatal(err)
	}
}

// TestWhatAlarmsWereWorthStandsBesideThem promises the share of right alarms on the board and on a district's page, the reliability
// table, and where there is no skill, that the page says so.
func TestWhatAlarmsWereWorthStandsBesideThem(t *testing.T) {
	s := newStage(t)
	s.scene(t)
	s.Get(t, identity.Auditor, ValidationAt).Holds(t, 200, "Not compared yet", english)
	s.worth(t, 15, true)
	words := "Of 100 alarms at 30, 15 were followed by violence within 7 days: 15 %."
	for _, at := range []string{HomeAt, DistrictsAt + "/1"} {
		s.Get(t, identity.Officer, at).Holds(t, 200, words, "no more about the next 7 days than the base rate")
	}
	page := s.Get(t, identity.Auditor, ValidationAt)
	page.Holds(t, 200, "no more about the next 7 days", "0.0–1.0 %", "12.0 %", "11 / 40", "ucdp-2026.csv", "State 1",
		"none (measured +0.002", english)
	page.Lacks(t, `type="file"`)
	s.worth(t, 60, false)
	s.Get(t, identity.Officer, ValidationAt).Holds(t, 200, "say more about the next 7 days", "+0.090 (± 0.010)")
}

// TestAFileOfEventsIsComparedWithWhatWasGivenOut promises that scores too young to be judged are counted and not judged, and that a
// file which cannot be read says why.
func TestAFileOfEventsIsComparedWithWhatWasGivenOut(t *testing.T) {
	s := newStage(t)
	s.scene(t)
	for range 3 {
		if _, _, err := s.desk.Freeze(t.Context(), netratest.Person(identity.Officer), score.V2()); err != nil {
			t.Fatal(err)
		}
	}
	at := ValidationAt + "?" + url.Values{"window": {"24"}}.Encode()
	bad := s.PostFile(t, identity.Officer, at, "a.csv", []byte("district_lgd,timestamp,ingested\n1,yesterday,today\n"), nil)
	bad.Holds(t, 422, "The file was not taken", "no code of a district")
	now := time.Now().UTC().Format(time.RFC3339)
	good := s.PostFile(t, identity.Officer, at, "ucdp.csv", fmt.Appendf(nil, "district_lgd,timestamp,ingested\n1,%s,%s\n", now, now), nil)
	if good.Status != 303 || !strings.HasPrefix(good.Header.Get("Location"), ValidationAt) {
		t.Fatalf("got %d %s", good.Status, good.Body)
	}
	s.Get(t, identity.Auditor, at).Holds(t, 200, "None of 6 scores can be judged yet", "ucdp.csv")
	if s.PostFile(t, identity.Auditor, at, "a.csv", []byte("x"), nil).Status != 403 {
		t.Error("an auditor compares")
	}
}
