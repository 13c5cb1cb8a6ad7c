package job

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Report says how far a job is, and gives it as it stands: a step that reads there that
// it has ended, or that somebody has called it off, goes no further. Pages that follow it
// are told. The zero Job is of one that was begun before there were rows of jobs.
func Report(ctx context.Context, tx pgx.Tx, k Kind, org identity.Org, id string, p Progress) (Job, error) {
	const move = `update gavel.job set done = $3, total = $4, doing = $5, heard_at = now(), version = version + 1
		where kind = $1 and id = $2 and state = 'running' returning ` + columns
	j, err := one(ctx, tx, move, k.column(), id, p.Done, p.Total, cut(p.Doing, 200))
	if err != nil {
		return j, err
	}
	if j.ID == "" {
		return Find(ctx, tx, k, id)
	}
	return j, Tell(ctx, tx, k, org, id, j.Version)
}

// An End is how a job ended.
type End struct {
	State  State
	Reason string // why it was not done
	At     time.Time
	Body   map[string]any // what its record says besides
}

// Finish ends a job and puts that on record. One that has ended stays as it ended.
func Finish(ctx context.Context, tx pgx.Tx, k Kind, org identity.Org, id string, e End) error {
	const end = `update gavel.job set state = $3, reason = $4, ended_at = $5, version = version + 1
		where kind = $1 and id = $2 and state = 'running' returning ` + columns
	j, err := one(ctx, tx, end, k.column(), id, e.State, cut(e.Reason, 2000), e.At)
	if err != nil || j.ID == "" {
		return err
	}
	if err := note(ctx, tx, k, identity.Gavel(org), id, e.At, string(e.State), e.Body); err != nil {
		return err
	}
	return Tell(ctx, tx, k, org, id, j.Version)
}

// Cancel has a job called off, on record: the step that runs finishes what it is at, and
// the next one ends the job.
func Cancel(ctx context.Context, tx pgx.Tx, k Kind, actor identity.Actor, id string, at time.Time) (Job, error) {
	const call = `update gavel.job set cancelled_by = $3, version = version + 1
		where kind = $1 and id = $2 and state = 'running' and cancelled_by = '' returning ` + columns
	j, err := one(ctx, tx, call, k.column(), id, actor.ID)
	if err != nil {
		return j, err
	}
	if j.ID != "" {
		if err := note(ctx, tx, k, actor, id, at, "called_off", nil); err != nil {
			return j, err
		}
		return j, Tell(ctx, tx, k, actor.Org, id, j.Version)
	}
	if j, err = Get(ctx, tx, k, id); err != nil || j.State == Running {
		return j, err
	}
	return j, fault.New(fault.Conflict, "%s has ended: it is %s", id, j.State).Because("job_ended", "id", id)
}

func cut(text string, most int) string {
	if r := []rune(text); len(r) > most {
		return string(r[:most])
	}
	return text
}
