package feed_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/feed"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// read is the lines of a feed.
func read(t *testing.T, f feed.Format, body string, m *feed.Mapping) (all []feed.Line) {
	t.Helper()
	err := feed.Read(f, []byte(body), m, func(l feed.Line) error { all = append(all, l); return nil })
	if err != nil {
		t.Fatal(err)
	}
	return all
}

func file(t *testing.T, name string) string {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

func dayOf(month time.Month, d int) time.Time {
	return time.Date(2026, month, d, 0, 0, 0, 0, signal.India())
}

// TestOurOwnLinesAreReadAsTheyAre promises that NDJSON and CSV say the same, and that what cannot be read is said without its words.
func TestOurOwnLinesAreReadAsTheyAre(t *testing.T) {
	lines := read(t, feed.NDJSON, `{"event_id":"e1","source":"desk","event_type":"riot","timestamp":"2026-02-03T09:30:00+05:30","district_lgd":272,"severity":3,"layers":["physical"],"event_summary":"Stones thrown","fatalities":1}

{"event_id":"e2","timestamp":"9876543210"}
nonsense
`, nil)
	records := read(t, feed.CSV, "event_id,source,event_type,timestamp,district_lgd,severity,layers,event_summary,fatalities\n"+
		"e1,desk,riot,2026-02-03T09:30:00+05:30,272,3,physical,Stones thrown,1\n"+
		"e2,desk,riot,9876543210,272,3,physical,Stones thrown,1\n"+
		"e3,desk,riot,2026-02-03T09:30:00Z,272,bad,physical,Stones thrown,1\n"+
		"too,few\n", nil)
	for name, all := range map[string][]feed.Line{"ndjson": lines, "csv": records} {
		r := all[0].Report
		if all[0].Problem != "" || r.EventID != "e1" || r.LGD != 272 || r.Severity != 3 || len(r.Layers) != 1 || r.Fatalities == nil ||
			*r.Fatalities != 1 || !r.At.Equal(time.Date(2026, 2, 3, 4, 0, 0, 0, time.UTC)) || r.Summary != "Stones thrown" {
			t.Errorf("%s: got %+v", name, all[0])
		}
		for _, l := range all[1:] {
			if l.Problem == "" || strings.Contains(l.Problem, "98765") {
				t.Errorf("%s: got %+v, want a problem in our own words", name, l)
			}
		}
	}
	if len(lines) != 3 || lines[2].N != 4 || len(records) != 4 || records[3].N != 5 {
		t.Errorf("got %d lines and %d records", len(lines), len(records))
	}
}

// TestACLEDsEventsComeWithoutNotesAndActors promises the mapping of the published fields, from a file and from an answer of the API.
func TestACLEDsEventsComeWithoutNotesAndActors(t *testing.T) {
	all := read(t, feed.ACLED, file(t, "acled.csv"), nil)
	if len(all) != 4 {
		t.Fatalf("got %d events, want 4", len(all))
	}
	first := all[0].Report
	if first.EventID != "acled:IND900001" || first.Source != "acled" || first.EventType != "Armed clash" || !first.At.Equal(dayOf(2, 3)) ||
		first.District != "Imphal West" || first.State != "Manipur" || *first.Fatalities != 3 ||
		first.Summary != "Armed clash (Battles); reported deaths: 3" || first.LGD != 0 {
		t.Errorf("got %+v", first)
	}
	if all[2].Report.EventType != "Strategic developments" || all[3].Problem == "" {
		t.Errorf("got %+v and %+v", all[2], all[3])
	}
	for _, l := range all {
		if strings.Contains(l.Report.Summary, "Actor") || strings.Contains(l.Report.Summary, "Somewhere") {
			t.Errorf("%q tells an actor or a place", l.Report.Summary)
		}
	}
	if answer := read(t, feed.ACLED, file(t, "acled.json"), nil); len(answer) != 1 || answer[0].Report.EventID != first.EventID ||
		answer[0].Report.Summary != first.Summary || !answer[0].Report.At.Equal(first.At) {
		t.Errorf("the API's answer: got %+v", answer)
	}
}

func TestUCDPsBestEstimateCounts(t *testing.T) {
	all := read(t, feed.UCDP, file(t, "ucdp.csv"), nil)
	r := all[0].Report
	if r.EventID != "ucdp:900001" || r.EventType != string(signal.Violence) || *r.Fatalities != 2 || !r.At.Equal(dayOf(2, 3)) ||
		r.District != "Imphal West district" || r.Summary != "One-sided violence; reported deaths: 2" {
		t.Errorf("got %+v", r)
	}
	if len(all) != 2 || all[1].Problem == "" {
		t.Errorf("a type that there is not: got %+v", all[1:])
	}
}

// TestFivePapersAreOneEventOfGDELT promises that what a machine coded twice for a day, a type and a place has one id, and that what it
// placed at the centre of a state, or abroad, or coded as talk, is left out.
func TestFivePapersAreOneEventOfGDELT(t *testing.T) {
	all := read(t, feed.GDELT, file(t, "gdelt.tsv"), nil)
	if len(all) != 7 {
		t.Fatalf("got %d lines", len(all))
	}
	a, b, c := all[0].Report, all[1].Report, all[2].Report
	if a.EventID != "gdelt:20260203:battle:churachandpur:manipur" || a.EventID != b.EventID || !a.At.Equal(b.At) ||
		c.EventID == a.EventID ||
		c.EventType != string(signal.Riot) || a.Source != "gdelt" || a.URL != "" {
		t.Errorf("got %+v, %+v, %+v", a, b, c)
	}
	for _, l := range all[3:] {
		if l.Problem == "" {
			t.Errorf("got %+v, want it left out", l)
		}
	}
}

// TestAMappingDescribesAnybodysTable promises joined ids, fixed values, translated ones and times of another form.
func TestAMappingDescribesAnybodysTable(t *testing.T) {
	m, err := feed.ReadMapping([]byte(file(t, "desk.json")))
	if err != nil {
		t.Fatal(err)
	}
	all := read(t, feed.Mapped, file(t, "desk.csv"), m)
	r := all[0].Report
	if r.EventID != "Imphal West/03/02/2026 09:30/Bandh call" || r.EventType != "bandh" || r.Source != "state-desk" ||
		r.State != "Manipur" || r.Severity != 2 ||
		!r.At.Equal(time.Date(2026, 2, 3, 9, 30, 0, 0, signal.India())) {
		t.Errorf("got %+v", r)
	}
	if len(all) != 2 || all[1].Problem == "" {
		t.Errorf("got %+v", all[1:])
	}
	for name, text := range map[string]string{
		"no such field":  `{"format":"csv","columns":{"event_id":"a","timestamp":"b","source":"c","event_type":"d","aadhaar":"e"}}`,
		"no id":          `{"format":"csv","columns":{"timestamp":"b","source":"c","event_type":"d"}}`,
		"no such format": `{"format":"xml","columns":{"event_id":"a","timestamp":"b","source":"c","event_type":"d"}}`,
		"no such key":    `{"format":"csv","colums":{}}`,
		"no offset":      `{"format":"csv","columns":{"event_id":"a","timestamp":"b","source":"c","event_type":"d"},"offset":"India"}`,
	} {
		if _, err := feed.ReadMapping([]byte(text)); err == nil {
			t.Errorf("%s was taken", name)
		}
	}
	if feed.Read(feed.Mapped, nil, nil, nil) == nil || feed.Read(feed.CSV, nil, m, nil) == nil || feed.Read("xml", nil, nil, nil) == nil ||
		feed.Read(feed.NDJSON, []byte("\xff"), nil, nil) == nil {
		t.Error("what cannot be read was")
	}
}
