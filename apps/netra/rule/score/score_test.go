package score_test

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

var asOf = time.Date(2026, 2, 3, 14, 58, 29, 0, signal.India())

// The windows of the product.
var windows = []time.Duration{24 * time.Hour, 72 * time.Hour, 7 * 24 * time.Hour}

func day() bucket.Window { return bucket.Window{AsOf: asOf, Span: windows[0]} }

func heard(id string, hours float64, severity int, geo float64, p signal.Polarity, police bool, layers ...signal.Layer) signal.Signal {
	return signal.Signal{ID: id, At: asOf.Add(-time.Duration(hours * float64(time.Hour))), Severity: severity, Geo: geo, Polarity: p,
		Enforcement: police, Layers: layers}
}

// seed is the first design's example. Its arms were found at 08:58:29, six hours before; its own JSON says 12:58:29, which
// would give another score.
func seed() []signal.Signal {
	return []signal.Signal{
		heard("arms", 6, 3, 1.5, signal.Escalatory, true, signal.Physical),
		heard("protest", 2, 2, 1, signal.Escalatory, false, signal.Cognitive),
		heard("dialogue", 12, 1, 1, signal.Stabilizing, false, signal.Cognitive),
	}
}

func counting(p score.Profile) score.Profile {
	p.ExcludeEnforcement = false
	return p
}

// TestGoldenScores promises the first design's numbers by its formulas, and the second's, to a millionth where the
// formula gives them and to what was published where not.
func TestGoldenScores(t *testing.T) {
	for _, tt := range []struct {
		name                                    string
		profile                                 score.Profile
		physical, network, cognitive, composite float64
		within                                  float64
	}{
		{"seed-v1", score.SeedV1(), 7.942472, 0, 1.5289785, 13.671460, 1e-6},
		{"v2 with the police's own", counting(score.V2()), 5.4808, 0, 2.6488, 9.1943, 5e-5},
		{"v2", score.V2(), 0, 0, 2.6488, 1.6031, 5e-5},
	} {
		r := score.Of(tt.profile, score.Usual(), day(), seed())
		for what, pair := range map[string][2]float64{
			"physical": {r.Layer(signal.Physical).Score, tt.physical}, "network": {r.Layer(signal.Network).Score, tt.network},
			"cognitive": {r.Layer(signal.Cognitive).Score, tt.cognitive}, "composite": {r.Score.Value, tt.composite},
		} {
			if math.Abs(pair[0]-pair[1]) > tt.within {
				t.Errorf("%s, %s: got %.7f, want %.6f", tt.name, what, pair[0], pair[1])
			}
		}
		if r.Band != score.Baseline || r.Band.RiskLevel() != "low" || r.Crossed || r.Signals != 3 || r.Trend != score.Insufficient {
			t.Errorf("%s: got %+v", tt.name, r)
		}
	}
	late := seed()
	late[0].At = asOf.Add(-2 * time.Hour)
	if got := score.Of(score.SeedV1(), score.Usual(), day(), late).Layer(signal.Physical).Score; math.Abs(got-8.632705) > 1e-6 {
		t.Errorf("two hours old: got %.7f, want 8.632705", got)
	}
}

// TestAMassacreIsNotStandardMonitoring promises that a layer which is full by itself is seen, and that both bands are printed.
func TestAMassacreIsNotStandardMonitoring(t *testing.T) {
	var all []signal.Signal
	for i := range 8 {
		all = append(all, heard(fmt.Sprint(i), 1, 5, 1.6, signal.Escalatory, false, signal.Physical))
	}
	v2, seed := score.Of(score.V2(), score.Usual(), day(), all), score.Of(score.SeedV1(), score.Usual(), day(), all)
	if v2.Band != score.SeniorReview || v2.ByScore != score.Baseline || v2.ByLayer != score.SeniorReview || !v2.Crossed {
		t.Errorf("v2: got %v by score, %v by layer", v2.ByScore, v2.ByLayer)
	}
	if seed.Band != score.Baseline || math.Abs(seed.Score.Value-15.886910) > 1e-5 {
		t.Errorf("seed-v1: got %v, %v: its defect is kept as it is", seed.Band, seed.Score)
	}
	if !v2.CrossedFrom(score.Monitoring) || v2.CrossedFrom(score.SeniorReview) {
		t.Error("a crossing is to a higher band than before")
	}
}

// TestThePolicesOwnCountsInOtherLayers promises that enforcement is left out of the physical layer and of no other.
func TestThePolicesOwnCountsInOtherLayers(t *testing.T) {
	r := score.Of(score.V2(), score.Usual(), day(), []signal.Signal{heard("raid", 1, 3, 1, signal.Escalatory, true, signal.Physical,
		signal.Cognitive)})
	if p, c := r.Layer(signal.Physical),
		r.Layer(signal.Cognitive); p.Score != 0 || p.Excluded != 1 || p.Signals != 0 || c.Score == 0 || c.Excluded != 0 || c.Signals != 1 {
		t.Errorf("got %+v and %+v", p, c)
	}
}

// TestMildNewsDiluteOnlyTheSeed promises the published example: one severe signal and three mild ones.
func TestMildNewsDiluteOnlyTheSeed(t *testing.T) {
	all := []signal.Signal{heard("severe", 0, 5, 1.5, signal.Escalatory, false, signal.Physical)}
	before := score.Of(score.V2(), score.Usual(), day(), all).Layer(signal.Physical).Score
	for i := range 3 {
		all = append(all, heard(fmt.Sprint(i), 0, 1, 1, signal.Escalatory, false, signal.Physical))
	}
	if got := score.Of(score.SeedV1(), score.Usual(), day(), all).Layer(signal.Physical).Score; math.Abs(got-5.25) > 1e-9 {
		t.Errorf("seed-v1: got %v, want 5.25", got)
	}
	if got := score.Of(score.V2(), score.Usual(), day(), all).Layer(signal.Physical).Score; got <= before {
		t.Errorf("v2: got %v after %v, want more", got, before)
	}
}

func TestSilenceIsNotSafety(t *testing.T) {
	for _, p := range []score.Profile{score.SeedV1(), score.V2()} {
		r := score.Of(p, score.Usual(), day(), []signal.Signal{heard("old", 25, 5, 1, signal.Escalatory, false, signal.Physical)})
		if r.Status != score.NoSignals || r.Score.Known || r.Primary != score.None {
			t.Errorf("%s: got %+v, want no score and why", p.Name, r)
		}
		text, err := json.Marshal(r)
		var back score.Result
		if err != nil || json.Unmarshal(text, &back) != nil || back.Score.Known || back.Status != score.NoSignals {
			t.Errorf("%s: got %s, %v", p.Name, text, err)
		}
	}
	police := []signal.Signal{heard("arms", 1, 3, 1.5, signal.Escalatory, true, signal.Physical)}
	if r := score.Of(score.V2(), score.Usual(), day(), police); r.Status != score.OnlyEnforcement || r.Score.Known || r.Signals != 1 {
		t.Errorf("only the police's own: got %+v", r)
	}
}

// TestPeaceAloneIsZero promises that no layer falls below 0 by what stabilises.
func TestPeaceAloneIsZero(t *testing.T) {
	all := []signal.Signal{heard("talks", 1, 5, 1.6, signal.Stabilizing, false, signal.Cognitive, signal.Physical)}
	for _, p := range []score.Profile{score.SeedV1(), score.V2()} {
		r := score.Of(p, score.Usual(), day(), all)
		for _, l := range r.Layers {
			if l.Score != 0 || l.Relief != 0 {
				t.Errorf("%s, %s: got %+v, want 0", p.Name, l.Layer, l)
			}
		}
		if !r.Score.Known || r.Status != score.Scored || r.Primary != score.None {
			t.Errorf("%s: got %+v, want a score", p.Name, r)
		}
	}
	if r := score.Of(score.V2(), score.Usual(), day(), all); r.Score.Value != 0 {
		t.Errorf("v2: got %v, want 0", r.Score.Value)
	}
	if r := score.Of(score.SeedV1(), score.Usual(), day(),
		all); math.Abs(r.Score.Value-0.669285) > 1e-6 || math.Abs(score.Rescaled(r.Score.Value)) > 1e-9 {
		t.Errorf("seed-v1: got %v, want the sigmoid's 0.669285, rescaled 0", r.Score.Value)
	}
}

func TestBandsBeginAtTheirThreshold(t *testing.T) {
	for _, tt := range []struct {
		score float64
		want  score.Band
	}{{0, score.Baseline}, {29.5, score.Baseline}, {29.9999, score.Baseline}, {30, score.Monitoring}, {59.5, score.Monitoring},
		{60, score.PreventiveReadiness},
		{74.99, score.PreventiveReadiness}, {75, score.SeniorReview}, {89.99, score.SeniorReview}, {90, score.Critical},
		{100, score.Critical}} {
		if got := score.Usual().Band(tt.score); got != tt.want {
			t.Errorf("%v: got %v, want %v", tt.score, got, tt.want)
		}
	}
	if got := (score.Thresholds{10, 20, 30, 40}).Band(25); got != score.PreventiveReadiness {
		t.Errorf("other thresholds: got %v", got)
	}
	for _, bad := range []score.Thresholds{{0, 60, 75, 90}, {30, 30, 75, 90}, {60, 30, 75, 90}, {30, 60, 75, 101},
		{math.NaN(), 60, 75, 90}} {
		if bad.Check() == nil {
			t.Errorf("%v was taken", bad)
		}
	}
	if err := score.Usual().Check(); err != nil {
		t.Error(err)
	}
}

// TestOneVocabulary promises that the first design's names still mean something, and one thing.
func TestOneVocabulary(t *testing.T) {
	for i, want := range []string{"BASELINE low [0, 30) 0-29", "MONITORING medium [30, 60) 30-59",
		"PREVENTIVE_READINESS high [60, 75) 60-74", "SENIOR_REVIEW very_high [75, 90) 75-89", "CRITICAL critical [90, 100] 90-100"} {
		b := score.Bands()[i]
		if got := fmt.Sprintln(b, b.RiskLevel(), score.Usual().Range(b), score.Usual().SeedRange(b)); got != want+"\n" {
			t.Errorf("got %s, want %s", got, want)
		}
		for _, name := range []string{b.String(), b.RiskLevel()} {
			var back score.Band
			if err := back.UnmarshalText([]byte(name)); err != nil || back != b {
				t.Errorf("%s: got %v, %v", name, back, err)
			}
		}
	}
	var b score.Band
	if b.UnmarshalText([]byte("severe")) == nil {
		t.Error("a band that is none was taken")
	}
}

func TestATrendComparesTheLastDayWithTheTwoBefore(t *testing.T) {
	at := func(hours float64, severity int, p signal.Polarity) signal.Signal {
		return heard(fmt.Sprint(hours), hours, severity, 1, p, false, signal.Cognitive)
	}
	older := []signal.Signal{at(30, 2, signal.Escalatory), at(60, 2, signal.Escalatory)} // 2 a day
	for _, tt := range []struct {
		name string
		now  []signal.Signal
		want score.Trend
	}{
		{"more", []signal.Signal{at(1, 2, signal.Escalatory), at(2, 1, signal.Escalatory)}, score.Rising},
		{"as much", []signal.Signal{at(1, 1, signal.Escalatory), at(2, 1, signal.Escalatory)}, score.Stable},
		{"less", []signal.Signal{at(1, 1, signal.Escalatory), at(2, 1, signal.Neutral)}, score.Falling},
		{"a wave of talks", []signal.Signal{at(1, 4, signal.Stabilizing), at(2, 4, signal.Stabilizing)}, score.Falling},
		{"one signal", []signal.Signal{at(1, 5, signal.Escalatory)}, score.Insufficient},
		{"none", nil, score.Insufficient},
	} {
		if got := score.Of(score.V2(), score.Usual(), day(), slices.Concat(older, tt.now)).Trend; got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
	half := []signal.Signal{at(30, 2, signal.Escalatory), at(60, 1, signal.Escalatory), at(1, 1, signal.Escalatory),
		at(2, 1, signal.Escalatory)} // 2 against 1.5
	if got := score.Of(score.V2(), score.Usual(), day(), half).Trend; got != score.Stable {
		t.Errorf("a difference of exactly a half: got %s, want stable", got)
	}
	if got := score.Of(score.V2(), score.Usual(), day(), []signal.Signal{at(1, 5, signal.Escalatory),
		at(2, 5, signal.Escalatory)}).Trend; got != score.Insufficient {
		t.Errorf("nothing older: got %s, want insufficient", got)
	}
}

// TestTopContributorsAreThoseThatMoveMost promises the order by size, whatever the sign.
func TestTopContributorsAreThoseThatMoveMost(t *testing.T) {
	r := score.Of(score.SeedV1(), score.Usual(), day(), seed())
	var ids []string
	for _, c := range r.Top {
		ids = append(ids, c.ID)
	}
	if !slices.Equal(ids,
		[]string{"arms", "protest", "dialogue"}) || r.Top[2].Points >= 0 || r.Primary != signal.Physical || len(r.Secondary) != 0 {
		t.Errorf("got %+v, %s, %v", r.Top, r.Primary, r.Secondary)
	}
	if got := r.Layer(signal.Cognitive).Contributions; got[0].Printed != 192 || got[1].Printed != -39 {
		t.Errorf("got %+v, want 1.92 and -0.39, which are 1.53", got)
	}
}

// TestSecondaryTriggersAreAtLeastHalfAsHigh promises which layers are named beside the highest.
func TestSecondaryTriggersAreAtLeastHalfAsHigh(t *testing.T) {
	all := []signal.Signal{heard("a", 0, 4, 1, signal.Escalatory, false, signal.Network),
		heard("b", 0, 2, 1, signal.Escalatory, false, signal.Physical),
		heard("c", 0, 1, 1, signal.Escalatory, false, signal.Cognitive)}
	r := score.Of(score.SeedV1(), score.Usual(), day(), all) // 8, 4 and 2
	if r.Primary != signal.Network || !slices.Equal(r.Secondary, []signal.Layer{signal.Physical}) {
		t.Errorf("got %s, %v, want network and physical", r.Primary, r.Secondary)
	}
}
