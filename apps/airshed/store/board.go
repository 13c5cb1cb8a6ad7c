package store

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
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
	const newest = `select id from (select id, began_at, board from airshed.scan where board is not null order by began_at desc, id desc limit $1) b
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

// LiveScan is the name under which open pages hear of a scan.
func LiveScan(id string) string { return "scan_" + id }

// tell has pages that show a scan fetch themselves again, once it is committed.
func (s *Store) tell(ctx context.Context, tx pgx.Tx, org identity.Org, scan string) error {
	const notify = `select pg_notify('gavel_live', json_build_object('org', $1::text, 'object', $2::text, 'version', $3::bigint)::text)`
	_, err := tx.Exec(ctx, notify, org, LiveScan(scan), s.clock.Now().UnixMilli())
	return err
}

// EndIfSame ends a scan whose bytes another has looked at by the same rules, and says
// which that was; none where there is none.
func (s *Store) EndIfSame(ctx context.Context, org identity.Org, scan Scan) (same string, err error) {
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		scan.SameAs, scan.Found, err = s.sameAs(ctx, tx, scan.Data, scan.Rules)
		if err != nil || scan.SameAs == "" {
			return err
		}
		scan.State = ScanDone
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
			key, _, err := g.known(ctx, tx)
			if err == nil && key != "" {
				err = s.seen(ctx, tx, key, g)
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
	const one = `select id, found from airshed.scan where data = $1 and rules = $2 and state = 'done' and same_as = '' order by ended_at limit 1`
	err = tx.QueryRow(ctx, one, data, rules).Scan(&id, &found)
	if errors.Is(err, pgx.ErrNoRows) {
		err = nil
	}
	return id, found, err
}

// end ends a scan and puts on record what it found, or why it was refused.
func (s *Store) end(ctx context.Context, tx pgx.Tx, org identity.Org, scan Scan, board []byte) error {
	now := s.clock.Now()
	const end = `update airshed.scan set state = $2, reason = $3, board = coalesce($4, (select board from airshed.scan where id = $7)), found = $5, fresh = (select count(*) from airshed.episode where first_scan = $1),
		ended_at = $6, same_as = $7, rules = $8 where id = $1 and state = 'running' returning fresh`
	err := tx.QueryRow(ctx, end, scan.ID, scan.State, Cut(scan.Reason, 1000), text(board), scan.Found, now, scan.SameAs, scan.Rules).Scan(&scan.Fresh)
	if errors.Is(err, pgx.ErrNoRows) {
		return nil // it has ended before
	}
	if err != nil {
		return err
	}
	_, err = log.Append(ctx, tx, log.Record{At: now, Kind: recordScan, App: Name, Actor: identity.Gavel(org), Subject: scan.ID,
		Body: map[string]any{"did": string(scan.State), "data": scan.Data, "found": scan.Found, "fresh": scan.Fresh, "reason": scan.Reason, "same_as": scan.SameAs}})
	if err != nil {
		return err
	}
	return s.tell(ctx, tx, org, scan.ID)
}

// text is bytes as a column has them: none where there are none.
func text(b []byte) *string {
	if b == nil {
		return nil
	}
	t := string(b)
	return &t
}
