package aqi_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
)

// TestMeasuredHoursAreRead promises what becomes of each kind of line. The file is
// written by hand in our own form.
func TestMeasuredHoursAreRead(t *testing.T) {
	file := "\xef\xbb\xbfValue,unit,SITE_ID,from,pollutant,comment\n" +
		"350.5,ug/m3,site_5024,2025-11-13T18:00:00+05:30,PM2.5,\n" +
		"0.35,mg/m3,site_5024,2025-11-13T12:30:00Z,pm10,a milligram is a thousand\n" +
		"1499.9996,µg/m³,site_5024,2025-11-13T12:30:00Z,CO,carbon monoxide goes by milligrams\n" +
		"NA,ug/m3,site_5024,2025-11-13T13:30:00Z,PM2.5,\n" +
		",ug/m3,site_5024,2025-11-13T14:30:00Z,PM2.5,\n" +
		"-3,ug/m3,site_5024,2025-11-13T15:30:00Z,PM2.5,\n" +
		"99999,ug/m3,site_5024,2025-11-13T16:30:00Z,PM2.5,\n" +
		"4,ug/m3,site_5024,2025-11-13T16:30:00Z,Benzene,\n"
	b, err := aqi.ParseCSV([]byte(file))
	if err != nil {
		t.Fatal(err)
	}
	if b.Missing != 2 || b.Negative != 1 || b.Excess != 1 || b.Foreign != 1 {
		t.Errorf("counted %+v", b)
	}
	got := ""
	for _, r := range b.Readings {
		got += fmt.Sprintln(r.Site, r.Hour, r.Pollutant, r.Amount, r.Pollutant.Unit())
	}
	want := "site_5024 2025-11-13T12:30Z PM2.5 350.5 µg/m³\nsite_5024 2025-11-13T12:30Z PM10 350 µg/m³\nsite_5024 2025-11-13T12:30Z CO " +
		"1.5 mg/m³\n"
	if got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestAFileThatCannotBeReadIsRefused promises that no half of a file is used.
func TestAFileThatCannotBeReadIsRefused(t *testing.T) {
	line := func(value, unit, site, from string) string {
		return "value,unit,site_id,from,pollutant\n" + strings.Join([]string{value, unit, site, from, "PM2.5"}, ",") + "\n"
	}
	const hour = "2025-11-13T12:30:00Z"
	if _, err := aqi.ParseCSV([]byte(line("1", "ug/m3", "site_1", hour))); err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{
		"empty":              "",
		"no unit":            line("1", "", "site_1", hour),
		"parts per billion":  line("1", "ppb", "site_1", hour),
		"no number":          line("many", "ug/m3", "site_1", hour),
		"no offset":          line("1", "ug/m3", "site_1", "2025-11-13T12:30:00"),
		"a quarter past":     line("1", "ug/m3", "site_1", "2025-11-13T12:15:00Z"),
		"a station's name":   line("1", "ug/m3", "Alipur Delhi", hour),
		"a column too few":   "value,unit,site_id,from\n",
		"two columns of one": "value,unit,site_id,from,pollutant,value\n",
		"a cell too few":     "value,unit,site_id,from,pollutant\n1,ug/m3\n",
		"not UTF-8":          "value,unit,site_id,from,pollutant\n\xff,,,,\n",
		"a huge cell":        line(strings.Repeat("1", 300), "ug/m3", "site_1", hour),
	} {
		if b, err := aqi.ParseCSV([]byte(file)); err == nil || len(b.Readings) > 0 {
			t.Errorf("%s: %v, %v", name, b, err)
		}
	}
}

// page is an answer of the open data feed in its published shape, written by hand.
func page(rows ...string) []byte {
	return []byte(`{"status":"ok","total":"315","count":2,"limit":"10","offset":"0","updated_date":"2026-09-21T13:05:12Z","records":[` +
		strings.Join(rows, ",") + `]}`)
}

func row(pollutant, avg string) string {
	return fmt.Sprintf(`{"country":"India","state":"Delhi","city":"Delhi","station":"Alipur, Delhi - DPCC","last_update":"21-09-2026 18:00:00",
 "latitude":"28.815329","longitude":"77.15301","pollutant_id":%q,"min_value":"68","max_value":"107","avg_value":%q}`, pollutant, avg)
}

// TestTheFeedGivesSubIndices promises that a value of the feed is taken as a
// sub-index: 83 for PM2.5 makes an index of 83 and stands for some 49.8 µg/m³.
func TestTheFeedGivesSubIndices(t *testing.T) {
	p, err := aqi.ParsePage(page(row("PM2.5", "83"), row("OZONE", "42"), row("CO", "42"), row("NH3", "NA")))
	if err != nil || p.Received != 4 || p.Total != 315 || len(p.Rows) != 3 || p.Dropped[aqi.NoValue] != 1 {
		t.Fatalf("got %+v, %v", p, err)
	}
	reports, odd, err := aqi.Gather(p.Rows)
	if err != nil || odd != 0 || len(reports) != 1 {
		t.Fatalf("got %d reports, %d odd, %v", len(reports), odd, err)
	}
	r := reports[0]
	if r.Index.Value != 83 || r.Index.Responsible != aqi.PM25 || r.Index.Parts[0].Footing != aqi.Reported ||
		r.Last.String() != "2026-09-21T11:30Z" || !r.Placed {
		t.Errorf("got %+v", r)
	}
	if d, ok := r.Concentration(aqi.PM25); !ok || d.Middle.String() != "49.8" || d.Label != aqi.DerivedLabel {
		t.Errorf("derived %+v", d)
	}
	if _, ok := r.Concentration(aqi.PM10); ok {
		t.Error("a concentration was made of nothing")
	}
}

// TestRowsOfTheFeedThatCannotBeUsed promises that each is dropped for its reason,
// and that the older names and bare numbers are read.
func TestRowsOfTheFeedThatCannotBeUsed(t *testing.T) {
	for _, tt := range []struct {
		name string
		row  string
		drop aqi.Drop
	}{
		{"as it is", row("PM2.5", "83"), ""},
		{"missing", row("PM2.5", "NA"), aqi.NoValue},
		{"below the scale", row("PM2.5", "-1"), aqi.OffScale},
		{"above the scale", row("PM2.5", "501"), aqi.OffScale},
		{"an error's number", row("PM2.5", "999"), aqi.OffScale},
		{"no number", row("PM2.5", "high"), aqi.OffScale},
		{"a concentration, it seems", row("PM2.5", "83.4"), aqi.Fraction},
		{"a whole number all the same", row("PM2.5", "83.0"), ""},
		{"not of the index", row("BENZENE", "3"), aqi.Foreign},
		{"another form of time", strings.Replace(row("PM2.5", "83"), "21-09-2026", "2026-09-21", 1), aqi.BadTime},
		{"off the hour", strings.Replace(row("PM2.5", "83"), "18:00:00", "18:10:00", 1), aqi.BadTime},
		{"no station", strings.Replace(row("PM2.5", "83"), "Alipur, Delhi - DPCC", "", 1), aqi.BadName},
		{"older names", strings.NewReplacer("min_value", "pollutant_min", "max_value", "pollutant_max", "avg_value", "pollutant_avg").
			Replace(row("PM2.5", "83")), ""},
		{"bare numbers", strings.Replace(row("PM2.5", "83"), `"83"`, `83`, 1), ""},
	} {
		p, err := aqi.ParsePage(page(tt.row))
		if err != nil || p.Received != 1 || tt.drop != "" && p.Dropped[tt.drop] != 1 || tt.drop == "" &&
			(len(p.Rows) != 1 || p.Rows[0].Index != 83) {
			t.Errorf("%s: got %+v, %v", tt.name, p, err)
		}
	}
	for _, bad := range []string{"", "Invalid key", `[]`, `{"status":"error","message":"no"}`, `{"records":[1]}`,
		`{"records":[{"station":[]}]}`} {
		if p, err := aqi.ParsePage([]byte(bad)); err == nil {
			t.Errorf("%q became %+v", bad, p)
		}
	}
}

// TestPagesAreGatheredInAnyOrder promises that a station split over pages is one
// report, and that rows which disagree are left out and counted.
func TestPagesAreGatheredInAnyOrder(t *testing.T) {
	p, err := aqi.ParsePage(page(row("PM2.5", "83"), row("PM10", "90"), row("NO2", "50"), row("NO2", "51"), row("SO2", "10"),
		row("SO2", "10"),
		strings.Replace(row("PM2.5", "200"), "Alipur", "Narela", 1)))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		reports, odd, err := aqi.Gather(rapid.Permutation(p.Rows).Draw(t, "order"))
		if err != nil || odd != 2 || len(reports) != 2 || reports[0].Index.Value != 90 || len(reports[0].Index.Parts) != 3 ||
			reports[1].Index.Known() {
			t.Fatalf("got %+v, %d odd, %v", reports, odd, err)
		}
	})
}

// FuzzParseCSV promises that whatever is read can be collected or is refused for a
// bound, and lies in bounds itself.
func FuzzParseCSV(f *testing.F) {
	f.Add([]byte("site_id,from,pollutant,value,unit\nsite_1,2025-11-13T12:30:00Z,PM2.5,350.5,ug/m3\n"))
	f.Add([]byte("value,unit,site_id,from,pollutant\n-1,mg/m3,a,2025-11-13T18:00:00+05:30,CO\nNA,,,,\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		b, err := aqi.ParseCSV(file)
		if err != nil && len(b.Readings) > 0 {
			t.Error("readings of a refused file")
		}
		for _, r := range b.Readings {
			if r.Amount < 0 || r.Amount > aqi.MaxAmount || !r.Pollutant.Valid() || r.Site == "" {
				t.Errorf("read %+v", r)
			}
		}
		all, err := aqi.Collect(b.Readings)
		if err != nil {
			return
		}
		for _, h := range all {
			if x := h.Index(h.First().Plus(h.Length() - 1)); x.Value < aqi.Unknown || x.Value > aqi.Top {
				t.Errorf("index %d", x.Value)
			}
		}
	})
}

// FuzzParsePage promises that every row received is used or counted, and that no
// row leaves the scale.
func FuzzParsePage(f *testing.F) {
	f.Add(page(row("PM2.5", "83"), row("CO", "NA")))
	f.Add([]byte(`{"records":[{"pollutant_id":"PM10","pollutant_avg":12,"station":"x","last_update":"01-01-2026 00:00:00"}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := aqi.ParsePage(body)
		if err != nil {
			return
		}
		n := len(p.Rows)
		for _, d := range p.Dropped {
			n += d
		}
		if n != p.Received {
			t.Errorf("received %d, accounted for %d", p.Received, n)
		}
		reports, _, err := aqi.Gather(p.Rows)
		if err != nil {
			t.Error(err)
		}
		for _, r := range reports {
			if r.Index.Value < aqi.Unknown || r.Index.Value > aqi.Top {
				t.Errorf("index %d", r.Index.Value)
			}
		}
	})
}

// FuzzParseWords promises that an amount, an hour, a site and a pollutant read back
// what they write.
func FuzzParseWords(f *testing.F) {
	for _, s := range []string{"350.5", "2025-11-13T12:30Z", "site_5024", "PM2.5", "0.0000005", "21-09-2026 18:00:00"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if a, err := aqi.ParseAmount(s); err == nil {
			if back, err := aqi.ParseAmount(a.String()); err != nil || back != a {
				t.Errorf("%q became %s", s, a)
			}
		}
		if h, err := aqi.ParseHour(s); err == nil && h.String() != s {
			t.Errorf("%q became %s", s, h)
		}
		if at, err := aqi.ParseIndian(s); err == nil && at.Format("02-01-2006 15:04:05") != s {
			t.Errorf("%q became %s", s, at)
		}
		if id, err := aqi.ParseSite(s); err == nil && string(id) != s {
			t.Errorf("%q became %s", s, id)
		}
		if p, err := aqi.ParsePollutant(s); err == nil {
			if back, err := aqi.ParsePollutant(p.String()); err != nil || back != p {
				t.Errorf("%q became %s", s, p)
			}
		}
	})
}
