package seal_test

import (
	"context"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
)

const (
	north = postgrestest.North
	south = postgrestest.South
)

// An application with a table people work with, and one that never changes.
var appTables = postgres.MigrationSet{Name: "riders", FS: fstest.MapFS{"00001_riders.sql": {Data: []byte(`-- +goose Up
create table gavel.rider (org text not null, id text not null, name text not null, case_id text not null default '', primary key (org, id));
select gavel_sys.keep_apart('gavel.rider');
create table gavel.letter (org text not null, id text not null, body bytea not null, primary key (org, id));
select gavel_sys.keep_apart('gavel.letter');
grant select, insert, update on gavel.rider to gavel_app;
grant select, insert on gavel.letter to gavel_app;`)}}}

// riders blanks the application's rows.
var riders = seal.Eraser{Name: "riders", Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject, _ time.Time) (seal.Reach, error) {
	rows, _ := tx.Query(ctx, `update gavel.rider set name = '' where id = $1 and name <> '' returning case_id`, s.String())
	var r seal.Reach
	cases, err := pgx.CollectRows(rows, pgx.RowTo[string])
	for _, c := range cases {
		r.Rows++
		if c != "" {
			r.Cases = append(r.Cases, c)
		}
	}
	return r, err
}}

// A rig is an installation with one application.
type rig struct {
	*seal.Vault
	t     testing.TB
	db    *postgrestest.Database
	blobs *blob.Store
	dir   string // of the blobs

	masters string // of the vault made last

	mu  sync.Mutex
	now time.Time
}

func newRig(t testing.TB) *rig {
	t.Helper()
	r := &rig{t: t, dir: t.TempDir(), now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	r.db = postgrestest.New(t, audit.Migrations(), seal.Migrations(), appTables)
	folder, err := disk.Open("file://" + r.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = folder.Close() })
	r.blobs = blob.New(folder, blob.Config{})
	r.Vault = r.vault(seal.NewMaster("m1"))
	return r
}

// vault is one as another process would have it.
func (r *rig) vault(masters string) *seal.Vault {
	r.t.Helper()
	r.masters = masters
	return r.with(riders)
}

// clock moves on by a second at every look.
func (r *rig) clock() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(time.Second)
	return r.now
}

func (r *rig) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

func rider(id string) seal.Subject { return seal.Subject{Type: "rider", ID: id} }

func about(who ...seal.Subject) seal.Matter { return seal.Matter{Subjects: who, Purpose: "mail"} }

func admin(org identity.Org) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: "p:admin", Name: "Test Admin", Org: org, Roles: []identity.Role{identity.OrgAdmin}}
}

func asked(s seal.Subject) seal.Request {
	return seal.Request{Subject: s, Ground: seal.OnRequest, Reference: "DSR-2026-014"}
}

// seal seals in a transaction of its own.
func (r *rig) seal(m seal.Matter, text string) (seal.Envelope, error) {
	var e seal.Envelope
	err := r.db.App.InOrg(r.t.Context(), north, func(tx pgx.Tx) (err error) {
		e, err = r.Seal(r.t.Context(), tx, north, m, []byte(text))
		return err
	})
	return e, err
}

func (r *rig) mustSeal(m seal.Matter, text string) seal.Envelope {
	r.t.Helper()
	e, err := r.seal(m, text)
	if err != nil {
		r.t.Fatal(err)
	}
	return e
}

// open opens what seal sealed, as v sees it.
func (r *rig) open(v *seal.Vault, e seal.Envelope) (string, error) {
	var plain []byte
	err := r.db.App.InOrg(r.t.Context(), north, func(tx pgx.Tx) (err error) {
		plain, err = v.Open(r.t.Context(), tx, north, "mail", e)
		return err
	})
	return string(plain), err
}

func (r *rig) mustErase(s seal.Subject) seal.Erasure {
	r.t.Helper()
	done, err := r.Erase(r.t.Context(), admin(north), asked(s))
	if err != nil {
		r.t.Fatal(err)
	}
	return done
}

// exec runs a statement as the superuser, past every wall.
func (r *rig) exec(sql string, args ...any) {
	r.t.Helper()
	conn, err := pgx.Connect(r.t.Context(), r.db.AdminURL)
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close(r.t.Context())
	if _, err := conn.Exec(r.t.Context(), sql, args...); err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
}

// column reads one column past every wall.
func column[T any](r *rig, sql string, args ...any) []T {
	r.t.Helper()
	conn, err := pgx.Connect(r.t.Context(), r.db.AdminURL)
	if err != nil {
		r.t.Fatal(err)
	}
	defer conn.Close(r.t.Context())
	rows, _ := conn.Query(r.t.Context(), sql, args...)
	all, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		r.t.Fatalf("%s: %v", sql, err)
	}
	return all
}

// records are the bodies of the records of a kind, oldest first.
func (r *rig) records(kind audit.Kind) []string {
	return column[string](r, `select json::json ->> 'body' from gavel.record where kind = $1 order by id`, kind)
}

// with is the same vault with other erasers.
func (r *rig) with(erasers ...seal.Eraser) *seal.Vault {
	r.t.Helper()
	ring, err := seal.ParseMasters(r.masters)
	if err != nil {
		r.t.Fatal(err)
	}
	v, err := seal.New(seal.Config{DB: r.db.App, Blobs: r.blobs, Masters: ring, Now: r.clock, Erasers: erasers, Rules: policy.Standard()})
	if err != nil {
		r.t.Fatal(err)
	}
	return v
}
