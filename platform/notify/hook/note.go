package hook

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// due is the message of a webhook that has waited longest, where one is due.
func (s *Store) due(ctx context.Context, org identity.Org, id string) (p parcel, found bool, err error) {
	const next = `
		select m.id, w.url, m.kind, m.subject, m.at, m.tries, m.attempts, m.asked_by
		from gavel.webhook_message m join gavel.webhook w on w.org = m.org and w.id = m.webhook
		where m.org = $1 and m.webhook = $2 and m.state = 'waiting' and m.due_at <= $3 and (w.state = 'on' or m.asked_by <> '')
		order by m.due_at, m.id limit 1`
	var all []parcel
	err = s.DB.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, next, org, id, s.now())
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[parcel])
		return err
	})
	if err != nil || len(all) == 0 {
		return parcel{}, false, err
	}
	return all[0], true, nil
}

// A verdict is what becomes of a message after a try.
type verdict struct {
	state  MessageState
	due    time.Time
	tries  int
	giveUp bool // its webhook took nothing for as long as we try, or wants no more
}

// judge says what becomes of a message. One that a person asked for is as it was
// before where it fails; delivered says whether an earlier try was taken.
func judge(p parcel, got outcome, delivered bool, now time.Time) verdict {
	if got.fault == "" {
		return verdict{state: Delivered, due: now, tries: p.Tries + 1}
	}
	v := verdict{state: GivenUp, due: now, tries: p.Tries}
	switch {
	case p.AskedBy != "" && delivered:
		v.state = Delivered
	case p.Kind == TestKind:
	case got.fault == FaultGone:
		v.giveUp = true
	default:
		if p.AskedBy == "" {
			v.tries++
		}
		pause, more := pauseAfter(max(v.tries, 1), p.ID)
		if more {
			v.state, v.due = Waiting, now.Add(max(pause, got.wait))
		}
		v.giveUp = !more && p.AskedBy == ""
	}
	return v
}

// note writes down what came of a try, and turns the webhook off where it is time.
func (s *Store) note(ctx context.Context, org identity.Org, id string, p parcel, got outcome) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer stop()
	err := s.DB.InOrg(ctx, org, func(tx pgx.Tx) error {
		now := s.now()
		there, delivered, err := s.mark(ctx, tx, org, id, got.fault == "", p.ID, now)
		if err != nil || !there {
			return err // it was removed meanwhile
		}
		v := judge(p, got, delivered, now)
		const update = `
			update gavel.webhook_message set state = $4, due_at = $5, tries = $6, attempts = $7, asked_by = '',
				first_at = coalesce(first_at, $8), ended_at = case when $4 = 'waiting' then null else $8 end
			where org = $1 and webhook = $2 and id = $3`
		if _, err := tx.Exec(ctx, update, org, id, p.ID, string(v.state), v.due, v.tries, p.Attempts+1, now); err != nil {
			return err
		}
		const insert = `insert into gavel.webhook_attempt (org, webhook, message, n, at, took_ms, status, fault, answer, by_id)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
		if _, err := tx.Exec(ctx, insert, org, id, p.ID, p.Attempts+1, now, max(0, got.took.Milliseconds()), got.status, got.fault,
			got.answer, p.AskedBy); err != nil {
			return err
		}
		if v.giveUp {
			return s.giveUp(ctx, tx, org, id, p.ID, got.fault, now)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("note what came of message %s: %w", p.ID, err)
	}
	return nil
}

// mark notes when the webhook last took something or did not, and reports whether
// the message is still there and was ever taken before.
func (s *Store) mark(ctx context.Context, tx pgx.Tx, org identity.Org, id string, ok bool, message string,
	now time.Time) (there, delivered bool, err error) {
	const webhook = `update gavel.webhook set last_ok_at = case when $3 then $4 else last_ok_at end, last_fail_at = case when $3
		then last_fail_at else $4 end where org = $1 and id = $2`
	if _, err := tx.Exec(ctx, webhook, org, id, ok, now); err != nil {
		return false, false, err
	}
	const before = `
		select count(*) > 0, coalesce(bool_or(exists (select from gavel.webhook_attempt a where a.org = m.org and a.webhook = m.webhook
		and a.message = m.id and a.fault = '')), false)
		from gavel.webhook_message m where m.org = $1 and m.webhook = $2 and m.id = $3`
	err = tx.QueryRow(ctx, before, org, id, message).Scan(&there, &delivered)
	return there, delivered, err
}

// giveUp turns a webhook off that took nothing since a message was first tried, or
// said that it wants no more. One that takes others and not this one stays on: the
// message stands on its page as given up.
func (s *Store) giveUp(ctx context.Context, tx pgx.Tx, org identity.Org, id, message, fault string, now time.Time) error {
	const dead = `
		update gavel.webhook w set state = 'failed', reason = $4, changed_at = $5, version = version + 1
		from gavel.webhook_message m
		where w.org = $1 and w.id = $2 and w.state = 'on' and m.org = w.org and m.webhook = w.id and m.id = $3
			and ($4 = 'gone' or w.last_ok_at is null or w.last_ok_at < m.first_at)
		returning w.title, w.url, w.owner_id, m.first_at`
	n := Notice{Org: org, Webhook: id, Fault: fault}
	rows, _ := tx.Query(ctx, dead, org, id, message, fault, now)
	type row struct {
		Title, URL, Owner string
		Since             time.Time
	}
	turned, err := pgx.CollectRows(rows, pgx.RowToStructByPos[row])
	if err != nil || len(turned) == 0 {
		return err
	}
	n.Title, n.Owner, n.Since, n.Host = turned[0].Title, turned[0].Owner, turned[0].Since, hostOf(turned[0].URL)
	body := map[string]string{"step": "given_up", "host": n.Host, "fault": fault, "message": message}
	if err := record(ctx, tx, identity.Gavel(org), id, now, body); err != nil {
		return err
	}
	if s.Tell == nil {
		return nil
	}
	return s.Tell(ctx, tx, n)
}
