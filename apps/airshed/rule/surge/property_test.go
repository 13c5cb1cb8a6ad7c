package surge_test

import (
	"reflect"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

// someAir is a random series that hovers around the thresholds, with gaps.
func someAir(t *rapid.T) []int {
	var out []int
	for n := rapid.IntRange(1, 14).Draw(t, "stretches"); n > 0; n-- {
		length := rapid.IntRange(1, 60).Draw(t, "hours")
		if rapid.IntRange(0, 9).Draw(t, "gap") == 0 {
			out = append(out, times(length, -1)...)
			continue
		}
		level := rapid.SampledFrom([]int{30, 90, 115, 120, 122, 140, 180, 260}).Draw(t, "level")
		for range length {
			out = append(out, level+rapid.IntRange(-3, 3).Draw(t, "noise"))
		}
	}
	return out
}

// plain says the definition once more, slowly and from the readings alone.
type plain struct{ pm25 []int }

func (p plain) at(i int) int {
	if i < 0 || i >= len(p.pm25) {
		return -1
	}
	return p.pm25[i]
}

func (p plain) surging(i int) bool {
	var usual []int
	for d := 1; d <= 14; d++ {
		if v := p.at(i - 24*d); v >= 0 {
			usual = append(usual, v)
		}
	}
	if len(usual) < 8 {
		return p.at(i) >= 120
	}
	slices.Sort(usual)
	median := float64(usual[len(usual)/2]) // values are whole: halves are exact in binary
	if len(usual)%2 == 0 {
		median = float64(usual[len(usual)/2-1]+usual[len(usual)/2]) / 2
	}
	return p.at(i) >= 120 && float64(p.at(i)) >= 1.5*median
}

// mean is that of the 24 hours up to one, and whether enough were measured.
func (p plain) mean(i int) (float64, bool) {
	sum, n := 0, 0
	for j := i - 23; j <= i; j++ {
		if v := p.at(j); v >= 0 {
			sum, n = sum+v, n+1
		}
	}
	return float64(sum) / float64(max(n, 1)), n >= 16
}

// starts lists where episodes begin and how long each goes on.
func (p plain) starts() (starts, lasts []int) {
	open, free, quiet, silent := false, 0, 0, 0
	for i := range p.pm25 {
		mean, known := p.mean(i)
		above := known && mean >= 120.65 // 300.5 rounds up to 301
		if !open {
			var run []int
			count := 0
			for j := max(free, i-23); j <= i; j++ {
				if !p.surging(j) {
					continue
				}
				if count++; len(run) > 0 && j-run[len(run)-1] > 6 {
					run = nil
				}
				run = append(run, j)
			}
			if above && count >= 6 {
				starts, lasts, open, quiet, silent = append(starts, run[0]), append(lasts, i), true, 0, 0
			}
			continue
		}
		switch {
		case above:
			quiet, silent, lasts[len(lasts)-1] = 0, 0, i
		case known:
			quiet, silent = quiet+1, 0
		default:
			silent++
		}
		if quiet == 12 || silent == 24 {
			open, free = false, i+1
		}
	}
	return starts, lasts
}

// TestEpisodesAgreeWithTheDefinitionReadSlowly promises that the rule finds what a
// second reading of the definition finds. PM10 and NO2 are measured too, so an hour
// without fine particles may still have an index, but never one above 300 and, with
// two pollutants left, none at all.
func TestEpisodesAgreeWithTheDefinitionReadSlowly(t *testing.T) {
	found := 0
	agrees := func(rt *rapid.T) {
		air := someAir(rt)
		tr := measured(t, alipur, air...)
		starts, lasts := plain{air}.starts()
		got := surge.Standard().Episodes(tr)
		if len(got) != len(starts) {
			rt.Fatalf("found %d, want %d", len(got), len(starts))
		}
		for i, e := range got {
			if e.Start != first.Plus(starts[i]) || e.Last != first.Plus(lasts[i]) {
				rt.Fatalf("episode %d from %d to %d, want %d to %d", i, e.Start.Since(first), e.Last.Since(first), starts[i], lasts[i])
			}
			found++
		}
	}
	for found < 20 && !t.Failed() { // calm air proves nothing
		rapid.Check(t, agrees)
	}
}

// TestLookingAgainLaterKeepsEveryKey promises that an episode keeps its key, its
// start and its opening however much later somebody looks, that episodes do not
// overlap, and that hours not yet over count for nothing.
func TestLookingAgainLaterKeepsEveryKey(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		air := someAir(rt)
		whole := measured(t, alipur, air...)
		now := after(rapid.IntRange(0, len(air)).Draw(rt, "now"))
		early, late := surge.Standard().Episodes(whole.Until(now)), surge.Standard().Episodes(whole)
		if len(early) > len(late) {
			rt.Fatalf("%d became %d", len(early), len(late))
		}
		for i, e := range early {
			if e.Key != late[i].Key || e.Opened != late[i].Opened || !e.Open() && !reflect.DeepEqual(e, late[i]) {
				rt.Fatalf("%+v became %+v", e, late[i])
			}
		}
		for i := 1; i < len(late); i++ {
			if late[i-1].Open() || late[i].Start <= late[i-1].Closed {
				rt.Fatalf("%+v and %+v overlap", late[i-1], late[i])
			}
		}
	})
}

// TestShiftingEverybodyAlikeChangesNoDifference promises that a comparison looks at
// what sets the station apart and not at how bad the city's air is.
func TestShiftingEverybodyAlikeChangesNoDifference(t *testing.T) {
	controls := []aqi.Site{"site_1430", "dtu", "site_1434", "site_1423", "ito"}
	rapid.Check(t, func(rt *rapid.T) {
		n := rapid.IntRange(1, 5).Draw(rt, "controls")
		by := rapid.IntRange(0, 100).Draw(rt, "more")
		own, lifted := times(20, 200), times(20, 200+by)
		e := surge.Standard().Episodes(measured(t, alipur, own...))[0]
		var a, b []surge.Track
		for i := range n {
			v := rapid.SliceOfN(rapid.IntRange(0, 400), 20, 20).Draw(rt, "control")
			w := slices.Clone(v)
			for j := range w {
				w[j] += by
			}
			a, b = append(a, measured(t, controls[i], v...)), append(b, measured(t, controls[i], w...))
		}
		x, y := surge.Compare(measured(t, alipur, own...), e, a), surge.Compare(measured(t, alipur, lifted...), e, b)
		slices.Reverse(a)
		if !reflect.DeepEqual(x, y) || !reflect.DeepEqual(x, surge.Compare(measured(t, alipur, own...), e, a)) {
			rt.Fatalf("%+v became %+v", x, y)
		}
	})
}
