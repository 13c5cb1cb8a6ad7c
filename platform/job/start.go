package job

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/jackc/pgx/v5"

	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
)

// Silence is how long nothing may be heard of a job, in real time, until it counts as lost
// and keeps no other from beginning.
const Silence = 24 * time.Hour

// An Order asks for work.
type Order struct {
	ID    string // drawn by Kind.NewID: the workflow's input names it
	Key   string // the asker's: the same again is the same job, also when it has ended
	About string // what is to be worked on: one of each runs at a time
	Actor identity.Actor
	At    time.Time
	Input any            // of its workflow
	Body  map[string]any // what its record says besides
}

// A Begun is what came of an order: a job, whether this order started it, and which one
// was given up for it because nothing had been heard of it for long.
type Begun struct {
	Job
	Started bool
	Lost    string
}

// Start begins a job, or gives the one there is: the one that was started by this key,
// or the one that is at the same thing. Two who ask at once are both answered: the second
// waits until the first has committed. Whoever gets Started adds rows of their own in the
// same transaction.
func Start(ctx context.Context, tx pgx.Tx, k Kind, o Order) (b Begun, err error) {
	if b.Lost, err = giveUp(ctx, tx, k, o); err != nil {
		return b, err
	}
	for range 3 { // the one that was in the way may end between two looks
		if b.Started, err = insert(ctx, tx, k, o); err != nil {
			return b, err
		}
		if b.Job, err = there(ctx, tx, k, o); err != nil {
			return b, err
		}
		switch {
		case b.Started:
			return b, begin(ctx, tx, k, o, b.Job)
		case b.ID != "":
			return b, nil
		}
	}
	return b, fault.New(fault.Unavailable, "no free id was found for a %s", k.Name).WithNext("ask again")
}

// insert adds the job unless another has its key, its id, or is at it.
func insert(ctx context.Context, tx pgx.Tx, k Kind, o Order) (added bool, err error) {
	const add = `insert into gavel.job (org, kind, id, key, about, asked_by, began_at)
		values ($1, $2, $3, $4, $5, $6, $7) on conflict do nothing`
	tag, err := tx.Exec(ctx, add, o.Actor.Org, k.column(), o.ID, o.Key, o.About, o.Actor.ID, o.At)
	if err != nil {
		return false, fmt.Errorf("add a %s: %w", k.Name, err)
	}
	return tag.RowsAffected() == 1, nil
}

// there finds the job of the order's key, or the one that is at the same.
func there(ctx context.Context, tx pgx.Tx, k Kind, o Order) (Job, error) {
	const find = `select ` + columns + ` from gavel.job where kind = $1 and (key = $2 or about = $3 and state = 'running')
		order by key = $2 desc limit 1`
	return one(ctx, tx, find, k.column(), o.Key, o.About)
}

// begin puts a job on record, leaves word for the engine and tells open pages.
func begin(ctx context.Context, tx pgx.Tx, k Kind, o Order, j Job) error {
	if err := note(ctx, tx, k, o.Actor, j.ID, o.At, "started", o.Body); err != nil {
		return err
	}
	input, err := json.Marshal(o.Input)
	if err != nil {
		return fmt.Errorf("write the input of %s: %w", j.ID, err)
	}
	if err := Tell(ctx, tx, k, o.Actor.Org, j.ID, j.Version); err != nil {
		return err
	}
	return outbox.AddStart(ctx, tx, o.Actor.Org, k.workflowID(o.Actor.Org, j.ID),
		outbox.Start{Workflow: k.Workflow, Queue: k.App, Subject: j.ID, Input: input})
}

// giveUp ends the job that is in the way if it is lost, and says which that was.
func giveUp(ctx context.Context, tx pgx.Tx, k Kind, o Order) (id string, err error) {
	const silent = `select ` + columns + ` from gavel.job
		where kind = $1 and about = $2 and key <> $3 and state = 'running' and heard_at <= now() - make_interval(secs => $4)`
	j, err := one(ctx, tx, silent, k.column(), o.About, o.Key, Silence.Seconds())
	if err != nil || j.ID == "" {
		return "", err
	}
	return j.ID, Finish(ctx, tx, k, o.Actor.Org, j.ID, End{State: Refused, Reason: LostReason, At: o.At,
		Body: map[string]any{"reason": LostReason}})
}

// LostReason is why a job was given up of which nothing was heard.
const LostReason = "nothing was heard of it for a day, and another was begun"

// note puts on record what became of a job.
func note(ctx context.Context, tx pgx.Tx, k Kind, actor identity.Actor, id string, at time.Time, did string, body map[string]any) error {
	said := map[string]any{"did": did}
	maps.Copy(said, body)
	_, err := log.Append(ctx, tx, log.Record{At: at, Kind: k.record(), App: k.App, Actor: actor, Subject: id, Body: said})
	return err
}

// Tell has open pages that show a job fetch themselves again, once it is committed.
func Tell(ctx context.Context, tx pgx.Tx, k Kind, org identity.Org, id string, version int64) error {
	const notify = `select pg_notify('gavel_live', json_build_object('org', $1::text, 'object', $2::text, 'version', $3::bigint)::text)`
	_, err := tx.Exec(ctx, notify, org, k.Live(id), version)
	return err
}
