package hook

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// columns reads webhooks as RowToStructByPos wants them; $2 is now.
const columns = `
	select w.id, w.url, w.title, w.kinds, w.state, w.reason, w.owner_id, w.made_at, w.changed_at, w.version, w.last_ok_at, w.last_fail_at,
		(select count(*) from gavel.webhook_message m where m.org = w.org and m.webhook = w.id and m.state = 'waiting'),
		(select count(*) from gavel.webhook_message m where m.org = w.org and m.webhook = w.id and m.state = 'failed'),
		(select max(s.until) from gavel.webhook_secret s where s.org = w.org and s.webhook = w.id and s.until > $2)
	from gavel.webhook w`

// List lists an organisation's webhooks, the oldest first. There are MaxHooks at
// most.
func (s *Store) List(ctx context.Context, actor identity.Actor) (all []Webhook, err error) {
	if err := s.Rules.May(actor, "webhook.read"); err != nil {
		return nil, err
	}
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, columns+` where w.org = $1 order by w.id`, actor.Org, s.now())
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Webhook])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list webhooks: %w", err)
	}
	return all, nil
}

// Get reads a webhook.
func (s *Store) Get(ctx context.Context, actor identity.Actor, id string) (w Webhook, err error) {
	if err := s.Rules.May(actor, "webhook.read"); err != nil {
		return w, err
	}
	if !hookForm.MatchString(id) {
		return w, noSuchHook(id)
	}
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		w, err = get(ctx, tx, actor.Org, id, s.now())
		return err
	})
	return w, err
}

const messageColumns = `
	select m.id, m.kind, m.subject, m.at, m.queued_at, m.due_at, m.state, m.attempts, m.ended_at, coalesce(l.status, 0),
	coalesce(l.fault, '')
	from gavel.webhook_message m left join gavel.webhook_attempt l
		on l.org = m.org and l.webhook = m.webhook and l.message = m.id and l.n = m.attempts`

// Messages lists what was sent to a webhook, or is to be, the newest first: those
// before the given one, or the newest where that is empty. An empty state lists all.
// next is where the following page begins, empty on the last.
func (s *Store) Messages(ctx context.Context, actor identity.Actor, id string, state MessageState, before string,
	limit int) (page []Message, next string, err error) {
	if _, err := s.Get(ctx, actor, id); err != nil {
		return nil, "", err
	}
	switch {
	case limit < 1 || limit > MaxPage:
		return nil, "", fault.New(fault.Invalid, "a page has 1 to %d messages, not %d", MaxPage, limit)
	case before != "" && !messageForm.MatchString(before):
		return nil, "", fault.New(fault.Invalid, "the list has no page that begins after %.60q", before)
	}
	const list = messageColumns + ` where m.org = $1 and m.webhook = $2 and ($3 = '' or m.state = $3)
			and ($4 = '' or (m.queued_at, m.id) < (select b.queued_at, b.id from gavel.webhook_message b where b.org = $1 and b.webhook = $2
			and b.id = $4))
		order by m.queued_at desc, m.id desc limit $5`
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, list, actor.Org, id, string(state), before, limit+1)
		page, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Message])
		return err
	})
	if err != nil {
		return nil, "", fmt.Errorf("messages of webhook %s: %w", id, err)
	}
	if len(page) > limit {
		page, next = page[:limit], page[limit-1].ID
	}
	return page, next, nil
}

// Message reads one message with every try, the first try first.
func (s *Store) Message(ctx context.Context, actor identity.Actor, id, message string) (m Message, tries []Attempt, err error) {
	if _, err := s.Get(ctx, actor, id); err != nil {
		return m, nil, err
	}
	if !messageForm.MatchString(message) {
		return m, nil, noSuchMessage(message)
	}
	const all = `select n, at, took_ms * interval '1 millisecond', status, fault, answer, by_id from gavel.webhook_attempt
		where org = $1 and webhook = $2 and message = $3 order by n`
	err = s.DB.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if m, err = readMessage(ctx, tx, actor.Org, id, message); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, all, actor.Org, id, message)
		tries, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Attempt])
		return err
	})
	return m, tries, err
}

// readMessage reads a message in a transaction.
func readMessage(ctx context.Context, tx pgx.Tx, org identity.Org, id, message string) (Message, error) {
	rows, _ := tx.Query(ctx, messageColumns+` where m.org = $1 and m.webhook = $2 and m.id = $3`, org, id, message)
	found, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Message])
	if err == nil && len(found) == 0 {
		err = noSuchMessage(message)
	}
	if err != nil {
		return Message{}, err
	}
	return found[0], nil
}
