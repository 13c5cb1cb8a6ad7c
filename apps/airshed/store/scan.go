package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres"
)

// A ScanKind says why the lake was looked at.
type ScanKind string

// The kinds of scan.
const (
	Asked     ScanKind = "asked"     // because a person wanted it
	Scheduled ScanKind = "scheduled" // because it is time
	Event     ScanKind = "event"     // because something came to the lake
	Handed    ScanKind = "handed"    // of a file that a person handed in
)

// A ScanState says how far a scan has come.
type ScanState string

// The states. All but the first are ends.
const (
	ScanRunning ScanState = "running"
	ScanDone    ScanState = "done"
	ScanRefused ScanState = "refused" // there was nothing to look at, or nothing that could be read
)

// A Scan is one look at an object of the lake.
type Scan struct {
	ID      string
	Kind    ScanKind
	AskedBy string
	Object  string // which object of the lake; empty: the newest
	Data    string // digest of the bytes it reads; empty before it has them
	Place   string // where these came from
	Stale   string // why an older object stands in
	State   ScanState
	Reason  string // why it was refused
	Found   int
	Fresh   int
	BeganAt time.Time
	EndedAt *time.Time
	SameAs  string // the scan whose findings these are: it read the same bytes by the same rules
	Rules   string // that it went by; empty before it has ended
}

const scanColumns = `id, kind, asked_by, object, coalesce(data, ''), place, stale, state, reason, found, fresh, began_at, ended_at, same_as, rules`

// A ScanRequest asks for a look at the lake, or at a file.
type ScanRequest struct {
	Kind   ScanKind
	Key    string // the asker's: the same again is the same scan
	Object string // of the lake; empty: the newest
	File   []byte // what was handed in, for Handed
	Name   string // of that file
}

// ScanInput is what a scan's workflow is given.
type ScanInput struct {
	Org   identity.Org  `json:"org"`
	Scan  string        `json:"scan"`
	Clock durable.Clock `json:"clock"`
}

// recordScan is the kind of the records of scans in the log.
const recordScan log.Kind = "airshed_scan"

// check says what is wrong with a request.
func (r ScanRequest) check() error {
	switch {
	case r.Key == "" || len(r.Key) > 180:
		return fault.New(fault.Invalid, "the key of a scan has 1 to 180 characters")
	case (r.Kind == Handed) != (r.File != nil):
		return fault.New(fault.Internal, "a scan of kind %s with a file of %d bytes", r.Kind, len(r.File))
	case r.Object != "":
		return feed.CheckKey(r.Object)
	}
	return nil
}

// StartScan has the lake looked at, or a file that was handed in. The same key again
// finds the scan that was started by it; started says which. A file that cannot be
// read is refused here, so that who hands it in is told.
func (s *Store) StartScan(ctx context.Context, actor identity.Actor, r ScanRequest) (scan Scan, started bool, err error) {
	act := ActScan
	if r.Kind == Event {
		act = ActNotice
	}
	if err := s.rules.May(actor, act); err != nil {
		return scan, false, err
	}
	if err := errors.Join(r.check(), s.Keeps()); err != nil {
		return scan, false, err
	}
	scan = Scan{ID: newID("SCAN"), Kind: r.Kind, AskedBy: actor.ID, Object: r.Object, State: ScanRunning, BeganAt: s.clock.Now()}
	if r.Kind == Handed {
		if _, err := lake.Read(r.File); err != nil {
			return scan, false, err
		}
		kept, err := s.kept.Take(ctx, actor, evidence.Receipt{Source: origin.Lake, Once: "handed:" + r.Key, ContentType: "application/json", Place: r.Name}, bytes.NewReader(r.File))
		if err != nil {
			return scan, false, err
		}
		if kept.SHA256 != blob.Sum(r.File) {
			return scan, false, fault.New(fault.Conflict, "another file was handed in by this key").WithNext("use another key")
		}
		scan.Data, scan.Place = kept.SHA256.String(), kept.Place
	}
	err = s.startOnce(ctx, actor, r.Key, &scan, &started)
	if postgres.Violates(err, "scan_key") { // somebody else began it at the same moment
		err = s.startOnce(ctx, actor, r.Key, &scan, &started)
	}
	return scan, started, err
}

// startOnce starts a scan, or finds the one that was started by its key. A key that
// was used for something else is refused.
func (s *Store) startOnce(ctx context.Context, actor identity.Actor, key string, scan *Scan, started *bool) error {
	return s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		there, err := scanBy(ctx, tx, "key", key)
		if errors.Is(err, pgx.ErrNoRows) {
			*started = true
			return s.insertScan(ctx, tx, actor, key, *scan)
		}
		if err == nil && (there.Kind != scan.Kind || there.Object != scan.Object || scan.Kind == Handed && there.Data != scan.Data) {
			return fault.New(fault.Conflict, "%s was started by this key, of something else", there.ID).WithNext("use another key")
		}
		*scan, *started = there, false
		return err
	})
}

// insertScan writes the scan, its record and the word to the engine.
func (s *Store) insertScan(ctx context.Context, tx pgx.Tx, actor identity.Actor, key string, scan Scan) error {
	const insert = `insert into airshed.scan (org, id, kind, key, asked_by, object, data, place, began_at) values ($1, $2, $3, $4, $5, $6, nullif($7, ''), $8, $9)`
	if _, err := tx.Exec(ctx, insert, actor.Org, scan.ID, scan.Kind, key, scan.AskedBy, scan.Object, scan.Data, scan.Place, scan.BeganAt); err != nil {
		return fmt.Errorf("insert scan: %w", err)
	}
	_, err := log.Append(ctx, tx, log.Record{At: scan.BeganAt, Kind: recordScan, App: Name, Actor: actor, Subject: scan.ID,
		Body: map[string]any{"did": "started", "kind": string(scan.Kind), "object": scan.Object, "data": scan.Data}})
	if err != nil {
		return err
	}
	input, err := json.Marshal(ScanInput{Org: actor.Org, Scan: scan.ID, Clock: s.clock})
	if err != nil {
		return err
	}
	if err := s.tell(ctx, tx, actor.Org, scan.ID); err != nil {
		return err
	}
	return outbox.AddStart(ctx, tx, actor.Org, Name+"/"+string(actor.Org)+"/scan:"+scan.ID,
		outbox.Start{Workflow: ScanName, Queue: Name, Subject: scan.ID, Input: input})
}

// Scan reads one scan.
func (s *Store) Scan(ctx context.Context, actor identity.Actor, id string) (scan Scan, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return scan, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		scan, err = scanBy(ctx, tx, "id", id)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return scan, fault.New(fault.NotFound, "no scan is called %.40q", id).WithNext("see the list of scans")
	}
	return scan, err
}

// Scans lists scans, the newest first, from a place on, which may be zero.
func (s *Store) Scans(ctx context.Context, actor identity.Actor, after Cursor, limit int) (all []Scan, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = `select ` + scanColumns + ` from airshed.scan where $1::timestamptz is null or (began_at, id) < ($1, $2) order by began_at desc, id desc limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after.Moment(), after.ID, min(max(limit, 1), 200))
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Scan])
		return err
	})
	return all, err
}

// Board reads what all stations showed in a scan that is done.
func (s *Store) Board(ctx context.Context, actor identity.Actor, id string) (board []byte, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select board from airshed.scan where id = $1 and board is not null`, id).Scan(&board)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, fault.New(fault.NotFound, "%.40s has no board: it is not done, or was refused", id).WithNext("read the scan")
	}
	return board, err
}

// scanBy finds a scan by one of its unique columns.
func scanBy(ctx context.Context, tx pgx.Tx, column, value string) (Scan, error) {
	query := map[string]string{
		"id":  `select ` + scanColumns + ` from airshed.scan where id = $1`,
		"key": `select ` + scanColumns + ` from airshed.scan where key = $1`,
	}[column]
	rows, _ := tx.Query(ctx, query, value)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Scan])
}

// ScanOf reads the scan that its workflow is about.
func (s *Store) ScanOf(ctx context.Context, in ScanInput) (scan Scan, err error) {
	err = s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		scan, err = scanBy(ctx, tx, "id", in.Scan)
		return err
	})
	return scan, err
}

// Got notes what a scan reads.
func (s *Store) Got(ctx context.Context, org identity.Org, id string, d blob.Digest, from, stale string) error {
	const note = `update airshed.scan set data = $2, place = $3, stale = $4 where id = $1 and data is null`
	return s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, note, id, d.String(), Cut(from, 2048), Cut(stale, 500))
		return err
	})
}

// MostWaiting bounds the scans that are not done; more come when they are.
const MostWaiting = 500

// HasRoom refuses more while very many scans wait.
func (s *Store) HasRoom(ctx context.Context, org identity.Org) error {
	const count = `select count(*) from (select from airshed.scan where state = 'running' limit $1) waiting`
	var n int
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) error { return tx.QueryRow(ctx, count, MostWaiting).Scan(&n) })
	if err == nil && n >= MostWaiting {
		return fault.New(fault.TooMany, "%d scans are under way", n).WithNext("send it again in some minutes; the next turn of the schedule looks at the newest object anyway")
	}
	return err
}
