package survey

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// offlineBytes is what the terminal's analysis of the same file gives.
func offlineBytes(t *testing.T, o *lake.Object, by analysis.Method) []byte {
	t.Helper()
	rules, err := analysis.Brought{}.Rules()
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
	a, err := d.Analyse(d.Keys()[0], by)
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
	if first.State != job.Done || first.Found != 1 || first.Fresh != 1 {
		t.Fatalf("got %+v, want one new episode", first)
	}
	if second := r.hand(t, "two", o); second.ID == first.ID || second.Found != 1 || second.Fresh != 0 {
		t.Errorf("looking again: got %+v, want the same episode", second)
	}
	if again := r.hand(t, "one", o); again.ID != first.ID {
		t.Errorf("the same key made %s beside %s", again.ID, first.ID)
	}
	all, err := r.store.Episodes(t.Context(), airshedtest.Person(identity.Auditor), store.Cursor{}, 10)
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
	kept, err := r.store.BytesOf(t.Context(), postgrestest.North, d, analysis.MaxBytes)
	if err != nil || !bytes.Equal(kept, offlineBytes(t, o, analysis.Default)) {
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
		other := r
		other.Surveyor = New(r.store) // as in another process
		group.Go(func() { fresh <- other.hand(t, fmt.Sprintf("trigger-%d", i), o).Fresh })
	}
	group.Wait()
	close(fresh)
	sum := 0
	for n := range fresh {
		sum += n
	}
	all, err := r.store.Episodes(t.Context(), airshedtest.Person(identity.Officer), store.Cursor{}, 10)
	if err != nil || len(all) != 1 || sum != 1 {
		t.Errorf("%d scans found it first, %d episodes are there, %v", sum, len(all), err)
	}
}

// TestAScanSaysWhyItFoundNothing promises that quiet air is a finding, and that a scan
// with nothing to look at is refused in words.
func TestAScanSaysWhyItFoundNothing(t *testing.T) {
	r := newRig(t)
	if quiet := r.hand(t, "quiet", laketest.Quiet(t)); quiet.State != job.Done || quiet.Found != 0 {
		t.Errorf("quiet air: got %+v", quiet)
	}
	noLake, _, err := r.store.StartScan(t.Context(), airshedtest.Person(identity.Analyst), store.ScanRequest{Kind: store.Asked,
		Key: "newest"})
	if err != nil {
		t.Fatal(err)
	}
	if noLake = r.carry(t, noLake); noLake.State != job.Refused || noLake.Reason == "" {
		t.Errorf("without a lake: got %+v", noLake)
	}
	for what, r2 := range map[string]store.ScanRequest{
		"no air":   {Kind: store.Handed, Key: "k", File: []byte(`{"timestamp":"2025-11-13T19:00:00Z","cpcb_data":[]}`)},
		"no file":  {Kind: store.Handed, Key: "k", File: []byte(`hello`)},
		"no key":   {Kind: store.Asked},
		"a path":   {Kind: store.Asked, Key: "k", Object: "../etc/passwd"},
		"no bytes": {Kind: store.Handed, Key: "k"},
	} {
		if _, _, err := r.store.StartScan(t.Context(), airshedtest.Person(identity.Analyst), r2); err == nil {
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
		if _, _, err := r.store.StartScan(t.Context(), airshedtest.Person(role), store.ScanRequest{Kind: store.Asked,
			Key: "x"}); !fault.Is(err, fault.Refused) {
			t.Errorf("%s scans: %v", role, err)
		}
		if _, err := r.store.Scan(t.Context(), airshedtest.Person(role), scan.ID); !fault.Is(err, fault.Refused) {
			t.Errorf("%s reads: %v", role, err)
		}
	}
	south := airshedtest.Person(identity.Analyst)
	south.Org = postgrestest.South
	if _, err := r.store.Scan(t.Context(), south, scan.ID); !fault.Is(err, fault.NotFound) {
		t.Errorf("another organisation reads: %v", err)
	}
	var rows int
	if err := r.DB.App.InOrg(t.Context(), postgrestest.South, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), `select (select count(*) from airshed.scan) + (select count(*) from airshed.episode)`).Scan(&rows)
	}); err != nil || rows != 0 {
		t.Errorf("another organisation sees %d rows, %v", rows, err)
	}
}

// TestOneSurgeIsOneEpisodeWhereverAFileBegins promises that a file that begins later,
// and so puts the first hour elsewhere, finds the episode again; that newer data
// answer it anew and keep the old answer; and that older data change nothing.
func TestOneSurgeIsOneEpisodeWhereverAFileBegins(t *testing.T) {
	r := newRig(t)
	first := laketest.Surge(t)
	first.Fires = nil // nobody looked: there is no attribution
	r.hand(t, "no fires", first)
	episode := func() store.Episode {
		all, err := r.store.Episodes(t.Context(), airshedtest.Person(identity.Auditor), store.Cursor{}, 10)
		if err != nil || len(all) != 1 {
			t.Fatalf("got %+v, %v, want one episode", all, err)
		}
		return all[0]
	}
	before := episode()
	if before.Verdict != "no attribution" || before.Answers != 1 {
		t.Fatalf("got %+v", before)
	}
	later := laketest.Surge(t)
	later.Time = later.Time.Add(time.Hour)
	later.Air = slices.DeleteFunc(later.Air, func(a lake.Air) bool { return later.Time.Sub(a.Time) > 32*time.Hour })
	if scan := r.hand(t, "later", later); scan.Fresh != 0 || scan.Found != 1 {
		t.Errorf("a file that begins later: got %+v", scan)
	}
	after := episode()
	if after.Key != before.Key || after.Answers != 2 || after.Verdict != "conclusive" || after.First != "Punjab" {
		t.Errorf("newer data: got %+v, want a second answer about the same episode", after)
	}
	if scan := r.hand(t, "earlier", laketest.Surge(t)); scan.Found != 1 {
		t.Errorf("an earlier file: got %+v", scan)
	}
	if now := episode(); now != after {
		t.Errorf("older data changed it: got %+v, want %+v", now, after)
	}
}

// TestAKeyIsForOneScan promises that a key that was used for another file is refused.
func TestAKeyIsForOneScan(t *testing.T) {
	r := newRig(t)
	r.hand(t, "one", laketest.Surge(t))
	_, _, err := r.store.StartScan(t.Context(), airshedtest.Person(identity.Analyst), store.ScanRequest{Kind: store.Handed, Key: "one",
		File: laketest.File(t, laketest.Quiet(t)), Name: "x.json"})
	if !fault.Is(err, fault.Conflict) {
		t.Errorf("another file by the same key: %v", err)
	}
	if _, _, err := r.store.StartScan(t.Context(), airshedtest.Person(identity.Analyst), store.ScanRequest{Kind: store.Asked,
		Key: "one"}); !fault.Is(err, fault.Conflict) {
		t.Errorf("the newest by the key of a file: %v", err)
	}
}

// TestALakeIsLookedAt promises that the newest object is read and kept, that one with
// an age is said to be old, and that the lake is one organisation's.
func TestALakeIsLookedAt(t *testing.T) {
	r := newRig(t)
	folder := t.TempDir()
	if err := r.Open(map[string]string{outside.SettingLake: "file://" + folder, outside.SettingLakeOrg: "north"}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.lake.Lake.Put(t.Context(), laketest.Surge(t)); err != nil {
		t.Fatal(err)
	}
	scan, _, err := r.store.StartScan(t.Context(), airshedtest.Person(identity.Officer), store.ScanRequest{Kind: store.Asked,
		Key: "newest"})
	if err != nil {
		t.Fatal(err)
	}
	if scan = r.carry(t, scan); scan.State != job.Done || scan.Fresh != 1 || !strings.Contains(scan.Stale, "hours old") ||
		!strings.Contains(scan.Place, "data/harmonised_20251113_190000") {
		t.Errorf("got %+v", scan)
	}
	south := airshedtest.Person(identity.Officer)
	south.Org = postgrestest.South
	theirs, _, err := r.store.StartScan(t.Context(), south, store.ScanRequest{Kind: store.Asked, Key: "newest"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := (&Steps{r.Surveyor}).Read(t.Context(), store.ScanInput{Org: postgrestest.South, Scan: theirs.ID}); err != nil {
		t.Fatal(err)
	}
	if theirs, err = r.store.Scan(t.Context(), south, theirs.ID); err != nil || theirs.State != job.Refused || theirs.Data != "" {
		t.Errorf("another organisation's lake: got %+v, %v", theirs, err)
	}
}
