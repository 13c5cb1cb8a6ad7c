package doctor_test

import (
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/outbox"
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
	expect(t, "stuck", doctor.Outbox(db.SystemURL), doctor.Warn, "2 waiting, the oldest for 2h0m0s")
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
