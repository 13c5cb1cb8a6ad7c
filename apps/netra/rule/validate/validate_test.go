package validate_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/netra/rule/validate"
)

const week = 7 * 24 * time.Hour

var begin = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// A history is scores and events whose probabilities are known.
type history struct {
	scores []validate.Frozen
	events []validate.Event
	truth  map[string]float64 // by district and moment
}

func key(district string, at time.Time) string { return fmt.Sprint(district, at.Unix()) }

// past makes a history of so many districts and weeks. Each week a district has a chance of an event that is drawn anew; the
// score says it in another scale, or says nothing where tells is false.
func past(seed uint64, districts, weeks int, tells bool) history {
	r := rand.New(rand.NewPCG(seed, 25))
	h := history{truth: map[string]float64{}}
	for d := range districts {
		name := fmt.Sprintf("d%03d", d)
		for w := range weeks {
			at := begin.Add(time.Duration(w) * week)
			p := math.Pow(r.Float64(), 3) * 0.8
			h.truth[key(name, at)] = p
			score := 100 * math.Sqrt(p)
			if !tells {
				score = 100 * r.Float64()
			}
			h.scores = append(h.scores, validate.Frozen{District: name, State: fmt.Sprint("s", d%3), At: at, FrozenAt: at, Score: score})
			if r.Float64() < p {
				when := at.Add(time.Duration(1 + r.Float64()*float64(week-2)))
				h.events = append(h.events, validate.Event{District: name, At: when, Ingested: when.Add(24 * time.Hour)})
			}
		}
	}
	return h
}

func rolled(t *testing.T, h history) []validate.Predicted {
	t.Helper()
	settled, late := validate.Settle(h.scores, h.events, validate.Usual())
	if late != 0 || len(settled) != len(h.scores) {
		t.Fatalf("got %d settled, %d late", len(settled), late)
	}
	return validate.Roll(settled, 8*week, 2000)
}

// expected is the skill and the area that follow from the probabilities alone.
func expected(h history, all []validate.Predicted) (skill, area float64) {
	var ps []float64
	base, brier := 0.0, 0.0
	for _, x := range all {
		p := h.truth[key(x.District, x.At)]
		ps = append(ps, p)
		base += p / float64(len(all))
		brier += p * (1 - p) / float64(len(all))
	}
	slices.SortFunc(ps, func(a, b float64) int { return cmp.Compare(b, a) })
	hits, whole := 0.0, base*float64(len(all))
	for i, p := range ps {
		hits += p
		area += p / whole * hits / float64(i+1)
	}
	return 1 - brier/(base*(1-base)), area
}

// TestKnownProbabilitiesAreMeasuredAsTheyAre promises Brier skill and area within what the probabilities themselves give.
func TestKnownProbabilitiesAreMeasuredAsTheyAre(t *testing.T) {
	for seed := range uint64(3) {
		h := past(seed, 150, 120, true)
		all := rolled(t, h)
		skill, area := expected(h, all)
		r := validate.Measure(all, []float64{30, 60})[0]
		t.Logf("seed %d: skill %.4f, known %.4f; area %.4f, known %.4f; base %.4f; n %d", seed, r.OverBase.Value, skill, r.AUPR, area,
			r.BaseRate, r.N)
		if math.Abs(r.OverBase.Reported()-skill) > 0.02 {
			t.Errorf("seed %d: got a skill of %.4f, want %.4f", seed, r.OverBase.Reported(), skill)
		}
		if math.Abs(r.AUPR-area) > 0.03 {
			t.Errorf("seed %d: got an area of %.4f, want %.4f", seed, r.AUPR, area)
		}
		if r.NoSkill || r.OverPersistence.Reported() <= 0 || r.OverHistory.Reported() <= 0 {
			t.Errorf("seed %d: got no skill: %+v", seed, r)
		}
		for _, b := range r.Reliability {
			if math.Abs(b.P-b.Observed) > 0.06 {
				t.Errorf("seed %d: where %.3f was said, %.3f happened (%d)", seed, b.P, b.Observed, b.N)
			}
		}
	}
}

// TestNoiseHasNoSkill promises that scores which say nothing are reported as such, every time.
func TestNoiseHasNoSkill(t *testing.T) {
	for seed := range uint64(12) {
		for _, r := range validate.Measure(rolled(t, past(seed, 60, 100, false)), nil) {
			if !r.NoSkill || r.OverBase.Reported() > 0 {
				t.Errorf("seed %d, state %q: got a skill of %+v, want none", seed, r.State, r.OverBase)
			}
		}
	}
}

// TestAScoreThatRepeatsHistoryAddsLittleToIt promises that knowing where it is always bad is not taken for knowing when.
func TestAScoreThatRepeatsHistoryAddsLittleToIt(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 25))
	var h history
	for d := range 120 {
		name, p := fmt.Sprintf("d%03d", d), math.Pow(float64(d)/120, 2)*0.7
		for w := range 160 {
			at := begin.Add(time.Duration(w) * week)
			h.scores = append(h.scores, validate.Frozen{District: name, At: at, FrozenAt: at, Score: 100 * p})
			if r.Float64() < p {
				h.events = append(h.events, validate.Event{District: name, At: at.Add(time.Hour), Ingested: at.Add(2 * time.Hour)})
			}
		}
	}
	got := validate.Measure(rolled(t, h), nil)[0]
	if got.OverBase.Reported() < 0.1 || got.OverPersistence.Reported() <= 0 || got.OverHistory.Reported() > 0.02 {
		t.Errorf("got %+v over the base rate, %+v over persistence, %+v over history", got.OverBase, got.OverPersistence, got.OverHistory)
	}
	t.Logf("over the base rate %+v, persistence %+v, history %+v", got.OverBase, got.OverPersistence, got.OverHistory)
}

// TestNothingIsLearntFromTheFuture promises that what happens after an origin changes no probability before the outcome was
// known.
func TestNothingIsLearntFromTheFuture(t *testing.T) {
	h := past(3, 60, 80, true)
	before := rolled(t, h)
	cut := begin.Add(60 * week)
	other := h
	other.events = nil
	for _, e := range h.events {
		if e.At.Before(cut) {
			other.events = append(other.events, e)
		}
	}
	for i := range 60 {
		for w := 60; w < 80; w++ {
			at := begin.Add(time.Duration(w)*week + time.Hour)
			other.events = append(other.events, validate.Event{District: fmt.Sprintf("d%03d", i), At: at, Ingested: at})
		}
	}
	after := rolled(t, other)
	changed := 0
	for i, p := range before {
		q := after[i]
		if p.P == q.P && p.Base == q.Base && p.Persistence == q.Persistence && p.History == q.History {
			continue
		}
		changed++
		if p.At.Before(cut.Add(validate.Usual().Lag)) {
			t.Fatalf("%s at %v: %+v became %+v", p.District, p.At, p, q)
		}
	}
	if changed == 0 {
		t.Error("nothing was ever learnt")
	}
}

// TestScoresFrozenLateDoNotCount promises that a score written down after its moment is left out, and an event reported after the
// wait is no outcome.
func TestScoresFrozenLateDoNotCount(t *testing.T) {
	at := func(hours int) time.Time { return begin.Add(time.Duration(hours) * time.Hour) }
	scores := []validate.Frozen{{District: "a", At: at(0), FrozenAt: at(0)}, {District: "a", At: at(1), FrozenAt: at(3)},
		{District: "b", At: at(0), FrozenAt: at(1)}, {District: "c", At: at(0), FrozenAt: at(0)}}
	events := []validate.Event{{District: "a", At: at(5), Ingested: at(9)}, {District: "a", At: at(0), Ingested: at(0)},
		{District: "b", At: at(5), Ingested: at(24 * 60)}, {District: "c", At: at(24*7 + 1), Ingested: at(24 * 8)}}
	got, late := validate.Settle(scores, events, validate.Usual())
	if late != 1 || len(got) != 3 || !got[0].Outcome || !got[0].First.Equal(at(5)) || got[1].Outcome || got[2].Outcome {
		t.Errorf("got %+v, %d late", got, late)
	}
}

func TestBrierComesApartExactly(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) validate.Guess {
			return validate.Guess{P: rapid.Float64Range(0, 1).Draw(t, "p"), Outcome: rapid.Bool().Draw(t, "outcome")}
		}), 1, 60).Draw(t, "guesses")
		d := validate.Decompose(all, 10)
		if got := d.Reliability - d.Resolution + d.Uncertainty + d.Within; math.Abs(got-validate.Brier(all)) > 1e-12 {
			t.Fatalf("got %v, want %v", got, validate.Brier(all))
		}
		one := validate.Decompose(all, len(all)) // equal probabilities only: nothing is too wide
		if math.Abs(one.Within) > 1e-9 {
			t.Fatalf("got %+v, want nothing within", one)
		}
	})
}

// TestMeasuresByHand promises values that can be followed with a pencil.
func TestMeasuresByHand(t *testing.T) {
	guesses := []validate.Guess{{P: 0.8, Outcome: true}, {P: 0.6, Outcome: false}, {P: 0.1, Outcome: false}, {P: 0.1, Outcome: true}}
	if got := validate.Brier(guesses); math.Abs(got-(0.04+0.36+0.01+0.81)/4) > 1e-12 {
		t.Errorf("Brier: got %v", got)
	}
	ranked := []validate.Ranked{{9, true}, {8, false}, {7, true}, {1, false}}
	if got := validate.AUPR(ranked); math.Abs(got-(0.5*1+0.5*2/3)) > 1e-12 {
		t.Errorf("AUPR: got %v", got)
	}
	if got := validate.AUPR([]validate.Ranked{{1, true}, {1, false}, {1, false}, {1, false}}); got != 0.25 {
		t.Errorf("AUPR by lot: got %v, want the base rate", got)
	}
	if got := validate.PPV(0.9, 0.9, 0.02); math.Abs(got-0.155) > 0.0005 {
		t.Errorf("PPV: got %v, want 0.155", got)
	}
	m := validate.Fit([]validate.Settled{settled(1, false), settled(2, true), settled(3, false), settled(4, true)})
	for score, want := range map[float64]float64{0: 0, 1: 0, 2: 0.5, 3.5: 0.5, 4: 1, 9: 1} {
		if got := m.Probability(score); got != want {
			t.Errorf("score %v: got %v, want %v", score, got, want)
		}
	}
}

func settled(score float64, outcome bool) validate.Settled {
	return validate.Settled{Frozen: validate.Frozen{Score: score}, Outcome: outcome}
}

// TestAlarmsAreCountedWhereTheyBegin promises alarms, lead time and false alarms of a made-up month.
func TestAlarmsAreCountedWhereTheyBegin(t *testing.T) {
	day := func(n int) time.Time { return begin.Add(time.Duration(n) * 24 * time.Hour) }
	x := func(n int, score float64, first int) validate.Settled {
		s := validate.Settled{Frozen: validate.Frozen{District: "a", At: day(n), Score: score}}
		if first > 0 {
			s.Outcome, s.First = true, day(first)
		}
		return s
	}
	all := []validate.Settled{x(0, 20, 0), x(1, 70, 3), x(2, 80, 3), x(3, 20, 0), x(4, 65, 0), x(5, 10, 9), x(6, 10, 9)}
	got := validate.AlarmsAt(all, 60)
	want := validate.Alarms{Threshold: 60, Raised: 2, Right: 1, PPV: 0.5, Events: 2, Caught: 1, MedianLead: 48 * time.Hour,
		DistrictMonths: 1, FalsePerDistMonth: 1}
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	high := x(6, 80, 0)
	other := x(0, 90, 0) // of another district, high from the first
	other.District = "b"
	if got := validate.AlarmsAt(append(all[:6:6], high, other),
		60); got.Raised != 4 || got.DistrictMonths != 2 || got.FalsePerDistMonth != 1.5 {
		t.Errorf("two districts: got %+v", got)
	}
}

func TestAProbabilityNeverFallsWithTheScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		train := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) validate.Settled {
			return settled(float64(rapid.IntRange(0, 20).Draw(t, "score")), rapid.Bool().Draw(t, "outcome"))
		}), 1, 300).Draw(t, "train")
		m := validate.Fit(train)
		a, b := rapid.Float64Range(-5, 25).Draw(t, "a"), rapid.Float64Range(-5, 25).Draw(t, "b")
		if lo, hi := m.Probability(min(a, b)), m.Probability(max(a, b)); lo > hi || lo < 0 || hi > 1 {
			t.Fatalf("%v has %v, %v has %v", min(a, b), lo, max(a, b), hi)
		}
	})
}
