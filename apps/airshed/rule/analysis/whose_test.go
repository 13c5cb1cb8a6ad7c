package analysis_test

import (
	"bytes"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
)

// second is the rules with the second version of the verdict, of fewer members.
func second(t testing.TB) analysis.Rules {
	t.Helper()
	r, p := rules(t), likelihood.Standard()
	p.Members, p.Air = 20, r.Plume
	r.Whose = &p
	return r
}

func onlyBySecond(t testing.TB, o *lake.Object) analysis.Analysis {
	t.Helper()
	d, err := analysis.Prepare(o, second(t))
	if err != nil {
		t.Fatal(err)
	}
	a, err := d.Analyse(d.Keys()[0], analysis.Statements)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// TestTheSecondVersionMovesNothingElse promises that what does not say whose smoke it was
// is the same by both methods, to the byte, and that the first is not moved by the second
// being there.
func TestTheSecondVersionMovesNothingElse(t *testing.T) {
	one, two := only(t, whole(t)), onlyBySecond(t, whole(t))
	if two.Method() != analysis.Statements || one.Method() != analysis.Demands {
		t.Fatalf("the first has %v, the second %v", one.Whose, two.Whose)
	}
	two.Whose, two.Rules, two.Attribution, two.Stubble, two.Gaps = nil, one.Rules, one.Attribution, one.Stubble, one.Gaps
	a, _ := one.JSON()
	b, _ := two.JSON()
	if !bytes.Equal(a, b) {
		t.Errorf("%s\n%s", a, b)
	}
}

// TestTheSecondVersionIsTheSameInAnyOrder promises the same bytes for the same file.
func TestTheSecondVersionIsTheSameInAnyOrder(t *testing.T) {
	a, _ := onlyBySecond(t, whole(t)).JSON()
	b, _ := onlyBySecond(t, shuffled(whole(t), 5)).JSON()
	if !bytes.Equal(a, b) {
		t.Errorf("%s\n%s", a, b)
	}
}

// TestTheSecondVersionKnowsItsData promises that what the file lacks makes the data low
// and takes the word away, and leaves the figure: the made-up file knows cloud at one
// pass only, and its readings never change.
func TestTheSecondVersionKnowsItsData(t *testing.T) {
	w := onlyBySecond(t, whole(t)).Whose
	if w.State != west || w.P < 0.8 {
		t.Errorf("%s at %v", w.State, w.P)
	}
	for _, lack := range []likelihood.Lack{likelihood.CloudUnknown, likelihood.Doubtful} {
		found := false
		for _, l := range w.Data.Lacks {
			found = found || l == lack
		}
		if !found {
			t.Errorf("%s is not said: %+v", lack, w.Data)
		}
	}
	if w.Data.Grade != likelihood.Low || w.Word != likelihood.NotDetermined || w.Act != likelihood.Nothing {
		t.Errorf("%+v", w.Finding)
	}
	none := whole(t)
	none.Wind = nil
	if w := onlyBySecond(t, none).Whose; len(w.States) != 0 || len(w.Why) == 0 {
		t.Errorf("without wind: %+v", w)
	}
}

// TestThePollutantsStandTogetherInOneAnswer promises what each measured one did through the
// week, in the answer of the second version alone, and that it moves nothing else there.
func TestThePollutantsStandTogetherInOneAnswer(t *testing.T) {
	o := whole(t)
	for i := range o.Air { // forty hours more, with less of everything but NO2
		if a := o.Air[i]; a.Site == "site_5024" {
			a.Time = a.Time.Add(-40 * time.Hour)
			a.Values = []lake.Value{{Pollutant: aqi.PM25, Amount: 60 * aqi.Micro},
				{Pollutant: aqi.PM10, Amount: aqi.Amount(100+i%2) * aqi.Micro},
				{Pollutant: aqi.NO2, Amount: aqi.Amount(60+i%2) * aqi.Micro}}
			o.Air = append(o.Air, a)
		}
	}
	all := onlyBySecond(t, o).Whose.Together
	if len(all) != 3 || all[0].Pollutant != aqi.PM25 || all[0].Rank != nil || all[0].Hours != 64 || *all[0].During != 300 {
		t.Fatalf("got %+v", all)
	}
	if c := all[1]; c.Pollutant != aqi.PM10 || !c.Went || *c.Times < 1.3 || *c.Times > 2 {
		t.Errorf("PM10: %+v, rank %v", c, *c.Rank)
	}
	if c := all[2]; c.Pollutant != aqi.NO2 || c.Went || *c.Rank > -0.5 {
		t.Errorf("NO2: %+v, rank %v", c, *c.Rank)
	}
	if few := onlyBySecond(t, whole(t)).Whose.Together; few[1].Rank != nil || few[1].Went {
		t.Errorf("of forty hours: %+v", few[1])
	}
}
