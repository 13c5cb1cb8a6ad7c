// Package audit is the log that nobody can quietly change: an append-only
// Merkle tree over records of what was decided and done, with signed
// checkpoints that are copied to places this database's owners do not control.
//
// Whoever decides or acts calls Append in the same transaction: no record, no
// effect. A Sequencer in any server takes the committed records into the tree
// within two seconds and signs a Checkpoint; a Publisher copies checkpoints out.
// Prove shows that a record is in the tree, Fsck re-checks everything from
// outside, and Draw picks a sample for a person to look at.
//
// Read Append, then Sequencer.step, then Fsck. The tree is the one of
// Certificate Transparency (RFC 6962) in tiles of height 8, its arithmetic that
// of golang.org/x/mod/sumdb/tlog; checkpoints follow C2SP tlog-checkpoint.
// docs/design/log.md says how a stranger checks all this without Gavel.
package audit

import (
	"context"
	"crypto/rand"
	"embed"
	"encoding/base64"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

//go:embed migrations/*.sql
var migrations embed.FS

// Migrations makes the log's tables.
func Migrations() postgres.MigrationSet { return postgres.Embedded("audit", migrations) }

// Installation is the organisation of records that concern all of them, such as
// a change of the log's key. No transaction of an organisation can be in it.
const Installation identity.Org = "-"

// A RecordID is "rec_" and a ULID: it sorts by the time in the record.
type RecordID string

func newRecordID(at time.Time) RecordID {
	return RecordID("rec_" + ulid.MustNew(ulid.Timestamp(at), rand.Reader).String())
}

// newNonce makes a record's hash say nothing about its content to who has to
// guess it: 128 bits that only the record itself holds.
func newNonce() string {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // documented never to fail
	return base64.RawURLEncoding.EncodeToString(nonce[:])
}

// Append commits a record together with what it records: the row is part of the
// caller's transaction, in which the record's organisation must be the acting
// one. It costs one statement, waits for nobody and takes no lock that another
// append could want.
//
// In particular it does not NOTIFY. A transaction that notifies holds a lock of
// the whole server while it commits, so that commits no longer share one flush
// to disk; the sequencer looks often enough by itself.
func Append(ctx context.Context, tx pgx.Tx, rec Record) (RecordID, error) {
	id, args, err := rec.row()
	if err != nil {
		return "", err
	}
	if _, err := tx.Exec(ctx, insertRecord, args...); err != nil {
		return "", fmt.Errorf("append record: %w", err)
	}
	return id, nil
}

// AppendLater adds the append to a batch, for a caller whose own statements go
// to the database in one round trip: the record then costs none of its own.
func AppendLater(b *pgx.Batch, rec Record) (RecordID, error) {
	id, args, err := rec.row()
	if err != nil {
		return "", err
	}
	b.Queue(insertRecord, args...)
	return id, nil
}

// insertRecord adds a record and its row in the queue, in the caller's order:
// positions of one transaction ascend.
const insertRecord = `
	with added as (
		insert into gavel.record (org, id, at, kind, app, actor_kind, actor_id, subject, json)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9))
	insert into gavel_sys.log_queue (org, record_id) values ($1, $2)`

// row makes the record's id and nonce and returns the values of insertRecord.
func (r Record) row() (RecordID, []any, error) {
	r.At = r.At.UTC().Truncate(time.Microsecond)
	if err := r.check(); err != nil {
		return "", nil, err
	}
	id := newRecordID(r.At)
	text, err := r.canonical(id, newNonce())
	if err != nil {
		return "", nil, err
	}
	// Plain strings: the driver looks twice at types of our own.
	return id, []any{string(r.Actor.Org), string(id), r.At, string(r.Kind), r.App, string(r.Actor.Kind), r.Actor.ID, r.Subject, text}, nil
}
