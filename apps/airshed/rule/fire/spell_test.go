package fire_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
)

// lookHead is the heading of the fire service's geostationary rows.
const lookHead = "latitude,longitude,bright_ti4,scan,track,acq_date,acq_time,satellite,instrument,confidence,version,bright_ti5,frp,daynight"

func watch(t testing.TB) fire.Watch {
	t.Helper()
	w, err := fire.KnownWatch()
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// TestLooksAreReadInTheirPublishedShape promises the source's traps: the heading of VIIRS
// over percentages, no instrument, pixels of nought, and satellites of other continents.
func TestLooksAreReadInTheirPublishedShape(t *testing.T) {
	rows := []string{lookHead,
		"30.21330,75.41210,331.2,0,0,2026-11-12,1045,Met9,,62,1.11NRT,295.1,48.5,D",
		"30.21330,75.41210,329.0,0,0,2026-11-12,5,Met9,,91.4,1.11NRT,295.1,30,N",
		"30.3,75.5,320,0,0,2026-11-12,1050,Him9,,41,1.11NRT,290,22,D",
		"41.0,-100.0,300,0,0,2026-11-12,949,G18,,30.0000,1.11NRT,290,10,D",
		"30.3,75.5,320,0,0,2026-11-12,1050,Met9,,h,1.11NRT,290,22,D"}
	f, err := fire.ReadLooks(strings.NewReader(strings.Join(rows, "\n")), watch(t))
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows != 5 || f.Dropped[fire.UnknownSatellite] != 1 || f.Dropped[fire.Unreadable] != 1 || len(f.Detections) != 3 {
		t.Fatalf("got %+v", f)
	}
	d := f.Detections[0]
	if d.Satellite != "Meteosat-9" || d.Instrument != fire.SEVIRI || d.Confidence != fire.Nominal || d.Percent != 62 ||
		d.Scan != 3.2 || d.Track != 4.7 || d.FRP != 48.5 || !d.Time.Equal(time.Date(2026, 11, 12, 10, 45, 0, 0, time.UTC)) {
		t.Errorf("got %+v", d)
	}
	if d = f.Detections[1]; d.Confidence != fire.High || d.Percent != 91 || d.Light != fire.Night || d.Time.Minute() != 5 {
		t.Errorf("got %+v", d)
	}
	if d = f.Detections[2]; d.Instrument != fire.AHI || d.Confidence != fire.Low || d.Track != 9.8 {
		t.Errorf("got %+v", d)
	}
	if _, err := fire.ReadLooks(strings.NewReader("Invalid MAP_KEY."), watch(t)); err == nil {
		t.Error("plain text was read as a table")
	}
}

// look is one look of a watcher at a made-up fire, so many km north of one place.
func look(by fire.Satellite, north float64, after time.Duration, frp float64) fire.Detection {
	d := seen(by, north, after, frp)
	d.Instrument, d.Percent, d.Scan, d.Track, d.Version = fire.SEVIRI, 70, 3.2, 4.7, "1.11NRT"
	return d
}

// TestOneFireSeenEveryQuarterOfAnHourIsOne holds what is one fire, and what is another.
func TestOneFireSeenEveryQuarterOfAnHourIsOne(t *testing.T) {
	every := func(by fire.Satellite, north float64, from, to, step time.Duration, frp float64) (out []fire.Detection) {
		for at := from; at <= to; at += step {
			d := look(by, north, at, frp)
			d.FRP += float64(at/time.Minute) / 1000 // a little stronger each time
			out = append(out, d)
		}
		return out
	}
	const quarter = 15 * time.Minute
	afternoon := every("Meteosat-9", 0, 2*time.Hour+quarter, 9*time.Hour, quarter, 40)
	for _, tt := range []struct {
		name   string
		looks  []fire.Detection
		passes []fire.Detection
		fires  int
		again  int
		kept   int
	}{
		{"seven hours", afternoon, nil, 1, 0, 1},
		{"a pause of two hours", every("Meteosat-9", 0, 0, 6*time.Hour, 2*time.Hour, 40), nil, 1, 0, 1},
		{"a longer pause", every("Meteosat-9", 0, 0, 5*time.Hour, 2*time.Hour+time.Minute, 40), nil, 3, 0, 3},
		{"the next pixel", slices.Concat(afternoon, every("Meteosat-9", 4.7, 3*time.Hour, 4*time.Hour, quarter, 50)), nil, 2, 0, 2},
		{"another watcher", slices.Concat(afternoon, every("Himawari-9", 1, 3*time.Hour, 4*time.Hour, 10*time.Minute, 20)), nil, 2, 0, 1},
		{"a pass two hours before", afternoon, []fire.Detection{seen("NOAA-20", 1, quarter, 3)}, 1, 1, 0},
		{"a pass while it burnt", afternoon, []fire.Detection{seen("NOAA-20", 2.8, 5*time.Hour, 3)}, 1, 1, 0},
		{"a pass before that", afternoon, []fire.Detection{seen("NOAA-20", 0, 0, 3)}, 1, 0, 1},
		{"a pass beside it", afternoon, []fire.Detection{seen("NOAA-20", 2.9, 5*time.Hour, 3)}, 1, 0, 1},
	} {
		got := fire.Standard().Watched(tt.looks, watch(t), tt.passes, fire.Mask{})
		if got.Looks != len(tt.looks) || got.Fires != tt.fires || got.Again != tt.again || len(got.Kept) != tt.kept {
			t.Errorf("%s: %d looks, %d fires, %d seen by a pass, %d kept; want %d, %d, %d, %d", tt.name, got.Looks, got.Fires, got.Again,
				len(got.Kept), len(tt.looks), tt.fires, tt.again, tt.kept)
		}
	}
	got := fire.Standard().Watched(afternoon, watch(t), nil, fire.Mask{}).Kept[0]
	if got.Looks != len(afternoon) || got.FRP != afternoon[len(afternoon)-1].FRP || !got.First.Equal(afternoon[0].Time) ||
		!got.Last.Equal(afternoon[len(afternoon)-1].Time) {
		t.Errorf("got %+v, want the strongest look, from the first to the last", got)
	}
}

// TestLookingMoreOftenFindsNoMoreFires promises, for any fires, that more looks at them
// and another order make no more of them, and that no fire that a pass saw is among them.
func TestLookingMoreOftenFindsNoMoreFires(t *testing.T) {
	w, p := watch(t), fire.Standard()
	rapid.Check(t, func(t *rapid.T) {
		var often, seldom, passes []fire.Detection
		for i := range rapid.IntRange(0, 12).Draw(t, "fires") {
			km := float64(i) * 8 // two pixels apart
			from := time.Duration(rapid.IntRange(0, 600).Draw(t, "from")) * time.Minute
			n := rapid.IntRange(1, 40).Draw(t, "looks")
			for k := range n {
				d := look("Meteosat-9", km, from+time.Duration(k)*15*time.Minute, float64(rapid.IntRange(20, 90).Draw(t, "MW")))
				if often = append(often, d); k%8 == 0 || k == n-1 {
					seldom = append(seldom, d)
				}
			}
			if rapid.Bool().Draw(t, "passed") {
				passes = append(passes, seen("NOAA-20", km, from, 3))
			}
		}
		many := p.Watched(rapid.Permutation(often).Draw(t, "order"), w, passes, fire.Mask{})
		few := p.Watched(seldom, w, passes, fire.Mask{})
		if many.Fires != few.Fires || many.Again != few.Again || len(many.Kept) != len(few.Kept) {
			t.Fatalf("%d fires of %d looks, %d of %d", len(many.Kept), len(often), len(few.Kept), len(seldom))
		}
		if many.Again != len(passes) || many.Fires != many.Again+len(many.Kept) {
			t.Fatalf("got %+v of %d that passes saw", many, len(passes))
		}
	})
}

// TestHotPlacesAndDoubtfulLooksAreLeftOut promises that both are counted.
func TestHotPlacesAndDoubtfulLooksAreLeftOut(t *testing.T) {
	works, low := look("Meteosat-9", 20, 0, 80), look("Meteosat-9", 40, 0, 80)
	low.Confidence = fire.Low
	mask, err := fire.NewMask("m1", []fire.Site{{Name: "Works", Kind: "steel", At: works.At, Radius: 1, Source: "made up"}})
	if err != nil {
		t.Fatal(err)
	}
	got := fire.Standard().Watched([]fire.Detection{works, low, look("Meteosat-9", 60, 0, 80)}, watch(t), nil, mask)
	if got.Hot != 1 || got.Low != 1 || got.Fires != 1 || got.Looks != 3 {
		t.Errorf("got %+v", got)
	}
}

// TestWatchersThatCannotBeToldApartAreRefused promises the bounds of the list.
func TestWatchersThatCannotBeToldApartAreRefused(t *testing.T) {
	one := `{"satellite":%q,"instrument":%q,"codes":[%q],"source":"GOES_NRT","every_minutes":%d,"scan_km":3,"track_km":4,"nominal_from":%d,"high_from":80,"from":"2022-06-01","frp_factor":1}`
	good := fmt.Sprintf(one, "A", "SEVIRI", "a1", 15, 50)
	for name, list := range map[string]string{
		"no instrument":       fmt.Sprintf(one, "B", "VIIRS", "b", 15, 50),
		"one code twice":      good + "," + fmt.Sprintf(one, "B", "AHI", "A1", 15, 50),
		"no time between":     fmt.Sprintf(one, "B", "AHI", "b", 0, 50),
		"classes upside down": fmt.Sprintf(one, "B", "AHI", "b", 15, 90), "none": "",
	} {
		if _, err := fire.ReadWatchers([]byte(`{"version":"w1","watchers":[` + list + `]}`)); err == nil {
			t.Errorf("%s: the list was read", name)
		}
	}
	w, err := fire.ReadWatchers([]byte(`{"version":"w1","watchers":[` + good + `]}`))
	if err != nil || w.Watchers[0].Class(49) != fire.Low {
		t.Errorf("got %+v, %v", w, err)
	}
	if _, err := watch(t).Only("Meteosat-9", "Meteosat-10"); err == nil {
		t.Error("a satellite nobody knows was taken")
	}
}
