package lake_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/wind"
	"github.com/gavelhq/gavel/platform/fault"
)

func read(t testing.TB, file string) *lake.Object {
	t.Helper()
	o, err := lake.Read([]byte(file))
	if err != nil {
		text, next := fault.Words(err)
		t.Fatalf("%v: %s; %s", err, text, next)
	}
	return o
}

func write(t testing.TB, o *lake.Object) []byte {
	t.Helper()
	b, err := o.Write()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestTheFirstDesignsObjectIsRead promises that its own example is read as it
// stands, and that nothing is added to what it says.
func TestTheFirstDesignsObjectIsRead(t *testing.T) {
	o := read(t, theSeed)
	air := lake.Air{Station: "Alipur", Time: time.Date(2025, 11, 14, 8, 0, 0, 0, time.UTC), Index: 450, Lat: 28.8, Lon: 77.1,
		Values: []lake.Value{{Pollutant: aqi.PM25, Amount: 350_500_000}, {Pollutant: aqi.PM10, Amount: 420_200_000}}}
	if got, want := o.Air, []lake.Air{air}; !reflect.DeepEqual(got, want) {
		t.Errorf("air %+v, want %+v", got, want)
	}
	f := lake.Fire{Lat: 29.2, Lon: 76.5, Bright: 320.5, Confidence: "85", Time: time.Date(2025, 11, 13, 0, 0, 0, 0, time.UTC),
		DayOnly: true, State: "Haryana", District: "Jind"}
	if got, want := o.Fires, []lake.Fire{f}; !reflect.DeepEqual(got, want) {
		t.Errorf("fires %+v, want %+v", got, want)
	}
	if got, want := o.Stubble, (&lake.Stubble{Percent: 22.5, Time: time.Date(2025, 11, 14, 6, 0, 0, 0, time.UTC)}); !reflect.DeepEqual(got,
		want) {
		t.Errorf("stubble %+v, want %+v", got, want)
	}
	if o.Wind != nil || !o.Looked.IsZero() || len(o.Sources) > 0 {
		t.Errorf("something was added: %+v", o)
	}
}

// TestWritingAndReadingChangesNothing promises that a file holds the object whole,
// and that the order of rows does not reach its bytes.
func TestWritingAndReadingChangesNothing(t *testing.T) {
	o := whole(t)
	first := write(t, o)
	back := read(t, string(first))
	if got, want := back, o.Sorted(); !reflect.DeepEqual(got, want) {
		t.Errorf("read back %+v, want %+v", got, want)
	}
	for seed := range uint64(5) {
		if got := write(t, shuffled(o, seed)); !bytes.Equal(got, first) {
			t.Errorf("shuffled with %d it is written otherwise:\n%s\nwant\n%s", seed, got, first)
		}
	}
	if !json.Valid(first) {
		t.Error("what is written is not JSON")
	}
	parts, err := o.Parts()
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(first)
	if got, want := lake.Digest(parts), hex.EncodeToString(sum[:]); got != want {
		t.Errorf("digest %s, want that of the file, %s", got, want)
	}
}

// TestTheFirstDesignsKeysAreWritten promises that whoever reads the first design's
// form finds its keys where they were.
func TestTheFirstDesignsKeysAreWritten(t *testing.T) {
	var got map[string]json.RawMessage
	if err := json.Unmarshal(write(t, read(t, theSeed)), &got); err != nil {
		t.Fatal(err)
	}
	var air, fires []map[string]any
	if json.Unmarshal(got["cpcb_data"], &air) != nil || json.Unmarshal(got["nasa_data"], &fires) != nil {
		t.Fatal("rows cannot be read")
	}
	for _, k := range []string{"station", "aqi", "timestamp", "pm25", "pm10", "latitude", "longitude"} {
		if air[0][k] == nil {
			t.Errorf("no %s in a row of air", k)
		}
	}
	for _, k := range []string{"latitude", "longitude", "brightness", "confidence", "acq_date", "state", "district"} {
		if fires[0][k] == nil {
			t.Errorf("no %s in a row about a fire", k)
		}
	}
	if got, want := fires[0]["confidence"], 85.0; got != want {
		t.Errorf("confidence %v, want the number %v", got, want)
	}
	if string(got["timestamp"]) != `"2025-11-14T08:30:00Z"` || string(got["wind_data"]) != "null" {
		t.Errorf("timestamp %s, wind %s", got["timestamp"], got["wind_data"])
	}
}

// TestWhatIsMissingIsNotEmpty promises that "not known" and "looked for, and none
// seen" stay apart through writing and reading.
func TestWhatIsMissingIsNotEmpty(t *testing.T) {
	const head = `{"timestamp":"2025-11-14T08:30:00Z","cpcb_data":[{"station":"x","timestamp":"2025-11-14T08:00:00Z"}]`
	for _, tt := range []struct {
		rest    string
		missing bool
	}{{`}`, true}, {`,"nasa_data":null}`, true}, {`,"nasa_data":[]}`, false}} {
		for _, file := range []string{head + tt.rest, string(write(t, read(t, head+tt.rest)))} {
			if got, want := read(t, file).Fires == nil, tt.missing; got != want {
				t.Errorf("%s: fires missing %v, want %v", file, got, want)
			}
		}
	}
}

// TestAFireWrittenIsTheDetection promises that a detection's row says what the
// satellite's file said.
func TestAFireWrittenIsTheDetection(t *testing.T) {
	d := fire.Detection{At: fire.Point{Lat: 30, Lon: 75}, Time: noon, Satellite: "Aqua", Instrument: fire.MODIS, Confidence: fire.High,
		Percent: 85,
		Bright:  320, Scan: 1.1, Track: 1.2, FRP: 9, Light: fire.Night, Version: "6.1", Kind: fire.Static,
		Place: fire.Place{State: "Punjab", District: "Moga"}}
	want := lake.Fire{Lat: 30, Lon: 75, Time: noon, Satellite: "Aqua", Instrument: "MODIS", Confidence: "85", Bright: 320, Scan: 1.1,
		Track: 1.2,
		FRP:   9, Light: "N", Version: "6.1", Kind: "2", State: "Punjab", District: "Moga"}
	if got := lake.FireOf(d); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	d.Instrument, d.Confidence, d.Percent, d.Kind, d.Light = fire.VIIRS, fire.Nominal, -1, fire.Unclassified, fire.Day
	if got := lake.FireOf(d); got.Confidence != "nominal" || got.Kind != "" || got.Light != "D" {
		t.Errorf("got %+v", got)
	}
}

// TestSubIndicesBecomeDerivedRows promises that what a feed of sub-indices says is
// never written as if it had been measured. The middle of 107 for PM2.5 is 62.1
// µg/m³, computed by hand: 60 + (107-100)*30/100.
func TestSubIndicesBecomeDerivedRows(t *testing.T) {
	var parts []aqi.SubIndex
	for _, p := range []aqi.Pollutant{aqi.PM25, aqi.PM10, aqi.NO2} {
		s, err := aqi.Given(p, 107)
		if err != nil {
			t.Fatal(err)
		}
		parts = append(parts, s)
	}
	x, err := aqi.Overall(parts...)
	if err != nil {
		t.Fatal(err)
	}
	hour, err := aqi.HourUntil(noon)
	if err != nil {
		t.Fatal(err)
	}
	rows := lake.AirOf([]aqi.Report{{Station: "Alipur, Delhi - DPCC", Lat: 28.8, Lon: 77.1, Placed: true, Last: hour, Index: x}})
	if len(rows) != 1 || rows[0].Basis != lake.SubIndex || !rows[0].Derived || rows[0].Index != 107 || !rows[0].Time.Equal(noon) {
		t.Fatalf("rows %+v", rows)
	}
	if got, want := rows[0].Of(aqi.PM25).String(), "62.1"; got != want {
		t.Errorf("PM2.5 %s, want %s", got, want)
	}
	if got := rows[0].Of(aqi.SO2); got != aqi.None {
		t.Errorf("SO2 %s, want none", got)
	}
}

// TestWindInRowsIsWindInColumns promises that both forms give the same wind.
func TestWindInRowsIsWindInColumns(t *testing.T) {
	rows := `{"timestamp":"2025-11-14T08:30:00Z","cpcb_data":[{"station":"x","timestamp":"2025-11-14T08:00:00Z"}],"wind_data":[
		{"time":"2025-11-13T12:00:00Z","lat":20,"lon":70,"level":"100m","u":1,"v":2,"blh":640},
		{"time":"2025-11-13T17:30:00+05:30","lat":20.25,"lon":70.25,"level":"100m","u":"3.25","v":-4,"blh":"NA"},
		{"time":"2025-11-13T13:00:00Z","lat":20,"lon":70,"level":"10m","u":null,"v":2},
		{"time":"2025-11-13T13:00:00Z","lat":20,"lon":70.25,"level":"10m","u":0.004,"v":2}]}`
	got := read(t, rows).Wind
	want, err := lake.NewWind(wind.Shape{South: 20, West: 70, DLat: 0.25, DLon: 0.25, Rows: 2, Cols: 2, Start: noon, Every: time.Hour,
		Times: 2})
	if err != nil {
		t.Fatal(err)
	}
	for _, err := range []error{
		want.Set(wind.M100, 0, 0, 0, 1, 2), want.Set(wind.M100, 0, 1, 1, 3.25, -4), want.Set(wind.M10, 1, 0, 1, 0, 2),
		want.SetMixing(0, 0, 0, 640),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("wind %+v, want %+v", got, want)
	}
	again := read(t, string(write(t, read(t, rows)))).Wind
	if !reflect.DeepEqual(again, want) {
		t.Errorf("written and read it is %+v, want %+v", again, want)
	}
}

// TestTheGridIsTheWind promises that the analysis is given the wind of the file.
func TestTheGridIsTheWind(t *testing.T) {
	w, err := lake.NewWind(wind.Shape{South: 20, West: 70, DLat: 1, DLon: 1, Rows: 2, Cols: 2, Start: noon, Every: time.Hour, Times: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 {
		if err := w.Set(wind.P925, i/4, i/2%2, i%2, 3.254, -1.5); err != nil {
			t.Fatal(err)
		}
		if err := w.SetMixing(i/4, i/2%2, i%2, 400); err != nil {
			t.Fatal(err)
		}
	}
	g, err := w.Grid()
	if err != nil {
		t.Fatal(err)
	}
	f, ok := g.Field(wind.P925)
	if !ok || g.Has(wind.M10) {
		t.Fatal("levels are not the file's")
	}
	u, v, ok := f.At(20.5, 70.5, wind.Hours(noon)+0.5)
	if !ok || float32(u) != 3.25 || v != -1.5 { // hundredths are kept
		t.Errorf("wind %v, %v, %v", u, v, ok)
	}
	if h, ok := g.MixingAt(20.5, 70.5, wind.Hours(noon)); !ok || h != 400 {
		t.Errorf("mixing %v, %v", h, ok)
	}
}

// TestATooLargeFileIsRefusedUnread promises a bound on what is taken in.
func TestATooLargeFileIsRefusedUnread(t *testing.T) {
	_, err := lake.Read([]byte(strings.Repeat(" ", lake.MaxBytes+1)))
	if !fault.Is(err, fault.TooLarge) {
		t.Errorf("error %v, want one of kind %v", err, fault.TooLarge)
	}
}
