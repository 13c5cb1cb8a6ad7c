package event_test

import (
	"crypto/rand"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/event"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// write commits records of an organisation, about the subjects.
func write(t *testing.T, db *postgrestest.Database, org identity.Org, subjects ...string) {
	t.Helper()
	err := db.App.InOrg(t.Context(), org, func(tx pgx.Tx) error {
		for _, s := range subjects {
			rec := audit.Record{At: time.Now(), Kind: audit.CaseStep, App: "general", Subject: s, Body: struct{}{},
				Actor: identity.Actor{Kind: identity.Person, ID: "asha", Org: org}}
			if _, err := audit.Append(t.Context(), tx, rec); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// place gives every record that waits its place, as the sequencer does.
func place(t *testing.T, db *postgrestest.Database) {
	t.Helper()
	const take = `with taken as (delete from gavel_sys.log_queue returning pos, org, record_id)
		insert into gavel.record_place (org, record_id, seq)
		select org, record_id, (select coalesce(max(seq), -1) from gavel.record_place) + row_number() over (order by pos) from taken`
	if _, err := db.System.Exec(t.Context(), take); err != nil {
		t.Fatal(err)
	}
}

func subjects(events []event.Event) string {
	var all []string
	for _, e := range events {
		all = append(all, e.Subject)
	}
	return strings.Join(all, " ")
}

func TestEventsAreReadInTheLogsOrderFromAnyPlaceOn(t *testing.T) {
	db := postgrestest.New(t, audit.Migrations(), event.Migrations())
	r := event.NewReader(db.App)
	if id, err := r.Newest(t.Context(), postgrestest.North); err != nil || id != "" {
		t.Errorf("before the first: %q, %v", id, err)
	}
	write(t, db, postgrestest.North, "case_a", "case_b")
	write(t, db, postgrestest.South, "case_s")
	place(t, db)
	write(t, db, postgrestest.North, "case_c")
	first, err := r.After(t.Context(), postgrestest.North, "", 10)
	if err != nil || subjects(first) != "case_a case_b" {
		t.Fatalf("got %s, %v; what has no place yet waits", subjects(first), err)
	}
	place(t, db)
	last := first[1].Record
	rest, err := r.After(t.Context(), postgrestest.North, last, 10)
	if err != nil || subjects(rest) != "case_c" || rest[0].ActorID != "asha" || rest[0].Kind != audit.CaseStep {
		t.Errorf("got %+v, %v", rest, err)
	}
	if id, err := r.Newest(t.Context(), postgrestest.North); err != nil || id != rest[0].Record {
		t.Errorf("the newest is %q, %v", id, err)
	}
	for _, id := range []audit.RecordID{"rec_x", audit.RecordID("rec_" + rand.Text()), first[0].Record} {
		if _, err := r.After(t.Context(), postgrestest.South, id, 10); !fault.Is(err, fault.Invalid) {
			t.Errorf("south goes on from %s: %v", id, err)
		}
	}
}

func TestNothingIsMissedHoweverSmallThePages(t *testing.T) {
	db := postgrestest.New(t, audit.Migrations(), event.Migrations())
	r := event.NewReader(db.App)
	var want []string
	for i := range 23 {
		want = append(want, fmt.Sprintf("case_%d", i))
		write(t, db, postgrestest.North, want[i])
		write(t, db, postgrestest.South, "case_s")
		place(t, db)
	}
	var got []string
	for after := audit.RecordID(""); ; {
		page, err := r.After(t.Context(), postgrestest.North, after, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(page) == 0 {
			break
		}
		after = page[len(page)-1].Record
		got = append(got, strings.Fields(subjects(page))...)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
