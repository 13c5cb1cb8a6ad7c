package analysis_test

import (
	"math"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/quality"
)

// TestReadingsThatSpeakAgainstThemselvesAreNamed promises that a board and an answer say
// which hours of which station are doubted, and what they read.
func TestReadingsThatSpeakAgainstThemselvesAreNamed(t *testing.T) {
	o := whole(t)
	for i := range o.Air { // nothing stands still but Wazirpur, and Alipur's fine particles are above its coarse ones
		r := &o.Air[i]
		if r.Site == "site_1434" {
			continue
		}
		for j := range r.Values {
			r.Values[j].Amount += aqi.Amount(i) * aqi.Micro / 10
		}
	}
	board := prepare(t, o).Board()
	by := map[aqi.Site]quality.Flag{}
	for _, d := range board.Doubts {
		by[d.Site] = d.Flag
		switch {
		case d.Site == "site_1434" && (d.Value != 180 || d.Hours != aqi.Day || d.Beside != nil):
			t.Errorf("Wazirpur: %+v", d)
		case d.Site == "site_5024" && (d.Hours != aqi.Day || d.Beside == nil || math.Abs(d.Value-*d.Beside-100) > 0.05):
			t.Errorf("Alipur: %+v", d)
		}
	}
	if len(board.Doubts) != 2 || by["site_1434"] != quality.Stuck || by["site_5024"] != quality.Reversed {
		t.Errorf("%+v", board.Doubts)
	}
	w := onlyBySecond(t, o).Whose
	if len(w.Data.Flags) != 1 || len(w.Data.Doubts) != 1 || w.Data.Doubts[0].Flag != quality.Reversed {
		t.Fatalf("%v, %+v", w.Data.Flags, w.Data.Doubts)
	}
	if from := w.Data.Doubts[0].From; from.Minute() != 30 || now.Sub(from) > 48*time.Hour {
		t.Errorf("from %s", from)
	}
}
