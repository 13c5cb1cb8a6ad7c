package recovery

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/review"
)

// Begin begins a recovery, in one transaction: everything outside is held in every
// organisation, each effect that has come to no end counts as one that may have
// happened, and, where the engine is ahead, every open case is begun anew from the
// record. While one is on, beginning again changes nothing and returns it.
//
// It is a Conflict while a server or a worker is connected: what it does meanwhile
// could be done twice.
func Begin(ctx context.Context, c Config, engine Engine, word Word) (r Recovery, fresh bool, err error) {
	if engine != Same && engine != Ahead {
		return r, false, fault.New(fault.Invalid, "the engine is %s or %s, not %.20q", Same, Ahead, engine).
			WithNext("same: its databases were restored with this one, to the same moment; ahead: anything else")
	}
	if err := word.check(); err != nil {
		return r, false, err
	}
	err = c.System.InTx(ctx, func(tx pgx.Tx) error {
		if err := lock(ctx, tx); err != nil {
			return err
		}
		if r, err = newest(ctx, tx); err != nil || r.ID != "" && r.On() {
			return err
		}
		if err := refuseServing(ctx, tx); err != nil {
			return err
		}
		fresh = true
		r = Recovery{ID: "recovery_" + ulid.MustNew(ulid.Timestamp(word.At), rand.Reader).String(), Engine: engine, Reason: word.Reason,
			By: word.By, At: word.At}
		return c.begin(ctx, tx, &r, word)
	})
	if err != nil {
		return Recovery{}, false, fmt.Errorf("begin a recovery: %w", err)
	}
	return r, fresh, nil
}

// refuseServing refuses to begin while somebody carries out effects.
func refuseServing(ctx context.Context, tx pgx.Tx) error {
	const all = `select distinct application_name from pg_stat_activity where datname = current_database() and application_name = any($1)
		order by 1`
	rows, _ := tx.Query(ctx, all, Serving())
	found, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	if len(found) > 0 {
		return fault.New(fault.Conflict, "%s is connected to this database, and may be doing again what was done",
			strings.Join(found, " and ")).
			WithNext("stop every server and worker, then begin again")
	}
	return nil
}

func (c Config) begin(ctx context.Context, tx pgx.Tx, r *Recovery, word Word) error {
	doubted, err := act.DoubtOpen(ctx, tx, r.At)
	if err != nil {
		return err
	}
	if r.Letters, r.Word, err = notify.DoubtOpen(ctx, tx, r.At); err != nil {
		return err
	}
	orgs, err := organisations(ctx, tx)
	if err != nil {
		return err
	}
	for _, org := range orgs {
		r.Acts += doubted[org]
		if err := act.HoldOutside(ctx, tx, word.actor(org), held, r.At); err != nil {
			return err
		}
	}
	if r.Engine == Ahead {
		if err := c.beginAnew(ctx, tx, r); err != nil {
			return err
		}
	}
	const insert = `insert into gavel_sys.recovery (id, engine, reason, by_id, at, acts, letters, word, anew)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	if _, err := tx.Exec(ctx, insert, r.ID, r.Engine, r.Reason, r.By, r.At, r.Acts, r.Letters, r.Word, r.Anew); err != nil {
		return err
	}
	return note(ctx, tx, word, r.ID, map[string]any{"step": "begun", "engine": r.Engine, "reason": r.Reason,
		"acts": r.Acts, "letters": r.Letters, "word": r.Word, "anew": r.Anew})
}

// held is what the pages of every organisation say.
const held = "The database was restored from an older copy. What may have been done in the time that was lost is found out first."

func note(ctx context.Context, tx pgx.Tx, word Word, id string, body any) error {
	_, err := audit.Append(ctx, tx, audit.Record{At: word.At, Kind: Record, Actor: word.actor(audit.Installation), Subject: id, Body: body})
	return err
}

// beginAnew has the workflow of every open case, and of every question or act that
// has one of its own, begun anew: what the engine has of them is of another moment.
func (c Config) beginAnew(ctx context.Context, tx pgx.Tx, r *Recovery) error {
	begun := map[string]bool{}
	start := func(org identity.Org, id string, s outbox.Start) error {
		if begun[id] {
			return nil
		}
		begun[id], s.Anew = true, r.ID
		r.Anew++
		return outbox.AddStart(ctx, tx, org, id, s)
	}
	rows, _ := tx.Query(ctx, `select org, id, app, key from gavel.case where state <> 'closed' order by org, id`)
	cases, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (f casefile.Case, err error) {
		return f, row.Scan(&f.Org, &f.ID, &f.App, &f.Key)
	})
	if err != nil {
		return err
	}
	for _, f := range cases {
		id, s, err := c.Cases.Wake(f)
		if err == nil && s.Workflow == "" {
			err = fault.New(fault.Conflict, "%s is a case of %s, which this program does not have", f.ID, f.App).
				WithNext("use the program that this installation runs")
		}
		if err == nil {
			err = start(f.Org, id, s)
		}
		if err != nil {
			return err
		}
	}
	wakes, err := waiting(ctx, tx)
	for _, w := range wakes {
		if err != nil {
			return err
		}
		err = start(w.org, w.WorkflowID, w.Start)
	}
	return err
}

type wake struct {
	org identity.Org
	review.Wake
}

// waiting are the workflows of their own that questions and what was approved wait
// in.
func waiting(ctx context.Context, tx pgx.Tx) ([]wake, error) {
	const all = `select p.org, p.wake from gavel.proposal p
		where p.wake::json ->> 'workflow_id' <> '' and (p.state = 'open'
			or exists (select from gavel.act a where a.org = p.org and a.proposal = p.id and a.ended_at is null))
		order by p.org, p.n`
	rows, _ := tx.Query(ctx, all)
	found, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (w wake, err error) {
		var text string
		if err := row.Scan(&w.org, &text); err != nil {
			return w, err
		}
		return w, json.Unmarshal([]byte(text), &w.Wake)
	})
	kept := found[:0]
	for _, w := range found {
		if w.Start.Workflow != "" {
			kept = append(kept, w)
		}
	}
	return kept, err
}
