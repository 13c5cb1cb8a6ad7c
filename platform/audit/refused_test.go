package audit_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// TestWhoIsTurnedAwayIsOnRecordOnceAMinute promises a record of the first time at
// once, a count of the others in the next, and no text that somebody typed.
func TestWhoIsTurnedAwayIsOnRecordOnceAMinute(t *testing.T) {
	db := postgrestest.New(t, audit.Migrations())
	now := time.Date(2026, 11, 14, 8, 0, 0, 0, time.UTC)
	r := &audit.Refusals{DB: db.App, Now: func() time.Time { return now }}
	asha := identity.Actor{Kind: identity.Person, ID: "asha", Org: postgrestest.North, Roles: []identity.Role{identity.Analyst}}
	ravi := asha
	ravi.ID = "ravi"
	const some = "case_01K5ZJ3W8Q6X9V2T4N7M1B0CDE"
	turned := audit.Turned{Actor: asha, Acts: "case.close", Route: "POST /v1/cases/{id}/close", Object: some}
	for range 5 {
		r.Note(t.Context(), turned)
	}
	other := turned
	other.Actor, other.Object = ravi, "Zubeida Khan"
	r.Note(t.Context(), other)
	now = now.Add(time.Minute)
	r.Note(t.Context(), turned)

	type found struct {
		Actor, Acts, Object string
		Repeated            int
	}
	var got []found
	err := db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		rows, _ := tx.Query(t.Context(), `select actor_id, json::jsonb #>> '{body,acts}', coalesce(json::jsonb #>> '{body,object}', ''),
			coalesce((json::jsonb #>> '{body,repeated}')::int, 0) from gavel.record where kind = 'refusal' order by id, actor_id`)
		var err error
		got, err = pgx.CollectRows(rows, pgx.RowToStructByPos[found])
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []found{{"asha", "case.close", some, 0}, {"ravi", "case.close", "", 0}, {"asha", "case.close", some, 4}}
	if len(got) != len(want) {
		t.Fatalf("got %+v, want %+v", got, want)
	}
	for _, w := range want {
		n := 0
		for _, g := range got {
			if g == w {
				n++
			}
		}
		if n != 1 {
			t.Errorf("got %+v, want %+v once", got, w)
		}
	}
}
