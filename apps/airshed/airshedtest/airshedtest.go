// Package airshedtest is Airshed's store on a real database, with a folder for the bytes. The
// tests of each room put their own part of the application on it.
package airshedtest

import (
	"context"
	"errors"
	"io/fs"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/setting"
)

// A Rig is the store and what it stands on.
type Rig struct {
	*platformtest.Installation

	Store *store.Store
}

// Folder is a folder of the application, found from the test of any of its rooms.
func Folder(t testing.TB, name string) fs.FS {
	t.Helper()
	return platformtest.Folder(t, "airshed.go", name)
}

// New makes a rig with a database of its own. What the platform must know of the
// application for the store to stand is declared here.
func New(t testing.TB) Rig {
	t.Helper()
	i := platformtest.New(t, platform.App{Name: store.Name, Acts: store.Acts(), Policies: Folder(t, "policies"), Cases: store.Cases(),
		Sources: store.Sources(), Migrations: []postgres.MigrationSet{store.Migrations()}}).Keep(t)
	r := Rig{i, store.New()}
	r.Store.Open(store.Config{DB: i.Deps.DB, Clock: i.Deps.Clock, Rules: i.Deps.Rules, Evidence: i.Deps.Evidence, Cases: i.Deps.Cases})
	return r
}

// Person is somebody of north with a role.
func Person(role identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "asha", Name: "Asha", Org: postgrestest.North, Roles: []identity.Role{role}}
}

// Choose has an officer say by which method episodes are answered from now on.
func (r Rig) Choose(t testing.TB, by analysis.Method) {
	t.Helper()
	settings := setting.NewStore(setting.Config{DB: r.Deps.DB, Clock: r.Deps.Clock, Rules: r.Deps.Rules,
		Kinds: []setting.Kind{store.MethodKind}})
	_, _, err := setting.Put(t.Context(), settings, Person(identity.Officer), store.MethodKind, "", store.MethodChoice{Method: string(by)},
		setting.AnyVersion)
	if err != nil {
		t.Fatal(err)
	}
}

// A Scanner is the steps of a scan.
type Scanner interface {
	Read(ctx context.Context, in store.ScanInput) (there bool, err error)
	Look(ctx context.Context, in store.ScanInput) (keys []surge.Key, err error)
	Answer(ctx context.Context, in store.ScanInput, key surge.Key) error
	Conclude(ctx context.Context, in store.ScanInput) error
}

// Hand hands a file in and carries the scan of it out.
func (r Rig) Hand(t *testing.T, steps Scanner, key string, o *lake.Object) store.Scan {
	t.Helper()
	ask := store.ScanRequest{Kind: store.Handed, Key: key, File: laketest.File(t, o), Name: "november.json"}
	scan, _, err := r.Store.StartScan(t.Context(), Person(identity.Analyst), ask)
	if err != nil {
		t.Fatal(err)
	}
	return r.Carry(t, steps, scan)
}

// Carry does the steps of a scan, as its workflow does.
func (r Rig) Carry(t *testing.T, steps Scanner, scan store.Scan) store.Scan {
	t.Helper()
	in := store.ScanInput{Org: postgrestest.North, Scan: scan.ID}
	for range 2 { // a step that is done again changes nothing
		there, err := steps.Read(t.Context(), in)
		if err != nil || !there {
			break
		}
		keys, err := steps.Look(t.Context(), in)
		for _, key := range keys {
			err = errors.Join(err, steps.Answer(t.Context(), in, key))
		}
		if err := errors.Join(err, steps.Conclude(t.Context(), in)); err != nil {
			t.Error(err)
		}
	}
	scan, err := r.Store.Scan(t.Context(), Person(identity.Analyst), scan.ID)
	if err != nil {
		t.Error(err)
	}
	return scan
}

// Look has an object looked at that tells of one surge.
func (r Rig) Look(t *testing.T, steps Scanner, object *lake.Object) {
	t.Helper()
	body := laketest.File(t, object)
	ask := store.ScanRequest{Kind: store.Handed, Key: blob.Sum(body).String()[:16], File: body, Name: "november.json"}
	scan, _, err := r.Store.StartScan(t.Context(), Person(identity.Analyst), ask)
	if err != nil {
		t.Fatal(err)
	}
	in := store.ScanInput{Org: postgrestest.North, Scan: scan.ID}
	keys, err := steps.Look(t.Context(), in)
	if err != nil || len(keys) != 1 {
		t.Fatal(keys, err)
	}
	if err := steps.Answer(t.Context(), in, keys[0]); err != nil {
		t.Fatal(err)
	}
}
