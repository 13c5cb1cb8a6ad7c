package plume_test

import (
	"math"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestBurnWindowsIncludeBothEnds promises when a fire counts: air over Alipur at
// noon meets a fire there seen up to 6 hours earlier or 3 later, at night 3 and 3.
// The track is cut to its first spot, so that nothing else counts.
func TestBurnWindowsIncludeBothEnds(t *testing.T) {
	g, p := northwest(t), plume.Standard()
	p.Hours = 1
	track := p.Back(field(t, g, wind.M100), g.MixingAt, alipur, noon)
	track.Spots = track.Spots[:1]
	for _, tt := range []struct {
		seen   time.Duration // after noon
		night  bool
		window int
		want   bool
	}{
		{-6 * time.Hour, false, 2, true},
		{-6*time.Hour - time.Minute, false, 2, false},
		{3 * time.Hour, false, 2, true},
		{3*time.Hour + time.Minute, false, 2, false},
		{-3 * time.Hour, true, 2, true},
		{-3*time.Hour - time.Minute, true, 2, false},
		{-3 * time.Hour, false, 1, true},
		{-3*time.Hour - time.Minute, false, 1, false},
		{-time.Hour, false, 0, true},
		{-time.Hour - time.Minute, false, 0, false},
		{time.Hour, true, 0, true},
		{time.Hour + time.Minute, true, 0, false},
	} {
		f := plume.Fire{At: alipur, Time: noon.Add(tt.seen), FRP: 1, Night: tt.night}
		// By hand: 0.25 h / (2π 10² km²) / 0.5 km of mixing.
		got, want := p.Weigh(track, f, tt.window), 0.25/(2*math.Pi*100)/0.5
		if !tt.want {
			want = 0
		}
		if math.Abs(got-want) > 1e-15 {
			t.Errorf("seen %s after, night %v, window %d: got %v, want %v", tt.seen, tt.night, tt.window, got, want)
		}
	}
}

// TestMixingDividesWeight promises that smoke in a shallow layer weighs more, down
// to 100 m, and that without any known height it is not taken into account.
func TestMixingDividesWeight(t *testing.T) {
	fire := examples()[0].fire
	weigh := func(metres float64) float64 {
		g := air(t, metres, from(4, 315), wind.M100)
		var m plume.Mixing
		if g.HasMixing() {
			m = g.MixingAt
		}
		p := plume.Standard()
		return p.Weigh(p.Back(field(t, g, wind.M100), m, alipur, noon), fire, 2)
	}
	none := weigh(0)
	for metres, want := range map[float64]float64{1000: 1, 500: 2, 2000: 0.5, 100: 10, 40: 10} {
		if got := weigh(metres) / none; off(got, want) > 1e-12 {
			t.Errorf("%v m: %v times the weight without, want %v", metres, got, want)
		}
	}
}

// TestHoursWeighByTheirPM25 promises that an hour counts by its share of the
// particles: not at all with none, and alone with all.
func TestHoursWeighByTheirPM25(t *testing.T) {
	g := northwest(t)
	x := index(t, byMeridian, examples()[0].fire, examples()[2].fire)
	one, other := plume.Hour{Time: noon.Add(-8 * time.Hour), PM25: 100}, plume.Hour{Time: noon, PM25: 300}
	a, b := ask(t, x, whole(one), g), ask(t, x, whole(other), g)
	both := ask(t, x, whole(one, other), g)
	for i := range both.Members {
		want := 0.25*a.Members[i].Influence + 0.75*b.Members[i].Influence
		if got := both.Members[i].Influence; off(got, want) > 1e-12 {
			t.Errorf("member %d: got %v, want %v", i, got, want)
		}
	}
	one.PM25 = 0
	if got, want := ask(t, x, whole(one, other), g).States[0], b.States[0]; got != want {
		t.Errorf("with an empty hour: got %v, want %v", got, want)
	}
}

// TestTheEdgeOfTheWindIsReported promises that tracks end where the wind does, and
// that how many, and how early, is said. At 40 m/s air needs less than 14 hours from
// the edge of the made-up grid.
func TestTheEdgeOfTheWindIsReported(t *testing.T) {
	a := ask(t, index(t, byMeridian, examples()[0].fire), whole(), air(t, 500, from(40, 315), wind.Levels()...))
	if e := a.Edge; e.Tracks != 20 || e.Cut != 20 || e.Unbegun != 0 || e.Shortest < 6 || e.Shortest > 14 {
		t.Errorf("got %+v", e)
	}
	a = ask(t, index(t, byMeridian, examples()[0].fire), whole(), northwest(t))
	if e := a.Edge; e.Tracks != 20 || e.Cut != 0 || e.Shortest != 72 {
		t.Errorf("in a slow wind: got %+v", e)
	}
}

// TestAnIndexKeepsToItsArea promises that fires outside are counted and left out.
func TestAnIndexKeepsToItsArea(t *testing.T) {
	fire := examples()[0].fire
	far := fire
	far.At = plume.Point{Lat: -3, Lon: -60}
	x, err := plume.NewIndex(plume.Standard(), []plume.Fire{fire, far}, plume.Reach(northwest(t).Shape()), byMeridian)
	if err != nil {
		t.Fatal(err)
	}
	if in, out := x.Fires(); in != 1 || out != 1 {
		t.Errorf("%d fires inside and %d outside, want 1 and 1", in, out)
	}
}

// TestWhatMakesNoSenseIsRefused promises a fault for input that is out of bounds.
func TestWhatMakesNoSenseIsRefused(t *testing.T) {
	good := examples()[0].fire
	nan := math.NaN()
	for name, spoil := range map[string]func(f *plume.Fire){
		"latitude":       func(f *plume.Fire) { f.At.Lat = 91 },
		"longitude":      func(f *plume.Fire) { f.At.Lon = nan },
		"negative power": func(f *plume.Fire) { f.FRP = -1 },
		"too much power": func(f *plume.Fire) { f.FRP = 1e6 },
		"no power":       func(f *plume.Fire) { f.FRP = nan },
		"no time":        func(f *plume.Fire) { f.Time = time.Time{} },
		"another year":   func(f *plume.Fire) { f.Time = f.Time.AddDate(-1, 0, 0) }, // beside the good one
	} {
		bad := good
		spoil(&bad)
		_, err := plume.NewIndex(plume.Standard(), []plume.Fire{good, bad}, plume.Everywhere(), byMeridian)
		if k := fault.KindOf(err); err == nil || k != fault.Invalid && k != fault.TooLarge {
			t.Errorf("fire with %s: got %v", name, err)
		}
	}
	policy := plume.Standard()
	policy.Burn[0].After = 1000 * time.Hour
	if _, err := plume.NewIndex(policy, nil, plume.Everywhere(), byMeridian); fault.KindOf(err) != fault.Invalid || err == nil {
		t.Errorf("policy: got %v", err)
	}
	x := index(t, byMeridian, good)
	for name, q := range map[string]plume.Question{
		"no hours":          {At: alipur},
		"no PM2.5":          whole(plume.Hour{Time: noon}),
		"negative PM2.5":    whole(plume.Hour{Time: noon, PM25: -1}),
		"five past":         whole(plume.Hour{Time: noon.Add(5 * time.Minute), PM25: 1}),
		"one hour twice":    whole(plume.Hour{Time: noon, PM25: 1}, plume.Hour{Time: noon, PM25: 1}),
		"too many hours":    whole(make([]plume.Hour, plume.MaxHours+1)...),
		"not on the map":    {At: plume.Point{Lat: 90}, Hours: whole().Hours},
		"PM2.5 not a value": whole(plume.Hour{Time: noon, PM25: nan}),
	} {
		if _, err := x.Attribute(q, northwest(t)); err == nil || fault.KindOf(err) != fault.Invalid {
			t.Errorf("question with %s: got %v", name, err)
		}
	}
}
