package airshed

import (
	"log/slog"
	"sync"
	"testing"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

// A rig is Airshed on a real database, with a folder for the bytes.
type rig struct {
	*app

	db *postgrestest.Database
}

// ownRules are the policies as they ship, which take longer to read than most tests take.
var ownRules = sync.OnceValues(func() (*policy.Rules, error) { return policy.Load(nil, platform.Policies(New())) })

func newRig(t *testing.T) rig {
	t.Helper()
	declared := New()
	rules, err := ownRules()
	if err != nil {
		t.Fatal(err)
	}
	db := postgrestest.New(t, platform.Migrations(declared)...)
	backend, err := disk.Open("file://" + t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	blobs := blob.New(backend, blob.Config{})
	masters, err := seal.ParseMasters(seal.NewMaster("m1"))
	if err != nil {
		t.Fatal(err)
	}
	clock := durable.Clock{}
	vault, err := seal.New(seal.Config{DB: db.App, Blobs: blobs, Masters: masters, Now: clock.Now, Rules: rules, Erasers: platform.Erasers(declared)})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := evidence.New(evidence.Config{DB: db.App, Blobs: blobs, Clock: clock, Rules: rules, Vault: vault, Sources: declared.Sources, Code: "test"})
	if err != nil {
		t.Fatal(err)
	}
	r := rig{app: &app{shelf: newShelf()}, db: db}
	if err := r.open(platform.Deps{DB: db.App, Rules: rules, Clock: clock, Evidence: kept, Cases: casefile.NewStore(casefile.Config{DB: db.App, Clock: clock, Rules: rules, Kinds: []casefile.Kind{declared.Cases}}), Logger: slog.New(slog.DiscardHandler)}); err != nil {
		t.Fatal(err)
	}
	return r
}

func person(role identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "asha", Name: "Asha", Org: postgrestest.North, Roles: []identity.Role{role}}
}
