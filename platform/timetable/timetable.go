// Package timetable keeps when something begins by itself: a plan that people change, pause
// and resume, and a workflow that waits for the next moment on the installation's clock.
//
// Read Hold and Save, then Set. The application looks at what is due in a step of the
// engine (Workflow says how it waits): it holds the timetable, takes, leaves out or puts off
// each slot that is due, and saves it, in its own transaction. When a slot comes is package
// calendar's to say.
package timetable

import (
	"context"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/calendar"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the tables of timetables.
func Migrations() postgres.MigrationSet { return postgres.Embedded("timetable", migrations) }

// A Kind is one timetable of an application. Its names are remembered by the engine, and
// never change.
type Kind struct {
	App      string          // whose it is: the task queue, and who puts changes on record
	Name     string          // where the engine has it: "calendar:passes"
	Subject  string          // what its workflow is for, in a word: "calendar"
	Workflow string          // that waits, as the engine knows it
	Slots    []calendar.Slot // what comes by itself, as it is until somebody sets it
}

func (k Kind) column() string { return k.App + "/" + k.Name }

// Input is what a timetable's workflow is given.
type Input struct {
	Org   identity.Org  `json:"org"`
	Clock durable.Clock `json:"clock"`
}

// A Timetable is what an organisation has done by itself.
type Timetable struct {
	Version int64 // 0: nobody has set it
	SetBy   string
	SetAt   *time.Time
	Slots   []calendar.Slot // in the order of its kind

	kind Kind
	org  identity.Org
}

// Slot is one by its name, which is the kind's.
func (t *Timetable) Slot(name string) *calendar.Slot {
	for i := range t.Slots {
		if t.Slots[i].Name == name {
			return &t.Slots[i]
		}
	}
	panic("no slot is called " + name) // a name that the program holds
}

// Next is when something comes; zero where nothing does.
func (t *Timetable) Next() (first time.Time) {
	for _, s := range t.Slots {
		if s.Next != nil && (first.IsZero() || s.Next.Before(first)) {
			first = *s.Next
		}
	}
	return first
}

// Read reads a timetable.
func Read(ctx context.Context, tx pgx.Tx, k Kind, org identity.Org) (t Timetable, err error) {
	t = Timetable{kind: k, org: org, Slots: append([]calendar.Slot{}, k.Slots...)}
	const one = `select version, set_by, set_at from gavel.timetable where kind = $1`
	err = tx.QueryRow(ctx, one, k.column()).Scan(&t.Version, &t.SetBy, &t.SetAt)
	if errors.Is(err, pgx.ErrNoRows) {
		return t, nil
	}
	if err != nil {
		return t, fmt.Errorf("read a timetable: %w", err)
	}
	const slots = `select name, on_plan, each, hours, day, hour, next_at, last, note, noted_at, owed from gavel.timetable_slot
		where kind = $1`
	rows, _ := tx.Query(ctx, slots, k.column())
	var s calendar.Slot
	into := []any{&s.Name, &s.On, &s.Each, &s.Hours, &s.Day, &s.Hour, &s.Next, &s.Last, &s.Note, &s.NotedAt, &s.Owed}
	_, err = pgx.ForEachRow(rows, into, func() error {
		*t.Slot(s.Name) = s
		return nil
	})
	return t, err
}

// Hold reads a timetable and keeps others from changing it until the transaction ends, also
// where there is none yet.
func Hold(ctx context.Context, tx pgx.Tx, k Kind, org identity.Org) (Timetable, error) {
	if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`,
		"timetable/"+string(org)+"/"+k.column()); err != nil {
		return Timetable{}, err
	}
	return Read(ctx, tx, k, org)
}

// Save writes a timetable that is held.
func (t *Timetable) Save(ctx context.Context, tx pgx.Tx) error {
	const (
		put = `insert into gavel.timetable (org, kind, version, set_by, set_at) values ($1, $2, $3, $4, $5)
			on conflict (org, kind) do update set version = excluded.version, set_by = excluded.set_by, set_at = excluded.set_at`
		slot = `insert into gavel.timetable_slot (org, kind, name, on_plan, each, hours, day, hour, next_at, last, note, noted_at, owed)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
			on conflict (org, kind, name) do update set on_plan = excluded.on_plan, each = excluded.each, hours = excluded.hours,
			day = excluded.day,
				hour = excluded.hour, next_at = excluded.next_at, last = excluded.last, note = excluded.note,
				noted_at = excluded.noted_at, owed = excluded.owed`
	)
	var b pgx.Batch
	b.Queue(put, t.org, t.kind.column(), t.Version, t.SetBy, t.SetAt)
	for _, s := range t.Slots {
		b.Queue(slot, t.org, t.kind.column(), s.Name, s.On, s.Each, s.Hours, s.Day, s.Hour, s.Next, s.Last, s.Note, s.NotedAt, s.Owed)
	}
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return fmt.Errorf("write a timetable: %w", err)
	}
	return nil
}

// AnyVersion is the version of who does not say what they have read.
const AnyVersion = -1

// A Change is somebody's.
type Change struct {
	Actor identity.Actor
	Seen  int64 // the version it was made to, or AnyVersion
	At    time.Time
	Clock durable.Clock  // that the workflow waits by, should it have to be begun
	Body  map[string]any // what its record says
}

// Set writes a timetable that is held and whose slots somebody has changed, puts that on
// record and wakes its workflow. A change to something older is refused.
func (t *Timetable) Set(ctx context.Context, tx pgx.Tx, c Change) error {
	if c.Seen != AnyVersion && c.Seen != t.Version {
		return fault.New(fault.Stale, "the schedule has been changed since you read it").
			WithNext("read it again, and change what it is now").Because("settings_changed")
	}
	t.Version, t.SetBy, t.SetAt = t.Version+1, c.Actor.ID, &c.At
	if err := t.Save(ctx, tx); err != nil {
		return err
	}
	if err := t.Note(ctx, tx, c.Actor, c.At, c.Body); err != nil {
		return err
	}
	return Wake(ctx, tx, t.kind, t.org, c.Clock)
}

// Note puts on record what became of a timetable: that it was set, or a moment left out.
func (t *Timetable) Note(ctx context.Context, tx pgx.Tx, actor identity.Actor, at time.Time, body map[string]any) error {
	_, err := log.Append(ctx, tx, log.Record{At: at, Kind: log.Kind(t.kind.App + "_schedule"), App: t.kind.App,
		Actor: actor, Subject: "schedule", Body: body})
	return err
}

// Wake has the workflow of a timetable look at it, and begins one where there is none.
func Wake(ctx context.Context, tx pgx.Tx, k Kind, org identity.Org, clock durable.Clock) error {
	input, err := json.Marshal(Input{Org: org, Clock: clock})
	if err != nil {
		return err
	}
	return outbox.AddSignal(ctx, tx, org, k.App+"/"+string(org)+"/"+k.Name, outbox.Signal{
		Name: casefile.WakeSignalName, Input: json.RawMessage(`{}`),
		Start: outbox.Start{Workflow: k.Workflow, Queue: k.App, Subject: k.Subject, Input: input}})
}
