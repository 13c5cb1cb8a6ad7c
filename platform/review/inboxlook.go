package review

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/identity"
)

// Counts says exactly how much is in an inbox, under a query's application and
// kind. What turned out to be a test is not counted as done.
type Counts struct {
	NeedsMe               int // the sum of the next three
	Overdue, Today, Later int
	Waiting, Snoozed      int
	Done                  int // since the beginning of the day
	Undoable              int // of those, whose act can still be undone
}

// A Look is a page of an inbox and how much is in all of it.
type Look struct {
	Page
	Counts Counts
}

// InboxLook reads a page of an inbox, as Inbox does, and counts all of it, as
// InboxCounts does: what a person sees who opens it. Both are of one moment and
// take one round trip.
func (s *Store) InboxLook(ctx context.Context, actor identity.Actor, q InboxQuery) (look Look, err error) {
	err = s.look(ctx, actor, q, func(k *keys, b *pgx.Batch) {
		b.Queue(k.page(), k.args).Query(func(rows pgx.Rows) (err error) {
			look.Items, err = pgx.CollectRows(rows, scanItem)
			s.turn(&look.Page, k)
			return err
		})
		look.Counts.queue(b, k)
	})
	return look, err
}

// InboxCounts counts what Inbox would list, whatever the query's view, group and
// page.
func (s *Store) InboxCounts(ctx context.Context, actor identity.Actor, q InboxQuery) (c Counts, err error) {
	q.View, q.Group, q.After = NeedsMe, "", ""
	err = s.look(ctx, actor, q, func(k *keys, b *pgx.Batch) { c.queue(b, k) })
	return c, err
}

// InboxNeeds counts what needs the actor, as far as most: for a number that every
// page shows, which must not cost what a long inbox does.
func (s *Store) InboxNeeds(ctx context.Context, actor identity.Actor, most int) (n int, err error) {
	err = s.look(ctx, actor, InboxQuery{}, func(k *keys, b *pgx.Batch) {
		k.args["most"] = most
		b.Queue(k.needs(), k.args).QueryRow(func(row pgx.Row) error { return row.Scan(&n) })
	})
	return n, err
}

// look asks an inbox several things in one transaction.
func (s *Store) look(ctx context.Context, actor identity.Actor, q InboxQuery, ask func(*keys, *pgx.Batch)) error {
	if err := s.rules.May(actor, actInbox); err != nil {
		return err
	}
	k, err := newKeys(actor, q, s.clock.Now())
	if err != nil {
		return err
	}
	k.reads = s.rules.May(actor, actRead) == nil
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if err := s.lookUp(ctx, tx, k); err != nil {
			return err
		}
		var b pgx.Batch
		ask(k, &b)
		return tx.SendBatch(ctx, &b).Close()
	})
	if err != nil {
		return fmt.Errorf("look at the inbox: %w", err)
	}
	return nil
}

// A Statement is what the database is asked, with its arguments.
type Statement struct {
	SQL  string
	Args []any
}

// InboxStatements are what InboxLook asks the database, in order: what is delegated
// to the actor, the page, the counts. They are for who measures them or looks at
// their plans.
func (s *Store) InboxStatements(ctx context.Context, actor identity.Actor, q InboxQuery) ([]Statement, error) {
	var all []Statement
	err := s.look(ctx, actor, q, func(k *keys, _ *pgx.Batch) {
		all = []Statement{{delegationsInForce, []any{string(k.org), k.me, k.now}}, {k.page(), []any{k.args}}, {k.count(), []any{k.args}}}
	})
	return all, err
}

// queue adds the counting to a batch.
func (c *Counts) queue(b *pgx.Batch, k *keys) {
	b.Queue(k.count(), k.args).QueryRow(func(row pgx.Row) error {
		err := row.Scan(&c.Overdue, &c.Today, &c.Later, &c.Waiting, &c.Snoozed, &c.Done, &c.Undoable)
		c.NeedsMe = c.Overdue + c.Today + c.Later
		return err
	})
}

// groupOf is the part of NeedsMe that a date is in.
func (k *keys) groupOf(due time.Time) Group {
	switch {
	case due.IsZero() || !due.Before(k.q.EndOfDay) && due.After(k.now):
		return Later
	case due.After(k.now):
		return Today
	}
	return Overdue
}
