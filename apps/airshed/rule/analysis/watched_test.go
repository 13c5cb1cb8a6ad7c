package analysis_test

import (
	"bytes"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
)

// watchedRows is what Meteosat-9 saw in one evening: so many fires to the north-west of
// Alipur, two pixels from each other, each of them every quarter of an hour.
func watchedRows(fires, looks int, km float64) (out []lake.Fire) {
	u, v := wind.FromDirection(1, 315)
	s := alipur()
	for i := range fires {
		at := plume.Point{Lat: s.Lat, Lon: s.Lon}.Moved(u, v, -km/3.6).Moved(-v, u, float64(i-fires/2)*3)
		for k := range looks {
			out = append(out, lake.Fire{Lat: at.Lat, Lon: at.Lon, Satellite: "Met9", FRP: 40 + float64(k%5), Light: "D", Confidence: "72",
				Time: time.Date(2025, 11, 12, 10, 30, 0, 0, time.UTC).Add(time.Duration(k) * 15 * time.Minute), Version: "1.11NRT"})
		}
	}
	return out
}

func withRows(o *lake.Object, rows ...lake.Fire) *lake.Object {
	o.Fires = append(o.Fires, rows...)
	return o
}

// TestWatchedFiresMoveNothingOfTheFirstVersion promises that what was seen between the
// passes is no part of a count, of a pass or of the first version's verdict, to the byte.
func TestWatchedFiresMoveNothingOfTheFirstVersion(t *testing.T) {
	without, with := only(t, whole(t)), only(t, withRows(whole(t), watchedRows(8, 20, 100)...))
	with.Inputs = without.Inputs // the file is another
	a, _ := without.JSON()
	b, _ := with.JSON()
	if !bytes.Equal(a, b) {
		t.Errorf("%s\n%s", a, b)
	}
}

// TestWatchedFiresAreSaidAndWeighed promises that they are counted once each and by state,
// that they weigh, that how good the data are and whether smoke mattered stay what they
// were, and that how often they were looked at makes no difference to the count.
func TestWatchedFiresAreSaidAndWeighed(t *testing.T) {
	before := onlyBySecond(t, whole(t)).Whose
	if before.Between != nil {
		t.Fatalf("nobody watched, and %+v is said", before.Between)
	}
	a := onlyBySecond(t, withRows(whole(t), watchedRows(8, 20, 100)...))
	w := a.Whose
	if b := w.Between; b == nil || b.Looks != 160 || b.Fires != 8 || b.InTime != 8 || b.Again != 0 || len(b.States) != 1 ||
		b.States[0].State != west || b.States[0].Looks != 160 || !slices.Equal(b.Satellites, []fire.Satellite{"Meteosat-9"}) ||
		b.Last.Hour() != 15 {
		t.Fatalf("got %+v", b)
	}
	i := slices.IndexFunc(w.States, func(s analysis.WhoseShare) bool { return s.State == west })
	if w.States[i].Between != 8 || w.States[i].Fires != before.States[0].Fires {
		t.Errorf("got %+v, before %+v", w.States[i], before.States[0])
	}
	data, was := w.Data, before.Data
	if !reflect.DeepEqual(data, was) || w.Matter != before.Matter {
		t.Errorf("got %+v and %+v, before %+v and %+v", data, w.Matter, was, before.Matter)
	}
	if !slices.ContainsFunc(a.Rules, func(r analysis.Rule) bool { return r.Version == "watchers-2026-1" }) {
		t.Errorf("the list of satellites is not named: %+v", a.Rules)
	}
	seldom := onlyBySecond(t, withRows(whole(t), watchedRows(8, 5, 100)...)).Whose
	if seldom.Between.InTime != 8 || seldom.Between.Looks != 40 {
		t.Errorf("got %+v", seldom.Between)
	}
}

// TestAFireThatAPassSawIsNotWatchedToo promises that it is counted for the pass alone.
func TestAFireThatAPassSawIsNotWatchedToo(t *testing.T) {
	o := whole(t)
	at := o.Fires[7] // on 12 November, at 08:01
	for k := range 10 {
		o.Fires = append(o.Fires, lake.Fire{Lat: at.Lat + 0.01, Lon: at.Lon, Satellite: "Met9", FRP: 90, Light: "D", Confidence: "95",
			Time: at.Time.Add(time.Duration(k) * 15 * time.Minute).Truncate(time.Minute), Version: "1.11NRT"})
	}
	o.Fires = append(o.Fires, lake.Fire{Lat: at.Lat, Lon: at.Lon, Satellite: "Met9", Light: "D", Confidence: "95", Time: at.Time})
	b := onlyBySecond(t, o).Whose.Between
	if b.Fires != 1 || b.Again != 1 || b.InTime != 0 || b.Unusable != 1 || len(b.States) != 0 {
		t.Errorf("got %+v", b)
	}
}
