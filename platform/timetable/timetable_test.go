package timetable_test

import (
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/calendar"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/timetable"
)

var (
	sweeps = timetable.Kind{App: "yard", Name: "broom", Subject: "broom", Workflow: "yard.Broom", Slots: []calendar.Slot{
		{Name: "yearly", Plan: calendar.Plan{Each: calendar.Months, Day: 1, Hour: 6}},
		{Name: "often", On: true, Plan: calendar.Plan{Each: calendar.Hours, Hours: 6}},
	}}
	asha = identity.Actor{Kind: identity.Person, ID: "asha", Org: postgrestest.North}
	noon = time.Date(2026, 11, 14, 12, 30, 0, 0, time.UTC)
)

// A rig is a database and what is done in it as one organisation.
type rig struct {
	*testing.T
	db *postgrestest.Database
}

func newRig(t *testing.T) rig {
	t.Helper()
	return rig{t, postgrestest.New(t, outbox.Migrations(), audit.Migrations(), timetable.Migrations())}
}

func (r rig) in(org identity.Org, do func(pgx.Tx) error) {
	r.Helper()
	if err := r.db.App.InOrg(r.Context(), org, do); err != nil {
		r.Fatal(err)
	}
}

func (r rig) read(org identity.Org) (t timetable.Timetable) {
	r.Helper()
	r.in(org, func(tx pgx.Tx) (err error) {
		t, err = timetable.Read(r.Context(), tx, sweeps, org)
		return err
	})
	return t
}

// set changes the slot that comes often.
func (r rig) set(on bool, seen int64) (t timetable.Timetable, err error) {
	err = r.db.App.InOrg(r.Context(), postgrestest.North, func(tx pgx.Tx) (err error) {
		if t, err = timetable.Hold(r.Context(), tx, sweeps, postgrestest.North); err != nil {
			return err
		}
		slot := t.Slot("often")
		slot.Change(on, slot.Plan, noon, time.UTC)
		return t.Set(r.Context(), tx, timetable.Change{Actor: asha, Seen: seen, At: noon, Body: map[string]any{"did": "set"}})
	})
	return t, err
}

func (r rig) count(query string) (n int) {
	r.Helper()
	r.in(postgrestest.North, func(tx pgx.Tx) error { return tx.QueryRow(r.Context(), query).Scan(&n) })
	return n
}

// TestATimetableIsKept promises what a kind offers until somebody sets it, and then what they
// set, for their organisation alone; on record, and with a word to its workflow.
func TestATimetableIsKept(t *testing.T) {
	r := newRig(t)
	if got := r.read(postgrestest.North); got.Version != 0 || !got.Slot("often").On || got.Slot("yearly").Hour != 6 || !got.Next().
		IsZero() {
		t.Errorf("before: got %+v", got)
	}
	if _, err := r.set(true, 0); err != nil {
		t.Fatal(err)
	}
	got := r.read(postgrestest.North)
	want := noon.Truncate(6 * time.Hour).Add(6 * time.Hour)
	if got.Version != 1 || got.SetBy != "asha" || got.SetAt == nil || !got.Next().Equal(want) {
		t.Errorf("set: got %+v, want the next at %s", got, want)
	}
	if got := r.read(postgrestest.South); got.Version != 0 || !got.Next().IsZero() {
		t.Errorf("another organisation: got %+v", got)
	}
	if _, err := r.set(false, 0); !fault.Is(err, fault.Stale) {
		t.Errorf("a change to what was read before: %v", err)
	}
	if _, err := r.set(false, timetable.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if got := r.read(postgrestest.North); got.Version != 2 || got.Slot("often").On || !got.Next().IsZero() {
		t.Errorf("paused: got %+v", got)
	}
	if records, words := r.count(`select count(*) from gavel.record where kind = 'yard_schedule' and subject = 'schedule'`),
		r.count(`select count(*) from gavel.outbox where target = 'yard/north/broom' and kind = 'signal'`); records != 2 || words != 2 {
		t.Errorf("%d records and %d words, want one of each change", records, words)
	}
}

// TestWhatIsDueIsTakenOnceByWhoeverLooks promises that two who look at one moment, as a step
// that is done again does, take it once, and that the kept timetable says what was begun.
func TestWhatIsDueIsTakenOnceByWhoeverLooks(t *testing.T) {
	r := newRig(t)
	taken := make(chan int, 8)
	look := func(at time.Time) error {
		return r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
			held, err := timetable.Hold(t.Context(), tx, sweeps, postgrestest.North)
			if err != nil {
				return err
			}
			slot := held.Slot("often")
			slot.Look(at, time.UTC)
			n := 0
			if slot.Due(at) {
				n = 1
				slot.Take("SWEEP-1", at, time.UTC)
			}
			taken <- n
			return held.Save(t.Context(), tx)
		})
	}
	if err := look(noon); err != nil || <-taken != 0 {
		t.Fatalf("before its hour: %v", err)
	}
	errs := make(chan error, 8)
	for range 8 {
		go func() { errs <- look(noon.Add(50 * time.Hour)) }()
	}
	n := 0
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
		n += <-taken
	}
	kept := r.read(postgrestest.North)
	if got := kept.Slot("often"); n != 1 || got.Last != "SWEEP-1" || !got.Next.After(noon.Add(50*time.Hour)) {
		t.Errorf("taken %d times: %+v", n, got)
	}
}

// TestAWorkflowIsWokenOnTheClockItWasSetBy promises that the word to the engine carries the
// organisation and the clock.
func TestAWorkflowIsWokenOnTheClockItWasSetBy(t *testing.T) {
	r := newRig(t)
	clock := durable.Clock{Epoch: noon, Speed: 60}
	r.in(postgrestest.North, func(tx pgx.Tx) error { return timetable.Wake(t.Context(), tx, sweeps, postgrestest.North, clock) })
	if n := r.count(`select count(*) from gavel.outbox where payload::jsonb #>> '{start,input,org}' = 'north'
		and payload::jsonb #>> '{start,input,clock,speed}' = '60'
		and payload::jsonb #>> '{start,workflow}' = 'yard.Broom' and payload::jsonb #>> '{start,queue}' = 'yard'`); n != 1 {
		t.Errorf("%d such words", n)
	}
}
