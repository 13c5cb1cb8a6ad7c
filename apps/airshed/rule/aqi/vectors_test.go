package aqi_test

import (
	"math"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
)

// amount reads an amount that is known to be one.
func amount(t testing.TB, s string) aqi.Amount {
	t.Helper()
	a, err := aqi.ParseAmount(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func sub(t testing.TB, p aqi.Pollutant, s string) aqi.SubIndex {
	t.Helper()
	got, err := aqi.Of(p, amount(t, s))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// TestSubIndicesAreThoseWorkedOutByHand holds figures computed by hand from the
// published breakpoints; they are given to three decimals, hence the tolerance.
func TestSubIndicesAreThoseWorkedOutByHand(t *testing.T) {
	for _, tt := range []struct {
		of      aqi.Pollutant
		amount  string
		index   float64
		rounded int
	}{
		{aqi.PM25, "0", 0, 0},
		{aqi.PM25, "30", 50, 50},
		{aqi.PM25, "30.5", 50.833, 51}, // between the whole numbers of the table: no gap
		{aqi.PM25, "60", 100, 100},
		{aqi.PM25, "75", 150, 150},
		{aqi.PM25, "90", 200, 200},
		{aqi.PM25, "120", 300, 300},
		{aqi.PM25, "185", 350, 350},
		{aqi.PM25, "250", 400, 400},
		{aqi.PM25, "350.5", 477.308, 477},
		{aqi.PM25, "380", 500, 500},
		{aqi.PM25, "600", 500, 500},
		{aqi.PM10, "100", 100, 100},
		{aqi.PM10, "175", 150, 150},
		{aqi.PM10, "420.2", 387.75, 388},
		{aqi.PM10, "430", 400, 400},
		{aqi.PM10, "510", 500, 500},
		{aqi.NO2, "130", 150, 150},
		{aqi.O3, "134", 150, 150},
		{aqi.O3, "748", 400, 400},
		{aqi.CO, "1.5", 75, 75},
		{aqi.CO, "13.5", 250, 250},
		{aqi.SO2, "230", 150, 150},
		{aqi.NH3, "600", 150, 150},
		{aqi.Pb, "0.75", 75, 75},
	} {
		got := sub(t, tt.of, tt.amount)
		if math.Abs(got.Exact.Float()-tt.index) > 0.0005 || got.Rounded() != tt.rounded {
			t.Errorf("%s %s: got %.4f, rounded %d, want %.3f and %d", tt.of, tt.amount, got.Exact.Float(), got.Rounded(), tt.index,
				tt.rounded)
		}
	}
}

// TestEveryBreakpointOfTheTable holds the published table itself and, at 500, the
// ends of the authority's calculator; those of ozone and lead are extrapolated.
func TestEveryBreakpointOfTheTable(t *testing.T) {
	marks := []int{0, 50, 100, 200, 300, 400, 500}
	for p, row := range map[aqi.Pollutant][]string{
		aqi.PM10: {"0", "50", "100", "250", "350", "430", "510"},
		aqi.PM25: {"0", "30", "60", "90", "120", "250", "380"},
		aqi.NO2:  {"0", "40", "80", "180", "280", "400", "520"},
		aqi.O3:   {"0", "50", "100", "168", "208", "748", "1287"},
		aqi.CO:   {"0", "1.0", "2.0", "10", "17", "34", "51"},
		aqi.SO2:  {"0", "40", "80", "380", "800", "1600", "2400"},
		aqi.NH3:  {"0", "200", "400", "800", "1200", "1800", "2400"},
		aqi.Pb:   {"0", "0.5", "1.0", "2.0", "3.0", "3.5", "4.0"},
	} {
		for i, a := range row {
			if got := sub(t, p, a).Exact; got != (aqi.Exact{Num: int64(marks[i]), Den: 1}) && got.Num != int64(marks[i])*got.Den {
				t.Errorf("%s %s: got %v, want exactly %d", p, a, got, marks[i])
			}
		}
	}
}

// TestAHalfGoesUp promises that what lies exactly between two whole numbers goes
// to the upper, where binary fractions would sometimes lose it. 30.3 µg/m³ of
// PM2.5 are 50 + 0.3·50/30 = 50.5, and 30.299999 are less (computed by hand).
func TestAHalfGoesUp(t *testing.T) {
	for _, tt := range []struct {
		amount string
		want   int
	}{
		{"30.3", 51}, {"30.299999", 50}, {"0.3", 1}, {"0.299999", 0}, {"60.15", 101}, {"60.149999", 100}, {"379.35", 500},
		{"379.349999", 499},
	} {
		if got := sub(t, aqi.PM25, tt.amount).Rounded(); got != tt.want {
			t.Errorf("%s: got %d, want %d", tt.amount, got, tt.want)
		}
	}
	// Three hours of 30.3 as a mean: 90.9/3, which no decimal rounding may touch.
	m, err := aqi.OfMean(aqi.PM25, aqi.Mean{Sum: 90_900_000, Hours: 3})
	if err != nil || m.Rounded() != 51 {
		t.Errorf("got %d, %v, want 51", m.Rounded(), err)
	}
	// A mean that has no decimal form: 91/3 = 30.333…, 50 + (1/3)·5/3 = 50.555….
	if m, err = aqi.OfMean(aqi.PM25, aqi.Mean{Sum: 91_000_000, Hours: 3}); err != nil || m.Exact.Num*9 != m.Exact.Den*455 {
		t.Errorf("got %v, %v, want 455/9", m.Exact, err)
	}
}

// TestTheAlipurExampleIs477 promises that PM2.5 at 350.5 and PM10 at 420.2 make
// 477 and not the 450 they were once published with (computed by hand). A third
// pollutant is there to allow an index.
func TestTheAlipurExampleIs477(t *testing.T) {
	got, err := aqi.Overall(sub(t, aqi.NO2, "130"), sub(t, aqi.PM10, "420.2"), sub(t, aqi.PM25, "350.5"))
	if err != nil || got.Value != 477 || got.Responsible != aqi.PM25 {
		t.Errorf("got %d by %s, %v, want 477 by PM2.5", got.Value, got.Responsible, err)
	}
}

// TestCategories holds the published words and colours at both ends of each.
func TestCategories(t *testing.T) {
	for _, tt := range []struct {
		from, until int
		word        aqi.Category
		colour      string
	}{
		{0, 50, aqi.Good, "dark green"}, {51, 100, aqi.Satisfactory, "light green"}, {101, 200, aqi.Moderate, "yellow"},
		{201, 300, aqi.Poor, "orange"}, {301, 400, aqi.VeryPoor, "red"}, {401, 500, aqi.Severe, "dark red"},
		{-1, 501, "", ""},
	} {
		for _, index := range []int{tt.from, tt.until} {
			if word, colour := aqi.CategoryOf(index); word != tt.word || colour != tt.colour {
				t.Errorf("%d: got %s, %s, want %s, %s", index, word, colour, tt.word, tt.colour)
			}
		}
	}
}

// TestFootingSaysWhereTheTableEnds promises that a figure past the published table
// is not passed off as part of it.
func TestFootingSaysWhereTheTableEnds(t *testing.T) {
	for _, tt := range []struct {
		of     aqi.Pollutant
		amount string
		want   aqi.Footing
	}{
		{aqi.PM25, "250", aqi.Published}, {aqi.PM25, "250.1", aqi.Calculator}, {aqi.PM25, "900", aqi.Calculator},
		{aqi.O3, "208", aqi.Published}, {aqi.O3, "209", aqi.Arithmetic}, {aqi.O3, "748", aqi.Arithmetic}, {aqi.O3, "749", aqi.Extrapolated},
		{aqi.Pb, "3.5", aqi.Published}, {aqi.Pb, "3.6", aqi.Extrapolated},
	} {
		if got := sub(t, tt.of, tt.amount).Footing; got != tt.want {
			t.Errorf("%s %s stands on %s, want %s", tt.of, tt.amount, got, tt.want)
		}
	}
}

// TestAnIndexNeedsThreeAndParticulates holds the published rule on data.
func TestAnIndexNeedsThreeAndParticulates(t *testing.T) {
	pm25, pm10, no2, so2, co := sub(t, aqi.PM25, "75"), sub(t, aqi.PM10, "175"), sub(t, aqi.NO2, "130"), sub(t, aqi.SO2, "40"),
		sub(t, aqi.CO, "13.5")
	for _, tt := range []struct {
		name  string
		parts []aqi.SubIndex
		value int
		lacks int
		by    aqi.Pollutant
	}{
		{"nothing", nil, aqi.Unknown, 2, 0},
		{"two", []aqi.SubIndex{pm25, pm10}, aqi.Unknown, 1, 0},
		{"three without particles", []aqi.SubIndex{no2, so2, co}, aqi.Unknown, 1, 0},
		{"two without particles", []aqi.SubIndex{no2, so2}, aqi.Unknown, 2, 0},
		{"three with coarse particles", []aqi.SubIndex{no2, so2, pm10}, 150, 0, aqi.PM10},
		{"equal: fine particles speak", []aqi.SubIndex{no2, pm10, pm25}, 150, 0, aqi.PM25},
		{"carbon monoxide is worst", []aqi.SubIndex{co, pm10, pm25}, 250, 0, aqi.CO},
	} {
		got, err := aqi.Overall(tt.parts...)
		if err != nil || got.Value != tt.value || len(got.Lacks) != tt.lacks || got.Responsible != tt.by || got.Known() != (tt.lacks == 0) {
			t.Errorf("%s: got %d by %s lacking %v, %v", tt.name, got.Value, got.Responsible, got.Lacks, err)
		}
	}
	if _, err := aqi.Overall(pm25, pm25, pm10); err == nil {
		t.Error("the same pollutant twice was taken")
	}
}
