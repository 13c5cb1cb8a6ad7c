package feed_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/platform/fault"
)

// TestFiresAreAskedOfTheSatellitesThatServed promises one question for each source
// and five days, and none to a satellite that was not there. The days of service
// are the published ones.
func TestFiresAreAskedOfTheSatellitesThatServed(t *testing.T) {
	known, err := fire.Known()
	if err != nil {
		t.Fatal(err)
	}
	all := known
	all.Sensors = append([]fire.Sensor(nil), known.Sensors...)
	for i := range all.Sensors {
		all.Sensors[i].Wanted = true
	}
	day := func(s string) time.Time {
		at, err := time.Parse(time.DateOnly, s)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	for _, tt := range []struct {
		name     string
		known    fire.Constellation
		from, to string
		final    bool
		want     []feed.FireAsk
		without  []fire.Satellite
	}{
		{"six days of the two", known, "2026-11-09", "2026-11-15", false, []feed.FireAsk{
			{"VIIRS_NOAA21_NRT", fire.Span{From: "2026-11-09", Days: 5}}, {"VIIRS_NOAA21_NRT", fire.Span{From: "2026-11-14", Days: 1}},
			{"VIIRS_NOAA20_NRT", fire.Span{From: "2026-11-09", Days: 5}}, {"VIIRS_NOAA20_NRT", fire.Span{From: "2026-11-14", Days: 1}}},
			nil},
		{"before the younger one", known, "2023-11-01", "2023-11-02", false,
			[]feed.FireAsk{{"VIIRS_NOAA20_NRT", fire.Span{From: "2023-11-01", Days: 1}}}, nil},
		{"final, which one lacks", known, "2025-11-01", "2025-11-02", true,
			[]feed.FireAsk{{"VIIRS_NOAA20_SP", fire.Span{From: "2025-11-01", Days: 1}}}, []fire.Satellite{"NOAA-21"}},
		{"the day after Suomi-NPP ended; Terra and Aqua share a source", all, "2026-11-02", "2026-11-03", false, []feed.FireAsk{
			{"VIIRS_NOAA21_NRT", fire.Span{From: "2026-11-02", Days: 1}}, {"VIIRS_NOAA20_NRT", fire.Span{From: "2026-11-02", Days: 1}},
			{"MODIS_NRT", fire.Span{From: "2026-11-02", Days: 1}}}, nil},
	} {
		got, without, err := feed.PlanFires(tt.known, day(tt.from), day(tt.to), tt.final)
		if err != nil || !reflect.DeepEqual(got, tt.want) || !reflect.DeepEqual(without, tt.without) {
			t.Errorf("%s: got %v without %v, %v, want %v without %v", tt.name, got, without, err, tt.want, tt.without)
		}
	}
}

// TestOffersAreRead promises the table of sources, and that plain text under the
// status of success is no table.
func TestOffersAreRead(t *testing.T) {
	got, err := feed.ParseOffers([]byte("data_id,min_date,max_date\r\nMODIS_NRT,2026-08-01,2026-11-15\nVIIRS_NOAA21_NRT,2024-01-17,2026-11-15\n"))
	want := []feed.Offer{{"MODIS_NRT", "2026-08-01", "2026-11-15"}, {"VIIRS_NOAA21_NRT", "2024-01-17", "2026-11-15"}}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	for _, body := range []string{"", "Invalid MAP_KEY.", "<html></html>", "data_id,min_date,max_date\nMODIS_NRT,2026-08-01\n",
		"data_id,min_date,max_date\nMODIS NRT,2026-08-01,2026-11-15\n", "data_id,min_date,max_date\nMODIS_NRT,yesterday,2026-11-15\n",
		"data_id,min_date,max_date\n" + strings.Repeat("A,2026-08-01,2026-11-15\n", 300)} {
		if got, err := feed.ParseOffers([]byte(body)); err == nil {
			t.Errorf("%.40q was read as %v", body, got)
		}
	}
}

// FuzzParseOffers promises that whatever is read has days.
func FuzzParseOffers(f *testing.F) {
	f.Add([]byte("data_id,min_date,max_date\nMODIS_NRT,2026-08-01,2026-11-15\n"))
	f.Add([]byte("Invalid MAP_KEY."))
	f.Fuzz(func(t *testing.T, body []byte) {
		got, _ := feed.ParseOffers(body)
		for _, o := range got {
			if len(o.First) != 10 || len(o.Last) != 10 || o.Source == "" {
				t.Errorf("%+v", o)
			}
		}
	})
}

// page is a page of the feed with rows of so many stations from one on.
func page(total, from, rows int) aqi.Page {
	p := aqi.Page{Total: total, Received: rows, Updated: "now", Dropped: map[aqi.Drop]int{}}
	for i := range rows {
		p.Rows = append(p.Rows, aqi.Row{Station: strings.Repeat("x", from+i+1), Index: 100})
	}
	return p
}

// TestPagesAreCountedByTheRowsThatCame promises that every row of the table is read
// once, however many a page holds, and that a table which cannot be read to its end
// is a fault.
func TestPagesAreCountedByTheRowsThatCame(t *testing.T) {
	var p feed.Pages
	for i, pg := range []aqi.Page{page(25, 0, 10), page(25, 10, 10), page(25, 20, 5)} {
		if p.Next() != i*10 {
			t.Errorf("page %d is asked for at %d", i, p.Next())
		}
		if done, err := p.Take(pg); err != nil || done != (i == 2) {
			t.Errorf("page %d: done %t, %v", i, done, err)
		}
	}
	if len(p.Rows) != 25 || p.Seen != 25 || p.Moved {
		t.Errorf("%d rows, %d seen, moved %t", len(p.Rows), p.Seen, p.Moved)
	}

	p = feed.Pages{}
	moved := page(26, 10, 10)
	take(t, &p, page(25, 0, 10), false)
	take(t, &p, moved, false)
	if !p.Moved {
		t.Error("the table grew while it was read, and nobody said so")
	}

	p = feed.Pages{}
	take(t, &p, page(aqi.Unknown, 0, 10), false)
	take(t, &p, page(aqi.Unknown, 0, 0), true) // without a total an empty page is the end

	p = feed.Pages{}
	take(t, &p, page(25, 0, 10), false)
	if _, err := p.Take(page(25, 0, 10)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("the same page twice: got %v", err)
	}
	p = feed.Pages{}
	take(t, &p, page(25, 0, 10), false)
	if _, err := p.Take(page(25, 0, 0)); !fault.Is(err, fault.Unavailable) {
		t.Errorf("an end before the end: got %v", err)
	}
	p = feed.Pages{}
	for i := 0; ; i++ {
		if _, err := p.Take(page(aqi.Unknown, i%2, 60)); err != nil {
			if !fault.Is(err, fault.TooLarge) {
				t.Errorf("a table without end: got %v", err)
			}
			break
		}
	}
}

func take(t *testing.T, p *feed.Pages, pg aqi.Page, want bool) {
	t.Helper()
	if done, err := p.Take(pg); err != nil || done != want {
		t.Fatalf("done %t, %v, want %t", done, err, want)
	}
}
