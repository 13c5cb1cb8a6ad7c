package outside_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
)

// gathered asks every service once and gives what came.
func gathered(t *testing.T) outside.Parts {
	t.Helper()
	n, _ := network()
	p := outside.Parts{Time: time.Date(2026, 11, 13, 13, 0, 5, 999, time.UTC), Stations: surge.Stations(), Known: known(t)}
	indices, err := outside.NewDataGov(n, outside.DataGovConfig{Base: table(t, 3).URL, Key: theKey}).Indices(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	from := time.Date(2026, 10, 1, 0, 0, 0, 0, time.UTC)
	measured, err := outside.NewOpenAQ(n, outside.OpenAQConfig{Base: archive(t).URL, Key: theKey}).Readings(t.Context(), stations(t), from,
		friday)
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, func(i int, w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, fixture(t, []string{"firms_noaa21.csv", "firms_noaa20.csv"}[i]))
	})
	burning, err := fires(t, firms(t, n, s))
	if err != nil {
		t.Fatal(err)
	}
	l, err := feed.Over(feed.Box{West: 75, South: 28, East: 77, North: 30}, 0.5)
	if err != nil {
		t.Fatal(err)
	}
	air, err := weather(t, sky(t, "m/s")).Weather(t.Context(), feed.Archive, l, thursday, friday)
	if err != nil {
		t.Fatal(err)
	}
	share, err := feed.ParseShare([]byte(`{"issued_at":"2026-11-12T12:00:00Z","valid_date":"2026-11-13","stubble_percent":22.5,"source_url":"https://ews.tropmet.res.in/dss/",
		"captured_bytes_sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","captured_by":"dev:analyst@north"}`))
	if err != nil {
		t.Fatal(err)
	}
	p.Indices, p.Measured, p.Fires, p.Weather, p.Share = &indices, &measured, &burning, &air, &share
	p.Place = func(at fire.Point) fire.Place {
		if at.Lat > 30 {
			return fire.Place{State: "Punjab"}
		}
		return fire.Place{State: "Haryana"}
	}
	return p
}

// TestWhatTheSourcesGaveLiesTogether promises that all parts are in the object, that
// it can be written and read again without a change, and that it shows no key.
func TestWhatTheSourcesGaveLiesTogether(t *testing.T) {
	o, err := outside.Harmonise(gathered(t))
	if err != nil {
		t.Fatal(err)
	}
	file, err := o.Write()
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(file, []byte(theKey)) {
		t.Error("the object shows the key")
	}
	got, err := lake.Read(file)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := got.Write(); err != nil || !bytes.Equal(again, file) {
		t.Errorf("read and written again it is another: %v", err)
	}
	bases := map[lake.Basis]int{}
	for _, a := range got.Air {
		bases[a.Basis]++
		if a.Basis == lake.SubIndex && a.Station == "Alipur, Delhi - DPCC" && (a.Site != "site_5024" || a.Index != 412 || !a.Derived ||
			a.Of(aqi.PM25) == aqi.None) {
			t.Errorf("the index of Alipur: %+v", a)
		}
		if a.Basis == lake.Measured && (a.Site != "site_5024" || a.Derived || a.Index != 0) { // PM2.5 alone makes no index
			t.Errorf("an hour of Alipur: %+v", a)
		}
	}
	if bases[lake.Measured] != 1003 || bases[lake.SubIndex] != 2 {
		t.Errorf("rows of air %v, want 1003 measured and 2 of sub-indices", bases)
	}
	if len(got.Fires) != 5 || got.Fires[0].State == "" || !got.Looked.From.Equal(thursday) || !got.Looked.To.Equal(friday) {
		t.Errorf("%d fires from %v to %v", len(got.Fires), got.Looked.From, got.Looked.To)
	}
	if got.Stubble == nil || got.Stubble.Percent != 22.5 || got.Stubble.Captured == "" || got.Wind == nil || len(got.Cloud) == 0 {
		t.Errorf("stubble %+v, wind %t, %d clouds", got.Stubble, got.Wind != nil, len(got.Cloud))
	}
	dropped := map[string]int{}
	for _, d := range got.Dropped {
		dropped[d.Part+" "+d.Reason] += d.Count
	}
	if dropped["cpcb_data no_value"] != 1 || dropped["cpcb_data wrong_unit"] != 5 || dropped["nasa_data unknown_satellite"] != 1 {
		t.Errorf("dropped %v", dropped)
	}
	sources := map[string]int{}
	for _, s := range got.Sources {
		sources[s.Name]++
	}
	// Three pages, six questions to the archive, two satellites, 25 places at once.
	for name, want := range map[string]int{origin.DataGov: 3, origin.OpenAQ: 6, origin.Firms: 2, origin.Meteo: 1, origin.Stubble: 1} {
		if sources[name] != want {
			t.Errorf("%d sources %s, want %d", sources[name], name, want)
		}
	}
}

// TestWhatIsMissingIsSaid promises that only the air is needed, and that a source
// that was away is listed with what its loss costs.
func TestWhatIsMissingIsSaid(t *testing.T) {
	p := gathered(t)
	n, _ := network()
	off := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) {
		http.Error(w, "busy", http.StatusServiceUnavailable)
	})
	_, err := fires(t, firms(t, n, off))
	p.Measured, p.Fires, p.Weather, p.Share, p.Away = nil, nil, nil, nil, []error{err}
	o, err := outside.Harmonise(p)
	if err != nil {
		t.Fatal(err)
	}
	if o.Fires != nil || o.Wind != nil || o.Stubble != nil || len(o.Air) != 2 {
		t.Errorf("something was made up: %+v", o)
	}
	said := o.Sources[len(o.Sources)-1]
	if said.Name != origin.Firms || !strings.Contains(said.Note, "confidence falls by 40 points") {
		t.Errorf("said %+v", said)
	}
	if _, err := o.Write(); err != nil {
		t.Error(err)
	}
	p.Indices = nil
	if _, err := outside.Harmonise(p); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without air: %v", err)
	}
}

// TestManyAnswersAreListedAsOne promises that a sample key's hundreds of pages do
// not fill the list, and that their hash does not depend on the order they came in.
func TestManyAnswersAreListedAsOne(t *testing.T) {
	p := gathered(t)
	p.Measured, p.Fires, p.Weather, p.Share = nil, nil, nil, nil
	page := p.Indices.Snapshots[0]
	p.Indices.Snapshots = nil
	for i := range 300 {
		s := page
		s.URL += fmt.Sprintf("&n=%03d", i)
		s.SHA256 = blob.Sum([]byte(s.URL))
		p.Indices.Snapshots = append(p.Indices.Snapshots, s)
	}
	hash := func() string {
		o, err := outside.Harmonise(p)
		if err != nil {
			t.Fatal(err)
		}
		if len(o.Sources) != 1 || o.Sources[0].Bytes != 300*page.Bytes || !strings.HasPrefix(o.Sources[0].Note, "300 answers") {
			t.Fatalf("listed as %+v", o.Sources)
		}
		return o.Sources[0].SHA256
	}
	first := hash()
	s := p.Indices.Snapshots
	s[0], s[299] = s[299], s[0]
	if hash() != first {
		t.Error("the hash follows the order of arrival")
	}
}
