package fire_test

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/platform/fault"
)

// The headings as the fire service publishes them.
const (
	viirsHead = "latitude,longitude,bright_ti4,scan,track,acq_date,acq_time,satellite,instrument,confidence,version,bright_ti5,frp,daynight"
	modisHead = "latitude,longitude,brightness,scan,track,acq_date,acq_time,satellite,instrument,confidence,version,bright_t31,frp,daynight"
	freeHead  = "latitude,longitude,bright_ti4,scan,track,acq_date,acq_time,satellite,confidence,version,bright_ti5,frp,daynight"
)

func known(t testing.TB) fire.Constellation {
	t.Helper()
	c, err := fire.Known()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func read(t testing.TB, lines ...string) fire.File {
	t.Helper()
	f, err := fire.Read(strings.NewReader(strings.Join(lines, "\n")), known(t))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestPublishedRowIsReadWhole holds a row of NOAA-20 as it was published.
func TestPublishedRowIsReadWhole(t *testing.T) {
	f := read(t, viirsHead, "16.83388,-91.0163,306.71,0.43,0.62,2023-06-12,659,1,VIIRS,n,2.0NRT,291.26,0.96,N")
	want := fire.Detection{
		Line: 2, At: fire.Point{Lat: 16.83388, Lon: -91.0163}, Time: time.Date(2023, 6, 12, 6, 59, 0, 0, time.UTC),
		Satellite: "NOAA-20", Instrument: fire.VIIRS, Confidence: fire.Nominal, Percent: -1, Bright: 306.71, Background: 291.26,
		Scan: 0.43, Track: 0.62, FRP: 0.96, Light: fire.Night, Version: "2.0NRT",
	}
	if len(f.Detections) != 1 || f.Detections[0] != want {
		t.Errorf("got %+v, want %+v", f.Detections, want)
	}
	if f.Detections[0].Standard() {
		t.Error("a preliminary row passes for final")
	}
}

// TestTimeIsUTCWithoutLeadingZeros holds the forms of a time. The first and the
// second are the published examples; the others follow by hand.
func TestTimeIsUTCWithoutLeadingZeros(t *testing.T) {
	for s, want := range map[string]string{
		"5": "00:05", "659": "06:59", "0659": "06:59", "0": "00:00", "0000": "00:00", "30": "00:30", "0427": "04:27", "2359": "23:59",
		"2400": "", "60": "", "1260": "", "00659": "", "06:59": "", "-5": "", "+5": "", "659.0": "", "": "", "٥": "",
	} {
		f := read(t, viirsHead, "29,76,300,0.4,0.4,2026-11-12,"+s+",N20,VIIRS,n,2.0NRT,290,1,N")
		got := ""
		if len(f.Detections) == 1 {
			got = f.Detections[0].Time.Format("15:04")
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", s, got, want)
		}
	}
}

// TestNightPassBelongsToTheNextDayInIndia promises days by India's clock, five and
// a half hours ahead: its midnight is 18:30 UTC.
func TestNightPassBelongsToTheNextDayInIndia(t *testing.T) {
	for at, want := range map[string]string{
		"2026-11-12T20:00:00Z": "2026-11-13", "2026-11-12T21:30:00Z": "2026-11-13", "2026-11-12T08:00:00Z": "2026-11-12",
		"2026-11-12T18:29:59Z": "2026-11-12", "2026-11-12T18:30:00Z": "2026-11-13", "2026-12-31T20:00:00Z": "2027-01-01",
	} {
		when, err := time.Parse(time.RFC3339, at)
		if err != nil {
			t.Fatal(err)
		}
		if got := fire.IndianDay(when); got != want {
			t.Errorf("%s: got %s, want %s", at, got, want)
		}
	}
}

// TestSatelliteIsKnownByEveryCodeInUse promises that each spelling in use means
// its satellite, and that a code of one instrument means nothing in another's file.
func TestSatelliteIsKnownByEveryCodeInUse(t *testing.T) {
	for _, tt := range []struct{ head, code, confidence, want string }{
		{viirsHead, "N", "n", "Suomi-NPP"}, {viirsHead, "N20", "n", "NOAA-20"}, {viirsHead, "1", "n", "NOAA-20"},
		{viirsHead, "N21", "n", "NOAA-21"}, {viirsHead, "2", "n", "NOAA-21"}, {viirsHead, "n21", "n", "NOAA-21"},
		{modisHead, "T", "50", "Terra"}, {modisHead, "Terra", "50", "Terra"}, {modisHead, "A", "50", "Aqua"},
		{modisHead, "Aqua", "50", "Aqua"},
		{viirsHead, "T", "n", ""}, {modisHead, "N20", "50", ""}, {viirsHead, "N22", "n", ""}, {viirsHead, "", "n", ""},
	} {
		f := read(t, tt.head, "29,76,300,0.4,0.4,2026-11-12,800,"+tt.code+",,"+tt.confidence+",2.0NRT,290,1,D")
		if tt.want == "" {
			if len(f.Detections) != 0 || f.Dropped[fire.UnknownSatellite] != 1 || len(f.Problems) != 1 {
				t.Errorf("%q: got %v, want one row of an unknown satellite", tt.code, f)
			}
			continue
		}
		if len(f.Detections) != 1 || string(f.Detections[0].Satellite) != tt.want {
			t.Errorf("%q: got %v, want %s", tt.code, f.Detections, tt.want)
		}
	}
}

// TestConfidenceIsNeverTakenForAnotherScale promises letters and words for VIIRS,
// percentages in classes for MODIS, and neither for the other. The classes of
// MODIS are the published ones: low below 30, high from 80.
func TestConfidenceIsNeverTakenForAnotherScale(t *testing.T) {
	for _, tt := range []struct {
		head, cell string
		want       fire.Confidence
		percent    int
	}{
		{viirsHead, "l", fire.Low, -1}, {viirsHead, "n", fire.Nominal, -1}, {viirsHead, "h", fire.High, -1},
		{viirsHead, "low", fire.Low, -1}, {viirsHead, "Nominal", fire.Nominal, -1}, {viirsHead, "high", fire.High, -1},
		{viirsHead, "85", 0, 0}, {viirsHead, "", 0, 0}, {viirsHead, "m", 0, 0},
		{modisHead, "0", fire.Low, 0}, {modisHead, "29", fire.Low, 29}, {modisHead, "30", fire.Nominal, 30},
		{modisHead, "79", fire.Nominal, 79}, {modisHead, "80", fire.High, 80}, {modisHead, "100", fire.High, 100},
		{modisHead, "101", 0, 0}, {modisHead, "-1", 0, 0}, {modisHead, "n", 0, 0}, {modisHead, "50.0", 0, 0},
	} {
		code := map[string]string{viirsHead: "N20", modisHead: "T"}[tt.head]
		f := read(t, tt.head, "29,76,300,0.4,0.4,2026-11-12,800,"+code+",,"+tt.cell+",2.0NRT,290,1,D")
		if tt.want == 0 {
			if f.Dropped[fire.Unreadable] != 1 {
				t.Errorf("%q was read as %v", tt.cell, f.Detections)
			}
			continue
		}
		if len(f.Detections) != 1 || f.Detections[0].Confidence != tt.want || f.Detections[0].Percent != tt.percent {
			t.Errorf("%q: got %+v, want %v %d", tt.cell, f, tt.want, tt.percent)
		}
	}
}

// TestEveryShapeOfFileIsRead promises that files without a key, answers for one
// country, final processing, other orders of columns, a byte order mark, quotes
// and carriage returns all give the same detection.
func TestEveryShapeOfFileIsRead(t *testing.T) {
	const row = "29.1,76.2,330,0.4,0.5,2026-11-12,755,N20,VIIRS,h,2.0NRT,290,4.5,D"
	want := read(t, viirsHead, row).Detections[0]
	for name, tt := range map[string]struct {
		file string
		set  func(*fire.Detection)
	}{
		"no key":  {freeHead + "\n29.1,76.2,330,0.4,0.5,2026-11-12,0755,N20,high,2.0NRT,290,4.5,D\n", nil},
		"country": {"country_id," + viirsHead + "\nIND," + row, func(d *fire.Detection) { d.Country = "IND" }},
		"final": {viirsHead + ",type\n" + strings.Replace(row, "NRT", "", 1) + ",0",
			func(d *fire.Detection) { d.Kind, d.Version = fire.Vegetation, "2.0" }},
		"ultra": {viirsHead + "\n" + strings.Replace(row, "NRT", "URT", 1), func(d *fire.Detection) { d.Version = "2.0URT" }},
		"order": {"frp," + strings.Replace(viirsHead, "frp,", "", 1) +
			"\n4.5,29.1,76.2,330,0.4,0.5,2026-11-12,755,N20,VIIRS,h,2.0NRT,290,D", nil},
		"windows": {"\ufeff" + viirsHead + "\r\n" + row + "\r\n", nil},
		"quotes":  {`"` + strings.ReplaceAll(viirsHead, ",", `","`) + "\"\n\"" + strings.ReplaceAll(row, ",", `","`) + `"`, nil},
		"upper":   {strings.ToUpper(viirsHead) + "\n" + row, nil},
		"more":    {viirsHead + ",colour\n" + row + ",red", nil},
		"blanks":  {viirsHead + "\n" + row + "\n\n", nil},
	} {
		f := read(t, tt.file)
		want := want
		if tt.set != nil {
			tt.set(&want)
		}
		if len(f.Detections) != 1 || f.Detections[0] != want {
			t.Errorf("%s: got %+v, want %+v", name, f, want)
		}
	}
	final := read(t, viirsHead+",type", strings.Replace(row, "NRT", "", 1)+",2").Detections[0]
	if !final.Standard() || final.Kind != fire.Static {
		t.Errorf("got %v, %v, want a final row about a static source", final.Standard(), final.Kind)
	}
}

// TestKindIsSaidByTheFinalProcessingOnly holds the published kinds; a row without
// one is not classified, and not vegetation.
func TestKindIsSaidByTheFinalProcessingOnly(t *testing.T) {
	for cell, want := range map[string]string{"": "unclassified", "0": "vegetation", "1": "volcano", "2": "static", "3": "offshore",
		"4": "", "x": ""} {
		f := read(t, viirsHead+",type", "29,76,300,0.4,0.4,2026-11-12,800,N20,VIIRS,n,2.0,290,1,D,"+cell)
		got := ""
		if len(f.Detections) == 1 {
			got = f.Detections[0].Kind.String()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", cell, got, want)
		}
	}
}

// TestEveryMinuteOfADayIsReadBack promises that no time of day is misread, written
// with or without leading zeros.
func TestEveryMinuteOfADayIsReadBack(t *testing.T) {
	lines := []string{viirsHead}
	for minute := range 24 * 60 {
		n := minute/60*100 + minute%60
		for _, s := range []string{strconv.Itoa(n), fmt.Sprintf("%04d", n)} {
			lines = append(lines, "29,76,300,0.4,0.4,2026-11-12,"+s+",N20,VIIRS,n,2.0NRT,290,1,N")
		}
	}
	f := read(t, lines...)
	if len(f.Detections) != 2*24*60 {
		t.Fatalf("got %d rows, want %d: %v", len(f.Detections), 2*24*60, f.Problems)
	}
	midnight := time.Date(2026, 11, 12, 0, 0, 0, 0, time.UTC)
	for i, d := range f.Detections {
		if got, want := d.Time.Sub(midnight), time.Duration(i/2)*time.Minute; got != want {
			t.Fatalf("line %d: got %v, want %v", d.Line, got, want)
		}
	}
}

// TestEndlessFileIsRefused promises a bound on lines, blank ones too.
func TestEndlessFileIsRefused(t *testing.T) {
	r := strings.NewReader(viirsHead + strings.Repeat("\n", fire.MaxLines+2))
	if _, err := fire.Read(r, known(t)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("got %v, want too large", err)
	}
}

// TestErrorsSentAsSuccessAreRefused promises that a text with the status of
// success is never an empty list of fires, that its kind tells what to do, and
// that no key is repeated.
func TestErrorsSentAsSuccessAreRefused(t *testing.T) {
	key := strings.Repeat("0aB1", 8)
	for body, want := range map[string]fault.Kind{
		"Invalid MAP_KEY.":                          fault.Refused,
		"Invalid MAP_KEY " + key:                    fault.Refused,
		"Invalid area":                              fault.Invalid,
		"Invalid day range. Expects [1..5]. " + key: fault.Invalid,
		"Exceeding allowed transaction limit":       fault.TooMany,
		"<!DOCTYPE html><html>latitude</html>":      fault.Unavailable,
		"":                                          fault.Unavailable,
		"\n\n":                                      fault.Unavailable,
		"\x1f\x8b\x08\x00":                          fault.Invalid,
		"{\"latitude\": 1}":                         fault.Invalid,
		strings.Repeat("x", 3000):                   fault.TooLarge,
	} {
		_, err := fire.Read(strings.NewReader(body), known(t))
		if !fault.Is(err, want) {
			t.Errorf("%.40q: got %v, want %v", body, err, want)
		}
		if err != nil && strings.Contains(err.Error(), key) {
			t.Errorf("the key is repeated: %v", err)
		}
	}
	if f := read(t, viirsHead); f.Rows != 0 {
		t.Errorf("a heading alone is no fire: got %v", f)
	}
}

// TestTablesThatCannotSupportAStatementAreRefused promises that a column is
// missed, not made up.
func TestTablesThatCannotSupportAStatementAreRefused(t *testing.T) {
	for _, tt := range []struct{ head, want string }{
		{strings.Replace(viirsHead, "acq_time,", "", 1), "without an hour"},
		{strings.Replace(viirsHead, "confidence,", "", 1), "no column confidence"},
		{strings.Replace(viirsHead, ",frp", "", 1), "no column frp"},
		{strings.Replace(viirsHead, "bright_ti4,", "", 1), "neither of VIIRS nor of MODIS"},
		{viirsHead + ",brightness", "neither of VIIRS nor of MODIS"},
		{strings.Replace(viirsHead, "bright_ti5", "bright_t31", 1), "no column bright_ti5"},
		{viirsHead + ",frp", "two columns frp"},
		// Landsat
		{"latitude,longitude,path,row,scan,track,acq_date,acq_time,satellite,confidence,daynight", "neither of VIIRS nor of MODIS"},
	} {
		_, err := fire.Read(strings.NewReader(tt.head), known(t))
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want %q", tt.head, err, tt.want)
		}
	}
}

// TestBadRowsAreCountedAndNamed promises that a row that cannot be read is left
// out, counted and named by its line, and that the rest of the file is read.
func TestBadRowsAreCountedAndNamed(t *testing.T) {
	const good = "29.1,76.2,330,0.4,0.5,2026-11-12,755,N20,VIIRS,h,2.0NRT,290,4.5,D"
	lines := []string{viirsHead, good}
	for _, cell := range [][2]string{
		{"29.1", "91"}, {"29.1", "NaN"}, {"29.1", ""}, {"76.2", "-180.1"}, {"330", "inf"}, {"0.5", "-1"}, {"2026-11-12", "12-11-2026"},
		{"2026-11-12", "1899-11-12"}, {"2026-11-12", "2026-02-30"}, {"VIIRS", "MODIS"}, {"2.0NRT", "NRT"}, {"2.0NRT", ""}, {"4.5", "-0.1"},
		{"4.5", ""}, {",D", ",X"}, {",D", ""}, {",D", ",D,D"}, {"755", "7:55"}, {"29.1", "0x1p4000"},
	} {
		lines = append(lines, strings.Replace(good, cell[0], cell[1], 1))
	}
	f := read(t, append(lines, good)...)
	bad := len(lines) - 2
	if f.Rows != bad+2 || len(f.Detections) != 2 || !maps.Equal(f.Dropped, map[fire.Reason]int{fire.Unreadable: bad}) {
		t.Fatalf("got %d rows, %d detections, %v; %d are bad: %v", f.Rows, len(f.Detections), f.Dropped, bad, f.Problems)
	}
	for i, p := range f.Problems {
		if p.Line != i+3 || p.Text == "" {
			t.Errorf("got %v, want line %d", p, i+3)
		}
	}
}

// TestAnswerThatBreaksOffIsNotAShortAnswer promises an error for a connection
// that fails in the middle, whatever was read before.
func TestAnswerThatBreaksOffIsNotAShortAnswer(t *testing.T) {
	r := io.MultiReader(strings.NewReader(viirsHead+"\n29.1,76.2,330,0.4,0.5,2026-11-12,755,N20,VIIRS,h,2.0NRT,290,4.5,D\n"),
		iotest.ErrReader(errors.New("reset")))
	if f, err := fire.Read(r, known(t)); !fault.Is(err, fault.Unavailable) || f.Rows != 0 {
		t.Errorf("got %v, %v, want unavailable", f, err)
	}
	named := read(t, "country_id,"+viirsHead, "INDIA,29.1,76.2,330,0.4,0.5,2026-11-12,755,N20,VIIRS,h,2.0NRT,290,4.5,D")
	if named.Dropped[fire.Unreadable] != 1 {
		t.Errorf("got %v, want a country of more than three letters refused", named)
	}
	cut := read(t, viirsHead, "29.1,76.2,330,0.4,0.5,2026-11-12,755,N20,VIIRS,h,2.0N")
	if cut.Dropped[fire.Unreadable] != 1 || !strings.Contains(cut.Problems[0].Text, "cut off") {
		t.Errorf("got %v, want the cut line named", cut)
	}
}

// FuzzRead promises that every row is either a detection within bounds or
// dropped with a reason, and that no error is ours.
func FuzzRead(f *testing.F) {
	f.Add(viirsHead + "\n16.83388,-91.0163,306.71,0.43,0.62,2023-06-12,659,1,VIIRS,n,2.0NRT,291.26,0.96,N")
	f.Add(modisHead + ",type\n29,76,310.2,1.1,1,2023-06-12,0427,A,MODIS,43,6.1,288.47,5.5,N,0\n")
	f.Add(freeHead + "\n29,76,300,0.4,0.4,2026-11-12,5,N21,low,2.0URT,290,1,D\n,,,\n")
	f.Add("Invalid MAP_KEY.")
	c := known(f)
	f.Fuzz(func(t *testing.T, body string) {
		file, err := fire.Read(strings.NewReader(body), c)
		if err != nil {
			if file.Rows != 0 || fault.Is(err, fault.Internal) {
				t.Fatalf("got %v with error %v", file, err)
			}
			return
		}
		n := len(file.Detections)
		for _, d := range file.Dropped {
			n += d
		}
		if n != file.Rows {
			t.Fatalf("%d of %d rows are accounted for", n, file.Rows)
		}
		for _, d := range file.Detections {
			_, named := c.Sensor(d.Satellite)
			if !d.At.Valid() || d.Time.Year() < 2000 || d.FRP < 0 || d.Confidence < fire.Low || d.Light == 0 || !named ||
				len(d.Version) > 12 || len(d.Country) > 3 {
				t.Fatalf("out of bounds: %+v", d)
			}
		}
	})
}
