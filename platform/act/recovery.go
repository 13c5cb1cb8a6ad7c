package act

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
)

// Recovering is the scope of the pause that a recovery sets: it holds what
// EveryOutside holds. People neither set nor end it; package recovery does.
const Recovering Scope = "recovery"

// LostTime is why nobody can say whether an act happened, after a restore.
const LostTime = "The database was restored from an older copy: this may have been done in the time that was lost."

// holdsOutside lists the scopes that hold whatever goes beyond our walls.
const holdsOutside = `('outside', '` + string(Recovering) + `')`

// doubted says that an act a may be one that its case did before, in time that a
// restore lost, under another key.
const doubted = `(a.effect = 'outside' and exists (select from gavel.doubt d where d.org = a.org and d.case_id = a.case_id
	and a.planned_at >= d.since))`

// DoubtOpen takes every act beyond our walls that was authorised by a moment and
// has come to no end out of whatever hands it is in: the database was restored,
// and each may have been done in the time that was lost. Whoever begins it next is
// told Unsure and asks the other side by its key, which is the same. It says how
// many there were in each organisation; those it found before are not counted again.
func DoubtOpen(ctx context.Context, tx pgx.Tx, by time.Time) (map[identity.Org]int64, error) {
	const all = `
		with doubted as (
			update gavel.act set state = 'running', fence = fence + 1, lease_until = '-infinity', reason = $2
			where effect = 'outside' and planned_at <= $1 and (state in ('planned', 'held') or state = 'running'
			and lease_until > '-infinity')
			returning org)
		select org, count(*) from doubted group by org`
	found := map[identity.Org]int64{}
	var org identity.Org
	var n int64
	rows, _ := tx.Query(ctx, all, by, LostTime) // ForEachRow reports Query's error too
	_, err := pgx.ForEachRow(rows, []any{&org, &n}, func() error { found[org] = n; return nil })
	if err != nil {
		return nil, fmt.Errorf("doubt the acts that are open: %w", err)
	}
	return found, nil
}

// HoldOutside pauses what goes beyond our walls in an organisation until
// LetOutside. Doing so again changes nothing.
func HoldOutside(ctx context.Context, tx pgx.Tx, by identity.Actor, reason string, at time.Time) error {
	p := Pause{ID: "pause_" + ulid.MustNew(ulid.Timestamp(at), rand.Reader).String(), Scope: Recovering}
	const insert = `insert into gavel.pause (org, scope, reason, by_id, at, id) values ($1, $2, $3, $4, $5, $6)
		on conflict (org, scope) do nothing`
	tag, err := tx.Exec(ctx, insert, by.Org, p.Scope, reason, by.ID, at, p.ID)
	if err != nil || tag.RowsAffected() == 0 {
		return err
	}
	return recordPause(ctx, tx, by, p, "paused", at)
}

// LetOutside ends what HoldOutside began, and returns the keys of acts that wait
// and that no pause holds any more. Where there is no such pause it does nothing.
func LetOutside(ctx context.Context, tx pgx.Tx, by identity.Actor, reason string, at time.Time) (free []string, err error) {
	const on = `select id from gavel.pause where org = $1 and scope = $2`
	rows, _ := tx.Query(ctx, on, by.Org, Recovering)
	ids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	if _, err := endPause(ctx, tx, by, ids[0], reason, at); err != nil {
		return nil, err
	}
	return freed(ctx, tx, by.Org)
}

// A Doubt is a case whose acts are asked about before they are done.
type Doubt struct {
	Org   identity.Org
	Case  string
	Since time.Time
}

// DoubtCase has whatever a case sends from a moment on asked about first.
func DoubtCase(b *pgx.Batch, d Doubt) {
	b.Queue(`insert into gavel.doubt (org, case_id, since) values ($1, $2, $3) on conflict (org, case_id) do update
		set since = least(doubt.since, excluded.since)`,
		d.Org, d.Case, d.Since)
}

// FreeCase ends the doubt about a case, with a record, and reports whether there
// was one. What it has left to send goes out as ever.
func FreeCase(ctx context.Context, tx pgx.Tx, by identity.Actor, caseID, why string, at time.Time) (bool, error) {
	tag, err := tx.Exec(ctx, `delete from gavel.doubt where org = $1 and case_id = $2`, by.Org, caseID)
	if err != nil || tag.RowsAffected() == 0 {
		return false, err
	}
	_, err = audit.Append(ctx, tx, audit.Record{At: at, Kind: audit.Act, Actor: by, Subject: caseID,
		Body: map[string]string{"step": "freed", "reason": why}})
	return true, err
}
