package surge_test

import (
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
)

const alipur aqi.Site = "site_5024"

// TestWhatMakesAnEpisode holds the definition at its edges. All figures are worked
// out by hand: an index of 301 is a 24-hour mean from 120.65 µg/m³ on, and while
// fewer than 16 hours are measured there is no index.
func TestWhatMakesAnEpisode(t *testing.T) {
	usual := func(days, value int) []int { return times(days*24, value) }
	for _, tt := range []struct {
		name                   string
		pm25                   []int
		start, opened, surging int // start -1 for no episode
		untested               int
		unsure                 bool
	}{
		// 100 is usual, so a surge hour is from 150 on; the mean passes 120.65 with the tenth: 100 + 10·50/24 = 120.83.
		{"half as much again as usual", series(usual(15, 100), times(12, 150)), 360, 369, 12, 0, false},
		{"a little less than that", series(usual(15, 100), times(24, 149)), -1, 0, 0, 0, false},
		{"eight days are a usual", series(usual(8, 100), times(24, 149)), -1, 0, 0, 0, false},
		// The mean passes with the eleventh: 100 + 11·49/24 = 122.5.
		{"seven are none, and it is said", series(usual(7, 100), times(24, 149)), 168, 178, 24, 24, false},
		// Fifteen days of 110 before fourteen of 100: with all of them the usual would be 110.
		{"older days do not count", series(usual(15, 110), usual(14, 100), times(12, 150)), 696, 705, 12, 0, false},
		// Seven days of 110 and seven of 90: the median is 100 between them. 90 + 13·60/24 = 122.5.
		{"the median of an even number", series(usual(7, 110), usual(7, 90), times(14, 150)), 336, 348, 14, 0, false},
		{"and not less", series(usual(7, 110), usual(7, 90), times(14, 149)), -1, 0, 0, 0, false},
		// All hours are surge hours and the index stays at 300, which does not exceed 300.
		{"an index of 300 does not exceed 300", times(48, 120), -1, 0, 0, 0, false},
		{"an index from the sixteenth hour on", times(20, 121), 0, 15, 20, 20, true},
		{"five surge hours are too few", series(usual(2, 119), times(5, 300), usual(1, 119)), -1, 0, 0, 0, false},
		// 119 never counts; the sixth hour of 300 makes six.
		{"six are enough", series(usual(2, 119), times(6, 300)), 48, 53, 6, 6, false},
		{"six hours apart belong together", series(usual(2, 119), times(3, 300), times(5, 119), times(3, 300)), 48, 58, 6, 6, false},
		{"seven hours apart do not: the later run begins it", series(usual(2, 119), times(3, 300), times(6, 119), times(3, 300)), 57, 59, 3,
			3, false},
		{"an hour unknown shortly before", series(usual(2, 119), times(1, -1), times(2, 119), times(6, 300)), 51, 56, 6, 6, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := surge.Standard().Episodes(measured(t, alipur, tt.pm25...))
			if tt.start < 0 {
				if len(got) > 0 {
					t.Fatalf("found %+v, want none", got)
				}
				return
			}
			if len(got) != 1 {
				t.Fatalf("found %d, want one", len(got))
			}
			e := got[0]
			if e.Start != first.Plus(tt.start) || e.Opened != first.Plus(tt.opened) || e.Basis != surge.Concentration || !e.Open() {
				t.Errorf("began %d, opened %d, want %d and %d", e.Start.Since(first), e.Opened.Since(first), tt.start, tt.opened)
			}
			if len(e.Surging) != tt.surging || e.Untested != tt.untested || e.Unsure != tt.unsure {
				t.Errorf("%d surge hours, %d untested, unsure %v, want %d, %d, %v", len(e.Surging), e.Untested, e.Unsure, tt.surging,
					tt.untested, tt.unsure)
			}
		})
	}
}

// TestWhenAnEpisodeIsOver holds how an episode ends, on a feed of indices alone.
func TestWhenAnEpisodeIsOver(t *testing.T) {
	for _, tt := range []struct {
		name         string
		index        []int
		last, closed int // closed 0 while open
		ending       surge.Ending
		episodes     int
	}{
		{"eleven quiet hours are not enough", series(times(1, 200), times(2, 301), times(11, 300), times(1, 301)), 14, 0, "", 1},
		{"twelve are", series(times(1, 200), times(2, 301), times(12, 300)), 2, 14, surge.Cleared, 1},
		{"and what comes after is another", series(times(1, 200), times(2, 301), times(12, 300), times(1, 400)), 2, 14, surge.Cleared, 2},
		{"unknown hours do not count as quiet", series(times(1, 200), times(2, 301), times(11, 300), times(20, -1)), 2, 0, "", 1},
		{"nor do they take away quiet ones", series(times(1, 200), times(2, 301), times(11, 300), times(20, -1), times(1, 300)), 2, 34,
			surge.Cleared, 1},
		{"two silences are not one", series(times(1, 200), times(2, 301), times(20, -1), times(1, 300), times(20, -1)), 2, 0, "", 1},
		{"a day of silence gives it up", series(times(1, 200), times(2, 301), times(24, -1), times(1, 301)), 2, 26, surge.WentDark, 2},
	} {
		got := surge.Standard().Episodes(published(t, alipur, tt.index...))
		if len(got) != tt.episodes {
			t.Errorf("%s: found %d, want %d", tt.name, len(got), tt.episodes)
			continue
		}
		e := got[0]
		if e.Start != first.Plus(1) || e.Last != first.Plus(tt.last) || e.Ending != tt.ending || tt.closed > 0 &&
			e.Closed != first.Plus(tt.closed) || tt.closed == 0 && e.Closed != 0 {
			t.Errorf("%s: got %+v", tt.name, e)
		}
		if e.Basis != surge.IndexOnly || e.PeakIndex != 301 || e.PeakPM25 != aqi.None || len(e.Surging) != 0 || e.Unsure {
			t.Errorf("%s: an episode by the index alone is not labelled so: %+v", tt.name, e)
		}
	}
}

// TestHoursOfAnEpisodeAreNotUsedTwice promises that surge hours before an episode
// was over do not open the next. By hand: the episode of the twelve hours at 150
// is last above 300 in hour 60 (mean 121.67) and over in hour 72, with two more
// surge hours in 70 and 71; the mean passes 120.65 again with the hours at 900.
func TestHoursOfAnEpisodeAreNotUsedTwice(t *testing.T) {
	before := series(times(48, 100), times(12, 150), times(10, 20), times(2, 150), times(2, 20))
	five := surge.Standard().Episodes(measured(t, alipur, series(before, times(5, 900), times(1, 20))...))
	if len(five) != 1 || five[0].Start != first.Plus(48) || five[0].Last != first.Plus(60) || five[0].Closed != first.Plus(72) ||
		five[0].Ending != surge.Cleared {
		t.Errorf("found %+v", five)
	}
	six := surge.Standard().Episodes(measured(t, alipur, series(before, times(6, 900))...))
	if len(six) != 2 || six[1].Start != first.Plus(74) || six[1].Opened != first.Plus(79) || six[0].Key == six[1].Key {
		t.Errorf("found %+v", six)
	}
}

// TestKeysAreStationAndStartInUTC promises the form of a key: the tests' first hour
// is midnight in India, half past six in the evening before in UTC.
func TestKeysAreStationAndStartInUTC(t *testing.T) {
	e := surge.Standard().Episodes(published(t, alipur, 350))[0]
	if e.Key != "site_5024@2025-11-07T18:30Z" || !e.Unsure {
		t.Errorf("got %s, unsure %v", e.Key, e.Unsure)
	}
	site, start, err := surge.ParseKey(string(e.Key))
	if err != nil || site != alipur || start != first {
		t.Errorf("read %s, %s, %v", site, start, err)
	}
	for _, s := range []string{"", "site_5024", "@2025-11-07T18:30Z", "site_5024@", "site_5024@2025-11-07T18:31Z", "A@2025-11-07T18:30Z"} {
		if _, _, err := surge.ParseKey(s); err == nil {
			t.Errorf("%q was read", s)
		}
	}
}

// TestTheWindowHoldsTheHoursOfAnIndex promises 24 hours at most, the unknown left out.
func TestTheWindowHoldsTheHoursOfAnIndex(t *testing.T) {
	tr := measured(t, alipur, series(times(10, 100), times(1, -1), times(20, 150))...)
	w := tr.Window(first.Plus(30))
	if len(w) != 23 || w[0].Hour != first.Plus(7) || w[0].PM25 != 100*aqi.Micro || w[22].Hour != first.Plus(30) {
		t.Errorf("got %d hours, %+v", len(w), w)
	}
}

// FuzzParseKey promises that what is read is written the same.
func FuzzParseKey(f *testing.F) {
	f.Add("site_5024@2025-11-07T18:30Z")
	f.Add("dtu@2025-11-07T18:00Z")
	f.Fuzz(func(t *testing.T, s string) {
		site, start, err := surge.ParseKey(s)
		if err == nil && string(surge.KeyOf(site, start)) != s {
			t.Errorf("%q became %s", s, surge.KeyOf(site, start))
		}
	})
}
