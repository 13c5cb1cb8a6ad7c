package doctor_test

import (
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

var notYet = postgres.MigrationSet{Name: "notyet", FS: fstest.MapFS{
	"00001_later.sql": {Data: []byte("-- +goose Up\nselect 1;")},
}}

// look is the findings about a database by name.
func look(t *testing.T, d doctor.Database) map[string]doctor.Finding {
	t.Helper()
	d.Fix = fix
	found := map[string]doctor.Finding{}
	for _, f := range doctor.Run(t.Context(), d.Checks(), time.Minute) {
		found[f.Name] = f
	}
	return found
}

func TestAHealthyDatabaseIsWell(t *testing.T) {
	db := postgrestest.New(t)
	for name, f := range look(t, doctor.Database{AppURL: db.AppURL, SystemURL: db.SystemURL, OwnerURL: db.OwnerURL}) {
		if f.Status != doctor.OK || f.Fix != "" {
			t.Errorf("%s: got %+v", name, f)
		}
	}
}

func TestPendingMigrationsAreNamed(t *testing.T) {
	db := postgrestest.New(t)
	got := look(t, doctor.Database{AppURL: db.AppURL, OwnerURL: db.OwnerURL, Sets: []postgres.MigrationSet{notYet}})["schema is migrated"]
	if got.Status != doctor.Fail || !strings.Contains(got.Detail, "notyet/00001_later.sql") || got.Fix != "gavel migrate up" {
		t.Errorf("got %+v", got)
	}
}

func TestAnAppRoleThatCanPassTheWallsFails(t *testing.T) {
	db := postgrestest.New(t)
	for name, url := range map[string]string{"the system role": db.SystemURL, "a superuser": db.AdminURL} {
		found := look(t, doctor.Database{AppURL: url})
		if got := found["app role stays behind its walls"]; got.Status != doctor.Fail || !strings.Contains(got.Fix, "nobypassrls") {
			t.Errorf("%s as app role: got %+v", name, got)
		}
		if got := found["answers as gavel_app"]; got.Status != doctor.Warn {
			t.Errorf("%s as app role: got %+v, want a warning that it is another role", name, got)
		}
	}
}

// One of the roles may be set up otherwise than the server.
func TestARoleThatDoesNotWaitForTheDiskFails(t *testing.T) {
	for _, role := range []string{postgres.AppRole, postgres.SystemRole} {
		db := postgrestest.New(t)
		conn, err := pgx.Connect(t.Context(), db.AdminURL)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close(t.Context()) }()
		name := pgx.Identifier{conn.Config().Database}.Sanitize()
		if _, err := conn.Exec(t.Context(), `alter role `+role+` in database `+name+` set synchronous_commit = off`); err != nil {
			t.Fatal(err)
		}
		got := look(t, doctor.Database{AppURL: db.AppURL, SystemURL: db.SystemURL})["what it confirms survives a crash"]
		if got.Status != doctor.Fail || !strings.Contains(got.Detail, "synchronous_commit = off for "+role) ||
			!strings.Contains(got.Fix, role) {
			t.Errorf("%s: got %+v", role, got)
		}
	}
}

func TestAnAbsentDatabaseIsOneFailureForEachLogin(t *testing.T) {
	away := "postgres://gavel_app:hunter2@" + absent + "/gavel"
	found := look(t, doctor.Database{AppURL: away, SystemURL: away, OwnerURL: away})
	for name, f := range found {
		want := doctor.Warn // not checked, for the same reason
		if strings.HasPrefix(name, "answers as") {
			want = doctor.Fail
		}
		if f.Status != want || f.Fix == "" || strings.Contains(f.Detail+f.Fix, "hunter2") {
			t.Errorf("%s: got %+v, want %s and no password", name, f, want)
		}
	}
	if got := found["answers as gavel_app"]; got.Fix != fix || !strings.Contains(got.Detail, "does not answer") {
		t.Errorf("got %+v", got)
	}
}

func TestAWrongPasswordIsToldFromAnAbsentServer(t *testing.T) {
	db := postgrestest.New(t)
	cfg, err := pgx.ParseConfig(db.AppURL)
	if err != nil {
		t.Fatal(err)
	}
	wrong := strings.Replace(db.AppURL, cfg.Password, "wrong", 1)
	got := look(t, doctor.Database{AppURL: wrong})["answers as gavel_app"]
	if got.Status != doctor.Fail || !strings.Contains(got.Detail, "password authentication failed") {
		t.Errorf("got %+v", got)
	}
}

func TestWhatIsNotConfiguredIsSaidToBeSo(t *testing.T) {
	for name, f := range look(t, doctor.Database{}) {
		if f.Status != doctor.OK || !strings.Contains(f.Detail, "not c") {
			t.Errorf("%s: got %+v, want it said that it is not configured or not checked", name, f)
		}
	}
}
