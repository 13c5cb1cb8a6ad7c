package recovery

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Settle is how long a recovery is on at least, in real time: so long a step of the
// engine may wait before it is tried again, and an agent's turn may take.
const Settle = 10 * time.Minute

// End ends a recovery, in one transaction: the cases that are in the middle of
// something are put in doubt, and what was held goes on. What may have been done is
// asked about then, by whoever carries it.
//
// It is a Conflict before settle has passed, and while the engine has not been told
// of everything that is on record: a case that has not come to where it was could do
// again, after the end, what it did in the time that was lost.
func End(ctx context.Context, c Config, settle time.Duration, word Word) (r Recovery, err error) {
	if err := word.check(); err != nil {
		return r, err
	}
	err = c.System.InTx(ctx, func(tx pgx.Tx) error {
		if err := lock(ctx, tx); err != nil {
			return err
		}
		if r, err = newest(ctx, tx); err != nil {
			return err
		}
		if r.ID == "" || !r.On() {
			return fault.New(fault.Conflict, "no recovery is on").WithNext("see what is paused: gavel pause list")
		}
		if err := refuseEarly(ctx, tx, settle); err != nil {
			return err
		}
		return c.end(ctx, tx, &r, word)
	})
	if err != nil {
		return Recovery{}, fmt.Errorf("end the recovery: %w", err)
	}
	return r, nil
}

func refuseEarly(ctx context.Context, tx pgx.Tx, settle time.Duration) error {
	const look = `select extract(epoch from clock_timestamp() - began)::float8, (select count(*) from gavel.outbox where not dead)
		from gavel_sys.recovery where ended_at is null`
	var on float64
	var waiting int64
	if err := tx.QueryRow(ctx, look).Scan(&on, &waiting); err != nil {
		return err
	}
	switch since := time.Duration(on * float64(time.Second)); {
	case waiting > 0:
		return fault.New(fault.Conflict, "the engine has not been told of %d things that are on record", waiting).
			WithNext("have a server and a worker running, and wait until gavel doctor says that the outbox is empty")
	case since < settle:
		return fault.New(fault.Conflict, "the recovery is on for %s; cases may not have come to where they were", since.Round(time.Second)).
			WithNext("let servers and workers run for another %s, then end it", (settle - since).Round(time.Second))
	}
	return nil
}

func (c Config) end(ctx context.Context, tx pgx.Tx, r *Recovery, word Word) error {
	n, err := doubtCases(ctx, tx, r.At)
	if err != nil {
		return err
	}
	orgs, err := organisations(ctx, tx)
	if err != nil {
		return err
	}
	for _, org := range orgs {
		free, err := act.LetOutside(ctx, tx, word.actor(org), word.Reason, word.At)
		if err == nil && len(free) > 0 && c.Wake != nil {
			err = c.Wake(ctx, tx, org, free)
		}
		if err != nil {
			return err
		}
	}
	r.EndedAt, r.EndedBy, r.EndReason, r.Cases = &word.At, word.By, word.Reason, n
	const update = `update gavel_sys.recovery set ended_at = $2, ended_by = $3, end_reason = $4, cases = $5 where id = $1`
	if _, err := tx.Exec(ctx, update, r.ID, word.At, word.By, word.Reason, n); err != nil {
		return err
	}
	return note(ctx, tx, word, r.ID, map[string]any{"step": "ended", "reason": word.Reason, "cases": n})
}

// doubtCases puts every open case in doubt that is in the middle of something: a
// question waits, an agent works, something is to leave, or it has moved since the
// recovery began. What it did next it may have done in the time that was lost. A case
// that rests does nothing that was due by then: all of that was due at once.
func doubtCases(ctx context.Context, tx pgx.Tx, since time.Time) (int64, error) {
	const busy = `select c.org, c.id from gavel.case c where c.state <> 'closed' and (
		exists (select from gavel.proposal p where p.org = c.org and p.case_id = c.id and p.state = 'open')
		or exists (select from gavel.act a where a.org = c.org and a.case_id = c.id and a.effect = 'outside' and a.ended_at is null)
		or exists (select from gavel.run r where r.org = c.org and r.case_id = c.id and r.state not in ('done', 'failed', 'out_of_budget'))
		or exists (select from gavel.case_entry e where e.org = c.org and e.case_id = c.id and e.at >= $1))`
	rows, _ := tx.Query(ctx, busy, since)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (d act.Doubt, err error) {
		d.Since = since
		return d, row.Scan(&d.Org, &d.Case)
	})
	if err != nil || len(found) == 0 {
		return 0, err
	}
	var b pgx.Batch
	for _, d := range found {
		act.DoubtCase(&b, d)
	}
	return int64(len(found)), tx.SendBatch(ctx, &b).Close()
}

// Free ends the doubt about a case, by its id or what people call it: somebody has
// looked, and nothing of it left in the time that was lost, or what did is known. Its
// organisation is org.
func Free(ctx context.Context, c Config, org identity.Org, name string, word Word) (id string, err error) {
	if err := word.check(); err != nil {
		return "", err
	}
	const one = `select id from gavel.case where org = $1 and (id = $2 or ref = $2)`
	err = c.System.InTx(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, one, org, name)
		ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return err
		}
		if len(ids) != 1 {
			return fault.New(fault.NotFound, "%s has no case %.60q", org, name).WithNext("see which are in doubt: gavel recover cases")
		}
		id = ids[0]
		doubted, err := act.FreeCase(ctx, tx, word.actor(org), id, word.Reason, word.At)
		if err == nil && !doubted {
			err = fault.New(fault.Conflict, "nothing about case %.60q is in doubt", name).WithNext("see which are: gavel recover cases")
		}
		return err
	})
	return id, err
}

// A Doubtful is a case that is in doubt.
type Doubtful struct {
	Org   identity.Org    `json:"org"`
	Case  casefile.CaseID `json:"case"`
	Ref   string          `json:"ref"`
	Since time.Time       `json:"since"`
	Asked int64           `json:"asked"` // questions whether something happened that are open
}

// MostCases is how many cases Cases lists.
const MostCases = 10_000

// Cases lists the cases that are in doubt and not closed, by organisation and age.
func Cases(ctx context.Context, c Config) (all []Doubtful, err error) {
	const list = `select d.org, d.case_id, c.ref, d.since,
			(select count(*) from gavel.proposal p where p.org = c.org and p.case_id = c.id and p.state = 'open' and p.kind = 'act_unknown')
		from gavel.doubt d join gavel.case c on c.org = d.org and c.id = d.case_id
		where c.state <> 'closed' order by d.org, d.case_id limit $1`
	rows, _ := c.System.Query(ctx, list, MostCases)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Doubtful])
}

// Show reads the newest recovery, on or over. NotFound where there was none.
func Show(ctx context.Context, c Config) (r Recovery, err error) {
	err = c.System.InTx(ctx, func(tx pgx.Tx) error {
		if r, err = newest(ctx, tx); err == nil && r.ID == "" {
			err = fault.New(fault.NotFound, "there was no recovery").WithNext("after a restore: gavel recover begin")
		}
		return err
	})
	return r, err
}
