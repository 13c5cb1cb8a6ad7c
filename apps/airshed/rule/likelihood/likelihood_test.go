package likelihood_test

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
)

// TestTheStateUpwindIsNamed promises the plain case: steady wind over many fires of one
// state, all of it seen, gives that state nearly all of the members.
func TestTheStateUpwindIsNamed(t *testing.T) {
	a := answer(t, surge(), air(t, 4, 315))
	if a.States[0].State != "C" || a.States[0].P < 0.95 || a.Data.Grade == likelihood.Low {
		t.Errorf("states %+v, data %+v", a.States, a.Data)
	}
	if turned := answer(t, surge(), air(t, 4, 135)); of(turned, "C").P > 0.05 {
		t.Errorf("with the wind from the other side: %+v", turned.States)
	}
	if c := of(a, "C"); !(c.Low <= c.Median && c.Median <= c.High && c.High <= 1) {
		t.Errorf("a range out of order: %+v", c)
	}
}

// TestTheSameDataGiveTheSameBytes promises an answer that does not depend on the order
// of the rows, and that other data with the same fires draw other numbers.
func TestTheSameDataGiveTheSameBytes(t *testing.T) {
	g := air(t, 4, 300)
	q := surge()
	first, _ := json.Marshal(answer(t, q, g))
	again := surge()
	r := rand.New(rand.NewPCG(3, 3))
	r.Shuffle(len(again.Fires), func(i, j int) { again.Fires[i], again.Fires[j] = again.Fires[j], again.Fires[i] })
	r.Shuffle(len(again.Land), func(i, j int) { again.Land[i], again.Land[j] = again.Land[j], again.Land[i] })
	if second, _ := json.Marshal(answer(t, again, g)); string(first) != string(second) {
		t.Errorf("%s\n%s", first, second)
	}
	q.Digest[0]++
	if other, _ := json.Marshal(answer(t, q, g)); string(first) == string(other) {
		t.Error("another digest drew the same numbers")
	}
}

// TestMoreAllowanceForOthersNeverRaisesAState promises that cloud over other states,
// under which more of their fires go unseen, never makes a state's smoke likelier.
func TestMoreAllowanceForOthersNeverRaisesAState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := surge()
		q.Hours, q.Week = q.Hours[18:], nil
		q.Fires = q.Fires[:rapid.IntRange(1, 40).Draw(t, "fires")]
		for i := range q.Passes {
			q.Passes[i].Delivered = rapid.Bool().Draw(t, "delivered")
		}
		for i := range q.Fires[1:] {
			q.Fires[i+1].Between = rapid.Bool().Draw(t, "watched")
		}
		of := rapid.SampledFrom([]string{"B", "C", "D"}).Draw(t, "state")
		before := few(t, q, rapid.Float64Range(0, 359).Draw(t, "wind"))
		for i := range q.Passes {
			cloudier := map[string]float64{}
			for s, c := range q.Passes[i].Cloud {
				cloudier[s] = c
				if s != of {
					cloudier[s] = c + (1-c)*rapid.Float64Range(0, 1).Draw(t, "more cloud")
				}
			}
			q.Passes[i].Cloud = cloudier
		}
		after := few(t, q, before.turn)
		if after.p(of) > before.p(of) {
			t.Fatalf("%s had P %v, and with more allowance for the others %v", of, before.p(of), after.p(of))
		}
	})
}

// few is an answer of few members, which is enough where each of them keeps a promise.
func few(t *rapid.T, q likelihood.Question, turn float64) fewer {
	p := likelihood.Standard()
	p.Members = 8
	a, err := p.Answer(q, steady(turn))
	if err != nil {
		t.Fatal(err)
	}
	return fewer{a, turn}
}

type fewer struct {
	likelihood.Answer

	turn float64
}

func (f fewer) p(state string) float64 { return of(f.Answer, state).P }

// TestFewPixelsAndBlankPassesGetNoWord promises the sparse case: twelve pixels, with
// most days' passes missing, are "data low" whatever P is, and no word stands on them.
func TestFewPixelsAndBlankPassesGetNoWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := surge()
		q.Hours, q.Week = q.Hours[18:], nil
		q.Fires = burning(plume.Point{Lat: 30.4, Lon: 75.2}, 12, rapid.Uint64().Draw(t, "seed"))
		kept := rapid.IntRange(0, len(q.Passes)-1).Draw(t, "kept")
		for i := range q.Passes {
			q.Passes[i].Delivered = i == kept
		}
		a := few(t, q, rapid.Float64Range(0, 359).Draw(t, "wind"))
		f := likelihood.Standard().Finding(a.Answer)
		if a.Data.Grade != likelihood.Low || f.Word != likelihood.NotDetermined || f.Act != likelihood.Nothing {
			t.Fatalf("data %+v, finding %+v", a.Data, f)
		}
	})
}

// TestWatchedFiresSpeakForTheSharesAlone promises, for any fires that only a watching
// satellite saw, that how good the data are stays what it was, and that without a fire
// that a pass saw there is no probability.
func TestWatchedFiresSpeakForTheSharesAlone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := surge()
		q.Hours, q.Week = q.Hours[18:], nil
		q.Fires = q.Fires[:rapid.IntRange(1, 40).Draw(t, "fires")]
		turn := rapid.Float64Range(0, 359).Draw(t, "wind")
		before := few(t, q, turn)
		watched := burning(plume.Point{Lat: 30.4, Lon: 75.2}, rapid.IntRange(1, 60).Draw(t, "watched"), 9)
		for i := range watched {
			watched[i].Between, watched[i].FRP = true, 60
		}
		q.Fires = append(q.Fires, watched...)
		after := few(t, q, turn)
		if !reflect.DeepEqual(before.Data, after.Data) {
			t.Fatalf("got %+v, before %+v", after.Data, before.Data)
		}
		q.Fires = watched
		if alone := few(t, q, turn); alone.Made || !slices.Equal(alone.Why, []likelihood.Reason{likelihood.NoFires}) {
			t.Fatalf("watched fires alone gave %+v", alone.Answer)
		}
	})
}

// TestWatchedFiresWeighInTheShares promises that they count, by state and apart from what
// passes saw, that fires in another state make a state's smoke less likely, and that they
// say nothing on whether smoke mattered.
func TestWatchedFiresWeighInTheShares(t *testing.T) {
	q, g := surge(), air(t, 4, 315)
	before := answer(t, q, g)
	watched := burning(plume.Point{Lat: 29.6, Lon: 76.4}, 90, 3) // upwind, and nearer
	for i := range watched {
		watched[i].Between, watched[i].FRP, watched[i].State = true, 40, "D"
	}
	q.Fires = append(q.Fires, watched...)
	after := answer(t, q, g)
	c, d := of(after, "C"), of(after, "D")
	if c.Median >= of(before, "C").Median || d.Median <= of(before, "D").Median || d.Between != 90 ||
		d.Fires != of(before, "D").Fires {
		t.Errorf("got %+v and %+v, before %+v and %+v", c, d, of(before, "C"), of(before, "D"))
	}
	if after.Matter != before.Matter || !before.Matter.Known {
		t.Errorf("got %+v, before %+v", after.Matter, before.Matter)
	}
}

// TestNothingIsWorkedOutOfNothing promises that without wind, fires or a search for
// them there is no probability at all.
func TestNothingIsWorkedOutOfNothing(t *testing.T) {
	g := air(t, 4, 315)
	none, unlooked := surge(), surge()
	none.Fires, unlooked.Looked = nil, false
	for _, tt := range []struct {
		a    likelihood.Answer
		want likelihood.Reason
	}{
		{answer(t, surge(), nil), likelihood.NoWind},
		{answer(t, none, g), likelihood.NoFires},
		{answer(t, unlooked, g), likelihood.NotLooked},
	} {
		if tt.a.Made || !slices.Equal(tt.a.Why, []likelihood.Reason{tt.want}) || len(tt.a.States) != 0 {
			t.Errorf("want %s: %+v", tt.want, tt.a)
		}
		if f := likelihood.Standard().Finding(tt.a); f.Act != likelihood.Nothing || f.Word != likelihood.NotDetermined {
			t.Errorf("%s: %+v", tt.want, f)
		}
	}
}
