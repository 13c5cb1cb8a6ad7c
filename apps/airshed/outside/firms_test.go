package outside_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestFiresAreReadWithTheirTraps promises that satellites are known by all their
// names, times without leading noughts are read, and unreadable rows counted.
func TestFiresAreReadWithTheirTraps(t *testing.T) {
	s := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.Contains(r.URL.Path, "/VIIRS_NOAA21_NRT/"):
			fmt.Fprint(w, fixture(t, "firms_noaa21.csv"))
		case strings.Contains(r.URL.Path, "/VIIRS_NOAA20_NRT/"):
			fmt.Fprint(w, fixture(t, "firms_noaa20.csv"))
		default:
			http.NotFound(w, r)
		}
	})
	n, _ := network()
	got, err := fires(t, firms(t, n, s))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"/api/area/csv/" + theKey + "/VIIRS_NOAA21_NRT/72,26.5,79.5,33/1/2026-11-12",
		"/api/area/csv/" + theKey + "/VIIRS_NOAA20_NRT/72,26.5,79.5,33/1/2026-11-12",
	}
	if !slices.Equal(s.requests(), want) {
		t.Errorf("asked %v, want %v", s.requests(), want)
	}
	counts := map[fire.Satellite]int{}
	for _, d := range got.Detections() {
		counts[d.Satellite]++
	}
	if counts["NOAA-21"] != 3 || counts["NOAA-20"] != 2 || len(counts) != 2 {
		t.Errorf("got %v, want three of NOAA-21 and two of NOAA-20", counts)
	}
	f := got.Answers[0].File
	if f.Rows != 5 || f.Dropped[fire.Unreadable] != 1 || f.Dropped[fire.UnknownSatellite] != 1 {
		t.Errorf("%d rows, dropped %v", f.Rows, f.Dropped)
	}
	if at := f.Detections[2].Time; !at.Equal(thursday.Add(5 * time.Minute)) {
		t.Errorf("the time 5 was read as %v, want 00:05", at)
	}
	snaps := got.Snapshots()
	noKey(t, snaps)
	if string(snaps[0].Body) != fixture(t, "firms_noaa21.csv") || !strings.Contains(snaps[0].URL, "/"+feed.Hidden+"/VIIRS_NOAA21_NRT/") {
		t.Errorf("the snapshot of %s is not what was sent", snaps[0].URL)
	}
}

// TestNoFiresIsAFinding promises that a table without rows is an answer, and that a
// satellite whose answer is missing makes the whole a fault, with what came.
func TestNoFiresIsAFinding(t *testing.T) {
	n, _ := network()
	none := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, fixture(t, "firms_none.csv")) })
	got, err := fires(t, firms(t, n, none))
	if err != nil || len(got.Answers) != 2 || len(got.Detections()) != 0 || !got.From.Equal(thursday) || !got.To.Equal(friday) {
		t.Errorf("got %+v, %v", got, err)
	}
	half := serve(t, func(i int, w http.ResponseWriter, _ *http.Request) {
		if i > 0 {
			fmt.Fprint(w, "Invalid area")
			return
		}
		fmt.Fprint(w, fixture(t, "firms_noaa21.csv"))
	})
	got, err = fires(t, firms(t, n, half))
	isAway(t, err, origin.Firms, fault.Invalid)
	if len(got.Answers) != 1 || len(got.Detections()) != 3 {
		t.Errorf("%d answers came back with the fault, want 1", len(got.Answers))
	}
	if len(got.Refused) != 1 || string(got.Refused[0].Body) != "Invalid area" {
		t.Errorf("what the service said instead is not kept: %+v", got.Refused)
	}
}

// TestFilesNeedNoKey promises the rolling files, whose rows name no instrument and
// spell confidence out.
func TestFilesNeedNoKey(t *testing.T) {
	s := serve(t, func(i int, w http.ResponseWriter, _ *http.Request) {
		if i == 0 {
			fmt.Fprint(w, fixture(t, "firms_file_noaa21.csv"))
			return
		}
		fmt.Fprint(w, fixture(t, "firms_none.csv"))
	})
	n, _ := network()
	f := outside.NewFirms(n, outside.FirmsConfig{Base: s.URL, Known: known(t)})
	got, err := f.Files(t.Context(), feed.TwoDays, friday)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"/data/active_fire/noaa-21-viirs-c2/csv/J2_VIIRS_C2_South_Asia_48h.csv",
		"/data/active_fire/noaa-20-viirs-c2/csv/J1_VIIRS_C2_South_Asia_48h.csv",
	}
	if !slices.Equal(s.requests(), want) || !got.From.Equal(friday.Add(-48*time.Hour)) {
		t.Errorf("asked %v from %v", s.requests(), got.From)
	}
	if ds := got.Detections(); len(ds) != 1 || ds[0].Satellite != "NOAA-21" || ds[0].Confidence != fire.Nominal ||
		ds[0].Instrument != fire.VIIRS {
		t.Errorf("got %+v", ds)
	}
	_, err = fires(t, f)
	isAway(t, err, origin.Firms, fault.Refused) // asking the interface needs a key
}

// TestOffersSayWhichSourcesThereAre promises the table, and a fault for plain text.
func TestOffersSayWhichSourcesThereAre(t *testing.T) {
	body := "data_id,min_date,max_date\nVIIRS_NOAA21_NRT,2024-01-17,2026-11-13\n"
	s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, body) })
	n, _ := network()
	got, snap, err := firms(t, n, s).Offers(t.Context())
	if err != nil || len(got) != 1 || got[0].Last != "2026-11-13" || string(snap.Body) != body {
		t.Errorf("got %v, %v", got, err)
	}
	body = "Invalid MAP_KEY."
	_, _, err = firms(t, n, s).Offers(t.Context())
	isAway(t, err, origin.Firms, fault.Invalid)
}
