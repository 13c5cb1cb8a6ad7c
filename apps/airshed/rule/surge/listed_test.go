package surge_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/intake"
)

const listedHead = "site_id,name,agency,latitude,longitude,kind,valid_from,city\n"

func listed(t *testing.T, lines ...string) []surge.Listed {
	t.Helper()
	all, err := surge.ReadListed([]byte(listedHead + strings.Join(lines, "\n")))
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// TestAListIsLaidOverTheStations promises that a row moves a station, adds one, or takes one
// away, from its day on and not before; and that what the list says anyway is no change.
func TestAListIsLaidOverTheStations(t *testing.T) {
	rows := listed(t,
		"site_5024,\"Alipur, Delhi\",DPCC,28.82,77.15,border,2026-02-01,",
		"site_301,\"Anand Vihar, Delhi\",DPCC,28.646835,77.316032,other,2026-02-01,",
		"site_1430,\"Rohini, Delhi\",DPCC,28.732528,77.119920,interior,2026-02-01,",
		"talkatora,\"Talkatora, Lucknow\",CPCB,26.834,80.892,interior,2026-02-01,Lucknow",
		"talkatora,\"Talkatora, Lucknow\",CPCB,26.834,80.892,border,2026-05-01,Lucknow")
	own := surge.Stations()
	if all, used := surge.Over(own, rows, time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC)); len(used) != 0 || len(all) != len(own) {
		t.Errorf("before its day %d rows count, and there are %d stations", len(used), len(all))
	}
	all, used := surge.Over(own, rows, time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC))
	by := map[string]surge.Station{}
	for _, s := range all {
		by[string(s.Site)] = s
	}
	if len(all) != len(own) || len(used) != 3 {
		t.Errorf("%d stations and %d rows used, want %d and 3", len(all), len(used), len(own))
	}
	if s := by["site_5024"]; s.Lat != 28.82 || len(s.Faces) != 1 {
		t.Errorf("Alipur is %+v", s)
	}
	if _, there := by["site_301"]; there {
		t.Error("Anand Vihar is still looked at")
	}
	if s := by["talkatora"]; s.Role != surge.Interior || s.City != "Lucknow" {
		t.Errorf("Talkatora is %+v", s)
	}
	if all, _ := surge.Over(own, rows, time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)); !slices.ContainsFunc(all, func(s surge.Station) bool {
		return s.Site == "talkatora" && s.Role == surge.Border
	}) {
		t.Error("the later row does not count")
	}
}

// TestAListIsWrittenAsItIsRead promises that a list of stations comes back from the file that
// is written of it, and has the same digest in any order.
func TestAListIsWrittenAsItIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		own := surge.Stations()
		var rows []surge.Listed
		for range rapid.IntRange(1, 8).Draw(t, "rows") {
			s := rapid.SampledFrom(own).Draw(t, "station")
			from := time.Date(2026, 1, 1+rapid.IntRange(0, 300).Draw(t, "day"), 0, 0, 0, 0, time.UTC)
			r := s.Row(from)
			r.Kind = rapid.SampledFrom([]string{"border", "interior", surge.Other}).Draw(t, "kind")
			if !slices.ContainsFunc(rows, func(o surge.Listed) bool { return o.Site == r.Site && o.ValidFrom.Equal(r.ValidFrom) }) {
				rows = append(rows, r)
			}
		}
		again, err := surge.ReadListed(intake.Write(surge.ListedTable, rows...))
		if err != nil || !slices.Equal(again, rows) {
			t.Fatalf("%v: %+v became %+v", err, rows, again)
		}
		slices.Reverse(again)
		if surge.DigestOf(again) != surge.DigestOf(rows) {
			t.Fatal("the order makes another digest")
		}
		all, used := surge.Over(own, rows, time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC))
		if more, _ := surge.Over(own, again, time.Date(2027, 1, 1, 0, 0, 0, 0, time.UTC)); len(more) != len(all) || len(used) > len(rows) {
			t.Fatal("the order makes other stations")
		}
	})
}

// FuzzReadListed promises that no file of stations brings the reader down, and that what is
// taken has a site, a name and a place.
func FuzzReadListed(f *testing.F) {
	f.Add([]byte(listedHead + "a,b,c,1,2,border,2026-01-01,\n"))
	f.Add([]byte("site_id\n\"\n"))
	f.Fuzz(func(t *testing.T, file []byte) {
		all, err := surge.ReadListed(file)
		for _, s := range all {
			if err != nil || s.Site == "" || s.Name == "" || !(s.Lat >= -90 && s.Lat <= 90) {
				t.Fatalf("%+v was taken, %v", s, err)
			}
		}
	})
}
