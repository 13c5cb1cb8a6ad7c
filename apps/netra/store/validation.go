package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/netra/rule/validate"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/identity"
)

// recordValidation is the kind of the records of comparisons in the log.
const recordValidation log.Kind = "netra_validation"

// A Validation is one comparison of scores with what happened.
type Validation struct {
	ID          string
	WindowHours int
	Events      int
	Late        int
	Scores      int
	Reports     []validate.Report
	Source      string
	MadeAt      time.Time
	MadeBy      string
}

const validationColumns = `id, window_hours, events, late, scores, reports, source, made_at, made_by`

// KeepValidation writes a comparison down.
func (s *Store) KeepValidation(ctx context.Context, actor identity.Actor, v Validation) (Validation, error) {
	if err := s.rules.May(actor, ActFreeze); err != nil {
		return v, err
	}
	v.ID, v.MadeAt, v.MadeBy = newID("NVA"), s.Now(), actor.ID
	reports, err := json.Marshal(v.Reports)
	if err != nil {
		return v, err
	}
	const insert = `insert into netra.validation (org, ` + validationColumns + `) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`
	return v, s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, insert, actor.Org, v.ID, v.WindowHours, v.Events, v.Late, v.Scores, reports, v.Source, v.MadeAt,
			v.MadeBy); err != nil {
			return err
		}
		_, err := log.Append(ctx, tx, log.Record{At: v.MadeAt, Kind: recordValidation, App: Name, Actor: actor, Subject: v.ID,
			Body: map[string]any{"did": "compared", "scores": v.Scores, "events": v.Events}})
		return err
	})
}

// NewestValidation is the last comparison of scores of a window; ok is false where there is none.
func (s *Store) NewestValidation(ctx context.Context, actor identity.Actor, window int) (v Validation, ok bool, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return v, false, err
	}
	const read = `select ` + validationColumns + ` from netra.validation where window_hours = $1 order by made_at desc, id desc limit 1`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, read, window)
		v, err = pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Validation])
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return v, false, nil
	}
	return v, err == nil, err
}
