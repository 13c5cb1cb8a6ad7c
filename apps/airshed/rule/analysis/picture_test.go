package analysis_test

import (
	"math"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
)

// TestThePictureShowsTheWayOfTheAir promises that what is drawn is the way that the
// published example computes: in 24 hours, 4 m/s from the north-west come from
// 31.0131 N, 74.6172 E, and the place is uncertain by a fifth of the way.
func TestThePictureShowsTheWayOfTheAir(t *testing.T) {
	d := prepare(t, whole(t))
	p, err := d.Picture(d.Keys()[0])
	if err != nil {
		t.Fatal(err)
	}
	if got, want := len(p.Corridor), 16; got != want {
		t.Fatalf("%d passages, want %d", got, want)
	}
	weight := 0.0
	for _, c := range p.Corridor {
		weight += c.Weight
		at := c.Points[24]
		if len(c.Points) != 37 || math.Abs(at.Lat-31.0131) > 0.002 || math.Abs(at.Lon-74.6172) > 0.002 {
			t.Errorf("after 24 hours of %d points at %v, want 31.0131, 74.6172", len(c.Points), at)
		}
		if got, want := at.Width, 69.8; math.Abs(got-want) > 0.11 { // hypot(10, 0.2 × 345.6), by hand
			t.Errorf("uncertain by %v km, want %v", got, want)
		}
	}
	if math.Abs(weight-1) > 0.001 {
		t.Errorf("weights add up to %v, want 1", weight)
	}
	if len(p.Fires) != 12 || p.NotDrawn != 0 || p.Fires[0].State != west {
		t.Errorf("%d fires: %+v", len(p.Fires), p.Fires)
	}
	last := p.Series[len(p.Series)-1]
	if *last.PM25 != 300 || *last.Index != 438 || *last.Interior != 190 || !last.Surging || p.Series[0].PM25 != nil {
		t.Errorf("series %+v … %+v", p.Series[0], last)
	}
}

// TestAnHourCountsByItsPM25 promises the weight of each hour, and that its air is
// followed from the middle of it.
func TestAnHourCountsByItsPM25(t *testing.T) {
	o := whole(t)
	for i := range 40 {
		if i%2 == 0 {
			o.Air[i].Values[0].Amount = 500_000_000
		}
	}
	d := prepare(t, o)
	p, err := d.Picture(d.Keys()[0])
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range p.Corridor[1:] {
		ratio, want := c.Weight/p.Corridor[i].Weight, 5.0/3
		if ratio < 1 {
			ratio = 1 / ratio
		}
		if math.Abs(ratio-want) > 0.01 || c.Arrives.Minute() != 0 { // hours in India begin at half past in UTC
			t.Errorf("arriving %s: %v times the weight of the hour before, want %v", c.Arrives, ratio, want)
		}
	}
}

// TestThePictureHasABound promises that a world of fires is not drawn, that the
// strongest are, and that the rest is counted; and that without wind no way is.
func TestThePictureHasABound(t *testing.T) {
	o := whole(t)
	o.Wind = nil
	for i := range analysis.MaxDrawn {
		f := o.Fires[0]
		f.Lat, f.FRP = 24+float64(i)*0.004, 1
		o.Fires = append(o.Fires, f)
	}
	d := prepare(t, o)
	p, err := d.Picture(d.Keys()[0])
	if err != nil {
		t.Fatal(err)
	}
	strong := 0
	for _, f := range p.Fires {
		if f.FRP == 10 {
			strong++
		}
	}
	if len(p.Fires) != analysis.MaxDrawn || p.NotDrawn != 12 || strong != 12 || len(p.Corridor) != 0 {
		t.Errorf("%d drawn, %d not, %d strong, %d passages", len(p.Fires), p.NotDrawn, strong, len(p.Corridor))
	}
	if _, err := d.Picture("site_5024@2025-11-01T00:30Z"); err == nil {
		t.Error("there is a picture of an episode that is not there")
	}
}
