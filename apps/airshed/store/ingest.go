package store

import (
	"bytes"
	"context"
	"errors"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
)

// An Ingest is one round of asking the services outside, up to the object it wrote to
// the lake.
type Ingest struct {
	ID      string
	AskedBy string
	State   job.State // refused: the air did not come, or somebody called it off
	Reason  string    // why it was refused
	Object  string    // of the lake, that it wrote
	Data    string    // digest of that
	Scan    string    // which looks at it
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

// IngestJob is the long work that an ingest is.
var IngestJob = job.Kind{App: Name, Name: "ingest", Prefix: "ING", Workflow: IngestName, Act: ActIngest, Read: ActRead,
	Pages: "/airshed/ingests"}

// StartIngest has the services asked, or gives the ingest that is at it, or that was
// started by the same key.
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
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		i, err = s.beginIngest(ctx, tx, actor, key)
		return err
	})
	return i, err
}

func (s *Store) beginIngest(ctx context.Context, tx pgx.Tx, actor identity.Actor, key string) (Ingest, error) {
	i := Ingest{ID: IngestJob.NewID(), AskedBy: actor.ID, State: job.Running, BeganAt: s.clock.Now().Truncate(time.Microsecond)}
	b, err := job.Start(ctx, tx, IngestJob, job.Order{ID: i.ID, Key: key, Actor: actor, At: i.BeganAt, Input: IngestInput{Org: actor.Org,
		Ingest: i.ID}})
	if err != nil {
		return i, err
	}
	if b.Lost != "" {
		if _, err := closeIngest(ctx, tx, Ingest{ID: b.Lost, State: job.Refused, Reason: job.LostReason}, i.BeganAt); err != nil {
			return i, err
		}
	}
	if !b.Started {
		return ingestBy(ctx, tx, b.ID)
	}
	const insert = `insert into airshed.ingest (org, id, key, asked_by, began_at) values ($1, $2, $3, $4, $5)`
	_, err = tx.Exec(ctx, insert, actor.Org, i.ID, key, i.AskedBy, i.BeganAt)
	return i, err
}

func ingestBy(ctx context.Context, tx pgx.Tx, id string) (Ingest, error) {
	rows, _ := tx.Query(ctx, `select `+ingestColumns+` from airshed.ingest where id = $1`, id)
	return pgx.CollectExactlyOneRow(rows, pgx.RowToStructByPos[Ingest])
}

// Ingest reads one ingest and what came of each source so far.
func (s *Store) Ingest(ctx context.Context, actor identity.Actor, id string) (i Ingest, all []Came, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return i, nil, err
	}
	i, all, err = s.IngestOf(ctx, IngestInput{Org: actor.Org, Ingest: id})
	if errors.Is(err, pgx.ErrNoRows) {
		return i, nil, fault.New(fault.NotFound, "no ingest is called %.40q", id).WithNext("see the list of ingests").
			Because("no_ingest", "id", id)
	}
	return i, all, err
}

// IngestOf reads the ingest that its workflow is about.
func (s *Store) IngestOf(ctx context.Context, in IngestInput) (i Ingest, all []Came, err error) {
	const came = `select ` + cameColumns + ` from airshed.ingest_source where ingest = $1 order by at, source`
	err = s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		if i, err = ingestBy(ctx, tx, in.Ingest); err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, came, in.Ingest)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Came])
		return err
	})
	return i, all, err
}

// ListedAt is where it stands in the list.
func (i Ingest) ListedAt() Cursor { return Cursor{At: i.BeganAt, ID: i.ID} }

// Ingests lists ingests, the newest first, from a place on, which may be zero.
func (s *Store) Ingests(ctx context.Context, actor identity.Actor, after Cursor, limit int) (all []Ingest, err error) {
	if err := s.rules.May(actor, ActRead); err != nil {
		return nil, err
	}
	const page = `select ` + ingestColumns + ` from airshed.ingest where $1::timestamptz is null or (began_at, id) < ($1, $2)
		order by began_at desc, id desc limit $3`
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, page, after.Moment(), after.ID, limit)
		all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Ingest])
		return err
	})
	return all, err
}

// AddCame notes what became of asking a source, once.
func (s *Store) AddCame(ctx context.Context, in IngestInput, c Came) error {
	const insert = `insert into airshed.ingest_source (org, ingest, source, had, answers, bytes, as_of, note, costs, at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) on conflict do nothing`
	return s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, insert, in.Org, in.Ingest, c.Source, c.Had, c.Answers, c.Bytes, c.AsOf, Cut(c.Note, 1500),
			Cut(c.Costs, 1000), s.clock.Now())
		if err != nil {
			return err
		}
		return s.reportIngest(ctx, tx, in, DoingAsk)
	})
}

// EndIngest ends an ingest and puts on record what it wrote, or why it was refused. A
// scan of what it wrote begins with it: the object must not lie there unseen. Nobody
// is asked for that, because whoever may have the lake written to wants it looked at.
func (s *Store) EndIngest(ctx context.Context, in IngestInput, i Ingest) error {
	return s.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		if i.State == job.Done {
			ask := ScanRequest{Kind: Event, Key: "object:" + i.Data, Object: i.Object}
			scan, _, err := s.beginScan(ctx, tx, identity.Gavel(in.Org), ask, Scan{BeganAt: s.clock.Now()})
			if err != nil {
				return err
			}
			i.Scan = scan.ID
		}
		return s.endIngest(ctx, tx, in.Org, i)
	})
}

func (s *Store) endIngest(ctx context.Context, tx pgx.Tx, org identity.Org, i Ingest) error {
	now := s.clock.Now()
	if ended, err := closeIngest(ctx, tx, i, now); err != nil || !ended {
		return err
	}
	return job.Finish(ctx, tx, IngestJob, org, i.ID, job.End{State: i.State, Reason: i.Reason, At: now,
		Body: map[string]any{"object": i.Object, "data": i.Data, "scan": i.Scan, "reason": i.Reason}})
}

// closeIngest writes down how an ingest has ended; ended is false where it had before. One
// that was called off counts as refused.
func closeIngest(ctx context.Context, tx pgx.Tx, i Ingest, at time.Time) (ended bool, err error) {
	const end = `update airshed.ingest set state = case $2 when 'done' then 'done' else 'refused' end, reason = $3, object = $4,
		data = nullif($5, ''), scan = nullif($6, ''), ended_at = $7 where id = $1 and state = 'running'`
	tag, err := tx.Exec(ctx, end, i.ID, i.State, Cut(i.Reason, 1000), i.Object, i.Data, i.Scan, at)
	return tag.RowsAffected() == 1, err
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
