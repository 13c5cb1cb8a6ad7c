package store

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// A Check is what every text of a section has to mention: a note that was made one.
type Check struct {
	N       int
	Section string
	Phrase  string
	Note    int
	By      string
	At      time.Time
}

// Checks are those of a report that hold.
func Checks(ctx context.Context, tx pgx.Tx, report string) ([]Check, error) {
	const holding = `select n, section, phrase, note, made_by, made_at from reportagent.standing where report = $1 and ended_at is null order by n`
	rows, _ := tx.Query(ctx, holding, report)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Check])
}

// The bounds of what has to be mentioned, in characters.
const (
	leastPhrase = 2
	mostPhrase  = 200
)

// AddCheck makes a note a standing check.
func (s *Store) AddCheck(ctx context.Context, actor identity.Actor, report string, c Check) error {
	if err := s.rules.May(actor, ActReview); err != nil {
		return err
	}
	c.Phrase = strings.Join(strings.Fields(c.Phrase), " ")
	if n := utf8.RuneCountInString(c.Phrase); n < leastPhrase || n > mostPhrase {
		return fault.New(fault.Invalid, "say in 2 to 200 characters what has to be mentioned").Because("report_check_phrase")
	}
	const insert = `insert into reportagent.standing (org, report, n, section, phrase, note, made_by, made_at)
		select $1, $2, 1 + coalesce((select max(n) from reportagent.standing where report = $2), 0), o.section, $5, o.n, $6, $7
		from reportagent.note o where o.report = $2 and o.section = $3 and o.n = $4`
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := LockReport(ctx, tx, report); err != nil {
			return err
		}
		tag, err := tx.Exec(ctx, insert, actor.Org, report, c.Section, c.Note, c.Phrase, actor.ID, s.Now())
		if err == nil && tag.RowsAffected() == 0 {
			err = fault.New(fault.Conflict, "there is no such note").WithNext("read the section again").Because("report_note_state")
		}
		return err
	})
}

// EndCheck ends a standing check.
func (s *Store) EndCheck(ctx context.Context, actor identity.Actor, report, section string, n int) error {
	if err := s.rules.May(actor, ActReview); err != nil {
		return err
	}
	const end = `update reportagent.standing set ended_by = $4, ended_at = $5 where report = $1 and section = $2 and n = $3 and ended_at is null`
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		tag, err := tx.Exec(ctx, end, report, section, n, actor.ID, s.Now())
		if err == nil && tag.RowsAffected() == 0 {
			err = fault.New(fault.Conflict, "there is no such check").WithNext("read the section again").Because("report_note_state")
		}
		return err
	})
}
