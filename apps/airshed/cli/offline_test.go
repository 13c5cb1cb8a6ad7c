package cli

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A square of the Punjab, around the fires of laketest.Surge.
const squares = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"district":"Made-up Mansa","state":"Punjab"},
	"geometry":{"type":"Polygon","coordinates":[[[75.0,30.1],[75.7,30.1],[75.7,30.8],[75.0,30.8],[75.0,30.1]]]}}]}`

// TestDistrictsAreNamedByTheFileThatWasImported promises that a scan goes by the newest
// boundaries there were when it began, that its analysis names them, and that the
// terminal with the same file gives the same bytes; and that without boundaries no
// district is named and the analysis says so.
func TestDistrictsAreNamedByTheFileThatWasImported(t *testing.T) {
	r, o := airshedtest.New(t), laketest.Surge(t)
	steps := survey.New(r.Store).Steps()
	r.Hand(t, steps, "without", o)
	read := func() []byte {
		all, err := r.Store.Episodes(t.Context(), airshedtest.Person(identity.Auditor), store.Cursor{}, 10)
		if err != nil || len(all) != 1 {
			t.Fatalf("got %+v, %v", all, err)
		}
		body, err := r.Store.Analysis(t.Context(), airshedtest.Person(identity.Auditor), all[0].Key)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	if body := read(); !bytes.Contains(body, []byte("no district of a fire is known")) {
		t.Error("without boundaries the analysis does not say that no district is known")
	}
	terms := region.Terms{Name: "districts.geojson", Licence: "made up", AsOf: "2026-01-31"}
	b, err := r.Store.ImportBoundary(t.Context(), airshedtest.Person(identity.Operator), []byte(squares), terms)
	if err != nil || b.Districts != 1 {
		t.Fatalf("got %+v, %v", b, err)
	}
	o.Time = o.Time.Add(time.Minute) // newer data: it is answered again
	r.Hand(t, steps, "with", o)
	body := read()
	if !bytes.Contains(body, []byte("Made-up Mansa")) ||
		!bytes.Contains(body, []byte("districts.geojson (made up, as of 2026-01-31; sha256 "+b.Data[:16])) {
		t.Errorf("the analysis does not name the district, or not by what: %.3000s", body)
	}
	folder := t.TempDir()
	for name, file := range map[string][]byte{"november.json": laketest.File(t, o), "districts.geojson": []byte(squares)} {
		if err := os.WriteFile(filepath.Join(folder, name), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	off := offline{Data: filepath.Join(folder, "november.json"), Districts: filepath.Join(folder, "districts.geojson"), Licence: "made up",
		AsOf: "2026-01-31"}
	if _, again, err := off.analyse("site_5024@2025-11-12T02:30Z"); err != nil || !bytes.Equal(again, body) {
		t.Errorf("%v: offline the same files give other bytes", err)
	}
}

// land has the fires of laketest.Surge in a state that is made up, and a station of its
// own where that object has Alipur.
const land = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"state":"Westmark (made up)"},
	"geometry":{"type":"Polygon","coordinates":[[[74.0,28.0],[78.0,28.0],[78.0,31.5],[74.0,31.5],[74.0,28.0]]]}},
	{"type":"Feature","properties":{"site_id":"site_5024","name":"Gate (made up)","agency":"ours","city":"Town","kind":"border"},"geometry":{"type":"Point","coordinates":[77.15301,28.815329]}},
	{"type":"Feature","properties":{"site_id":"site_1434","name":"Square (made up)","agency":"ours","city":"Town","kind":"interior"},"geometry":{"type":"Point","coordinates":[77.165453,28.699793]}}]}`

// TestStatesThatWereImportedAreTheStates promises that an organisation's own states and
// stations take the place of the program's, that its analysis names the file and no other
// outline, and that the terminal with the same file gives the same bytes.
func TestStatesThatWereImportedAreTheStates(t *testing.T) {
	r, o := airshedtest.New(t), laketest.Surge(t)
	steps := survey.New(r.Store).Steps()
	terms := region.Terms{Gives: region.GivesStates, Name: "land.geojson", Licence: "made up", AsOf: "2026-01-31"}
	b, err := r.Store.ImportBoundary(t.Context(), airshedtest.Person(identity.Officer), []byte(land), terms)
	if err != nil || b.Districts != 1 || b.Gives != region.GivesStates {
		t.Fatalf("got %+v, %v", b, err)
	}
	r.Hand(t, steps, "with states", o)
	all, err := r.Store.Episodes(t.Context(), airshedtest.Person(identity.Auditor), store.Cursor{}, 10)
	if err != nil || len(all) != 1 || all[0].First != "Westmark (made up)" || all[0].Station != "Gate (made up)" {
		t.Fatalf("got %+v, %v", all, err)
	}
	body, err := r.Store.Analysis(t.Context(), airshedtest.Person(identity.Auditor), all[0].Key)
	if err != nil || bytes.Contains(body, []byte("Punjab")) || bytes.Contains(body, []byte("Natural Earth")) ||
		!bytes.Contains(body, []byte("land.geojson (made up, as of 2026-01-31; sha256 "+b.Data[:16])) {
		t.Errorf("%v: the analysis names another land, or not by what: %.3000s", err, body)
	}
	folder := t.TempDir()
	for name, file := range map[string][]byte{"november.json": laketest.File(t, o), "land.geojson": []byte(land)} {
		if err := os.WriteFile(filepath.Join(folder, name), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	off := offline{Data: filepath.Join(folder, "november.json"), States: filepath.Join(folder, "land.geojson"), Licence: "made up",
		AsOf: "2026-01-31"}
	if _, again, err := off.analyse(string(all[0].Key)); err != nil || !bytes.Equal(again, body) {
		t.Errorf("%v: offline the same files give other bytes", err)
	}
}

// TestStationsAndStaticSourcesThatWereImportedCount promises that a scan looks at imported
// stations and leaves out what was seen of static sources, that its analysis names both
// lists, and that the terminal with the same files gives the same bytes.
func TestStationsAndStaticSourcesThatWereImportedCount(t *testing.T) {
	r, o := airshedtest.New(t), laketest.Surge(t)
	steps := survey.New(r.Store).Steps()
	stations := "site_id,name,agency,latitude,longitude,kind,valid_from\n" +
		"site_5024,\"Alipur Gate, Delhi\",DPCC,28.815329,77.15301,border,2020-01-01\n"
	if _, err := r.Store.ImportStations(t.Context(), airshedtest.Person(identity.Operator), []byte(stations), "stations.csv"); err != nil {
		t.Fatal(err)
	}
	kilns := fmt.Sprintf("name,kind,latitude,longitude,radius_km,source\nKiln,kiln,%g,%g,1,survey\n", o.Fires[0].Lat, o.Fires[0].Lon)
	operator := airshedtest.Person(identity.Operator)
	l, err := r.Store.ImportStatic(t.Context(), operator, store.NewStatic{File: []byte(kilns), Name: "kilns.csv", Licence: "made up",
		AsOf: "2026-01-31"})
	if err != nil || l.Sites != 1 {
		t.Fatalf("got %+v, %v", l, err)
	}
	r.Hand(t, steps, "with both", o)
	all, err := r.Store.Episodes(t.Context(), airshedtest.Person(identity.Auditor), store.Cursor{}, 10)
	if err != nil || len(all) != 1 || all[0].Station != "Alipur Gate, Delhi" {
		t.Fatalf("got %+v, %v", all, err)
	}
	body, err := r.Store.Analysis(t.Context(), airshedtest.Person(identity.Auditor), all[0].Key)
	if err != nil || !bytes.Contains(body, []byte("kilns.csv (made up, as of 2026-01-31; sha256 "+l.Data[:16])) ||
		!bytes.Contains(body, []byte("1 imported (sha256 ")) || !bytes.Contains(body, []byte(`"masked":[{"name":"Kiln"`)) {
		t.Errorf("%v: the analysis does not name the lists: %.3000s", err, body)
	}
	folder := t.TempDir()
	for name, file := range map[string][]byte{"november.json": laketest.File(t, o), "kilns.csv": []byte(kilns),
		"stations.csv": []byte(stations)} {
		if err := os.WriteFile(filepath.Join(folder, name), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	off := offline{Data: filepath.Join(folder, "november.json"), Stations: filepath.Join(folder, "stations.csv"),
		Static: filepath.Join(folder, "kilns.csv"), StaticBy: "made up", StaticOf: "2026-01-31"}
	if _, again, err := off.analyse(string(all[0].Key)); err != nil || !bytes.Equal(again, body) {
		t.Errorf("%v: offline the same files give other bytes", err)
	}
	p, err := r.Store.PreviewStatic(t.Context(), operator, []byte("name,kind,latitude,longitude,radius_km,source\nWorks,steel,29,76,1,survey\n"))
	if err != nil || p.Added != 1 || p.Gone != 1 || !p.Shrinks {
		t.Errorf("the preview says %+v, %v", p, err)
	}
	cut := store.NewStatic{File: []byte("name,kind,latitude,longitude,radius_km,source\nWorks,steel,29,76,1,survey\n"), Licence: "made up",
		AsOf: "2026-02-28"}
	if _, err := r.Store.ImportStatic(t.Context(), operator, cut); !fault.Is(err, fault.Conflict) {
		t.Errorf("a list that was cut short: %v", err)
	}
	cut.Word.SHA256, cut.Word.MayShrink = p.SHA256, true
	if _, err := r.Store.ImportStatic(t.Context(), operator, cut); err != nil {
		t.Errorf("with somebody's word: %v", err)
	}
	if _, err := r.Store.ImportStatic(t.Context(), operator, cut); !fault.Is(err, fault.Stale) {
		t.Errorf("by a preview of another list: %v", err)
	}
	if _, err := r.Store.ImportStatic(t.Context(), airshedtest.Person(identity.Analyst), cut); !fault.Is(err, fault.Refused) {
		t.Errorf("by an analyst: %v", err)
	}
}
