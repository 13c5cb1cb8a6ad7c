package concern

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// The kinds of entry this package adds to cases.
const (
	EntryObjection = "objection"
	EntryAnswer    = "objection_answered"
)

const objectionColumns = `select id, link, case_id, case when erased_at is null then body else '` + casefile.ErasedText + `' end, at,
	case when erased_at is null or answered_at is null then answer else '` + casefile.ErasedText + `' end, answered_at, answered_by, erased_at
	from gavel.objection `

func objections(ctx context.Context, tx pgx.Tx, where string, args ...any) ([]Objection, error) {
	rows, _ := tx.Query(ctx, objectionColumns+where, args...)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Objection])
}

// Object takes an objection over a link: a row, an entry of the case, a record. A
// link bears one at a time; a second before the first is answered is a Conflict.
// Where the case is closed it opens a case of its own, which then hears it.
func (s *Store) Object(ctx context.Context, ref, token, text string) (o Objection, err error) {
	text, err = checkText("the objection", text)
	if err != nil {
		return Objection{}, err
	}
	v, err := s.Open(ctx, ref, token)
	if err != nil {
		return Objection{}, err
	}
	who, at := Person(v.Org, v.Link.ID), s.now()
	o = Objection{ID: newID("obj_", at), Link: v.Link.ID, Text: text, At: at}
	about, err := s.cases.Subjects(ctx, v.Org, v.Link.Case)
	if err != nil {
		return Objection{}, err
	}
	err = s.db.InOrg(ctx, v.Org, func(tx pgx.Tx) error {
		hears, err := casefile.Lock(ctx, tx, v.Link.Case)
		if err == nil && hears.State == casefile.Closed {
			hears, _, err = s.cases.OpenIn(ctx, tx, who, casefile.Opening{App: casefile.General().App, Key: "objection-" + o.ID,
				Title: "Objection to " + v.Case.Ref, Subjects: about})
		}
		if err != nil {
			return err
		}
		o.Case = hears.ID
		const insert = `insert into gavel.objection (org, id, link, case_id, body, at) values ($1, $2, $3, $4, $5, $6)`
		if _, err := tx.Exec(ctx, insert, v.Org, o.ID, o.Link, o.Case, o.Text, at); err != nil {
			return err
		}
		if err := enter(ctx, tx, hears, who, EntryObjection, o.ID, text, at); err != nil {
			return err
		}
		return record(ctx, tx, RecordObjection, who, at, string(v.Link.Case), map[string]any{"event": "made", "objection": o.ID,
			"link": o.Link, "heard_in": string(o.Case)})
	})
	if postgres.Violates(err, "objection_one_at_a_time") {
		return Objection{}, fault.New(fault.Conflict, "what you sent before is not answered yet").
			WithNext("wait for the answer, which will stand on this page").Because("objection_waits")
	}
	if err != nil {
		return Objection{}, fmt.Errorf("take an objection: %w", err)
	}
	return o, nil
}

// enter adds what was said to the history of a case that is not closed.
func enter(ctx context.Context, tx pgx.Tx, c casefile.Case, who identity.Actor, kind, id, text string, at time.Time) error {
	locked, err := casefile.Lock(ctx, tx, c.ID)
	if err != nil || locked.State == casefile.Closed {
		return err
	}
	_, _, err = casefile.Apply(ctx, tx, c.ID, casefile.Change{Key: kind + ":" + id, WaitingFor: locked.WaitingFor,
		Entry: casefile.Entry{Kind: kind, At: at, ActorKind: who.Kind, ActorID: who.ID, ActorName: who.Name, Text: text}})
	return err
}

// Answer tells the person what came of their objection. It is given once.
func (s *Store) Answer(ctx context.Context, actor identity.Actor, id casefile.CaseID, objection, text string) error {
	if err := s.rules.May(actor, act); err != nil {
		return err
	}
	text, err := checkText("the answer", text)
	if err != nil {
		return err
	}
	at := s.now()
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		hears, err := casefile.Lock(ctx, tx, id)
		if err != nil {
			return err
		}
		found, err := objections(ctx, tx, `where id = $1 and case_id = $2 for update`, objection, id)
		switch {
		case err != nil:
			return err
		case len(found) == 0:
			return fault.New(fault.NotFound, "the case has no such objection").Because("no_objection")
		case found[0].ErasedAt != nil || found[0].AnsweredAt != nil:
			return fault.New(fault.Conflict, "it was answered already, or erased").Because("objection_answered")
		}
		const update = `update gavel.objection set answer = $2, answered_at = $3, answered_by = $4 where id = $1`
		if _, err := tx.Exec(ctx, update, objection, text, at, actor.ID); err != nil {
			return err
		}
		if err := enter(ctx, tx, hears, actor, EntryAnswer, objection, text, at); err != nil {
			return err
		}
		return record(ctx, tx, RecordObjection, actor, at, string(id), map[string]any{"event": "answered", "objection": objection})
	})
	if err != nil {
		return fmt.Errorf("answer %.40s: %w", objection, err)
	}
	return nil
}

// Objections lists what was objected to a case and what it hears, the oldest
// first, for readers of cases. An objection to a closed case is heard in another.
func (s *Store) Objections(ctx context.Context, actor identity.Actor, id casefile.CaseID) (all []Objection, err error) {
	if err := s.rules.May(actor, "case.read"); err != nil {
		return nil, err
	}
	const of = `where case_id = $1 or link in (select l.id from gavel.concern_link l where l.case_id = $1) order by id limit $2`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		all, err = objections(ctx, tx, of, id, MostListed)
		return err
	})
	if err != nil && !errors.Is(err, context.Canceled) {
		return nil, fmt.Errorf("list objections to %s: %w", id, err)
	}
	return all, err
}

// Waiting says of which of some cases the person concerned has objected and waits
// for an answer, for readers of cases: in the case itself, or in the one that hears
// objections to it.
func (s *Store) Waiting(ctx context.Context, actor identity.Actor, ids ...casefile.CaseID) (map[casefile.CaseID]bool, error) {
	if err := s.rules.May(actor, "case.read"); err != nil {
		return nil, err
	}
	const most = 200
	if len(ids) > most {
		return nil, fault.New(fault.TooLarge, "at most %d cases are asked about at once, not %d", most, len(ids))
	}
	var waiting map[casefile.CaseID]bool
	err := s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) (err error) {
		waiting, err = waitingIn(ctx, tx, ids...)
		return err
	})
	return waiting, err
}

// Since is when the oldest objection to a case came that waits for an answer; zero where
// none does.
func (s *Store) Since(ctx context.Context, actor identity.Actor, id casefile.CaseID) (at time.Time, err error) {
	if err := s.rules.May(actor, "case.read"); err != nil {
		return at, err
	}
	const oldest = `select min(o.at) from gavel.objection o where o.answered_at is null and o.erased_at is null
		and (o.case_id = $1 or o.link in (select l.id from gavel.concern_link l where l.case_id = $1))`
	var found *time.Time
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return tx.QueryRow(ctx, oldest, id).Scan(&found) })
	if err != nil {
		return at, fmt.Errorf("since when an objection to %s waits: %w", id, err)
	}
	if found != nil {
		at = found.UTC()
	}
	return at, nil
}

// Objected reports whether somebody has objected to a case and waits for an answer, in
// a transaction that acts for its organisation.
func Objected(ctx context.Context, tx pgx.Tx, id casefile.CaseID) (bool, error) {
	waiting, err := waitingIn(ctx, tx, id)
	return waiting[id], err
}

func waitingIn(ctx context.Context, tx pgx.Tx, ids ...casefile.CaseID) (map[casefile.CaseID]bool, error) {
	const of = `select c.id from unnest($1::text[]) c(id) where
		exists (select from gavel.objection o where o.case_id = c.id and o.answered_at is null and o.erased_at is null) or
		exists (select from gavel.concern_link l join gavel.objection o on o.link = l.id where l.case_id = c.id and o.answered_at is null
		and o.erased_at is null)`
	waiting := map[casefile.CaseID]bool{}
	rows, _ := tx.Query(ctx, of, ids)
	var id casefile.CaseID
	_, err := pgx.ForEachRow(rows, []any{&id}, func() error {
		waiting[id] = true
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("which objections wait: %w", err)
	}
	return waiting, nil
}

// MostUnanswered is how many objections without an answer are listed.
const MostUnanswered = 5

// A Pending is a case that hears an objection nobody has answered.
type Pending struct {
	Case  casefile.Case
	Since time.Time
}

// Unanswered lists what waits longest for an answer, up to MostUnanswered, and says
// how much waits in all. It is for who answers.
func (s *Store) Unanswered(ctx context.Context, actor identity.Actor) (oldest []Pending, all int, err error) {
	if err := s.rules.May(actor, act); err != nil {
		return nil, 0, err
	}
	const open = `select case_id, at, count(*) over () from gavel.objection where answered_at is null and erased_at is null order by at, id
		limit $1`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, open, MostUnanswered)
		var one Pending
		_, err := pgx.ForEachRow(rows, []any{&one.Case.ID, &one.Since, &all}, func() error {
			oldest = append(oldest, one)
			return nil
		})
		return err
	})
	if err != nil {
		return nil, 0, fmt.Errorf("list objections that wait: %w", err)
	}
	ids := make([]casefile.CaseID, len(oldest))
	for i, one := range oldest {
		ids[i] = one.Case.ID
	}
	cases, err := s.cases.Some(ctx, actor.Org, ids)
	for i := range oldest {
		oldest[i].Case = cases[ids[i]]
	}
	return oldest, all, err
}
