package store

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
	"github.com/gavelhq/gavel/platform/postgres"
)

// An Ingest is one round of asking the services outside, up to the object it wrote to
// the lake. Its states are those of a scan.
type Ingest struct {
	ID      string
	AskedBy string
	State   ScanState
	Reason  string // why it was refused
	Object  string // of the lake, that it wrote
	Data    string // digest of that
	Scan    string // which looks at it
	BeganAt time.Time
	EndedAt *time.Time
}

const ingestColumns = `id, asked_by, state, reason, object, coalesce(data, ''), coalesce(scan, ''), began_at, ended_at`

// A Came is what became of asking one source.
type Came struct {
	Source  string
	Had     bool
	Answers int
	Bytes   int64
	AsOf    *time.Time // the newest of what came
	Note    string     // why it is missing, or what is odd about it
	Costs   string     // what is lost without it; empty where it came
	At      time.Time
}

const cameColumns = `source, had, answers, bytes, as_of, note, costs, at`

// IngestInput is what an ingest's workflow is given.
type IngestInput struct {
	Org    identity.Org `json:"org"`
	Ingest string       `json:"ingest"`
}

// recordIngest is the kind of the records of ingests in the log.
const recordIngest log.Kind = "airshed_ingest"

// StartIngest has the services asked. The same key again finds the ingest that was
// started by it.
func (s *Store) StartIngest(ctx context.Context, actor identity.Actor, key string) (i Ingest, err error) {
	if err := s.rules.May(actor, ActIngest); err != nil {
		return i, err
	}
	if key == "" || len(key) > 180 {
		return i, fault.New(fault.Invalid, "the key of an ingest has 1 to 180 characters")
	}
	if err := s.Keeps(); err != nil {
		return i, err
	}
	once := func(tx pgx.Tx) error {
		there, err := ingestBy(ctx, tx, "key", key)
		if errors.Is(err, pgx.ErrNoRows) {
			i = Ingest{ID: newID("ING"), AskedBy: actor.ID, State: ScanRunning, BeganAt: s.clock.Now().Truncate(time.Microsecond)}
			return s.insertIngest(ctx, tx, actor, key, i)
		}
		i = there
		return err
	}
	err = s.db.InOrg(ctx, actor.Org, once)
	if postgres.Violates(err, "ingest_key") { // somebody else began it at the same moment
		err = s.db.InOrg(ctx, actor.Org, once)
	}
	return i, err
}

// insertIngest writes the ingest, its record and the word to the engine.
func (s *Store) insertIngest(ctx context.Context, tx pgx.Tx, actor identity.Actor, key string, i Ingest) error {
	const insert = `insert into airshed.ingest (org, id, key, asked_by, began_at) values ($1, $2, $3, $4, $5)`
	if _, err := tx.Exec(ctx, insert, actor.Org, i.ID, key, i.AskedBy, i.BeganAt); err != nil {
		return fmt.Errorf("insert ingest: %w", err)
	}
	_, err := log.Append(ctx, tx, log.Record{At: i.BeganAt, Kind: recordIngest, App: Name, Actor: actor, Subject: i.ID, Body: map[string]any{"did": "started"}})
	if err != nil {
		return err
	}
	input, err := json.Marshal(IngestInput{Org: actor.Org, Ingest: i.ID})
	if err != nil {
		return err
	}
	return outbox.AddStart(ctx, tx, actor.Org, Name+"/"+string(actor.Org)+"/ingest:"+i.ID,
		outbox.Start{Workflow: IngestName, Queue: Name, Subject: i.ID, Input: input})
}

// ingestBy finds an ingest by one of its unique columns.
func ingestBy(ctx context.Context, tx pgx.Tx, column, value string) (Ingest, error) {
	query := map[string]string{
		"id":  `select ` + ingestColumns + ` from airshed.ingest where id = $1`,
		"key": `select ` + ingestColumns + ` from airshed.ingest where key = $1`,
	}[column]
	rows, _ := tx.Query(ctx, query, value)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Ingest])
}

// Ingest reads one ingest and what came of each source so far.
func (s *Store) Ingest(ctx context.Context, actor identity.Actor, id string) (i Ingest, all []Came, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return i, nil, err
	}
	i, all, err = s.IngestOf(ctx, IngestInput{Org: actor.Org, Ingest: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return i, nil, fault.New(fault.NotFound, "no ingest is called %.40q", id).WithNext("see the list of ingests")
	}
	return i, all, err
}

// IngestOf reads the ingest that its workflow is about.
func (s *Store) IngestOf(ctx context.Context, in IngestInput) (i Ingest, all []Came, err error) {
	const came = `select ` + cameColumns + ` from airshed.ingest_source where ingest = $1 order by at, source`
	err = s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		if i, err = ingestBy(ctx, tx, "id", in.Ingest); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, came, in.Ingest)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Came])
		return err
	})
	return i, all, err
}

// Ingests lists ingests, the newest first, from a place on, which may be zero.
func (s *Store) Ingests(ctx context.Context, actor identity.Actor, after Cursor, limit int) (all []Ingest, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = `select ` + ingestColumns + ` from airshed.ingest where $1::timestamptz is null or (began_at, id) < ($1, $2) order by began_at desc, id desc limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after.Moment(), after.ID, min(max(limit, 1), 200))
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Ingest])
		return err
	})
	return all, err
}

// AddCame notes what became of asking a source, once.
func (s *Store) AddCame(ctx context.Context, in IngestInput, c Came) error {
	const insert = `insert into airshed.ingest_source (org, ingest, source, had, answers, bytes, as_of, note, costs, at) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`
	return s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, insert, in.Org, in.Ingest, c.Source, c.Had, c.Answers, c.Bytes, c.AsOf, Cut(c.Note, 1500), Cut(c.Costs, 1000), s.clock.Now())
		return err
	})
}

// EndIngest ends an ingest and puts on record what it wrote, or why it was refused. A
// scan of what it wrote begins with it: the object must not lie there unseen. Nobody
// is asked for that, because whoever may have the lake written to wants it looked at.
func (s *Store) EndIngest(ctx context.Context, in IngestInput, i Ingest) error {
	now := s.clock.Now()
	return s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		gavel := identity.Gavel(in.Org)
		if i.State == ScanDone {
			scan := Scan{ID: newID("SCAN"), Kind: Event, AskedBy: gavel.ID, Object: i.Object, State: ScanRunning, BeganAt: now}
			there, err := scanBy(ctx, tx, "key", "object:"+i.Data)
			if errors.Is(err, pgx.ErrNoRows) {
				there, err = scan, s.insertScan(ctx, tx, gavel, "object:"+i.Data, scan)
			}
			if err != nil {
				return err
			}
			i.Scan = there.ID
		}
		const end = `update airshed.ingest set state = $2, reason = $3, object = $4, data = nullif($5, ''), scan = nullif($6, ''), ended_at = $7 where id = $1 and state = 'running'`
		tag, err := tx.Exec(ctx, end, i.ID, i.State, Cut(i.Reason, 1000), i.Object, i.Data, i.Scan, now)
		if err != nil || tag.RowsAffected() == 0 {
			return err
		}
		_, err = log.Append(ctx, tx, log.Record{At: now, Kind: recordIngest, App: Name, Actor: gavel, Subject: i.ID,
			Body: map[string]any{"did": string(i.State), "object": i.Object, "data": i.Data, "scan": i.Scan, "reason": i.Reason}})
		return err
	})
}

// An IngestAnswer is what a source answered one question of an ingest.
type IngestAnswer struct {
	Source      string
	URL         string // what was asked, without any key
	ContentType string
	FetchedAt   time.Time
	Body        []byte
}

// IngestAnswer is the answer to a question that an ingest asked before, of at most so many
// bytes; nil where it was not kept.
func (s *Store) IngestAnswer(ctx context.Context, in IngestInput, source, url string, most int64) (*IngestAnswer, error) {
	const one = `select data, content_type, fetched_at from airshed.ingest_answer where ingest = $1 and source = $2 and asked = $3`
	a := IngestAnswer{Source: source, URL: url}
	var data string
	err := s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, one, in.Ingest, source, blob.Sum([]byte(url)).String()).Scan(&data, &a.ContentType, &a.FetchedAt)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil //nolint:nilnil // none is no fault
	}
	if err != nil {
		return nil, err
	}
	d, err := blob.Parse(data)
	if err != nil {
		return nil, err
	}
	if a.Body, err = s.BytesOf(ctx, in.Org, d, most); err != nil {
		return nil, err
	}
	return &a, nil
}

// KeepIngestAnswer keeps an answer. One that cannot be used is evidence of that, and is not
// given back: the question may be asked again. same is false where another answer to the
// same question was kept before.
func (s *Store) KeepIngestAnswer(ctx context.Context, in IngestInput, a IngestAnswer, good bool) (same bool, err error) {
	asked, sum := blob.Sum([]byte(a.URL)).String(), blob.Sum(a.Body)
	once := "ingest:" + in.Ingest + ":" + asked
	if !good {
		once += ":" + sum.String()[:16]
	}
	receipt := evidence.Receipt{Source: a.Source, Once: once, ContentType: a.ContentType, Place: a.URL}
	kept, err := s.kept.Take(ctx, identity.Gavel(in.Org), receipt, bytes.NewReader(a.Body))
	if err != nil || !good {
		return true, err
	}
	const insert = `insert into airshed.ingest_answer (org, ingest, source, asked, data, url, content_type, fetched_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`
	err = s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, insert, in.Org, in.Ingest, a.Source, asked, kept.SHA256.String(), a.URL, a.ContentType, a.FetchedAt)
		return err
	})
	return kept.SHA256 == sum, err
}
