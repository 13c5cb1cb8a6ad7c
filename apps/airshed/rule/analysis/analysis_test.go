package analysis_test

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestASurgeWithFiresUpwindIsAttributed promises the whole way from rows to shares,
// with what each step went by.
func TestASurgeWithFiresUpwindIsAttributed(t *testing.T) {
	a := only(t, whole(t))
	if got, want := a.Attribution.Verdict, plume.Conclusive; got != want {
		t.Fatalf("verdict %s, want %s: %+v", got, want, a.Attribution.Reasons)
	}
	if got, want := a.Attribution.First, west; got != want {
		t.Errorf("first %s, want %s", got, want)
	}
	if got, want := a.Attribution.Members, 60; got != want {
		t.Errorf("%d members, want %d", got, want)
	}
	// 300 µg/m³ of PM2.5 is 400 + 50·100/130 = 438.46, computed by hand.
	if got, want := a.Surge.Index, 438; got != want {
		t.Errorf("index %d, want %d", got, want)
	}
	// The controls have 180 and 200, so their median is 190: computed by hand.
	if a.Control.Verdict != surge.Above || a.Control.Difference != 110 {
		t.Errorf("control %+v, want 110 above", a.Control)
	}
	if a.Window.Weighting != analysis.ByPM25 || a.Window.Of != 24 || !a.Window.To.Equal(a.Surge.Time) {
		t.Errorf("window %+v", a.Window)
	}
	if a.Fires.Stage != analysis.Preliminary || !strings.Contains(a.Fires.Statement, "lower bound") ||
		a.Fires.Coverage.Sums.CloudKnown == 0 {
		t.Errorf("fires %+v", a.Fires)
	}
	if len(a.Beside) != 3 || *a.Beside[0].Interior != 190 || *a.Beside[0].Difference != 110 || *a.Beside[2].Difference != 0 {
		t.Errorf("beside %+v", a.Beside)
	}
	if len(a.Inputs) != 7 || len(a.Rules) != 12 {
		t.Errorf("%d inputs and %d rules", len(a.Inputs), len(a.Rules))
	}
}

// TestTheSameInputGivesTheSameBytes promises that neither a second run nor the order
// of rows nor the way through a file changes a byte.
func TestTheSameInputGivesTheSameBytes(t *testing.T) {
	o := whole(t)
	o.Fires = append(o.Fires, burning(315, 260, 7)...)
	board, episode := bytesOf(t, o)
	if len(episode) == 0 || bytes.Contains(episode, []byte("NaN")) {
		t.Fatalf("episode %s", episode)
	}
	file, err := o.Write()
	if err != nil {
		t.Fatal(err)
	}
	read, err := lake.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, same := range map[string]*lake.Object{"again": o, "shuffled": shuffled(o, 1), "shuffled otherwise": shuffled(o, 2),
		"read from its file": read} {
		b, e := bytesOf(t, same)
		if !bytes.Equal(b, board) || !bytes.Equal(e, episode) {
			t.Errorf("%s it is\n%s\n%s\nwant\n%s\n%s", name, b, e, board, episode)
		}
	}
}

// TestDoublingAStatesPowerMovesSharesAsItMust promises that with twice the power a
// state has 2s/(1+s) of the influence where it had s.
func TestDoublingAStatesPowerMovesSharesAsItMust(t *testing.T) {
	o := whole(t)
	o.Fires = append(o.Fires, burning(315, 260, 10)...)
	before := only(t, o)
	o = whole(t)
	o.Fires = append(o.Fires, burning(315, 260, 20)...)
	after := only(t, o)
	s := share(before, far).Default / 100
	if s < 0.02 || s > 0.98 {
		t.Fatalf("the far state has %v of the influence: nothing can be seen of it", s)
	}
	if got, want := share(after, far).Default, 100*2*s/(1+s); math.Abs(got-want) > 0.2 { // both are rounded to 0.1
		t.Errorf("share of the doubled state %v %%, want %v %%", got, want)
	}
	if got, want := share(after, west).Default+share(after, far).Default, 100.0; math.Abs(got-want) > 0.11 {
		t.Errorf("shares add up to %v, want %v", got, want)
	}
	if reflect.DeepEqual(before.Fires.States, after.Fires.States) || before.Fires.InTime != after.Fires.InTime {
		t.Errorf("fires %+v, want other powers and the same number", after.Fires.States)
	}
}

// TestWindTurnedMovesAllWeight promises that with the wind from the other side the
// fires there are all that counts.
func TestWindTurnedMovesAllWeight(t *testing.T) {
	o := whole(t)
	o.Fires = append(o.Fires, burning(135, 150, 10)...)
	if a := only(t, o); share(a, west).Low < 99 || share(a, east).High > 1 {
		t.Errorf("wind from the north-west: %+v", a.Attribution.States)
	}
	o.Wind = blowing(t, 135)
	if a := only(t, o); share(a, east).Low < 99 || share(a, west).High > 1 {
		t.Errorf("wind from the south-east: %+v", a.Attribution.States)
	}
}

// TestAFireDownwindChangesNoShare promises that what burns where the air goes to is
// nobody's share, while the circle counts it.
func TestAFireDownwindChangesNoShare(t *testing.T) {
	o := whole(t)
	o.Fires = append(o.Fires, burning(315, 260, 10)...)
	before := only(t, o)
	o = whole(t)
	o.Fires = append(o.Fires, append(burning(315, 260, 10), burning(135, 150, 500)...)...)
	after := only(t, o)
	for _, state := range []string{west, far} {
		if got, want := share(after, state), share(before, state); got != want {
			t.Errorf("share of %s %+v, want %+v", state, got, want)
		}
	}
	if got, want := share(after, east), (analysis.Share{State: east}); got != want && got != (analysis.Share{}) {
		t.Errorf("share downwind %+v, want none", got)
	}
	if got, want := after.Legacy.Fires-before.Legacy.Fires, 12; got != want {
		t.Errorf("the circle counts %d more, want %d", got, want)
	}
}

// TestWithoutWindNothingIsAttributed promises that the circle never stands in for
// transport that could not be computed.
func TestWithoutWindNothingIsAttributed(t *testing.T) {
	o := whole(t)
	o.Wind = nil
	a := only(t, o)
	if a.Attribution.Verdict != plume.Unattributed || a.Attribution.First != "" || len(a.Attribution.States) > 0 ||
		!hasReason(a, plume.NoWind) {
		t.Errorf("attribution %+v", a.Attribution)
	}
	if len(a.Stubble.Indicative) > 0 || !hasGap(a, analysis.WindMissing) {
		t.Errorf("stubble %+v, gaps %+v", a.Stubble, a.Gaps)
	}
	if a.Legacy.Fires != 12 || a.Legacy.Method != "legacy_radius_count" || !strings.Contains(a.Legacy.Label, "nothing is attributed") {
		t.Errorf("legacy %+v, want the count, labelled", a.Legacy)
	}
}

// TestTheFirstDesignsFixtures promises its own cases: an index of 200 is no surge,
// and of 350 and 450 is.
func TestTheFirstDesignsFixtures(t *testing.T) {
	for index, want := range map[int]int{200: 0, 300: 0, 301: 1, 350: 1, 450: 1} {
		board, all, err := prepare(t, given(index)).Run(analysis.Demands)
		if err != nil {
			t.Fatal(err)
		}
		if len(all) != want || len(board.Episodes) != want {
			t.Errorf("index %d: %d episodes, want %d", index, len(all), want)
		}
		for _, a := range all {
			if a.Surge.Index != index || a.Episode.Basis != surge.IndexOnly || !hasGap(a, analysis.HourlyUnknown) ||
				a.Window.Weighting != analysis.Equally {
				t.Errorf("index %d: %+v, %+v", index, a.Surge, a.Window)
			}
		}
	}
}

// TestTheWordFollowsTheFigure promises the ladder of words, and "primary" for
// nothing under a half.
func TestTheWordFollowsTheFigure(t *testing.T) {
	for percent, want := range map[float64]analysis.Word{
		0: analysis.Minor, 9.9: analysis.Minor, 10: analysis.Contributory, 22.5: analysis.Contributory, 24.9: analysis.Contributory,
		25: analysis.Major, 40: analysis.Major, 50: analysis.Major, 50.1: analysis.Largest,
	} {
		if got := analysis.WordFor(percent); got != want {
			t.Errorf("%v %% is %q, want %q", percent, got, want)
		}
	}
}

// TestTheForecastTimesAShareIsIndicative promises the first design's cases, and that
// a product is labelled for what it is.
func TestTheForecastTimesAShareIsIndicative(t *testing.T) {
	for percent, want := range map[float64]analysis.Word{15: analysis.Contributory, 25: analysis.Major, 35: analysis.Major} {
		o := whole(t)
		o.Fires = append(o.Fires, burning(315, 260, 10)...)
		o.Stubble.Percent = percent
		a := only(t, o)
		if !a.Stubble.Available || a.Stubble.Word != want || !strings.Contains(a.Stubble.Label, "indicative, Delhi-wide") ||
			len(a.Stubble.Caveats) == 0 {
			t.Errorf("%v %%: %+v", percent, a.Stubble)
		}
		for i, x := range a.Stubble.Indicative {
			s := a.Attribution.States[i]
			if got, want := x.Median, percent*s.Median/100; x.State != s.State || math.Abs(got-want) > 0.051 ||
				x.Word != analysis.WordFor(x.Median) {
				t.Errorf("%v %% times %v %% is %+v, want %v", percent, s.Median, x, want)
			}
		}
		if len(a.Stubble.Indicative) != 2 {
			t.Errorf("%d states, want 2", len(a.Stubble.Indicative))
		}
	}
}

// TestMissingSourcesCostWhatTheyCost promises that the analysis goes on without
// fires or forecast, says so, and takes off the first design's points. Of the 100,
// 10 go for fewer than 50 fires and 10 for a mean distance above 150 km, both only
// while fires are known: computed by hand.
func TestMissingSourcesCostWhatTheyCost(t *testing.T) {
	for _, tt := range []struct {
		name         string
		fires, dss   bool
		confidence   float64
		completeness float64
	}{{"all there", true, true, 80, 80}, {"no fires", false, true, 60, 60}, {"no forecast", true, false, 60, 60},
		{"neither", false, false, 40, 40}} {
		o := whole(t)
		if !tt.fires {
			o.Fires = nil
		}
		if !tt.dss {
			o.Stubble = nil
		}
		a := only(t, o)
		if a.Score.Confidence != tt.confidence || a.Score.Completeness != tt.completeness {
			t.Errorf("%s: %+v, want %v and %v", tt.name, a.Score, tt.confidence, tt.completeness)
		}
		if a.Have.Fires != tt.fires || a.Have.Stubble != tt.dss || hasGap(a, analysis.FiresMissing) == tt.fires ||
			hasGap(a, analysis.StubbleMissing) == tt.dss {
			t.Errorf("%s: %+v, %+v", tt.name, a.Have, a.Gaps)
		}
		if (a.Attribution.Verdict == plume.Unattributed) == tt.fires || hasReason(a, analysis.FiresUnknown) == tt.fires ||
			hasReason(a, plume.NoFires) {
			t.Errorf("%s: %+v", tt.name, a.Attribution)
		}
	}
}

// TestWithoutAirThereIsNothing promises that an object without air is refused.
func TestWithoutAirThereIsNothing(t *testing.T) {
	o := whole(t)
	o.Air = nil
	if _, err := analysis.Prepare(o, rules(t)); !fault.Is(err, fault.Invalid) {
		t.Errorf("error %v, want one of kind %v", err, fault.Invalid)
	}
}

// TestAnEpisodeThatIsNotThereIsNotFound promises an answer to a wrong key.
func TestAnEpisodeThatIsNotThereIsNotFound(t *testing.T) {
	if _, err := prepare(t, whole(t)).Analyse("site_5024@2025-11-01T00:30Z", analysis.Demands); !fault.Is(err, fault.NotFound) {
		t.Errorf("error %v, want one of kind %v", err, fault.NotFound)
	}
}

// later is the object as it is eleven days on, with clean air since.
func later(t testing.TB) *lake.Object {
	o := whole(t)
	for _, site := range []struct {
		row lake.Air
	}{{o.Air[0]}, {o.Air[40]}, {o.Air[80]}} {
		for h := range 11 * 24 {
			r := site.row
			r.Time = r.Time.Add(time.Duration(h+1) * time.Hour)
			r.Values = slices.Clone(r.Values)
			r.Values[0].Amount = 30_000_000
			o.Air = append(o.Air, r)
		}
	}
	o.Time = now.AddDate(0, 0, 11)
	o.Looked.To = o.Time
	return o
}

// TestTheNullTestGoesByDatesWhereTheyAreKnown promises the better test where fires
// of all the days around are known, and that the other is said.
func TestTheNullTestGoesByDatesWhereTheyAreKnown(t *testing.T) {
	a := only(t, later(t))
	if a.Attribution.Null.Method != plume.ByDates || hasGap(a, analysis.NullByTurns) || a.Attribution.Null.Rank != 1 ||
		a.Attribution.Null.Of != 17 {
		t.Errorf("eleven days later: %+v", a.Attribution.Null)
	}
	if !a.Attribution.Conclusive || a.Episode.Ending != surge.Cleared {
		t.Errorf("eleven days later: %+v, %s", a.Attribution.Reasons, a.Episode.Ending)
	}
	a = only(t, whole(t))
	if a.Attribution.Null.Method != plume.ByTurns || !hasGap(a, analysis.NullByTurns) {
		t.Errorf("on the day: %+v", a.Attribution.Null)
	}
}

// TestStillAirSupportsNoTransport promises the reason by name.
func TestStillAirSupportsNoTransport(t *testing.T) {
	o := whole(t)
	s := o.Wind.Shape()
	for at := range s.Times {
		for node := range 9 {
			if err := o.Wind.Set(wind.M10, at, node/3, node%3, 0.3, -0.3); err != nil {
				t.Fatal(err)
			}
		}
	}
	a := only(t, o)
	if a.Attribution.Conclusive || !hasReason(a, plume.Stagnation) || a.Attribution.Calm.Speed != 0.42 { // hypot(0.3, 0.3), by hand
		t.Errorf("attribution %+v", a.Attribution)
	}
}

// TestACityAsDirtyIsNotDistinguished promises that a surge the whole city has is
// nobody's across the border.
func TestACityAsDirtyIsNotDistinguished(t *testing.T) {
	o := whole(t)
	o.Air = append(measured("site_5024", "", 300, 40), measured("site_1434", "", 300, 40)...)
	a := only(t, o)
	if a.Control.Verdict != surge.Local || a.Attribution.Conclusive || !hasReason(a, plume.Local) {
		t.Errorf("control %+v, reasons %+v", a.Control, a.Attribution.Reasons)
	}
	for i := range o.Air[40:] {
		o.Air[40+i].Values[0].Amount += 40_000 // a little more inside: no difference that is printed
	}
	if a := only(t, o); a.Control.Verdict != surge.Local || a.Control.Difference != 0 || math.Signbit(a.Control.Difference) {
		t.Errorf("control %+v, want nought and not minus nought", a.Control)
	}
	o.Air = measured("site_5024", "", 300, 40)
	a = only(t, o)
	if a.Control.Verdict != surge.Unjudged || !hasGap(a, analysis.ControlMissing) || !hasReason(a, plume.NoControl) {
		t.Errorf("control %+v, reasons %+v", a.Control, a.Attribution.Reasons)
	}
}

// TestAnAnalysisIsReadAsItWasWritten promises that a kept analysis can be read and
// written again without a byte changing, so that a replay has something to compare.
func TestAnAnalysisIsReadAsItWasWritten(t *testing.T) {
	abroad := whole(t)
	abroad.Fires = append(abroad.Fires, burning(315, 420, 30)...)
	for name, o := range map[string]*lake.Object{"whole": whole(t), "the first design's": given(450), "closed": later(t),
		"abroad": abroad} {
		want, err := only(t, o).JSON()
		if err != nil {
			t.Fatal(err)
		}
		var back analysis.Analysis
		if err := json.Unmarshal(want, &back); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got, err := back.JSON(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
		}
	}
}
