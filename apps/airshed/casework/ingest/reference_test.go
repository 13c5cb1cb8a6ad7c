package ingest

import (
	"bytes"
	"os"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed/feedtest"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

const twoStations = "site_id,name,agency,latitude,longitude,kind,valid_from\n" +
	"site_5999,\"JNU, Delhi\",DPCC,28.5402,77.1658,interior,2026-03-01\n" +
	"site_5024,\"Alipur, Delhi\",DPCC,28.8155,77.1531,border,2026-11-02\n"

// TestImportedStationsAreAskedAbout promises that a new station is asked about from its
// first day on, that a station that moved is where it is now, and that importing the
// same file twice adds nothing.
func TestImportedStationsAreAskedAbout(t *testing.T) {
	w := feedtest.New(t)
	r := newRig(t).onWorld(t, settingsOf(t, w))
	if err := r.store.KeepReference(t.Context()); err != nil {
		t.Fatal(err)
	}
	operator := airshedtest.Person(identity.Operator)
	got, err := r.ImportStations(t.Context(), operator, []byte(twoStations), "stations.csv")
	if err != nil || got.Rows != 2 || got.Fresh != 2 {
		t.Fatalf("got %+v, %v", got, err)
	}
	if got, err = r.ImportStations(t.Context(), operator, []byte(twoStations), "stations.csv"); err != nil || got.Fresh != 0 {
		t.Errorf("again: got %+v, %v", got, err)
	}
	moment := time.Date(2126, 1, 1, 0, 0, 0, 0, time.UTC) // behind whatever the clock says
	before, err1 := r.store.Stations(t.Context(), moment)
	known, err2 := r.store.RefStations(t.Context(), airshedtest.Person(identity.Auditor), "", 200)
	if err1 != nil || err2 != nil || len(before) != 21 || len(known) != 21 {
		t.Fatalf("%d stations to ask about, %d known, %v, %v", len(before), len(known), err1, err2)
	}
	for _, s := range before {
		if s.Site == "site_5024" && s.Lat != 28.8155 || s.Site == "site_5999" && s.Role != "interior" {
			t.Errorf("got %+v", s)
		}
	}
	if early, err := r.store.Stations(t.Context(), time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)); err != nil || len(early) != 20 {
		t.Errorf("before its first day: %d stations, %v", len(early), err)
	}
}

// TestReferenceDataIsImportedByThoseItIsGivenTo promises that only the organisation of
// the lake adds what counts for all, and only by a role for it; and that a file with a
// bad row is refused whole.
func TestReferenceDataIsImportedByThoseItIsGivenTo(t *testing.T) {
	w := feedtest.New(t)
	r := newRig(t).onWorld(t, settingsOf(t, w))
	south := airshedtest.Person(identity.Operator)
	south.Org = postgrestest.South
	for _, who := range []identity.Actor{south, airshedtest.Person(identity.Analyst), airshedtest.Person(identity.OrgAdmin),
		identity.Gavel(postgrestest.North)} {
		if _, err := r.ImportStations(t.Context(), who, []byte(twoStations), "x"); !fault.Is(err, fault.Refused) {
			t.Errorf("%s of %s imports stations: %v", who.ID, who.Org, err)
		}
		if _, err := r.ImportCitations(t.Context(), who, []byte(`{}`), "x"); !fault.Is(err, fault.Refused) {
			t.Errorf("%s of %s imports citations: %v", who.ID, who.Org, err)
		}
	}
	for _, bad := range []string{"", "site_id\n", twoStations + "x\n", twoStations + "Site 1,a,b,1,1,border,2026-01-01\n",
		twoStations + "s,a,b,91,1,border,2026-01-01\n",
		twoStations + "s,a,b,NaN,1,border,2026-01-01\n", twoStations + "s,a,b,1,1,somewhere,2026-01-01\n", twoStations[:55]} {
		if _, err := r.ImportStations(t.Context(), airshedtest.Person(identity.Officer), []byte(bad), "x"); !fault.Is(err, fault.Invalid) {
			t.Errorf("%.200q: %v", bad, err)
		}
	}
	file, err := os.ReadFile("../../rule/lawbook/citations.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := r.ImportCitations(t.Context(), airshedtest.Person(identity.Officer), file, "citations.json")
	if err != nil || got.Fresh == 0 || got.Fresh != int64(got.Rows) {
		t.Errorf("got %+v, %v", got, err)
	}
	anew := bytes.ReplaceAll(file, []byte(`"verified_on": "2026-`), []byte(`"verified_on": "2027-`))
	if again, err := r.ImportCitations(t.Context(), airshedtest.Person(identity.Officer), anew, "citations.json"); err != nil ||
		again.Fresh == 0 {
		t.Errorf("looked at again: got %+v, %v", again, err)
	}
	all, err := r.store.RefCitations(t.Context(), airshedtest.Person(identity.Auditor), "", 200)
	if err != nil || len(all) != got.Rows || all[0].VerifiedOn.Year() != 2027 {
		t.Errorf("%d citations, %v", len(all), err)
	}
}
