package airshed

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
)

// A memory keeps every answer of one ingest as a snapshot, and gives it back when the
// same is asked again. So a step that was cut short goes on where it was, and the
// object is made of the bytes that were kept, not of what was in memory.
type memory struct {
	store  *Store
	org    identity.Org
	ingest string
	closed bool // nobody is asked any more: what was not kept is not there
}

// find is the answer to a question that was asked before.
func (m *memory) find(ctx context.Context, source, url string) (snap Snapshot, known bool, err error) {
	const one = `select data, content_type, fetched_at from airshed.ingest_answer where ingest = $1 and source = $2 and asked = $3`
	var data, kind string
	var at time.Time
	err = m.store.db.InOrg(ctx, m.org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, one, m.ingest, source, blob.Sum([]byte(url)).String()).Scan(&data, &kind, &at)
	})
	switch {
	case errors.Is(err, pgx.ErrNoRows) && m.closed:
		return snap, false, fault.New(fault.Conflict, "an answer of %s that %s needs was not kept", source, m.ingest).WithNext("ingest again")
	case errors.Is(err, pgx.ErrNoRows):
		return snap, false, nil
	case err != nil:
		return snap, false, err
	}
	d, err := blob.Parse(data)
	if err != nil {
		return snap, false, err
	}
	body, err := m.store.bytesOf(ctx, m.org, d, declared(source).MaxBytes)
	return snapshotOf(source, url, kind, at, body), err == nil, err
}

// keep keeps an answer. One that cannot be used is evidence of that, and is not given
// back: the question may be asked again. same is false where another answer to the
// same question was kept before.
func (m *memory) keep(ctx context.Context, snap Snapshot, good bool) (same bool, err error) {
	asked := blob.Sum([]byte(snap.URL)).String()
	once := "ingest:" + m.ingest + ":" + asked
	if !good {
		once += ":" + snap.SHA256.String()[:16]
	}
	kept, err := m.store.kept.Take(ctx, identity.Gavel(m.org), evidence.Receipt{Source: snap.Name, Once: once, ContentType: snap.ContentType, Place: snap.URL}, bytes.NewReader(snap.Body))
	if err != nil || !good {
		return true, err
	}
	const insert = `insert into airshed.ingest_answer (org, ingest, source, asked, data, url, content_type, fetched_at) values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict do nothing`
	err = m.store.db.InOrg(ctx, m.org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, insert, m.org, m.ingest, snap.Name, asked, kept.SHA256.String(), snap.URL, snap.ContentType, snap.FetchedAt)
		return err
	})
	return kept.SHA256 == snap.SHA256, err
}
