package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Unsent is what somebody typed into a section and has not sent.
type Unsent struct {
	Rev  int    // counts the savings; 0: nothing is saved
	Was  string // hash of the text that it is to replace
	Text string
	At   time.Time
}

// SaveUnsent keeps what somebody typed, in the place of what they were shown last: Rev is the number of that, 0 for none. What another
// window of theirs saved meanwhile stays.
func (s *Store) SaveUnsent(ctx context.Context, actor identity.Actor, report, section string, u Unsent) (Unsent, error) {
	if err := s.rules.May(actor, ActWrite); err != nil {
		return u, err
	}
	u.At = s.Now()
	const save = `insert into reportagent.unsent (org, report, section, author, rev, was, body, saved_at) values ($1, $2, $3, $4, 1, $5, $6, $7)
		on conflict (org, report, section, author) do update set rev = unsent.rev + 1, was = excluded.was, body = excluded.body,
			saved_at = excluded.saved_at where unsent.rev = $8 returning rev`
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := ReportIn(ctx, tx, report); err != nil {
			return err
		}
		err := tx.QueryRow(ctx, save, actor.Org, report, section, actor.ID, u.Was, u.Text, u.At, u.Rev).Scan(&u.Rev)
		if errors.Is(err, pgx.ErrNoRows) {
			err = fault.New(fault.Stale, "another window of yours saved other words of section %.80q", section).
				WithNext("open the page again").Because("report_unsent_elsewhere", "section", section)
		}
		return err
	})
	return u, err
}

// DropUnsent throws away what somebody typed into a section.
func DropUnsent(ctx context.Context, tx pgx.Tx, report, section, author string) error {
	_, err := tx.Exec(ctx, `delete from reportagent.unsent where report = $1 and section = $2 and author = $3`, report, section, author)
	return err
}

// Discard is DropUnsent for who typed it.
func (s *Store) Discard(ctx context.Context, actor identity.Actor, report, section string) error {
	if err := s.rules.May(actor, ActWrite); err != nil {
		return err
	}
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return DropUnsent(ctx, tx, report, section, actor.ID) })
}

// unsentOf is what somebody typed into a section; the zero Unsent where they did not.
func unsentOf(ctx context.Context, tx pgx.Tx, report, section, author string) (Unsent, error) {
	const one = `select rev, was, body, saved_at from reportagent.unsent where report = $1 and section = $2 and author = $3`
	rows, _ := tx.Query(ctx, one, report, section, author)
	u, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Unsent])
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return u, err
}

// MarkRead notes that somebody has read a section up to a version, which must be there. It never goes back.
func (s *Store) MarkRead(ctx context.Context, actor identity.Actor, report, section string, version int) error {
	if err := s.rules.May(actor, ActMark); err != nil {
		return err
	}
	const mark = `insert into reportagent.reading (org, report, section, reader, version, at)
		select $1, v.report, v.section, $4, v.n, $6 from reportagent.version v where v.report = $2 and v.section = $3 and v.n = $5
		on conflict (org, report, section, reader) do update set version = excluded.version, at = excluded.at
			where reading.version < excluded.version`
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, mark, actor.Org, report, section, actor.ID, version, s.Now())
		return err
	})
}

// Readings are up to which version somebody has read each section of a report. Sections that they have not marked are not there.
func (s *Store) Readings(ctx context.Context, actor identity.Actor, report string) (map[string]int, error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	out := map[string]int{}
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, `select section, version from reportagent.reading where report = $1 and reader = $2`, report, actor.ID)
		var section string
		var version int
		_, err := pgx.ForEachRow(rows, []any{&section, &version}, func() error { out[section] = version; return nil })
		return err
	})
	return out, err
}
