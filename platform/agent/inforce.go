package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
)

// RulesRecord is the kind of the record that other policies are in force.
const RulesRecord audit.Kind = "policy_set"

// rulesSubject is what such records are about.
const rulesSubject = "policies"

// inForce is the body of such a record: digests, of all policies together and of
// each set, whose text is kept under it.
type inForce struct {
	Digest string            `json:"digest"`
	Sets   map[string]string `json:"sets"`
	Before string            `json:"before,omitempty"` // the digest on record until then
}

// PutInForce puts on record, in every organisation's log, which policies this
// process works under, where the last record there says otherwise, and keeps
// their text. A server and a worker call it as they start; it returns for how
// many organisations something was recorded. Two builds that start in turn each
// leave a record: that both were at work is worth knowing.
func PutInForce(ctx context.Context, db *postgres.DB, clock durable.Clock, rules *policy.Rules) (changed int, err error) {
	var orgs []identity.Org
	err = db.InNone(ctx, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select org from gavel_sys.organisation order by org`)
		orgs, err = pgx.CollectRows(rows, pgx.RowTo[identity.Org])
		return err
	})
	if err != nil {
		return 0, fmt.Errorf("policies in force: %w", err)
	}
	now := inForce{Digest: rules.Digest(), Sets: map[string]string{}}
	for _, name := range rules.Sets() {
		now.Sets[name] = rules.Set(name).Digest()
	}
	books := newBooks(db, nil)
	for _, org := range orgs {
		did, err := books.putInForce(ctx, org, clock, rules, now)
		if err != nil {
			return changed, fmt.Errorf("policies in force in %s: %w", org, err)
		}
		if did {
			changed++
		}
	}
	return changed, nil
}

func (b *books) putInForce(ctx context.Context, org identity.Org, clock durable.Clock, rules *policy.Rules,
	now inForce) (did bool, err error) {
	err = b.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		// Two processes that start at once leave one record.
		if _, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended($1, 0))`, "gavel policies "+string(org)); err != nil {
			return err
		}
		if now.Before, err = lastInForce(ctx, tx, org); err != nil || now.Before == now.Digest {
			return err
		}
		did = true
		batch := &pgx.Batch{}
		for _, name := range rules.Sets() {
			if err := b.queueSet(batch, rules.Set(name), clock.Now()); err != nil {
				return err
			}
		}
		if _, err := audit.AppendLater(batch, audit.Record{At: clock.Now(), Kind: RulesRecord, Actor: identity.Gavel(org),
			Subject: rulesSubject, Body: now}); err != nil {
			return err
		}
		return tx.SendBatch(ctx, batch).Close()
	})
	return did && err == nil, err
}

// lastInForce is the digest on record; empty where there is none.
func lastInForce(ctx context.Context, tx pgx.Tx, org identity.Org) (string, error) {
	const last = `select json from gavel.record where org = $1 and subject = $2 and kind = $3 order by id desc limit 1`
	var text string
	err := tx.QueryRow(ctx, last, org, rulesSubject, RulesRecord).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	var record struct {
		Body inForce `json:"body"`
	}
	return record.Body.Digest, json.Unmarshal([]byte(text), &record)
}
