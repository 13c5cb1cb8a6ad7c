package store

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/rule/wording"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Bounds on what an agent asks the raw tables for one section.
const (
	MostQuestions = 20
	MostAnswer    = 128 << 10 // bytes of one answer
)

// Questions are those that an agent asked the raw tables, in their order.
func Questions(ctx context.Context, tx pgx.Tx, task string) ([]wording.Asked, error) {
	rows, _ := tx.Query(ctx, `select formulas, view, sha256, unit, answer from reportagent.question where task = $1 order by n`, task)
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (a wording.Asked, err error) {
		var answer []byte
		if err = row.Scan(&a.Formulas, &a.View.Name, &a.View.SHA256, &a.Unit, &answer); err == nil {
			err = json.Unmarshal(answer, &a.Answer)
		}
		return a, err
	})
}

// AddQuestion keeps a question and its answer, behind the others of its task.
func (s *Store) AddQuestion(ctx context.Context, tx pgx.Tx, org identity.Org, task string, n int, a wording.Asked) error {
	if n > MostQuestions {
		return fault.New(fault.Conflict, "at most %d questions are asked for one section", MostQuestions)
	}
	answer, err := json.Marshal(a.Answer)
	if err != nil {
		return fmt.Errorf("write the answer to question %d of %s: %w", n, task, err)
	}
	if len(answer) > MostAnswer {
		return fault.New(fault.TooLarge, "the answer has more than %d kB", MostAnswer>>10).WithNext("ask for fewer rows or columns")
	}
	const insert = `insert into reportagent.question (org, task, n, formulas, view, sha256, unit, answer, at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	_, err = tx.Exec(ctx, insert, org, task, n, a.Formulas, a.View.Name, a.View.SHA256, a.Unit, answer, s.Now())
	return err
}
