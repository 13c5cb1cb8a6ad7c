package lake_test

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/platform/fault"
)

// object is a file with one row of air, one about a fire, and more keys.
func object(air, fires, more string) string {
	return fmt.Sprintf(`{"timestamp":"2025-11-14T08:30:00Z","cpcb_data":[{"station":"Alipur","timestamp":"2025-11-14T08:00:00Z",%s}],"nasa_data":[%s]%s}`, air, fires, more)
}

const aFire = `{"latitude":29.2,"longitude":76.5,"acq_date":"2025-11-13","acq_time":"0800","confidence":"n"}`

// TestAFileThatCannotBeReadSaysWhatToDo promises that a bad file is refused whole
// and by name of what is wrong.
func TestAFileThatCannotBeReadSaysWhatToDo(t *testing.T) {
	fire := func(key, value string) string {
		return object(`"aqi":450`, strings.Replace(aFire, "{", `{"`+key+`":`+value+",", 1), "")
	}
	for _, tt := range []struct{ name, file, says string }{
		{"no JSON", "Internal error", "no JSON object"},
		{"a list", "[]", "no JSON object"},
		{"cut off", theSeed[:200], "cannot be read"},
		{"more behind it", theSeed + "{}", "follows"},
		{"air missing", `{"timestamp":"2025-11-14T08:30:00Z","nasa_data":[]}`, "without the air there is no surge"},
		{"air empty", `{"timestamp":"2025-11-14T08:30:00Z","cpcb_data":[]}`, "without the air there is no surge"},
		{"air null", `{"timestamp":"2025-11-14T08:30:00Z","cpcb_data":null}`, "without the air there is no surge"},
		{"air no list", `{"timestamp":"2025-11-14T08:30:00Z","cpcb_data":{}}`, "no list"},
		{"no timestamp", `{"cpcb_data":[]}`, "no timestamp"},
		{"India's time without its offset", strings.Replace(theSeed, "08:30:00Z", "08:30:00", 1), "offset"},
		{"a key twice", object(`"aqi":1`, "", `,"nasa_data":[]`), "twice"},
		{"a field twice in a row of air", object(`"aqi":1,"pm25":40,"pm25":400`, "", ""), `row 1 of cpcb_data: "pm25" is there twice`},
		{"a field twice in another case", object(`"aqi":1,"pm25":40,"PM25":400`, "", ""), "twice"},
		{"a field twice with an escape", object(`"aqi":1,"pm25":40,"pm\u0032\u0035":400`, "", ""), "twice"},
		{"a field twice in a row about a fire", fire("latitude", "29"), `row 1 of nasa_data: "latitude" is there twice`},
		{"a field twice in the forecast", object(`"aqi":1`, "", `,"dss_data":{"stubble_burning_percent":1,"stubble_burning_percent":40}`),
			"dss_data"},
		{"a field twice in the wind", object(`"aqi":1`, "", `,"wind_data":{"south":1,"south":2}`), "wind_data"},
		{"another format", object(`"aqi":1`, "", `,"format":"airshed.lake/9"`), "format"},
		{"an hour that is none", strings.Replace(theSeed, "08:00:00Z", "08:17:00Z", 1),
			"row 1 of cpcb_data: timestamp 2025-11-14T08:17:00Z is not the end of an hour"},
		{"an index in words", object(`"aqi":"bad"`, "", ""), "row 1 of cpcb_data: aqi"},
		{"a basis nobody knows", object(`"basis":"guess"`, "", ""), "basis"},
		{"a list for a number", object(`"pm25":[1]`, "", ""), "row 1 of cpcb_data cannot be read"},
		{"measured and derived", object(`"basis":"measured_hour","derived":true`, "", ""), "at once"},
		{"a site that is none", object(`"site_id":"Site 5024"`, "", ""), "site"},
		{"a fire without a place", object(`"aqi":1`, `{"acq_date":"2025-11-13","confidence":1}`, ""),
			"row 1 of nasa_data: latitude is missing"},
		{"a fire off the globe", object(`"aqi":1`, `{"latitude":91,"longitude":1,"acq_date":"2025-11-13"}`, ""), "latitude"},
		{"a day that is none", object(`"aqi":1`, `{"latitude":1,"longitude":1,"acq_date":"13-11-2025"}`, ""), "acq_date"},
		{"a time that is none", object(`"aqi":1`, strings.Replace(aFire, "0800", "2460", 1), ""), "acq_time"},
		{"a confidence that is none", object(`"aqi":1`, strings.Replace(aFire, `"n"`, `101`, 1), ""), "confidence"},
		{"a power below nought", fire("frp", "-1"), "frp"},
		{"a light that is none", fire("daynight", `"X"`), "daynight"},
		{"a version that is none", fire("version", `"NRT"`), "version"},
		{"a type that is none", fire("type", "4"), "type"},
		{"a window backwards", object(`"aqi":1`, "", `,"nasa_window":{"from":"2025-11-14T08:30:00Z","to":"2025-11-13T08:30:00Z"}`),
			"ends before"},
		{"a forecast without its figure", object(`"aqi":1`, "", `,"dss_data":{"timestamp":"2025-11-14T08:30:00Z"}`),
			"stubble_burning_percent is missing"},
		{"more than all", object(`"aqi":1`, "", `,"dss_data":{"stubble_burning_percent":101}`), "0 to 100"},
		{"cloud over everything and more",
			object(`"aqi":1`, "", `,"cloud_data":[{"time":"2025-11-14T08:30:00Z","lat":1,"lon":1,"fraction":25}]`), "fraction"},
		{"wind of another kind", object(`"aqi":1`, "", `,"wind_data":"strong"`), "neither rows nor columns"},
		{"wind of one row", object(`"aqi":1`, "",
			`,"wind_data":[{"time":"2025-11-14T08:30:00Z","lat":1,"lon":1,"level":"10m","u":1,"v":1}]`), "at least 2"},
		{"wind of two rows far apart",
			object(`"aqi":1`, "", `,"wind_data":[{"time":"2025-11-14T08:00:00Z","lat":1,"lon":1,"level":"10m","u":1,"v":1},{"time":"2025-11-14T09:00:00Z","lat":1.00001,"lon":2,"level":"10m","u":1,"v":1},{"time":"2025-11-14T09:00:00Z","lat":2,"lon":2,"level":"10m","u":1,"v":1}]`), "nearly empty"},
		{"columns too short", object(`"aqi":1`, "",
			`,"wind_data":{"south":1,"west":1,"dlat":1,"dlon":1,"rows":2,"cols":2,"times":2,"every_minutes":60,"start":"2025-11-14T08:00:00Z","levels":[{"level":"10m","u":[1],"v":[1]}]}`), "rows × cols × times are 8"},
	} {
		_, err := lake.Read([]byte(tt.file))
		if text, _ := fault.Words(err); err == nil || !fault.Is(err, fault.Invalid) || !strings.Contains(text, tt.says) {
			t.Errorf("%s: %q (%v), want words with %q", tt.name, text, err, tt.says)
		}
	}
}

// TestImpossibleValuesAreLeftOutAndCounted promises that "NA", sentinels and values
// no instrument gives never become numbers, and that the count survives writing.
func TestImpossibleValuesAreLeftOutAndCounted(t *testing.T) {
	o := read(t, object(`"aqi":999,"pm25":"NA","pm10":-4,"no2":99999,"co":null,"so2":"12.5","o3":0`, "", ""))
	for range 2 {
		a := o.Air[0]
		if got, want := a.Values, []lake.Value{{Pollutant: aqi.O3, Amount: 0}, {Pollutant: aqi.SO2, Amount: 12_500_000}}; a.Index != 0 ||
			!reflect.DeepEqual(got, want) {
			t.Errorf("index %d, values %v, want none and %v", a.Index, got, want)
		}
		want := []lake.Drop{{Part: lake.AirPart, Reason: lake.OutOfOrder, Count: 2}, {Part: lake.AirPart, Reason: lake.OffScale, Count: 1}}
		if got := o.Dropped; !reflect.DeepEqual(got, want) {
			t.Errorf("dropped %v, want %v", got, want)
		}
		o = read(t, string(write(t, o)))
	}
}

// TestTimesOfPassesHaveNoLeadingZeros promises that 5 is five past midnight and 659
// a minute before seven.
func TestTimesOfPassesHaveNoLeadingZeros(t *testing.T) {
	for clock, want := range map[string]string{"5": "00:05", "659": "06:59", `"0659"`: "06:59", "2359": "23:59", `"0"`: "00:00"} {
		o := read(t, object(`"aqi":1`, strings.Replace(aFire, `"0800"`, clock, 1), ""))
		if got := o.Fires[0].Time.Format("15:04"); got != want || o.Fires[0].DayOnly {
			t.Errorf("%s is %s, want %s", clock, got, want)
		}
	}
}

// TestNoSecretGetsIntoTheLake promises that addresses with keys are refused, on the
// way in and on the way out.
func TestNoSecretGetsIntoTheLake(t *testing.T) {
	for address, ok := range map[string]bool{
		"https://firms.example.org/api/area/csv/VIIRS_NOAA20_NRT/70,20,80,30/1":                                  true,
		"https://firms.example.org/api/area/csv/0123456789abcdef0123456789abcdef/VIIRS_NOAA20_NRT/70,20,80,30/1": false,
		"https://air.example.org/resource?api-key=abc&limit=10":                                                  false,
		"https://air.example.org/resource?limit=10":                                                              true,
		"https://air.example.org/search?keyword=stubble":                                                         true,
		"https://air.example.org/search?keyword=stubble&map_key=abc":                                             false,
		"https://user:word@example.org/":                                                                         false,
		"s3://lake/data/1.json?X-Amz-Signature=abc":                                                              false,
	} {
		_, err := lake.Read([]byte(object(`"aqi":1`, "", fmt.Sprintf(`,"sources":[{"name":"x","url":%q,"bytes":1}]`, address))))
		if got := err == nil; got != ok {
			t.Errorf("reading %s: %v", address, err)
		}
		o := whole(t)
		o.Sources[0].URL = address
		if _, err := o.Write(); (err == nil) != ok {
			t.Errorf("writing %s: %v", address, err)
		}
	}
}

// TestNothingIsWrittenThatCannotBeRead promises that writing checks what reading
// would refuse.
func TestNothingIsWrittenThatCannotBeRead(t *testing.T) {
	for name, spoil := range map[string]func(*lake.Object){
		"no air":           func(o *lake.Object) { o.Air = nil },
		"no time":          func(o *lake.Object) { o.Time = time.Time{} },
		"half a minute":    func(o *lake.Object) { o.Fires[0].Time = noon.Add(time.Second) },
		"confidence":       func(o *lake.Object) { o.Fires[0].Confidence = "sure" },
		"an odd hour":      func(o *lake.Object) { o.Air[0].Time = noon.Add(time.Minute) },
		"lead":             func(o *lake.Object) { o.Air[0].Values = []lake.Value{{Pollutant: aqi.Pb}} },
		"values in a mess": func(o *lake.Object) { o.Air[0].Values = []lake.Value{{Pollutant: aqi.NO2}, {Pollutant: aqi.PM25}} },
		"a digest":         func(o *lake.Object) { o.Stubble.SHA256 = "abc" },
		"a source":         func(o *lake.Object) { o.Sources[0].Name = "" },
	} {
		o := whole(t)
		spoil(o)
		if b, err := o.Write(); err == nil {
			t.Errorf("%s: written as %s", name, b)
		}
	}
}

// TestEachPartHasItsOwnAge promises that fresh air does not make old fires fresh.
func TestEachPartHasItsOwnAge(t *testing.T) {
	o := whole(t)
	o.Looked.To = noon.Add(-20 * time.Hour)
	stale := func(o *lake.Object, at time.Time) (out []string) {
		for _, a := range o.Ages(at, lake.Standard()) {
			if a.Stale {
				out = append(out, a.Part)
			}
		}
		return out
	}
	if got, want := stale(o, noon), []string{lake.FiresPart}; !reflect.DeepEqual(got, want) {
		t.Errorf("stale at noon: %v, want %v", got, want)
	}
	if got, want := stale(o, noon.Add(25*time.Hour)), []string{lake.AirPart, lake.FiresPart, lake.WindPart}; !reflect.DeepEqual(got, want) {
		t.Errorf("stale a day later: %v, want %v", got, want)
	}
	if got, want := stale(o, noon.Add(24*time.Hour)), []string{lake.FiresPart, lake.WindPart}; !reflect.DeepEqual(got, want) {
		t.Errorf("stale after 24 h: %v, want %v: a day is still good", got, want)
	}
	bare := read(t, object(`"aqi":1`, "", ""))
	for _, a := range bare.Ages(noon, lake.Standard())[1:] {
		if a.Known || a.Stale {
			t.Errorf("%s has an age: %+v", a.Part, a)
		}
	}
}

// TestTheLatestObjectIsTheOneWrittenLast promises the choice among many, and of
// equals always the same.
func TestTheLatestObjectIsTheOneWrittenLast(t *testing.T) {
	all := []lake.Listing{{Key: "data/b.json", Modified: noon}, {Key: "data/a.json", Modified: noon},
		{Key: "data/z.json", Modified: noon.Add(-time.Hour)}}
	if got, ok := lake.Latest(all); !ok || got.Key != "data/b.json" {
		t.Errorf("latest %+v, %v", got, ok)
	}
	if _, ok := lake.Latest(nil); ok {
		t.Error("there is a latest of none")
	}
}

// FuzzRead promises that whatever is handed in, reading ends, and what was read is
// written and read again as it was.
func FuzzRead(f *testing.F) {
	f.Add([]byte(theSeed))
	f.Add(write(f, whole(f)))
	f.Add([]byte(object(`"aqi":999,"pm25":"NA"`, aFire,
		`,"wind_data":[{"time":"2025-11-13T12:00:00Z","lat":20,"lon":70,"level":"100m","u":1,"v":2,"blh":640},{"time":"2025-11-13T13:00:00Z","lat":21,"lon":71,"level":"100m","u":1,"v":2}]`)))
	f.Fuzz(func(t *testing.T, file []byte) {
		o, err := lake.Read(file)
		if err != nil {
			return
		}
		first := write(t, o)
		if again := write(t, read(t, string(first))); !bytes.Equal(first, again) {
			t.Errorf("written\n%s\nread and written again\n%s", first, again)
		}
	})
}
