package store_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// together has two people ask for something at once, on two servers, and gives what each is
// told: who asked for it, and its id.
func together(t *testing.T, servers [2]*store.Store, ask func(s *store.Store, who identity.Actor,
	key string) (id, by string, err error)) (id string) {
	t.Helper()
	var ids, by [2]string
	var errs [2]error
	var both sync.WaitGroup
	for i, s := range servers {
		who := airshedtest.Person(identity.Analyst)
		who.ID = fmt.Sprint("p:", i)
		both.Go(func() { ids[i], by[i], errs[i] = ask(s, who, fmt.Sprint("k", i, "/")) })
	}
	both.Wait()
	if errs[0] != nil || errs[1] != nil || ids[0] == "" || ids[0] != ids[1] || by[0] != by[1] {
		t.Fatalf("got %s of %s, %v and %s of %s, %v", ids[0], by[0], errs[0], ids[1], by[1], errs[1])
	}
	return ids[0]
}

// TestTwoServersBeginOneScanAndOneIngest promises two people who want the newest data looked
// at, or the services asked, at once and on two servers, one scan and one ingest, of which
// both are told, two hundred times.
func TestTwoServersBeginOneScanAndOneIngest(t *testing.T) {
	r := airshedtest.New(t)
	db, err := postgres.Open(t.Context(), r.DB.AppURL)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(db.Close)
	other := store.New()
	other.Open(store.Config{DB: db, Clock: r.Deps.Clock, Rules: r.Deps.Rules, Evidence: r.Deps.Evidence, Cases: r.Deps.Cases})
	servers, seen := [2]*store.Store{r.Store, other}, map[string]bool{}
	for round := range 200 {
		scan := together(t, servers, func(s *store.Store, who identity.Actor, key string) (string, string, error) {
			got, _, err := s.StartScan(t.Context(), who, store.ScanRequest{Kind: store.Asked, Key: fmt.Sprint(key, round)})
			return got.ID, got.AskedBy, err
		})
		ingest := together(t, servers, func(s *store.Store, who identity.Actor, key string) (string, string, error) {
			got, err := s.StartIngest(t.Context(), who, fmt.Sprint(key, round))
			return got.ID, got.AskedBy, err
		})
		if seen[scan] || seen[ingest] {
			t.Fatalf("round %d was given %s and %s, which had ended", round, scan, ingest)
		}
		seen[scan], seen[ingest] = true, true
		if err := r.Store.EndScan(t.Context(), postgrestest.North, store.Scan{ID: scan, State: job.Refused, Reason: "over"}); err != nil {
			t.Fatal(err)
		}
		end := store.IngestInput{Org: postgrestest.North, Ingest: ingest}
		if err := r.Store.EndIngest(t.Context(), end, store.Ingest{ID: ingest, State: job.Refused, Reason: "over"}); err != nil {
			t.Fatal(err)
		}
	}
	if n := r.Number(t, `select count(*)::int from gavel.job`); n != 400 {
		t.Errorf("%d jobs, want 400", n)
	}
	fmt.Println("200 times two people asked at once on two servers: 200 scans and 200 ingests")
}
