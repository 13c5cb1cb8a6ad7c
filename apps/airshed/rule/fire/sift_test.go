package fire_test

import (
	"maps"
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
)

// noon is about when the satellites pass by day.
func noon() time.Time { return time.Date(2026, 11, 12, 8, 0, 0, 0, time.UTC) }

// seen is a made-up detection in Haryana, so many km north of one place.
func seen(by fire.Satellite, north float64, after time.Duration, frp float64) fire.Detection {
	const degree = 111.195 // km, of a meridian on the sphere
	return fire.Detection{
		At: fire.Point{Lat: 29 + north/degree, Lon: 76}, Time: noon().Add(after), Satellite: by, Instrument: fire.VIIRS,
		Confidence: fire.Nominal, Percent: -1, Scan: 0.4, Track: 0.4, FRP: frp, Light: fire.Day, Version: "2.0NRT",
	}
}

func powers(ds []fire.Detection) []float64 {
	var out []float64
	for _, d := range ds {
		out = append(out, d.FRP)
	}
	slices.Sort(out)
	return out
}

// TestDistancesAgreeWithThePublishedFigures holds distances from Alipur that were
// computed by hand for the examples of the attribution method, in km.
func TestDistancesAgreeWithThePublishedFigures(t *testing.T) {
	alipur := fire.Point{Lat: 28.815329, Lon: 77.153010}
	for at, want := range map[fire.Point]float64{
		{Lat: 29.91419, Lon: 75.89212}: 172.8, {Lat: 30.29574, Lon: 76.33231}: 182.8,
		{Lat: 31.01305, Lon: 74.61723}: 345.6, {Lat: 28.9845, Lon: 77.7064}: 57.1,
	} {
		if got := fire.Distance(alipur, at); math.Abs(got-want) > 0.15 {
			t.Errorf("%v: got %.2f, want %.1f", at, got, want)
		}
	}
}

// TestSameFireIsCountedOnce holds what counts as the same fire: another satellite,
// within a kilometre and two hours, both included. The strongest stays.
func TestSameFireIsCountedOnce(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []fire.Detection
		want []float64 // powers that stay
	}{
		{"two satellites", []fire.Detection{seen("NOAA-20", 0, 0, 3), seen("NOAA-21", 0.9, 50*time.Minute, 5)}, []float64{5}},
		{"two hours", []fire.Detection{seen("NOAA-20", 0, 0, 3), seen("NOAA-21", 0.9, 2*time.Hour, 5)}, []float64{5}},
		{"longer", []fire.Detection{seen("NOAA-20", 0, 0, 3), seen("NOAA-21", 0.9, 2*time.Hour+time.Minute, 5)}, []float64{3, 5}},
		{"farther", []fire.Detection{seen("NOAA-20", 0, 0, 3), seen("NOAA-21", 1.01, 0, 5)}, []float64{3, 5}},
		{"pixels of one satellite", []fire.Detection{seen("NOAA-20", 0, 0, 3), seen("NOAA-20", 0.4, 0, 5), seen("NOAA-20", 0.8, 0, 4)},
			[]float64{3, 4, 5}},
		{"its pixels stay with the strongest", []fire.Detection{seen("NOAA-20", 0, 0, 9), seen("NOAA-20", 0.4, 0, 2),
			seen("NOAA-21", 0.2, 0, 8)}, []float64{2, 9}},
		{"three satellites", []fire.Detection{seen("NOAA-20", 0, 0, 3), seen("NOAA-21", 0.1, 0, 5), seen("Suomi-NPP", 0.2, 0, 4)},
			[]float64{5}},
		{"a chain: the far end is another fire", []fire.Detection{seen("NOAA-20", 0, 0, 7), seen("NOAA-21", 0.8, 0, 6),
			seen("NOAA-20", 1.6, 0, 5)}, []float64{5, 7}},
		{"equals: the satellite listed first", []fire.Detection{seen("NOAA-20", 0, 0, 3), seen("NOAA-21", 0, 0, 3)}, []float64{3}},
		{"the same row twice", []fire.Detection{seen("NOAA-20", 0, 0, 3), seen("NOAA-20", 0, 0, 3)}, []float64{3}},
	} {
		got := fire.Standard().Sift(tt.in, known(t), fire.Mask{})
		if p := powers(got.Kept); !slices.Equal(p, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, p, tt.want)
		}
		if n := len(tt.in) - len(tt.want); got.Dropped[fire.SeenTwice]+got.Dropped[fire.Repeated] != n {
			t.Errorf("%s: got %v, want %d dropped", tt.name, got.Dropped, n)
		}
	}
	equal := fire.Standard().Sift([]fire.Detection{seen("NOAA-20", 0, 0, 3), seen("NOAA-21", 0, 0, 3)}, known(t), fire.Mask{})
	if got := equal.Kept[0].Satellite; got != "NOAA-21" {
		t.Errorf("of equals %s stays, want NOAA-21", got)
	}
}

// TestFactorOfASatelliteDecidesWhoSawItStrongest promises that the factor is data
// that works.
func TestFactorOfASatelliteDecidesWhoSawItStrongest(t *testing.T) {
	c := known(t)
	in := []fire.Detection{seen("NOAA-20", 0, 0, 10), seen("NOAA-21", 0, 0, 10.5)}
	if got := fire.Standard().Sift(in, c, fire.Mask{}).Kept[0].Satellite; got != "NOAA-21" {
		t.Errorf("got %s with equal factors, want NOAA-21", got)
	}
	c.Sensors = slices.Clone(c.Sensors)
	c.Sensors[0].Factor = 0.9 // NOAA-21 reads a tenth high
	if got := fire.Standard().Sift(in, c, fire.Mask{}).Kept[0].Satellite; got != "NOAA-20" {
		t.Errorf("got %s, want NOAA-20: 10.5 MW are 9.45", got)
	}
}

// TestFinalRowReplacesThePreliminaryOne promises that the same pixel from two
// processings counts once, by the final one, and that a mixture is said.
func TestFinalRowReplacesThePreliminaryOne(t *testing.T) {
	final := seen("NOAA-20", 0, 0, 2)
	final.Version = "2.0"
	got := fire.Standard().Sift([]fire.Detection{seen("NOAA-20", 0, 0, 3), final}, known(t), fire.Mask{})
	if len(got.Kept) != 1 || !got.Kept[0].Standard() || got.Dropped[fire.Repeated] != 1 || got.Mixed != nil {
		t.Errorf("got %+v, want the final row alone", got)
	}
	got = fire.Standard().Sift([]fire.Detection{seen("NOAA-20", 9, 0, 3), final}, known(t), fire.Mask{})
	if !slices.Equal(got.Mixed, []fire.Satellite{"NOAA-20"}) {
		t.Errorf("got %v, want NOAA-20 named as mixed", got.Mixed)
	}
}

// TestWhatIsLeftOutIsCountedByReason promises that nothing goes without being
// counted, the unsure first of all.
func TestWhatIsLeftOutIsCountedByReason(t *testing.T) {
	low, unread, volcano, farm := seen("NOAA-20", 0, 0, 1), seen("NOAA-20", 5, 0, 1), seen("NOAA-20", 10, 0, 1), seen("NOAA-20", 15, 0, 1)
	low.Confidence, unread.Confidence, volcano.Kind, farm.Kind = fire.Low, 0, fire.Volcano, fire.Vegetation
	works := seen("NOAA-20", 20, 0, 1)
	mask, err := fire.NewMask("m1", []fire.Site{{Name: "Works", Kind: "steel", At: works.At, Radius: 1, Source: "made up"}})
	if err != nil {
		t.Fatal(err)
	}
	got := fire.Standard().Sift([]fire.Detection{low, unread, volcano, farm, works}, known(t), mask)
	want := map[fire.Reason]int{fire.LowConfidence: 2, fire.NotVegetation: 1, fire.StaticSource: 1}
	if !maps.Equal(got.Dropped, want) || len(got.Kept) != 1 || got.Masked["Works"] != 1 || got.Rows != 5 {
		t.Errorf("got %+v, want %v", got, want)
	}
	all := fire.Standard()
	all.Least = fire.Low
	if got := all.Sift([]fire.Detection{low}, known(t), fire.Mask{}); len(got.Kept) != 1 {
		t.Errorf("a policy that takes the unsure kept %d", len(got.Kept))
	}
}

// some are random detections that crowd around each other, on both sides of the
// date line and of the equator.
func some(t *rapid.T) []fire.Detection {
	var out []fire.Detection
	n := rapid.IntRange(0, 40).Draw(t, "detections")
	lon := rapid.SampledFrom([]float64{76, 179.995, -0.004}).Draw(t, "meridian")
	lat := rapid.SampledFrom([]float64{29, -0.003, 70}).Draw(t, "parallel")
	for i := range n {
		d := seen(rapid.SampledFrom([]fire.Satellite{"NOAA-20", "NOAA-21", "Suomi-NPP"}).Draw(t, "by"), 0,
			time.Duration(rapid.IntRange(-150, 150).Draw(t, "minute"))*time.Minute, float64(rapid.IntRange(1, 9).Draw(t, "MW")))
		d.Line = i + 2
		d.At.Lat = lat + float64(rapid.IntRange(0, 30).Draw(t, "north"))*0.001
		if d.At.Lon = lon + float64(rapid.IntRange(0, 30).Draw(t, "east"))*0.001; d.At.Lon > 180 {
			d.At.Lon -= 360
		}
		d.Confidence = rapid.SampledFrom([]fire.Confidence{fire.Low, fire.Nominal, fire.High}).Draw(t, "sure")
		out = append(out, d)
	}
	return out
}

func twins(a, b fire.Detection) bool {
	return a.Satellite != b.Satellite && a.Time.Sub(b.Time).Abs() <= 2*time.Hour && fire.Distance(a.At, b.At) <= 1
}

// TestSiftingKeepsItsPromises promises, for any detections, that the sums are
// right, that no two that stay are of different satellites and near each other,
// that whatever sure one went is near one that stayed and is as strong, that order
// makes no difference, and that sifting twice is sifting once.
func TestSiftingKeepsItsPromises(t *testing.T) {
	c, p := known(t), fire.Standard()
	rapid.Check(t, func(t *rapid.T) {
		in := some(t)
		got := p.Sift(in, c, fire.Mask{})
		n := len(got.Kept)
		for _, d := range got.Dropped {
			n += d
		}
		if n != len(in) || got.Rows != len(in) {
			t.Fatalf("%d of %d are accounted for", n, len(in))
		}
		for i, a := range got.Kept {
			if slices.ContainsFunc(got.Kept[:i], func(b fire.Detection) bool { return twins(a, b) }) {
				t.Fatalf("%+v stays beside its twin", a)
			}
		}
		for _, d := range in {
			stands := func(k fire.Detection) bool {
				same := k.Satellite == d.Satellite && k.Time.Equal(d.Time) && k.At == d.At
				return k.FRP >= d.FRP && (same || twins(k, d))
			}
			if d.Confidence >= fire.Nominal && !slices.ContainsFunc(got.Kept, stands) {
				t.Fatalf("nothing stands for %+v", d)
			}
		}
		if again := p.Sift(rapid.Permutation(in).Draw(t, "order"), c, fire.Mask{}); !slices.Equal(again.Kept, got.Kept) {
			t.Fatalf("in another order %v, want %v", again.Kept, got.Kept)
		}
		if twice := p.Sift(got.Kept, c, fire.Mask{}); !slices.Equal(twice.Kept, got.Kept) {
			t.Fatalf("sifted twice %v, want %v", twice.Kept, got.Kept)
		}
	})
}

// BenchmarkSiftWorldDay sifts as many detections as a day of the whole world has.
func BenchmarkSiftWorldDay(b *testing.B) {
	c, in := known(b), make([]fire.Detection, 200_000)
	for i := range in {
		in[i] = seen(c.Sensors[i%3].Satellite, 0, time.Duration(i*7%1440)*time.Minute, float64(i%97))
		in[i].At = fire.Point{Lat: float64(i*7919%1400)/10 - 70, Lon: float64(i*104729%36000)/100 - 180}
	}
	for b.Loop() {
		fire.Standard().Sift(in, c, fire.Mask{})
	}
}
