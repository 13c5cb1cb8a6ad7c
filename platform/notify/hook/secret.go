package hook

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/webhook"
)

// purpose binds a sealed secret to its webhook: put into another row it does not
// open.
func purpose(org identity.Org, id string) string { return "webhook/" + string(org) + "/" + id }

func (s *Store) addSecret(ctx context.Context, tx pgx.Tx, org identity.Org, id string, n int, secret webhook.Secret, now time.Time) error {
	sealed, err := s.Keys.SealText(purpose(org, id), secret.Reveal())
	if err != nil {
		return err
	}
	const insert = `insert into gavel.webhook_secret (org, webhook, n, sealed, made_at) values ($1, $2, $3, $4, $5)`
	_, err = tx.Exec(ctx, insert, org, id, n, sealed, now)
	return err
}

// Rotate makes a new secret, which is returned this once. The one before it signs
// beside it for window, at most webhook.RotationWindow, and nothing older does;
// with a window of zero the new one signs alone from now on, as after a leak.
func (s *Store) Rotate(ctx context.Context, actor identity.Actor, id string, window time.Duration,
	reason string) (w Webhook, secret webhook.Secret, err error) {
	if err := s.Rules.May(actor, "webhook.change"); err != nil {
		return w, secret, err
	}
	if reason, err = checkText("the reason", reason, MaxReason); err != nil {
		return w, secret, err
	}
	if window < 0 || window > webhook.RotationWindow {
		return w, secret, fault.New(fault.Invalid, "the secret before it signs for %s more at most", webhook.RotationWindow)
	}
	secret = webhook.NewSecret()
	w, err = s.change(ctx, actor, id, func(tx pgx.Tx, w Webhook, now time.Time) (map[string]string, error) {
		body := map[string]string{"step": "secret_changed", "host": w.Host(), "old_signs_until": now.Add(window).Format(time.RFC3339)}
		return body, s.rotate(ctx, tx, actor.Org, id, secret, reason, now, now.Add(window))
	})
	if err != nil {
		return Webhook{}, webhook.Secret{}, err
	}
	return w, secret, nil
}

func (s *Store) rotate(ctx context.Context, tx pgx.Tx, org identity.Org, id string, secret webhook.Secret, reason string, now,
	until time.Time) error {
	const (
		newest = `select max(n) from gavel.webhook_secret where org = $1 and webhook = $2`
		drop   = `delete from gavel.webhook_secret where org = $1 and webhook = $2 and (n < $3 or $4 <= $5)`
		end    = `update gavel.webhook_secret set until = $4 where org = $1 and webhook = $2 and n = $3`
		noted  = `update gavel.webhook set reason = $3, changed_at = $4, version = version + 1 where org = $1 and id = $2`
	)
	var n int
	if err := tx.QueryRow(ctx, newest, org, id).Scan(&n); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, drop, org, id, n, until, now); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, end, org, id, n, until); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, noted, org, id, reason, now); err != nil {
		return err
	}
	return s.addSecret(ctx, tx, org, id, n+1, secret, now)
}

// errUnsealed is that a secret was sealed with a key that is not here any more.
var errUnsealed = errors.New("a secret of the webhook does not open")

// keys opens the secrets that sign for a webhook now, the newest first.
func (s *Store) keys(ctx context.Context, org identity.Org, id string) (keys webhook.Keys, err error) {
	const live = `select sealed from gavel.webhook_secret where org = $1 and webhook = $2 and (until is null or until > $3) order by n desc`
	var sealed []string
	err = s.DB.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, live, org, id, s.now())
		sealed, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("secrets of webhook %s: %w", id, err)
	}
	for _, one := range sealed {
		text, err := s.Keys.OpenText(purpose(org, id), one)
		if err != nil {
			return nil, errUnsealed
		}
		secret, err := webhook.ParseSecret(text)
		if err != nil {
			return nil, err
		}
		keys = append(keys, webhook.Key{Secret: secret})
	}
	return keys, nil
}
