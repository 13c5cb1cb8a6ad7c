package store

import (
	"bytes"
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
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

// A Scan is one look at an object of the lake.
type Scan struct {
	ID      string
	Kind    ScanKind
	AskedBy string
	Object  string    // which object of the lake; empty: the newest
	Data    string    // digest of the bytes it reads; empty before it has them
	Place   string    // where these came from
	Stale   string    // why an older object stands in
	State   job.State // refused: there was nothing to look at, nothing that could be read, or somebody called it off
	Reason  string    // why it was refused
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

// ScanJob is the long work that a scan is.
var ScanJob = job.Kind{App: Name, Name: "scan", Prefix: "SCAN", Workflow: ScanName, Act: ActScan, Read: ActRead, Pages: "/airshed/scans"}

// about is what is looked at: two who want the newest object, or the same one, want the
// same look. Each arrival at the lake and each file is looked at, however fast they come.
func (r ScanRequest) about() string {
	if r.Kind == Event || r.Kind == Handed {
		return r.Key
	}
	return "object:" + r.Object
}

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

// StartScan has the lake looked at, or a file that was handed in, or gives the scan that
// is at it, or that was started by the same key; started says which. A file that cannot
// be read is refused here, so that who hands it in is told.
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
	scan = Scan{BeganAt: s.clock.Now()}
	if r.Kind == Handed {
		if err := s.keepFile(ctx, actor, r, &scan); err != nil {
			return scan, false, err
		}
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		scan, started, err = s.beginScan(ctx, tx, actor, r, scan)
		return err
	})
	return scan, started, err
}

// keepFile keeps a file that somebody hands in, and notes it as what the scan reads.
func (s *Store) keepFile(ctx context.Context, actor identity.Actor, r ScanRequest, scan *Scan) error {
	if _, err := lake.Read(r.File); err != nil {
		return err
	}
	receipt := evidence.Receipt{Source: origin.Lake, Once: "handed:" + r.Key, ContentType: "application/json", Place: r.Name}
	kept, err := s.kept.Take(ctx, actor, receipt, bytes.NewReader(r.File))
	if err != nil {
		return err
	}
	if kept.SHA256 != blob.Sum(r.File) {
		return fault.New(fault.Conflict, "another file was handed in by this key").WithNext("use another key")
	}
	scan.Data, scan.Place = kept.SHA256.String(), kept.Place
	return nil
}

// beginScan starts a scan of what was noted so far, or gives the one there is.
func (s *Store) beginScan(ctx context.Context, tx pgx.Tx, actor identity.Actor, r ScanRequest,
	scan Scan) (_ Scan, started bool, err error) {
	scan.ID, scan.Kind, scan.AskedBy, scan.Object, scan.State = ScanJob.NewID(), r.Kind, actor.ID, r.Object, job.Running
	b, err := job.Start(ctx, tx, ScanJob, job.Order{ID: scan.ID, Key: r.Key, About: r.about(), Actor: actor, At: scan.BeganAt,
		Input: ScanInput{Org: actor.Org, Scan: scan.ID, Clock: s.clock},
		Body:  map[string]any{"kind": string(scan.Kind), "object": scan.Object, "data": scan.Data}})
	if err != nil {
		return scan, false, err
	}
	if b.Lost != "" {
		lost := Scan{ID: b.Lost, State: job.Refused, Reason: job.LostReason}
		if _, err := closeScan(ctx, tx, lost, nil, scan.BeganAt); err != nil {
			return scan, false, err
		}
	}
	if !b.Started {
		there, err := scanBy(ctx, tx, b.ID)
		if err == nil && b.Key == r.Key && (there.Kind != r.Kind || there.Object != r.Object || r.Kind == Handed &&
			there.Data != scan.Data) {
			err = fault.New(fault.Conflict, "%s was started by this key, of something else", b.ID).WithNext("use another key")
		}
		return there, false, err
	}
	const insert = `insert into airshed.scan (org, id, kind, key, asked_by, object, data, place, began_at)
		values ($1, $2, $3, $4, $5, $6, nullif($7, ''), $8, $9)`
	_, err = tx.Exec(ctx, insert, actor.Org, scan.ID, scan.Kind, r.Key, scan.AskedBy, scan.Object, scan.Data, scan.Place, scan.BeganAt)
	return scan, true, err
}

// Scan reads one scan.
func (s *Store) Scan(ctx context.Context, actor identity.Actor, id string) (scan Scan, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return scan, err
	}
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		scan, err = scanBy(ctx, tx, id)
		return err
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return scan, fault.New(fault.NotFound, "no scan is called %.40q", id).WithNext("see the list of scans").Because("no_scan", "id", id)
	}
	return scan, err
}

// ListedAt is where it stands in the list.
func (s Scan) ListedAt() Cursor { return Cursor{At: s.BeganAt, ID: s.ID} }

// Scans lists scans, the newest first, from a place on, which may be zero.
func (s *Store) Scans(ctx context.Context, actor identity.Actor, after Cursor, limit int) (all []Scan, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = `select ` + scanColumns + ` from airshed.scan where $1::timestamptz is null or (began_at, id) < ($1, $2)
		order by began_at desc, id desc limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after.Moment(), after.ID, limit)
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
		return nil, fault.New(fault.NotFound, "%.40s has no board: it is not done, or was refused", id).WithNext("read the scan").
			Because("scan_no_board", "id", id)
	}
	return board, err
}

func scanBy(ctx context.Context, tx pgx.Tx, id string) (Scan, error) {
	rows, _ := tx.Query(ctx, `select `+scanColumns+` from airshed.scan where id = $1`, id)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Scan])
}

// ScanOf reads the scan that its workflow is about.
func (s *Store) ScanOf(ctx context.Context, in ScanInput) (scan Scan, err error) {
	err = s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		scan, err = scanBy(ctx, tx, in.Scan)
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
		return fault.New(fault.TooMany, "%d scans are under way", n).
			WithNext("send it again in some minutes; the next turn of the schedule looks at the newest object anyway").
			Because("scans_many", "n", strconv.Itoa(n))
	}
	return err
}

// ObjectOf is the key under which bytes that were scanned lay in the lake; of a file that was
// handed in its name, below data/, where the first design looks.
func (s *Store) ObjectOf(ctx context.Context, org identity.Org, data string) (key string, err error) {
	var place string
	var kind ScanKind
	err = s.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select place, kind from airshed.scan where data = $1 order by began_at limit 1`, data).Scan(&place, &kind)
	})
	if kind == Handed {
		return "data/" + place, err
	}
	if _, rest, ok := strings.Cut(place, "://"); ok {
		_, place, _ = strings.Cut(rest, "/")
	}
	return place, err
}
