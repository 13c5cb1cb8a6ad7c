package airshed

import (
	"bytes"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/analysis"
	"github.com/gavelhq/gavel/apps/airshed/lake"
	"github.com/gavelhq/gavel/apps/airshed/lake/laketest"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// hand hands a file in and carries the scan of it out.
func (r rig) hand(t *testing.T, key string, o *lake.Object) Scan {
	t.Helper()
	scan, _, err := r.store.StartScan(t.Context(), person(identity.Analyst), ScanRequest{Kind: Handed, Key: key, File: laketest.File(t, o), Name: "november.json"})
	if err != nil {
		t.Fatal(err)
	}
	return r.carry(t, scan)
}

// carry does the steps of a scan, as its workflow does.
func (r rig) carry(t *testing.T, scan Scan) Scan {
	t.Helper()
	steps, in := &Steps{r.app}, ScanInput{Org: postgrestest.North, Scan: scan.ID}
	for range 2 { // a step that is done again changes nothing
		there, err := steps.Read(t.Context(), in)
		if err == nil && there {
			err = steps.Look(t.Context(), in)
		}
		if err != nil {
			t.Error(err)
		}
	}
	scan, err := r.store.Scan(t.Context(), person(identity.Analyst), scan.ID)
	if err != nil {
		t.Error(err)
	}
	return scan
}

// offlineBytes is what the terminal's analysis of the same file gives.
func offlineBytes(t *testing.T, o *lake.Object) []byte {
	t.Helper()
	rules, err := standing(nil)
	if err != nil {
		t.Fatal(err)
	}
	read, err := lake.Read(laketest.File(t, o))
	if err != nil {
		t.Fatal(err)
	}
	d, err := analysis.Prepare(read, rules)
	if err != nil {
		t.Fatal(err)
	}
	a, err := d.Analyse(d.Keys()[0])
	if err != nil {
		t.Fatal(err)
	}
	body, err := a.JSON()
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestAScanFindsAnEpisodeOnceAndAnalysesItAsTheTerminalDoes promises that an episode
// is found once however often it is looked at, that the analysis kept is byte for byte
// the one made offline, and that the Punjab is named where its fires lie.
func TestAScanFindsAnEpisodeOnceAndAnalysesItAsTheTerminalDoes(t *testing.T) {
	r, o := newRig(t), laketest.Surge(t)
	first := r.hand(t, "one", o)
	if first.State != ScanDone || first.Found != 1 || first.Fresh != 1 {
		t.Fatalf("got %+v, want one new episode", first)
	}
	if second := r.hand(t, "two", o); second.ID == first.ID || second.Found != 1 || second.Fresh != 0 {
		t.Errorf("looking again: got %+v, want the same episode", second)
	}
	if again := r.hand(t, "one", o); again.ID != first.ID {
		t.Errorf("the same key made %s beside %s", again.ID, first.ID)
	}
	all, err := r.store.Episodes(t.Context(), person(identity.Auditor), time.Time{}, 10)
	if err != nil || len(all) != 1 {
		t.Fatalf("got %+v, %v, want one episode", all, err)
	}
	e := all[0]
	if e.Station != "Alipur, Delhi" || e.First != "Punjab" || e.FirstScan != first.ID || e.Over || e.Peak < 400 {
		t.Errorf("got %+v", e)
	}
	d, err := blob.Parse(e.Analysis)
	if err != nil {
		t.Fatal(err)
	}
	kept, err := r.bytesOf(t.Context(), postgrestest.North, d, maxAnalysis)
	if err != nil || !bytes.Equal(kept, offlineBytes(t, o)) {
		t.Errorf("%v: the analysis kept is not the one made offline", err)
	}
}

// TestManyScansAtOnceFindOneEpisode promises that of many triggers for one episode one
// finds it.
func TestManyScansAtOnceFindOneEpisode(t *testing.T) {
	r, o := newRig(t), laketest.Surge(t)
	var group sync.WaitGroup
	fresh := make(chan int, 50)
	for i := range 50 {
		group.Go(func() { fresh <- r.hand(t, fmt.Sprintf("trigger-%d", i), o).Fresh })
	}
	group.Wait()
	close(fresh)
	sum := 0
	for n := range fresh {
		sum += n
	}
	all, err := r.store.Episodes(t.Context(), person(identity.Officer), time.Time{}, 10)
	if err != nil || len(all) != 1 || sum != 1 {
		t.Errorf("%d scans found it first, %d episodes are there, %v", sum, len(all), err)
	}
}

// TestAScanSaysWhyItFoundNothing promises that quiet air is a finding, and that a scan
// with nothing to look at is refused in words.
func TestAScanSaysWhyItFoundNothing(t *testing.T) {
	r := newRig(t)
	if quiet := r.hand(t, "quiet", laketest.Quiet(t)); quiet.State != ScanDone || quiet.Found != 0 {
		t.Errorf("quiet air: got %+v", quiet)
	}
	noLake, _, err := r.store.StartScan(t.Context(), person(identity.Analyst), ScanRequest{Kind: Asked, Key: "newest"})
	if err != nil {
		t.Fatal(err)
	}
	if noLake = r.carry(t, noLake); noLake.State != ScanRefused || noLake.Reason == "" {
		t.Errorf("without a lake: got %+v", noLake)
	}
	for what, r2 := range map[string]ScanRequest{
		"no air":   {Kind: Handed, Key: "k", File: []byte(`{"timestamp":"2025-11-13T19:00:00Z","cpcb_data":[]}`)},
		"no file":  {Kind: Handed, Key: "k", File: []byte(`hello`)},
		"no key":   {Kind: Asked},
		"a path":   {Kind: Asked, Key: "k", Object: "../etc/passwd"},
		"no bytes": {Kind: Handed, Key: "k"},
	} {
		if _, _, err := r.store.StartScan(t.Context(), person(identity.Analyst), r2); err == nil {
			t.Errorf("%s: was taken", what)
		}
	}
}

// TestNobodyScansOrReadsWithoutARole promises that both are refused by default, and
// that another organisation sees nothing.
func TestNobodyScansOrReadsWithoutARole(t *testing.T) {
	r := newRig(t)
	scan := r.hand(t, "one", laketest.Surge(t))
	for _, role := range []identity.Role{identity.OrgAdmin, identity.Operator, identity.HR, identity.ProgrammeManager} {
		if _, _, err := r.store.StartScan(t.Context(), person(role), ScanRequest{Kind: Asked, Key: "x"}); !fault.Is(err, fault.Refused) {
			t.Errorf("%s scans: %v", role, err)
		}
		if _, err := r.store.Scan(t.Context(), person(role), scan.ID); !fault.Is(err, fault.Refused) {
			t.Errorf("%s reads: %v", role, err)
		}
	}
	south := person(identity.Analyst)
	south.Org = postgrestest.South
	if _, err := r.store.Scan(t.Context(), south, scan.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation reads: %v", err)
	}
	var rows int
	if err := r.db.App.InOrg(t.Context(), postgrestest.South, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `select (select count(*) from airshed.scan) + (select count(*) from airshed.episode)`).Scan(&rows)
	}); err != nil || rows != 0 {
		t.Errorf("another organisation sees %d rows, %v", rows, err)
	}
}
