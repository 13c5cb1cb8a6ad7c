package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/rule/wording"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// DoingWords is what a drafting is at while an agent words sections.
const DoingWords = "wording"

// A WordingState says how far the wording of a section is.
type WordingState string

// The states.
const (
	WordingWaits WordingState = "waiting"
	WordingAt    WordingState = "at"
	WordingDone  WordingState = "done"
)

// What became of a wording, in a word.
const (
	BecameWorded  = "worded"    // everything it wrote holds
	BecameMarked  = "marked"    // sentences were dropped, and marks stand for them
	BecameNothing = "nothing"   // nothing of it holds, or it wrote nothing: the templates' text stays
	BecameStale   = "stale"     // somebody wrote in the section meanwhile
	BecameCalled  = "cancelled" // the drafting was called off
)

// A Wording is a section that an agent words.
type Wording struct {
	Task    string
	Report  string
	Section string
	Job     string
	Place   int
	Charts  []string
	Below   []string
	Dataset int
	Basis   map[string]int // by section below, and for the section itself: the version it is worded from
	State   WordingState
	Became  string
}

const wordingColumns = `task, report, section, job, place, charts, below, dataset, basis, state, became`

func scanWording(row pgx.CollectableRow) (w Wording, err error) {
	var basis []byte
	err = row.Scan(&w.Task, &w.Report, &w.Section, &w.Job, &w.Place, &w.Charts, &w.Below, &w.Dataset, &basis, &w.State, &w.Became)
	if err == nil && basis != nil {
		err = json.Unmarshal(basis, &w.Basis)
	}
	return w, err
}

// AddWording notes that a section is to be worded, once for each drafting.
func AddWording(ctx context.Context, tx pgx.Tx, org identity.Org, w Wording) error {
	const insert = `insert into reportagent.wording (org, task, report, section, job, place, charts, below, dataset)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict do nothing`
	_, err := tx.Exec(ctx, insert, org, w.Task, w.Report, w.Section, w.Job, w.Place, w.Charts, w.Below, w.Dataset)
	return err
}

// Wordings are those of a report that are not done, in their order.
func Wordings(ctx context.Context, tx pgx.Tx, report string) ([]Wording, error) {
	rows, _ := tx.Query(ctx, `select `+wordingColumns+` from reportagent.wording where report = $1 and state <> 'done' order by job, place`,
		report)
	return pgx.CollectRows(rows, scanWording)
}

// WordingsOf counts the wordings of a drafting, and those that are done.
func WordingsOf(ctx context.Context, tx pgx.Tx, id string) (all, done int, err error) {
	const count = `select count(*), count(*) filter (where state = 'done') from reportagent.wording where job = $1`
	err = tx.QueryRow(ctx, count, id).Scan(&all, &done)
	return all, done, err
}

// WordingBy is the wording that a task is about.
func WordingBy(ctx context.Context, tx pgx.Tx, task string) (Wording, error) {
	rows, _ := tx.Query(ctx, `select `+wordingColumns+` from reportagent.wording where task = $1`, task)
	w, err := pgx.CollectExactlyOneRow(rows, scanWording)
	if errors.Is(err, pgx.ErrNoRows) {
		err = fault.New(fault.NotFound, "task %.80q words no section", task)
	}
	return w, err
}

// BeginWording fixes what a section is worded from.
func BeginWording(ctx context.Context, tx pgx.Tx, task string, basis map[string]int) error {
	text, err := json.Marshal(basis)
	if err != nil {
		return fmt.Errorf("write the basis of %s: %w", task, err)
	}
	_, err = tx.Exec(ctx, `update reportagent.wording set state = 'at', basis = $2 where task = $1 and state = 'waiting'`, task, text)
	return err
}

// EndWording notes what became of one; ended is false where it was done before.
func EndWording(ctx context.Context, tx pgx.Tx, task, became string, at time.Time) (ended bool, err error) {
	const end = `update reportagent.wording set state = 'done', became = $2, ended_at = $3 where task = $1 and state <> 'done'`
	tag, err := tx.Exec(ctx, end, task, became, at)
	return tag.RowsAffected() == 1, err
}

// Formulas are the numbers that an agent asked for, in their order.
func Formulas(ctx context.Context, tx pgx.Tx, task string) (all []wording.Formula, err error) {
	rows, _ := tx.Query(ctx, `select op, facts from reportagent.formula where task = $1 order by n`, task)
	for rows.Next() {
		var op string
		var facts []string
		if err := rows.Scan(&op, &facts); err != nil {
			return nil, err
		}
		f := wording.Formula{Op: fact.Op(op)}
		for _, id := range facts {
			f.Facts = append(f.Facts, fact.ID(id))
		}
		all = append(all, f)
	}
	return all, rows.Err()
}

// MostFormulas is how many numbers an agent may ask for in one section.
const MostFormulas = 200

// AddFormula notes a number that an agent asked for, behind the others of its task.
func AddFormula(ctx context.Context, tx pgx.Tx, org identity.Org, task string, n int, f wording.Formula) error {
	if n > MostFormulas {
		return fault.New(fault.Conflict, "at most %d numbers are computed for one section", MostFormulas)
	}
	facts := make([]string, len(f.Facts))
	for i, id := range f.Facts {
		facts[i] = string(id)
	}
	_, err := tx.Exec(ctx, `insert into reportagent.formula (org, task, n, op, facts) values ($1, $2, $3, $4, $5)`, org, task, n, f.Op,
		facts)
	return err
}

// An Attempt is what an agent wrote.
type Attempt struct {
	N        int
	Body     string
	Findings int
	At       time.Time
}

// Attempts are those of a task, the first first.
func Attempts(ctx context.Context, tx pgx.Tx, task string) ([]Attempt, error) {
	rows, _ := tx.Query(ctx, `select n, body, findings, at from reportagent.attempt where task = $1 order by n`, task)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Attempt])
}

// AddAttempt keeps what an agent wrote.
func AddAttempt(ctx context.Context, tx pgx.Tx, org identity.Org, task string, a Attempt) error {
	_, err := tx.Exec(ctx, `insert into reportagent.attempt (org, task, n, body, findings, at) values ($1, $2, $3, $4, $5, $6)`, org, task,
		a.N, a.Body, a.Findings, a.At)
	return err
}

// VersionN is a version of a section.
func VersionN(ctx context.Context, tx pgx.Tx, report, section string, n int) (Version, error) {
	const one = `select ` + versionColumns + ` from reportagent.version where report = $1 and section = $2 and n = $3`
	rows, _ := tx.Query(ctx, one, report, section, n)
	return pgx.CollectExactlyOneRow(rows, scanVersion)
}
