package likelihood_test

import (
	"math/rand/v2"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// week is a surge whose seven days of PM2.5 rise and fall with the fires upwind by so
// much, over noise and the depth of the mixed layer.
func week(t *testing.T, smoke float64, seed uint64) likelihood.Question {
	t.Helper()
	q, g := surge(), air(t, 4, 315)
	for d := -10; d <= -4; d++ { // fires came and went
		for _, f := range burning(plume.Point{Lat: 30.4, Lon: 75.2}, 20*((-d*7)%4), uint64(-d)) {
			f.Time = f.Time.AddDate(0, 0, d+1)
			q.Fires = append(q.Fires, f)
		}
	}
	r := rand.New(rand.NewPCG(seed, 7))
	p := likelihood.Standard()
	for i, h := range q.Week {
		field, _ := g.Field("100m", "925hPa")
		track, sum := p.Air.Back(field, g.MixingAt, q.At, h.Time), 0.0
		for _, f := range q.Fires {
			sum += p.Air.Weigh(track, f.Fire, 2)
		}
		q.Week[i].PM25 = max(0, 60+20_000/track.Spots[0].Mixing+smoke*sum+15*r.NormFloat64())
	}
	return q
}

// TestSmokeThatMattersIsFound promises that PM2.5 that goes with the fires upwind is
// seen to, and that what is said of it is no more than what was put in.
func TestSmokeThatMattersIsFound(t *testing.T) {
	a := answer(t, week(t, 400, 1), air(t, 4, 315))
	if !a.Matter.Known || a.Matter.M < 0.99 || a.Matter.Least <= 0 {
		t.Errorf("smoke of 400 a unit: %+v", a.Matter)
	}
}

// TestNoSmokeIsNotSaidToMatter promises that PM2.5 that has nothing to do with fires
// is said to go with them no more often than chance has it.
func TestNoSmokeIsNotSaidToMatter(t *testing.T) {
	p, said := likelihood.Standard(), 0
	p.Members = 1
	for seed := range uint64(20) {
		a, err := p.Answer(week(t, 0, seed), air(t, 4, 315))
		if err != nil {
			t.Fatal(err)
		}
		if a.Matter.M >= p.Mattered {
			said++
		}
	}
	if said > 8 { // ten in a hundred, and what days drawn from seven add to it
		t.Errorf("said of %d of 20 that smoke mattered", said)
	}
}

// TestTooShortAWeekSaysNothing promises that a few hours are no regression.
func TestTooShortAWeekSaysNothing(t *testing.T) {
	q := week(t, 400, 1)
	q.Week = q.Week[len(q.Week)-70:]
	if a := answer(t, q, air(t, 4, 315)); a.Matter.Known || a.Matter.M != 0 {
		t.Errorf("%+v", a.Matter)
	}
	if f := likelihood.Standard().Finding(answer(t, q, air(t, 4, 315))); f.Smoke != likelihood.NotDetermined {
		t.Errorf("%+v", f)
	}
}
