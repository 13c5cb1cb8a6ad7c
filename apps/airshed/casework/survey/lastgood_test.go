package survey

import (
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/identity"
)

// TestTheLastGoodObjectOutlivesTheProcess promises that a new process that finds its
// lake empty falls back to the last object that was kept of it, says so, and never
// takes a file that somebody handed in for it.
func TestTheLastGoodObjectOutlivesTheProcess(t *testing.T) {
	r := newLakeRig(t)
	put, err := r.lake.Lake.Put(t.Context(), laketest.Surge(t))
	if err != nil {
		t.Fatal(err)
	}
	scan, _, err := r.store.StartScan(t.Context(), airshedtest.Person(identity.Officer), store.ScanRequest{Kind: store.Asked,
		Key: "newest"})
	if err != nil {
		t.Fatal(err)
	}
	r.carry(t, scan)
	r.hand(t, "handed later", laketest.Quiet(t))
	r.Surveyor = New(r.store) // a new process, and an empty folder
	if err := r.Open(map[string]string{outside.SettingLake: "file://" + t.TempDir(), outside.SettingLakeOrg: "north"}); err != nil {
		t.Fatal(err)
	}
	found, err := r.lake.Lake.Latest(t.Context())
	if err != nil || !found.Stale || found.Why == "" || found.Snapshot.SHA256 != put.Snapshot.SHA256 || found.Key != put.Key {
		t.Errorf("got %v of %s, stale %t, %v", found.Snapshot.SHA256, found.Key, found.Stale, err)
	}
}
