package store

import (
	"context"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/rule/register"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// MostLines is how many lines of the register are taken out at once.
const MostLines = 10_000

// Register takes the register of a time out, and notes that it left.
func (s *Store) Register(ctx context.Context, who identity.Actor, from, until time.Time, prev string) (file []byte, err error) {
	if err := s.May(who, ActExport); err != nil {
		return nil, err
	}
	const lines = `select p.number, e.seq, e.event, e.status, e.at, e.by_id, e.stands_for, e.via, e.reason, e.decision, e.record_id
		from gatepass.event e join gatepass.pass p on p.org = e.org and p.id = e.pass_id
		where e.at >= $1 and e.at < $2 order by e.at, e.pass_id, e.seq limit $3`
	err = s.In(ctx, who.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, lines, from, until, MostLines+1)
		all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (l register.Line, err error) {
			return l, row.Scan(&l.Number, &l.Version, &l.Event, &l.Status, moment{&l.At}, &l.By, &l.For, &l.Via, &l.Reason, &l.Decision,
				&l.Record)
		})
		if err != nil {
			return fmt.Errorf("read the register: %w", err)
		}
		if len(all) > MostLines {
			return fault.New(fault.Invalid, "there are over %d lines", MostLines).WithNext("ask for a shorter time").
				On("to", "too_many", "")
		}
		if file, err = register.Write(all, prev); err != nil {
			return err
		}
		_, err = audit.NoteExport(ctx, tx, who, s.Now(), audit.Departure{File: "records", Name: "gate passes", Subject: "log",
			SHA256: blob.Sum(file), Size: int64(len(file)), Rows: len(all)})
		return err
	})
	return file, err
}
