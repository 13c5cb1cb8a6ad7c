// Package airshedtest is Airshed's store on a real database, with a folder for the bytes. The
// tests of each room put their own part of the application on it.
package airshedtest

import (
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

// A Rig is the store and what it stands on.
type Rig struct {
	Store *store.Store
	DB    *postgrestest.Database
	Rules *policy.Rules
	Kept  *evidence.Store
	Cases *casefile.Store
	Log   *slog.Logger // says nothing
}

// Folder is a folder of the application, found from the test of any of its rooms.
func Folder(t testing.TB, name string) fs.FS {
	t.Helper()
	for up := "."; ; up = filepath.Join(up, "..") {
		if _, err := os.Stat(filepath.Join(up, "airshed.go")); err == nil {
			return os.DirFS(filepath.Join(up, name))
		}
		if root, err := os.Stat(filepath.Join(up, "go.mod")); err == nil && !root.IsDir() {
			t.Fatal("the test is not below the application")
		}
	}
}

// declared is what of the application the platform must know for the store to stand.
func declared(policies fs.FS) platform.App {
	return platform.App{Name: store.Name, Acts: store.Acts(), Policies: policies, Cases: store.Cases(), Sources: store.Sources(),
		Migrations: []postgres.MigrationSet{store.Migrations()}}
}

// ownRules are the policies as they ship, which take longer to read than most tests take.
var ownRules = sync.OnceValues(func() (*policy.Rules, error) { return policy.Load(nil, platform.Policies(declared(policies))) })

var (
	policies  fs.FS
	foundOnce sync.Once
)

// New makes a rig with a database of its own.
func New(t *testing.T) Rig {
	t.Helper()
	foundOnce.Do(func() { policies = Folder(t, "policies") })
	rules, err := ownRules()
	if err != nil {
		t.Fatal(err)
	}
	app := declared(policies)
	db := postgrestest.New(t, platform.Migrations(app)...)
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
	vault, err := seal.New(seal.Config{DB: db.App, Blobs: blobs, Masters: masters, Now: clock.Now, Rules: rules,
		Erasers: platform.Erasers(app)})
	if err != nil {
		t.Fatal(err)
	}
	kept, err := evidence.New(evidence.Config{DB: db.App, Blobs: blobs, Clock: clock, Rules: rules, Vault: vault,
		Sources: app.Sources, Code: "test"})
	if err != nil {
		t.Fatal(err)
	}
	cases := casefile.NewStore(casefile.Config{DB: db.App, Clock: clock, Rules: rules, Kinds: []casefile.Kind{app.Cases}})
	r := Rig{Store: store.New(), DB: db, Rules: rules, Kept: kept, Cases: cases, Log: slog.New(slog.DiscardHandler)}
	r.Store.Open(store.Config{DB: db.App, Clock: clock, Rules: rules, Evidence: kept, Cases: cases})
	return r
}

// Person is somebody of north with a role.
func Person(role identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "asha", Name: "Asha", Org: postgrestest.North, Roles: []identity.Role{role}}
}

// Number asks the database for one, as north.
func (r Rig) Number(t testing.TB, query string, args ...any) (n int) {
	t.Helper()
	err := r.DB.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		return tx.QueryRow(t.Context(), query, args...).Scan(&n)
	})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Texts reads texts from the database, as north.
func (r Rig) Texts(t testing.TB, query string, args ...any) (all []string) {
	t.Helper()
	err := r.DB.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(t.Context(), query, args...)
		all, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
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
