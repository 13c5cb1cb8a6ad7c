package aqi_test

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
)

// noon is half past six in the morning in UTC: an hour of India.
func noon(t testing.TB) aqi.Hour {
	t.Helper()
	h, err := aqi.HourFrom(time.Date(2025, 11, 13, 12, 0, 0, 0, aqi.India()))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// hours are readings of a pollutant from an hour on, in whole units; -1 is none.
func hours(p aqi.Pollutant, from aqi.Hour, values ...int) []aqi.Reading {
	var out []aqi.Reading
	for i, v := range values {
		if v >= 0 {
			out = append(out, aqi.Reading{Site: "site_5024", Hour: from.Plus(i), Pollutant: p, Amount: aqi.Amount(v) * aqi.Micro})
		}
	}
	return out
}

func collect(t testing.TB, readings ...[]aqi.Reading) aqi.Hours {
	t.Helper()
	all, err := aqi.Collect(slices.Concat(readings...))
	if err != nil || len(all) != 1 {
		t.Fatalf("%d stations, %v", len(all), err)
	}
	return all[0]
}

func times(n, value int) []int { return slices.Repeat([]int{value}, n) }

// TestADaysMeanNeedsSixteenHours promises that sixteen hours of 24 make a mean,
// that fifteen do not and are said, and that hours without a reading are not zeros.
// The figures are read off the breakpoints: 120 µg/m³ is 300, 350 of PM10 is 300.
func TestADaysMeanNeedsSixteenHours(t *testing.T) {
	at := noon(t)
	others := slices.Concat(hours(aqi.PM10, at, times(24, 350)...), hours(aqi.NO2, at, times(24, 40)...),
		hours(aqi.SO2, at, times(24, 40)...))
	for _, tt := range []struct {
		n     int
		parts int
	}{{16, 4}, {15, 3}, {1, 3}} {
		x := collect(t, others, hours(aqi.PM25, at.Plus(24-tt.n), times(tt.n, 185)...)).Index(at.Plus(23))
		if len(x.Parts) != tt.parts {
			t.Errorf("%d hours: %d parts, want %d", tt.n, len(x.Parts), tt.parts)
		}
		if tt.parts == 4 && (x.Value != 350 || x.Parts[0].Mean != aqi.Mean{Sum: 185 * 16 * aqi.Micro, Hours: 16}) {
			t.Errorf("got %d from %v, want 350", x.Value, x.Parts[0].Mean)
		}
		if tt.parts == 3 && (x.Value != 300 || len(x.Short) != 1 || x.Short[0] != aqi.Shortfall{Pollutant: aqi.PM25, Hours: tt.n,
			Needs: 16}) {
			t.Errorf("%d hours: got %d, short of %v, want 300", tt.n, x.Value, x.Short)
		}
	}
}

// TestEightHourMeans promises that ozone and carbon monoxide go by the greatest
// 8-hour mean of the day, and never by the greatest hour: one hour of 800 among
// sevens of 100 is a mean of 187.5, which is 200 + 19.5·100/40 = 248.75 by hand.
func TestEightHourMeans(t *testing.T) {
	at := noon(t)
	base := slices.Concat(hours(aqi.PM25, at, times(24, 30)...), hours(aqi.PM10, at, times(24, 50)...))
	day := times(24, 100)
	day[10] = 800
	got := collect(t, base, hours(aqi.O3, at, day...)).Index(at.Plus(23))
	if got.Value != 249 || got.Responsible != aqi.O3 || got.Parts[2].Last != at.Plus(10) {
		t.Errorf("got %d by %s up to %s, want 249 by ozone", got.Value, got.Responsible, got.Parts[2].Last)
	}
	for _, tt := range []struct {
		name string
		day  []int
		want int
	}{
		{"six hours of eight", slices.Concat(times(9, -1), times(6, 134)), 150},
		{"five hours of eight", slices.Concat(times(9, -1), times(5, 134)), aqi.Unknown},
		{"five in the morning and five at night", slices.Concat(times(5, 134), times(14, -1), times(5, 134)), aqi.Unknown},
		{"a zero is a reading", slices.Concat(times(5, 134), times(3, 0)), 84}, // 5·134/8 = 83.75, and so is its place
	} {
		if got := collect(t, base, hours(aqi.O3, at, tt.day...)).Index(at.Plus(23)); got.Value != tt.want {
			t.Errorf("%s: got %d, want %d", tt.name, got.Value, tt.want)
		}
	}
	// Hours before the 24 do not count: one hour later the first of six is gone.
	early := collect(t, base, hours(aqi.PM10, at.Plus(24), times(1, 50)...), hours(aqi.CO, at, times(6, 14)...))
	if a, b := early.Index(at.Plus(23)), early.Index(at.Plus(24)); !a.Known() || b.Known() {
		t.Errorf("got %d, then %d", a.Value, b.Value)
	}
}

// TestReadingsThatDisagreeAreNobodys promises that the order of readings changes
// nothing, that one said twice counts once, and that contradictions are left out
// and counted.
func TestReadingsThatDisagreeAreNobodys(t *testing.T) {
	at := noon(t)
	rapid.Check(t, func(rt *rapid.T) {
		all := slices.Concat(hours(aqi.PM25, at, 10, 20, 30), hours(aqi.PM25, at, 10, 21), hours(aqi.PM25, at, 10, 20),
			hours(aqi.PM10, at, 5))
		got := collect(t, rapid.Permutation(all).Draw(rt, "order"))
		if got.At(aqi.PM25, at) != 10*aqi.Micro || got.At(aqi.PM25, at.Plus(1)) != aqi.None ||
			got.At(aqi.PM25, at.Plus(2)) != 30*aqi.Micro {
			rt.Fatal("an hour is wrong")
		}
		if got.Contradicted() != 1 || got.Length() != 3 || got.First() != at || got.Site() != "site_5024" {
			rt.Fatalf("%d contradicted, %d long", got.Contradicted(), got.Length())
		}
	})
}

// TestCollectKeepsItsBounds promises that what cannot be a station's hours is
// refused: hours out of step, and a span no station has.
func TestCollectKeepsItsBounds(t *testing.T) {
	at := noon(t)
	for name, bad := range map[string][]aqi.Reading{
		"half an hour off": slices.Concat(hours(aqi.PM25, at, 1), hours(aqi.PM25, at+1, 1)),
		"twelve years":     slices.Concat(hours(aqi.PM25, at, 1), hours(aqi.PM25, at.Plus(12*8766), 1)),
		"no station":       {{Hour: at, Amount: 1}},
		"too much":         {{Site: "a", Hour: at, Amount: aqi.MaxAmount + 1}},
		"no pollutant":     {{Site: "a", Hour: at, Pollutant: 8}},
	} {
		if _, err := aqi.Collect(bad); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if all, err := aqi.Collect(nil); err != nil || len(all) != 0 {
		t.Errorf("nothing made %v, %v", all, err)
	}
}

// TestHoursOfIndiaBeginAtHalfPast promises that the feed's time is India's, that
// an hour is named by its start in UTC, and that it reads what it writes.
func TestHoursOfIndiaBeginAtHalfPast(t *testing.T) {
	at, err := aqi.ParseIndian("21-09-2026 18:00:00")
	if err != nil || !at.Equal(time.Date(2026, 9, 21, 12, 30, 0, 0, time.UTC)) {
		t.Fatalf("got %v, %v, want 12:30 in UTC", at, err)
	}
	h, err := aqi.HourUntil(at)
	if err != nil || h.String() != "2026-09-21T11:30Z" || !h.End().Equal(at) {
		t.Errorf("got %s, %v", h, err)
	}
	b, _ := json.Marshal(h)
	var back aqi.Hour
	if err := json.Unmarshal(b, &back); err != nil || back != h {
		t.Errorf("%s became %s, %v", b, back, err)
	}
	for _, s := range []string{"", "2026-09-21T11:31Z", "1970-01-01T00:00Z", "2026-9-21T11:30Z", "2026-09-21T11:30+01",
		"9999-01-01T00:00Z"} {
		if got, err := aqi.ParseHour(s); err == nil {
			t.Errorf("%q was read as %s", s, got)
		}
	}
	for _, s := range []string{"2026-09-21 18:00:00", "21-09-2026", "31-02-2026 18:00:00", "NA"} {
		if got, err := aqi.ParseIndian(s); err == nil {
			t.Errorf("%q was read as %s", s, got)
		}
	}
}
