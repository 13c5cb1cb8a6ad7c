package doctor_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func TestTheOutboxIsLookedAtAcrossOrganisations(t *testing.T) {
	db := postgrestest.New(t, outbox.Migrations())
	expect(t, "empty", doctor.Outbox(db.SystemURL), doctor.OK, "0 waiting")
	admin, err := pgx.Connect(t.Context(), db.AdminURL)
	if err != nil {
		t.Fatal(err)
	}
	defer admin.Close(t.Context())
	if _, err := admin.Exec(t.Context(), `insert into gavel.outbox (org, lane, kind, target, payload, created_at) values
		('north', 'start', 'start', 'x/north/1', '{}', now() - interval '2 hours'),
		('south', 'decision', 'signal', 'x/south/1', '{}', now())`); err != nil {
		t.Fatal(err)
	}
	expect(t, "stuck", doctor.Outbox(db.SystemURL), doctor.Warn, "2 waiting, the oldest for 2h")
	if _, err := admin.Exec(t.Context(), `update gavel.outbox set dead = true where org = 'south'`); err != nil {
		t.Fatal(err)
	}
	expect(t, "dead", doctor.Outbox(db.SystemURL), doctor.Warn, "1 can never be delivered")
}

func TestAnOutboxThatCannotBeLookedAtIsNotSaidToBeWell(t *testing.T) {
	expect(t, "none", doctor.Outbox(""), doctor.OK, "not checked")
	expect(t, "not migrated", doctor.Outbox(postgrestest.New(t).SystemURL), doctor.Warn, "cannot be read")
	expect(t, "absent", doctor.Outbox("postgres://gavel_system:hunter2@"+absent+"/gavel"), doctor.Warn, "does not work")
}

func TestACheckAsTheSystemSaysWhatKeptItFromLooking(t *testing.T) {
	db := postgrestest.New(t)
	looks := func(url, sql string) doctor.Check {
		return doctor.AsSystem("Log", "is kept", url, "the log", func(ctx context.Context, sys *postgres.System) (doctor.Result, error) {
			_, err := sys.Exec(ctx, sql)
			return doctor.Result{Status: doctor.OK, Detail: "seen"}, err
		})
	}
	expect(t, "well", looks(db.SystemURL, `select 1`), doctor.OK, "seen")
	expect(t, "no address", looks("", `select 1`), doctor.OK, "not checked: the system role's address is not configured")
	expect(t, "not migrated", looks(db.SystemURL, `select from gavel_sys.not_there`), doctor.Warn, "the log cannot be read as gavel_system")
	expect(t, "absent", looks("postgres://gavel_system:hunter2@"+absent+"/gavel", `select 1`), doctor.Warn, "does not work")
}
