package store

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// boardsAsked is among how many scans the newest data are looked for: somebody may
// have handed in files of other years since.
const boardsAsked = 40

// Newest is the scan with the newest data, and what all stations showed in it; nil
// where no scan is done.
func (s *Store) Newest(ctx context.Context, actor identity.Actor) (scan *Scan, board analysis.Board, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, board, err
	}
	const newest = `select id from (select id, began_at, board from airshed.scan where board is not null order by began_at desc, id desc
		limit $1) b
		order by (board::json ->> 'at')::timestamptz desc nulls last, began_at desc limit 1`
	var id string
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return tx.QueryRow(ctx, newest, boardsAsked).Scan(&id) })
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, board, nil
	}
	if err != nil {
		return nil, board, err
	}
	one, err := s.Scan(ctx, actor, id)
	if err != nil {
		return nil, board, err
	}
	board, err = s.BoardOf(ctx, actor, id)
	return &one, board, err
}

// BoardOf reads what all stations showed in a scan.
func (s *Store) BoardOf(ctx context.Context, actor identity.Actor, id string) (board analysis.Board, err error) {
	body, err := s.Board(ctx, actor, id)
	if err != nil {
		return board, err
	}
	if err := json.Unmarshal(body, &board); err != nil {
		return board, fault.From(fault.Internal, err, "the board of %s cannot be read", id)
	}
	return board, nil
}

// EndIfSame ends a scan whose bytes another has looked at by the same rules, and says
// which that was; none where there is none.
func (s *Store) EndIfSame(ctx context.Context, org identity.Org, scan Scan) (same string, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		scan.SameAs, scan.Found, err = s.sameAs(ctx, tx, scan.Data, scan.Rules)
		if err != nil || scan.SameAs == "" {
			return err
		}
		scan.State = job.Done
		return s.end(ctx, tx, org, scan, nil)
	})
	return scan.SameAs, err
}

// EndScan ends a scan that found nothing.
func (s *Store) EndScan(ctx context.Context, org identity.Org, scan Scan) error {
	return s.db.InOrg(ctx, org, func(tx pgx.Tx) error { return s.end(ctx, tx, org, scan, nil) })
}

// Conclude notes of known episodes how long they have gone on, and ends the scan that saw
// them with its board.
func (s *Store) Conclude(ctx context.Context, org identity.Org, scan Scan, board []byte, seen []Sighting) error {
	return s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		for _, g := range seen {
			was, err := g.known(ctx, tx)
			if err == nil && was.Key != "" {
				err = s.seen(ctx, tx, was.Key, g)
			}
			if err != nil {
				return err
			}
		}
		return s.end(ctx, tx, org, scan, board)
	})
}

// sameAs finds a scan that is done and read the same bytes by the same rules; none is no
// error.
func (s *Store) sameAs(ctx context.Context, tx pgx.Tx, data, rules string) (id string, found int, err error) {
	const one = `select id, found from airshed.scan where data = $1 and rules = $2 and state = 'done' and same_as = '' order by ended_at
		limit 1`
	err = tx.QueryRow(ctx, one, data, rules).Scan(&id, &found)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return id, found, err
}

// end ends a scan and puts on record what it found, or why it was refused.
func (s *Store) end(ctx context.Context, tx pgx.Tx, org identity.Org, scan Scan, board []byte) error {
	now := s.clock.Now()
	ended, err := closeScan(ctx, tx, scan, board, now)
	if err != nil || len(ended) == 0 {
		return err
	}
	return job.Finish(ctx, tx, ScanJob, org, scan.ID, job.End{State: scan.State, Reason: scan.Reason, At: now, Body: map[string]any{
		"data": scan.Data, "found": scan.Found, "fresh": ended[0].Fresh, "reason": scan.Reason, "same_as": scan.SameAs}})
}

// closeScan writes down how a scan has ended: none is given where it had before. One that
// was called off counts as refused.
func closeScan(ctx context.Context, tx pgx.Tx, scan Scan, board []byte, at time.Time) ([]Scan, error) {
	const end = `update airshed.scan set state = case $2 when 'done' then 'done' else 'refused' end, reason = $3,
		board = coalesce($4, (select board from airshed.scan where id = $7)), found = $5,
		fresh = (select count(*) from airshed.episode where first_scan = $1),
		ended_at = $6, same_as = $7, rules = $8 where id = $1 and state = 'running' returning ` + scanColumns
	rows, _ := tx.Query(ctx, end, scan.ID, scan.State, Cut(scan.Reason, 1000), text(board), scan.Found, at, scan.SameAs, scan.Rules)
	return pgx.CollectRows(rows, pgx.RowToStructByPos[Scan])
}

// text is bytes as a column has them: none where there are none.
func text(b []byte) *string {
	if b == nil {
		return nil
	}
	t := string(b)
	return &t
}
