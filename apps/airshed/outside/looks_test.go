package outside_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/fault"
)

func watchers(t *testing.T, s *service, names ...string) *outside.Watchers {
	t.Helper()
	w, err := fire.KnownWatch()
	if err != nil {
		t.Fatal(err)
	}
	if w, err = w.Only(names...); err != nil {
		t.Fatal(err)
	}
	n, _ := network()
	return outside.NewWatchers(n, firms(t, n, s), w)
}

// TestLooksAreAskedTwoDaysAtATime promises the requests, one source for all satellites,
// that those nobody wants are left out, and that a refusal is a fault of its own source.
func TestLooksAreAskedTwoDaysAtATime(t *testing.T) {
	s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, fixture(t, "firms_looks.csv")) })
	got, err := watchers(t, s, "Meteosat-9", "Himawari-9").Looks(t.Context(), feed.Around(), thursday.AddDate(0, 0, -2), friday)
	if err != nil {
		t.Fatal(err)
	}
	key := "/api/area/csv/" + theKey + "/GOES_NRT/72,26.5,79.5,33/"
	if want := []string{key + "2/2026-11-10", key + "1/2026-11-12"}; !slices.Equal(s.requests(), want) {
		t.Errorf("asked %v, want %v", s.requests(), want)
	}
	by := map[fire.Satellite]int{}
	for _, d := range got.Detections() {
		by[d.Satellite]++
	}
	if f := got.Answers[0].File; by["Meteosat-9"] != 6 || by["Himawari-9"] != 2 || f.Dropped[fire.UnknownSatellite] != 1 || f.Rows != 5 {
		t.Errorf("got %v of %+v", by, f)
	}
	noKey(t, got.Snapshots())
	got, err = watchers(t, s, "Himawari-9").Looks(t.Context(), feed.Around(), thursday, friday)
	if err != nil || len(got.Detections()) != 1 {
		t.Errorf("got %+v, %v, want what Himawari-9 saw alone", got.Detections(), err)
	}
	down := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "Invalid MAP_KEY.") })
	_, err = watchers(t, down, "Meteosat-9").Looks(t.Context(), feed.Around(), thursday, friday)
	isAway(t, err, origin.Looks, fault.Refused)
}

// TestLooksLieInTheObjectBesideThePasses promises their rows and their source, that an
// object made without them is what it was, and that without passes they say nothing.
func TestLooksLieInTheObjectBesideThePasses(t *testing.T) {
	s := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, fixture(t, "firms_looks.csv")) })
	looks, err := watchers(t, s, "Meteosat-9").Looks(t.Context(), feed.Around(), thursday, friday)
	if err != nil {
		t.Fatal(err)
	}
	p := gathered(t)
	before, err := outside.Harmonise(p)
	if err != nil {
		t.Fatal(err)
	}
	p.Looks = &looks
	o, err := outside.Harmonise(p)
	if err != nil {
		t.Fatal(err)
	}
	last := o.Fires[len(o.Fires)-1]
	if len(o.Fires) != len(before.Fires)+3 || last.Satellite != "Meteosat-9" || last.Instrument != "SEVIRI" || last.Confidence != "91" ||
		last.Scan != 3.2 || o.Looked != before.Looked || len(o.Cloud) != len(before.Cloud) || len(o.Dropped) != len(before.Dropped) {
		t.Errorf("got %+v of %d fires", last, len(o.Fires))
	}
	listed := o.Sources[slices.IndexFunc(o.Sources, func(l lake.Source) bool { return l.Name == origin.Looks })]
	if !strings.Contains(listed.URL, "/GOES_NRT/") || !strings.Contains(listed.Note, "between the passes") {
		t.Errorf("got %+v", listed)
	}
	if file, err := o.Write(); err != nil || len(file) == 0 {
		t.Errorf("the object cannot be written: %v", err)
	}
	p.Fires = nil
	if o, err = outside.Harmonise(p); err != nil || o.Fires != nil {
		t.Errorf("without passes there are %d fires, %v", len(o.Fires), err)
	}
}
