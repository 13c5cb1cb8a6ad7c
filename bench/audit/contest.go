package main

import (
	"context"
	"crypto/rand"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
)

var officer = identity.Actor{Kind: identity.Person, ID: "oidc:7f3a9c21-officer", Name: "Bench", Org: org,
	Roles: []identity.Role{identity.Officer}}

// A decision is what is written and recorded.
type decision struct {
	id, proposal, args string
	at                 time.Time
}

func newDecision() decision {
	return decision{id: "dec_" + rand.Text(), proposal: "P-" + rand.Text()[:6], args: strings.Repeat("9f86d081", 8), at: time.Now()}
}

const insertDecision = `insert into gavel.bench_decision (org, id, proposal, decision, decided_by, args_sha256, at, reason)
	values ($1, $2, $3, 'approve', $4, $5, $6, 'The readings bear it out.')`

func (d decision) values() []any {
	return []any{org, d.id, d.proposal, officer.ID, d.args, d.at}
}

// record is as long as the record of a decision will be: ids and digests.
func (d decision) record() audit.Record {
	return audit.Record{At: d.at, Kind: audit.Decision, App: "airshed", Actor: officer, Subject: "case_01KBBBBBBBBBBBBBBBBBBBBBBB",
		Body: map[string]any{"proposal": d.proposal, "decision": "approve", "args_sha256": d.args, "shown_sha256": d.args, "row": d.id}}
}

func (g *ground) contestants(notify bool) []contestant {
	inOrg := func(fn func(ctx context.Context, tx pgx.Tx, d decision) error) func(context.Context) error {
		return func(ctx context.Context) error {
			return g.db.InOrg(ctx, org, func(tx pgx.Tx) error { return fn(ctx, tx, newDecision()) })
		}
	}
	all := []contestant{
		{"insert", inOrg(alone)},
		{"with record", inOrg(together)},
		{"record, own trip", inOrg(recorded)},
		{"plain second row", inOrg(twice)},
	}
	if notify {
		all = append(all, contestant{"record + NOTIFY", inOrg(notified)})
	}
	return all
}

// alone is what everything is measured against.
func alone(ctx context.Context, tx pgx.Tx, d decision) error {
	_, err := tx.Exec(ctx, insertDecision, d.values()...)
	return err
}

// together sends the INSERT and the record's in one round trip.
func together(ctx context.Context, tx pgx.Tx, d decision) error {
	b := &pgx.Batch{}
	b.Queue(insertDecision, d.values()...)
	if _, err := audit.AppendLater(b, d.record()); err != nil {
		return err
	}
	return tx.SendBatch(ctx, b).Close()
}

// recorded sends one after the other.
func recorded(ctx context.Context, tx pgx.Tx, d decision) error {
	if err := alone(ctx, tx, d); err != nil {
		return err
	}
	_, err := audit.Append(ctx, tx, d.record())
	return err
}

// twice is the floor: another row of the same table in the same round trip, with
// no log, no hash and no sequencer behind it.
func twice(ctx context.Context, tx pgx.Tx, d decision) error {
	b := &pgx.Batch{}
	b.Queue(insertDecision, d.values()...)
	b.Queue(insertDecision, newDecision().values()...)
	return tx.SendBatch(ctx, b).Close()
}

// notified also wakes somebody, as the outbox does.
func notified(ctx context.Context, tx pgx.Tx, d decision) error {
	b := &pgx.Batch{}
	b.Queue(insertDecision, d.values()...)
	if _, err := audit.AppendLater(b, d.record()); err != nil {
		return err
	}
	b.Queue(`select pg_notify('gavel_bench', '')`)
	return tx.SendBatch(ctx, b).Close()
}
