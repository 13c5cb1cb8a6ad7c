package analysis_test

import (
	"bytes"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// some are random thresholds about surges; the others are the usual.
func some(t *rapid.T) analysis.Thresholds {
	out := analysis.Usual()
	out.SurgeIndex = rapid.IntRange(100, 499).Draw(t, "index")
	out.SurgePM25 = rapid.IntRange(30, 500).Draw(t, "PM2.5")
	out.SurgeRise = rapid.IntRange(100, 200).Draw(t, "rise")
	out.SurgeHours = rapid.IntRange(1, 24).Draw(t, "hours")
	return out
}

// uneven is air at two stations with days of any height.
func uneven(t *rapid.T) *lake.Object {
	o := &lake.Object{Time: now}
	for _, s := range []struct {
		site aqi.Site
		name string
	}{{"site_5024", "Alipur, Delhi - DPCC"}, {"site_301", "Anand Vihar, Delhi - DPCC"}} {
		rows := measured(s.site, s.name, 0, 96)
		for i := range rows {
			level := rapid.IntRange(20, 400).Draw(t, "level")
			rows[i].Values[0].Amount = aqi.Amount(level) * aqi.Micro
		}
		o.Air = append(o.Air, rows...)
	}
	return o
}

// TestAPreviewSaysWhatThenHappens promises that the episodes a change of thresholds is
// previewed with are those that a board lists once it is in force, whatever the thresholds
// and the air.
func TestAPreviewSaysWhatThenHappens(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		o := uneven(rt)
		rules, err := analysis.Brought{Set: analysis.Set{Thresholds: some(rt), Version: 3}}.Rules()
		if err != nil {
			rt.Fatal(err)
		}
		previewed, err := analysis.Episodes(o, rules)
		if err != nil {
			rt.Fatal(err)
		}
		d, err := analysis.Prepare(o, rules)
		if err != nil {
			rt.Fatal(err)
		}
		var keys []surge.Key
		for _, e := range previewed {
			keys = append(keys, e.Key)
		}
		if !slices.Equal(keys, d.Keys()) {
			rt.Fatalf("previewed %v, then %v", keys, d.Keys())
		}
	})
}

// TestThresholdsAreNamedWithTheirVersion promises that an analysis says which version of an
// organisation's thresholds it went by, that the usual ones as a first version find the same,
// and that an analysis nobody set any for is to the byte what it was before there were any.
func TestThresholdsAreNamedWithTheirVersion(t *testing.T) {
	by := func(s analysis.Set) analysis.Analysis {
		t.Helper()
		r, err := analysis.Brought{Set: s}.Rules()
		if err != nil {
			t.Fatal(err)
		}
		r.Places, r.Unsure, r.Boundaries, r.Plume.Hours = places, nil, "made up for tests", 36
		d, err := analysis.Prepare(whole(t), r)
		if err != nil {
			t.Fatal(err)
		}
		a, err := d.Analyse(d.Keys()[0], analysis.Demands)
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	named := func(a analysis.Analysis) string {
		for _, r := range a.Rules {
			if r.Name == "thresholds" {
				return r.Version
			}
		}
		return ""
	}
	none, first := by(analysis.Set{}), by(analysis.Set{Thresholds: analysis.Usual(), Version: 1})
	if named(none) != "" || named(first) != (analysis.Set{Thresholds: analysis.Usual(), Version: 1}).Name() {
		t.Errorf("named %q and %q", named(none), named(first))
	}
	first.Rules = none.Rules
	a, _ := none.JSON()
	b, _ := first.JSON()
	was, _ := only(t, whole(t)).JSON()
	if !bytes.Equal(a, b) || !bytes.Equal(a, was) {
		t.Error("the usual thresholds change an answer")
	}
	low := analysis.Usual()
	low.CircleKM, low.LeastPoints = 1, 0
	if near := by(analysis.Set{Thresholds: low, Version: 2}); near.Legacy.Fires != 0 || named(near) == named(first) {
		t.Errorf("a circle of a kilometre has %d fires, by %q", near.Legacy.Fires, named(near))
	}
}

// TestThresholdsAreReadAsTheyArePrinted promises that one that is left out is the usual, and
// that no rule could go by what is refused.
func TestThresholdsAreReadAsTheyArePrinted(t *testing.T) {
	got, err := analysis.ReadThresholds([]byte(`{"surge_index":250}`))
	want := analysis.Usual()
	want.SurgeIndex = 250
	if err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "[]", `{"surge_index":"x"}`, `{"surge_hours":99}`} {
		if _, err := analysis.ReadThresholds([]byte(bad)); err == nil {
			t.Errorf("%s was taken", bad)
		}
	}
}
