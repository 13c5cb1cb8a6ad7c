// Package postgrestest gives each test a real PostgreSQL database of its own.
//
// The database is cloned from a template that holds the migrations the test
// asks for; the template is made once per cluster and content of the
// migrations, so a clone costs a fraction of a second. The cluster is the dev
// stack's. Two organisations, North and South, are always there.
//
// Who has a database of its own can run beside everybody else, and does: New makes
// its test parallel.
package postgrestest

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// The organisations in every test database.
const (
	North identity.Org = "north"
	South identity.Org = "south"
)

// A Database is one test's own, with a pool per login role that needs one.
type Database struct {
	App    *postgres.DB
	System *postgres.System

	AppURL, SystemURL, OwnerURL string
	AdminURL                    string // superuser, for tests that look past every wall
}

// New clones a migrated database and drops it when the test ends. The test runs side
// by side with others from then on, unless it is somebody's subtest, which may share
// more with its brothers than a database.
func New(t testing.TB, sets ...postgres.MigrationSet) *Database {
	t.Helper()
	sideBySide(t)
	ctx, cancel := context.WithTimeout(context.Background(), wait.Patience()) // others may be making their templates
	defer cancel()
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	return fresh(t, stack, ensureTemplate(ctx, t, stack, sets))
}

// sideBySide makes a test parallel. Go refuses that, before it has done anything, to a
// test that is so already and to one that has changed the environment, which is
// everybody's: that one goes on alone.
func sideBySide(t testing.TB) {
	test, ok := t.(*testing.T)
	if !ok || strings.Contains(t.Name(), "/") {
		return
	}
	defer func() { _ = recover() }()
	test.Parallel()
}

// fresh is a new database made from a template, dropped when the test ends.
func fresh(t testing.TB, stack *devstack.Stack, template string) *Database {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), wait.Patience())
	defer cancel()
	name := "gavel_t_" + strings.ToLower(rand.Text()[:16])
	admin(ctx, t, stack, "create database "+name+" template "+template+" owner "+postgres.OwnerRole)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), wait.Patience())
		defer cancel()
		admin(ctx, t, stack, "drop database if exists "+name+" with (force)")
	})
	return open(ctx, t, stack, name)
}

// Empty makes a database without any migration and drops it when the test ends.
func Empty(t testing.TB) *Database {
	t.Helper()
	sideBySide(t)
	stack, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	return fresh(t, stack, "template1")
}

func open(ctx context.Context, t testing.TB, stack *devstack.Stack, name string) *Database {
	t.Helper()
	s := stack.Settings()
	d := &Database{
		AppURL:    at(t, s["GAVEL_DATABASE_URL"], name),
		SystemURL: at(t, s["GAVEL_DATABASE_SYSTEM_URL"], name),
		OwnerURL:  at(t, s["GAVEL_DATABASE_OWNER_URL"], name),
		AdminURL:  at(t, stack.AdminURL(), name),
	}
	var err error
	if d.App, err = postgres.Open(ctx, d.AppURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.App.Close)
	if d.System, err = postgres.OpenSystem(ctx, d.SystemURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.System.Close)
	return d
}

// at is the address of a database for tests: a machine that stands still for a few
// seconds is no database that is away.
func at(t testing.TB, address, database string) string {
	t.Helper()
	u, err := postgres.WithDatabase(address, database)
	if err != nil {
		t.Fatal(err)
	}
	to, err := url.Parse(u)
	if err != nil {
		t.Fatal(err)
	}
	q := to.Query()
	q.Set("connect_timeout", "60")
	to.RawQuery = q.Encode()
	return to.String()
}

// templates are those that this process has seen.
var templates sync.Map

// ensureTemplate makes the template for these migrations if this cluster does
// not have it, and returns its name. A half-made template is never used: it is
// migrated under another name and renamed when it is ready.
func ensureTemplate(ctx context.Context, t testing.TB, stack *devstack.Stack, sets []postgres.MigrationSet) string {
	t.Helper()
	name := "gavel_tpl_" + digest(t, sets)
	ready := stack.AdminURL() + " " + name
	if _, ok := templates.Load(ready); ok {
		return name
	}
	conn, err := pgx.Connect(ctx, stack.AdminURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	const key = 7426110                                                           // any number, the same for every test process
	if _, err := conn.Exec(ctx, "select pg_advisory_lock($1)", key); err != nil { // until the connection ends
		t.Fatal(err)
	}
	var exists bool
	if err := conn.QueryRow(ctx, "select exists (select from pg_database where datname = $1)", name).Scan(&exists); err != nil {
		t.Fatal(err)
	}
	if !exists {
		makeTemplate(ctx, t, conn, stack, name, sets)
	}
	templates.Store(ready, true)
	return name
}

func makeTemplate(ctx context.Context, t testing.TB, conn *pgx.Conn, stack *devstack.Stack, name string, sets []postgres.MigrationSet) {
	t.Helper()
	draft := name + "_draft"
	run := func(sql string) {
		t.Helper()
		if err := alone(ctx, conn, sql); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	run("drop database if exists " + draft + " with (force)")
	run("create database " + draft + " owner " + postgres.OwnerRole)
	d := at(t, stack.Settings()["GAVEL_DATABASE_OWNER_URL"], draft)
	if _, err := postgres.Migrate(ctx, d, sets...); err != nil {
		t.Fatal(err)
	}
	sys, err := postgres.OpenSystem(ctx, at(t, stack.Settings()["GAVEL_DATABASE_SYSTEM_URL"], draft))
	if err != nil {
		t.Fatal(err)
	}
	for org, title := range map[identity.Org]string{North: "North Test Commission", South: "South Test Works"} {
		if err := sys.AddOrganisation(ctx, postgres.Organisation{Org: org, Title: title, Zone: "Asia/Kolkata"}); err != nil {
			t.Fatal(err)
		}
	}
	sys.Close()
	run("alter database " + draft + " rename to " + name)
}

// digest names the content of the migrations, so that an edited file gets a new
// template.
func digest(t testing.TB, sets []postgres.MigrationSet) string {
	t.Helper()
	h := sha256.New()
	for _, set := range append([]postgres.MigrationSet{postgres.Base()}, sets...) {
		fmt.Fprintln(h, set.Name)
		err := fs.WalkDir(set.FS, ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(set.FS, path)
			fmt.Fprintf(h, "%s %d\n%s", path, len(text), text)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return hex.EncodeToString(h.Sum(nil))[:16]
}

func admin(ctx context.Context, t testing.TB, stack *devstack.Stack, sql string) {
	t.Helper()
	pool, err := superuser(stack.AdminURL())
	if err != nil {
		t.Fatal(err)
	}
	if err := alone(ctx, pool, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

// superuser is one pool for all tests of a process: to log in takes longer than to
// make a database.
var superuser = func() func(string) (*pgxpool.Pool, error) {
	var mu sync.Mutex
	pools := map[string]*pgxpool.Pool{}
	return func(address string) (*pgxpool.Pool, error) {
		mu.Lock()
		defer mu.Unlock()
		if pools[address] == nil {
			pool, err := pgxpool.New(context.Background(), address)
			if err != nil {
				return nil, err
			}
			pools[address] = pool
		}
		return pools[address], nil
	}
}()

// An executor is a connection, or a pool of them.
type executor interface {
	Exec(ctx context.Context, sql string, args ...any) (pgconn.CommandTag, error)
}

// alone runs a statement about a database that nobody else may be in, again while
// somebody is: on a busy machine who has left is a moment late to be gone.
func alone(ctx context.Context, conn executor, sql string) error {
	const inUse = "55006"
	for {
		_, err := conn.Exec(ctx, sql)
		if pg, ok := errors.AsType[*pgconn.PgError](err); !ok || pg.Code != inUse {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(200 * time.Millisecond):
		}
	}
}
