// Package event lets programs follow what happens in an organisation: its
// records in the log's own order, from any one of them on.
//
// The place somebody has come to is the id of the last record they had. It is
// durable, says nothing about other organisations, and means the same on every
// server. A record gets its place in the log once, after it is committed, and
// places only grow; whoever asks for what follows the last one they had misses
// nothing, and sees a record again only if they ask again.
package event

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes following quick; it builds on the log's.
func Migrations() postgres.MigrationSet { return postgres.Embedded("event", migrations) }

// An Event is that something happened: what kind of thing to which object, by
// whom. It carries no words; whoever may see the object fetches it.
type Event struct {
	Record    audit.RecordID
	At        time.Time
	Kind      audit.Kind
	App       string
	ActorKind identity.Kind
	ActorID   string
	Subject   string // the id of what it is about
}

// MaxPage is the most events that are read at once.
const MaxPage = 500

// A Reader reads events. It is safe for use by many goroutines.
type Reader struct{ db *postgres.DB }

// NewReader reads from a database.
func NewReader(db *postgres.DB) *Reader { return &Reader{db} }

// Newest is the last event that is in order; empty before the first.
func (r *Reader) Newest(ctx context.Context, org identity.Org) (id audit.RecordID, err error) {
	const newest = `select record_id from gavel.record_place where org = $1 order by seq desc limit 1`
	err = r.db.InOrg(ctx, org, func(tx pgx.Tx) error { return tx.QueryRow(ctx, newest, org).Scan(&id) })
	if errors.Is(err, pgx.ErrNoRows) {
		return "", nil
	}
	return id, err
}

// After reads the events that follow one, in order; an empty one reads from the
// first. One that is not in the log, or another organisation's, is Invalid.
func (r *Reader) After(ctx context.Context, org identity.Org, after audit.RecordID, limit int) (events []Event, err error) {
	if limit < 1 || limit > MaxPage {
		return nil, fault.New(fault.Invalid, "1 to %d events are read at once, not %d", MaxPage, limit)
	}
	const page = `
		select r.id, r.at, r.kind, r.app, r.actor_kind, r.actor_id, r.subject
		from gavel.record_place p join gavel.record r on r.org = p.org and r.id = p.record_id
		where p.org = $1 and p.seq > $2 order by p.seq limit $3`
	err = r.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		place, err := placeOf(ctx, tx, org, after)
		if err != nil {
			return err
		}
		rows, _ := tx.Query(ctx, page, org, place, limit)
		events, err = pgx.CollectRows(rows, pgx.RowToStructByPos[Event])
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("events after %.40q: %w", after, err)
	}
	return events, nil
}

func placeOf(ctx context.Context, tx pgx.Tx, org identity.Org, id audit.RecordID) (place int64, err error) {
	if id == "" {
		return -1, nil
	}
	const one = `select seq from gavel.record_place where org = $1 and record_id = $2`
	err = tx.QueryRow(ctx, one, org, string(id)).Scan(&place)
	if errors.Is(err, pgx.ErrNoRows) {
		return 0, fault.New(fault.Invalid, "%.40q is not the id of an event of yours", id).
			WithNext("send the id of the last event you had, or none")
	}
	return place, err
}
