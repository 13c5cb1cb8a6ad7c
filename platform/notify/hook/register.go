package hook

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/webhook"
)

// A Draft is a webhook as somebody writes it.
type Draft struct {
	URL    string
	Title  string
	Kinds  []string
	Reason string // why, for people; it is in no log
}

func (s *Store) check(ctx context.Context, d Draft) (Draft, error) {
	var err error
	if d.Title, err = checkText("the title", d.Title, MaxTitle); err != nil {
		return d, err
	}
	if d.Reason, err = checkText("the reason", d.Reason, MaxReason); err != nil {
		return d, err
	}
	if d.Kinds, err = checkKinds(d.Kinds); err != nil {
		return d, err
	}
	d.URL, err = s.checkURL(ctx, d.URL)
	return d, err
}

// Register begins a webhook with what happens from now on. The secret is returned
// this once.
func (s *Store) Register(ctx context.Context, actor identity.Actor, d Draft) (w Webhook, secret webhook.Secret, err error) {
	if err := s.Rules.May(actor, "webhook.change"); err != nil {
		return w, secret, err
	}
	if d, err = s.check(ctx, d); err != nil {
		return w, secret, err
	}
	now := s.now()
	id, secret := newID("hook_", now), webhook.NewSecret()
	const insert = `
		insert into gavel.webhook (org, id, url, title, kinds, state, reason, owner_id, made_at, changed_at, place)
		select $1, $2, $3, $4, $5, 'on', $6, $7, $8, $8, coalesce((select max(seq) from gavel.record_place where org = $1), -1)
		where (select count(*) from gavel.webhook where org = $1) < $9`
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if err := lockOrg(ctx, tx, actor.Org); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, insert, actor.Org, id, d.URL, d.Title, d.Kinds, d.Reason, actor.ID, now, MaxHooks)
		if err != nil {
			return err
		}
		if tag.RowsAffected() == 0 {
			return fault.New(fault.Conflict, "there are %d webhooks, which is as many as an organisation has", MaxHooks).
				WithNext("remove one that nobody needs")
		}
		if err := s.addSecret(ctx, tx, actor.Org, id, 1, secret, now); err != nil {
			return err
		}
		if err := record(ctx, tx, actor, id, now, map[string]string{"step": "registered", "host": hostOf(d.URL),
			"kinds": strings.Join(d.Kinds, " ")}); err != nil {
			return err
		}
		w, err = get(ctx, tx, actor.Org, id, now)
		return err
	})
	if err != nil {
		return Webhook{}, webhook.Secret{}, fmt.Errorf("register webhook: %w", err)
	}
	return w, secret, nil
}

// lockOrg has two who register at once do it one after the other, so that the
// bound holds.
func lockOrg(ctx context.Context, tx pgx.Tx, org identity.Org) error {
	_, err := tx.Exec(ctx, `select pg_advisory_xact_lock(hashtextextended('gavel webhook ' || $1, 0))`, org)
	return err
}

// Change writes a webhook anew: where it leads, what it is called, what it is told
// of. Version is the one that was read; another is Stale.
func (s *Store) Change(ctx context.Context, actor identity.Actor, id string, version int64, d Draft) (Webhook, error) {
	if err := s.Rules.May(actor, "webhook.change"); err != nil {
		return Webhook{}, err
	}
	d, err := s.check(ctx, d)
	if err != nil {
		return Webhook{}, err
	}
	return s.change(ctx, actor, id, func(tx pgx.Tx, w Webhook, now time.Time) (map[string]string, error) {
		if w.Version != version {
			return nil, fault.New(fault.Stale, "the webhook has changed since you read it")
		}
		const update = `update gavel.webhook set url = $3, title = $4, kinds = $5, reason = $6, changed_at = $7, version = version + 1
			where org = $1 and id = $2`
		_, err := tx.Exec(ctx, update, actor.Org, id, d.URL, d.Title, d.Kinds, d.Reason, now)
		return map[string]string{"step": "changed", "host": hostOf(d.URL), "kinds": strings.Join(d.Kinds, " ")}, err
	})
}

// Disable stops sending. What is on its way waits.
func (s *Store) Disable(ctx context.Context, actor identity.Actor, id, reason string) (Webhook, error) {
	if err := s.Rules.May(actor, "webhook.change"); err != nil {
		return Webhook{}, err
	}
	reason, err := checkText("the reason", reason, MaxReason)
	if err != nil {
		return Webhook{}, err
	}
	return s.change(ctx, actor, id, func(tx pgx.Tx, w Webhook, now time.Time) (map[string]string, error) {
		if w.State != On {
			return nil, fault.New(fault.Conflict, "the webhook is off already")
		}
		return map[string]string{"step": "disabled", "host": w.Host()}, setState(ctx, tx, actor.Org, id, Off, reason, now)
	})
}

func setState(ctx context.Context, tx pgx.Tx, org identity.Org, id string, to State, reason string, now time.Time) error {
	const update = `update gavel.webhook set state = $3, reason = $4, changed_at = $5, version = version + 1 where org = $1 and id = $2`
	_, err := tx.Exec(ctx, update, org, id, to, reason, now)
	return err
}

// Missed says what becomes of what happened while a webhook was off.
type Missed string

// What can become of it.
const (
	SkipMissed Missed = "skip" // it is not sent; GET /v1/events still has it
	SendMissed Missed = "send" // it is sent now, from where the webhook stopped, what was given up meanwhile excepted
)

// Enable sends again.
func (s *Store) Enable(ctx context.Context, actor identity.Actor, id, reason string, missed Missed) (Webhook, error) {
	if err := s.Rules.May(actor, "webhook.change"); err != nil {
		return Webhook{}, err
	}
	reason, err := checkText("the reason", reason, MaxReason)
	if err != nil {
		return Webhook{}, err
	}
	if missed != SkipMissed && missed != SendMissed {
		return Webhook{}, fault.New(fault.Invalid, "what was missed is sent or skipped, not %.20q", missed)
	}
	return s.change(ctx, actor, id, func(tx pgx.Tx, w Webhook, now time.Time) (map[string]string, error) {
		if w.State == On {
			return nil, fault.New(fault.Conflict, "the webhook is on already")
		}
		if err := s.catchUp(ctx, tx, actor.Org, id, missed, now); err != nil {
			return nil, err
		}
		return map[string]string{"step": "enabled", "host": w.Host(), "missed": string(missed)}, setState(ctx, tx, actor.Org, id, On,
			reason, now)
	})
}

// catchUp makes what waits due now, with all its tries before it; or lets go of it
// and of what lies in the log.
func (s *Store) catchUp(ctx context.Context, tx pgx.Tx, org identity.Org, id string, missed Missed, now time.Time) error {
	const (
		again = `update gavel.webhook_message set due_at = $3, tries = 0, first_at = null where org = $1 and webhook = $2
			and state = 'waiting'`
		drop = `update gavel.webhook_message set state = 'dropped', ended_at = $3 where org = $1 and webhook = $2 and state = 'waiting'`
		pass = `update gavel.webhook set place = greatest(place, coalesce((select max(seq) from gavel.record_place where org = $1), -1))
			where org = $1 and id = $2`
	)
	if missed == SendMissed {
		_, err := tx.Exec(ctx, again, org, id, now)
		return err
	}
	if _, err := tx.Exec(ctx, drop, org, id, now); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, pass, org, id)
	return err
}

// Remove takes a webhook away, with its secrets, its messages and what was answered
// to them. That it was there stays on record.
func (s *Store) Remove(ctx context.Context, actor identity.Actor, id string) error {
	if err := s.Rules.May(actor, "webhook.change"); err != nil {
		return err
	}
	if !hookForm.MatchString(id) {
		return noSuchHook(id)
	}
	err := s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		now := s.now()
		w, err := hold(ctx, tx, actor.Org, id, now)
		if err != nil {
			return err
		}
		if _, err := tx.Exec(ctx, `delete from gavel.webhook where org = $1 and id = $2`, actor.Org, id); err != nil {
			return err
		}
		return record(ctx, tx, actor, id, now, map[string]string{"step": "removed", "host": w.Host()})
	})
	if err != nil {
		return fmt.Errorf("remove webhook: %w", err)
	}
	return nil
}

// change locks a webhook, changes it, records that and reads it again.
func (s *Store) change(ctx context.Context, actor identity.Actor, id string,
	do func(pgx.Tx, Webhook, time.Time) (map[string]string, error)) (w Webhook, err error) {
	if !hookForm.MatchString(id) {
		return w, noSuchHook(id)
	}
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		now := s.now()
		if w, err = hold(ctx, tx, actor.Org, id, now); err != nil {
			return err
		}
		body, err := do(tx, w, now)
		if err != nil {
			return err
		}
		if err := record(ctx, tx, actor, id, now, body); err != nil {
			return err
		}
		w, err = get(ctx, tx, actor.Org, id, now)
		return err
	})
	if err != nil {
		return Webhook{}, fmt.Errorf("change webhook: %w", err)
	}
	return w, nil
}

// hold locks a webhook until the transaction ends, and reads it.
func hold(ctx context.Context, tx pgx.Tx, org identity.Org, id string, now time.Time) (Webhook, error) {
	tag, err := tx.Exec(ctx, `select 1 from gavel.webhook where org = $1 and id = $2 for update`, org, id)
	if err != nil {
		return Webhook{}, err
	}
	if tag.RowsAffected() == 0 {
		return Webhook{}, noSuchHook(id)
	}
	return get(ctx, tx, org, id, now)
}

// record says in the log what was done to a webhook. It holds the host and not the
// address, whose path may be a secret.
func record(ctx context.Context, tx pgx.Tx, actor identity.Actor, id string, now time.Time, body map[string]string) error {
	_, err := audit.Append(ctx, tx, audit.Record{At: now, Kind: Record, Actor: actor, Subject: id, Body: body})
	return err
}

func get(ctx context.Context, tx pgx.Tx, org identity.Org, id string, now time.Time) (Webhook, error) {
	rows, _ := tx.Query(ctx, columns+` where w.org = $1 and w.id = $3`, org, now, id)
	w, err := pgx.CollectOneRow(rows, pgx.RowToStructByPos[Webhook])
	if errors.Is(err, pgx.ErrNoRows) {
		return w, noSuchHook(id)
	}
	return w, err
}
