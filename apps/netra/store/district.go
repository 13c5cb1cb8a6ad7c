package store

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/gazette"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// recordDistricts is the kind of the records of imported districts in the log.
const recordDistricts log.Kind = "netra_districts"

// ImportDistricts adds districts, and changes those that are there under the same code and first day. It answers how many the
// organisation knows then.
func (s *Store) ImportDistricts(ctx context.Context, actor identity.Actor, all []gazette.Entry) (known int, err error) {
	if err := s.rules.May(actor, ActDistrict); err != nil {
		return 0, err
	}
	const write = `insert into netra.district (org, lgd, name, state, valid_from, valid_to, tags, reviewed_by, reviewed_on, changed_by,
		changed_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (org, lgd, valid_from) do update set name = excluded.name,
		state = excluded.state, valid_to = excluded.valid_to, tags = excluded.tags, reviewed_by = excluded.reviewed_by,
		reviewed_on = excluded.reviewed_on, changed_by = excluded.changed_by, changed_at = excluded.changed_at`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		var batch pgx.Batch
		for _, e := range all {
			tags := make([]string, len(e.Tags))
			for i, t := range e.Tags {
				tags[i] = string(t)
			}
			batch.Queue(write, actor.Org, e.LGD, e.Name, e.State, date(e.From), date(e.To), tags, e.ReviewedBy, date(e.ReviewedOn),
				actor.ID, s.Now())
		}
		if err := tx.SendBatch(ctx, &batch).Close(); err != nil {
			return err
		}
		now, err := districts(ctx, tx)
		if err != nil {
			return err
		}
		if _, err := gazette.NewBook(now); err != nil { // with those that were there
			return err
		}
		known = len(now)
		_, err = log.Append(ctx, tx, log.Record{At: s.Now(), Kind: recordDistricts, App: Name, Actor: actor, Subject: Name,
			Body: map[string]any{"did": "imported", "districts": len(all)}})
		if err != nil {
			return err
		}
		return s.wakeWatch(ctx, tx, actor.Org)
	})
	return known, err
}

// date is a day as the table has it: without a zone, and null for none.
func date(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := t.Format(time.DateOnly)
	return &text
}

// Districts are those an organisation knows.
func (s *Store) Districts(ctx context.Context, actor identity.Actor) (all []gazette.Entry, err error) {
	if s.rules.May(actor, ActRead) != nil {
		if err := s.rules.May(actor, ActIngest); err != nil { // who brings signals in must know of which
			return nil, err
		}
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		all, err = districts(ctx, tx)
		return err
	})
	return all, err
}

func districts(ctx context.Context, tx pgx.Tx) (all []gazette.Entry, err error) {
	const read = `select lgd, name, state, valid_from, valid_to, tags, reviewed_by, reviewed_on from netra.district
		order by lgd, valid_from`
	var e gazette.Entry
	var from time.Time
	var to, reviewed *time.Time
	rows, _ := tx.Query(ctx, read)
	_, err = pgx.ForEachRow(rows, []any{&e.LGD, &e.Name, &e.State, &from, &to, &e.Tags, &e.ReviewedBy, &reviewed}, func() error {
		e.From, e.To, e.ReviewedOn = inIndia(&from), inIndia(to), inIndia(reviewed)
		all = append(all, e)
		e.Tags = nil
		return nil
	})
	return all, err
}

// inIndia is the beginning of a day there.
func inIndia(d *time.Time) time.Time {
	if d == nil {
		return time.Time{}
	}
	return time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, signal.India())
}

// Book is the districts an organisation knows, to be looked up. It is refused where there are none.
func (s *Store) Book(ctx context.Context, actor identity.Actor) (gazette.Book, error) {
	all, err := s.Districts(ctx, actor)
	return bookOf(all, err)
}

// BookIn is the districts of an organisation, within a transaction.
func BookIn(ctx context.Context, tx pgx.Tx) (gazette.Book, error) {
	all, err := districts(ctx, tx)
	return bookOf(all, err)
}

func bookOf(all []gazette.Entry, err error) (gazette.Book, error) {
	if err != nil {
		return gazette.Book{}, err
	}
	if len(all) == 0 {
		return gazette.Book{}, fault.New(fault.Conflict, "no district is known yet").WithNext("import them: gavel netra districts file.csv")
	}
	return gazette.NewBook(all)
}
