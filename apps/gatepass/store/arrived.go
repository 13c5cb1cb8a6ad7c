package store

import (
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
	"github.com/gavelhq/gavel/platform/fault"
)

// An Arrived is a signed event that the record has of a pass, for its photo.
type Arrived struct {
	PassID   string
	Number   number.Number
	Case     string
	Kind     pass.Event
	At       time.Time
	Guard    string
	Gate     string
	Photo    string // the SHA-256 that it signs
	HasPhoto bool   // those bytes are there
}

// ArrivedIn reads one; NotFound where there is none, or it names no pass or no photo.
func ArrivedIn(ctx context.Context, tx pgx.Tx, d replay.Digest) (Arrived, error) {
	const one = `select p.id, p.number, p.case_id, a.kind, a.at, a.guard, a.gate, a.photo,
			exists (select from gatepass.photo f where f.pass_id = p.id and f.sha256 = a.photo
				and f.kind = case a.kind when 'scan_exit' then 'exit' else 'return' end)
		from gatepass.arrival a join gatepass.pass p on p.org = a.org and p.number = a.number
		where a.digest = $1 and a.photo <> '' and a.held not in ('forged', 'unknown_device')`
	rows, _ := tx.Query(ctx, one, d)
	a, err := pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Arrived])
	if errors.Is(err, pgx.ErrNoRows) {
		return a, fault.New(fault.NotFound, "no event %.20s waits for a photo", d)
	}
	return a, err
}

// ShowPhoto has a pass that was left or come back to without one show a photo that arrived later.
func ShowPhoto(ctx context.Context, tx pgx.Tx, f Photo) error {
	const out = `update gatepass.pass set exit_photo = $2 where id = $1 and exit_photo = '' and status in ('exited', 'returned')`
	const back = `update gatepass.pass set return_photo = $2 where id = $1 and return_photo = '' and (status = 'returned' or person_back)`
	sql := out
	if f.Kind == "return" {
		sql = back
	}
	_, err := tx.Exec(ctx, sql, f.PassID, f.ID)
	return err
}
