package alert_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/netra/rule/alert"
	"github.com/gavelhq/gavel/apps/netra/rule/bucket"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

var noon = time.Date(2026, 2, 3, 12, 0, 0, 0, time.UTC)

func hour(n int) time.Time { return noon.Add(time.Duration(n) * time.Hour) }

// of is a look at a score with no layer that is high by itself.
func of(n int, value float64, silent bool) alert.Look {
	t := score.Usual()
	return alert.Look{At: hour(n), Known: true, Band: t.Band(value), Held: t.Band(value + alert.Usual().Margin), Silent: silent}
}

// TestOneCaseForEachDistrictAndCrossing promises what a day and a half of a district come to, look by look.
func TestOneCaseForEachDistrictAndCrossing(t *testing.T) {
	unknown := func(n int) alert.Look { return alert.Look{At: hour(n)} }
	for name, steps := range map[string][]struct {
		look alert.Look
		want alert.Effect
	}{
		"up, and a day below": {{of(0, 12, false), ""}, {of(1, 31, false), alert.Opens}, {of(2, 20, false), ""}, {of(25, 20, false), ""},
			{of(26, 20, false), alert.Ends}, {of(27, 20, false), ""}},
		"a score that wavers": {{of(0, 31, false), alert.Opens}, {of(1, 29, false), ""}, {of(2, 31, false), ""}, {of(3, 28, false), ""},
			{of(4, 30, false), ""}},
		"higher is a case of its own": {{of(0, 31, false), alert.Opens}, {of(1, 61, false), alert.Opens}, {of(2, 59, false), ""},
			{of(3, 62, false), ""}, {of(4, 92, false), alert.Opens}},
		"the same band again within a day": {{of(0, 31, false), alert.Opens}, {of(1, 10, false), ""}, {of(5, 31, false), ""},
			{of(6, 10, false), ""}, {of(31, 10, false), alert.Ends}, {of(32, 31, false), alert.Opens}},
		"no score is no calm": {{of(0, 31, false), alert.Opens}, {of(1, 10, false), ""}, {unknown(2), ""}, {of(26, 10, false), ""},
			{of(50, 10, false), alert.Ends}},
		"silence is no calm":         {{of(0, 31, false), alert.Opens}, {of(1, 0, true), ""}, {of(40, 0, true), ""}, {of(80, 0, true), ""}},
		"what is silent still rises": {{of(0, 31, true), alert.Opens}, {of(1, 61, true), alert.Opens}},
		"an old look":                {{of(5, 31, false), alert.Opens}, {of(4, 92, false), ""}, {of(5, 92, false), ""}},
	} {
		var s alert.Standing
		for i, step := range steps {
			var got alert.Effect
			if s, got = alert.Next(s, step.look, alert.Usual()); got != step.want {
				t.Errorf("%s, look %d: got %q, want %q", name, i, got, step.want)
			}
		}
	}
}

// TestNoCaseEndsWithoutADayOfKnownCalm promises, for any looks: a case ends only after a whole day of looks that knew the score and
// heard the sources; and within a day a district gets no second case but for a higher band.
func TestNoCaseEndsWithoutADayOfKnownCalm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := alert.Usual()
		var s alert.Standing
		var calm, opened *time.Time
		band := score.Baseline
		at := 0
		for range rapid.IntRange(1, 120).Draw(t, "looks") {
			at += rapid.IntRange(1, 9).Draw(t, "hours")
			l := of(at, rapid.Float64Range(0, 100).Draw(t, "score"), rapid.IntRange(0, 4).Draw(t, "silent") == 0)
			l.Known = rapid.IntRange(0, 4).Draw(t, "known") > 0
			var got alert.Effect
			s, got = alert.Next(s, l, rules)
			if !l.Known || l.Silent || s.Band >= rules.Opens {
				calm = nil
			} else if calm == nil {
				calm = &l.At
			}
			switch got {
			case alert.Ends:
				if calm == nil || l.At.Sub(*calm) < rules.Calm {
					t.Fatalf("a case ended at %v without a day of known calm", l.At)
				}
			case alert.Opens:
				if opened != nil && l.At.Sub(*opened) < 24*time.Hour && s.Band <= band {
					t.Fatalf("a second case of %s within a day", s.Band)
				}
				opened, band = &l.At, s.Band
			}
		}
	})
}

// TestALayerThatIsHighByItselfHoldsItsBandToo promises that the margin counts for a layer's own band: what is just below it falls only
// a tenth of the margin later.
func TestALayerThatIsHighByItselfHoldsItsBandToo(t *testing.T) {
	at := noon
	heard := func(sev, n int, age time.Duration) score.Result {
		var all []signal.Signal
		for i := range n {
			all = append(all, signal.Signal{ID: string(rune('a' + i)), At: at.Add(-age), Severity: sev, Polarity: signal.Escalatory, Geo: 1,
				Layers: []signal.Layer{signal.Physical}})
		}
		return score.Of(score.V2(), score.Usual(), bucket.Window{AsOf: at, Span: 24 * time.Hour}, all)
	}
	r := heard(5, 1, 2*time.Hour) // 10(1-e^-0.959) = 6.17: MONITORING by its layer
	if r.Band != score.Monitoring || score.V2().Held(score.Usual(), r, 3) != score.Monitoring {
		t.Fatalf("got %s", r.Band)
	}
	r = heard(5, 1, 4*time.Hour+30*time.Minute) // 5.98
	if r.Band != score.Baseline || score.V2().Held(score.Usual(), r, 3) != score.Monitoring {
		t.Errorf("5.98 is %s and holds %s", r.Band, score.V2().Held(score.Usual(), r, 3))
	}
	if r = heard(5, 1, 12*time.Hour); score.V2().Held(score.Usual(), r, 3) != score.Baseline {
		t.Errorf("%.2f holds its band", r.Layers[2].Score)
	}
}

// TestWhenSourcesAreSilent promises by numbers when they are, and that what nobody can know is no silence.
func TestWhenSourcesAreSilent(t *testing.T) {
	usual := make([]alert.Day, 28)
	for i := range usual {
		usual[i] = alert.Day{Sources: 4, Signals: 20}
	}
	for name, tt := range map[string]struct {
		now   alert.Heard
		days  []alert.Day
		want  bool
		known bool
	}{
		"as usual":                  {alert.Heard{Sources: 4, Signals: 18}, usual, false, true},
		"one of four":               {alert.Heard{Sources: 1, Signals: 18}, usual, true, true},
		"half":                      {alert.Heard{Sources: 2, Signals: 10}, usual, false, true},
		"all speak, and say little": {alert.Heard{Sources: 4, Signals: 9}, usual, true, true},
		"nothing":                   {alert.Heard{}, usual, true, true},
		"too few days":              {alert.Heard{}, usual[:6], false, false},
		"never heard of":            {alert.Heard{}, make([]alert.Day, 28), false, false},
		"a quiet district": {alert.Heard{Sources: 1, Signals: 1},
			[]alert.Day{{1, 2}, {1, 2}, {1, 3}, {1, 2}, {1, 2}, {1, 2}, {1, 1}}, false, true},
	} {
		h := tt.now.Usually(tt.days)
		if _, known := h.Coverage(); h.Silent(0.5) != tt.want || known != tt.known {
			t.Errorf("%s: got %v, %v of %+v", name, h.Silent(0.5), known, h)
		}
	}
	if share, _ := (alert.Heard{Sources: 9}).Usually(usual).Coverage(); share != 1 {
		t.Errorf("more than usual is %v", share)
	}
	if alert.AllSilent(2, 2) || alert.AllSilent(3, 7) || !alert.AllSilent(3, 6) {
		t.Error("a state falls silent from three districts and half of those that are known")
	}
}

// TestAHigherBandNeverWaitsLonger promises that hours to decide do not grow with the band, and that each band has its own.
func TestAHigherBandNeverWaitsLonger(t *testing.T) {
	for _, tt := range []struct {
		due alert.Due
		ok  bool
	}{{alert.Usual().Due, true}, {alert.Due{8, 8, 8, 8}, true}, {alert.Due{48, 24, 8, 9}, false}, {alert.Due{1, 2, 1, 1}, false}} {
		if err := tt.due.Check(); (err == nil) != tt.ok {
			t.Errorf("%v: got %v", tt.due, err)
		}
	}
	for b, want := range map[score.Band]int{score.Monitoring: 48, score.PreventiveReadiness: 24, score.SeniorReview: 8, score.Critical: 2} {
		if got := alert.Usual().Due.Hours(b); got != want {
			t.Errorf("%s: got %d hours, want %d", b, got, want)
		}
	}
}
