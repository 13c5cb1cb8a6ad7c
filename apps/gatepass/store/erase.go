package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/seal"
)

// HolderType is the type of subject whom a pass is about, by the pass's id: "holder:0192…". Whoever has several passes is several
// subjects: nothing here says that two passes are one person's.
const HolderType = "holder"

// Eraser takes what a pass says of its holder. Its number, its times and what happened stay: they say of nobody who it was.
func Eraser() seal.Eraser {
	return seal.Eraser{Name: Name, Erase: func(ctx context.Context, tx pgx.Tx, s seal.Subject, at time.Time) (seal.Reach, error) {
		if s.Type != HolderType {
			return seal.Reach{}, nil // nobody of ours
		}
		const blank = `update gatepass.pass set person_name = '', description = '', employee_ref = '', host_ref = '', vehicle_plate = '',
				reject_reason = '', deleted_reason = '', erased_at = $2
			where id = $1 and erased_at is null returning case_id`
		rows, _ := tx.Query(ctx, blank, s.ID, at)
		cases, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return seal.Reach{}, fmt.Errorf("blank a pass: %w", err)
		}
		reach := seal.Reach{Rows: len(cases), Cases: cases}
		for _, sql := range []string{`update gatepass.scan set reason = '' where pass_id = $1 and reason <> ''`,
			`update gatepass.arrival set reason = '', text = '' where number = (select number from gatepass.pass where id = $1) and reason <> ''`,
			`update gatepass.event set reason = '' where pass_id = $1 and reason <> ''`,
			`update gatepass.item set name = '', serial = '', asset = '', condition_out = '' where pass_id = $1 and name <> ''`} {
			tag, err := tx.Exec(ctx, sql, s.ID)
			if err != nil {
				return seal.Reach{}, fmt.Errorf("blank what happened to a pass: %w", err)
			}
			reach.Rows += int(tag.RowsAffected())
		}
		return reach, nil
	}}
}
