package analysis_test

import (
	"bytes"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
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
