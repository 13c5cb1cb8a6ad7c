package hook

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// mostAsked is how many messages that people asked for wait for one webhook.
const mostAsked = 20

// Test queues a message that is about nothing, signed as every other. It is tried
// once, also while the webhook is off.
func (s *Store) Test(ctx context.Context, actor identity.Actor, id string) (Message, error) {
	return s.ask(ctx, actor, id, func(tx pgx.Tx) (string, string, error) {
		now := s.now()
		message := newID("msg_", now)
		const insert = `insert into gavel.webhook_message (org, webhook, id, kind, subject, at, queued_at, due_at, asked_by)
			values ($1, $2, $3, $4, $2, $5, $5, $5, $6)`
		_, err := tx.Exec(ctx, insert, actor.Org, id, message, TestKind, now, actor.ID)
		return message, "tested", err
	})
}

// Resend tries a message once more, now, under the same id, also while the webhook
// is off. Where that fails the message is as it was before.
func (s *Store) Resend(ctx context.Context, actor identity.Actor, id, message string) (Message, error) {
	if !messageForm.MatchString(message) {
		return Message{}, noSuchMessage(message)
	}
	return s.ask(ctx, actor, id, func(tx pgx.Tx) (string, string, error) {
		m, err := readMessage(ctx, tx, actor.Org, id, message)
		if err != nil {
			return "", "", err
		}
		if m.Attempts >= MaxAttempts {
			return "", "", fault.New(fault.Conflict, "the message was tried %d times, which is as often as one is", m.Attempts)
		}
		const again = `update gavel.webhook_message set state = 'waiting', due_at = $4, asked_by = $5, ended_at = null where org = $1
			and webhook = $2 and id = $3`
		_, err = tx.Exec(ctx, again, actor.Org, id, message, s.now(), actor.ID)
		return message, "resent", err
	})
}

// ask queues something that a person wants sent, and records who did.
func (s *Store) ask(ctx context.Context, actor identity.Actor, id string,
	queue func(pgx.Tx) (message, step string, err error)) (m Message, err error) {
	if err := s.Rules.May(actor, "webhook.change"); err != nil {
		return m, err
	}
	if !hookForm.MatchString(id) {
		return m, noSuchHook(id)
	}
	const asked = `select count(*) from gavel.webhook_message where org = $1 and webhook = $2 and state = 'waiting' and asked_by <> ''`
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		now := s.now()
		w, err := hold(ctx, tx, actor.Org, id, now)
		if err != nil {
			return err
		}
		var n int
		if err := tx.QueryRow(ctx, asked, actor.Org, id).Scan(&n); err != nil {
			return err
		}
		if n >= mostAsked {
			return fault.New(fault.TooMany, "%d messages that people asked for wait to be sent", n).WithNext("wait until they are")
		}
		message, step, err := queue(tx)
		if err != nil {
			return err
		}
		if err := record(ctx, tx, actor, id, now, map[string]string{"step": step, "host": w.Host(), "message": message}); err != nil {
			return err
		}
		m, err = readMessage(ctx, tx, actor.Org, id, message)
		return err
	})
	if err != nil {
		return Message{}, fmt.Errorf("ask for a message to webhook %s: %w", id, err)
	}
	return m, nil
}
