package analysis_test

import (
	"reflect"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/seedmethod"
)

// TestTheFirstDesignsOwnExample promises that its example object, as it stands there,
// goes all the way: the surge is found, the circle counts its one fire, nothing is
// attributed because no wind and no hour are in it, and 10 points go for few fires.
func TestTheFirstDesignsOwnExample(t *testing.T) {
	o, err := lake.Read([]byte(`{
		"cpcb_data": [{"station": "Alipur", "aqi": 450, "timestamp": "2025-11-14T08:00:00Z", "pm25": 350.5, "pm10": 420.2, "latitude": 28.8, "longitude": 77.1}],
		"nasa_data": [{"latitude": 29.2, "longitude": 76.5, "brightness": 320.5, "confidence": 85, "acq_date": "2025-11-13", "state": "Haryana", "district": "Jind"}],
		"dss_data": {"stubble_burning_percent": 22.5, "timestamp": "2025-11-14T06:00:00Z"},
		"timestamp": "2025-11-14T08:30:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	r, err := analysis.Standard()
	if err != nil {
		t.Fatal(err)
	}
	d, err := analysis.Prepare(o, r)
	if err != nil {
		t.Fatal(err)
	}
	_, all, err := d.Run(analysis.Demands)
	if err != nil || len(all) != 1 {
		t.Fatalf("%d episodes, %v", len(all), err)
	}
	a := all[0]
	if a.Station.Site != "site_5024" || a.Surge.Index != 450 || *a.Surge.PM25 != 350.5 || !hasWarning(a, analysis.IndexOdd) {
		t.Errorf("%s: %+v, %+v", a.Station.Site, a.Surge, a.Warnings)
	}
	// Alipur is 76.6 km from the fire by the stations' true coordinates, computed by hand
	// from the sphere: 0.3847° and 0.6530° × cos 29.008° of 111.195 km.
	want := []seedmethod.State{{State: "Haryana", Fires: 1, Districts: []string{}, Distance: 76.6}} // no boundaries, no districts
	if got := a.Legacy.States; !reflect.DeepEqual(got, want) {
		t.Errorf("circle %+v, want %+v", got, want)
	}
	if a.Score.Confidence != 90 || a.Score.Completeness != 90 {
		t.Errorf("score %+v", a.Score)
	}
	if a.Attribution.Verdict != plume.Unattributed || a.Stubble.Word != analysis.Contributory || len(a.Stubble.Indicative) != 0 {
		t.Errorf("attribution %+v, stubble %+v", a.Attribution, a.Stubble)
	}
	for _, code := range []analysis.GapCode{analysis.WindMissing, analysis.FiresDayOnly, analysis.FiresWindow, analysis.PlacesUnknown,
		analysis.HourlyUnknown, analysis.ControlMissing} {
		if !hasGap(a, code) {
			t.Errorf("%s is not said", code)
		}
	}
}
