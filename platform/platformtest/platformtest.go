// Package platformtest is an installation for the tests of an application: a database
// of their own with two organisations in it, the application's policies, and, as far as
// a test asks for them, what the platform keeps and a server that answers over HTTP.
//
// There is no engine in it: a step is carried out by the test that calls it. What is
// about the engine is tested with the dev stack's, by package durabletest.
package platformtest

import (
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/tool"
)

// An Installation is an application on a database of its own. Deps is what the
// application is opened with.
type Installation struct {
	App  platform.App
	DB   *postgrestest.Database
	Deps platform.Deps

	blobs *blob.Store    // where bytes are kept
	tools *tool.Registry // that people can be asked about
}

// rules are the policies of applications as they ship, by name. They take longer to read
// than most tests take.
var rules sync.Map

// New is an application on a migrated database, with its policies and nothing else: what
// a test does not ask for is not there. The test that has one runs beside others.
func New(t testing.TB, app platform.App) *Installation {
	t.Helper()
	load, _ := rules.LoadOrStore(app.Name,
		sync.OnceValues(func() (*policy.Rules, error) { return policy.Load(nil, platform.Policies(app)) }))
	own, err := load.(func() (*policy.Rules, error))()
	if err != nil {
		t.Fatal(err)
	}
	db := postgrestest.New(t, platform.Migrations(app)...)
	return &Installation{App: app, DB: db, Deps: platform.Deps{DB: db.App, Rules: own, Logger: slog.New(slog.DiscardHandler)}}
}

// Keep adds what keeps cases, and bytes, in a folder that goes with the test.
func (i *Installation) Keep(t testing.TB) *Installation {
	t.Helper()
	backend, err := disk.Open("file://" + t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	i.blobs = blob.New(backend, blob.Config{})
	masters, err := seal.ParseMasters(seal.NewMaster("m1"))
	if err != nil {
		t.Fatal(err)
	}
	d := &i.Deps
	d.Vault, err = seal.New(seal.Config{DB: d.DB, Blobs: i.blobs, Masters: masters, Now: d.Clock.Now, Rules: d.Rules,
		Erasers: platform.Erasers(i.App)})
	if err != nil {
		t.Fatal(err)
	}
	d.Evidence, err = evidence.New(evidence.Config{DB: d.DB, Blobs: i.blobs, Clock: d.Clock, Rules: d.Rules, Vault: d.Vault,
		Sources: i.App.Sources, Code: "test"})
	if err != nil {
		t.Fatal(err)
	}
	d.Cases = casefile.NewStore(casefile.Config{DB: d.DB, Clock: d.Clock, Rules: d.Rules, Kinds: []casefile.Kind{i.App.Cases}})
	return i
}

// Ask adds what asks people before something is done, for the application's tools.
func (i *Installation) Ask(t testing.TB) *Installation {
	t.Helper()
	tools, err := tool.NewRegistry(i.App.Tools...)
	if err != nil {
		t.Fatal(err)
	}
	i.tools = tools
	d := &i.Deps
	d.Acts = act.NewStore(d.DB, d.Clock)
	wakeOf := func(c casefile.Case) (w review.Wake, err error) {
		w.WorkflowID, w.Start, err = d.Cases.Wake(c)
		return w, err
	}
	d.Runs = agent.NewStore(d.DB, d.Vault, d.Rules, d.Clock)
	d.Reviews, err = review.New(review.Config{DB: d.DB, Clock: d.Clock, Rules: d.Rules, Acts: d.Acts, WakeOf: wakeOf,
		Recheck: agent.Recheck(d.Runs, tools),
		Kinds:   append([]review.Kind{agent.CallKind(tools)}, i.App.Proposals...)})
	if err != nil {
		t.Fatal(err)
	}
	d.Calls = agent.NewCalls(agent.CallsConfig{DB: d.DB, Clock: d.Clock, Cases: d.Cases, Acts: d.Acts, Reviews: d.Reviews, Tools: tools,
		Rules: d.Rules, Logger: d.Logger})
	return i
}

// Person is somebody of an organisation with roles.
func Person(id string, org identity.Org, roles ...identity.Role) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: id, Name: id, Org: org, Roles: roles}
}

// Folder is a folder of the checkout's, found from the test of any package below the one
// whose file root is there: Folder(t, "airshed.go", "policies").
func Folder(t testing.TB, root, name string) fs.FS {
	t.Helper()
	for up := "."; ; up = filepath.Join(up, "..") {
		if _, err := os.Stat(filepath.Join(up, root)); err == nil {
			return os.DirFS(filepath.Join(up, name))
		}
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			t.Fatalf("no folder above the test has %s", root)
		}
	}
}

// In runs something in a transaction of north.
func (i *Installation) In(t testing.TB, fn func(pgx.Tx) error) {
	t.Helper()
	if err := i.DB.App.InOrg(t.Context(), postgrestest.North, fn); err != nil {
		t.Fatal(err)
	}
}

// Rows asks the database, as north, for the first column of all rows.
func Rows[T any](t testing.TB, i *Installation, query string, args ...any) (all []T) {
	t.Helper()
	i.In(t, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(t.Context(), query, args...)
		all, err = pgx.CollectRows(rows, pgx.RowTo[T])
		return err
	})
	return all
}

// Number asks the database for one, as north.
func (i *Installation) Number(t testing.TB, query string, args ...any) int {
	t.Helper()
	all := Rows[int](t, i, query, args...)
	if len(all) != 1 {
		t.Fatalf("%s: got %d rows, want one", query, len(all))
	}
	return all[0]
}

// Texts asks the database for some, as north.
func (i *Installation) Texts(t testing.TB, query string, args ...any) []string {
	t.Helper()
	return Rows[string](t, i, query, args...)
}

// Set puts the records into a state that would take time to reach, past every wall.
func (i *Installation) Set(t testing.TB, sql string, args ...any) {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), i.DB.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if _, err := conn.Exec(t.Context(), sql, args...); err != nil {
		t.Fatal(err)
	}
}
