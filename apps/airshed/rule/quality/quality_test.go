package quality_test

import (
	"math"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/quality"
)

// TestWhatSpeaksAgainstReadings promises each flag, and the nearest thing that is none.
func TestWhatSpeaksAgainstReadings(t *testing.T) {
	nan := math.NaN()
	calm := func() []quality.Hour {
		var out []quality.Hour
		for i := range 12 {
			v := 100 + float64(i)
			out = append(out, quality.Hour{PM25: v, PM10: 2 * v, Others: []float64{90 + float64(i), nan}})
		}
		return out
	}
	for _, tt := range []struct {
		name  string
		spoil func(h []quality.Hour)
		want  []quality.Flag
	}{
		{"nothing", func([]quality.Hour) {}, nil},
		{"fine above coarse for two hours", func(h []quality.Hour) { h[3].PM10, h[4].PM10 = 10, 10 }, nil},
		{"fine above coarse for three", func(h []quality.Hour) { h[3].PM10, h[4].PM10, h[9].PM10 = 10, 10, 10 },
			[]quality.Flag{quality.Reversed}},
		{"coarse not known", func(h []quality.Hour) {
			for i := range h {
				h[i].PM10 = nan
			}
		}, nil},
		{"the same for five hours", func(h []quality.Hour) { set(h[2:7], 150) }, nil},
		{"the same for six", func(h []quality.Hour) { set(h[2:8], 150) }, []quality.Flag{quality.Stuck}},
		{"not known for six", func(h []quality.Hour) { set(h[2:8], nan) }, nil},
		{"a jump that nobody shares", func(h []quality.Hour) { h[5].PM25, h[5].PM10 = 500, 900 }, []quality.Flag{quality.Alone}},
		{"a jump that another shares an hour later", func(h []quality.Hour) { h[5].PM25, h[5].PM10, h[6].Others[0] = 500, 900, 250 }, nil},
		{"a jump with nobody else to see it", func(h []quality.Hour) {
			for i := range h {
				h[i].Others[0] = nan
			}
			h[5].PM25, h[5].PM10 = 500, 900
		}, nil},
		{"less than twofold", func(h []quality.Hour) {
			for i := range h {
				h[i].PM25, h[i].PM10 = 300+float64(i), 900
			}
			h[5].PM25 = 520
		}, nil},
	} {
		h := calm()
		tt.spoil(h)
		if got := quality.Flags(quality.Check(h)); !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestADoubtNamesItsReadings promises that who is told of a flag can find the hours and the
// figures: the worst hour, the longest standstill, the hour before a jump.
func TestADoubtNamesItsReadings(t *testing.T) {
	nan := math.NaN()
	var h []quality.Hour
	for i := range 16 {
		v := 100 + float64(i)
		h = append(h, quality.Hour{PM25: v, PM10: 2 * v, Others: []float64{90}})
	}
	h[1].PM10, h[4].PM10, h[6].PM10 = 50, 20, 60
	set(h[8:14], 150)
	h[15].PM25, h[15].PM10 = 700, 900
	want := []quality.Doubt{
		{Flag: quality.Reversed, First: 1, Hours: 3, Value: 104, Beside: 20},
		{Flag: quality.Stuck, First: 8, Hours: 6, Value: 150, Beside: nan},
		{Flag: quality.Alone, First: 15, Hours: 1, Value: 700, Beside: 114},
	}
	got := quality.Check(h)
	if len(got) != len(want) {
		t.Fatalf("got %+v", got)
	}
	for i, d := range got {
		if math.IsNaN(d.Beside) && math.IsNaN(want[i].Beside) {
			d.Beside, want[i].Beside = 0, 0
		}
		if d != want[i] {
			t.Errorf("got %+v, want %+v", d, want[i])
		}
	}
}

func set(hours []quality.Hour, to float64) {
	for i := range hours {
		hours[i].PM25 = to
		hours[i].PM10 = 400
	}
}
