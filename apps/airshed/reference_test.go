package airshed

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed/feedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/rule/region"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// aDay is so many detections of one day all over the world.
func aDay(n int) []fire.Detection {
	out := make([]fire.Detection, n)
	for i := range out {
		out[i] = fire.Detection{At: fire.Point{Lat: float64(i%17_000)/100 - 85, Lon: float64(i%35_999)/100 - 180}, Time: time.Date(2026, 11, 12, i%24, i%60, 0, 0, time.UTC),
			Satellite: "NOAA-21", Instrument: fire.VIIRS, Confidence: fire.Nominal, FRP: float64(i%100) / 3, Light: fire.Day, Version: "2.0NRT"}
	}
	return out
}

// TestADetectionIsKeptOnceHoweverOftenItComes promises that, that a world day loads in
// seconds, and that a row of the final processing stands beside the preliminary one.
func TestADetectionIsKeptOnceHoweverOftenItComes(t *testing.T) {
	r := newRig(t)
	day, source := aDay(200_000), blob.Sum([]byte("a file"))
	began := time.Now()
	fresh, err := r.store.keepFires(t.Context(), day, source)
	if err != nil || fresh != 200_000 {
		t.Fatalf("%d new rows, %v", fresh, err)
	}
	wait.Within(t, "keeping 200,000 detections", time.Since(began), time.Minute)
	began = time.Now()
	if fresh, err = r.store.keepFires(t.Context(), day, blob.Sum([]byte("another"))); err != nil || fresh != 0 {
		t.Errorf("again: %d new rows, %v", fresh, err)
	}
	wait.Within(t, "keeping them again", time.Since(began), time.Minute)
	final := aDay(10)
	for i := range final {
		final[i].Version = "2.0"
	}
	if fresh, err = r.store.keepFires(t.Context(), final, source); err != nil || fresh != 10 {
		t.Errorf("the final processing: %d new rows, %v", fresh, err)
	}
}

// TestReferenceDataIsAddedToAndNeverChanged promises that servers and workers can read
// and add, and can neither change nor delete; and that it is not behind any wall.
func TestReferenceDataIsAddedToAndNeverChanged(t *testing.T) {
	r := newRig(t)
	if err := r.store.keepReference(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if _, err := r.store.keepFires(t.Context(), aDay(3), blob.Sum(nil)); err != nil {
		t.Fatal(err)
	}
	for _, table := range []string{"ref.fire", "ref.station", "ref.citation"} {
		for _, org := range []identity.Org{postgrestest.North, postgrestest.South} {
			var n int
			err := r.db.App.InOrg(t.Context(), org, func(tx pgx.Tx) error { return tx.QueryRow(t.Context(), `select count(*) from `+table).Scan(&n) })
			if err != nil || n == 0 {
				t.Errorf("%s: %s sees %d rows, %v", table, org, n, err)
			}
		}
		for _, sql := range []string{`update ` + table + ` set source = source`, `delete from ` + table, `truncate ` + table} {
			err := r.db.App.InNone(t.Context(), func(tx pgx.Tx) error { _, err := tx.Exec(t.Context(), sql); return err })
			if err == nil || !strings.Contains(err.Error(), "permission denied") {
				t.Errorf("%s: %v, want it refused", sql, err)
			}
		}
	}
}

const twoStations = "site_id,name,agency,latitude,longitude,kind,valid_from\n" +
	"site_5999,\"JNU, Delhi\",DPCC,28.5402,77.1658,interior,2026-03-01\n" +
	"site_5024,\"Alipur, Delhi\",DPCC,28.8155,77.1531,border,2026-11-02\n"

// TestImportedStationsAreAskedAbout promises that a new station is asked about from its
// first day on, that a station that moved is where it is now, and that importing the
// same file twice adds nothing.
func TestImportedStationsAreAskedAbout(t *testing.T) {
	w := feedtest.New(t)
	r := newRig(t).onWorld(t, settingsOf(t, w))
	if err := r.store.keepReference(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	operator := person(identity.Operator)
	got, err := r.importStations(t.Context(), operator, []byte(twoStations), "stations.csv")
	if err != nil || got.Rows != 2 || got.Fresh != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if got, err = r.importStations(t.Context(), operator, []byte(twoStations), "stations.csv"); err != nil || got.Fresh != 0 {
		t.Errorf("again: got %+v, %v", got, err)
	}
	moment := time.Date(2126, 1, 1, 0, 0, 0, 0, time.UTC) // behind whatever the clock says
	before, err1 := r.store.stations(t.Context(), moment)
	known, err2 := r.store.RefStations(t.Context(), person(identity.Auditor), "", 200)
	if err1 != nil || err2 != nil || len(before) != 21 || len(known) != 21 {
		t.Fatalf("%d stations to ask about, %d known, %v, %v", len(before), len(known), err1, err2)
	}
	for _, s := range before {
		if s.Site == "site_5024" && s.Lat != 28.8155 || s.Site == "site_5999" && s.Role != "interior" {
			t.Errorf("got %+v", s)
		}
	}
	if early, err := r.store.stations(t.Context(), time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)); err != nil || len(early) != 20 {
		t.Errorf("before its first day: %d stations, %v", len(early), err)
	}
}

// TestReferenceDataIsImportedByThoseItIsGivenTo promises that only the organisation of
// the lake adds what counts for all, and only by a role for it; and that a file with a
// bad row is refused whole.
func TestReferenceDataIsImportedByThoseItIsGivenTo(t *testing.T) {
	w := feedtest.New(t)
	r := newRig(t).onWorld(t, settingsOf(t, w))
	south := person(identity.Operator)
	south.Org = postgrestest.South
	for _, who := range []identity.Actor{south, person(identity.Analyst), person(identity.OrgAdmin), identity.Gavel(postgrestest.North)} {
		if _, err := r.importStations(t.Context(), who, []byte(twoStations), "x"); !fault.Is(err, fault.Refused) {
			t.Errorf("%s of %s imports stations: %v", who.ID, who.Org, err)
		}
		if _, err := r.importCitations(t.Context(), who, []byte(`{}`), "x"); !fault.Is(err, fault.Refused) {
			t.Errorf("%s of %s imports citations: %v", who.ID, who.Org, err)
		}
	}
	for _, bad := range []string{"", "site_id\n", twoStations + "x\n", twoStations + "Site 1,a,b,1,1,border,2026-01-01\n", twoStations + "s,a,b,91,1,border,2026-01-01\n",
		twoStations + "s,a,b,NaN,1,border,2026-01-01\n", twoStations + "s,a,b,1,1,somewhere,2026-01-01\n", twoStations[:55]} {
		if _, err := r.importStations(t.Context(), person(identity.Officer), []byte(bad), "x"); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.200q: %v", bad, err)
		}
	}
	file, err := os.ReadFile("lawbook/citations.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.importCitations(t.Context(), person(identity.Officer), file, "citations.json")
	if err != nil || got.Fresh == 0 || got.Fresh != int64(got.Rows) {
		t.Errorf("got %+v, %v", got, err)
	}
	anew := bytes.ReplaceAll(file, []byte(`"verified_on": "2026-`), []byte(`"verified_on": "2027-`))
	if again, err := r.importCitations(t.Context(), person(identity.Officer), anew, "citations.json"); err != nil || again.Fresh == 0 {
		t.Errorf("looked at again: got %+v, %v", again, err)
	}
	all, err := r.store.RefCitations(t.Context(), person(identity.Auditor), "", 200)
	if err != nil || len(all) != got.Rows || all[0].VerifiedOn.Year() != 2027 {
		t.Errorf("%d citations, %v", len(all), err)
	}
}

// A square of the Punjab, around the fires of laketest.Surge.
const squares = `{"type":"FeatureCollection","features":[{"type":"Feature","properties":{"district":"Made-up Mansa","state":"Punjab"},
	"geometry":{"type":"Polygon","coordinates":[[[75.0,30.1],[75.7,30.1],[75.7,30.8],[75.0,30.8],[75.0,30.1]]]}}]}`

// TestDistrictsAreNamedByTheFileThatWasImported promises that a scan goes by the newest
// boundaries there were when it began, that its analysis names them, and that the
// terminal with the same file gives the same bytes; and that without boundaries no
// district is named and the analysis says so.
func TestDistrictsAreNamedByTheFileThatWasImported(t *testing.T) {
	r, o := newRig(t), laketest.Surge(t)
	r.hand(t, "without", o)
	read := func() []byte {
		all, err := r.store.Episodes(t.Context(), person(identity.Auditor), place{}, 10)
		if err != nil || len(all) != 1 {
			t.Fatalf("got %+v, %v", all, err)
		}
		body, err := r.store.Analysis(t.Context(), person(identity.Auditor), all[0].Key)
		if err != nil {
			t.Fatal(err)
		}
		return body
	}
	if body := read(); !bytes.Contains(body, []byte("no district of a fire is known")) {
		t.Error("without boundaries the analysis does not say that no district is known")
	}
	terms := region.Terms{Name: "districts.geojson", Licence: "made up", AsOf: "2026-01-31"}
	b, err := r.store.ImportBoundary(t.Context(), person(identity.Operator), []byte(squares), terms)
	if err != nil || b.Districts != 1 {
		t.Fatalf("got %+v, %v", b, err)
	}
	o.Time = o.Time.Add(time.Minute) // newer data: it is answered again
	r.hand(t, "with", o)
	body := read()
	if !bytes.Contains(body, []byte("Made-up Mansa")) || !bytes.Contains(body, []byte("districts.geojson (made up, as of 2026-01-31; sha256 "+b.Data[:16])) {
		t.Errorf("the analysis does not name the district, or not by what: %.3000s", body)
	}
	folder := t.TempDir()
	for name, file := range map[string][]byte{"november.json": laketest.File(t, o), "districts.geojson": []byte(squares)} {
		if err := os.WriteFile(filepath.Join(folder, name), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	off := offline{Data: filepath.Join(folder, "november.json"), Districts: filepath.Join(folder, "districts.geojson"), Licence: "made up", AsOf: "2026-01-31"}
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
	r, o := newRig(t), laketest.Surge(t)
	terms := region.Terms{Gives: region.GivesStates, Name: "land.geojson", Licence: "made up", AsOf: "2026-01-31"}
	b, err := r.store.ImportBoundary(t.Context(), person(identity.Officer), []byte(land), terms)
	if err != nil || b.Districts != 1 || b.Gives != region.GivesStates {
		t.Fatalf("got %+v, %v", b, err)
	}
	r.hand(t, "with states", o)
	all, err := r.store.Episodes(t.Context(), person(identity.Auditor), place{}, 10)
	if err != nil || len(all) != 1 || all[0].First != "Westmark (made up)" || all[0].Station != "Gate (made up)" {
		t.Fatalf("got %+v, %v", all, err)
	}
	body, err := r.store.Analysis(t.Context(), person(identity.Auditor), all[0].Key)
	if err != nil || bytes.Contains(body, []byte("Punjab")) || bytes.Contains(body, []byte("Natural Earth")) || !bytes.Contains(body, []byte("land.geojson (made up, as of 2026-01-31; sha256 "+b.Data[:16])) {
		t.Errorf("%v: the analysis names another land, or not by what: %.3000s", err, body)
	}
	folder := t.TempDir()
	for name, file := range map[string][]byte{"november.json": laketest.File(t, o), "land.geojson": []byte(land)} {
		if err := os.WriteFile(filepath.Join(folder, name), file, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	off := offline{Data: filepath.Join(folder, "november.json"), States: filepath.Join(folder, "land.geojson"), Licence: "made up", AsOf: "2026-01-31"}
	if _, again, err := off.analyse(string(all[0].Key)); err != nil || !bytes.Equal(again, body) {
		t.Errorf("%v: offline the same files give other bytes", err)
	}
}

// TestBoundariesAreRefusedWithoutTheirTerms promises that, and that a file of another
// place is refused before anybody relies on it.
func TestBoundariesAreRefusedWithoutTheirTerms(t *testing.T) {
	r := newRig(t)
	good := region.Terms{Name: "d.json", Licence: "made up", AsOf: "2026-01-31"}
	for what, tt := range map[string]struct {
		who   identity.Actor
		file  string
		terms region.Terms
		want  fault.Kind
	}{
		"no licence":    {person(identity.Officer), squares, region.Terms{AsOf: "2026-01-31"}, fault.Invalid},
		"no date":       {person(identity.Officer), squares, region.Terms{Licence: "made up"}, fault.Invalid},
		"no file":       {person(identity.Officer), "", good, fault.Invalid},
		"another state": {person(identity.Officer), strings.ReplaceAll(squares, "Punjab", "Kerala"), good, fault.Invalid},
		"an analyst":    {person(identity.Analyst), squares, good, fault.Refused},
		"the system":    {identity.Gavel(postgrestest.North), squares, good, fault.Refused},
	} {
		if _, err := r.store.ImportBoundary(t.Context(), tt.who, []byte(tt.file), tt.terms); !fault.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", what, err, tt.want)
		}
	}
	if all, err := r.store.Boundaries(t.Context(), person(identity.Analyst), place{}, 10); err != nil || len(all) != 0 {
		t.Errorf("%d were imported, %v", len(all), err)
	}
}

// TestTheLastGoodObjectOutlivesTheProcess promises that a new process that finds its
// lake empty falls back to the last object that was kept of it, says so, and never
// takes a file that somebody handed in for it.
func TestTheLastGoodObjectOutlivesTheProcess(t *testing.T) {
	w := feedtest.New(t)
	r := newRig(t).onWorld(t, settingsOf(t, w))
	put, err := r.lake.Put(t.Context(), laketest.Surge(t))
	if err != nil {
		t.Fatal(err)
	}
	scan, _, err := r.store.StartScan(t.Context(), person(identity.Officer), ScanRequest{Kind: Asked, Key: "newest"})
	if err != nil {
		t.Fatal(err)
	}
	r.carry(t, scan)
	r.hand(t, "handed later", laketest.Quiet(t))
	r = r.onWorld(t, settingsOf(t, w)) // a new process, and an empty folder
	found, err := r.lake.Latest(t.Context())
	if err != nil || !found.Stale || found.Why == "" || found.Snapshot.SHA256 != put.Snapshot.SHA256 || found.Key != put.Key {
		t.Errorf("got %v of %s, stale %t, %v", found.Snapshot.SHA256, found.Key, found.Stale, err)
	}
}

func FuzzReadStations(f *testing.F) {
	f.Add([]byte(twoStations))
	f.Add([]byte("site_id,name,agency,latitude,longitude,kind,valid_from\n\"a"))
	f.Fuzz(func(t *testing.T, file []byte) {
		all, err := readStations(file)
		if err != nil {
			if fault.KindOf(err) == fault.Internal {
				t.Error(err)
			}
			return
		}
		for _, s := range all {
			if !siteForm.MatchString(s.Site) || s.Name == "" || !(s.Lat >= -90 && s.Lat <= 90) || len(fmt.Sprint(s.Kind)) == 0 {
				t.Errorf("taken: %+v", s)
			}
		}
	})
}
